"""Gini impurity and log loss: exact examples, weights, and errors with ties by Gini."""

import numpy as np
import pytest
from oracle.strategies import PLAIN, structured_instance
from sklearn.datasets import load_iris
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.tree import DecisionTreeClassifier

from murtree import OptimalTreeClassifier, Solver, TableBinarizer

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


def test_weights_are_equivalent_to_copies(iris):
    bits, labels = iris
    times = np.arange(len(labels)) % 4
    for name in ("gini", "log_loss", "accuracy_then_gini"):
        weighted = Solver(bits, labels, times, objective=name).solve(2)
        rows = np.repeat(np.arange(len(labels)), times)
        copied = Solver(bits[rows], labels[rows], objective=name).solve(2)
        assert weighted.objective == pytest.approx(copied.objective, rel=1e-9)
        half = Solver(bits, labels, times / 2, objective=name).solve(2)
        assert half.objective == pytest.approx(copied.objective / 2, rel=1e-9)


@pytest.mark.parametrize("objective", ["gini", "log_loss", "accuracy_then_gini"])
@pytest.mark.parametrize("least", [1, 5])
def test_bounds_and_caches_do_not_change_the_objective(objective, least):
    for seed in range(40):
        data = structured_instance(seed, max_features=10, max_rows=80)
        plain, full = (
            Solver(*data, objective=objective, **options).solve(
                3, 5, min_samples_leaf=least
            )
            for options in (PLAIN, {})
        )
        assert full.objective == pytest.approx(plain.objective, rel=1e-9, abs=1e-9)
        some = gini_of(full.tree), gini_of(plain.tree)
        if objective == "accuracy_then_gini":
            assert some[0] == pytest.approx(some[1], abs=1e-4 * sum(data[2]))


def gini_of(tree):
    value = tree.value[tree.feature < 0].astype(float)
    total = value.sum(axis=1)
    return (total - (value**2).sum(axis=1) / total).sum()


@pytest.mark.parametrize("objective", ["gini", "log_loss"])
def test_the_similarity_bound_saves_work(objective):
    rng = np.random.default_rng(0)
    values = rng.random((400, 4))
    bits = np.hstack([values > share for share in np.linspace(0.05, 0.95, 10)])
    labels = (values[:, 0] + values[:, 1] > 1).astype(int)
    calls = [
        Solver(bits, labels, objective=objective, similarity_bound=used)
        .solve(4, 5)
        .stats["depth_two_calls"]
        for used in (True, False)
    ]
    assert calls[0] < calls[1]


@pytest.mark.parametrize("objective", ["gini", "log_loss", "accuracy_then_gini"])
def test_time_limit_gives_a_valid_bound(objective):
    rng = np.random.default_rng(0)
    bits, labels = rng.random((600, 60)) < 0.5, rng.integers(0, 3, 600)
    solver = Solver(bits, labels, objective=objective)
    result = solver.solve(6, time_limit=0.2)
    assert result.status == "time_limit"
    assert 0 <= result.lower_bound <= result.objective < solver.solve(0).objective
    assert 0 < result.gap <= 1
    assert solver.solve(2).objective >= result.lower_bound


def test_a_price_is_the_ccp_alpha_of_scikit_learn(iris):
    bits, labels = iris
    alpha = 0.02
    result = Solver(bits, labels, objective="gini").solve(3, cost_complexity=alpha)
    greedy = DecisionTreeClassifier(max_depth=3, ccp_alpha=alpha, random_state=0)
    tree = greedy.fit(bits, labels).tree_
    leaves = tree.children_left < 0
    impurity = (tree.impurity * tree.weighted_n_node_samples)[leaves].sum()
    penalised = impurity + alpha * len(labels) * (leaves.sum() - 1)
    assert result.objective <= penalised + 1e-9
    own = gini_of(result.tree) + alpha * len(labels) * result.tree.n_nodes
    assert result.objective == pytest.approx(own)


def test_one_class_and_pure_leaves():
    for name in ("gini", "log_loss", "accuracy_then_gini"):
        for depth in (0, 2):
            result = Solver(X, ["a"] * 6, objective=name).solve(depth)
            assert (result.objective, result.tree.n_nodes) == (0, 0)
        result = Solver([[0], [1]], [0, 1], objective=name).solve(2)
        assert (result.objective, result.tree.n_nodes) == (0, 1)


def test_bad_input():
    with pytest.raises(ValueError, match="must be a str among"):
        Solver(X, y, objective="entropy")
    with pytest.raises(ValueError, match="must be a str among"):
        OptimalTreeClassifier(objective="entropy").fit(X, y)
    with pytest.raises(ValueError, match="orders of magnitude"):
        Solver(X, y, [1e-15, 1, 1, 1, 1, 0.1234567890123], objective="gini")
    with pytest.raises(ValueError, match="orders of magnitude"):
        Solver(X, y, [5e-324, 1, 1, 1, 1, 0.1234567890123], objective="gini")
    with pytest.raises(ValueError, match="must be None with objective='acc"):
        Solver(X, y, objective="accuracy_then_gini", feature_costs=[1, 1])


def test_too_many_rows_for_errors_before_impurity(monkeypatch):
    monkeypatch.setattr("murtree._solver.objectives.impurity.MAX_ERRORS", 10)
    with pytest.raises(ValueError, match="at most 5 rows with objective='accuracy_th"):
        Solver(X, y, objective="accuracy_then_gini")


def test_errors_come_before_impurity(iris):
    bits, labels = iris
    plain = Solver(bits, labels)
    both = Solver(bits, labels, objective="accuracy_then_gini")
    for depth in (0, 1, 2, 3):
        assert both.solve(depth).objective == plain.solve(depth).objective


@pytest.mark.parametrize("lightest", [1e-12, 1e-300, 5e-324])
def test_a_light_row_does_not_weaken_bounds_of_errors(lightest):
    rng = np.random.default_rng(0)
    bits, labels = rng.random((60, 4)) < 0.5, rng.integers(0, 2, 60)
    weight = rng.random(60)
    weight[0] = lightest
    solver = Solver(bits, labels, weight, objective="accuracy_then_gini")
    least = solver.solve(2).objective
    assert least == pytest.approx(Solver(bits, labels, weight).solve(2).objective)
    assert solver.solve(2, upper_bound=least).status == "optimal"
    below = solver.solve(2, upper_bound=least - 1e-3)
    assert below.status == "infeasible"
    assert least - 2e-3 < below.lower_bound <= least


@pytest.mark.parametrize("price", [1e-6, 1e-5, 1e-3])
def test_a_small_price_of_nodes_is_no_tie(price):
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 2, (60, 4))
    labels = (bits[:, 0] & bits[:, 1]) | (rng.random(60) < 0.2)
    plain, both = (
        Solver(bits, labels, objective=name).solve(3, cost_complexity=price)
        for name in ("accuracy", "accuracy_then_gini")
    )
    assert both.objective == plain.objective
    assert both.tree.n_nodes == plain.tree.n_nodes
