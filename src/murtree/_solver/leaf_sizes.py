"""Minimum leaf sizes: number of rows and fraction of the total weight.

As in scikit-learn, a leaf must weigh at least the fraction times the total, computed in
floating point. Weights are integer multiples of a common unit, so that sums are exact;
for integer weights the limit agrees with scikit-learn to the last bit.
"""

import math
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from murtree._input.fixed_point import MAX_EXACT, rounded


class LeafWeights(NamedTuple):
    """Integer weights of rows, and the total to which leaf fractions refer."""

    numbers: npt.NDArray[np.int64]
    total: int

    @classmethod
    def of(cls, weight: npt.NDArray[np.generic]) -> Self:
        """Return weights as multiples of a common unit, rounded if there is none."""
        numbers = rounded(weight, MAX_EXACT).numbers
        return cls(numbers, int(numbers.sum()))

    def least(self, share: float) -> int:
        """Return the minimum weight of a leaf for a fraction of the total."""
        return math.ceil(share * self.total)


class LeastSizes(NamedTuple):
    """Minimum leaf sizes in the form that the core takes."""

    n_rows: int
    weight: int = 0  # in units; 0: no limit, and `weights` is empty
    weights: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)


def least_sizes(n_rows: int, share: float, weights: LeafWeights) -> LeastSizes:
    """Return both limits in the form that is cheapest for the core.

    If all rows have the same weight, the limit becomes a number of rows.
    """
    least, numbers = weights.least(share), weights.numbers
    present = numbers[numbers > 0]
    lightest = int(present.min(initial=MAX_EXACT))
    if least <= lightest:
        return LeastSizes(n_rows)
    if (present == lightest).all():
        return LeastSizes(max(n_rows, -(-least // lightest)))
    return LeastSizes(n_rows, least, numbers)
