"""Thresholds that split float32 values as the original threshold splits float64.

scikit-learn's trees cast data to float32, which can make values on different sides of a
threshold equal.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


class Limit(NamedTuple):
    """A threshold for float32 values."""

    value: float
    is_sharp: bool  # whether all known values stay on their side


def as_float32(values: npt.ArrayLike) -> Any:
    """Return values cast to float32, as scikit-learn does."""
    with np.errstate(over="ignore", under="ignore"):
        return np.asarray(values).astype(np.float32)


def ties_in_float32(levels: Sequence[Floats], limits: Sequence[Floats]) -> list[Floats]:
    """Return the values of each column that equal one of its limits in float32.

    The distinct values and the limits of a column must be increasing.
    """
    found = []
    for values, some in zip(levels, limits, strict=True):
        if some.size == 0:
            found.append(some)
            continue
        cast, edges = as_float32(values), as_float32(some)
        after = np.searchsorted(edges, cast).clip(max=edges.size - 1)
        found.append(values[cast == edges[after]])
    return found


def float32_limit(limit: float, values: Floats, *, is_value: bool = False) -> Limit:
    """Return a float32 threshold that splits float32 values as `limit` splits float64.

    The cast preserves order, so only values that become equal to the limit can change
    sides. Without such values, all float32 numbers are on the same side of both. With
    `is_value`, the limit itself may be a value and stays on its side too.
    """
    near = as_float32(limit)
    with np.errstate(over="ignore", under="ignore"):
        below = np.nextafter(near, np.float32(-np.inf))
    ties = values[as_float32(values) == near]
    has_left, has_right = bool((ties <= limit).any()), bool((ties > limit).any())
    if ties.size == 0:
        has_left = is_value or float(near) <= limit
    takes_near = has_left and near < np.inf
    return Limit(float(near if takes_near else below), not (has_left and has_right))
