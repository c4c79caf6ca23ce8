"""Regression by absolute error: each distinct target is a label for the core.

The best prediction of a leaf is a median, and some median is a target of the data. The
problem is therefore a classification problem in which predicting v for a row with
target t costs ``w * |t - v|``. It is exact; time grows with the number of targets.
"""

import math
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._input.fixed_point import (
    FINE_DECIMALS,
    MAX_EXACT,
    FixedPoint,
    by_decimals,
    nearest_float,
    sums_by,
    whole_numbers,
)
from murtree._solver.objectives.problem import (
    RealTargets,
    check_recount,
    exact_tree_price,
    exact_units,
    leaves_of,
    nearest_units,
    total_cost,
    totals,
    whole_prices,
)
from murtree._solver.units import Measure
from murtree._tree.tree import Tree

MAX_COSTS = 2**25  # rows times distinct targets: 256 MB
MAX_PAIRS = 2**27  # distinct targets times pairs of columns: 1 GB per level
# Limits for pairs that are summed in strips, so that a strip takes 0.1 s: distinct
# targets times columns (8 MB), and the same times rows.
MAX_SUMS, MAX_STEPS = 2**20, 2**30


class _WholeNumbers(NamedTuple):
    """Targets and weights as integers; errors are multiples of the unit."""

    labels: npt.NDArray[np.int64]  # the distinct targets minus their minimum
    weight: npt.NDArray[np.int64]  # of each row
    unit: Fraction
    is_exact: bool


