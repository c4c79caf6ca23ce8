"""Uniform random samples of rows, in one pass."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


def picks(size: int, random_state: int) -> Iterator[tuple[int, int]]:
    """Yield (row, slot): the row goes to this slot of the reservoir.

    After any number of rows, the slots hold a uniform sample of the rows so far. The
    number of rows to skip is drawn (Li, 1994, algorithm L), so that skipped rows cost
    nothing.

    Examples
    --------
    >>> from itertools import islice
    >>> list(islice(picks(3, 0), 3))
    [(0, 0), (1, 1), (2, 2)]
    """
    yield from ((row, row) for row in range(size))
    rng = np.random.default_rng(random_state)
    row = size - 1
    log_weight = 0.0
    while True:
        log_weight += math.log1p(-rng.random()) / size
        log_rest = _log_rest(log_weight)
        if log_rest == 0.0:  # beyond the rows of any file
            return
        row += math.floor(math.log1p(-rng.random()) / log_rest) + 1
        yield row, int(rng.integers(size))


def _log_rest(log_weight: float) -> float:
    """Return log(1 - exp(log_weight)), exact at both ends."""
    if log_weight == 0.0:
        return -math.inf
    if log_weight > -math.log(2.0):
        return math.log(-math.expm1(log_weight))
    return math.log1p(-math.exp(log_weight))


def sampled_rows(n_rows: int, size: int, random_state: int) -> npt.NDArray[np.int64]:
    """Return the sorted indices of a sample, given the number of rows.

    Examples
    --------
    >>> sampled_rows(3, 5, 0)
    array([0, 1, 2])
    """
    if size >= n_rows:
        return np.arange(n_rows)
    taken = np.empty(size, dtype=np.int64)
    for row, slot in picks(size, random_state):
        if row >= n_rows:
            break
        taken[slot] = row
    taken.sort()
    return taken
