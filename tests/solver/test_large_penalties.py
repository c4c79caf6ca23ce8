"""Penalties from half the error of a leaf to far more than any tree can save."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_penalised, errors_as_costs
from oracle.objectives import (
    IMPURITIES,
    Balanced,
    Costs,
    Distances,
    Impurities,
    Squares,
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
    "gini",
    "log_loss",
)
MATRIX = [[0, 1.5, 4], [0.1, 0, 2], [3, 1, 0]]
DEPTH = 2


def posed(seed, objective):
    """Return a random problem, in which each row stands twice."""
    rng = np.random.default_rng([seed, 5])
    X, y, _ = random_instance(seed, max_features=4, max_rows=14)
    weight = [1] * len(y) if seed % 2 else random_weight(rng, len(y))
    rows = [row for row in zip(X, y, weight, strict=True) if row[2] > 0] * 2
    X, y, weight = data = [list(part) for part in zip(*rows, strict=True)]
    if objective in ("squared_error", "absolute_error"):
        targets = np.round(random_targets(rng, X), 3).tolist()
        make = Squares if objective == "squared_error" else Distances
        return make((X, targets, weight))
    if objective in IMPURITIES:
        return Impurities(data, objective)
    if objective == "balanced_accuracy":
        return Balanced(data)
    n_classes = len(set(y))
    if objective == "costs":
        matrix = [(row * 2)[:n_classes] for row in (MATRIX * 2)[:n_classes]]
        return Costs(data, matrix, matrix)
    prices = None
    if objective == "feature_costs":
        prices = (rng.random(len(X[0])) * sum(weight) / 9).tolist()
    return Costs(data, "accuracy", errors_as_costs(n_classes), prices)


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("penalty", PENALTIES)
def test_too_large_price_prevents_every_split(objective, penalty):
    for seed in range(25):
        problem = posed(seed, objective)
        result = problem.solver().solve(DEPTH, cost_complexity=penalty)
        best, price = problem.best(DEPTH), Fraction(penalty) * problem.total
        least = best_penalised(best, price)
        assert result.status == "optimal"
        assert result.objective == result.lower_bound
        tolerance = max(problem.total, best[0]) / 10**8
        assert abs(Fraction(result.objective) - least) <= tolerance, seed
        if penalty > 1:
            assert result.tree.n_nodes == 0 or problem.total == 0, seed


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
