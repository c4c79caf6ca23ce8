"""Real weights: exact if possible, and equivalent to copies or absence of rows."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.brute_force import (
    best_errors,
)
from oracle.strategies import instances, real_instances, thorough
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.utils.class_weight import compute_sample_weight

from murtree import OptimalTreeClassifier, Solver, TableBinarizer, Tree

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
y = [0, 1, 1, 0, 0]


@thorough
@given(instances(max_features=5, max_rows=10), st.sampled_from([0.5, 0.1, 3, 1 / 3]))
def test_scaled_weights_are_the_same_problem(data, factor):
    features, labels, weight = data
    weight = [min(w, 5) for w in weight]
    assume(any(weight))
    plain = Solver(features, labels, weight)
    scaled = Solver(features, labels, [w * factor for w in weight])
    for ask in ({}, {"cost_complexity": 0.0625}, {"fewest_nodes": True}):
        a, b = plain.solve(3, 5, **ask), scaled.solve(3, 5, **ask)
        assert b.objective == pytest.approx(a.objective * factor, rel=1e-12)
        assert a.tree.feature.tolist() == b.tree.feature.tolist()
        assert counts(a) == counts(b)


def counts(result):
    timed = ("seconds", "seconds_to_best", "bytes")
    return {k: v for k, v in result.stats.items() if not k.endswith(timed)}


@pytest.mark.parametrize("weight", [2, 0.5, 0.1, 1 / 3, 1e-300, 1e12, np.pi])
@pytest.mark.parametrize("ask", [{}, {"cost_complexity": 0.02}, {"fewest_nodes": True}])
def test_equal_weights_are_equivalent_to_none(weight, ask):
    table, labels = load_breast_cancer(return_X_y=True)
    bits = TableBinarizer(n_thresholds=3).fit_transform(table)
    plain = Solver(bits, labels).solve(3, **ask)
    equal = Solver(bits, labels, np.full(len(labels), weight)).solve(3, **ask)
    assert equal.tree.feature.tolist() == plain.tree.feature.tolist()
    assert equal.tree.predict(bits).tolist() == plain.tree.predict(bits).tolist()
    assert equal.objective == pytest.approx(plain.objective * weight, rel=1e-12)
    if not (ask.get("cost_complexity") and weight not in (2, 0.5)):
        assert counts(equal) == counts(plain)


def test_equal_weights_give_the_estimator_the_same_tree():
    table, labels = load_iris(return_X_y=True)
    plain = OptimalTreeClassifier(max_depth=2).fit(table, labels)
    for weight in (3, 0.1, 2 / 3):
        equal = OptimalTreeClassifier(max_depth=2).fit(
            table, labels, np.full(len(labels), weight)
        )
        assert equal.tree_.feature.tolist() == plain.tree_.feature.tolist()
        assert equal.tree_.threshold.tolist() == plain.tree_.threshold.tolist()
        assert equal.objective_ == pytest.approx(6 * weight)


@thorough
@given(real_instances(max_rows=8), st.lists(st.integers(1, 4), min_size=8, max_size=8))
def test_weight_is_equivalent_to_copies(data, copies):
    features, labels, weight = data
    times = np.array(copies[: len(labels)])
    heavy = np.array(weight) * times
    rows = np.repeat(np.arange(len(labels)), times)
    weighted = Solver(features, labels, heavy)
    repeated = Solver(
        np.array(features)[rows], np.array(labels)[rows], np.array(weight)[rows]
    )
    for nodes in (1, 2, 4):
        a, b = weighted.solve(3, nodes).objective, repeated.solve(3, nodes).objective
        assert a == pytest.approx(b, rel=1e-12, abs=sum(heavy) * 1e-8)


@thorough
@given(real_instances())
def test_weight_zero_is_equivalent_to_absence(data):
    features, labels, weight = map(np.array, data)
    there = weight > 0
    assume(there.sum() >= 2 and set(labels[there]) == set(labels))
    for options in ({}, {"objective": "balanced_accuracy"}):
        whole = Solver(features, labels, weight, **options)
        part = Solver(features[there], labels[there], weight[there], **options)
        for ask in ({}, {"min_samples_leaf": 2}, {"cost_complexity": 0.05}):
            a, b = whole.solve(3, 4, **ask), part.solve(3, 4, **ask)
            assert a.objective == pytest.approx(b.objective, rel=1e-12, abs=1e-12)
            assert a.tree.to_dict() == b.tree.to_dict()


def test_weights_with_few_decimals_are_exact():
    result = Solver([[0], [0], [0], [1]], [0, 0, 1, 1], [0.1, 0.2, 0.9, 1.2]).solve(1)
    assert result.objective == 0.3  # not 0.1 + 0.2
    assert result.tree.value.tolist() == [[0.3, 2.1]]
    np.testing.assert_allclose(result.tree.predict_proba([[1]]), [[0.125, 0.875]])
    again = Tree.from_dict(result.tree.to_dict())
    assert again.misclassified == result.misclassified == pytest.approx(0.3)


def test_integer_weights_stay_integers():
    result = Solver(X, y, [2.0, 4.0, 2.0, 2.0, 2.0]).solve(1)
    assert isinstance(result.objective, int)
    assert result.tree.value.dtype == np.int64


def test_the_gap_of_real_weights_is_relative():
    rng = np.random.default_rng(0)
    bits, labels = rng.integers(0, 2, (300, 40)), rng.integers(0, 3, 300)
    weight = rng.random(300) / 1000
    solver = Solver(bits, labels, weight)
    result = solver.solve(5, time_limit=0.05)
    assert result.status == "time_limit"
    assert 0 <= result.lower_bound < result.objective < 0.1
    expected = (result.objective - result.lower_bound) / result.objective
    assert result.gap == pytest.approx(expected)
    gaps = []
    solver.solve(5, callback=lambda progress: gaps.append(progress.gap) or True)
    assert 0 < gaps[0] <= 1


@pytest.mark.parametrize("seed", range(5))
def test_bounds_at_a_time_limit_are_valid(seed):
    rng = np.random.default_rng(seed)
    bits, labels = rng.integers(0, 2, (120, 14)), rng.integers(0, 3, 120)
    weight = rng.exponential(1.0, 120)
    best = Solver(bits, labels, weight).solve(4).objective
    for seconds in (0.001, 0.01):
        found = Solver(bits, labels, weight).solve(4, time_limit=seconds)
        assert found.lower_bound <= best * (1 + 1e-8)
        assert found.objective >= best * (1 - 1e-8)


@pytest.mark.parametrize(
    "class_weight", ["balanced", {0: 1.0, 1: 2.5, 2: 0.3}, {1: 3}, {0: 0.0}]
)
def test_class_weights_are_weights(class_weight):
    table, labels = load_iris(return_X_y=True)
    table, labels = table[20:], labels[20:]
    weight = compute_sample_weight(class_weight, labels)
    by_class = OptimalTreeClassifier(
        max_depth=2, class_weight=class_weight, binarizer=TableBinarizer(n_thresholds=3)
    ).fit(table, labels)
    bits = TableBinarizer(n_thresholds=3).fit_transform(table)
    by_row = Solver(bits, labels, weight).solve(2)
    assert by_class.objective_ == pytest.approx(by_row.objective, rel=1e-12)
    wrong = by_class.predict(table) != labels
    assert by_class.objective_ == pytest.approx(weight[wrong].sum(), abs=1e-12)


def test_balanced_classes_use_sample_weight():
    table, labels = load_iris(return_X_y=True)
    weight = np.arange(len(labels)) % 4
    copies = np.repeat(np.arange(len(labels)), weight)
    classifier = OptimalTreeClassifier(max_depth=2, class_weight="balanced")
    weighted = classifier.fit(table, labels, weight).tree_.to_dict()
    repeated = classifier.fit(table[copies], labels[copies]).tree_.to_dict()
    assert weighted == repeated


@pytest.mark.parametrize(
    ("class_weight", "error", "message"),
    [
        ("equal", ValueError, "'class_weight' .* must be a dict, 'balanced' or None"),
        ([1, 2], ValueError, "'class_weight' .* must be a dict"),
        ({0: -1.0, 1: 1.0}, ValueError, r"must be non-negative\. Got -1\.0"),
        ({0: float("nan"), 1: 1.0}, ValueError, "finite numbers"),
        ({0: 0, 1: 0}, ValueError, "at least one non-zero"),
        ({"a": 1}, ValueError, "are not in class_weight"),
    ],
)
def test_bad_class_weights(class_weight, error, message):
    classifier = OptimalTreeClassifier(class_weight=class_weight)
    with pytest.raises(error, match=message):
        classifier.fit([[0.0], [1.0], [2.0]], [0, 1, 1])


def test_heavy_whole_weights_stay_whole_numbers():
    """They are summed instead of counted by bits, with the same errors."""
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (60, 5)), rng.integers(0, 2, 60)
    weight = rng.integers(2**18, 2**19, 60)
    result = Solver(X, y, weight).solve(max_depth=2)
    best = best_errors(X.tolist(), y.tolist(), weight.tolist(), 2)
    assert isinstance(result.objective, int)
    assert result.objective == result.lower_bound == result.misclassified == best[-1]
    assert result.tree.value.dtype == np.int64
    sparse = Solver(X, y, weight).solve(max_depth=2, cost_complexity=0.01)
    price = Fraction(0.01) * int(weight.sum())
    least = min(wrong + nodes * price for nodes, wrong in enumerate(best))
    assert sparse.objective == pytest.approx(float(least), rel=1e-9)


def test_heavy_decimal_weights_stay_exact():
    n_rows = 1000
    X = np.zeros((n_rows + 2, 2), int)
    X[1 : n_rows + 1, 0] = X[n_rows + 1, 1] = 1
    y = [0] + [1] * (n_rows + 1)
    weight = np.r_[2e10, np.full(n_rows, 0.5), 1.5]
    assert Solver(X, y, weight).solve(max_depth=1).objective == 1.5
    assert Solver(X, y, (2 * weight).astype(int)).solve(max_depth=1).objective == 3


HEAVY = [[0, 0], [1, 0], [1, 0], [0, 1], [0, 1], [0, 0]]
HEAVY_WEIGHT = [2**50, 1, 1, 500, 500, 1]


@pytest.mark.parametrize(
    ("objective", "feature_costs", "least"),
    [("absolute_error", None, 2), ([[0, 1], [2, 0]], None, 4), ("accuracy", [1, 2], 4)],
)
def test_a_heavy_row_does_not_hide_the_others(objective, feature_costs, least):
    """No good tree misclassifies it, so its cost need not be represented exactly."""
    solver = Solver(
        HEAVY,
        [0, 1, 1, 1, 1, 0],
        HEAVY_WEIGHT,
        objective=objective,
        feature_costs=feature_costs,
    )
    assert solver.solve(max_depth=1).objective == pytest.approx(least, rel=1e-9)


def test_one_weight_for_all_rows():
    X, y = [[0], [0], [1]], [0, 1, 1]
    assert Solver(X, y, 3).solve(1).objective == 3
