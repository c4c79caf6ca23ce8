"""Costs of errors, costs of features, balanced accuracy: examples and bad input."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

from murtree import OptimalTreeClassifier, Solver, TableBinarizer, export_text

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine])
def test_balanced_accuracy_of_the_estimator(load):
    table, labels = load(return_X_y=True)
    fitted = OptimalTreeClassifier(max_depth=2, objective="balanced_accuracy")
    fitted.fit(table, labels)
    score = balanced_accuracy_score(labels, fitted.predict(table))
    assert fitted.objective_ == pytest.approx(1 - score, abs=1e-12)
    plain = OptimalTreeClassifier(max_depth=2).fit(table, labels)
    assert score >= balanced_accuracy_score(labels, plain.predict(table))
    weighted = OptimalTreeClassifier(max_depth=2, class_weight="balanced")
    weighted.fit(table, labels)
    assert weighted.objective_ / len(labels) == pytest.approx(fitted.objective_)


def test_the_cheapest_label_need_not_be_the_heaviest_class():
    labels = ["no", "no", "no", "yes"]
    solver = Solver([[0], [0], [0], [0]], labels, objective=[[0, 1], [5, 0]])
    result = solver.solve(1)
    assert result.objective == 3.0
    assert result.tree.predict([[0]]).tolist() == ["yes"]
    assert result.tree.value.tolist() == [[3, 1]]
    assert result.tree.label.tolist() == [1]
    assert result.misclassified == 3
    assert export_text(result.tree) == "|--- class: yes (3 of 4 wrong)\n"


def test_a_label_between_two_classes():
    # Label 1 is never entirely right or wrong.
    costs = [[0, 1, 9], [9, 0, 9], [9, 1, 0]]
    result = Solver([[0]] * 5, [0, 0, 2, 2, 1], objective=costs).solve(0)
    assert (result.objective, result.tree.predict([[0]])) == (4.0, [1])


def test_costs_that_cannot_be_avoided_count():
    result = Solver(X, [0, 1, 1, 0, 0], objective=[[1, 1], [2, 2]]).solve(2)
    assert result.objective == 3 * 1 + 2 * 2
    assert result.tree.n_nodes == 0


def test_zero_costs_give_a_leaf():
    for ask in ({"max_depth": 2}, {"max_depth": None, "cost_complexity": 0.1}):
        result = Solver(X, [0, 1, 1, 0, 0], objective=[[0, 0], [0, 0]]).solve(**ask)
        assert (result.objective, result.status, result.gap) == (0.0, "optimal", 0.0)
        assert result.tree.n_nodes == 0


def test_equal_costs_are_the_accuracy():
    table, labels = load_iris(return_X_y=True)
    plain = OptimalTreeClassifier(max_depth=3).fit(table, labels)
    costly = OptimalTreeClassifier(max_depth=3, objective=2.5 * (1 - np.eye(3))).fit(
        table, labels
    )
    assert costly.objective_ == 2.5 * plain.objective_
    calls = "depth_two_calls"
    assert costly.search_stats_[calls] == plain.search_stats_[calls]


def test_the_estimator_minimises_the_total_cost():
    table, labels = load_breast_cancer(return_X_y=True)
    costs = np.array([[0.0, 10.0], [1.0, 0.0]])
    fitted = OptimalTreeClassifier(max_depth=2, objective=costs).fit(table, labels)
    confusion = confusion_matrix(labels, fitted.predict(table))
    assert fitted.objective_ == (confusion * costs).sum()
    plain = OptimalTreeClassifier(max_depth=2).fit(table, labels)
    confusion = confusion_matrix(labels, plain.predict(table))
    assert fitted.objective_ < (confusion * costs).sum()
    assert fitted.tree_.value.sum(axis=1)[0] == len(labels)


def test_prices_of_features_are_for_the_users_columns():
    table, labels = load_iris(return_X_y=True)
    prices = np.array([0.0, 0.0, 100.0, 100.0])
    free = OptimalTreeClassifier(max_depth=2).fit(table, labels)
    assert set(free.tree_.feature[free.tree_.feature >= 0]) <= {2, 3}
    priced = OptimalTreeClassifier(max_depth=2, feature_costs=prices)
    priced.fit(table, labels)
    assert set(priced.tree_.feature[priced.tree_.feature >= 0]) <= {0, 1}
    priced.set_params(feature_costs=[0.0, 0.0, 3.5, 0.0]).fit(table, labels)
    tests = priced.tree_.feature[priced.tree_.feature >= 0]
    errors = int((priced.predict(table) != labels).sum())
    assert priced.objective_ == errors + 3.5 * np.count_nonzero(tests == 2)
    none = OptimalTreeClassifier(max_depth=2, feature_costs=[0] * 4).fit(table, labels)
    assert none.objective_ == free.objective_
    assert isinstance(none.objective_, int)
    bits = TableBinarizer().fit_transform(table)
    raw = OptimalTreeClassifier(
        max_depth=2, binarizer=None, feature_costs=np.full(bits.shape[1], 200.0)
    ).fit(bits, labels)
    assert (raw.n_nodes_, raw.objective_) == (0, 100.0)


def test_too_expensive_features_are_never_used():
    labels = [0, 1, 1, 0, 0]
    result = Solver(X, labels, feature_costs=[1e300, 1e-300, 1e300]).solve(3)
    assert set(result.tree.feature[result.tree.feature >= 0]) <= {1}
    assert result.objective == 2.0
    frontier = Solver(X, labels, feature_costs=[0.5, 0.5, 0.5]).frontier(2)
    assert frontier.objectives.tolist() == [2.0, 2.0, 2.0, 1.5]
    assert frontier.best(0.2).objective == 2.0


def test_cheaper_of_equal_columns_is_used():
    features = [[0, 0], [0, 0], [1, 1], [1, 1]]
    for prices, cheap in ([[0.5, 0.25], 1], [[0.25, 0.5], 0]):
        result = Solver(features, [0, 0, 1, 1], feature_costs=prices).solve(1)
        assert (result.objective, result.tree.feature[0]) == (0.25, cheap)


nan, inf = float("nan"), float("inf")


@pytest.mark.parametrize(
    ("objective", "error", "message"),
    [
        ([[0, -1], [1, 0]], ValueError, r"non-negative\. Got -1\.0 instead"),
        ([[0, 1]], ValueError, r"shape \(2, 2\)\. Got \(1, 2\) instead"),
        ([[0, 1, 1], [1, 0, 1], [1, 1, 0]], ValueError, r"Got \(3, 3\) instead"),
        ([0, 1], ValueError, r"Got \(2,\) instead"),
        ([[0, 1], [1]], ValueError, "must hold numbers"),
        ([[0, nan], [1, 0]], ValueError, "finite numbers"),
        ([[0, inf], [1, 0]], ValueError, "finite numbers"),
        ([["a", "b"], ["c", "d"]], TypeError, "must hold numbers"),
        ("precision", ValueError, "'objective' .* must be a str among .* Got 'precisi"),
        (None, ValueError, "'objective' .* or a matrix of costs.* Got None"),
        (1.0, ValueError, "'objective' .* Got 1.0"),
    ],
)
def test_bad_objectives(objective, error, message):
    with pytest.raises(error, match=message):
        Solver(X, [0, 1, 1, 0, 0], objective=objective)
    with pytest.raises(error, match=message):
        OptimalTreeClassifier(objective=objective).fit(X, [0, 1, 1, 0, 0])


def test_squared_error_is_not_for_classifiers():
    with pytest.raises(ValueError, match=r"'objective' .* Got 'squared_error'"):
        OptimalTreeClassifier(objective="squared_error").fit(X, [0, 1, 1, 0, 0])


@pytest.mark.parametrize(
    ("prices", "error", "message"),
    [
        ([1, 2], ValueError, r"number for each of the 3 features\. Got shape \(2,\)"),
        ([[1, 2, 3]], ValueError, r"Got shape \(1, 3\)"),
        (1.0, ValueError, r"Got shape \(\)"),
        ([1, -2, 3], ValueError, r"non-negative\. Got -2\.0"),
        ([1, nan, 3], ValueError, "finite numbers"),
        (["a", "b", "c"], TypeError, "must hold numbers"),
    ],
)
def test_bad_feature_costs(prices, error, message):
    with pytest.raises(error, match=message) as caught:
        Solver(X, [0, 1, 1, 0, 0], feature_costs=prices)
    assert "'feature_costs' parameter of Solver" in str(caught.value)
    with pytest.raises(error, match=message) as caught:
        OptimalTreeClassifier(feature_costs=prices).fit(X, [0, 1, 1, 0, 0])
    assert "'feature_costs' parameter of OptimalTree" in str(caught.value)


def test_too_many_nodes_for_the_fewest():
    rng = np.random.default_rng(0)
    bits, labels = rng.integers(0, 2, (4000, 14)), rng.integers(0, 2, 4000)
    solver = Solver(bits, labels, feature_costs=rng.random(14))
    with pytest.raises(ValueError, match="less than 2048 nodes"):
        solver.solve(12, fewest_nodes=True)
    assert solver.solve(1, fewest_nodes=True).status == "optimal"


def test_costs_of_features_by_name():
    frame = pd.DataFrame({"a": [0, 0, 1, 1], "b": [0, 0, 1, 1.5]})
    labels = [0, 0, 1, 1]
    for costs in ({"a": 3.0}, pd.Series({"b": 0.0, "a": 3.0}), [3.0, 0.0]):
        clf = OptimalTreeClassifier(max_depth=1, feature_costs=costs).fit(frame, labels)
        assert clf.tree_.feature[0] == 1
    with pytest.raises(ValueError, match=r"names of columns as keys\. Got 'c'"):
        OptimalTreeClassifier(feature_costs={"c": 1}).fit(frame, labels)
