"""Read forbidden columns and fixed tests given by the user.

Names and units of the user's table are converted to column indices and predicates.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import UNKNOWN, Column, codes_of, limits_of
from murtree._table.predicates import Predicate

ENTRIES = ("feature", "threshold", "categories", "is_missing", "missing")
SIDES = ("left", "right")
MAX_LEVELS = 255  # limit of the core


@dataclass(frozen=True)
class FixedTest:
    """A fixed node: its test, or only its column, and the fixed nodes below it."""

    path: str  # as the user would index it, such as partial_tree['left']
    column: int
    predicate: Predicate | None  # None: the best test of the column
    left: "FixedTest | None"  # None: open, to be completed
    right: "FixedTest | None"

    @property
    def n_nodes(self) -> int:
        """The number of fixed nodes, including this one."""
        return 1 + sum(side.n_nodes for side in self._fixed_sides())

    @property
    def columns(self) -> frozenset[int]:
        """The columns tested by this node and the nodes below it."""
        below = [side.columns for side in self._fixed_sides()]
        return frozenset({self.column}).union(*below)

    def most_open_nodes(self, depth: int) -> int:
        """Return the number of nodes that fit below the fixed ones at this depth."""
        sides = (self.left, self.right)
        return sum(
            2 ** (depth - 1) - 1 if side is None else side.most_open_nodes(depth - 1)
            for side in sides
        )

    def _fixed_sides(self) -> list["FixedTest"]:
        return [side for side in (self.left, self.right) if side is not None]


def forbidden_indices(
    given: Any, columns: Sequence[Column], owner: str
) -> frozenset[int]:
    """Return the indices of the columns that no test may use."""
    if given is None:
        return frozenset()
    if isinstance(given, str | bytes | Mapping) or not isinstance(given, Iterable):
        raise TypeError(
            f"The 'forbidden_features' parameter of {owner} must be a list of names or "
            f"indices of columns, or None. Got {given!r} instead."
        )
    what = f"The 'forbidden_features' parameter of {owner} must be a list, each entry"
    return frozenset(column_index(feature, columns, what) for feature in given)


def without_columns(
    columns: tuple[Column, ...],
    codes: npt.NDArray[np.float64],
    indices: frozenset[int],
) -> tuple[tuple[Column, ...], npt.NDArray[np.float64]]:
    """Return the table with some columns made empty."""
    if not indices:
        return columns, codes
    codes = codes.copy()
    codes[:, sorted(indices)] = np.nan
    kept = [
        Column(column.name, "empty") if index in indices else column
        for index, column in enumerate(columns)
    ]
    return tuple(kept), codes


class PartialTreeReader:
    """Convert a nested dict to fixed tests, with errors that name the path."""

    def __init__(
        self,
        columns: Sequence[Column],
        owner: str,
        max_depth: int | None = None,
        forbidden: frozenset[int] = frozenset(),
    ) -> None:
        self._columns = columns
        self._owner = owner
        self._forbidden = forbidden
        self._max_depth = max_depth

    def read(self, given: Any, path: str = "partial_tree", level: int = 1) -> FixedTest:
        """Return the test at a path, including the tests below it."""
        self._check_entries(given, path, level)
        index = column_index(
            given["feature"], self._columns, self._must(path, "have as 'feature'")
        )
        if index in self._forbidden:
            raise ValueError(
                self._must(path, "not test a column of 'forbidden_features'")
                + f". Got {given['feature']!r} instead."
            )
        below = {
            side: None
            if given.get(side) is None
            else self.read(given[side], f"{path}[{side!r}]", level + 1)
            for side in SIDES
        }
        return FixedTest(path, index, self._predicate(given, path, index), **below)

    def _must(self, path: str, what: str) -> str:
        return f"The 'partial_tree' parameter of {self._owner} must, at {path}, {what}"

    def _check_entries(self, given: Any, path: str, level: int) -> None:
        if not isinstance(given, Mapping):
            raise TypeError(
                self._must(path, f"be a dict or None. Got {given!r} instead.")
            )
        known = (*ENTRIES, *SIDES)
        unknown = [key for key in given if key not in known]
        if unknown or "feature" not in given:
            raise ValueError(
                self._must(path, "have a 'feature', and other entries only among ")
                + f"{list(known[1:])}. Got {list(given)} instead."
            )
        # Also stops at a dict that contains itself.
        most = MAX_LEVELS if self._max_depth is None else self._max_depth
        if level > most:
            raise ValueError(
                f"The 'partial_tree' parameter of {self._owner} must have at most "
                f"{most} levels, the 'max_depth'. Got a test at {path} instead."
            )

    def _predicate(
        self, given: Mapping[str, Any], path: str, index: int
    ) -> Predicate | None:
        kinds = [name for name in ENTRIES[1:4] if given.get(name) is not None]
        if len(kinds) > 1:
            raise ValueError(
                self._must(path, "have one test only") + f". Got {kinds} instead."
            )
        side = given.get("missing")
        has_side = kinds in (["threshold"], ["categories"])
        if side is not None and not (has_side and side in SIDES):
            raise ValueError(
                self._must(path, "have 'left' or 'right' as 'missing', with a ")
                + f"threshold or categories. Got {side!r} instead."
            )
        if not kinds:
            return None
        if kinds == ["is_missing"]:
            return self._about_missing(given["is_missing"], path, index)
        read = self._threshold if kinds == ["threshold"] else self._categories
        predicate = read(given[kinds[0]], path, index)
        if side is not None:
            predicate = replace(predicate, missing=side == "left")
        return predicate

    def _about_missing(self, given: Any, path: str, index: int) -> Predicate:
        if given is not True:
            raise ValueError(
                self._must(path, f"have True as 'is_missing'. Got {given!r} instead.")
            )
        return Predicate(index, missing=True)

    def _threshold(self, given: Any, path: str, index: int) -> Predicate:
        column = self._columns[index]
        if column.kind in ("category", "empty"):
            raise ValueError(
                self._must(path, "have a threshold of a column with an order only")
                + f". Got column {column.name!r} of kind {column.kind!r} instead."
            )
        code = self._code_of(given, path, column)
        if not math.isfinite(code) or (column.is_category and code == UNKNOWN):
            what = "a known category" if column.is_category else "a finite value"
            raise ValueError(
                self._must(path, f"have {what} as 'threshold'")
                + f". Got {given!r} instead."
            )
        return Predicate(index, code)

    def _code_of(self, given: Any, path: str, column: Column) -> float:
        if column.kind not in ("number", "boolean"):
            codes = codes_of if column.is_category else limits_of
            return float(codes(column, _objects([given]))[0])
        if isinstance(given, bool | np.bool_) or not isinstance(given, Real):
            raise TypeError(
                self._must(path, "have a number as 'threshold'")
                + f". Got {given!r} instead."
            )
        try:
            return float(given)
        except OverflowError:  # an int too large for a float
            return math.inf

    def _categories(self, given: Any, path: str, index: int) -> Predicate:
        column = self._columns[index]
        if not column.is_category:
            raise ValueError(
                self._must(path, "have categories of a column of categories only")
                + f". Got column {column.name!r} of kind {column.kind!r} instead."
            )
        is_list = isinstance(given, list | tuple | set | frozenset | np.ndarray)
        codes = codes_of(column, _objects(list(given))) if is_list else np.empty(0)
        if not codes.size or np.isnan(codes).any() or (codes == UNKNOWN).any():
            raise ValueError(
                self._must(path, "have a list of known categories as 'categories'")
                + f". Got {given!r} instead; known are {list(column.categories)}."
            )
        return Predicate(index, members=tuple(sorted({int(code) for code in codes})))


def _objects(values: list[Any]) -> npt.NDArray[Any]:
    array = np.empty(len(values), dtype=object)
    array[:] = values
    return array


def column_index(feature: Any, columns: Sequence[Column], must: str) -> int:
    names = [column.name for column in columns]
    if isinstance(feature, str) and feature in names:
        return names.index(feature)
    is_index = isinstance(feature, int | np.integer) and not isinstance(feature, bool)
    if is_index and 0 <= feature < len(columns):
        return int(feature)
    raise ValueError(
        f"{must} the name or index of a column of X. Got {feature!r} instead."
    )
