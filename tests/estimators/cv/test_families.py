"""The default strategy: two families of trees, compared by smoothed scores."""

import numpy as np
import pytest
from oracle.data import noisy_bits
from sklearn.base import clone
from sklearn.datasets import load_diabetes
from sklearn.metrics import r2_score
from sklearn.model_selection import GroupKFold, KFold, LeaveOneOut

from murtree import (
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
)
from murtree._estimators.cv.fold import Fold, Rows, Split, Study
from murtree._estimators.cv.select import deciding_scores
from murtree._estimators.teacher import Forest

BINARY = OptimalTreeClassifier(binarizer=None)
FOLDS = KFold(3)


def diabetes(n_rows=150):
    X, y = load_diabetes(return_X_y=True)
    return X[:n_rows], y[:n_rows]


def families(tuned):
    params = tuned.cv_results_["params"]
    return [(each.get("teacher"), each["max_num_nodes"]) for each in params]


def both(n_nodes):
    some = range(1, n_nodes + 1)
    return [(None, 0), *((teacher, k) for teacher in (None, "forest") for k in some)]


@pytest.mark.parametrize("is_weighted", [False, True])
def test_scores_of_a_fold_by_hand(is_weighted):
    X, y = noisy_bits(3, 60, 6)
    weight = np.arange(60) % 3 + 1.0 if is_weighted else None
    tuned = OptimalTreeClassifierCV(estimator=BINARY, max_depth=2, cv=FOLDS)
    tuned.fit(X, y, weight)
    assert families(tuned) == both(3)
    found = tuned.cv_results_
    train, test = next(FOLDS.split(X))
    some = np.ones(train.size) if weight is None else weight[train]
    others = np.ones(test.size) if weight is None else weight[test]
    forest = Forest.of(X[train], y[train], some, is_regression=False)
    chances = forest.predict(X[test])
    for place, (teacher, nodes) in enumerate(families(tuned)):
        tree = clone(BINARY).set_params(max_depth=2, teacher=teacher, frontier=True)
        tree.fit(X[train], y[train], None if weight is None else some)
        predicted = tree.frontier_[nodes].tree.predict(X[test])
        plain = np.average(predicted == y[test], weights=others)
        smoothed = np.average(chances[range(test.size), predicted], weights=others)
        assert found["split0_test_score"][place] == pytest.approx(plain)
        assert found["split0_smoothed_score"][place] == pytest.approx(smoothed)
    best = int(np.argmax(found["mean_smoothed_score"]))
    assert tuned.best_index_ == best
    assert tuned.best_score_ == found["mean_test_score"][best]
    assert tuned.best_estimator_.teacher == families(tuned)[best][0]


def test_scores_of_a_fold_in_regression():
    X, y = diabetes()
    tree = OptimalTreeRegressor(binarizer="quantile")
    tuned = OptimalTreeRegressorCV(estimator=tree, max_depth=2, cv=FOLDS).fit(X, y)
    found = tuned.cv_results_
    leaf = [5, 5, 5, 5, 1, 1, 1]  # the forest's predictions have less noise
    assert found["param_min_samples_leaf"].tolist() == leaf
    train, test = next(FOLDS.split(X))
    weight = np.ones(train.size)
    forest = Forest.of(X[train], y[train], weight, is_regression=True)
    target = (y[test] + forest.predict(X[test])) / 2
    for place, (teacher, nodes) in enumerate(families(tuned)):
        model = clone(tree).set_params(max_depth=2, teacher=teacher, frontier=True)
        model.set_params(min_samples_leaf=leaf[place]).fit(X[train], y[train])
        predicted = model.frontier_[nodes].tree.predict(X[test])
        plain, smoothed = r2_score(y[test], predicted), r2_score(target, predicted)
        assert found["split0_test_score"][place] == pytest.approx(plain)
        assert found["split0_smoothed_score"][place] == pytest.approx(smoothed)


def test_the_final_tree_is_that_of_the_best_parameters():
    X, y = diabetes()
    tuned = OptimalTreeRegressorCV(max_depth=2, cv=FOLDS).fit(X, y)
    alone = OptimalTreeRegressor(**tuned.best_params_).fit(X, y)
    assert alone.objective_ == tuned.best_estimator_.objective_
    assert tuned.predict(X).tolist() == alone.predict(X).tolist()


def test_more_rows_for_a_leaf_are_kept():
    X, y = diabetes()
    tree = OptimalTreeRegressor(min_samples_leaf=9)
    tuned = OptimalTreeRegressorCV(estimator=tree, max_depth=1, cv=2).fit(X, y)
    assert "min_samples_leaf" not in tuned.best_params_
    assert tuned.best_estimator_.min_samples_leaf == 9


