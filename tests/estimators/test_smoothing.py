"""Smoothed probabilities and means: the same formula everywhere, and the same tree."""

import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score

from murtree import (
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    Tree,
    export_graphviz,
    export_python,
    export_text,
)
from murtree._model.losses import spread_of, training_spread

# A leaf with three rows of "a" and one of "b", another with two rows of "b".
X = [[0], [0], [0], [0], [1], [1]]
Y = list("aaabbb")
KINDS = (OptimalTreeClassifier, OptimalTreeRegressor)
some = settings(max_examples=60, deadline=None)


@pytest.fixture(scope="module")
def rows():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(80, 3))
    classes = (table[:, 0] + rng.normal(size=80) > 0).astype(int) + (table[:, 1] > 1)
    return table, classes, rng.random(80) + 0.2


@pytest.mark.parametrize(
    ("smoothing", "expected"),
    [
        (None, [[3 / 4, 1 / 4], [0, 1]]),
        (0, [[3 / 4, 1 / 4], [0, 1]]),
        (0.0, [[3 / 4, 1 / 4], [0, 1]]),
        ("laplace", [[4 / 6, 2 / 6], [1 / 4, 3 / 4]]),
        (2, [[4 / 6, 2 / 6], [1 / 4, 3 / 4]]),  # both classes have half of the rows
        (np.int64(6), [[6 / 10, 4 / 10], [3 / 8, 5 / 8]]),
        (np.float32(0.5), [[3.25 / 4.5, 1.25 / 4.5], [0.25 / 2.5, 2.25 / 2.5]]),
    ],
)
def test_probabilities_by_hand(smoothing, expected):
    clf = OptimalTreeClassifier(max_depth=1, smoothing=smoothing).fit(X, Y)
    np.testing.assert_allclose(clf.predict_proba([[0], [1]]), expected, rtol=1e-15)
    assert clf.predict([[0], [1]]).tolist() == ["a", "b"]
    assert clf.objective_ == clf.lower_bound_ == 1


def test_the_prior_is_the_share_in_all_rows():
    clf = OptimalTreeClassifier(max_depth=1, smoothing=4).fit(X, list("aaabcc"))
    shares = np.array([3, 1, 2]) / 6
    expected = (np.array([[3, 1, 0], [0, 0, 2]]) + 4 * shares) / [[8], [6]]
    np.testing.assert_allclose(clf.predict_proba([[0], [1]]), expected, rtol=1e-15)


def test_weights_of_classes_count_in_the_leaf_and_in_the_prior():
    clf = OptimalTreeClassifier(max_depth=1, smoothing=1, class_weight={"b": 2})
    found = clf.fit(X, Y).predict_proba([[0], [1]])
    np.testing.assert_allclose(found, [[10 / 18, 8 / 18], [1 / 15, 14 / 15]])


def test_values_by_hand():
    table, y = [[0], [0], [0], [1]], [1.0, 2.0, 3.0, 10.0]
    plain = OptimalTreeRegressor(max_depth=1).fit(table, y)
    reg = OptimalTreeRegressor(max_depth=1, smoothing=2).fit(table, y)
    expected = [(3 * 2 + 2 * 4) / 5, (10 + 2 * 4) / 3]
    np.testing.assert_allclose(reg.predict([[0], [1]]), expected, rtol=1e-15)
    assert reg.objective_ == plain.objective_ == 2.0
    assert reg.tree_.value.tolist() == plain.tree_.value.tolist()
    zero = OptimalTreeRegressor(max_depth=1, smoothing=0).fit(table, y)
    assert zero.tree_.to_json() == plain.tree_.to_json()


def test_a_single_leaf_predicts_the_same():
    y = [0.1, 0.1, 0.1, 0.7, 0.1, 0.3]
    plain = OptimalTreeRegressor(max_depth=0).fit(X, y)
    smooth = OptimalTreeRegressor(max_depth=0, smoothing=3).fit(X, y)
    assert smooth.predict(X).tolist() == plain.predict(X).tolist()
    smooth = OptimalTreeClassifier(max_depth=0, smoothing=3).fit(X, list("aabbba"))
    assert smooth.predict_proba(X[:1]).tolist() == [[0.5, 0.5]]


def test_a_large_weight_moves_probabilities_but_not_predictions():
    clf = OptimalTreeClassifier(max_depth=1, smoothing=1e12)
    clf.fit([[0], [1], [1], [1]], list("abbb"))
    assert clf.predict([[0]]).tolist() == ["a"]
    np.testing.assert_allclose(clf.predict_proba([[0]]), [[0.25, 0.75]])
    assert clf.to_sklearn().predict([[0]]).tolist() == ["a"]
    assert np.isfinite(clf.predict_log_proba([[0]])).all()


