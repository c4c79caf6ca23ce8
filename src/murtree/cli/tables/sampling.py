"""Which rows a uniform sample takes, told while they pass by once."""

import math
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt


def picks(size: int, random_state: int) -> Iterator[tuple[int, int]]:
    """Yield (row, slot): at each of these rows, `slot` of the reservoir takes it.

    Stopped after any number of rows, the slots hold a uniform sample of those that
    passed. It draws how many rows to skip (Li, 1994, algorithm L), so that rows which
    are not taken cost nothing.

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
        if log_rest == 0.0:  # no file has so many rows
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
    """Return the rows, in order, that a sample of known many rows takes.

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
