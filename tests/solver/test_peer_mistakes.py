"""Bugs that made released exact solvers return trees that were not optimal.

Each was found by comparing another solver with exhaustive search; each has a test here,
on data that would reveal the bug.
"""

import numpy as np
import pytest
from oracle.brute_force import best_errors, check_result
from oracle.strategies import random_instance

from murtree import Solver


def check_budgets(data, depth, budgets=None, **options):
    expected = best_errors(*data, depth)
    shared = Solver(*data, **options)
    for nodes in budgets if budgets is not None else range(len(expected)):
        for solver in (Solver(*data, **options), shared):
            check_result(
                solver.solve(depth, nodes), data, depth, nodes, expected[nodes]
            )


def unit_weights(X, y):
    return np.asarray(X).tolist(), np.asarray(y).tolist(), [1] * len(y)


@pytest.mark.parametrize("seed", range(20))
def test_a_perfect_three_node_tree_does_not_end_the_two_node_search(seed):
    # The first column is the root of a perfect tree of three nodes, a later one that of
    # the best tree of two: a loop over roots that stops at zero errors misses it.
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 5))
    y = np.where(X[:, 0] == 1, X[:, 1], 1 - X[:, 2])
    X[:, 4] = np.where(rng.random(40) < 0.15, 1 - y, y)
    data = unit_weights(X, y)
    assert best_errors(*data, 2)[3] == 0
    check_budgets(data, 2)
    check_budgets(data, 3, budgets=range(6))


@pytest.mark.parametrize("seed", range(20))
def test_result_beyond_an_upper_bound_is_only_a_bound(seed):
    # First solve with bounds too tight to be met, then without: results of the tight
    # search in the cache must not be used as optima.
    data = random_instance(seed + 1000, max_features=6, max_rows=40)
    expected = best_errors(*data, 3)
    solver = Solver(*data)
    for nodes in (7, 3, 5, 1, 2, 4, 6):
        for bound in range(max(0, expected[nodes] - 3), expected[nodes]):
            result = solver.solve(3, nodes, upper_bound=bound)
            assert result.status == "infeasible"
            assert bound < result.lower_bound <= expected[nodes]
        check_result(solver.solve(3, nodes), data, 3, nodes, expected[nodes])


@pytest.mark.parametrize("seed", range(20))
def test_exhausted_depth_does_not_bound_a_deeper_sibling(seed):
    # One side of the root is solved by a leaf, the other needs the full depth; a few
    # nodes at a large depth must be distributed unevenly.
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (50, 4))
    y = X[:, 0] * (X[:, 1] ^ X[:, 2] ^ X[:, 3])
    y = np.where(rng.random(50) < 0.05, 1 - y, y)
    check_budgets(unit_weights(X, y), 4)


@pytest.mark.parametrize("seed", range(20))
def test_archived_subproblem_and_its_value_belong_together(seed):
    # Many similar subsets: each is compared with those archived before, and an old
    # value stored with a new set of rows would give a bound that is too high.
    rng = np.random.default_rng(seed)
    X = np.repeat(rng.integers(0, 2, (8, 6)), 4, axis=0)
    noise = rng.random(X.shape) < 0.08
    X = np.where(noise, 1 - X, X)
    y = rng.integers(0, 2, len(X))
    data = unit_weights(X, y)
    check_budgets(data, 3)
    for switch in ("cache", "deepening", "first_tree"):
        off = "none" if switch == "cache" else False
        check_budgets(data, 3, budgets=(4, 7), **{switch: off})


@pytest.mark.parametrize("seed", range(20))
def test_more_than_two_classes(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (40, 5))
    y = rng.integers(0, 3 + seed % 4, 40)
    check_budgets(unit_weights(X, y), 3)


@pytest.mark.parametrize("seed", range(20))
def test_more_depth_than_columns(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (20, 1 + seed % 3))
    y = rng.integers(0, 3, 20)
    data = unit_weights(X, y)
    check_budgets(data, 4)
    full = best_errors(*data, 3)[-1]
    for depth in (5, 8, 20):
        assert Solver(*data).solve(depth).objective == full


@pytest.mark.parametrize("seed", range(20))
def test_duplicate_rows_with_different_labels(seed):
    # Bounds from equal rows must compare each row with its own group.
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (6, 4))[rng.integers(0, 6, 40)]
    y = rng.integers(0, 3, 40)
    check_budgets(unit_weights(X, y), 3)
    check_budgets(unit_weights(X, y), 3, merge_rows=False)


@pytest.mark.parametrize("seed", range(40))
def test_every_node_budget_on_tiny_separable_sets(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (int(rng.integers(4, 12)), 4))
    y = X @ rng.integers(0, 2, 4) % 2
    check_budgets(unit_weights(X, y), 4)
