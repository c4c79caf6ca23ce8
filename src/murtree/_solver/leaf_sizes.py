"""The least sizes of a leaf: the fewest rows, and the least share of all weight.

As in scikit-learn, a leaf must weigh at least the share times the total, a product in
floating point. Weights are whole numbers of a common unit here, so that their sums are
exact: of whole weights the limit is scikit-learn's to the last bit.
"""

import math
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt

from murtree._input.whole_numbers import MAX_EXACT, rounded


class LeafWeights(NamedTuple):
    """Weights of rows in whole units, and the total that a leaf has a share of."""

    numbers: npt.NDArray[np.int64]
    total: int

    @classmethod
    def of(cls, weight: npt.NDArray[np.generic]) -> Self:
        """Return weights in the unit that they have in common, or nearly exactly."""
        numbers = rounded(weight, MAX_EXACT).numbers
        return cls(numbers, int(numbers.sum()))

    def least(self, share: float) -> int:
        """Return the least weight of a leaf that has a share of the total."""
        return math.ceil(share * self.total)


class LeastSizes(NamedTuple):
    """The least sizes of a leaf, as the core takes them."""

    n_rows: int
    weight: int = 0  # in units; 0: any will do, and no row needs a weight
    weights: npt.NDArray[np.int64] = np.empty(0, dtype=np.int64)


def least_sizes(n_rows: int, share: float, weights: LeafWeights) -> LeastSizes:
    """Return both limits in the form that is cheapest for the core.

    Rows that all weigh the same are as good as their number.
    """
    least, numbers = weights.least(share), weights.numbers
    present = numbers[numbers > 0]
    lightest = int(present.min(initial=MAX_EXACT))
    if least <= lightest:
        return LeastSizes(n_rows)
    if (present == lightest).all():
        return LeastSizes(max(n_rows, -(-least // lightest)))
    return LeastSizes(n_rows, least, numbers)
