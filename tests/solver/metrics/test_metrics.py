"""Nonlinear metrics: against the judge, scikit-learn, and two ways to solve them."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.confusion import all_points, class_weights, fronts, losses_of, metric_losses
from oracle.strategies import (
    instances,
    random_instance,
    structured_instance,
    two_classes,
)
from sklearn.base import clone

from murtree import (
    MetricSolver,
    OptimalTreeClassifier,
    Solver,
    Tree,
    export_text,
)
from murtree._solver.metrics.dinkelbach import Challenge, better_than, most_beyond
from murtree._solver.metrics.metrics import (
    ALL_NAMES,
    Classes,
    FBeta,
    best_loss_beyond,
    check_metric,
)

BETAS = (0.1, 0.5, 1.0, 2.0, 3)


def check_metrics(data, depth, points, beta, **limits):
    """Assert that the optimum of every metric is the best of the judge's points."""
    losses = losses_of(data, points, beta)
    solver = MetricSolver(*data)
    for name in ALL_NAMES:
        result = solver.solve(name, depth, beta=beta, **limits)
        assert result.status == "optimal"
        assert result.lower_bound == result.objective
        least = min(loss[name] for loss in losses)
        assert result.objective == pytest.approx(least, rel=1e-9, abs=1e-9), name


@settings(deadline=None)
@given(instances(max_features=3, max_rows=10), st.sampled_from(BETAS))
def test_optima_are_those_of_all_trees(data, beta):
    data = two_classes(data)
    rows = [row for row in zip(*data, strict=True) if row[2] > 0]
    for depth in range(3):
        points = all_points(rows, len(data[0][0]), depth)
        check_metrics(data, depth, points, beta)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 300, 50))
def test_random_optima_are_the_judges(first):
    for seed in range(first, first + 50):
        data = two_classes(random_instance(seed, max_features=4))
        beta, size = BETAS[seed % len(BETAS)], 1 + seed % 2
        for depth in (1, 3):
            expected = fronts(*data, depth, size)
            for nodes in range(0, 2**depth, 2):
                check_metrics(
                    data,
                    depth,
                    expected[nodes],
                    beta,
                    max_num_nodes=nodes,
                    min_samples_leaf=size,
                )


@pytest.mark.parametrize("seed", range(60))
def test_fronts_and_plain_requests_agree(seed):
    data = two_classes(structured_instance(seed))
    solver = MetricSolver(*data)
    front = solver.pareto_front(3)
    for beta in BETAS:
        result = solver.solve("fbeta", 3, beta=beta)
        assert result.objective == front.best("fbeta", beta=beta).objective
    for name in ("f1", "balanced_accuracy"):
        assert solver.solve(name, 3).objective == front.best(name).objective
    balanced = Solver(*data, objective="balanced_accuracy").solve(3).objective
    assert balanced == pytest.approx(solver.solve("balanced_accuracy", 3).objective)


SCORES = {
    "f1": sklearn.metrics.f1_score,
    "matthews": sklearn.metrics.matthews_corrcoef,
    "balanced_accuracy": sklearn.metrics.balanced_accuracy_score,
}


@pytest.mark.parametrize("name", SCORES)
@pytest.mark.parametrize("seed", range(5))
def test_objectives_are_scikit_learns(name, seed):
    X, y, _ = two_classes(structured_instance(seed))
    weight = np.random.default_rng(seed).integers(1, 5, len(y))
    clf = OptimalTreeClassifier(max_depth=2, objective=name, binarizer=None)
    clf.fit(X, y, sample_weight=weight)
    score = SCORES[name](y, clf.predict(X), sample_weight=weight)
    assert clf.objective_ == pytest.approx(1 - score, abs=1e-12)


def test_a_class_without_weight_counts_as_scikit_learn_counts_it():
    X, y = [[0], [1], [1]], [0, 1, 1]
    for weight in ([1, 0, 0], [0, 1, 1]):
        n0, n1 = class_weights(y, weight)
        losses = metric_losses(n0, 0, 0, n1)
        for name in ALL_NAMES:
            result = MetricSolver(X, y, weight).solve(name, 1)
            assert (result.objective, result.status) == (losses[name], "optimal")
            assert result.tree.predict([[0]]).tolist() == [int(n1 > 0)]


@settings(deadline=None)
@given(
    st.integers(1, 50),
    st.integers(1, 50),
    st.fractions(0, 1, max_denominator=40).filter(bool),
    st.sampled_from(BETAS),
)
def test_challenge_compares_exactly(n0, n1, merit, beta):
    metric, classes = FBeta(beta), Classes(n0, n1)
    challenge = better_than(metric, merit, classes)
    for fp in range(0, n0 + 1, 3):
        for fn in range(0, n1 + 1, 3):
            price = challenge.price_fp * fp + challenge.price_fn * fn
            is_better = metric.merit(classes, fp, fn) > merit
            assert (price <= challenge.limit) == is_better