class Medians(RealTargets):
    """Rows with real targets; leaves predict a median."""

    kind = "costs"

    def _to_fixed_point(self) -> None:
        self._labels, self._codes = np.unique(self._targets, return_inverse=True)
        _check_room(self.n_rows, self._labels.size, self.n_features)
        self._whole = self._in_whole_numbers()
        costs, self._unit = self._costs()
        self._most = int(costs.max(axis=1).sum())
        self.data |= {
            "costs": costs,
            "feature_costs": whole_prices(self._prices, self._unit, self._most),
        }
        leaf = {
            "feature": np.array([-2], dtype=np.int32),
            "children_left": np.array([-1], dtype=np.int32),
            "children_right": np.array([-1], dtype=np.int32),
        }
        _, self._root = self.filled(leaf)

    def _in_whole_numbers(self) -> _WholeNumbers | None:
        """Return integer labels and weights; None if sums are too large."""
        target = _multiples(self._labels, self._exponent)
        weight = whole_numbers(self._weight, MAX_EXACT)
        if target is None or weight is None:
            return None
        most = int(target.numbers[-1]) * int(weight.numbers.sum())
        if most > MAX_EXACT or not (np.diff(target.numbers) > 0).all():
            return None
        is_exact = target.is_exact and weight.is_exact
        unit = target.unit * weight.unit
        return _WholeNumbers(target.numbers, weight.numbers, unit, is_exact)

    def _costs(self) -> tuple[npt.NDArray[np.int64], Fraction]:
        """Return the cost of each row and label in units, and the unit."""
        whole = self._whole
        if whole is not None:
            apart = np.abs(whole.labels[self._codes][:, np.newaxis] - whole.labels)
            exact = exact_units(apart * whole.weight[:, np.newaxis])
            if exact is not None:
                costs, shift = exact
                return costs, whole.unit / 2**shift
            self._whole = None
        reals = np.abs(self._targets[:, np.newaxis] - self._labels)
        costs, shift = nearest_units(reals * self._weight[:, np.newaxis])
        return costs, Fraction(2) ** (self._exponent - shift)

    @property
    def _is_exact(self) -> bool:
        return self._whole is not None and self._whole.is_exact

    def measure(self, leaf_cost: int) -> Measure:  # noqa: ARG002
        """Return the unit of costs; penalties are fractions of a single leaf's."""
        return Measure(
            unit=self._unit,
            total=self._root,
            most=self._most,
            is_counted=False,
            is_exact=self._is_exact,
        )

    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree with the median target and the weight of each node."""
        tree, objective = self.filled(found)
        rounded = tree.n_nodes + (1 if self._is_exact else self.n_rows + tree.n_leaves)
        tolerance = rounded + 2**-40 * self._most
        check_recount(float(Fraction(objective) / self._unit), found["cost"], tolerance)
        return tree, objective

    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values and its objective."""
        size = found["feature"].size
        bare = Tree._on_bits(found, self, np.zeros((size, 1)))
        leaves = leaves_of(self._bits, bare)
        weight = totals(bare, sums_by(leaves, self._weight, size))
        low, high = self._medians(bare, leaves)
        middle = self._labels[low] + (self._labels[high] - self._labels[low]) / 2
        value = np.ldexp(middle, self._exponent)[:, np.newaxis]
        tree = Tree._on_bits(found, self, value, weight=weight)
        objective = self._objective(tree, leaves, low)
        if not objective < math.inf:
            raise ValueError(
                "The sum of absolute errors of y must be a finite number in float64. "
                "Got targets too far apart: divide them by a power of ten."
            )
        return tree, objective

    def _objective(
        self, tree: Tree, leaves: npt.NDArray[np.int64], median: npt.NDArray[np.int64]
    ) -> float:
        """Return the error of a tree whose nodes predict these labels."""
        whole, predicted = self._whole, median[leaves]
        if self._is_exact and whole is not None:
            apart = np.abs(whole.labels[self._codes] - whole.labels[predicted])
            error = int((apart * whole.weight).sum()) * whole.unit
            return nearest_float(error + exact_tree_price(tree, self._prices))
        apart = self._weight * np.abs(self._targets - self._labels[predicted])
        with np.errstate(over="ignore", under="ignore"):
            errors = sums_by(leaves, apart, tree.feature.size)
            return total_cost(tree, np.ldexp(errors, self._exponent), self._prices)

    def _medians(
        self, tree: Tree, leaves: npt.NDArray[np.int64]
    ) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the smallest and the largest label that is a median of each node."""
        weight = self._weight if self._whole is None else self._whole.weight
        rows: dict[int, npt.NDArray[np.int64]] = {}
        medians = np.zeros((tree.feature.size, 2), dtype=np.int64)
        for node in range(tree.feature.size - 1, -1, -1):  # children before parents
            if tree.feature[node] < 0:
                rows[node] = np.flatnonzero(leaves == node)
            else:
                left, right = tree.children_left[node], tree.children_right[node]
                rows[node] = np.concatenate([rows.pop(int(left)), rows.pop(int(right))])
            own = rows[node]
            medians[node] = weighted_medians(self._codes[own], weight[own])
        return medians[:, 0], medians[:, 1]


def weighted_medians(
    codes: npt.NDArray[np.int64], weight: npt.NDArray[Any]
) -> tuple[int, int]:
    """Return the lower and the upper weighted median."""
    order = np.argsort(codes, kind="stable")
    below = np.cumsum(weight[order])
    middle = int(np.searchsorted(below, below[-1] / 2))
    low = high = int(codes[order[middle]])
    if below[middle] == below[-1] / 2 and middle + 1 < order.size:
        high = int(codes[order[middle + 1]])
    return low, high


def _multiples(labels: npt.NDArray[np.float64], exponent: int) -> FixedPoint | None:
    """Return the distance of sorted targets from their minimum, in units.

    The unit is found from the targets as the user wrote them: after scaling, or after
    subtracting the minimum, they could have many more decimals.
    """
    written = np.abs(np.ldexp(labels, exponent))
    decimal = by_decimals(written, MAX_EXACT, FINE_DECIMALS)
    if decimal is None:
        apart, unit = (
            whole_numbers(labels - labels[0], MAX_EXACT),
            Fraction(2) ** exponent,
        )
    else:
        signed = np.where(labels < 0, -decimal.numbers, decimal.numbers)
        apart, unit = whole_numbers(signed - signed[0], MAX_EXACT), decimal.unit
    return None if apart is None else apart._replace(unit=apart.unit * unit)


def _check_room(n_rows: int, n_labels: int, n_features: int) -> None:
    pairs = (-(-n_features // 32) * 32) ** 2
    in_strips = min(MAX_STEPS // n_rows, MAX_SUMS) // n_features
    most = min(MAX_COSTS // n_rows, max(MAX_PAIRS // pairs, in_strips))
    if n_labels > most:
        raise ValueError(
            f"For the absolute error y must have at most {most:,} distinct values with "
            f"{n_rows:,} rows and {n_features:,} boolean columns. Got {n_labels:,} "
            "instead: round the targets, or take fewer thresholds or columns."
        )
