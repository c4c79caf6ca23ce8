"""Export trees as Python source without dependencies."""

import builtins
import keyword
from collections.abc import Sequence
from typing import Any

from murtree._export.source import (
    Language,
    identifiers,
    indented,
    is_text,
    tree_for_source,
)
from murtree._table.columns import Column
from murtree._tree.nodes import tested_columns
from murtree._tree.tree import Tree

_READERS = {
    "number": "_number",
    "boolean": "_number",
    "datetime": "_moment",
    "duration": "_duration",
    "time": "_time",
}
_MISSING = """
def _is_missing(value):
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    return value != value
"""
_SOURCES = {
    "_number": """
def _number(value):
    return math.nan if _is_missing(value) else float(value)
""",
    "_text": """
def _text(value):
    return None if _is_missing(value) else str(value)
""",
    "_category": """
def _category(value):
    return None if _is_missing(value) else value
""",
    "_moment": '''
def _moment(value):
    """Return the seconds since 1970; without a time zone it is in UTC."""
    if _is_missing(value):
        return math.nan
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.timezone.utc)
    start = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
    return (value - start).total_seconds()
''',
    "_duration": '''
def _duration(value):
    """Return seconds."""
    return math.nan if _is_missing(value) else value.total_seconds()
''',
    "_time": '''
def _time(value):
    """Return the seconds since midnight."""
    if _is_missing(value):
        return math.nan
    whole = value.hour * 3600 + value.minute * 60 + value.second
    return whole + value.microsecond / 1e6
''',
}


def export_python(
    decision_tree: Any, *, feature_names: Sequence[str] | None = None
) -> str:
    """Export a tree as a Python module without dependencies.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, possibly the last step of a pipeline, or a tree,
        or an object with a tree.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of training, or x0, x1 and so on.

    Returns
    -------
    source : str
        A module for Python 3.10 or newer with `COLUMNS` and ``predict(row)``. A row is
        a dict by column names, which may omit columns that are not tested, or a
        sequence in the order of `COLUMNS`. None and NaN are missing values.

    Examples
    --------
    >>> from murtree import Solver, export_python
    >>> tree = Solver([[0], [1], [1]], ["no", "yes", "yes"]).solve(max_depth=1).tree
    >>> module = {}
    >>> exec(export_python(tree, feature_names=["is new"]), module)
    >>> module["predict"]({"is new": 1}), module["predict"]([0])
    ('yes', 'no')
    """
    tree = tree_for_source(decision_tree, "export_python", feature_names)
    language = _Python(tree)
    indices = tested_columns(tree)
    readers = {index: _reader(tree.known_columns[index]) for index in indices}
    used = set(readers.values())
    return _head(tree, used) + _predict(language, readers) + _helpers(used)


def _reader(column: Column) -> str:
    """Return the name of the function that reads a value of a column."""
    if column.is_category:
        return "_text" if is_text(column) else "_category"
    return _READERS[column.kind]


def _head(tree: Tree, readers: set[str]) -> str:
    imports = ["import datetime"] if "_moment" in readers else []
    if readers - {"_category", "_text"}:
        imports.append("import math")
    columns = [f"    {column.name!r},\n" for column in tree.known_columns]
    return (
        '"""A decision tree, written by murtree."""\n\n'
        + "".join(f"{line}\n" for line in imports)
        + ("\n" if imports else "")
        + f"COLUMNS = (\n{''.join(columns)})\n"
    )


def _predict(language: "_Python", readers: dict[int, str]) -> str:
    opening = [
        '"""Return the prediction of the tree for a row.',
        "",
        "A row is a dict by column names, or a sequence in the order of COLUMNS. None",
        "and NaN are missing values.",
        '"""',
        'if not hasattr(row, "keys"):',
        "    row = dict(zip(COLUMNS, row, strict=True))",
    ]
    reading = [
        f"{language.names[index]} = {reader}(row[{language.columns[index].name!r}])"
        for index, reader in readers.items()
    ]
    body = indented([*opening, *reading, *language.lines()])
    text = "\n".join(line.rstrip() if not line.strip() else line for line in body)
    return f"\n\ndef predict(row):\n{text}\n"


def _helpers(readers: set[str]) -> str:
    if not readers:
        return ""
    used = [source for name, source in _SOURCES.items() if name in readers]
    return "".join(f"\n{source}" for source in [_MISSING, *used])


class _Python(Language):
    either = "or"
    both = " and "
    never = "False"
    always = "True"

    def __init__(self, tree: Tree) -> None:
        reserved = {*keyword.kwlist, *dir(builtins), "row", "math", "datetime"}
        names = [column.name for column in tree.known_columns]
        super().__init__(tree, identifiers(names, reserved | {"predict"}))

    def missing(self, index: int) -> str:
        name = self.names[index]
        is_category = self.columns[index].is_category
        return f"{name} is None" if is_category else f"math.isnan({name})"

    def branches(self, condition: str, yes: list[str], no: list[str]) -> list[str]:
        return [f"if {condition}:", *indented(yes), "else:", *indented(no)]
