"""Cross-validated estimators as estimators: conventions, limits, bad input."""

import pickle
import warnings

import numpy as np
import pandas as pd
import pytest
from oracle.data import noisy_bits
from sklearn.base import clone
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, KFold

from murtree import (
    NotProvenWarning,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    TimeLimitWarning,
    export_text,
)

BINARY = OptimalTreeClassifier(binarizer=None)


def test_tuned_estimator_equals_its_best_estimator():
    data = load_iris(as_frame=True)
    X, y = data.data, data.target_names[data.target]
    tuned = OptimalTreeClassifierCV(max_depth=2).fit(X, y)
    best = tuned.best_estimator_
    for method in ("predict", "predict_proba", "predict_log_proba", "apply"):
        np.testing.assert_array_equal(
            getattr(tuned, method)(X), getattr(best, method)(X)
        )
    assert (tuned.decision_path(X) != best.decision_path(X)).nnz == 0
    assert tuned.get_depth() == best.get_depth()
    assert tuned.get_n_leaves() == best.get_n_leaves()
    assert tuned.score(X, y) == best.score(X, y)
    assert export_text(tuned) == export_text(best)
    assert "petal" in export_text(tuned)
    assert list(tuned.feature_names_in_) == list(X.columns)
    assert tuned.tree_ is best.tree_
    assert len(pd.DataFrame(tuned.cv_results_)) == 1 + 2 * 3
    again = pickle.loads(pickle.dumps(tuned))
    np.testing.assert_array_equal(again.predict(X), tuned.predict(X))
    tuned.fit(X.to_numpy(), y)  # names of an earlier fit are removed
    assert not hasattr(tuned, "feature_names_in_")
    with pytest.raises(NotFittedError):
        clone(tuned).predict(X)
    with pytest.raises(NotFittedError):
        export_text(clone(tuned))


def test_failed_fit_leaves_the_earlier_one():
    X, y = noisy_bits(1)
    tuned = OptimalTreeClassifierCV(estimator=BINARY, max_depth=1, cv=2).fit(X, y)
    before = dict(tuned.__dict__)
    with pytest.raises(ValueError, match="only 0 and 1"):
        tuned.fit(X + 2, y)
    assert tuned.__dict__ == before


def test_settings_of_the_estimator_hold():
    X, y = noisy_bits(2)
    tree = clone(BINARY).set_params(min_samples_leaf=9)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=3, cv=3).fit(X, y)
    leaves = tuned.tree_.feature < 0
    assert tuned.tree_.value[leaves].sum(axis=1).min() >= 9
    assert tuned.best_estimator_.min_samples_leaf == 9
    assert tree.get_params()["max_depth"] == 4
    assert not hasattr(tree, "tree_")


def test_time_limit_gives_one_warning():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (600, 60)), rng.integers(0, 2, 600)
    tree = clone(BINARY).set_params(time_limit=1e-6)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=3, cv=2, strategy="all")
    with warnings.catch_warnings(record=True) as reported:
        warnings.simplefilter("always")
        tuned.fit(X, y)
    assert [warning.category for warning in reported] == [TimeLimitWarning]
    assert "of 6 frontiers" in str(reported[0].message)
    assert reported[0].filename == __file__
    assert tuned.cv_results_["n_unproven"].sum() > 0
    assert tuned.predict(X).shape == y.shape


def test_callback_may_end_the_searches():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (2000, 80)), rng.integers(0, 2, 2000)
    seen = []

    def stop(progress):
        seen.append(progress)
        return True

    tree = clone(BINARY).set_params(callback=stop)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=5, cv=2)
    with pytest.warns(NotProvenWarning, match="not proven"):
        tuned.fit(X, y)
    assert seen
    assert tuned.cv_results_["n_unproven"].any()


# --- sizes of the estimator ---


def compared(tuned, name):
    return sorted({params[name] for params in tuned.cv_results_["params"]})