def direct(weights, smoothing):
    """Return the formulas of the docstring; row 0 has all training rows."""
    n, k = weights.sum(axis=1, keepdims=True), weights.shape[1]
    if smoothing == "laplace":
        return (weights + 1) / (n + k)
    return (weights + smoothing * weights[0] / n[0]) / (n + smoothing)


@some
@given(data=st.data())
def test_probabilities_follow_the_formula(data):
    n_classes, n = data.draw(st.integers(2, 4)), data.draw(st.integers(4, 30))
    smoothing = data.draw(st.just("laplace") | st.floats(0.0, 1e6))
    rng = np.random.default_rng(data.draw(st.integers(0, 2**32)))
    table = rng.integers(0, 2, (n, 3))
    y = rng.integers(0, n_classes, n)
    y[:n_classes] = range(n_classes)
    weight = rng.integers(1, 5, n) / data.draw(st.sampled_from([1, 2, 10]))
    clf = OptimalTreeClassifier(max_depth=2, smoothing=smoothing)
    leaves = clf.fit(table, y, weight).apply(table)
    groups = [leaves >= 0, *(leaves == leaf for leaf in leaves)]
    weights = np.array([np.bincount(y[g], weight[g], n_classes) for g in groups])
    found = clf.predict_proba(table)
    np.testing.assert_allclose(found, direct(weights, smoothing)[1:], rtol=1e-9)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, rtol=1e-12)
    plain = OptimalTreeClassifier(max_depth=2).fit(table, y, weight)
    assert plain.predict(table).tolist() == clf.predict(table).tolist()


@some
@given(seed=st.integers(0, 2**32), smoothing=st.floats(0.0, 1e6))
def test_values_follow_the_formula(seed, smoothing):
    rng = np.random.default_rng(seed)
    table, y = rng.integers(0, 2, (30, 3)), rng.normal(5, 3, 30).round(1)
    weight = rng.integers(1, 5, 30) / 2
    reg = OptimalTreeRegressor(max_depth=2, smoothing=smoothing)
    leaves = reg.fit(table, y, weight).apply(table)
    groups = [leaves == leaf for leaf in leaves]
    n = np.array([weight[g].sum() for g in groups])
    sums = np.array([(weight * y)[g].sum() for g in groups])
    mean = np.average(y, weights=weight)
    expected = (sums + smoothing * mean) / (n + smoothing)
    np.testing.assert_allclose(reg.predict(table), expected, rtol=1e-9)


@pytest.mark.parametrize("smoothing", ["laplace", 2.5])
@pytest.mark.parametrize(
    "parameters",
    [
        {"frontier": True},
        {"objective": "balanced_accuracy"},
        {"objective": [[0, 1, 3], [1, 0, 2], [9, 1, 0]]},
        {"class_weight": "balanced"},
        {"partial_tree": {"feature": 1}},
        {"max_distinct_features": 1},
        {"binarizer": "exact"},
    ],
)
def test_every_search_gives_smoothed_trees(rows, smoothing, parameters):
    table, y, weight = rows
    clf = OptimalTreeClassifier(max_depth=2, smoothing=smoothing, **parameters)
    plain = clone(clf).set_params(smoothing=None).fit(table, y, weight)
    clf.fit(table, y, weight)
    assert clf.objective_ == plain.objective_
    assert clf.predict(table).tolist() == plain.predict(table).tolist()
    assert replace(clf.tree_, smoothing=None).to_json() == plain.tree_.to_json()
    expected = direct(clf.tree_.value, smoothing)[clf.apply(table)]
    np.testing.assert_allclose(clf.predict_proba(table), expected, rtol=1e-9)
    for result in getattr(clf, "frontier_", ()):
        assert result.tree.smoothing == smoothing
    np.testing.assert_allclose(
        clf.feature_importances_, plain.feature_importances_, rtol=0, atol=0
    )
    assert export_text(clf) == export_text(plain)
    assert export_graphviz(clf) == export_graphviz(plain)


def test_trees_of_a_front_and_of_callbacks_are_smoothed(rows):
    table, y, _ = rows
    seen = []
    clf = OptimalTreeClassifier(
        objective="f1",
        pareto_front=True,
        max_depth=2,
        smoothing="laplace",
        callback=lambda progress: seen.append(progress.tree),
    )
    clf.fit(table, y > 0)
    trees = [
        *(point.tree for point in clf.pareto_front_),
        clf.tree_,
        *filter(None, seen),
    ]
    assert {tree.smoothing for tree in trees} == {"laplace"}
    assert clf.pareto_front_.best("gmean").tree.smoothing == "laplace"


