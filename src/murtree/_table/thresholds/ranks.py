"""Ranks of the values of a table among the distinct values of their columns."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats

Ranks = npt.NDArray[np.int32]
MISSING = -1  # the rank of a missing value


class Ranked(NamedTuple):
    """A table of ranks: each value as its index among the distinct ones."""

    ranks: Ranks  # stored by column, which is the order of all accesses
    weights: list[Floats]  # of each distinct value, by column


def ranked(table: list[Floats], distinct: list[Floats], weight: Any) -> Ranked:
    """Replace values by their index among the distinct values of their column."""
    shape = (table[0].size, len(table))
    ranks = np.empty(shape, dtype=np.int32, order="F")
    weights = []
    for index, numbers in enumerate(distinct):
        ranks[:, index] = found = ranks_among(table[index], numbers)
        weights.append(sums_by_cell(found + 1, weight, numbers.size + 1)[1:])
    return Ranked(ranks, weights)


def ranks_among(values: Floats, distinct: Floats) -> Ranks:
    """Return the index of each value among the distinct ones, or `MISSING`.

    Usually a function that increases with the values, a scaled difference rounded down,
    maps distinct values to distinct cells of a small table: as with integers and short
    decimals. The table then has the ranks, without sorting the rows.
    """
    is_missing = np.isnan(values)
    if distinct.size < 2:
        return np.where(is_missing, np.int32(MISSING), np.int32(0))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = 1.0 / np.diff(distinct).min()
        cells = (distinct - distinct[0]) * scale
    if cells[-1] < 4 * values.size and (np.diff(np.floor(cells)) > 0).all():
        whole = cells.astype(np.intp)
        rank_of = np.full(whole[-1] + 2, MISSING, dtype=np.int32)
        rank_of[whole] = np.arange(distinct.size)
        of_rows = np.where(is_missing, whole[-1] + 1.0, (values - distinct[0]) * scale)
        ranks: Ranks = rank_of[of_rows.astype(np.intp)]
        return ranks
    order = np.argsort(values)[: values.size - np.count_nonzero(is_missing)]  # NaN last
    ordered = values[order]
    ranks = np.full(values.size, MISSING, dtype=np.int32)
    ranks[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return ranks


def sums_by_cell(
    cells: npt.NDArray[Any], weight: npt.NDArray[Any], size: int
) -> Floats:
    """Return the sum of the weights in each cell, for one or more columns of cells."""
    weights = np.broadcast_to(weight, cells.shape).ravel()
    return np.bincount(cells.ravel(), weights, size).astype(np.float64)
