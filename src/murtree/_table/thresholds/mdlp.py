"""Cut points of a numeric column by entropy and the minimum description length.

U. M. Fayyad and K. B. Irani, "Multi-Interval Discretization of Continuous-Valued
Attributes for Classification Learning", IJCAI 1993. The best cut of a set of rows is
the one that leaves the least class entropy. It is made if the bits it saves are more
than the bits that describe it, and then the two parts are cut in the same way.

The paper on MurTree used R's package "discretization", which differs in one thing: it
also makes a cut that saves just what it costs. So it cuts an interval of two different
values, both of one class, where there is nothing to save and nothing to pay.
"""

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats, between, distinguishable

# Entropies (in bits) closer than this are equal: what rounding makes of equal ones is
# far closer, and depends on the order of the classes.
_TIE = 1e-12
_LEAST = float(np.finfo(np.float64).tiny)


class _Blocks(NamedTuple):
    """Neighbouring values, put together as long as no best cut can lie between them."""

    first: Floats  # the least value of each block
    last: Floats  # the greatest value of each block
    counts: Floats  # the weight of each class (row) in each block (column)


def mdlp(values: Floats, weight: npt.NDArray[Any], codes: npt.NDArray[Any]) -> Floats:
    """Return the cut points of Fayyad and Irani, midway between neighbouring values.

    Of equally good cuts the lowest is made.

    Parameters
    ----------
    values : ndarray of float64 of shape (n_samples,)
        The column, without NaN.
    weight : ndarray of shape (n_samples,)
        Positive numbers; a weight of k counts as k copies.
    codes : ndarray of int of shape (n_samples,)
        The class of each row, from 0 on.

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
    pending = [(0, blocks.counts.shape[1])]  # no recursion: a chain of cuts may be long
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
    """Join neighbouring values whose rows are all of one class.

    By Fayyad and Irani's theorem the entropy is least at none of the cuts left out.
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
    """Return how many blocks are left of the best cut; None if it is not worth it."""
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

    The bits name one of N - 1 cuts (none for weights of up to two in all), and the
    classes of both parts instead of those of the whole.
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
    # The least float stands for zero, whose part is zero times a number.
    bits: Floats = total * np.log2(total) - (
        counts * np.log2(np.maximum(counts, _LEAST))
    ).sum(axis=0)
    return bits
