"""Regression by squared error: real targets in the fixed point of the core.

The squared error of a leaf is ``sum(w * t**2) - sum(w * t)**2 / sum(w)``, which is
accurate for targets t that are centred at their mean. The core adds up ``w * t`` in
fixed point with 51 bits for all rows together, and rounds the second term of each leaf
to a unit, about 2**-36 of the whole.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.fixed_point import finest_shift, rounded, sums_by
from murtree._solver.objectives.problem import (
    MAX_SUM,
    RealTargets,
    check_recount,
    leaves_of,
    total_cost,
    totals,
    whole_prices,
    without,
)
from murtree._solver.units import Measure
from murtree._tree.tree import Tree

MAX_WEIGHT = 2**52  # of all rows, in the core
MOST_OFF = 2**-28  # largest relative rounding error of a weight
MAX_TARGETS = 2**51  # sum of absolute targets; the core allows twice as much
MAX_SQUARES = 2**36  # over all rows, in units, including one per row for rounding up
SLACK = 2  # units: for rounding at the root, and in floating point


class Targets(RealTargets):
    """Rows with real targets: the core adds up centred targets in fixed point."""

    kind = "targets"

    def _to_fixed_point(self) -> None:
        self._root, self._leaf_cost = self._squares_at_root(), 0
        numbers, weight_unit, is_exact = rounded(self._weight, MAX_WEIGHT)
        centred = self._targets - _centre(self._targets, self._weight)
        products = numbers * centred
        shift = finest_shift(np.abs(products), MAX_TARGETS)
        sums = np.rint(np.ldexp(products, shift))
        squares = math.fsum(sums**2 / numbers)
        has_prices = self._prices is not None
        room = MAX_SUM if has_prices else MAX_SQUARES - 2 * self.n_rows - 1024
        per_square = room / squares if squares else 1.0
        self._most = room + self.n_rows
        # The value of one unit of the core, in the user's units.
        user_unit = Fraction(4) ** self._exponent
        self._unit = weight_unit * user_unit / Fraction(4) ** shift
        self._unit /= Fraction(per_square)
        self.data |= {
            "weight": numbers,
            "sum": sums.astype(np.int64),
            "unit": per_square,
            "feature_costs": whole_prices(self._prices, self._unit, self._most),
        }
        # The relative error of an objective is at most that of the weights.
        off = np.abs(self._weight - numbers * float(weight_unit)) / self._weight
        share = 0.0 if is_exact else float(off.max())
        if share > MOST_OFF and self._root > 0.0:
            raise ValueError(
                "sample_weight must not span so many orders of magnitude: the light "
                "rows would be lost to rounding. Got weights from "
                f"{self._weight.min():.3g} to {self._weight.max():.3g}."
            )
        self._lost = Fraction(share) * Fraction(self._root)

    def measure(self, leaf_cost: int) -> Measure:
        """Return the unit of costs, such that a single leaf has its true objective."""
        self._leaf_cost = leaf_cost
        return Measure(
            unit=self._unit,
            total=self._root,
            most=self._most,
            is_counted=False,
            is_exact=False,
            offset=Fraction(self._root) - leaf_cost * self._unit,
            slack=SLACK * self._unit + self._lost,
        )

    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree with the mean target and the weight of each node.

        Tests that reduce the error by rounding only are removed.
        """
        tree, objective = self.filled(found)
        units = (Fraction(objective) - Fraction(self._root)) / self._unit
        lost = float(self._lost / self._unit) + 2**-40 * self._most
        tolerance = tree.n_leaves + tree.n_nodes + SLACK + lost
        check_recount(float(units) + self._leaf_cost, found["cost"], tolerance)
        idle = self._idle_tests(tree)
        return self.filled(without(found, idle)) if idle else (tree, objective)

    def _idle_tests(self, tree: Tree) -> set[int]:
        """Return the nodes whose sides differ by less than the core's resolution."""
        least = SLACK * self._unit
        left, right = tree.children_left, tree.children_right
        idle: set[int] = set()
        for node in np.flatnonzero(tree.feature >= 0)[::-1].tolist():
            sides = int(left[node]), int(right[node])
            if all(tree.feature[side] < 0 or side in idle for side in sides):
                a, b = (tree.weight[side] for side in sides)  # type: ignore[index]
                between = Fraction(tree.value[sides[0], 0] - tree.value[sides[1], 0])
                if Fraction(a * b / (a + b)) * between**2 <= least:
                    idle.add(node)
        return idle

    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values and its objective."""
        size = found["feature"].size
        bare = Tree._on_bits(found, self, np.zeros((size, 1)))
        leaves = leaves_of(self._bits, bare)
        at_leaves = sums_by(leaves, self._weight, size)
        mean, squares = self._means(leaves, at_leaves)
        weight = totals(bare, at_leaves)
        value = np.ldexp(totals(bare, mean * at_leaves) / weight, self._exponent)
        is_leaf = bare.feature < 0
        value[is_leaf] = np.ldexp(mean, self._exponent)[is_leaf]
        tree = Tree._on_bits(found, self, value[:, np.newaxis], weight=weight)
        return tree, total_cost(tree, squares, self._prices)

    def _means(
        self, leaves: npt.NDArray[np.int64], weight: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Return the scaled mean and the squared error of each leaf, in two passes."""
        size, divisor = weight.size, np.where(weight > 0, weight, 1.0)
        mean = sums_by(leaves, self._weight * self._targets, size) / divisor
        rest = self._targets - mean[leaves]
        squares = sums_by(leaves, self._weight * rest**2, size)
        # Correct the rounding error of the mean.
        left = sums_by(leaves, self._weight * rest, size) / divisor
        scaled = np.maximum(squares - left**2 * weight, 0.0)
        with np.errstate(over="ignore", under="ignore"):
            return mean + left, np.ldexp(scaled, 2 * self._exponent)

    def _squares_at_root(self) -> float:
        leaves = np.zeros(self.n_rows, dtype=np.int64)
        _, at_root = self._means(leaves, sums_by(leaves, self._weight, 1))
        squares = float(at_root[0])
        if np.ptp(self._targets) > 0.0 and squares < 2.0**-960:
            raise ValueError(
                "The sum of squared errors of y must be well within float64. Got "
                "targets too close together: multiply them by a power of ten."
            )
        if not squares < math.inf:
            raise ValueError(
                "The sum of squared errors of y must be a finite number in float64. "
                "Got targets too far apart: divide them by a power of ten."
            )
        return squares


def _centre(targets: npt.NDArray[np.float64], weight: npt.NDArray[Any]) -> float:
    """Return the mean, exactly if all targets are equal."""
    if targets.min() == targets.max():
        return float(targets[0])
    return math.fsum(weight * targets) / math.fsum(weight)
