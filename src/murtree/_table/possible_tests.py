"""The possible tests of a column, given its thresholds or categories."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column
from murtree._table.predicates import Predicate


class Encoding(Protocol):
    """The parameters of `TableBinarizer` that determine the possible tests."""

    encoding: str
    max_categories: int
    max_subset_levels: int


class ColumnData(NamedTuple):
    """The values of a column, NaN where missing, and the weights of their rows."""

    values: npt.NDArray[np.float64]
    distinct: npt.NDArray[np.float64]  # non-missing values, increasing
    weight: npt.NDArray[Any]


def possible_tests(
    limits: Encoding,
    index: int,
    column: Column,
    thresholds: npt.NDArray[np.float64],
    data: ColumnData,
) -> list[Predicate]:
    """Return the tests of one column with distinct results on its values."""
    # First, so that the search prefers this simple test among equally good ones.
    tests = [Predicate(index, missing=True)] if column.has_missing else []
    if column.kind == "category":
        tests += _about_category(limits, index, column, data.values, data.weight)
    elif limits.encoding == "intervals" and column.kind != "boolean":
        tests += _about_intervals(index, column, thresholds.tolist())
    else:
        tests += [
            Predicate(index, threshold, missing=missing)
            for threshold in thresholds.tolist()
            for missing in ((True, False) if column.has_missing else (None,))
        ]
    are_thresholds = column.kind != "category" and limits.encoding == "thresholds"
    is_constant = data.distinct.size < 2  # a boolean has a threshold even then
    if are_thresholds and not column.has_missing and not is_constant:
        return tests  # never equal or complementary
    missing = [np.nan] if column.has_missing else []
    return distinct(tests, np.append(data.distinct, missing))


def distinct(
    tests: Sequence[Predicate], values: npt.NDArray[np.float64]
) -> list[Predicate]:
    """Return tests without constant, repeated and complementary ones."""
    seen: set[bytes] = set()
    kept = []
    for test in tests:
        holds = test.holds(values)
        key = np.packbits(holds ^ holds[:1]).tobytes()
        if any(key) and key not in seen:
            seen.add(key)
            kept.append(test)
    return kept


def _about_intervals(
    index: int, column: Column, thresholds: Sequence[float]
) -> list[Predicate]:
    """Return a test for each interval between neighbouring thresholds.

    The interval above the last threshold is tested by its complement, so that every
    interval has an upper limit.
    """
    if not thresholds:
        return []
    outside, inside = (True, False) if column.has_missing else (None, None)
    return [
        Predicate(index, thresholds[0], missing=inside),
        *(Predicate(index, b, a, missing=inside) for a, b in pairwise(thresholds)),
        Predicate(index, thresholds[-1], missing=outside),
    ]


def _about_category(
    limits: Encoding,
    index: int,
    column: Column,
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[Any],
) -> list[Predicate]:
    known = values[~np.isnan(values)].astype(np.int64)
    heaviness = np.bincount(
        known, weights=weight[~np.isnan(values)], minlength=len(column.categories)
    )
    codes = sorted(
        np.flatnonzero(heaviness).tolist(), key=lambda code: (heaviness[code], -code)
    )
    missing = False if column.has_missing else None
    if len(codes) + column.has_missing <= limits.max_subset_levels:
        return _about_subsets(index, codes, missing)
    return [
        Predicate(index, members=(code,), missing=missing)
        for code in sorted(codes[-limits.max_categories :])
    ]


def _about_subsets(
    index: int, codes: list[int], missing: bool | None
) -> list[Predicate]:
    """Return a test for each subset up to half of the categories, rare ones first.

    Unknown categories are in no subset, so they go with the larger part.
    """
    levels: list[int | None] = [*codes] if missing is None else [*codes, None]
    tests = []
    for size in range(1, len(levels) // 2 + 1):
        for chosen in combinations(levels, size):
            members = tuple(sorted(code for code in chosen if code is not None))
            with_missing = True if None in chosen else missing
            if members:
                tests.append(Predicate(index, members=members, missing=with_missing))
    return tests
