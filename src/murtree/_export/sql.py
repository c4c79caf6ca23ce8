"""Export trees as SQL, to predict in a database."""

import datetime
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from murtree._export.source import (
    Language,
    indented,
    refuse_nul,
    tree_for_source,
    whole_microseconds,
)
from murtree._tree.nodes import tested_columns
from murtree._tree.tree import Tree

_EPOCH = datetime.datetime(1970, 1, 1)


def export_sql(
    decision_tree: Any,
    *,
    table: str | Sequence[str] | None = None,
    feature_names: Sequence[str] | None = None,
) -> str:
    """Export a tree as an SQL expression or query.

    NULL is a missing value; NaN, which DuckDB and PostgreSQL support, is compared as
    the largest number. Date and time values are compared with texts such as
    ``'2024-01-31 12:00:00'``, in UTC: SQLite stores them as such texts, other databases
    convert them to TIMESTAMP or DATE. Durations are in seconds.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, possibly the last step of a pipeline, or a tree,
        or an object with a tree.
    table : str or sequence of str, default=None
        The name of a table. If given, return a query for all its columns and an
        additional column "prediction".
    feature_names : sequence of str, default=None
        The names of the columns; by default those of training, or x0, x1 and so on.

    Returns
    -------
    sql : str
        A CASE expression, or a SELECT without a semicolon. It is tested with SQLite and
        DuckDB and uses no features specific to them.

    Examples
    --------
    >>> from murtree import Solver, export_sql
    >>> tree = Solver([[0], [1], [1]], ["no", "it's", "it's"]).solve(max_depth=1).tree
    >>> print(export_sql(tree, feature_names=["is new"], table="mails"))
    SELECT *,
        CASE WHEN "is new" <= 0.5e0 THEN
            'no'
        ELSE
            'it''s'
        END AS "prediction"
    FROM "mails"
    """
    owner = "export_sql"
    tree = tree_for_source(decision_tree, owner, feature_names)
    is_sequence = isinstance(table, list | tuple) and len(table) > 0
    parts: list[Any] = [] if table is None else [table]
    if is_sequence and table is not None:
        parts = list(table)
    if not all(isinstance(part, str) for part in parts):
        raise TypeError(
            f"The 'table' parameter of {owner} must be a str, a sequence of them (a "
            f"schema and a table) or None. Got {table!r} instead."
        )
    names = [tree.known_columns[index].name for index in tested_columns(tree)]
    refuse_nul(tree, [*names, *parts], owner)
    lines = _Sql(tree).lines()
    if not parts:
        return "\n".join(lines)
    lines[-1] += ' AS "prediction"'
    query = ["SELECT *,", *indented(lines), f"FROM {'.'.join(map(_identifier, parts))}"]
    return "\n".join(query)


class _Sql(Language):
    either = "OR"
    both = " AND "
    never = "1 = 0"
    always = "1 = 1"
    among_words = ("=", "IN", "<>", "NOT IN")
    brackets = ("(", ")")

    def __init__(self, tree: Tree) -> None:
        names = [_identifier(column.name) for column in tree.known_columns]
        super().__init__(tree, names)
        # SQLite takes TRUE for a column of that name, if there is one.
        known = {column.name.lower() for column in tree.known_columns}
        is_taken = not known.isdisjoint(("true", "false"))
        self.truths = ("(1 = 0)", "(1 = 1)") if is_taken else ("FALSE", "TRUE")

    def up_to(self, index: int, limit: float) -> str:
        if self.columns[index].kind == "boolean":
            return f"{self.names[index]} = {self.literal(False)}"
        if self.columns[index].kind in ("datetime", "time"):
            # As texts, a date is less than the same date with a time of day: only the
            # comparison for "greater" is correct for both.
            return f"NOT {self.above(index, limit)}"
        return super().up_to(index, limit)

    def missing(self, index: int) -> str:
        return f"{self.names[index]} IS NULL"

    def outside(self, index: int, categories: Sequence[Any]) -> str:
        return f"{self.missing(index)} OR {super().outside(index, categories)}"

    def result(self, prediction: Any) -> str:
        return self.literal(prediction)

    def literal(self, value: Any) -> str:
        if isinstance(value, bool):
            return self.truths[value]
        if isinstance(value, int):
            return str(value)
        if isinstance(value, float):
            return _number(value)
        doubled = str(value).replace("'", "''")
        return f"'{doubled}'"

    def branches(self, condition: str, yes: list[str], no: list[str]) -> list[str]:
        first = f"CASE WHEN {condition} THEN"
        return [first, *indented(yes), "ELSE", *indented(no), "END"]

    def limit(self, index: int, limit: float) -> str:
        kind = self.columns[index].kind
        if kind not in ("datetime", "time"):
            return self.literal(limit)
        try:
            span = datetime.timedelta(microseconds=whole_microseconds(limit))
            moment = _EPOCH + span
        except OverflowError:
            raise ValueError(
                "The times of export_sql must be in the years 1 to 9999. Got a "
                f"threshold of {limit!r} seconds instead."
            ) from None
        return f"'{moment.time() if kind == 'time' else moment}'"


def _identifier(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _number(value: float) -> str:
    """Return a float in few digits that databases parse to the same float.

    The exponent makes it a double: DuckDB parses other numbers as decimals. SQLite
    parses with 64 bits of precision, so texts close to the midpoint of two floats (one
    in some hundreds) get more digits.
    """
    text = repr(value)
    gap = Fraction(text) - Fraction(value)
    neighbour = np.nextafter(value, math.inf if gap > 0 else -math.inf)
    halfway = abs(Fraction(float(neighbour)) - Fraction(value)) / 2
    if abs(gap) > halfway * Fraction(255, 256):
        text = f"{value:.17e}"
    return text if "e" in text else f"{text}e0"
