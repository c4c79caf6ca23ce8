"""Absolute error: predictions that are medians, and exact sums."""

from fractions import Fraction

import numpy as np
import pytest
from oracle.brute_force import absolute_error, best_absolute
from oracle.objectives import Distances
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from murtree import OptimalTreeRegressor, Solver, TableBinarizer


def solver_of(data, **options):
    return Solver(*data, objective="absolute_error", **options)


def test_a_leaf_predicts_a_median():
    X, targets = [[0], [0], [0], [1], [1]], [1.0, 2.0, 100.0, 4.0, 8.0]
    result = solver_of((X, targets)).solve(max_depth=1)
    assert result.tree.predict([[0], [1]]).tolist() == [2.0, 6.0]
    assert result.objective == 99.0 + 4.0
    heavy = solver_of((X, targets, [1, 1, 5, 1, 1])).solve(max_depth=1)
    assert heavy.tree.predict([[0], [1]]).tolist() == [100.0, 6.0]


def test_whole_targets_and_weights_are_exact():
    rng = np.random.default_rng(0)
    X, targets = rng.integers(0, 2, (60, 6)), rng.integers(0, 50, 60)
    weight = rng.integers(1, 4, 60)
    result = solver_of((X, targets, weight)).solve(max_depth=3)
    problem = Distances((X.tolist(), targets.tolist(), weight.tolist()))
    assert Fraction(result.objective) == problem.recount(result.tree)
    assert result.objective == result.lower_bound


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("least", [0, -70_000, 10**9])
def test_node_without_savings_is_not_kept(seed, least):
    """Each side has as many targets below the gap as above: all share medians."""
    rng = np.random.default_rng(seed)
    low, high = rng.choice(5000, 40, replace=False), rng.choice(5000, 40, replace=False)
    cents = least + np.concatenate([low, high + 6000])
    column = np.tile([[0], [1]], (40, 1))
    solver = solver_of((column, cents / 100, np.ones(80)))
    result = solver.solve(1, fewest_nodes=True)
    assert result.tree.n_nodes == 0
    expected = np.abs(cents - np.median(cents)).sum() / 100
    assert result.objective == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("seed", range(6))
def test_cents_are_as_exact_as_whole_numbers(seed):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (70, 3)).tolist()
    cents = (rng.choice(20_000, 70, replace=False) - 7_000).tolist()
    best = best_absolute((X, cents, [1] * 70), 2)
    written = [cent / 100 for cent in cents]
    solver = solver_of((X, written, [0.3] * 70))
    for nodes, least in enumerate(best):
        result = solver.solve(2, nodes, fewest_nodes=True)
        assert result.tree.n_nodes == best.index(least)
        assert result.objective == pytest.approx(float(least) * 0.003, rel=1e-12)


@pytest.mark.parametrize("scale", [1e-200, 1e-12, 1e12, 1e200])
def test_the_scale_of_targets_does_not_matter(scale):
    rng = np.random.default_rng(1)
    X, targets = rng.integers(0, 2, (40, 5)), rng.normal(size=40)
    plain = solver_of((X, targets)).solve(max_depth=2)
    scaled = solver_of((X, targets * scale)).solve(max_depth=2)
    assert scaled.objective == pytest.approx(plain.objective * scale, rel=1e-9)


def test_constant_targets_give_a_leaf():
    result = solver_of(([[0], [1], [1]], [3.5, 3.5, 3.5])).solve(max_depth=2)
    assert result.objective == 0.0
    assert result.tree.n_nodes == 0
    assert result.tree.predict([[1]]).tolist() == [3.5]


def test_the_regressor_is_no_worse_than_a_greedy_tree():
    X, y = load_diabetes(return_X_y=True)
    columns = TableBinarizer(n_thresholds=3).fit_transform(X)
    ours = OptimalTreeRegressor(
        objective="absolute_error", max_depth=2, binarizer=None
    ).fit(columns, y)
    greedy = DecisionTreeRegressor(
        criterion="absolute_error", max_depth=2, random_state=0
    ).fit(columns, y)
    error = np.abs(ours.predict(columns) - y).sum()
    assert ours.status_ == "optimal"
    assert ours.objective_ == pytest.approx(error, rel=1e-12)
    assert error <= np.abs(greedy.predict(columns) - y).sum()


def test_too_many_distinct_targets_are_refused():
    X = np.zeros((6000, 1), dtype=np.uint8)
    with pytest.raises(
        ValueError,
        match=r"y must have at most 5,592 distinct values with 6,000 rows and 1 "
        r"boolean columns. Got 6,000 instead: round the targets",
    ):
        solver_of((X, np.arange(6000.0) ** 1.5)).solve(max_depth=1)


def test_wide_tables_may_have_several_targets():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 20_000), dtype=np.uint8)
    y = 3 * X[:, 777] + X[:, 19_000].astype(float)
    found = solver_of((X, y)).solve(max_depth=2, time_limit=60)
    assert (found.objective, found.status) == (0, "optimal")
    with pytest.raises(ValueError, match=r"at most 52 distinct values with 60 rows"):
        solver_of((X, np.arange(60.0)))


def test_judge_of_a_leaf_by_hand():
    rows = [((0,), Fraction(1), Fraction(1)), ((0,), Fraction(4), Fraction(2))]
    assert absolute_error(rows) == 3
