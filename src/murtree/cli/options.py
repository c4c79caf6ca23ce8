"""The options that several commands share, each said once, and their choices.

One list of them all, which is longer than other files.
Nothing here imports the library: help and completion must come at once.
"""

from dataclasses import fields
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from murtree.cli.completion import complete_column, complete_model

T = TypeVar("T")

DATA, SIZE, GOAL, SEARCH, WRITE = (
    "Data",
    "Size of the tree",
    "What is best",
    "Search",
    "Output",
)


class Format(StrEnum):
    """The formats of tables."""

    CSV = "csv"
    TSV = "tsv"
    TXT = "txt"
    PARQUET = "parquet"


class Objective(StrEnum):
    """What a tree can be best in."""

    ACCURACY = "accuracy"
    BALANCED_ACCURACY = "balanced_accuracy"
    F1 = "f1"
    FBETA = "fbeta"
    MATTHEWS = "matthews"
    GMEAN = "gmean"
    SQUARED_ERROR = "squared_error"
    ABSOLUTE_ERROR = "absolute_error"


class Thresholds(StrEnum):
    """How thresholds of numbers are chosen."""

    AUTO = "auto"
    QUANTILE = "quantile"
    UNIFORM = "uniform"
    MDLP = "mdlp"
    TREE = "tree"
    EXACT = "exact"


class Mode(StrEnum):
    """How progress is shown."""

    AUTO = "auto"
    LIVE = "live"
    PLAIN = "plain"
    NONE = "none"


def _depth(text: str) -> int | None:
    """Return a depth; "none" means no limit."""
    if str(text).lower() == "none":
        return None
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"must be a whole number or none. Got {text!r}") from None


def _separator(text: str) -> str:
    """Return a separator; a tab is hard to type."""
    return "\t" if text.lower() in ("tab", "\\t") else text


def option(*names: str, help: str, panel: str | None = None, **more: Any) -> Any:
    """Return an option; a switch without a metavar shows none."""
    more.setdefault("metavar", " ")
    return typer.Option(*names, help=help, rich_help_panel=panel, **more)


