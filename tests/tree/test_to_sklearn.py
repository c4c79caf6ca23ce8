"""Conversion to scikit-learn's trees: weights, impurities, importances and tools."""

import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from oracle.tree_strategies import stump
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.tree import (
    DecisionTreeClassifier,
    DecisionTreeRegressor,
    export_text,
    plot_tree,
)

from murtree import (
    Column,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Predicate,
    TableBinarizer,
    Tree,
)
from murtree._table.float32 import float32_limit
from murtree._tree.impurity import importances
from murtree._tree.to_sklearn import pieces_of

IRIS = load_iris(as_frame=True)
X, y = IRIS.data, IRIS.target
DIABETES = load_diabetes(as_frame=True)


@pytest.fixture(scope="module")
def clf():
    return OptimalTreeClassifier(max_depth=3).fit(X, y)


@pytest.fixture(scope="module")
def reg():
    return OptimalTreeRegressor(max_depth=3).fit(DIABETES.data, DIABETES.target)


def test_classifier_becomes_a_scikit_learn_classifier(clf):
    model = clf.to_sklearn()
    assert isinstance(model, DecisionTreeClassifier)
    assert model.predict(X).tolist() == clf.predict(X).tolist()
    assert model.predict_proba(X).tolist() == clf.predict_proba(X).tolist()
    assert model.get_depth() == clf.get_depth()
    assert model.get_n_leaves() == clf.get_n_leaves()
    assert model.apply(X).tolist() == clf.apply(X).tolist()
    assert model.feature_names_in_.tolist() == list(X.columns)
    assert model.tree_.n_node_samples.tolist() == clf.tree_.node_weight.tolist()


def test_regressor_becomes_a_scikit_learn_regressor(reg):
    model = reg.to_sklearn()
    assert isinstance(model, DecisionTreeRegressor)
    table = DIABETES.data
    assert model.predict(table).tolist() == reg.predict(table).tolist()
    assert model.tree_.weighted_n_node_samples.tolist() == reg.tree_.weight.tolist()


def test_converted_tree_equals_their_own():
    """Their attributes for a tree that both fit equal ours."""
    theirs = DecisionTreeClassifier(max_depth=1, random_state=0).fit(X, y)
    edge = theirs.tree_.threshold[0]
    index = int(theirs.tree_.feature[0])
    right = X.iloc[:, index] > edge
    counts = [np.bincount(part, minlength=3) for part in (y, y[~right], y[right])]
    ours = stump(
        counts,
        feature=np.array([index, -2, -2], dtype=np.int32),
        threshold=np.array([edge, -2.0, -2.0]),
        n_features=4,
    ).to_sklearn()
    for entry in ("value", "impurity", "n_node_samples", "feature", "children_left"):
        found, right = getattr(ours.tree_, entry), getattr(theirs.tree_, entry)
        np.testing.assert_allclose(found, right, atol=1e-15)


def test_importances_equal_scikit_learns(clf, reg):
    for fitted in (clf, reg):
        found = fitted.feature_importances_
        theirs = fitted.to_sklearn().feature_importances_
        np.testing.assert_allclose(found, theirs, atol=1e-12)
        assert found.sum() == pytest.approx(1.0)
    # By definition, from the data: the decrease in variance at each node.
    table, target = DIABETES.data, DIABETES.target.to_numpy()
    path = reg.decision_path(table).toarray().astype(bool)
    tree = reg.tree_
    mass = [path[:, n].sum() * target[path[:, n]].var() for n in range(path.shape[1])]
    expected = np.zeros(table.shape[1])
    for node in np.flatnonzero(tree.feature >= 0):
        below = mass[tree.children_left[node]] + mass[tree.children_right[node]]
        expected[tree.feature[node]] += mass[node] - below
    np.testing.assert_allclose(
        reg.feature_importances_, expected / expected.sum(), atol=1e-9
    )


def test_a_lone_leaf_has_no_importances():
    lone = OptimalTreeClassifier(max_depth=0).fit(X, y)
    assert lone.feature_importances_.tolist() == [0.0] * 4
    assert lone.to_sklearn().predict(X).tolist() == lone.predict(X).tolist()


def test_huge_values_have_importances(reg):
    huge = Tree(**{**vars(reg.tree_), "value": reg.tree_.value * 1e305})
    np.testing.assert_allclose(importances(huge), reg.feature_importances_)


