"""Regression by absolute error: each target that occurs is a label for the core.

The best prediction of a leaf is a median, and some median is a target of the data. So
the problem is one of labels, where calling a row of target t the label v costs
``w * |t - v|``; it is exact, and takes as much longer as there are distinct targets.
"""

from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._fixed_point import MAX_EXACT, sums_by, whole_numbers
from murtree._problem import (
    Prices,
    RealTargets,
    check_recount,
    exact_units,
    nearest_units,
    total_cost,
    totals,
    whole_prices,
)
from murtree._tree import Tree
from murtree._units import Measure

MAX_COSTS = 2**25  # of rows times distinct targets: 256 MB
MAX_PAIRS = 2**27  # of distinct targets times pairs of columns: 1 GB for each level


class Medians(RealTargets):
    """Rows with real targets, leaves that predict a median."""

    kind = "costs"

    def __init__(
        self,
        bits: npt.NDArray[np.uint8],
        targets: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
        prices: Prices,
    ) -> None:
        super().__init__(bits, targets, weight, prices)
        labels = np.unique(self._targets)
        _check_room(self.n_rows, labels.size, self.n_features)
        self._costs, unit, self._is_exact = self._to_fixed_point(labels)
        self._unit = unit * Fraction(2) ** self._exponent
        self._most = int(self._costs.max(axis=1).sum())
        self._whole_prices = whole_prices(prices, self._unit, self._most)
        leaf = {
            "feature": np.array([-2], dtype=np.int32),
            "children_left": np.array([-1], dtype=np.int32),
            "children_right": np.array([-1], dtype=np.int32),
        }
        _, self._root = self.filled(leaf)

    def _to_fixed_point(
        self, labels: npt.NDArray[np.float64]
    ) -> tuple[npt.NDArray[np.int64], Fraction, bool]:
        """Return the cost of each row and label in units, the unit, if it is exact."""
        target = whole_numbers(self._targets - labels[0], MAX_EXACT)
        weight = whole_numbers(self._weight, MAX_EXACT)
        if target is not None and weight is not None:
            places = np.unique(target.numbers)
            most = int(places[-1]) * int(weight.numbers.sum())
            if places.size == labels.size and most <= MAX_EXACT:
                apart = np.abs(target.numbers[:, np.newaxis] - places)
                exact = exact_units(apart * weight.numbers[:, np.newaxis])
                if exact is not None:
                    costs, shift = exact
                    is_exact = target.is_exact and weight.is_exact
                    return costs, target.unit * weight.unit / 2**shift, is_exact
        reals = np.abs(self._targets[:, np.newaxis] - labels)
        costs, shift = nearest_units(reals * self._weight[:, np.newaxis])
        return costs, Fraction(2) ** -shift, False

    def arguments(self) -> dict[str, Any]:
        """Return rows with a cost for each label, and the costs of features."""
        costs, self._costs = self._costs, np.empty((0, 0), dtype=np.int64)
        return {"X": self._bits, "costs": costs, "feature_costs": self._whole_prices}

    def measure(self, leaf_cost: int) -> Measure:  # noqa: ARG002
        """Return the unit of costs; a penalty is a fraction of a lone leaf's error."""
        return Measure(
            unit=self._unit,
            total=self._root,
            most=self._most,
            is_counted=False,
            is_exact=self._is_exact,
        )

    def recount(self, told: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree with the median target and the weight of each node."""
        tree, objective = self.filled(told)
        rounded = tree.n_nodes + (1 if self._is_exact else self.n_rows + tree.n_leaves)
        tolerance = rounded + 2**-40 * self._most
        check_recount(float(Fraction(objective) / self._unit), told["cost"], tolerance)
        return tree, objective

    def filled(self, told: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values on the data, and its objective."""
        size = told["feature"].size
        bare = Tree(**self.shape(told), value=np.zeros((size, 1)))
        leaves = bare.apply(self._bits)
        weight = totals(bare, sums_by(leaves, self._weight, size))
        median = self._medians(bare, leaves)
        apart = self._weight * np.abs(self._targets - median[leaves])
        with np.errstate(over="ignore", under="ignore"):
            errors = np.ldexp(sums_by(leaves, apart, size), self._exponent)
            value = np.ldexp(median, self._exponent)
        if not np.isfinite(errors).all():
            raise ValueError(
                "The sum of absolute errors of y must be a finite number in float64. "
                "Got targets too far apart: divide them by a power of ten."
            )
        tree = Tree(**self.shape(told), value=value[:, np.newaxis], weight=weight)
        return tree, total_cost(tree, errors, self._prices)

    def _medians(
        self, tree: Tree, leaves: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.float64]:
        """Return the weighted median of the scaled targets of each node."""
        rows: dict[int, npt.NDArray[np.int64]] = {}
        medians = np.zeros(tree.feature.size)
        for node in range(tree.feature.size - 1, -1, -1):  # children before parents
            if tree.feature[node] < 0:
                rows[node] = np.flatnonzero(leaves == node)
            else:
                left, right = tree.children_left[node], tree.children_right[node]
                rows[node] = np.concatenate([rows.pop(int(left)), rows.pop(int(right))])
            own = rows[node]
            medians[node] = weighted_median(self._targets[own], self._weight[own])
        return medians


def weighted_median(
    targets: npt.NDArray[np.float64], weight: npt.NDArray[Any]
) -> float:
    """Return the middle target by weight; half way where two are in the middle."""
    order = np.argsort(targets, kind="stable")
    below = np.cumsum(weight[order])
    middle = int(np.searchsorted(below, below[-1] / 2))
    target = targets[order[middle]]
    if below[middle] == below[-1] / 2 and middle + 1 < order.size:
        target = target + (targets[order[middle + 1]] - target) / 2
    return float(target)


def _check_room(n_rows: int, n_labels: int, n_features: int) -> None:
    pairs = (-(-n_features // 32) * 32) ** 2
    if n_rows * n_labels > MAX_COSTS or n_labels * pairs > MAX_PAIRS:
        most = min(MAX_COSTS // n_rows, MAX_PAIRS // pairs)
        raise ValueError(
            f"With {n_rows} rows and {n_features} boolean columns y must have at most "
            f"{most} distinct values for the absolute error. Got {n_labels} instead: "
            "round the targets, or take fewer thresholds."
        )