def test_the_depth_of_the_estimator_is_the_largest_unless_there_is_another():
    X, y = noisy_bits(3)
    tree = clone(BINARY).set_params(max_depth=2)
    tuned = OptimalTreeClassifierCV(estimator=tree, cv=2).fit(X, y)
    assert compared(tuned, "max_depth") == [0, 1, 2]
    tuned.set_params(max_depth=3).fit(X, y)
    assert compared(tuned, "max_depth") == [0, 1, 2, 3]
    tuned.set_params(estimator=clone(tree).set_params(max_depth=None)).fit(X, y)
    assert compared(tuned, "max_depth") == [0, 1, 2, 3]
    default = OptimalTreeClassifierCV(estimator=BINARY, cv=2).fit(X, y)
    assert compared(default, "max_depth") == [0, 1, 2, 3, 4]


@pytest.mark.parametrize("strategy", ["all", "up_to_greedy", "as_greedy"])
def test_the_nodes_of_the_estimator_are_the_most(strategy):
    X, y = noisy_bits(3)
    tree = clone(BINARY).set_params(max_depth=3, max_num_nodes=2)
    tuned = OptimalTreeClassifierCV(estimator=tree, cv=2, strategy=strategy).fit(X, y)
    assert max(compared(tuned, "max_num_nodes")) <= 2
    assert tuned.n_nodes_ <= 2
    by_price = OptimalTreeClassifierCV(
        estimator=tree, cv=2, parameter="cost_complexity"
    ).fit(X, y)
    assert by_price.cv_results_["mean_n_nodes"].max() <= 2
    assert by_price.n_nodes_ <= 2


def test_the_price_of_the_estimator_holds_for_all_sizes():
    """Sizes, scores and tree equal those of a grid search."""
    X, y = noisy_bits(4)
    tree = clone(BINARY).set_params(cost_complexity=0.04)
    folds = KFold(3)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=2, cv=folds).fit(X, y)
    sizes = tuned.cv_results_["params"]
    grid = [{name: [value] for name, value in size.items()} for size in sizes]
    search = GridSearchCV(tree, grid, cv=folds).fit(X, y)
    np.testing.assert_array_equal(
        tuned.cv_results_["mean_test_score"], search.cv_results_["mean_test_score"]
    )
    assert tuned.best_params_ == search.best_params_
    assert tuned.objective_ == search.best_estimator_.objective_
    assert tuned.best_estimator_.cost_complexity == 0.04
    tuned.set_params(parameter="cost_complexity").fit(X, y)
    assert len(compared(tuned, "cost_complexity")) > 1


# --- bad input ---


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"max_depth": 0}, ValueError, r"'max_depth' .* in the range \[1, 8\]. Got 0"),
        ({"max_depth": 9}, ValueError, r"'max_depth' .* in the range \[1, 8\]. Got 9"),
        (
            {"estimator": OptimalTreeClassifier(max_depth=None, max_num_nodes=3)},
            TypeError,
            "'max_depth' parameter of the estimator given to OptimalTreeClassifierCV",
        ),
        (
            {"estimator": OptimalTreeClassifier(max_depth=9)},
            ValueError,
            r"'max_depth' parameter of the estimator .* \[1, 8\]. Got 9",
        ),
        (
            {"estimator": OptimalTreeClassifier(max_num_nodes=0)},
            ValueError,
            "'max_num_nodes' parameter of the estimator .* at least 1",
        ),
        ({"parameter": "nodes"}, ValueError, "'parameter' .* among"),
        ({"strategy": "MT-A"}, ValueError, "'strategy' .* among"),
        ({"one_standard_error": 1}, TypeError, "'one_standard_error' .* a bool"),
        (
            {"strategy": "up_to_greedy", "parameter": "cost_complexity"},
            ValueError,
            "'parameter' .* must be 'max_num_nodes' with strategy='up_to_greedy'",
        ),
        ({"estimator": "tree"}, TypeError, "an OptimalTreeClassifier or None"),
        ({"estimator": OptimalTreeRegressor()}, TypeError, "an OptimalTreeClassifier"),
        ({"cv": 1}, ValueError, "k-fold"),
        ({"cv": "five"}, ValueError, "cv"),
        ({"cv": []}, ValueError, r"'cv' .* at least one fold. Got .* which gives none"),
        ({"scoring": "best"}, ValueError, "scoring"),
    ],
)
def test_bad_parameters(parameters, error, message):
    X, y = noisy_bits(0)
    with pytest.raises(error, match=message):
        OptimalTreeClassifierCV(**parameters).fit(X, y)