@pytest.mark.parametrize("method", ["to_sklearn", "rules_frame"])
def test_unfitted_estimator_has_no_importances(method):
    with pytest.raises(NotFittedError):
        getattr(OptimalTreeClassifier(), method)()
    with pytest.raises(NotFittedError):
        _ = OptimalTreeClassifier().feature_importances_


NONE = np.empty(0)


@given(st.floats(allow_nan=False))
@settings(max_examples=200)
def test_all_float32_numbers_decide_as_with_the_limit(limit):
    found = float32_limit(limit, NONE)
    floor = np.float32(found.value)
    assert found.is_sharp
    assert float(floor) <= limit
    with np.errstate(over="ignore", under="ignore"):
        above = np.nextafter(floor, np.float32(np.inf))
    assert float(above) > limit or above == np.inf


@st.composite
def close_numbers(draw):
    """Draw numbers, some of which are equal in float32, and a limit among them."""
    start = draw(st.sampled_from([0.1, 2.0**24, 1.7e9, -(2.0**25), 1e30, 1e-40]))
    step = draw(st.sampled_from([2.0**-26, 2.0**-25, 2.0**-24])) * start
    positions = draw(st.lists(st.integers(-8, 8), min_size=2, max_size=6, unique=True))
    limit = start + step * (draw(st.integers(-16, 16)) / 2)
    return start + step * np.array(positions, dtype=np.float64), limit


@given(close_numbers())
@settings(max_examples=500)
def test_known_values_stay_on_their_side(drawn):
    values, limit = drawn
    found = float32_limit(limit, values)
    goes_left = values <= limit
    cast = values.astype(np.float32)
    exists = not np.isin(cast[goes_left], cast[~goes_left]).any()
    assert found.is_sharp == exists
    if exists:
        assert (cast <= found.value).tolist() == goes_left.tolist()


CLOSE = {
    "hours": pd.date_range("2024-03-01", periods=24, freq="h"),
    "epoch": 1_700_000_000 + 300 * np.arange(24),
    "whole": 2**24 + 3 * np.arange(24),
}


@pytest.mark.parametrize("which", CLOSE)
def test_large_numbers_stay_on_their_side(which):
    table = pd.DataFrame({"x": CLOSE[which]})
    labels = np.random.default_rng(0).integers(0, 2, 24)
    fitted = OptimalTreeClassifier(max_depth=4).fit(table, labels)
    codes = pd.DataFrame(fitted.tree_.encode(table), columns=["x"])
    for model in (fitted.to_sklearn(), fitted.tree_.to_sklearn(table)):
        assert model.predict(codes).tolist() == fitted.predict(table).tolist()


def test_a_saved_tree_of_moments_keeps_them_on_their_side():
    table = pd.DataFrame({"x": CLOSE["hours"]})
    fitted = OptimalTreeClassifier(max_depth=4).fit(table, np.arange(24) % 5 < 2)
    tree = Tree.from_json(fitted.tree_.to_json())
    codes = pd.DataFrame(tree.encode(table), columns=["x"])
    assert tree.to_sklearn().predict(codes).tolist() == tree.predict(table).tolist()


def test_a_warning_where_float32_makes_values_equal():
    table = pd.DataFrame(
        {"x": pd.date_range("2024-03-01", periods=4, freq="s"), "y": [0.5, 1, 2, 3]}
    )
    labels = ["a", "a", "b", "b"]
    fitted = OptimalTreeClassifier(max_depth=1).fit(table[["x"]], labels)
    what = r"both sides of the test 'x <= 2024-03-01 00:00:01' are equal"
    with pytest.warns(UserWarning, match=what) as caught:
        fitted.to_sklearn()
    assert caught[0].filename == __file__
    with pytest.warns(UserWarning, match=what) as caught:
        fitted.tree_.to_sklearn(table[["x"]])
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        OptimalTreeClassifier(max_depth=1).fit(table[["y"]], labels).to_sklearn()


@pytest.mark.parametrize("sign", [1, -1])
def test_tests_of_values_beyond_float32_are_named(sign):
    X = sign * np.array([[1e300], [2e300], [3e300], [0.0]])
    clf = OptimalTreeClassifier(max_depth=1).fit(X, [0, 0, 1, 0])
    message = r"beyond 3\.4e38, .* sides of the test 'x0 <= -?2\.5e\+300': .* Divide"
    for rows in (None, X):
        with pytest.warns(UserWarning, match=message):
            model = clf.to_sklearn(rows)
    assert model.predict([[sign * 3e38], [0.0]]).tolist() == [0, 0]
    small = OptimalTreeClassifier(max_depth=1).fit(X / 1e300, [0, 0, 1, 0])
    assert small.to_sklearn().predict(X / 1e300).tolist() == [0, 0, 1, 0]


