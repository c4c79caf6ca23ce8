"""Random instances of the other objectives for `fuzz_judge`: costs and targets.

Each uses one solver with random switches for all node budgets in any order, a frontier,
penalties, the fewest nodes and leaf sizes, with real weights, cost matrices, balanced
accuracy, squared errors or impurities, with and without feature costs. Absolute errors
are in whole cents, hence exact.
"""

from fractions import Fraction
from functools import partial

import numpy as np
from oracle.brute_force import (
    absolute_error,
    best_by_nodes,
    best_penalised,
    errors_as_costs,
)
from oracle.objectives import Balanced, Costs, ErrorsThenGini, Impurities, Squares
from oracle.strategies import (
    random_costs,
    random_instance,
    random_sizes,
    random_switches,
    random_targets,
    random_weight,
)

from murtree import Solver

IMPURITIES = ("gini", "log_loss", "accuracy_then_gini")
KINDS = ("weights", "costs", "balanced_accuracy", "squared_error", *IMPURITIES)


class SummedCase:
    """One instance, one solver for all requests, and the judge's answers."""

    def __init__(self, seed, kinds=KINDS):
        self.rng = rng = np.random.default_rng([seed, 2])
        self.kind = kinds[rng.integers(len(kinds))]
        self.depth = int(rng.choice([1, 2, 3], p=[0.1, 0.3, 0.6]))
        X, y, weight = random_instance(seed, max_features=5, max_rows=16)
        if self.kind == "accuracy_then_gini":
            weight = [w % 2**16 for w in weight[1:]] + [1]
        elif self.kind not in IMPURITIES or rng.random() < 0.5:
            weight = random_weight(rng, len(y))
        present = [row for row in zip(X, y, weight, strict=True) if row[2] > 0]
        X, y, weight = (list(part) for part in zip(*present, strict=True))
        if len(y) < 2:
            X, y, weight = X * 2, y * 2, weight * 2
        self.problem = self.random_problem(X, y, weight)
        self.options = random_switches(rng)
        self.solver = self.problem.solver(**self.options)
        self.by_size = {}

    def random_problem(self, X, y, weight):
        """Return a problem of this kind, often with prices of columns."""
        n_classes = len(set(y))
        if self.kind == "squared_error":
            make, y = Squares, random_targets(self.rng, X)
        elif self.kind == "balanced_accuracy":
            make = Balanced
        elif self.kind == "accuracy_then_gini":
            return ErrorsThenGini((X, y, weight))
        elif self.kind in IMPURITIES:
            make = partial(Impurities, objective=self.kind)
        elif self.kind == "costs":
            matrix = random_costs(self.rng, n_classes)
            make = partial(Costs, objective=matrix, matrix=matrix)
        else:
            matrix = errors_as_costs(n_classes)
            make = partial(Costs, objective="accuracy", matrix=matrix)
        problem = make((X, y, weight))
        if self.rng.random() < 0.4:
            most = float(problem.total) / 4
            prices = (self.rng.random(len(X[0])) * most).tolist()
            problem = make((X, y, weight), prices=prices)
        return problem

    @property
    def is_lexicographic(self):
        return self.kind == "accuracy_then_gini"

    def expected(self, size):
        if size not in self.by_size:
            self.by_size[size] = self.problem.best(self.depth, size)
        return self.by_size[size]

    def check(self, result, least, nodes, size, price=0):
        self.problem.check(result, least, nodes, size, price)
        assert result.tree.depth <= self.depth

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
        price = Fraction(penalty) * self.problem.total
        expected = self.expected(size)
        result = self.solver.solve(
            self.depth, cost_complexity=penalty, **size.parameters
        )
        in_costs = 2 * price * self.problem.total if self.is_lexicographic else price
        least = best_penalised(expected, in_costs)
        self.check(result, least, len(expected) - 1, size, price)

    def ask_fewest(self, size):
        expected = self.expected(size)
        result = self.solver.solve(self.depth, fewest_nodes=True, **size.parameters)
        self.check(result, expected[-1], len(expected) - 1, size)
        if self.kind not in (
            "squared_error",
            *IMPURITIES,
        ):  # otherwise ties depend on rounding
            assert result.tree.n_nodes <= expected.index(expected[-1])

    def ask_all(self):
        requests = [
            self.ask_every_budget,
            self.ask_frontier,
            self.ask_sparse,
            self.ask_fewest,
        ]
        sizes = random_sizes(self.rng, [1, 2, 4], self.problem.weight)
        ask_in_any_order(self, requests, sizes, self.kind)


def ask_in_any_order(case, requests, sizes, what):
    """Send each request with each leaf size; name those that fail."""
    pairs = [(request, size) for request in requests for size in sizes]
    for k in case.rng.permutation(len(pairs)):
        request, size = pairs[k]
        try:
            request(size)
        except Exception as error:
            where = f"{what}, {request.__name__}, leaf size {size}"
            raise AssertionError(f"{where}, {case.options}: {error!r}") from error


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
