"""Entropy-based thresholds by the minimum description length principle.

U. M. Fayyad and K. B. Irani, "Multi-Interval Discretization of Continuous-Valued
Attributes for Classification Learning", IJCAI 1993. The best cut of a set of rows is
the one with the lowest class entropy. It is accepted if it saves more bits than its
description takes, and then both parts are cut recursively.

The MurTree paper used R's package "discretization", which also accepts a cut that saves
exactly its cost. So it cuts an interval of two different values of the same class.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats, between, distinguishable

# Entropies (in bits) closer than this count as equal. Rounding errors, which depend on
# the order of the classes, are far smaller.
_TIE = 1e-12
_LEAST = float(np.finfo(np.float64).tiny)


class _Blocks(NamedTuple):
    """Groups of neighbouring values that no best cut separates."""

    first: Floats  # the smallest value of each block
    last: Floats  # the greatest value of each block
    counts: Floats  # the weight of each class (row) in each block (column)


def mdlp(values: Floats, weight: npt.NDArray[Any], codes: npt.NDArray[Any]) -> Floats:
    """Return the cut points of Fayyad and Irani, midway between neighbouring values.

    Among equally good cuts the lowest one is used.

    Parameters
    ----------
    values : ndarray of float64 of shape (n_samples,)
        The column, without NaN.
    weight : ndarray of shape (n_samples,)
        Positive weights; a weight of k counts as k copies of the row.
    codes : ndarray of int of shape (n_samples,)
        The class of each row, starting at 0.

    Returns
    -------
    cuts : ndarray of float64
        The cut points, increasing.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.mdlp import mdlp
    >>> codes = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    >>> mdlp(np.arange(8.0), np.ones(8), codes)
    array([3.5])
    """
    if not values.size:
        return np.empty(0)
    blocks = _blocks(distinguishable(values), weight, codes)
    cuts = []
    pending = [(0, blocks.counts.shape[1])]  # a stack: recursion could get too deep
    while pending:
        start, end = pending.pop()
        cut = _accepted_cut(blocks.counts[:, start:end])
        if cut is not None:
            cuts.append(start + cut)
            pending += [(start, start + cut), (start + cut, end)]
    positions = np.array(sorted(cuts), dtype=np.intp)
    return between(blocks.last[positions - 1], blocks.first[positions])


def _blocks(
    values: Floats, weight: npt.NDArray[Any], codes: npt.NDArray[Any]
) -> _Blocks:
    """Join neighbouring values whose rows all have the same class.

    By Fayyad and Irani's theorem no cut between them has the lowest entropy.
    """
    order = np.argsort(values, kind="stable")
    values, weight = values[order], weight[order]
    _, codes = np.unique(codes[order], return_inverse=True)
    starts = np.flatnonzero(np.append(True, values[1:] != values[:-1]))
    lowest = np.minimum.reduceat(codes, starts)
    highest = np.maximum.reduceat(codes, starts)
    is_joined = np.append(
        False, (lowest[1:] == highest[:-1]) & (lowest[:-1] == highest[1:])
    )
    starts = starts[~is_joined]
    ends = np.append(starts[1:], values.size)
    block = np.repeat(np.arange(starts.size), ends - starts)
    n_classes = int(codes.max()) + 1
    counts = np.zeros((n_classes, starts.size))
    np.add.at(counts, (codes, block), weight)
    return _Blocks(values[starts], values[ends - 1], counts)


def _accepted_cut(counts: Floats) -> int | None:
    """Return the number of blocks left of the best cut, or None if it is rejected."""
    if counts.shape[1] < 2:
        return None
    counts = counts[counts.any(axis=1)]
    left = np.cumsum(counts[:, :-1], axis=1)
    right = np.cumsum(counts[:, :0:-1], axis=1)[:, ::-1]  # never negative
    entropy = (_bits(left) + _bits(right)) / counts.sum()
    cut = int(np.argmax(entropy <= entropy.min() + _TIE)) + 1
    parts = [counts.sum(axis=1), left[:, cut - 1], right[:, cut - 1]]
    return cut if _is_worth_it(*parts) else None


def _is_worth_it(both: Floats, left: Floats, right: Floats) -> bool:
    """Return whether a cut saves more bits than its description takes.

    The description names one of N - 1 cuts (no bits for a total weight of at most 2)
    and the classes of both parts instead of those of the whole.
    """
    weight = both.sum()
    k, k_left, k_right = ((part > 0).sum() for part in (both, left, right))
    bits, bits_left, bits_right = (float(_bits(part)) for part in (both, left, right))
    # log2(3**k - 2), for any k
    classes = k * math.log2(3) + math.log1p(-2 * 3.0**-k) / math.log(2)
    classes -= k * bits / weight
    classes += k_left * bits_left / left.sum() + k_right * bits_right / right.sum()
    cost = math.log2(max(weight - 1, 1)) + classes
    return bool((bits - bits_left - bits_right - cost) / weight > _TIE)


def _bits(counts: Floats) -> Floats:
    """Return the entropy of class counts times their sum, along the first axis."""
    total = counts.sum(axis=0)
    # Zero counts contribute 0 * log2(tiny) = 0 instead of NaN.
    bits: Floats = total * np.log2(total) - (
        counts * np.log2(np.maximum(counts, _LEAST))
    ).sum(axis=0)
    return bits