def test_codes_are_cut_where_the_answer_changes():
    column = Column("c", "category", ("a", "b", "c", "d", "e"))
    cut = pieces_of(Predicate(0, members=(0, 2, 3)), column)
    assert cut.bounds == [-0.5, 0.5, 1.5, 3.5]
    assert cut.answers == [False, True, False, True, False]
    assert cut.shares[1:] == [1 / 3, 1 / 2, 2 / 3, 1 / 2]
    assert 0.0 < cut.shares[0] < 1e-20  # unknown categories
    assert pieces_of(Predicate(0, members=(0, 1, 2, 3, 4)), column).shares == [1, 1]


@pytest.fixture(scope="module")
def intervals():
    binarizer = TableBinarizer(encoding="intervals")
    return OptimalTreeClassifier(max_depth=3, binarizer=binarizer).fit(X, y)


def test_copies_share_the_weight_of_a_node(intervals):
    nodes = intervals.to_sklearn().tree_
    assert nodes.node_count > intervals.tree_.feature.size
    assert nodes.weighted_n_node_samples[0] == 150.0
    inner = nodes.children_left >= 0
    weight = nodes.weighted_n_node_samples
    below = weight[nodes.children_left[inner]] + weight[nodes.children_right[inner]]
    assert weight[inner].tolist() == below.tolist()


def test_copies_are_counted_with_rows(intervals):
    heavy = np.arange(150) + 0.5
    model = intervals.to_sklearn(X, sample_weight=heavy)
    path = model.decision_path(X).toarray()
    nodes = model.tree_
    assert nodes.n_node_samples.tolist() == path.sum(axis=0).tolist()
    expected = heavy @ path
    np.testing.assert_allclose(nodes.weighted_n_node_samples, expected, atol=1e-15)
    assert nodes.weighted_n_node_samples.min() > 0.0  # SHAP divides by it
    assert model.predict(X).tolist() == intervals.predict(X).tolist()


def test_weights_are_checked(clf):
    with pytest.raises(ValueError, match="must be None without X"):
        clf.to_sklearn(sample_weight=np.ones(150))
    with pytest.raises(ValueError, match="expected"):
        clf.to_sklearn(X, sample_weight=np.ones(149))


def test_a_label_that_is_not_the_heaviest_gets_all():
    classes, label = np.array(["a", "b"]), np.array([1, 1, 1], dtype=np.int32)
    tree = stump([[4, 4], [3, 1], [1, 3]], classes=classes, label=label)
    model = tree.to_sklearn()
    assert model.predict([[0], [1]]).tolist() == ["b", "b"]
    assert model.predict_proba([[0], [1]]).tolist() == [[0, 1], [0.25, 0.75]]
    assert model.tree_.impurity.tolist() == [0.5, 0.375, 0.375]


# --- tools for scikit-learn's trees ---------------------------------------------------


def test_text_and_plot_of_scikit_learn(clf):
    figure = Figure()
    FigureCanvasAgg(figure)
    model = clf.to_sklearn()
    assert export_text(model).count("class:") == clf.get_n_leaves()
    shown = plot_tree(model, ax=figure.add_subplot())
    # Newer versions also write True and False next to the first edges.
    assert len(shown) >= clf.tree_.feature.size


@pytest.mark.parametrize("which", ["clf", "reg", "intervals"])
def test_shap_values_add_up(which, request):
    import shap  # noqa: PLC0415 - takes seconds

    fitted = request.getfixturevalue(which)
    table = (DIABETES.data if which == "reg" else X).iloc[:20]
    model = fitted.to_sklearn()
    explainer = shap.TreeExplainer(model)
    values = explainer.shap_values(table)
    total = values.sum(axis=1) + explainer.expected_value
    right = model.predict(table) if which == "reg" else model.predict_proba(table)
    np.testing.assert_allclose(total, right, atol=1e-6)


@pytest.mark.filterwarnings("ignore")
def test_dtreeviz_reads_it(clf):
    import dtreeviz  # noqa: PLC0415

    view = dtreeviz.model(
        clf.to_sklearn(), X, y, feature_names=list(X.columns), target_name="kind"
    )
    shadow = view.shadow_tree
    found = [shadow.predict(row) for row in X.to_numpy()]
    assert found == clf.predict(X).tolist()
    assert "petal" in view.explain_prediction_path(X.iloc[0].to_numpy())