Data = Annotated[
    Path,
    typer.Argument(
        metavar="DATA",
        show_default=False,
        help="The table: CSV, TSV, Parquet or the field's text, also gzip; - is stdin.",
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
Target = Annotated[
    str | None,
    option(
        "--target",
        "-t",
        panel=DATA,
        metavar="COLUMN",
        autocompletion=complete_column,
        help="The column to predict.",
    ),
]
Ignore = Annotated[
    list[str] | None,
    option(
        "--ignore",
        panel=DATA,
        metavar="COLUMN",
        autocompletion=complete_column,
        help="Leave this column out, such as an identifier. Repeatable.",
    ),
]
Columns = Annotated[
    list[str] | None,
    option(
        "--columns",
        panel=DATA,
        metavar="COLUMN",
        autocompletion=complete_column,
        help="Read this column and no others. Repeatable.",
    ),
]
WeightColumn = Annotated[
    str | None,
    option(
        "--weight-column",
        panel=DATA,
        metavar="COLUMN",
        autocompletion=complete_column,
        help="A column of weights: k counts as k copies of its row.",
    ),
]
FileFormat = Annotated[
    Format | None,
    option(
        "--format",
        panel=DATA,
        metavar="NAME",
        help="csv, tsv, txt (of the field) or parquet. (default: what it looks like)",
    ),
]
Separator = Annotated[
    str | None,
    option(
        "--separator",
        panel=DATA,
        parser=_separator,
        metavar="CHAR",
        help="Between the cells of a text. (default: one of , ; tab |, as it looks)",
    ),
]
Sample = Annotated[
    int | None,
    option(
        "--sample",
        panel=DATA,
        metavar="ROWS",
        help="Read a random sample of a large file, in one pass.",
    ),
]
Missing = Annotated[
    list[str] | None,
    option(
        "--missing",
        panel=DATA,
        metavar="WORD",
        help="A word that means a missing value, such as '?'; a model keeps it. "
        "Repeatable.",
    ),
]
DropMissing = Annotated[
    bool,
    option(
        "--drop-missing-target",
        panel=DATA,
        help="Leave out rows without a target, instead of refusing them.",
    ),
]
Validation = Annotated[
    Path | None,
    option(
        "--validation",
        panel=DATA,
        metavar="FILE",
        help="Other rows, to measure the error on.",
    ),
]
ValidationShare = Annotated[
    float,
    option(
        "--validation-share",
        panel=DATA,
        metavar="SHARE",
        help="Keep so much of the data for validation, such as 0.25.",
    ),
]
Seed = Annotated[
    int, option("--seed", panel=DATA, metavar="N", help="Of all that is random.")
]

MaxDepth = Annotated[
    Any,
    option(
        "--max-depth",
        "-d",
        panel=SIZE,
        parser=_depth,
        metavar="DEPTH",
        help="The most tests a row may meet, 0 to 20; none: no limit.",
    ),
]
MaxNodes = Annotated[
    int | None,
    option(
        "--max-nodes",
        "--max-num-nodes",
        panel=SIZE,
        metavar="NODES",
        help="The most nodes, leaves not counted. (default: what the depth allows)",
    ),
]
MinLeaf = Annotated[
    int,
    option(
        "--min-samples-leaf",
        panel=SIZE,
        metavar="ROWS",
        help="The fewest rows of a leaf.",
    ),
]
MinWeight = Annotated[
    float,
    option(
        "--min-weight-fraction-leaf",
        panel=SIZE,
        metavar="SHARE",
        help="The least share of all weight that a leaf may have, 0 to 0.5.",
    ),
]
CostComplexity = Annotated[
    float,
    option(
        "--cost-complexity",
        panel=SIZE,
        metavar="PRICE",
        help="What a node costs, as a share of all rows: 0.01 is one row in 100.",
    ),
]
FewestNodes = Annotated[
    bool,
    option("--fewest-nodes", panel=SIZE, help="Of the best trees the smallest."),
]
AllSizes = Annotated[
    bool,
    option("--frontier", panel=SIZE, help="Keep the best tree of every size."),
]

Regression = Annotated[
    bool | None,
    option(
        "--regression/--classification",
        panel=GOAL,
        show_default=False,
        help="Predict numbers, or classes. (default: classes)",
    ),
]
Goal = Annotated[
    Objective | None,
    option(
        "--objective",
        panel=GOAL,
        metavar="NAME",
        help="accuracy (default), balanced_accuracy, f1, fbeta, matthews, gmean; "
        "with --regression squared_error (default), absolute_error.",
    ),
]
Beta = Annotated[
    float,
    option(
        "--beta",
        panel=GOAL,
        metavar="NUMBER",
        help="For fbeta: recall against precision.",
    ),
]
Positive = Annotated[
    str | None,
    option(
        "--positive",
        panel=GOAL,
        metavar="CLASS",
        help="For f1 and fbeta: the class they are of. (default: the second in order)",
    ),
]
ClassWeight = Annotated[
    str | None,
    option(
        "--class-weight",
        panel=GOAL,
        metavar="WEIGHTS",
        help="balanced, or as in 'yes=5,no=1'.",
    ),
]
Forbid = Annotated[
    list[str] | None,
    option(
        "--forbid",
        panel=GOAL,
        metavar="COLUMN",
        autocompletion=complete_column,
        help="A column that no test may ask about. Repeatable.",
    ),
]

TimeLimit = Annotated[
    float | None,
    option(
        "--time-limit",
        panel=SEARCH,
        metavar="SECONDS",
        help="Then end with the best tree so far.",
    ),
]
MemoryLimit = Annotated[
    str | None,
    option(
        "--memory-limit",
        panel=SEARCH,
        metavar="SIZE",
        help="Such as 512MB or 4GB; alone: bytes.",
    ),
]
Binarizer = Annotated[
    Thresholds,
    option(
        "--binarizer",
        panel=SEARCH,
        metavar="NAME",
        help="How thresholds are chosen: auto, quantile, uniform, mdlp, tree or exact.",
    ),
]
RequireProof = Annotated[
    bool,
    option(
        "--require-proof",
        panel=SEARCH,
        help="Exit with code 3 unless the tree is proven optimal.",
    ),
]

ModelOut = Annotated[
    Path | None,
    option(
        "--output",
        "-o",
        panel=WRITE,
        metavar="FILE",
        help="Write the model here; an old file is replaced.",
    ),
]
ReportOut = Annotated[
    Path | None,
    option(
        "--report",
        panel=WRITE,
        metavar="FILE",
        help="Write a page to explore the trees of all sizes; they are searched for "
        "as with --frontier.",
    ),
]
AsJson = Annotated[
    bool, option("--json", panel=WRITE, help="Write one JSON object, for scripts.")
]
Quiet = Annotated[bool, option("--quiet", "-q", panel=WRITE, help="Tell errors only.")]
ShowProgress = Annotated[
    Mode,
    option(
        "--progress",
        panel=WRITE,
        metavar="NAME",
        help="live on a terminal (auto), plain lines for a log, or none.",
    ),
]
NoColor = Annotated[
    bool,
    option("--no-color", panel=WRITE, help="No colours; so does NO_COLOR."),
]
AtSize = Annotated[
    int | None,
    option(
        "--size",
        metavar="NODES",
        help="The tree with at most so many nodes, of a model with all sizes.",
    ),
]


def picked(kind: type[T], values: dict[str, Any]) -> T:
    """Return a dataclass with those values that it has fields for."""
    names = [field.name for field in fields(kind)]  # type: ignore[arg-type]
    return kind(**{name: values[name] for name in names})
