"""The user's objective in the core's whole numbers, and back.

The core minimises ``price_of_error * misclassified + price_of_node * nodes`` in
integers. A real penalty is a fixed-point number: an error is worth S units (`scale`, a
power of two) and a node ``floor(cost_complexity * total weight * S)``. Rounded down, a
cost in units never exceeds the true one, so lower bounds stay valid; an optimum in
units is one to within 1/S of an error for each of its nodes.

For the fewest nodes among the best trees everything is multiplied by M (`spread`), a
power of two greater than any useful number of nodes, and a node costs one unit more.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

# Costs up to MANY leave room for sums in the core; the scale is the largest that keeps
# them below FEW, where they are cheap to store, but never coarser than LEAST_SCALE.
_FEW, _MANY = 2**30, 2**47
_LEAST_SCALE = 2**10


@dataclass(frozen=True)
class Units:
    """One unit system: the prices of a question, and conversion in both directions."""

    total_weight: int
    cost_complexity: float
    scale: int
    spread: int
    price_of_node: int

    @property
    def price_of_error(self) -> int:
        """What a misclassified weight of one costs."""
        return self.scale * self.spread

    @property
    def has_penalty(self) -> bool:
        """Whether objectives are real numbers."""
        return self.cost_complexity > 0

    def objective(self, misclassified: float, n_nodes: int) -> float:
        """Return the objective of a tree; an int without a penalty."""
        if not self.has_penalty:
            return misclassified
        return misclassified + self.cost_complexity * (self.total_weight * n_nodes)

    def lower_bound(self, cost: int) -> float:
        """Return a bound on the core's costs as one on objectives."""
        whole = cost // self.spread
        return whole / self.scale if self.has_penalty else whole

    def upper_bound(self, objective: float) -> int:
        """Return the largest cost of a tree with at most this objective."""
        largest = math.floor(Fraction(min(objective, self.total_weight)) * self.scale)
        return largest * self.spread + self.spread - 1

    def useful_nodes(self, avoidable: int) -> int | None:
        """Return the most nodes that can pay if a leaf has so many avoidable errors.

        None: a node costs nothing.
        """
        if self.price_of_node == 0:
            return None
        return max(avoidable * self.price_of_error - 1, 0) // self.price_of_node


def choose_units(
    total_weight: int, cost_complexity: float, most_nodes: int | None
) -> Units:
    """Return the finest units that fit.

    `most_nodes` is the greatest number of nodes that a tree may have use for, if the
    fewest nodes are wanted; otherwise None.
    """
    spread = 1 if most_nodes is None else 1 << most_nodes.bit_length()
    scale = 1
    if cost_complexity > 0:
        room = _FEW // (total_weight * spread)
        scale = max(_LEAST_SCALE, 1 << max(room.bit_length() - 1, 0))
    if spread * scale > 1 and total_weight * scale * spread > _MANY:
        raise ValueError(
            "The sum of sample_weight must be at most "
            f"{_MANY // (scale * spread)} with this 'cost_complexity' and "
            f"'fewest_nodes'. Got {total_weight} instead."
        )
    # A node that costs all the weight never pays: a higher price changes nothing.
    exact = Fraction(min(cost_complexity, 1.0)) * total_weight * scale
    tie = 0 if most_nodes is None else 1
    price_of_node = math.floor(exact) * spread + tie
    return Units(total_weight, cost_complexity, scale, spread, price_of_node)
