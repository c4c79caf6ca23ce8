"""Gini impurity and log loss: exact examples, weights, and errors with ties by Gini."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.tree import DecisionTreeClassifier

from murtree import Solver, TableBinarizer

X = [[0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 1]]
y = ["a", "a", "b", "b", "c", "c"]


def test_gini_of_an_example():
    solver = Solver(X, y, objective="gini")
    assert solver.solve(0).objective == pytest.approx(6 - 12 / 6)
    result = solver.solve(1)
    assert result.objective == pytest.approx(2 * (3 - 5 / 3))
    assert result.tree.value.tolist() == [[2, 2, 2], [2, 1, 0], [0, 1, 2]]
    assert solver.solve(2).objective == pytest.approx(1.0)


def test_log_loss_of_an_example():
    solver = Solver(X, y, objective="log_loss")
    assert solver.solve(0).objective == pytest.approx(6 * np.log(3))
    side = 3 * np.log(3) - 2 * np.log(2)
    assert solver.solve(1).objective == pytest.approx(2 * side)
    assert solver.solve(2).objective == pytest.approx(2 * np.log(2))


@pytest.fixture(scope="module")
def iris():
    table, labels = load_iris(return_X_y=True)
    return TableBinarizer(n_thresholds=3).fit_transform(table), labels


def test_objectives_are_those_of_the_predicted_probabilities(iris):
    bits, labels = iris
    keep = labels != 0
    result = Solver(bits[keep], labels[keep], objective="gini").solve(2)
    p = result.tree.predict_proba(bits[keep])[:, 1]
    expected = 2 * keep.sum() * brier_score_loss(labels[keep] == 2, p)
    assert result.objective == pytest.approx(expected)
    result = Solver(bits[keep], labels[keep], objective="log_loss").solve(2)
    p = result.tree.predict_proba(bits[keep])
    assert result.objective == pytest.approx(keep.sum() * log_loss(labels[keep], p))


@pytest.mark.parametrize(
    ("objective", "criterion"), [("gini", "gini"), ("log_loss", "entropy")]
)
def test_never_worse_than_a_greedy_tree(iris, objective, criterion):
    bits, labels = iris
    greedy = DecisionTreeClassifier(criterion=criterion, max_depth=2, random_state=0)
    tree = greedy.fit(bits, labels).tree_
    leaves = tree.children_left < 0
    cost = (tree.impurity * tree.weighted_n_node_samples)[leaves].sum()
    if objective == "log_loss":
        cost *= np.log(2)
    assert Solver(bits, labels, objective=objective).solve(2).objective <= cost + 1e-9


def test_errors_come_before_impurity(iris):
    bits, labels = iris
    plain = Solver(bits, labels)
    both = Solver(bits, labels, objective="accuracy_then_gini")
    for depth in (0, 1, 2, 3):
        assert both.solve(depth).objective == plain.solve(depth).objective