@pytest.mark.parametrize(
    "parameters", [{"frontier": True}, {"objective": "f1", "pareto_front": True}]
)
def test_estimator_must_not_search_a_frontier_itself(parameters):
    X, y = noisy_bits(0)
    tree = OptimalTreeClassifier(**parameters)
    with pytest.raises(ValueError, match="must be False: one size is chosen"):
        OptimalTreeClassifierCV(estimator=tree).fit(X, y)


@pytest.mark.parametrize("objective", ["f1", lambda tn, fp, fn, tp: tp - fp])
def test_metrics_have_no_frontier(objective):
    X, y = noisy_bits(0)
    tree = OptimalTreeClassifier(objective=objective)
    with pytest.raises(ValueError, match="GridSearchCV"):
        OptimalTreeClassifierCV(estimator=tree).fit(X, y)


def test_errors_of_the_estimator_are_raised_before_any_search():
    X, y = noisy_bits(0)
    tree = OptimalTreeClassifier(min_samples_leaf=0)
    with pytest.raises(ValueError, match="'min_samples_leaf'"):
        OptimalTreeClassifierCV(estimator=tree).fit(X, y)


def test_folds_without_weight():
    X, y = noisy_bits(0)
    weight = np.ones(y.size)
    weight[:30] = 0
    folds = list(KFold(2).split(X))
    with pytest.raises(ValueError, match="fold 0"):
        OptimalTreeClassifierCV(cv=folds).fit(X, y, weight)


def test_scores_must_be_numbers():
    X, y = noisy_bits(0)

    def unknown(estimator, X, y):
        return np.nan

    with pytest.raises(ValueError, match=r"finite .* Got nan in fold 0"):
        OptimalTreeClassifierCV(max_depth=1, scoring=unknown).fit(X, y)


@pytest.mark.parametrize("handling", ["missing", "error"])
def test_a_category_of_one_fold_is_scored_quietly(handling):
    X = pd.DataFrame({"c": [*"abab" * 5, "z"], "n": range(21)})
    y = [0, 1] * 10 + [1]
    tree = OptimalTreeClassifier(handle_unknown=handling)
    tuned = OptimalTreeClassifierCV(
        estimator=tree, max_depth=1, cv=KFold(3), scoring="accuracy"
    )
    assert tuned.fit(X, y).n_nodes_ == 1  # without a warning


def test_one_fold_has_no_standard_error():
    X, y = noisy_bits(0)
    folds = [(np.arange(40), np.arange(40, 60))]
    tuned = OptimalTreeClassifierCV(max_depth=1, cv=folds)
    assert tuned.fit(X, y).n_splits_ == 1
    with pytest.raises(ValueError, match=r"'one_standard_error' .* two folds"):
        tuned.set_params(one_standard_error=True).fit(X, y)


def test_regression_needs_two_rows_a_fold():
    X, y = load_diabetes(return_X_y=True)
    folds = [(np.arange(1, 40), np.array([0]))]
    with (
        pytest.warns(UserWarning, match="less than two samples"),
        pytest.raises(ValueError, match="rows too few"),
    ):
        OptimalTreeRegressorCV(max_depth=1, cv=folds).fit(X[:40], y[:40])


@pytest.mark.parametrize(
    "constraint", [{"max_distinct_features": 2}, {"partial_tree": {"feature": 0}}]
)
def test_constraints_are_refused(constraint):
    X, y = noisy_bits(0)
    tree = OptimalTreeClassifier(binarizer=None, **constraint)
    tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=2, cv=2)
    (name,) = constraint
    with pytest.raises(ValueError, match=f"The {name!r} parameter of the estimator"):
        tuned.fit(X, y)
