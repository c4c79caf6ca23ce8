"""All tests of a table, created when they are needed.

A table of full-precision numbers has nearly as many thresholds as cells. A search over
ranks needs only their number; a tree needs a few of them.
"""

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple, overload

import numpy as np
import numpy.typing as npt

from murtree._table.predicates import Predicate
from murtree._table.ranked_rows import RankedRows, ranked_rows
from murtree._table.thresholds.between import Floats, between
from murtree._table.thresholds.ranks import ranks_among


def searched(values: Floats, levels: Floats) -> npt.NDArray[np.intp]:
    """Return the number of levels below each value."""
    return np.searchsorted(levels, values)


class Gaps(NamedTuple):
    """The tests of a column of numbers: one threshold between neighbouring values."""

    column: int
    levels: Floats  # distinct values, increasing

    def tests(self, places: npt.NDArray[np.intp]) -> list[Predicate]:
        """Return the tests of the gaps with these numbers."""
        limits = between(self.levels[places], self.levels[places + 1])
        return [Predicate(self.column, limit) for limit in limits.tolist()]

    @property
    def thresholds(self) -> Floats:
        """The thresholds of all tests."""
        return between(self.levels[:-1], self.levels[1:])


Part = Gaps | tuple[Predicate, ...]


class EveryTest(Sequence[Predicate]):
    """The tests of all columns, in order; each part has those of one column."""

    def __init__(self, parts: Iterable[Part]) -> None:
        self.parts = tuple(parts)
        sizes = (
            max(part.levels.size - 1, 0) if isinstance(part, Gaps) else len(part)
            for part in self.parts
        )
        self._starts = [0, *accumulate(sizes)]

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
            if isinstance(part, Gaps):
                yield from part.tests(np.arange(max(part.levels.size - 1, 0)))
            else:
                yield from part

    def some(self, indices: Iterable[int]) -> dict[int, Predicate]:
        """Return the tests with these indices."""
        by_part: dict[int, list[int]] = {}
        for index in sorted(set(indices)):
            by_part.setdefault(bisect_right(self._starts, index) - 1, []).append(index)
        found: dict[int, Predicate] = {}
        for k, wanted in by_part.items():
            part, places = self.parts[k], np.array(wanted) - self._starts[k]
            if isinstance(part, Gaps):
                tests = part.tests(places)
            else:
                tests = [part[place] for place in places.tolist()]
            found.update(zip(wanted, tests, strict=True))
        return found

    def ranked(self, codes: npt.NDArray[np.float64], *, has_others: bool) -> RankedRows:
        """Return the ranks of rows among the tests, from the codes of a table.

        `has_others` tells whether rows without weight may have other values.
        """
        ranks, tests, widths = [], [], []
        for part, start in zip(self.parts, self._starts, strict=False):
            if isinstance(part, Gaps):
                values = codes[:, part.column]
                find = searched if has_others else ranks_among
                ranks.append([find(values, part.levels).astype(np.uint32)])
                tests.append(np.arange(start, start + max(part.levels.size - 1, 0)))
                with np.errstate(over="ignore"):  # infinity is the widest gap
                    widths.append(np.diff(part.levels))
            elif part:
                rows = ranked_rows(part, codes)
                ranks.append(list(rows.ranks))
                tests += [group + start for group in rows.tests]
                widths += rows.widths
        stacked = [row for group in ranks for row in group]
        shape = (0, codes.shape[0])
        return RankedRows(
            np.array(stacked) if stacked else np.empty(shape, np.uint32),
            tuple(tests),
            tuple(widths),
        )
