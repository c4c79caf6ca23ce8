"""The solver against the judge: every depth, every node budget, every switch."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.brute_force import (
    best_absolute,
    best_costs,
    best_errors,
    best_squares,
    check_result,
    errors_as_costs,
)
from oracle.strategies import OFF, instances, random_instance, thorough

from murtree import Solver


def check_all_budgets(data, options=None, *, fresh=False, depths=range(5)):
    """Solve every request with one solver, or with a new one for each."""
    X, y, weight = data
    shared = Solver(X, y, weight, **(options or {}))
    for depth in depths:
        for nodes, expected in enumerate(best_errors(X, y, weight, depth)):
            solver = Solver(X, y, weight, **(options or {})) if fresh else shared
            result = solver.solve(depth, nodes)
            check_result(result, data, depth, nodes, expected)


@pytest.mark.slow
@thorough
@given(instances())
def test_every_depth_and_budget_of_a_fresh_solver(data):
    check_all_budgets(data, fresh=True)


@thorough
@given(instances())
def test_every_depth_and_budget_of_one_solver(data):
    check_all_budgets(data)


@thorough
@given(instances(max_features=6), st.permutations(range(8)))
def test_order_of_requests_does_not_matter(data, order):
    X, y, weight = data
    solver = Solver(X, y, weight)
    best = best_errors(X, y, weight, 3)
    for nodes in order:
        check_result(solver.solve(3, nodes), data, 3, nodes, best[nodes])


@pytest.mark.slow
@pytest.mark.parametrize("switch", OFF)
@settings(thorough, max_examples=40)
@given(data=instances(max_features=4))
def test_each_switch_off_gives_the_same_errors(switch, data):
    check_all_budgets(data, {switch: OFF[switch]}, depths=(2, 3, 4))


@pytest.mark.slow
@pytest.mark.parametrize("switch", OFF)
@settings(thorough, max_examples=40)
@given(data=instances(max_features=4))
def test_each_switch_alone_gives_the_same_errors(switch, data):
    options = {name: value for name, value in OFF.items() if name != switch}
    check_all_budgets(data, options, depths=(3, 4))


@pytest.mark.parametrize("fresh", [False, True])
@settings(thorough, max_examples=40)
@given(data=instances(max_features=4))
def test_all_switches_off_gives_the_same_errors(fresh, data):
    check_all_budgets(data, OFF, fresh=fresh)


@pytest.mark.parametrize("seed", range(60))
def test_more_rows_and_columns(seed):
    data = random_instance(seed, max_features=7, max_rows=60)
    check_all_budgets(data, fresh=seed % 2 == 0, depths=(3,))


@thorough
@given(instances(), st.integers(0, 4), st.integers(0, 15))
def test_upper_bound_is_inclusive(data, depth, nodes):
    X, y, weight = data
    nodes = min(nodes, 2**depth - 1)
    expected = best_errors(X, y, weight, depth)[nodes]
    solver = Solver(X, y, weight)
    if expected:
        below = solver.solve(depth, nodes, upper_bound=expected - 1)
        assert below.status == "infeasible"
        assert below.tree is None
        assert below.objective is None
        assert below.lower_bound == expected
    for bound in (expected, expected + 1):
        result = solver.solve(depth, nodes, upper_bound=bound)
        check_result(result, data, depth, nodes, expected)
    check_result(solver.solve(depth, nodes), data, depth, nodes, expected)


@settings(thorough, max_examples=60)
@given(instances(max_features=5))
def test_weights_equal_copies(data):
    X, y, weight = data
    weight = [min(w, 5) for w in weight]
    X, y = np.array(X), np.array(y)
    copies = np.repeat(np.arange(len(y)), weight)
    assume(copies.size >= 2)
    weighted = Solver(X, y, weight)
    repeated = Solver(X[copies], y[copies])
    for depth, nodes in [(1, 1), (2, 2), (3, 4), (4, 15)]:
        a, b = weighted.solve(depth, nodes), repeated.solve(depth, nodes)
        assert a.objective == b.objective


@settings(thorough, max_examples=60)
@given(instances())
def test_same_request_gives_the_same_tree(data):
    X, y, weight = data
    first = Solver(X, y, weight).solve(3, 5)
    again = Solver(X, y, weight).solve(3, 5)
    assert first.tree.to_dict() == again.tree.to_dict()


@settings(thorough, max_examples=60)
@given(instances(max_features=3, max_rows=8), st.integers(0, 3))
def test_judge_of_costs_agrees_with_judge_of_errors(data, depth):
    X, y, weight = data
    matrix = errors_as_costs(4)
    rows = [(x, [w * c for c in matrix[k]]) for x, k, w in zip(*data, strict=True) if w]
    features, costs = zip(*rows, strict=True)
    assert best_costs(features, costs, depth) == best_errors(X, y, weight, depth)


def test_the_judge_of_targets_by_hand():
    X, targets = [[0, 0], [0, 1], [1, 0], [1, 1]], [1, 3, 10, 20]
    assert best_squares((X, targets, [1] * 4), 1) == [221, 52]
    assert best_squares((X, targets, [1, 1, 1, 0]), 1) == [Fraction(134, 3), 2]
    assert best_squares((X, targets, [1] * 4), 1, feature_costs=[9, 0])[1] == 61
    assert best_squares((X, targets, [1] * 4), 1, 3) == [221, 221]
    assert best_absolute((X, targets, [1] * 4), 1) == [26, 12]
    assert best_absolute((X, targets, [1, 1, 1, 3]), 0) == [46]


@settings(thorough, max_examples=60)
@given(instances(max_features=3, max_rows=8), st.integers(0, 3))
def test_squares_and_distances_of_two_values_are_errors(data, depth):
    # For targets 0 and 1 the distances are the errors, the squares p (1 - p) of them.
    X, y, weight = data
    y = [label % 2 for label in y]
    errors = best_errors(X, y, weight, depth)
    assert best_absolute((X, y, weight), depth) == errors
    squares = best_squares((X, y, weight), depth)
    assert all(s <= e <= 2 * s for s, e in zip(squares, errors, strict=True))
