"""Squared error: weights, the tree of means, and difficult targets."""

import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.objectives import Squares
from oracle.strategies import (
    target_instances,
    thorough,
)
from sklearn.datasets import load_diabetes

from murtree import (
    OptimalTreeRegressor,
    Solver,
    TableBinarizer,
    Tree,
)

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
t = [1.5, 2.0, 3.25, 1.0, 10.0]


@thorough
@given(
    target_instances(max_rows=8), st.lists(st.integers(0, 3), min_size=8, max_size=8)
)
def test_weight_is_equivalent_to_copies(data, copies):
    features, targets = np.array(data[0]), np.array(data[1], dtype=float)
    times = np.array(copies[: len(targets)])
    rows = np.repeat(np.arange(len(targets)), times)
    assume(rows.size >= 2)
    weighted = Solver(features, targets, times, objective="squared_error")
    repeated = Solver(features[rows], targets[rows], objective="squared_error")
    root = repeated.solve(0).objective
    for nodes in (0, 1, 2, 4):
        a, b = weighted.solve(3, nodes), repeated.solve(3, nodes)
        assert a.objective == pytest.approx(b.objective, rel=1e-9, abs=root * 1e-9)


@pytest.mark.parametrize("weight", [3, 0.1, 1 / 3, np.pi])
def test_equal_weights_are_equivalent_to_none(weight):
    table, targets = load_diabetes(return_X_y=True)
    bits = TableBinarizer(n_thresholds=3).fit_transform(table)
    plain, equal = (
        Solver(bits, targets, weights, objective="squared_error").solve(3)
        for weights in (None, np.full(len(targets), weight))
    )
    assert equal.tree.feature.tolist() == plain.tree.feature.tolist()
    assert equal.objective == pytest.approx(plain.objective * weight, rel=1e-12)
    calls = "depth_two_calls"
    assert equal.stats[calls] == plain.stats[calls]


def test_a_tree_of_means():
    solver = Solver([[0], [0], [1], [1]], [1, 3, 10, 20], objective="squared_error")
    result = solver.solve(1)
    assert result.objective == 2 + 50
    assert result.tree.value.tolist() == [[8.5], [2.0], [15.0]]
    assert result.tree.weight.tolist() == [4.0, 2.0, 2.0]
    assert result.tree.predict([[1], [0]]).tolist() == [15.0, 2.0]
    assert result.misclassified is None
    assert solver.classes_ is None
    again = Tree.from_dict(json.loads(json.dumps(result.tree.to_dict())))
    assert again.to_dict() == result.tree.to_dict()
    frontier = solver.frontier(1)
    assert repr(frontier) == "Frontier(nodes=0..1, objective=221..52, status='optimal')"
    assert frontier.objectives.tolist() == [221.0, 52.0]
    assert frontier.breakpoints == ((pytest.approx(169 / 221), 1),)
    assert frontier.best(0.9).tree.n_nodes == 0


@pytest.mark.parametrize("value", [0.0, 0.1, -3, 1e300, 1e-300, 1.7e308, 5e-324])
@pytest.mark.parametrize("weight", [None, [0.1, 0.7, 0.3, 0.2, 0.1]])
def test_constant_targets_give_a_leaf(value, weight):
    solver = Solver(X, [value] * 5, weight, objective="squared_error")
    for ask in ({"max_depth": 3}, {"max_depth": None, "cost_complexity": 0.1}):
        result = solver.solve(**ask)
        assert (result.objective, result.lower_bound) == (0.0, 0.0)
        assert (result.status, result.gap) == ("optimal", 0.0)
        assert result.tree.n_nodes == 0
        assert result.tree.predict(X).tolist() == [value] * 5


@pytest.mark.parametrize("scale", [1e-12, 1e-100, 1e12, 1e100, 1e150])
def test_the_scale_of_targets_does_not_matter(scale):
    plain = Solver(X, t, objective="squared_error").solve(2)
    scaled = Solver(X, [v * scale for v in t], objective="squared_error").solve(2)
    assert scaled.tree.feature.tolist() == plain.tree.feature.tolist()
    expected = float(Fraction(plain.objective) * Fraction(scale) ** 2)
    assert scaled.objective == pytest.approx(expected, rel=1e-12)