def test_scoring_decides_alone():
    X, y = noisy_bits(4)
    tuned = OptimalTreeClassifierCV(
        estimator=BINARY, max_depth=2, cv=3, scoring="balanced_accuracy"
    ).fit(X, y)
    assert families(tuned) == both(3)
    assert "mean_smoothed_score" not in tuned.cv_results_
    assert tuned.best_index_ == np.argmax(tuned.cv_results_["mean_test_score"])


def test_scoring_allows_folds_of_one_row():
    X, y = diabetes(12)
    tuned = OptimalTreeRegressorCV(
        max_depth=1, cv=LeaveOneOut(), scoring="neg_mean_squared_error"
    ).fit(X, y)
    assert families(tuned) == both(1)
    assert tuned.forest_score_ is None


def test_no_forest_is_kept():
    X, y = noisy_bits(5)
    rows = Rows(X, y, None)
    train, test = next(FOLDS.split(X))
    taught = Study(BINARY, rows, None, has_forest=True).teach(Split(train, test))
    assert taught.forest.trees == ()


def test_the_size_of_a_fold_includes_its_targets():
    X, y = noisy_bits(5)
    train, test = next(FOLDS.split(X))
    sizes = [
        Fold.of(Study(tree, Rows(X, y, None), None), Split(train, test), 2).n_bytes
        for tree in (BINARY, clone(BINARY).set_params(teacher="forest"))
    ]
    assert sizes[1] == sizes[0] + 8 * train.size * np.unique(y).size


@pytest.mark.parametrize(
    ("tree", "more"),
    [
        (OptimalTreeRegressor(objective="absolute_error"), {}),
        (OptimalTreeRegressor(teacher="forest"), {}),
        (OptimalTreeRegressor(), {"strategy": "all"}),
    ],
)
def test_one_family(tree, more):
    X, y = diabetes(80)
    tuned = OptimalTreeRegressorCV(estimator=tree, max_depth=2, cv=2, **more)
    tuned.fit(X, y.round(-1))
    assert {teacher for teacher, _ in families(tuned)} == {None}
    assert "param_teacher" not in tuned.cv_results_
    assert "mean_smoothed_score" not in tuned.cv_results_
    assert tuned.best_estimator_.teacher == tree.teacher


def test_one_standard_error_of_the_smoothed_scores():
    X, y = noisy_bits(9, 90)
    tuned = OptimalTreeClassifierCV(
        estimator=BINARY, max_depth=3, cv=3, one_standard_error=True
    ).fit(X, y)
    found = tuned.cv_results_
    means = found["mean_smoothed_score"]
    best = int(np.argmax(means))
    scores = [found[f"split{k}_smoothed_score"][best] for k in range(3)]
    least = means[best] - np.std(scores, ddof=1) / np.sqrt(3)
    nodes = found["param_max_num_nodes"]
    assert nodes[tuned.best_index_] == nodes[means >= least].min()
    assert means[tuned.best_index_] >= least


@pytest.mark.parametrize("binarizer", [None, "auto"])
def test_jobs_change_nothing(binarizer):
    X, y = noisy_bits(5)
    tree = OptimalTreeClassifier(binarizer=binarizer)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=2, cv=3)
    alone, together = (clone(tuned).set_params(n_jobs=n).fit(X, y) for n in (1, 2))
    assert alone.best_params_ == together.best_params_
    for name, values in alone.cv_results_.items():
        np.testing.assert_array_equal(values, together.cv_results_[name])


def test_groups_and_a_fold_with_one_class():
    X, _ = noisy_bits(6, 60)
    y = np.repeat(["a", "b", "a"], 20)
    splits = list(GroupKFold(3).split(X, y, np.repeat([0, 1, 2], 20)))
    splits += [(np.arange(20), np.arange(20, 60))]  # the forest has seen one class
    tuned = OptimalTreeClassifierCV(estimator=BINARY, max_depth=1, cv=splits).fit(X, y)
    assert tuned.n_splits_ == 4
    assert np.isfinite(tuned.cv_results_["mean_smoothed_score"]).all()
    assert (tuned.cv_results_["split3_smoothed_score"] == 1.0).all()


def test_smoothed_scores_decide_unless_a_tree_is_better_than_the_forest():
    found = {"mean_test_score": np.array([0.7, 0.9]), "mean_smoothed_score": 1}
    assert deciding_scores(found, 0.9) == "smoothed"
    assert deciding_scores(found, 0.8999) == "test"
    assert deciding_scores({"mean_test_score": np.array([0.1])}, None) == "test"


def test_a_rule_that_a_forest_does_not_learn():
    # Of 40 columns two matter, and each alone says nothing.
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (60, 40))
    y = X[:, 0] ^ X[:, 1]
    tree = OptimalTreeClassifier(binarizer=None)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=2).fit(X, y)
    assert tuned.forest_score_ < tuned.cv_results_["mean_test_score"].max() == 1.0
    assert tuned.best_params_["teacher"] is None
    assert tuned.score(X, y) == 1.0
    assert Model.of(tuned).tuning.best.smoothed_score is None
