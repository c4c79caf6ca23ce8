"""Options that several commands share.

This module does not import the library, so that help and completion are fast.
"""

import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

import typer

from murtree.cli.completion import complete_column, complete_model

Options = TypeVar("Options")

DATA, SIZE, GOAL, SEARCH, WRITE = (
    "Data",
    "Size of the tree",
    "What is best",
    "Search",
    "Output",
)


def _depth(text: str) -> int | None:
    """Return a depth; "none" means no limit."""
    if str(text).lower() == "none":
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"must be a whole number or none. Got {text!r}") from None


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
    Path | None,
    option("--validation FILE", "Other rows, to measure the error on.", DATA),
]
Missing = Annotated[
    list[str] | None,
    option(
        "--missing WORD",
        "A word that means a missing value, such as '?'; a model keeps it. Repeatable.",
        DATA,
    ),
]
FileFormat = Annotated[
    Literal["csv", "tsv", "txt", "parquet"] | None,
    option(
        "--format NAME",
        "csv, tsv, parquet or txt (class and 0/1 features). (default: detected)",
        DATA,
    ),
]
Separator = Annotated[
    str | None,
    option(
        "--separator CHAR",
        "The character between cells. (default: one of , ; tab |, detected)",
        DATA,
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
AsJson = Annotated[bool, option("--json", "Write one JSON object, for scripts.", WRITE)]
NoColor = Annotated[bool, option("--no-color", "No colours, like NO_COLOR.", WRITE)]


@dataclass(frozen=True, kw_only=True)
class SearchOptions:
    """The options of `fit`, `frontier` and `tune`, in the order of the help."""

    data: Data
    target: Annotated[
        str | None, option("--target -t COLUMN", "The column to predict.", DATA)
    ] = None
    ignore: Annotated[
        list[str] | None,
        option(
            "--ignore COLUMN",
            "Leave this column out, such as an identifier. Repeatable.",
            DATA,
        ),
    ] = None
    columns: Annotated[
        list[str] | None,
        option("--columns COLUMN", "Read this column and no others. Repeatable.", DATA),
    ] = None
    weight_column: Annotated[
        str | None,
        option(
            "--weight-column COLUMN",
            "A column of weights: k counts as k copies of its row.",
            DATA,
        ),
    ] = None
    missing: Missing = None
    drop_missing_target: Annotated[
        bool,
        option(
            "--drop-missing-target",
            "Leave out rows without a target, instead of refusing them.",
            DATA,
        ),
    ] = False
    validation: Validation = None
    validation_share: Annotated[
        float,
        option(
            "--validation-share SHARE",
            "Hold out this share of the rows for validation, such as 0.25.",
            DATA,
        ),
    ] = 0.0
    sample: Annotated[
        int | None,
        option(
            "--sample ROWS", "Read a random sample of a large file, in one pass.", DATA
        ),
    ] = None
    seed: Annotated[int, option("--seed N", "Seed of all random choices.", DATA)] = 0
    format: FileFormat = None
    separator: Separator = None
    max_depth: Annotated[
        Any,
        option(
            "--max-depth -d DEPTH",
            "The most tests a row may meet, 0 to 20; none: no limit.",
            SIZE,
            parser=_depth,
        ),
    ] = 4
    max_nodes: Annotated[
        int | None,
        option(
            "--max-nodes --max-num-nodes NODES",
            "The largest number of nodes, without leaves. (default: by depth)",
            SIZE,
        ),
    ] = None
    min_samples_leaf: Annotated[
        int,
        option(
            "--min-samples-leaf ROWS", "The smallest number of rows of a leaf.", SIZE
        ),
    ] = 1
    min_weight_fraction_leaf: Annotated[
        float,
        option(
            "--min-weight-fraction-leaf SHARE",
            "The least share of all weight that a leaf may have, 0 to 0.5.",
            SIZE,
        ),
    ] = 0.0
    cost_complexity: Annotated[
        float,
        option(
            "--cost-complexity PRICE",
            "The cost of a node, as a share of all rows: 0.01 is one row in 100.",
            SIZE,
        ),
    ] = 0.0
    fewest_nodes: Annotated[
        bool, option("--fewest-nodes", "Among the best trees, the smallest.", SIZE)
    ] = False
    frontier: Annotated[
        bool, option("--frontier", "Keep the best tree of every size.", SIZE)
    ] = False
    regression: Annotated[
        bool | None,
        option(
            "--regression/--classification",
            "Predict numbers, or classes. (default: classes)",
            GOAL,
            show_default=False,
        ),
    ] = None
    objective: Annotated[
        Literal[
            "accuracy",
            "balanced_accuracy",
            "f1",
            "fbeta",
            "matthews",
            "gmean",
            "squared_error",
            "absolute_error",
        ]
        | None,
        option(
            "--objective NAME",
            "accuracy (default), balanced_accuracy, f1, fbeta, matthews, gmean; with "
            "--regression squared_error (default), absolute_error.",
            GOAL,
        ),
    ] = None
    positive: Annotated[
        str | None,
        option(
            "--positive CLASS",
            "For f1 and fbeta: the positive class. (default: the second in order)",
            GOAL,
        ),
    ] = None
    beta: Annotated[
        float, option("--beta NUMBER", "For fbeta: recall against precision.", GOAL)
    ] = 1.0
    class_weight: Annotated[
        str | None,
        option("--class-weight WEIGHTS", "balanced, or as in 'yes=5,no=1'.", GOAL),
    ] = None
    forbid: Annotated[
        list[str] | None,
        option("--forbid COLUMN", "A column that no test may use. Repeatable.", GOAL),
    ] = None
    time_limit: Annotated[
        float | None,
        option("--time-limit SECONDS", "Stop then, with the best tree so far.", SEARCH),
    ] = None
    memory_limit: Annotated[
        str | None,
        option(
            "--memory-limit SIZE",
            "Such as 512MB or 4GB; without a unit: bytes.",
            SEARCH,
        ),
    ] = None
    binarizer: Annotated[
        Literal["auto", "quantile", "uniform", "mdlp", "tree", "exact"],
        option(
            "--binarizer NAME",
            "How thresholds are chosen: auto, quantile, uniform, mdlp, tree or exact.",
            SEARCH,
        ),
    ] = "auto"
    require_proof: Annotated[
        bool,
        option(
            "--require-proof",
            "Exit with code 3 unless the tree is proven optimal.",
            SEARCH,
        ),
    ] = False
    output: Annotated[
        Path | None,
        option(
            "--output -o FILE", "Write the model here; an old file is replaced.", WRITE
        ),
    ] = None
    plot: Annotated[
        Path | None,
        option("--plot FILE", "Draw errors against sizes: .png, .svg or .pdf.", WRITE),
    ] = None
    report: Annotated[
        Path | None,
        option(
            "--report FILE",
            "Write a page to explore the trees of all sizes; searches all sizes, as "
            "with --frontier.",
            WRITE,
        ),
    ] = None
    as_json: AsJson = False
    quiet: Annotated[bool, option("--quiet -q", "Print errors only.", WRITE)] = False
    progress: Annotated[
        Literal["auto", "live", "plain", "none"],
        option(
            "--progress NAME",
            "live on a terminal (auto), plain lines for a log, or none.",
            WRITE,
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