@settings(deadline=None)
@given(
    st.integers(1, 30),
    st.integers(1, 30),
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(0, 300),
)
def test_no_tree_beyond_a_price_exceeds_the_bound(n0, n1, price_fp, price_fn, price):
    assume(price <= price_fp * n0 + price_fn * n1)
    metric, classes = FBeta(2.0), Classes(n0, n1)
    challenge = Challenge(price_fp, price_fn, 0)
    most = most_beyond(metric, challenge, price, classes)
    merits = [
        metric.merit(classes, fp, fn)
        for fp in range(n0 + 1)
        for fn in range(n1 + 1)
        if price_fp * fp + price_fn * fn >= price
    ]
    assert max(merits) <= most


@settings(deadline=None)
@given(st.integers(1, 20), st.integers(1, 20), st.data())
def test_bound_from_equal_rows_is_valid(n0, n1, data):
    wrong = data.draw(st.integers(0, min(n0, n1)))
    classes = Classes(n0, n1)
    for name in ALL_NAMES:
        metric = check_metric(name, 1.0, "test")
        least = best_loss_beyond(metric, classes, wrong)
        for fp in range(n0 + 1):
            for fn in range(n1 + 1):
                loss = metric.loss(metric.merit(classes, fp, fn))
                if fp + fn >= wrong and loss < 1:
                    assert least <= loss


def test_fbeta_interprets_beta_as_a_decimal():
    assert FBeta(0.1).beta_squared == Fraction(1, 100)


# --- callables ---


def weighted_errors(tn, fp, fn, tp):
    return -3 * fp - fn


@pytest.mark.parametrize("seed", range(10))
def test_callables_are_as_good_as_names(seed):
    data = two_classes(structured_instance(seed))
    solver = MetricSolver(*data)

    def f1(tn, fp, fn, tp):
        return 2 * tp / (2 * tp + fp + fn)

    assert solver.solve(f1, 3).objective + 1 == pytest.approx(
        solver.solve("f1", 3).objective
    )
    front = solver.pareto_front(3)
    least = min(3 * point.fp + point.fn for point in front)
    assert solver.solve(weighted_errors, 3).objective == least
    assert isinstance(solver.solve(lambda *_: np.float64(0), 1).objective, float)


@pytest.mark.parametrize(
    ("score", "kind", "message"),
    [
        (lambda tn, fp, fn, tp: fp, ValueError, "must not rise with false positives"),
        (lambda tn, fp, fn, tp: fn - fp, ValueError, "must not rise"),
        (lambda tn, fp, fn, tp: -abs(fp - 2), ValueError, "must not rise"),
        (lambda tn, fp, fn, tp: math.nan, ValueError, "must return a finite number"),
        (lambda tn, fp, fn, tp: math.inf, ValueError, "must return a finite number"),
        (lambda tn, fp, fn, tp: None, TypeError, "must return a number. Got None"),
        (lambda tn, fp, fn, tp: True, TypeError, "must return a number. Got True"),
        (lambda tn, fp, fn, tp: [1.0], TypeError, "must return a number"),
    ],
)
def test_wrong_callables_are_refused(score, kind, message):
    X, y, _ = two_classes(structured_instance(0))
    with pytest.raises(kind, match=message):
        MetricSolver(X, y).solve(score, 2)
    with pytest.raises(kind, match=message):
        MetricSolver(X, y).pareto_front(2).best(score)


def test_nan_at_a_single_point_is_found():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]] * 20, [0, 1, 1, 0] * 10 + [1, 1, 0, 0] * 10
    front = MetricSolver(X, y).pareto_front(1)
    odd = (front[1].fp, front[1].fn)

    def score(tn, fp, fn, tp):
        return math.nan if (fp, fn) == odd else -float(fp + fn)

    with pytest.raises(ValueError, match="must return a finite number"):
        front.best(score)


# --- the estimator ---


def test_leaf_labels_are_optimal_and_not_the_majority():
    X, y = [[0], [0], [0], [1]], [0, 0, 1, 0]
    clf = OptimalTreeClassifier(max_depth=1, objective="f1", binarizer=None).fit(X, y)
    assert clf.predict([[0], [1]]).tolist() == [1, 0]  # though 1 is rarer
    assert clf.predict_proba([[0]]).tolist() == [[2 / 3, 1 / 3]]
    assert clf.objective_ == clf.lower_bound_ == 0.5
    assert clf.tree_.misclassified == 2
    assert "class: 1 (2 of 3 wrong)" in export_text(clf)


