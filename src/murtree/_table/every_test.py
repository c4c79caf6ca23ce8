"""All tests of a table, created when they are needed.

A table of full-precision numbers has nearly as many thresholds as cells. A search over
ranks needs only their number; a tree needs a few of them.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from murtree._table.predicates import Predicate
from murtree._table.ranked_rows import Chain, RankedRows, chains_of
from murtree._table.thresholds.between import Floats
from murtree._table.thresholds.choose import thresholds_between
from murtree._table.thresholds.ranks import ranks_among

Indices = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Gaps:
    """The tests of a column with thresholds: one in each gap between its values.

    If values are missing, the first test is whether one is, and each gap has two tests:
    missing values go left, or right. No two tests are equal or complementary.
    """

    column: int
    kind: str
    levels: Floats  # distinct values, increasing
    has_missing: bool

    @property
    def n_gaps(self) -> int:
        """The number of gaps."""
        return max(self.levels.size - 1, 0)

    @property
    def n_tests(self) -> int:
        """The number of tests."""
        if not self.has_missing:
            return self.n_gaps
        return 2 * self.n_gaps + (self.levels.size > 0)  # else all values are missing

    @property
    def thresholds(self) -> Floats:
        """The thresholds, increasing."""
        return self._thresholds_in(np.arange(self.n_gaps))

    def tests(self, indices: Indices) -> list[Predicate]:
        """Return the tests with these indices."""
        if not self.has_missing:
            limits = self._thresholds_in(indices)
            return [Predicate(self.column, limit) for limit in limits.tolist()]
        gaps, limits = (indices - 1) // 2, np.full(indices.size, -np.inf)
        limits[gaps >= 0] = self._thresholds_in(gaps[gaps >= 0])
        goes_left = (indices % 2 == 1) | (gaps < 0)
        return [
            Predicate(self.column, limit, missing=missing)
            for limit, missing in zip(limits.tolist(), goes_left.tolist(), strict=True)
        ]

    def chains(self, codes: Floats, find: "FindRanks") -> Iterator[Chain]:
        """Yield the chains of the tests; `find` returns the ranks of values."""
        values, gaps = codes[:, self.column], np.arange(self.n_gaps)
        is_missing = np.isnan(values) if self.has_missing else None
        if is_missing is not None and self.n_tests:
            yield Chain(~is_missing, np.zeros(1, dtype=np.intp), np.zeros(1))
        if not self.n_gaps:
            return
        ranks = find(self, values)
        with np.errstate(over="ignore"):  # infinity is the widest gap
            widths = np.diff(self.levels)
        if is_missing is None:
            yield Chain(ranks, gaps, widths)
            return
        for first, rank in ((1, 0), (2, self.n_gaps)):
            yield Chain(np.where(is_missing, rank, ranks), 2 * gaps + first, widths)

    def _thresholds_in(self, gaps: Indices) -> Floats:
        return thresholds_between(self.kind, self.levels[gaps], self.levels[gaps + 1])


@dataclass(frozen=True, eq=False)
class Listed:
    """The tests of a column of categories or booleans."""

    every: Sequence[Predicate]

    @property
    def n_tests(self) -> int:
        """The number of tests."""
        return len(self.every)

    @property
    def thresholds(self) -> Floats:
        """The thresholds, increasing."""
        return np.unique([test.threshold for test in self.every if test.is_threshold])

    def tests(self, indices: Indices) -> list[Predicate]:
        """Return the tests with these indices."""
        return [self.every[index] for index in indices.tolist()]

    def chains(self, codes: Floats, find: "FindRanks") -> Iterator[Chain]:  # noqa: ARG002
        """Yield the chains of the tests."""
        return chains_of(self.every, codes)


class EveryTest(Sequence[Predicate]):
    """The tests of all columns, in order; each part has those of one column."""

    def __init__(self, parts: Iterable[Gaps | Listed]) -> None:
        self.parts = tuple(parts)
        self._starts = [0, *accumulate(part.n_tests for part in self.parts)]

    def __len__(self) -> int:
        return self._starts[-1]

    @overload
    def __getitem__(self, index: int) -> Predicate: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Predicate]: ...
    def __getitem__(self, index: int | slice) -> Predicate | Sequence[Predicate]:
        if isinstance(index, slice):
            return tuple(self)[index]
        return self.some([range(len(self))[index]])[index % len(self)]

    def __iter__(self) -> Iterator[Predicate]:
        for part in self.parts:
            yield from part.tests(np.arange(part.n_tests))

    def some(self, indices: Iterable[int]) -> dict[int, Predicate]:
        """Return the tests with these indices."""
        by_part: dict[int, list[int]] = {}
        for index in sorted(set(indices)):
            by_part.setdefault(bisect_right(self._starts, index) - 1, []).append(index)
        found: dict[int, Predicate] = {}
        for k, wanted in by_part.items():
            tests = self.parts[k].tests(np.array(wanted) - self._starts[k])
            found.update(zip(wanted, tests, strict=True))
        return found

    def ranked(self, codes: Floats, *, has_others: bool) -> RankedRows:
        """Return the ranks of training rows among the tests, from the codes of a table.

        `has_others` tells whether rows without weight may have other values. Those have
        any rank: they take no part in a search.
        """
        return self._ranked(codes, _by_level if has_others else _of_levels)

    def ranked_others(self, codes: Floats) -> RankedRows:
        """Return the ranks of rows that are not training rows.

        Their values may lie in a gap, on either side of the threshold in it. This needs
        all thresholds, which takes longer.
        """
        return self._ranked(codes, _by_threshold)

    def _ranked(self, codes: Floats, find: "FindRanks") -> RankedRows:
        return RankedRows.of_chains(
            codes.shape[0],
            (
                chain.after(start)
                for part, start in zip(self.parts, self._starts, strict=False)
                for chain in part.chains(codes, find)
            ),
        )


FindRanks = Callable[[Gaps, Floats], npt.NDArray[Any]]


def _of_levels(gaps: Gaps, values: Floats) -> npt.NDArray[Any]:
    """Return the ranks of values that are all levels or missing."""
    return ranks_among(values, gaps.levels)


def _by_level(gaps: Gaps, values: Floats) -> npt.NDArray[Any]:
    """Return the number of levels below each value: the rank if it is a level."""
    return np.searchsorted(gaps.levels, values)


def _by_threshold(gaps: Gaps, values: Floats) -> npt.NDArray[Any]:
    """Return the ranks of any values; missing ones are above all thresholds."""
    return np.searchsorted(gaps.thresholds, values)
