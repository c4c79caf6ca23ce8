"""OptimalTreeClassifier: raw tables in, trees in the user's units out."""

import pickle
import time

import numpy as np
import pandas as pd
import pytest
import sklearn
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

from murtree import (
    Frontier,
    OptimalTreeClassifier,
    Solver,
    TableBinarizer,
    TimeLimitWarning,
    Tree,
    export_text,
)
from murtree._estimators.base import warn_not_proven
from murtree._estimators.search import Found
from murtree._solver.engine import Engine
from murtree._solver.result import Result

iris = load_iris()
X, y = iris.data, iris.target


@pytest.fixture(scope="module")
def fitted():
    return OptimalTreeClassifier(max_depth=2).fit(X, y)


def test_the_tree_is_in_the_users_units(fitted):
    assert isinstance(fitted.tree_, Tree)
    assert fitted.tree_.n_features == 4
    binarizer = TableBinarizer(strategy="exact").fit(X)
    for node in np.flatnonzero(fitted.tree_.feature >= 0):
        column = fitted.tree_.feature[node]
        assert fitted.tree_.threshold[node] in binarizer.thresholds_[column]


def test_the_objective_is_the_number_of_errors(fitted):
    assert fitted.objective_ == int((fitted.predict(X) != y).sum())
    bits = TableBinarizer(strategy="exact").fit_transform(X)
    assert fitted.objective_ == Solver(bits, y).solve(2).objective
    assert fitted.lower_bound_ == fitted.objective_
    assert fitted.status_ == "optimal"
    assert fitted.gap_ == 0.0
    assert fitted.score(X, y) == 1 - fitted.objective_ / len(y)


def test_the_optimal_tree_is_no_worse_than_a_greedy_one_on_the_same_columns():
    bits = TableBinarizer().fit_transform(X)
    for depth in (1, 2, 3):
        greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(bits, y)
        optimal = OptimalTreeClassifier(max_depth=depth).fit(X, y)
        assert optimal.objective_ <= int((greedy.predict(bits) != y).sum())


def test_fitted_attributes(fitted):
    assert fitted.classes_.tolist() == [0, 1, 2]
    assert fitted.n_features_in_ == 4
    assert fitted.n_nodes_ == fitted.tree_.n_nodes <= 3
    assert fitted.depth_ == fitted.get_depth() <= 2
    assert fitted.get_n_leaves() == fitted.n_nodes_ + 1
    assert isinstance(fitted.search_stats_, dict)
    assert isinstance(fitted.binarizer_, TableBinarizer)
    assert not hasattr(fitted, "feature_names_in_")


def test_node_limit():
    fitted = OptimalTreeClassifier(max_depth=3, max_num_nodes=2).fit(X, y)
    assert fitted.n_nodes_ <= 2


def test_probabilities_paths_and_leaves_agree(fitted):
    proba = fitted.predict_proba(X)
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    assert (fitted.classes_[proba.argmax(axis=1)] == fitted.predict(X)).all()
    log_proba = fitted.predict_log_proba(X)
    np.testing.assert_allclose(np.exp(log_proba), proba)
    leaves = fitted.apply(X)
    path = fitted.decision_path(X)
    assert path.shape == (len(X), fitted.tree_.feature.size)
    assert (np.asarray(path[np.arange(len(X)), leaves]).ravel() == 1).all()


def test_frames_give_names():
    frame = pd.DataFrame(X, columns=iris.feature_names)
    fitted = OptimalTreeClassifier(max_depth=2).fit(frame, y)
    assert fitted.feature_names_in_.tolist() == iris.feature_names
    assert fitted.binarizer_.feature_names_in_.tolist() == iris.feature_names
    assert "petal" in export_text(fitted)
    with pytest.raises(ValueError, match="feature names should match"):
        fitted.predict(frame.rename(columns={iris.feature_names[0]: "other"}))


@pytest.mark.parametrize("transform", ["default", "pandas"])
def test_output_configuration_does_not_matter(transform):
    frame = pd.DataFrame(X, columns=iris.feature_names)
    with sklearn.config_context(transform_output=transform):
        assert OptimalTreeClassifier(max_depth=2).fit(frame, y).objective_ == 6


@pytest.mark.parametrize(
    "labels",
    [iris.target_names[y], iris.target_names[y].astype(object), y > 0, y - 5],
)
def test_labels_of_any_kind(labels):
    fitted = OptimalTreeClassifier(max_depth=3).fit(X, labels)
    assert fitted.classes_.tolist() == np.unique(labels).tolist()
    assert (fitted.predict(X) != labels).sum() == fitted.objective_


