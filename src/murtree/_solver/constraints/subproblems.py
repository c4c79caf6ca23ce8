"""Data of a constrained search: engines for subsets of the columns or rows."""

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import encode_labels
from murtree._solver.engine import Engine
from murtree._solver.leaf_sizes import LeafWeights
from murtree._solver.objectives.read import (
    REGRESSION,
    ErrorCosts,
    balanced_costs,
    read_problem,
)
from murtree._solver.result import Progress
from murtree._solver.switches import Switches
from murtree._solver.units import Measure
from murtree._table.columns import Column
from murtree._table.predicates import Predicate
from murtree._tree.layout import NO_CHILD, NO_FEATURE
from murtree._tree.tree import Tree

NOTHING = Progress(0.0, None, 0, math.inf, 0.0, None)  # before a search starts

Rows = npt.NDArray[np.bool_]


class Planned(NamedTuple):
    """A tree without values: a test with a subtree on each side; None is a leaf."""

    predicate: Predicate
    left: "Planned | None"
    right: "Planned | None"


Plan = Planned | None


@dataclass(frozen=True, eq=False)
class Training:
    """A table with targets, both as boolean columns and as given by the user."""

    bits: npt.NDArray[Any]  # as in `Prepared`
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    codes: npt.NDArray[Any]  # the user's table, for fixed tests only
    columns: tuple[Column, ...]
    predicates: tuple[Predicate, ...]
    prices: npt.NDArray[np.float64] | None  # cost of a test, per column of the table
    objective: Any
    switches: Switches

    def engine(
        self, columns: frozenset[int] | None = None, rows: Rows | None = None
    ) -> Engine:
        """Return an engine for some of the columns or some of the rows.

        A subset of the rows keeps the objective of all rows: the classes, their costs
        and the unit of penalties.
        """
        prices = None
        if self.prices is not None and self.predicates:
            prices = np.array([self.prices[test.column] for test in self.predicates])
        if rows is None:
            bits = self._without_others(columns, self.bits)
            whole = read_problem(bits, self.y, self.weight, self.objective, prices)
            return Engine(whole, self.switches)
        chosen = np.concatenate([np.flatnonzero(rows), self._witnesses])
        weight = self.weight[chosen]
        weight[-self._witnesses.size :] = 0
        numbers = np.where(weight > 0, self.leaf_weights.numbers[chosen], 0)
        bits = self._without_others(columns, self.bits[chosen])
        objective = self._part_objective
        return Engine(
            read_problem(bits, self.y[chosen], weight, objective, prices),
            self.switches,
            leaf_weights=self.leaf_weights._replace(numbers=numbers),
            total=self.measure.total,
        )

    def filled(self, plan: Plan) -> tuple[Tree, float]:
        """Return a planned tree with its values on all rows, and its objective."""
        nodes = _flat(plan)
        tests = list(dict.fromkeys(node.test for node in nodes if node.test))
        bits = [~test.holds(self.codes[:, test.column]) for test in tests]
        none = np.zeros(self.y.size, dtype=np.bool_)  # for a tree with one leaf
        prices = None
        if self.prices is not None:
            prices = np.array([*self.prices[[test.column for test in tests]], 0.0])
        problem = read_problem(
            np.stack([*bits, none], axis=1).view(np.uint8),
            self.y,
            self.weight,
            self.objective,
            prices,
        )
        indices = {test: index for index, test in enumerate(tests)}
        shape = {
            "feature": [
                indices[node.test] if node.test else NO_FEATURE for node in nodes
            ],
            "children_left": [node.left for node in nodes],
            "children_right": [node.right for node in nodes],
        }
        arrays = {name: np.array(some, np.int32) for name, some in shape.items()}
        tree, objective = problem.filled(arrays)
        return tree._with_columns(self.columns, tests), objective

    @cached_property
    def measure(self) -> Measure:
        """The measure of the objective on all rows."""
        leaf = np.zeros((self.y.size, 1), dtype=np.uint8)
        problem = read_problem(leaf, self.y, self.weight, self.objective, None)
        return problem.measure(0)

    @cached_property
    def leaf_weights(self) -> LeafWeights:
        """The weights that limit the size of leaves."""
        return LeafWeights.of(self.weight)

    @property
    def is_whole(self) -> bool:
        """Whether objectives without a penalty are integers."""
        return self.measure.is_whole and self.prices is None

    def price(self, column: int, penalty: float) -> float:
        """Return the amount that a test of a column adds to the objective."""
        price = 0.0 if self.prices is None else float(self.prices[column])
        price += penalty * self.measure.total if penalty else 0.0
        return price or 0  # keeps integers as integers

    def _without_others(
        self, columns: frozenset[int] | None, bits: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Return bits with the columns of all other features set to 0."""
        if columns is None:
            return bits
        kept = [k for k, test in enumerate(self.predicates) if test.column in columns]
        some = np.zeros_like(bits)
        some[:, kept] = bits[:, kept]
        return some

    @cached_property
    def _witnesses(self) -> npt.NDArray[np.int64]:
        """One row per class, kept with weight 0 so that each subset has all classes."""
        if self._is_regression:
            return np.zeros(1, dtype=np.int64)
        return np.unique(self.y, return_index=True)[1].astype(np.int64)

    @cached_property
    def _part_objective(self) -> Any:
        is_balanced = isinstance(self.objective, str)
        is_balanced = is_balanced and self.objective == "balanced_accuracy"
        if not is_balanced:
            return self.objective
        classes, labels = encode_labels(self.y, self.y.size)
        return ErrorCosts(balanced_costs(labels, self.weight, classes.size))

    @property
    def _is_regression(self) -> bool:
        return isinstance(self.objective, str) and self.objective in REGRESSION


def penalised(objective: float, penalty: float, total: float, n_nodes: int) -> float:
    """Return an objective plus the penalty of the nodes."""
    return objective + penalty * (total * n_nodes) if penalty > 0 else objective


def exact_node_price(penalty: float, total: float) -> Fraction:
    """Return the exact cost of a node, so that ties are detected."""
    return Fraction(penalty) * Fraction(total)


def plan_of(tree: Tree, tests: tuple[Predicate, ...], node: int = 0) -> Plan:
    """Return a solver's tree without its values."""
    index = int(tree.feature[node])
    if index < 0:
        return None
    left, right = int(tree.children_left[node]), int(tree.children_right[node])
    return Planned(
        tests[index], plan_of(tree, tests, left), plan_of(tree, tests, right)
    )


class _Node(NamedTuple):
    test: Predicate | None
    left: int
    right: int


def _flat(plan: Plan, first: int = 0) -> list[_Node]:
    """Return the nodes depth first, with the indices of their children."""
    if plan is None:
        return [_Node(None, NO_CHILD, NO_CHILD)]
    left = _flat(plan.left, first + 1)
    right = _flat(plan.right, first + 1 + len(left))
    here = _Node(plan.predicate, first + 1, first + 1 + len(left))
    return [here, *left, *right]