def test_targets_around_a_large_mean_lose_nothing():
    plain = Solver(X, [1, 2, 3, 1, 10], objective="squared_error").solve(2)
    far = Solver(X, [2**50 + v for v in (1, 2, 3, 1, 10)], objective="squared_error")
    result = far.solve(2)
    assert result.objective == pytest.approx(plain.objective, rel=1e-12)
    assert result.tree.feature.tolist() == plain.tree.feature.tolist()


@pytest.mark.parametrize("n_rows", [113, 512, 1024])
def test_whole_sums_of_squares_are_not_rounded_up(n_rows):
    """For a balanced 0/1 target they are integers, which ceil must not raise."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (n_rows, 8))
        score = X @ [3, 2, -1, 0, 0, 0, 0, 0] + rng.normal(size=n_rows) * (seed % 3)
        y = np.zeros(n_rows)
        y[np.argsort(score, kind="stable")[n_rows // 2 :]] = 1.0
        fast = Solver(X, y, objective="squared_error")
        slow = Solver(X, y, objective="squared_error", similarity_bound=False)
        for nodes in (1, 2, 3, 5, 7):
            found = fast.solve(max_depth=3, max_num_nodes=nodes)
            other = slow.solve(max_depth=3, max_num_nodes=nodes)
            assert found.status == other.status == "optimal"
            assert found.objective == pytest.approx(other.objective, rel=1e-9)


def test_huge_and_tiny_targets():
    targets = [1e12, 1e-12, 1e12, -1e-12, 2e12]
    problem = Squares((X, targets, [1] * 5))
    for nodes, least in enumerate(problem.best(2)):
        problem.check(problem.solver().solve(2, nodes), least, nodes)
    near = [1e300, 1e300 * (1 + 2**-40), 1e300, 1e300, 1e300]
    with pytest.raises(ValueError, match=r"sum of squared errors .* finite"):
        Solver(X, near, objective="squared_error")


nan, inf = float("nan"), float("inf")
BAD_TARGETS = [
    ([1, 2, nan, 1, 1], ValueError, "Input y contains NaN"),
    ([1, 2, inf, 1, 1], ValueError, "Input y contains (NaN or )?infinity"),
    ([1, 2, -inf, 1, 1], ValueError, "Input y contains (NaN or )?infinity"),
    ([[1, 2]] * 5, ValueError, "y should be a 1d array"),
    ([1, 2, 3], ValueError, r"inconsistent numbers of samples: \[5, 3\]"),
    (["a", "b", "c", "d", "e"], (TypeError, ValueError), "must hold numbers|convert"),
    ([1, None, 2, 3, 4], (TypeError, ValueError), "y"),
    ([1e300, -1e300, 0, 0, 0], ValueError, "sum of squared errors .* finite"),
    (None, ValueError, "y"),
]


@pytest.mark.parametrize(("targets", "error", "message"), BAD_TARGETS)
def test_bad_targets(targets, error, message):
    with pytest.raises(error, match=message):
        Solver(X, targets, objective="squared_error")
    with pytest.raises(error, match=message):
        OptimalTreeRegressor().fit(X, targets)


@pytest.mark.parametrize("heavy", [2**30, 2**45])
def test_light_rows_and_a_heavy_one(heavy):
    rows = [[0, 0]] + [[1, 0]] * 20 + [[0, 1]]
    targets, weight = [0.0] + [1.0] * 21, [heavy] + [1] * 20 + [100]
    result = Solver(rows, targets, weight, objective="squared_error").solve(1)
    assert result.objective == pytest.approx(20.0, rel=1e-6)


def test_weights_that_rounding_would_lose_are_refused():
    with pytest.raises(ValueError, match="orders of magnitude"):
        Solver(X, t, [1e15, 1e-5, 1e-5, np.pi * 1e-6, 1e-6], objective="squared_error")


def test_targets_too_close_for_squares_are_refused():
    with pytest.raises(ValueError, match="too close together"):
        Solver(X, np.array(t) * 1e-170, objective="squared_error")


def test_targets_near_the_largest_allowed():
    scaled = Solver(X, np.array(t) * 1e152, objective="squared_error").solve(1)
    plain = Solver(X, t, objective="squared_error").solve(1)
    assert scaled.objective == pytest.approx(plain.objective * 1e304, rel=1e-9)