@pytest.mark.parametrize("kind", KINDS)
def test_saved_and_copied_estimators_predict_the_same(rows, kind):
    table, y, _ = rows
    fitted = kind(max_depth=2, smoothing=1.5, frontier=True).fit(table, y)
    method = "predict_proba" if kind is OptimalTreeClassifier else "predict"
    right = getattr(fitted, method)(table).tolist()
    model = Model.from_json(Model.of(fitted).to_json())
    assert model.settings["smoothing"] == 1.5
    copies = [pickle.loads(pickle.dumps(fitted)), clone(fitted).fit(table, y), model]
    copies += [Tree.from_json(fitted.tree_.to_json()), fitted.tree_]
    for other in copies:
        assert getattr(other, method)(table).tolist() == right
    codes = fitted.tree_.encode(table)
    assert getattr(fitted.to_sklearn(), method)(codes).tolist() == right
    for size, result in zip(model.sizes, fitted.frontier_, strict=True):
        found = getattr(size.tree, method)(table)
        assert found.tolist() == getattr(result.tree, method)(table).tolist()


def test_trees_without_smoothing_are_saved_as_before():
    saved = OptimalTreeClassifier(max_depth=1).fit(X, Y).tree_.to_dict()
    assert "smoothing" not in saved
    assert Tree.from_dict(saved).smoothing is None


def test_smoothed_values_everywhere():
    data = load_diabetes(as_frame=True)
    reg = OptimalTreeRegressor(max_depth=2, smoothing=50)
    reg.fit(data.data, data.target)
    values = set(reg.predict(data.data).tolist())
    assert {*reg.rules_frame()["prediction"]} == values
    module = {}
    exec(export_python(reg), module)
    assert {module["predict"](row) for row in data.data.values.tolist()} == values
    for value in values:
        assert f"value: {value:.3f}" in export_text(reg, decimals=3)


def test_training_errors_of_a_model_are_those_of_its_predictions(rows):
    table, _, weight = rows
    y = 3 * table[:, 0] + table[:, 1] ** 2
    for parameters in ({}, {"frontier": True}):
        reg = OptimalTreeRegressor(max_depth=2, smoothing=4, **parameters)
        for size in Model.of(reg.fit(table, y, weight)).sizes:
            error = np.average((size.tree.predict(table) - y) ** 2, weights=weight)
            assert size.train_error == pytest.approx(error)
            spread = training_spread(size.tree, size.train_error)
            assert spread == pytest.approx(spread_of(y, weight))


def test_folds_are_scored_with_smoothed_trees(rows):
    table, y, _ = rows
    search = OptimalTreeClassifierCV(
        estimator=OptimalTreeClassifier(smoothing="laplace"),
        max_depth=2,
        scoring="neg_log_loss",
    ).fit(table, y > 0)
    assert search.tree_.smoothing == "laplace"
    assert np.isfinite(search.cv_results_["mean_test_score"]).all()
    assert search.best_score_ > -0.69  # an empty class has a loss of 36 in its leaf
    y = table[:, 0]
    search = OptimalTreeRegressorCV(
        estimator=OptimalTreeRegressor(smoothing=20),
        max_depth=2,
        cv=[(np.arange(40), np.arange(40, 80))],
    ).fit(table, y)
    assert search.tree_.smoothing == 20
    reg = OptimalTreeRegressor(smoothing=20, **search.best_params_)
    score = r2_score(y[40:], reg.fit(table[:40], y[:40]).predict(table[40:]))
    assert search.best_score_ == pytest.approx(score)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("value", "error"),
    [
        (-1, ValueError),
        (float("nan"), ValueError),
        (float("inf"), ValueError),
        (10**400, ValueError),
        ("m", ValueError),
        ("Laplace", ValueError),
        (True, TypeError),
        (np.bool_(False), TypeError),
        ([1.0], TypeError),
    ],
)
def test_other_values_are_refused(kind, value, error):
    rule = ", 'laplace'" if kind is OptimalTreeClassifier else ""
    with pytest.raises(error) as caught:
        kind(smoothing=value).fit(X, [0, 0, 0, 1, 1, 1])
    assert str(caught.value) == (
        f"The 'smoothing' parameter of {kind.__name__} must be a number in the range "
        f"[0.0, inf){rule} or None. Got {value!r} instead."
    )


def test_regression_has_no_rule_for_classes_and_no_smoothed_medians():
    y = [0, 0, 0, 1, 1, 1]
    with pytest.raises(ValueError, match=r"inf\) or None\. Got 'laplace' instead\.$"):
        OptimalTreeRegressor(smoothing="laplace").fit(X, y)
    reg = OptimalTreeRegressor(objective="absolute_error", smoothing=2)
    message = (
        "^The 'smoothing' parameter of OptimalTreeRegressor must be None or 0 with "
        r"objective='absolute_error'\. Got 2 instead: only means are smoothed, not "
        r"medians\.$"
    )
    with pytest.raises(ValueError, match=message):
        reg.fit(X, y)
    assert reg.set_params(smoothing=0).fit(X, y).tree_.smoothing is None