@pytest.mark.parametrize("order", ["C", "F"])
@pytest.mark.parametrize("dtype", [bool, int, float])
def test_binary_data_without_a_binarizer(dtype, order):
    bits = TableBinarizer().fit_transform(X).astype(dtype, order=order)
    bits.flags.writeable = False
    fitted = OptimalTreeClassifier(max_depth=2, binarizer=None).fit(bits, y)
    assert fitted.objective_ == 8
    assert set(fitted.tree_.threshold[fitted.tree_.feature >= 0]) == {0.5}
    assert (fitted.predict(bits) != y).sum() == 8
    assert not hasattr(fitted, "binarizer_")
    with pytest.raises(ValueError, match="X must hold only 0 and 1"):
        fitted.predict(bits + 2.0)


def test_custom_binarizer_is_cloned():
    binarizer = TableBinarizer(n_thresholds=2)
    fitted = OptimalTreeClassifier(max_depth=2, binarizer=binarizer).fit(X, y)
    assert fitted.binarizer is binarizer
    assert fitted.binarizer_ is not binarizer
    assert not hasattr(binarizer, "thresholds_")
    assert max(map(len, fitted.binarizer_.thresholds_)) == 2


def test_solver_options_reach_the_solver():
    for objective in ("accuracy", "f1"):
        tree = OptimalTreeClassifier(max_depth=2, objective=objective)
        tree.set_params(binarizer="quantile")
        plain = clone(tree).fit(X, y > 1)
        other = tree.set_params(solver_options={"depth_two": False}).fit(X, y > 1)
        assert plain.search_stats_["depth_two_calls"] > 0
        assert other.search_stats_["depth_two_calls"] == 0
        assert other.objective_ == plain.objective_


def test_weights_equal_copies():
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = OptimalTreeClassifier(max_depth=2).fit(X, y, weight)
    repeated = OptimalTreeClassifier(max_depth=2).fit(X[copies], y[copies])
    assert weighted.objective_ == repeated.objective_
    assert weighted.tree_.to_dict() == repeated.tree_.to_dict()
    as_float = OptimalTreeClassifier(max_depth=2).fit(X, y, weight.astype(float))
    assert as_float.tree_.to_dict() == weighted.tree_.to_dict()


def test_constant_columns_give_a_leaf():
    fitted = OptimalTreeClassifier().fit(np.ones((4, 2)), ["a", "b", "b", "b"])
    assert fitted.objective_ == 1
    assert fitted.predict([[5.0, 5.0]]).tolist() == ["b"]
    assert fitted.tree_.n_features == 2


def test_pickle_and_clone(fitted):
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(X), fitted.predict(X))
    assert clone(fitted).get_params() == fitted.get_params()


def test_nothing_of_the_training_data_is_kept():
    table = np.repeat(X, 20, axis=0)
    fitted = OptimalTreeClassifier(max_depth=2).fit(table, np.repeat(y, 20))
    assert len(pickle.dumps(fitted)) < table.nbytes / 5


def test_pipeline_and_grid_search():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), OptimalTreeClassifier()),
        {"optimaltreeclassifier__max_depth": [1, 2]},
        cv=3,
    ).fit(X, y)
    assert search.best_params_ == {"optimaltreeclassifier__max_depth": 2}
    nested = GridSearchCV(
        OptimalTreeClassifier(max_depth=2, binarizer=TableBinarizer()),
        {"binarizer__n_thresholds": [1, 8]},
        cv=3,
    ).fit(X, y)
    assert nested.best_params_ == {"binarizer__n_thresholds": 8}
    assert nested.best_estimator_.binarizer_.n_thresholds == 8


def test_metadata_routing():
    weight = np.random.default_rng(0).integers(0, 5, len(y))
    folds = list(StratifiedKFold(3).split(X, y))
    with sklearn.config_context(enable_metadata_routing=True):
        classifier = (
            OptimalTreeClassifier(max_depth=1)
            .set_fit_request(sample_weight=True)
            .set_score_request(sample_weight=True)
        )
        scores = cross_val_score(
            classifier, X, y, params={"sample_weight": weight}, cv=folds
        )
    expected = []
    for train, test in folds:
        fitted = OptimalTreeClassifier(max_depth=1).fit(
            X[train], y[train], weight[train]
        )
        expected.append(fitted.score(X[test], y[test], weight[test]))
    assert scores.tolist() == expected
    unweighted = cross_val_score(OptimalTreeClassifier(max_depth=1), X, y, cv=folds)
    assert scores.tolist() != unweighted.tolist()


def test_penalty():
    plain = OptimalTreeClassifier(max_depth=3).fit(X, y)
    sparse = OptimalTreeClassifier(max_depth=3, cost_complexity=0.02).fit(X, y)
    penalty = 0.02 * len(y) * sparse.n_nodes_
    errors = int((sparse.predict(X) != y).sum())
    assert sparse.objective_ == sparse.lower_bound_ == pytest.approx(errors + penalty)
    assert sparse.n_nodes_ < plain.n_nodes_
    deep = OptimalTreeClassifier(max_depth=None, cost_complexity=0.02).fit(X, y)
    assert deep.objective_ <= sparse.objective_


