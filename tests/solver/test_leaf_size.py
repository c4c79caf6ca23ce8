"""min_samples_leaf: optimal with all bounds on, and counted in rows."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_errors, check_result, check_tree
from oracle.strategies import (
    PLAIN,
    instances,
    random_instance,
    structured_instance,
    switches,
    thorough,
)
from sklearn.tree import DecisionTreeClassifier

from murtree import OptimalTreeClassifier, Solver


def test_an_example():
    # A leaf with a single row: without it the best tree has one more error.
    X, y = [[0, 0], [0, 1], [0, 1], [1, 0], [1, 1]], [1, 0, 0, 1, 1]
    solver = Solver(X, y)
    assert [solver.solve(2, min_samples_leaf=n).objective for n in range(1, 5)] == (
        [0, 1, 2, 2]
    )
    assert solver.solve(2, min_samples_leaf=10**9).tree.n_nodes == 0
    assert solver.solve(2, min_samples_leaf=10**30).tree.n_nodes == 0


@thorough
@given(instances(), st.integers(1, 6))
def test_every_depth_and_budget_equals_the_judge(data, size):
    solver = Solver(*data)
    for depth in range(1, 5):
        expected = best_errors(*data, depth, size)
        for nodes, errors in enumerate(expected):
            result = solver.solve(depth, nodes, min_samples_leaf=size)
            check_result(result, data, depth, nodes, errors, min_samples_leaf=size)


@thorough
@given(instances(max_features=5), st.integers(2, 5), switches(), st.integers(2, 4))
def test_any_switches_equal_the_judge(data, size, options, depth):
    depth = min(depth, 3) if len(data[0][0]) > 4 else depth
    expected = best_errors(*data, depth, size)
    solver = Solver(*data, **options)
    for nodes in (2**depth - 1, 2, 2**depth - 2):
        result = solver.solve(depth, nodes, min_samples_leaf=size)
        check_result(result, data, depth, nodes, expected[nodes], min_samples_leaf=size)


@pytest.mark.parametrize("seed", range(40))
def test_more_rows_and_columns(seed):
    data = random_instance(seed + 500, max_features=6, max_rows=60)
    for size in (2, 5, 9):
        expected = best_errors(*data, 3, size)
        for nodes in (7, 4):
            result = Solver(*data).solve(3, nodes, min_samples_leaf=size)
            check_result(result, data, 3, nodes, expected[nodes], min_samples_leaf=size)


@pytest.mark.parametrize("block", range(10))
def test_bounds_change_nothing_where_they_are_tight(block):
    for seed in range(50 * block, 50 * block + 50):
        data = structured_instance(seed)
        rng = np.random.default_rng([seed, 4])
        size = int(rng.integers(2, 8))
        for depth, nodes in [(3, 7), (4, 15), (4, int(rng.integers(3, 12)))]:
            bounded = Solver(*data).solve(depth, nodes, min_samples_leaf=size)
            plain = Solver(*data, **PLAIN).solve(depth, nodes, min_samples_leaf=size)
            assert bounded.objective == plain.objective, (seed, depth, nodes, size)
            check_tree(bounded, data, depth, nodes, size)


def test_leaf_size_counts_rows_of_any_weight():
    X, y = [[0], [0], [1], [1]], [0, 0, 1, 1]
    heavy = Solver(X, y, [1, 100, 1, 100])
    assert heavy.solve(1, min_samples_leaf=2).objective == 0
    assert heavy.solve(1, min_samples_leaf=3).objective == 101
    absent = Solver(X, y, [0, 1, 1, 1])
    assert absent.solve(1, min_samples_leaf=2).objective == 1


def test_sizes_of_merged_and_cancelled_rows_are_kept():
    # Equal rows of both classes cancel in the errors, but count in a leaf.
    X = [[0]] * 6 + [[1]] * 5
    y = [0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 1]
    for size, errors in ((4, 4), (5, 4), (6, 5)):
        result = Solver(X, y).solve(1, min_samples_leaf=size)
        assert result.objective == errors
        assert result.tree.n_nodes == (size < 6)


@settings(thorough, max_examples=30)
@given(instances(max_features=5), st.integers(1, 5))
def test_no_worse_than_scikit_learn_with_the_same_limit(data, size):
    X, y, weight = map(np.array, data)
    keep = weight > 0
    X, y = X[keep], y[keep]
    assume(len(y) >= 2)
    greedy = DecisionTreeClassifier(max_depth=3, min_samples_leaf=size, random_state=0)
    errors = int((greedy.fit(X, y).predict(X) != y).sum())
    assert Solver(X, y).solve(3, min_samples_leaf=size).objective <= errors


def test_estimator_respects_the_leaf_size():
    rng = np.random.default_rng(0)
    X, y = rng.random((200, 4)), rng.integers(0, 3, 200)
    for size in (1, 7, 30):
        fitted = OptimalTreeClassifier(max_depth=3, min_samples_leaf=size).fit(X, y)
        leaves = np.bincount(fitted.apply(X))
        assert leaves[leaves > 0].min() >= size