def test_labels_are_saved_and_checked():
    X, y = [[0], [0], [0], [1]], [0, 0, 1, 0]
    tree = MetricSolver(X, y).solve("f1", 1).tree
    saved = json.loads(json.dumps(tree.to_dict()))
    assert saved["label"] == [0, 1, 0]
    assert Tree.from_dict(saved).predict([[0], [1]]).tolist() == [1, 0]
    for wrong in ([0, 1], [0, 2, 0], [0, -1, 0], [0, 0.5, 0], "label"):
        with pytest.raises(ValueError, match="'label' entry of a saved tree"):
            Tree.from_dict(saved | {"label": wrong})


def test_the_estimator_keeps_its_front_in_the_users_units():
    rng = np.random.default_rng(0)
    X = rng.random((120, 3)) * 100
    y = np.where(X[:, 0] + 40 * rng.random(120) > 60, "yes", "no")
    clf = OptimalTreeClassifier(max_depth=2, objective="gmean", pareto_front=True)
    clf.fit(X, y)
    front = clf.pareto_front_
    assert front.status == clf.status_ == "optimal"
    for point in front:
        predicted = point.tree.predict(X)
        assert point.fp == ((predicted == "yes") & (y == "no")).sum()
        assert point.fn == ((predicted == "no") & (y == "yes")).sum()
    assert clf.objective_ == front.best("gmean").objective
    assert (clf.predict(X) == clf.tree_.predict(X)).all()
    clf.set_params(pareto_front=False).fit(X, y)
    assert not hasattr(clf, "pareto_front_")


@pytest.mark.parametrize(
    ("parameters", "kind", "message"),
    [
        ({"objective": "f2"}, ValueError, "'objective' parameter .*'accuracy'.*'f2'"),
        ({"objective": 3}, ValueError, "'objective' parameter .*'accuracy'.*Got 3"),
        ({"objective": "fbeta", "beta": 0}, ValueError, "'beta' parameter"),
        ({"objective": "fbeta", "beta": "1"}, TypeError, "'beta' parameter"),
        ({"objective": "fbeta", "beta": math.nan}, ValueError, "'beta' parameter"),
        ({"pareto_front": True}, ValueError, "'pareto_front' .* must be False"),
        ({"objective": "f1", "pareto_front": 1}, TypeError, "must be a bool"),
        ({"objective": "f1", "frontier": True}, ValueError, "'frontier' .* False"),
        ({"objective": "f1", "cost_complexity": 0.1}, ValueError, "must be 0.0 with"),
        ({"objective": "f1", "fewest_nodes": True}, ValueError, "'fewest_nodes'"),
    ],
)
def test_wrong_parameters_are_refused(parameters, kind, message):
    clf = OptimalTreeClassifier(binarizer=None, **parameters)
    with pytest.raises(kind, match=message):
        clf.fit([[0], [1]], [0, 1])


def test_f1_of_three_classes_is_refused():
    clf = OptimalTreeClassifier(objective="f1", binarizer=None)
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        clf.fit([[0], [1], [1]], [0, 1, 2])
    assert not hasattr(clf, "tree_")


def test_options_other_than_switches_are_refused():
    with pytest.raises(
        ValueError, match=r"'solver_options' .* Got \['feature_costs'\]"
    ):
        MetricSolver([[0], [1]], [0, 1], solver_options={"feature_costs": [5]})


def test_failing_callable_reports_its_input():
    X, y = [[0], [0], [1]], [0, 1, 1]
    with pytest.raises(TypeError, match=r"take \(tn, fp, fn, tp\).* failed at \(tn"):
        MetricSolver(X, y).solve(lambda y, predicted: 1.0, max_depth=1)
    with pytest.raises(ZeroDivisionError, match="failed at"):
        MetricSolver(X, y).solve(lambda tn, fp, fn, tp: tp / (tp + fp), max_depth=1)


@pytest.mark.parametrize("objective", ["accuracy", "f1"])
def test_other_objectives_ignore_beta(objective):
    data = [[0], [0], [0], [1], [1]], [0, 1, 1, 1, 0]
    usual = OptimalTreeClassifier(objective=objective, binarizer=None).fit(*data)
    other = clone(usual).set_params(beta=2.0).fit(*data)
    assert other.objective_ == usual.objective_
    assert other.tree_.to_json() == usual.tree_.to_json()
    with pytest.raises(ValueError, match="'beta' parameter"):  # always invalid
        clone(usual).set_params(beta=-1.0).fit(*data)
