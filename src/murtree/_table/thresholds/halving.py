"""The order in which boundaries of a column become candidates: by repeated halving."""

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats


def halving_order(weights: Floats, most: int) -> npt.NDArray[np.intp]:
    """Return the first boundaries between distinct values: median, quartiles, octiles.

    A larger `most` only appends boundaries. Each quantile gives the nearest boundary.
    If that is already taken, as next to a very frequent value, the next free quantile
    of the distinct values, regardless of weight, is used instead.

    Parameters
    ----------
    weights : ndarray of float64
        The weight of each distinct value, in increasing order of values.
    most : int
        Maximum number of boundaries.

    Returns
    -------
    boundaries : ndarray of int
        In the order of the quantiles; 0 is between the first two values.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.halving import halving_order
    >>> halving_order(np.ones(8), 7)
    array([3, 1, 5, 0, 4, 2, 6])
    >>> halving_order(np.array([90, 1, 1, 1, 1, 1, 1, 1, 1]), 4)
    array([0, 3, 1, 6])
    """
    n_boundaries = weights.size - 1
    most = min(most, n_boundaries)
    if n_boundaries <= 1:  # fast path for many columns of 0 and 1
        return np.arange(max(most, 0))
    below = np.cumsum(weights, dtype=np.float64)
    by_number = _by_number(n_boundaries, most)
    is_free = np.ones(max(n_boundaries, 0), dtype=np.bool_)
    chosen = by_number[:0]
    shares = np.array([0.5])
    while chosen.size < most:
        near = _nearest(below[:-1], below[-1] * shares)
        near = _first_ones(near[is_free[near]])
        is_free[near] = False
        others = by_number[is_free[by_number]][: shares.size - near.size]
        is_free[others] = False
        chosen = np.concatenate([chosen, near, others])
        shares = _halved(shares)
    return chosen[:most]


def _by_number(n_boundaries: int, most: int) -> npt.NDArray[np.intp]:
    """Return boundaries in the order of quantiles of the distinct values."""
    numbers = np.arange(1.0, n_boundaries + 1)  # of the values below each boundary
    near, shares = [np.empty(0, dtype=np.intp)], np.array([0.5])
    # With twice as many shares as boundaries every boundary has occurred.
    while shares.size <= min(2 * n_boundaries, 8 * most):
        near.append(_nearest(numbers, (n_boundaries + 1) * shares))
        shares = _halved(shares)
    return _first_ones(np.concatenate(near))


def _halved(shares: Floats) -> Floats:
    """Return the shares between all previous ones, alternating between halves."""
    return np.stack([shares / 2, shares / 2 + 0.5], axis=1).ravel()


def _nearest(increasing: Floats, wanted: Floats) -> npt.NDArray[np.intp]:
    """Return the positions in `increasing` that are nearest to the `wanted` numbers."""
    after = np.minimum(np.searchsorted(increasing, wanted), increasing.size - 1)
    before = np.maximum(after - 1, 0)
    is_before = wanted - increasing[before] <= increasing[after] - wanted
    return np.where(is_before, before, after)


def _first_ones(positions: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
    """Return distinct positions, in the order in which they first occur."""
    return positions[np.sort(np.unique(positions, return_index=True)[1])]
