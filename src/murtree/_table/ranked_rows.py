"""Rows described by ranks instead of the results of all tests.

Tests with increasing thresholds of one column are nested: a value that passes one
passes all later ones. Such tests are a *chain*. The rank of a row in a chain is the
number of its tests that the row fails, so it passes a test if its rank is at most the
index of the test in the chain. Ranks take far less memory than a column of booleans for
each test, and the search over all thresholds needs them in this form.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from murtree._table.predicates import Predicate, nested_groups


class Chain(NamedTuple):
    """The tests of a chain, and the ranks of rows in it."""

    ranks: npt.NDArray[Any]
    tests: npt.NDArray[np.intp]  # their indices
    widths: npt.NDArray[np.float64]  # of the gaps of thresholds; 0 for other tests

    def after(self, n_tests: int) -> Self:
        """Return the chain with its tests behind this many other ones."""
        return self._replace(tests=self.tests + n_tests)


@dataclass(frozen=True, eq=False)
class RankedRows:
    """The ranks of rows, and the tests that they stand for."""

    ranks: npt.NDArray[np.uint32]  # chains x rows
    tests: tuple[npt.NDArray[np.intp], ...]  # indices of the tests of each chain
    # Of each chain: the widths of the gaps in which the thresholds are; 0 for others.
    widths: tuple[npt.NDArray[np.float64], ...]

    @classmethod
    def of_chains(cls, n_rows: int, chains: Iterable[Chain]) -> Self:
        """Return the rows with these chains."""
        # One at a time: ranks of another type take up to twice the memory.
        kept = [chain._replace(ranks=chain.ranks.astype(np.uint32)) for chain in chains]
        ranks = np.empty((len(kept), n_rows), dtype=np.uint32)
        for row, chain in zip(ranks, kept, strict=True):
            row[:] = chain.ranks
        tests = tuple(chain.tests for chain in kept)
        return cls(ranks, tests, tuple(chain.widths for chain in kept))

    @property
    def shape(self) -> tuple[int, int]:
        """The number of rows and of tests, as of a table of booleans."""
        return self.ranks.shape[1], sum(chain.size for chain in self.tests)

    @property
    def nbytes(self) -> int:
        """The size of the ranks in bytes."""
        return int(self.ranks.nbytes)

    def __getitem__(self, rows: slice | npt.NDArray[np.bool_]) -> "RankedRows":
        ranks = np.ascontiguousarray(self.ranks[:, rows])
        return RankedRows(ranks, self.tests, self.widths)

    def bits(self, tests: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """Return a column for each of these tests: 1 where a row fails it."""
        chain, index = np.empty((2, self.shape[1]), dtype=np.intp)
        for k, group in enumerate(self.tests):
            chain[group], index[group] = k, np.arange(group.size)
        fails = self.ranks[chain[tests]] > index[tests, np.newaxis]
        return np.asarray(fails.T, dtype=np.uint8)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.bits(np.arange(self.shape[1])).astype(dtype or np.uint8)


def chains_of(
    predicates: Sequence[Predicate], codes: npt.NDArray[np.float64]
) -> Iterator[Chain]:
    """Yield the chains of tests, with the ranks of rows from the codes of a table."""
    for group in nested_groups(predicates):
        ranks: npt.NDArray[Any]
        first = predicates[group[0]]
        values = codes[:, first.column]
        if first.is_threshold:
            thresholds = np.array([predicates[index].threshold for index in group])
            ranks = np.searchsorted(thresholds, values)  # NaN is above all
            if first.missing:
                ranks[np.isnan(values)] = 0
        else:
            ranks = ~first.holds(values)
        yield Chain(ranks, np.array(group), np.zeros(len(group)))
