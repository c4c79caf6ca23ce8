"""Options that several commands share.

This module does not import the library, so that help and completion are fast.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, wraps
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from murtree.cli.completion import complete_column, complete_model

Options = TypeVar("Options")

WRITE = "Output"


def _depth(text: str) -> int | None:
    """Return a depth; "none" means no limit."""
    if str(text).lower() == "none":
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"must be a whole number or none. Got {text!r}") from None


def _smoothing(text: str) -> float | str:
    """Return a weight, or the name of a rule."""
    if text == "laplace":
        return text
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"must be laplace or a number. Got {text!r}") from None


def _separator(text: str) -> str:
    """Return a separator; "tab" means a tab."""
    return "\t" if text.lower() in ("tab", "\\t") else text


def option(usage: str, help: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option; `usage` has its names and what follows them, if anything."""
    names = [word for word in usage.split() if word.startswith("-")]
    metavar = " ".join(usage.split()[len(names) :])
    if metavar == "COLUMN":
        more["autocompletion"] = complete_column
    return typer.Option(
        *names, help=help, rich_help_panel=panel, metavar=metavar or " ", **more
    )


_data = partial(option, panel="Data")
_size = partial(option, panel="Size of the tree")
_goal = partial(option, panel="What is best")
_search = partial(option, panel="Search")
_write = partial(option, panel=WRITE)

Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        show_default=False,
        help="The table: CSV, TSV, Parquet or txt, also gzip; - is stdin.",
    ),
]
ModelFile = Annotated[
    Path,
    typer.Argument(
        metavar="MODEL",
        show_default=False,
        autocompletion=complete_model,
        help="A model that `murtree fit` or `save` wrote.",
    ),
]
Validation = Annotated[
    Path | None, _data("--validation FILE", "Other rows, to measure the error on.")
]
Missing = Annotated[
    list[str] | None,
    _data(
        "--missing WORD",
        "A word that means a missing value, such as '?'; a model keeps it. Repeatable.",
    ),
]
FileFormat = Annotated[
    Literal["csv", "tsv", "txt", "parquet"] | None,
    _data(
        "--format NAME",
        "csv, tsv, parquet or txt (class and 0/1 features). (default: detected)",
    ),
]
Separator = Annotated[
    str | None,
    _data(
        "--separator CHAR",
        "The character between cells. (default: one of , ; tab |, detected)",
        parser=_separator,
    ),
]
AtSize = Annotated[
    int | None,
    option(
        "--size NODES",
        "The tree with at most this many nodes, from a model with all sizes.",
    ),
]
AsJson = Annotated[bool, _write("--json", "Write one JSON object, for scripts.")]
NoColor = Annotated[bool, _write("--no-color", "No colours, like NO_COLOR.")]


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of `fit`, `frontier` and `tune`, in the order of the help."""

    data: Data
    target: Annotated[
        str | None, _data("--target -t COLUMN", "The column to predict.")
    ] = None
    ignore: Annotated[
        list[str] | None,
        _data(
            "--ignore COLUMN",
            "Leave this column out, such as an identifier. Repeatable.",
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        _data("--columns COLUMN", "Read this column and no others. Repeatable."),
    ] = None
    weight_column: Annotated[
        str | None,
        _data(
            "--weight-column COLUMN",
            "A column of weights: k counts as k copies of its row.",
        ),
    ] = None
    missing: Missing = None
    drop_missing_target: Annotated[
        bool,
        _data(
            "--drop-missing-target",
            "Leave out rows without a target, instead of refusing them.",
        ),
    ] = False
    validation: Validation = None
    validation_share: Annotated[
        float,
        _data(
            "--validation-share SHARE",
            "Hold out this share of the rows for validation, such as 0.25.",
        ),
    ] = 0.0
    sample: Annotated[
        int | None,
        _data("--sample ROWS", "Read a random sample of a large file, in one pass."),
    ] = None
    seed: Annotated[int, _data("--seed N", "Seed of all random choices.")] = 0
    format: FileFormat = None
    separator: Separator = None
    max_depth: Annotated[
        Any,
        _size(
            "--max-depth -d DEPTH",
            "The most tests a row may meet, 0 to 20; none: no limit.",
            parser=_depth,
        ),
    ] = 4
    max_nodes: Annotated[
        int | None,
        _size(
            "--max-nodes --max-num-nodes NODES",
            "The largest number of nodes, without leaves. (default: by depth)",
        ),
    ] = None
    min_samples_leaf: Annotated[
        int, _size("--min-samples-leaf ROWS", "The smallest number of rows of a leaf.")
    ] = 1
    min_weight_fraction_leaf: Annotated[
        float,
        _size(
            "--min-weight-fraction-leaf SHARE",
            "The least share of all weight that a leaf may have, 0 to 0.5.",
        ),
    ] = 0.0
    cost_complexity: Annotated[
        float,
        _size(
            "--cost-complexity PRICE",
            "The cost of a node, as a share of all rows: 0.01 is one row in 100.",
        ),
    ] = 0.0
    fewest_nodes: Annotated[
        bool, _size("--fewest-nodes", "Among the best trees, the smallest.")
    ] = False
    frontier: Annotated[
        bool, _size("--frontier", "Keep the best tree of every size.")
    ] = False
    regression: Annotated[
        bool | None,
        _goal(
            "--regression/--classification",
            "Predict numbers, or classes. (default: classes)",
            show_default=False,
        ),
    ] = None
    objective: Annotated[
        Literal[
            "accuracy",
            "balanced_accuracy",
            "accuracy_then_gini",
            "gini",
            "log_loss",
            "f1",
            "fbeta",
            "matthews",
            "gmean",
            "squared_error",
            "absolute_error",
        ]
        | None,
        _goal(
            "--objective NAME",
            "accuracy (default), balanced_accuracy, accuracy_then_gini, gini, "
            "log_loss, f1, fbeta, matthews, gmean; with --regression squared_error "
            "(default), absolute_error.",
        ),
    ] = None
    positive: Annotated[
        str | None,
        _goal(
            "--positive CLASS",
            "For f1 and fbeta: the positive class. (default: the second in order)",
        ),
    ] = None
    beta: Annotated[
        float, _goal("--beta NUMBER", "For fbeta: recall against precision.")
    ] = 1.0
    class_weight: Annotated[
        str | None, _goal("--class-weight WEIGHTS", "balanced, or as in 'yes=5,no=1'.")
    ] = None
    smoothing: Annotated[
        Any,
        _goal(
            "--smoothing RULE",
            "laplace or a number of rows: moves probabilities of small leaves, with "
            "--regression values, towards those of all rows. (default: none)",
            parser=_smoothing,
        ),
    ] = None
    teacher: Annotated[
        Literal["forest"] | None,
        _goal(
            "--teacher forest",
            "Fit the tree to the predictions of a random forest, not to the target.",
        ),
    ] = None
    forbid: Annotated[
        list[str] | None,
        _goal("--forbid COLUMN", "A column that no test may use. Repeatable."),
    ] = None
    time_limit: Annotated[
        float | None,
        _search("--time-limit SECONDS", "Stop then, with the best tree so far."),
    ] = None
    memory_limit: Annotated[
        str | None,
        _search("--memory-limit SIZE", "Such as 512MB or 4GB; without a unit: bytes."),
    ] = None
    binarizer: Annotated[
        Literal["auto", "quantile", "uniform", "mdlp", "tree", "exact"],
        _search(
            "--binarizer NAME",
            "Which thresholds: auto, quantile, uniform, mdlp, tree or exact (all).",
        ),
    ] = "auto"
    max_categories: Annotated[
        int,
        _search(
            "--max-categories NUMBER",
            "The most categories of a column to test, the frequent ones first.",
        ),
    ] = 20
    require_proof: Annotated[
        bool,
        _search(
            "--require-proof", "Exit with code 3 unless the tree is proven optimal."
        ),
    ] = False
    output: Annotated[
        Path | None,
        _write("--output -o FILE", "Write the model here; an old file is replaced."),
    ] = None
    plot: Annotated[
        Path | None,
        _write("--plot FILE", "Draw errors against sizes: .png, .svg or .pdf."),
    ] = None
    report: Annotated[
        Path | None,
        _write(
            "--report FILE",
            "Write a page to explore the trees of all sizes; searches all sizes, as "
            "with --frontier.",
        ),
    ] = None
    as_json: AsJson = False
    quiet: Annotated[bool, _write("--quiet -q", "Print errors only.")] = False
    progress: Annotated[
        Literal["auto", "live", "plain", "none"],
        _write(
            "--progress NAME",
            "live on a terminal (auto), plain lines for a log, or none.",
        ),
    ] = "auto"
    no_color: NoColor = False


def takes(
    kind: type[Options], *, without: Sequence[str] = ()
) -> Callable[[Callable[[Options], int]], Callable[..., int]]:
    """Decorate a command whose options are the fields of a dataclass.

    The fields in `without` are no options of this command, and keep their defaults.
    """
    fields = [
        field
        for name, field in inspect.signature(kind).parameters.items()
        if name not in without
    ]

    def decorate(command: Callable[[Options], int]) -> Callable[..., int]:
        @wraps(command)
        def with_options(**values: Any) -> int:
            return command(kind(**values))

        with_options.__signature__ = inspect.Signature(fields)  # type: ignore[attr-defined]
        return with_options

    return decorate