def test_fewest_nodes():
    rng = np.random.default_rng(1)
    table, labels = rng.random((60, 4)), rng.integers(0, 2, 60)
    plain = OptimalTreeClassifier(max_depth=4).fit(table, labels)
    fewest = OptimalTreeClassifier(max_depth=4, fewest_nodes=True).fit(table, labels)
    assert fewest.objective_ == plain.objective_
    assert fewest.n_nodes_ < plain.n_nodes_


@pytest.mark.parametrize("binarizer", ["auto", None])
def test_frontier(binarizer):
    table = TableBinarizer().fit_transform(X) if binarizer is None else X
    ask = {"max_depth": 3, "binarizer": binarizer}
    fitted = OptimalTreeClassifier(frontier=True, **ask).fit(table, y)
    assert isinstance(fitted.frontier_, Frontier)
    assert len(fitted.frontier_) == 8
    for nodes, result in enumerate(fitted.frontier_):
        single = OptimalTreeClassifier(max_num_nodes=nodes, **ask).fit(table, y)
        assert result.objective == single.objective_
        assert int((result.tree.predict(table) != y).sum()) == result.objective
        assert result.tree.n_features == table.shape[1]
    assert fitted.objective_ == fitted.frontier_[-1].objective
    assert fitted.n_nodes_ == fitted.frontier_.best().tree.n_nodes
    sparse = OptimalTreeClassifier(frontier=True, cost_complexity=0.03, **ask)
    sparse.fit(table, y)
    assert sparse.objective_ == sparse.frontier_.best(0.03).objective
    objectives = sparse.frontier_.objectives  # of each size, without the price
    assert objectives.tolist() == fitted.frontier_.objectives.tolist()
    native = OptimalTreeClassifier(cost_complexity=0.03, **ask).fit(table, y)
    assert sparse.objective_ == pytest.approx(native.objective_, abs=8 / 1024)
    again = sparse.set_params(frontier=False).fit(table, y)
    assert not hasattr(again, "frontier_")
    assert pickle.loads(pickle.dumps(fitted)).frontier_.status == "optimal"


def test_limits_reach_the_solver():
    table, labels = load_breast_cancer(return_X_y=True)
    large = OptimalTreeClassifier(max_depth=4, binarizer="quantile")
    small = clone(large).set_params(memory_limit="300 kB")
    assert large.fit(table, labels).search_stats_["cache_bytes"] > 300_000
    assert small.fit(table, labels).search_stats_["cache_bytes"] <= 300_000
    few = OptimalTreeClassifier(max_depth=None, max_num_nodes=3).fit(X, y)
    assert few.n_nodes_ <= 3


def test_time_limit_warns_and_keeps_a_valid_tree():
    rng = np.random.default_rng(0)
    table, labels = rng.random((2000, 10)), rng.integers(0, 2, 2000)
    classifier = OptimalTreeClassifier(max_depth=8, time_limit=0.05)
    with pytest.warns(TimeLimitWarning, match=r"time limit of 0\.05 s") as caught:
        classifier.fit(table, labels)
    assert caught[0].filename == __file__
    assert classifier.status_ == "time_limit"
    assert 0 <= classifier.lower_bound_ <= classifier.objective_
    assert int((classifier.predict(table) != labels).sum()) == classifier.objective_


@pytest.mark.timing
def test_breast_cancer_takes_less_than_half_a_second():
    table, labels = load_breast_cancer(return_X_y=True)
    start = time.process_time()
    fitted = OptimalTreeClassifier(max_depth=3).fit(table, labels)
    assert time.process_time() - start < 0.5
    assert fitted.status_ == "optimal"


def test_text_export(fitted):
    lines = export_text(fitted).splitlines()
    assert len(lines) == 2 * fitted.n_nodes_ + fitted.get_n_leaves()
    assert lines == export_text(fitted.tree_).splitlines()
    with pytest.raises(ValueError, match="feature_names must contain 4 elements"):
        export_text(fitted, feature_names=["a"])
    with pytest.raises(TypeError, match="'decision_tree' parameter of export_text"):
        export_text(DecisionTreeClassifier())


def test_targets_of_a_regression_are_refused_with_a_hint():
    with pytest.raises(ValueError, match="Maybe you are trying to fit a classifier"):
        OptimalTreeClassifier().fit([[1.0], [2.0], [3.0]], [0.1, 0.2, 0.3])


def test_an_interrupted_fit_leaves_the_earlier_one_whole(monkeypatch):
    X, y = load_breast_cancer(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=1).fit(X[:, :5], y)
    before = clf.predict(X[:, :5])

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr(Engine, "find", interrupted)
    with pytest.raises(KeyboardInterrupt):
        clf.fit(X, y)
    assert clf.n_features_in_ == 5
    np.testing.assert_array_equal(clf.predict(X[:, :5]), before)


def test_warnings_separate_thousands():
    result = Result(None, 4303, 1200, "time_limit", stats={})
    shown = "objective of 4,303; no tree within the limits has one below 1,200."
    with pytest.warns(TimeLimitWarning, match=shown):
        warn_not_proven(Found(result, result.status), time_limit=2)
