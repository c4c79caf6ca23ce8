"""Impurity of leaves, Gini or log loss, in integer units of the core.

The core adds up integer weights by class and rounds the impurity of each leaf down to a
unit, about 2**-36 of that of all rows in one leaf. In "accuracy_then_gini" an error
costs more units than the impurity of any tree, so that errors are minimised first.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import as_binary
from murtree._input.fixed_point import FixedPoint, rounded, sums_by
from murtree._solver.objectives.classification import Labels, check_room
from murtree._solver.objectives.problem import (
    MAX_SUM,
    Problem,
    SummedRows,
    check_recount,
    leaves_of,
    total_cost,
    totals,
    whole_prices,
    without,
)
from murtree._solver.units import Measure
from murtree._tree.tree import Tree

ERRORS_FIRST = "accuracy_then_gini"
IMPURITIES = ("gini", "log_loss", ERRORS_FIRST)  # objectives that depend on one
MAX_WEIGHT = 2**52  # of all rows, in the core
MOST_OFF = 2**-28  # largest relative rounding error of a weight
MAX_IMPURITY = 2**36 - 2**10  # over all rows, in units
SLACK = 2  # units: for rounding and floating point
# With errors first: the weight of all rows, and costs in units. Nodes cost multiples of
# an error divided by at least STEPS, so that an impurity cannot outweigh a difference;
# of more with few errors, as long as impurities have 2**22 units.
MAX_ERRORS, MAX_UNITS, STEPS, MAX_STEPS = 2**24, 2**42, 2**10, 2**20


def impurity_problem(labels: Labels, objective: str) -> Problem:
    """Return the problem of an objective that depends on an impurity."""
    if objective == ERRORS_FIRST:
        return ErrorsFirst(labels)
    return Impurities(labels, objective)


class ClassWeights(SummedRows):
    """Rows with classes, whose weights the core adds up as integers."""

    kind = "classes"
    _unit: Fraction  # the objective of one unit of the core
    _core_unit: float  # units of the core per impurity, in integer weights

    def __init__(self, labels: Labels, name: str, most_weight: int) -> None:
        super().__init__(as_binary(labels.bits), labels.weight, labels.prices)
        self.classes, self._codes = labels.classes, labels.codes[self._kept]
        self._n_classes = labels.classes.size
        check_room(self.n_rows, self._n_classes)
        self._name = name
        self._whole = rounded(self._weight, most_weight)
        self._one_leaf = np.zeros(self.n_rows, dtype=np.int64)

    def _set_data(self, per_error: int, prices: npt.NDArray[np.int64]) -> None:
        self.data |= {
            "y": self._codes,
            "weight": self._whole.numbers,
            "n_classes": self._n_classes,
            "kind": self._name,
            "unit": self._core_unit,
            "per_error": float(per_error),
            "feature_costs": prices,
        }

    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree with the class weights of each node.

        Tests that reduce the impurity by rounding only are removed.
        """
        tree, objective = self.filled(found)
        self._check(found, tree, objective)
        idle = self._idle_tests(tree)
        return self.filled(without(found, idle)) if idle else (tree, objective)

    def _check(self, found: dict[str, Any], tree: Tree, objective: float) -> None:
        """Compare the core's cost of a tree with that on the data."""
        raise NotImplementedError

    def _idle_tests(self, tree: Tree) -> set[int]:
        """Return the nodes whose tests gain less than the core's resolution."""
        least = SLACK / self._core_unit * float(self._whole.unit)
        impurity = impurities(tree.value, self._name)
        errors = self._errors(tree.value)
        left, right = tree.children_left, tree.children_right
        idle: set[int] = set()
        for node in np.flatnonzero(tree.feature >= 0)[::-1].tolist():
            sides = [int(left[node]), int(right[node])]
            if all(tree.feature[side] < 0 or side in idle for side in sides):
                is_better = errors[node] > errors[sides].sum()
                if impurity[node] - impurity[sides].sum() <= least and not is_better:
                    idle.add(node)
        return idle

    def _errors(self, value: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return the errors of each node as a leaf; nothing if they do not count."""
        return np.zeros(len(value), dtype=np.int64)

    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values and its objective."""
        size, n_classes = found["feature"].size, self._n_classes
        bare = Tree._on_bits(found, self, np.zeros((size, n_classes)))
        leaves = leaves_of(self._bits, bare)
        value = totals(bare, self._by_class(leaves, self._weight, size))
        if self._weight.dtype.kind != "f":
            value = value.astype(np.int64)
        tree = Tree._on_bits(found, self, value)
        return tree, self._objective(tree)

    def _objective(self, tree: Tree) -> float:
        """Return the objective of a tree with the class weights of its nodes."""
        raise NotImplementedError

    def _by_class(
        self, leaves: npt.NDArray[np.int64], weight: npt.NDArray[Any], size: int
    ) -> npt.NDArray[np.float64]:
        """Return the weight of each class at each leaf."""
        n_classes = self._n_classes
        cells = leaves * n_classes + self._codes
        return sums_by(cells, weight, size * n_classes).reshape(size, n_classes)

    def _at_root(self, weight: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        return self._by_class(self._one_leaf, weight, 1)

    @property
    def _total(self) -> float:
        return float(sums_by(self._one_leaf, self._weight, 1)[0])


class Impurities(ClassWeights):
    """The objective is the impurity of the leaves times their weights."""

    def __init__(self, labels: Labels, objective: str) -> None:
        super().__init__(labels, objective, MAX_WEIGHT)
        whole = self._whole
        root = float(impurities(self._at_root(self._weight), objective)[0])
        most = float(impurities(self._at_root(whole.numbers), objective)[0])
        self._most = MAX_IMPURITY if self._prices is None else MAX_SUM
        self._core_unit = self._most / most if most else 1.0
        self._unit = whole.unit / Fraction(self._core_unit)
        self._set_data(0, whole_prices(self._prices, self._unit, self._most))
        # Impurities grow with the weights and in proportion to them, so their relative
        # error is at most that of the weights; the other part is for floating point.
        share = _share_lost(self._weight, whole)
        if share > MOST_OFF and root > 0.0:
            raise ValueError(
                "sample_weight must not span so many orders of magnitude: the light "
                "rows would be lost to rounding. Got weights from "
                f"{self._weight.min():.3g} to {self._weight.max():.3g}."
            )
        in_core = Fraction(self._n_classes + 40, 2**53)
        self._lost = (Fraction(share if root else 0) + in_core) * Fraction(root)

    def measure(self, leaf_cost: int) -> Measure:  # noqa: ARG002
        """Return the unit of costs; penalties are fractions of the total weight."""
        return Measure(
            unit=self._unit,
            total=self._total,
            most=self._most,
            is_counted=False,
            is_exact=False,
            slack=self._lost,
        )

    def _check(self, found: dict[str, Any], tree: Tree, objective: float) -> None:
        lost = float(self._lost / self._unit) + 2**-40 * self._most
        tolerance = tree.n_leaves + tree.n_nodes + SLACK + lost
        check_recount(float(Fraction(objective) / self._unit), found["cost"], tolerance)

    def _objective(self, tree: Tree) -> float:
        return total_cost(tree, impurities(tree.value, self._name), self._prices)


class ErrorsFirst(ClassWeights):
    """The objective is the number of errors; the Gini impurity decides between equals.

    Weights without a small common unit are rounded to `MAX_ERRORS`.
    """

    def __init__(self, labels: Labels) -> None:
        if labels.weight.size > MAX_ERRORS // 2:  # weights could not be rounded
            raise ValueError(
                f"X must have at most {MAX_ERRORS // 2:,} rows with "
                f"objective={ERRORS_FIRST!r}. Got {labels.weight.size:,} instead."
            )
        super().__init__(labels, "gini", MAX_ERRORS)
        if self._prices is not None:
            raise ValueError(
                "The 'feature_costs' parameter must be None with "
                f"objective={ERRORS_FIRST!r}. Got costs instead."
            )
        by_class = self._at_root(self._whole.numbers)
        errors = int(_misclassified(by_class)[0])
        # The impurity of every tree is less than one step, in units.
        most_errors = max(errors, 1)
        steps = max(1 << (MAX_STEPS // most_errors).bit_length() >> 1, STEPS)
        self._step = MAX_UNITS // (steps * most_errors + 1)
        self._per_error = steps * self._step
        self._most = self._per_error * errors + self._step
        most = float(impurities(by_class, "gini")[0])
        self._core_unit = (self._step - 1) * (1 - 2**-30) / most if most else 1.0
        self._unit = self._whole.unit / self._per_error
        self._set_data(self._per_error, np.empty(0, dtype=np.int64))

    def measure(self, leaf_cost: int) -> Measure:  # noqa: ARG002
        """Return the unit of costs; less than a step is no part of an objective."""
        total = self._total
        is_whole = self._weight.dtype.kind != "f"
        return Measure(
            unit=self._unit,
            total=int(total) if is_whole else total,
            most=self._most,
            is_whole=is_whole and self._whole.is_exact,
            is_counted=False,
            is_exact=self._whole.is_exact,
            offset=-self._step * self._unit,
            slack=Fraction(math.fsum(_lost_weights(self._weight, self._whole))),
            step=self._step,
        )

    def _check(self, found: dict[str, Any], tree: Tree, objective: float) -> None:  # noqa: ARG002
        leaves = leaves_of(self._bits, tree)
        value = self._by_class(leaves, self._whole.numbers, tree.feature.size)
        errors = self._per_error * int(_misclassified(value).sum())
        impurity = float(impurities(value, "gini").sum()) * self._core_unit
        check_recount(impurity, found["cost"] - errors, tree.n_leaves + SLACK)

    def _errors(self, value: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return _misclassified(value)

    def _objective(self, tree: Tree) -> float:
        errors = _misclassified(tree.value)[tree.feature < 0]
        return int(errors.sum()) if errors.dtype.kind == "i" else math.fsum(errors)


def impurities(value: npt.NDArray[Any], name: str) -> npt.NDArray[np.float64]:
    """Return the impurity of each node times its weight, from its class weights."""
    part = value.astype(np.float64)
    whole = part.sum(axis=1, keepdims=True)
    whole[whole == 0] = 1.0
    n_classes = part.shape[1]
    others = part @ (1 - np.eye(n_classes))  # the sum without each class
    if name == "gini":
        return np.asarray((part / whole * others).sum(axis=1))
    # Each form is accurate where it is used.
    near = -np.log1p(-np.minimum(others / whole, 0.5))
    far = np.log(whole / np.where(part > 0, part, whole))
    logs = np.where(2 * part > whole, near, far)
    return np.asarray((part * logs).sum(axis=1))


def _misclassified(value: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the weight of each node without its heaviest class."""
    return np.asarray(value.sum(axis=1) - value.max(axis=1))


def _share_lost(weight: npt.NDArray[Any], whole: FixedPoint) -> float:
    """Return the largest relative rounding error of a weight, perhaps infinite."""
    with np.errstate(over="ignore"):
        return float((_lost_weights(weight, whole) / weight).max())


def _lost_weights(
    weight: npt.NDArray[Any], whole: FixedPoint
) -> npt.NDArray[np.float64]:
    """Return the rounding errors of the weights."""
    if whole.is_exact:
        return np.zeros(weight.size)
    return np.asarray(np.abs(weight - whole.numbers * float(whole.unit)))
