"""Random instances of the other objectives for `fuzz_judge`: costs and targets.

Each uses one solver with random switches for all node budgets in any order, a frontier,
penalties, the fewest nodes and leaf sizes, with real weights, cost matrices, balanced
accuracy or squared errors, with and without feature costs. Absolute errors are in whole
cents, hence exact.
"""

from fractions import Fraction

import numpy as np
from oracle.brute_force import (
    absolute_error,
    best_by_nodes,
    best_costs,
    best_penalised,
    best_squares,
    check_leaves,
    check_optimal,
    costs_by_row,
    errors_as_costs,
    recount_costs,
    recount_squares,
    sum_tolerance,
)
from oracle.strategies import (
    random_costs,
    random_instance,
    random_sizes,
    random_switches,
    random_targets,
    random_weight,
)

from murtree import Solver

KINDS = ("weights", "costs", "balanced_accuracy", "squared_error")


class SummedCase:
    """One instance, one solver for all requests, and the judge's answers."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng([seed, 2])
        self.kind = KINDS[rng.integers(len(KINDS))]
        self.depth = int(rng.choice([1, 2, 3], p=[0.1, 0.3, 0.6]))
        X, y, _ = random_instance(seed, max_features=5, max_rows=16)
        weight = random_weight(rng, len(y))
        present = [row for row in zip(X, y, weight, strict=True) if row[2] > 0]
        self.X, y, weight = (list(part) for part in zip(*present, strict=True))
        if len(y) < 2:
            self.X, y, weight = self.X * 2, y * 2, weight * 2
        names = sorted(set(y))
        self.y = [names.index(label) for label in y]
        self.weight = weight
        self.state(rng, len(names))
        self.options = random_switches(rng)
        self.solver = Solver(
            self.X,
            self.targets if self.kind == "squared_error" else self.y,
            self.weight,
            objective=self.objective,
            feature_costs=self.prices,
            **self.options,
        )
        self.by_size = {}

    def state(self, rng, n_classes):
        """Define the objective, in the terms of the user and of the judge."""
        self.objective, self.targets = self.kind, None
        if self.kind == "squared_error":
            self.targets = random_targets(rng, self.X)
            self.total = best_squares((self.X, self.targets, self.weight), 0)[0]
        else:
            matrix = errors_as_costs(n_classes)
            if self.kind == "weights":
                self.objective = "accuracy"
            elif self.kind == "costs":
                self.objective = matrix = random_costs(rng, n_classes)
            self.costs = costs_by_row(self.y, self.weight, matrix)
            if self.kind == "balanced_accuracy" and n_classes > 1:
                self.costs = self.balanced(n_classes)
            self.total = sum(map(max, self.costs))
        self.prices = None
        if rng.random() < 0.4:
            self.prices = (rng.random(len(self.X[0])) * float(self.total) / 4).tolist()

    def balanced(self, n_classes):
        by_class = [Fraction(0)] * n_classes
        for label, costs in zip(self.y, self.costs, strict=True):
            by_class[label] += max(costs)
        return [
            [cost / (by_class[label] * n_classes) for cost in row]
            for label, row in zip(self.y, self.costs, strict=True)
        ]

    def expected(self, size):
        if size not in self.by_size:
            if self.kind == "squared_error":
                data = (self.X, self.targets, self.weight)
                best = best_squares(data, self.depth, size, self.prices)
            else:
                best = best_costs(
                    self.X,
                    self.costs,
                    self.depth,
                    size,
                    self.prices,
                    weight=self.weight,
                )
            self.by_size[size] = best
        return self.by_size[size]

    def check(self, result, least, nodes, size, price=0):
        if self.kind == "squared_error":
            data = (self.X, self.targets, self.weight)
            cost = recount_squares(result.tree, data, self.prices)
            tolerance = self.total * 4 / 10**9
        else:
            cost = recount_costs(result.tree, self.X, self.costs, self.prices)
            tolerance = sum_tolerance(self.costs, 2 * nodes, self.prices)
            tolerance += self.total / 2**26 if price else 0
        cost += price * result.tree.n_nodes
        check_optimal(result, cost, least, tolerance)
        assert result.tree.n_nodes <= nodes
        assert result.tree.depth <= self.depth
        check_leaves(result.tree, self.X, self.weight, size)

    def ask_every_budget(self, size):
        expected = self.expected(size)
        for nodes in self.rng.permutation(len(expected)).tolist():
            result = self.solver.solve(self.depth, nodes, **size.parameters)
            self.check(result, expected[nodes], nodes, size)

    def ask_frontier(self, size):
        frontier = self.solver.frontier(self.depth, **size.parameters)
        for nodes, least in enumerate(self.expected(size)):
            self.check(frontier[nodes], least, nodes, size)

    def ask_sparse(self, size):
        penalty = float(self.rng.choice([0.3, 0.05, 0.01]) * self.rng.random()) + 1e-9
        if self.rng.random() < 0.2:
            penalty = float(self.rng.choice([1.0, 1.5, 3.0, 1e9]))
        price = Fraction(penalty) * self.total
        expected = self.expected(size)
        result = self.solver.solve(
            self.depth, cost_complexity=penalty, **size.parameters
        )
        least = best_penalised(expected, price)
        self.check(result, least, len(expected) - 1, size, price)

    def ask_fewest(self, size):
        expected = self.expected(size)
        result = self.solver.solve(self.depth, fewest_nodes=True, **size.parameters)
        self.check(result, expected[-1], len(expected) - 1, size)
        if self.kind != "squared_error":  # otherwise ties depend on rounding
            assert result.tree.n_nodes <= expected.index(expected[-1])

    def ask_all(self):
        requests = [
            self.ask_every_budget,
            self.ask_frontier,
            self.ask_sparse,
            self.ask_fewest,
        ]
        sizes = random_sizes(self.rng, [1, 2, 4], self.weight)
        pairs = [(request, size) for request in requests for size in sizes]
        for k in self.rng.permutation(len(pairs)):
            request, size = pairs[k]
            try:
                request(size)
            except Exception as error:
                where = f"{self.kind}, {request.__name__}, leaf size {size}"
                raise AssertionError(f"{where}, {self.options}: {error!r}") from error


def check_cents(seed):
    """Compare absolute errors of many distinct targets in cents with the judge."""
    rng = np.random.default_rng([seed, 4])
    n_rows, depth = int(rng.integers(4, 90)), int(rng.integers(1, 3))
    X = rng.integers(0, 2, (n_rows, 3))
    cents = rng.integers(0, 10 ** int(rng.integers(1, 6)), n_rows)
    cents += int(rng.choice([0, -5_000, 10**8]))
    rows = list(zip(X.tolist(), cents.tolist(), [1] * n_rows, strict=True))
    best = best_by_nodes(rows, absolute_error, [0] * 3, depth, 1)
    solver = Solver(X, cents / 100, objective="absolute_error", **random_switches(rng))
    for nodes, least in enumerate(best):
        result = solver.solve(depth, nodes, fewest_nodes=True)
        where = f"cents, depth {depth}, {nodes} nodes"
        assert result.status == "optimal", where
        assert result.objective == least / 100, where
        assert result.tree.n_nodes == best.index(least), where
