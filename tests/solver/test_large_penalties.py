"""Penalties from half the error of a leaf to far more than any tree can save."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.brute_force import (
    best_absolute,
    best_costs,
    best_penalised,
    best_squares,
    costs_by_row,
    errors_as_costs,
)
from oracle.strategies import random_instance, random_targets, random_weight

from murtree import Solver

PENALTIES = (0.5, 0.9, 1.0, 1.0 + 1e-6, 1.5, 3.0, 1e3, 1e6, 1e12)
OBJECTIVES = (
    "accuracy",
    "balanced_accuracy",
    "costs",
    "feature_costs",
    "squared_error",
    "absolute_error",
)
MATRIX = [[0, 1.5, 4], [0.1, 0, 2], [3, 1, 0]]
DEPTH = 2


class Posed:
    """A random instance of an objective: the solver, and the judge's answers."""

    def __init__(self, seed, objective):
        rng = np.random.default_rng([seed, 5])
        X, y, _ = random_instance(seed, max_features=4, max_rows=14)
        weight = [1] * len(y) if seed % 2 else random_weight(rng, len(y))
        rows = [row for row in zip(X, y, weight, strict=True) if row[2] > 0] * 2
        X, y, weight = (list(part) for part in zip(*rows, strict=True))
        names = sorted(set(y))
        y = [names.index(label) for label in y]
        matrix = [row[: len(names)] for row in errors_as_costs(max(len(names), 3))]
        matrix = matrix[: len(names)]
        prices = None
        if objective == "costs":
            matrix = [(row * 2)[: len(names)] for row in (MATRIX * 2)[: len(names)]]
        if objective == "feature_costs":
            prices = (rng.random(len(X[0])) * sum(weight) / 9).tolist()
        stated = {"costs": matrix, "feature_costs": "accuracy"}.get(
            objective, objective
        )
        self.total, self.best = self.judged(
            objective, (X, y, weight), matrix, prices, rng
        )
        given = self.targets if objective in ("squared_error", "absolute_error") else y
        self.solver = Solver(X, given, weight, objective=stated, feature_costs=prices)

    def judged(self, objective, data, matrix, prices, rng):
        X, y, weight = data
        self.targets = np.round(random_targets(rng, X), 3).tolist()
        if objective in ("squared_error", "absolute_error"):
            judge = best_squares if objective == "squared_error" else best_absolute
            best = judge((X, self.targets, weight), DEPTH)
            return best[0], best
        costs = costs_by_row(y, weight, matrix)
        if objective == "balanced_accuracy":
            by_class = [Fraction(0)] * len(matrix)
            for label, row in zip(y, costs, strict=True):
                by_class[label] += max(row)
            costs = [
                [cost / (by_class[label] or 1) / len(matrix) for cost in row]
                for label, row in zip(y, costs, strict=True)
            ]
        return sum(map(max, costs)), best_costs(X, costs, DEPTH, 1, prices)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_too_large_price_prevents_every_split(objective, penalty):
    for seed in range(25):
        posed = Posed(seed, objective)
        result = posed.solver.solve(DEPTH, cost_complexity=penalty)
        price = Fraction(penalty) * posed.total
        least = best_penalised(posed.best, price)
        assert result.status == "optimal"
        assert result.objective == result.lower_bound
        tolerance = max(posed.total, posed.best[0]) / 10**8
        assert abs(Fraction(result.objective) - least) <= tolerance, seed
        if penalty > 1:
            assert result.tree.n_nodes == 0 or posed.total == 0, seed


def test_a_price_above_the_error_of_a_leaf():
    weight = [0.9416197850696634, 0.5205169152539912]
    solver = Solver([[0], [1]], [2.904, 0.985], weight, objective="squared_error")
    result = solver.solve(1, cost_complexity=3.0)
    assert result.tree.n_nodes == 0
    assert result.objective == solver.solve(0).objective


@settings(max_examples=400, deadline=None, derandomize=True)
@given(
    st.lists(st.floats(-10, 10), min_size=2, max_size=2),
    st.lists(st.floats(0.1, 1), min_size=2, max_size=2),
    st.sampled_from(["squared_error", "absolute_error"]),
    st.sampled_from([1.0 + 1e-6, 3.0, 1e12]),
)
def test_two_rows_are_not_split_for_more_than_their_cost(
    targets, weight, objective, penalty
):
    assume(targets[0] == targets[1] or abs(targets[0] - targets[1]) > 1e-6)
    solver = Solver([[0], [1]], targets, weight, objective=objective)
    result = solver.solve(1, cost_complexity=penalty)
    assert result.tree.n_nodes == 0
    assert result.objective == solver.solve(0).objective
