"""Ctrl-C during cross-validation keeps finished sizes and stops all searches."""

import signal
import threading

import numpy as np
import pytest
from oracle.data import hard_data, noisy_bits
from sklearn.base import clone

from murtree import (
    NotProvenWarning,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    Solver,
)
from murtree._estimators.cv.fold import Fold, Rows, Split, Study
from murtree._estimators.cv.select import Candidate

KEEPS = OptimalTreeClassifier(binarizer=None, on_interrupt="return")


@pytest.fixture(autouse=True)
def _hears_ctrl_c():
    """Restore the handler of Ctrl-C, which background processes ignore."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def interrupted_after(n_searches, tuned):
    """Interrupt a fit after a number of searches; return the estimator and warnings."""
    reported = []

    def stop(n_done, n_all, stage):
        reported.append((n_done, n_all, stage.name))
        if len(reported) == n_searches:
            signal.raise_signal(signal.SIGINT)

    tuned._tell = stop
    return reported


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_finished_depths_are_kept(n_jobs):
    X, y = noisy_bits(4)
    whole = OptimalTreeClassifierCV(
        estimator=KEEPS, max_depth=2, cv=3, strategy="all"
    ).fit(X, y)
    tuned = clone(whole).set_params(max_depth=3, n_jobs=n_jobs)
    reported = interrupted_after(8, tuned)
    with pytest.warns(NotProvenWarning, match="sizes beyond depth 2 were not compared"):
        tuned.fit(X, y)
    next_depths = [1, 1, 2, 2, 2, 3, 3, 3]
    assert reported == [
        *((n, 9, f"at depth {depth}") for n, depth in enumerate(next_depths, 1)),
        (8, 8, "at depth 3"),  # all searches are done
    ]
    assert (whole.was_interrupted_, tuned.was_interrupted_) == (False, True)
    assert tuned.cv_results_.keys() == whole.cv_results_.keys()
    for name, values in whole.cv_results_.items():
        np.testing.assert_array_equal(tuned.cv_results_[name], values)
    assert tuned.best_params_ == whole.best_params_
    np.testing.assert_array_equal(tuned.predict(X), whole.predict(X))
    assert tuned.status_ == "optimal"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_the_family_of_observed_targets_is_kept(n_jobs):
    X, y = noisy_bits(4)
    tuned = OptimalTreeClassifierCV(estimator=KEEPS, max_depth=2, cv=3, n_jobs=n_jobs)
    whole = clone(tuned).fit(X, y)
    reported = interrupted_after(4, tuned)
    with pytest.warns(NotProvenWarning, match="predictions of a forest were not comp"):
        tuned.fit(X, y)
    observed, taught = "for observed targets", "for targets of a forest"
    names = [observed, observed, taught, taught]
    assert reported == [
        *((n, 6, name) for n, name in enumerate(names, 1)),
        (4, 4, taught),  # all searches are done
    ]
    assert (whole.was_interrupted_, tuned.was_interrupted_) == (False, True)
    assert tuned.cv_results_["params"] == whole.cv_results_["params"][:4]
    for name in ("mean_test_score", "mean_smoothed_score", "n_unproven"):
        np.testing.assert_array_equal(
            tuned.cv_results_[name], whole.cv_results_[name][:4]
        )
    assert tuned.best_params_["teacher"] is None
    assert tuned.status_ == "optimal"
    again = clone(tuned)
    interrupted_after(2, again)
    with pytest.raises(KeyboardInterrupt):
        again.fit(X, y)


def test_ctrl_c_at_the_end_changes_nothing():
    X, y = noisy_bits(4)
    tuned = OptimalTreeClassifierCV(estimator=KEEPS, max_depth=2, cv=3, strategy="all")
    interrupted_after(6, tuned)
    assert not tuned.fit(X, y).was_interrupted_


def test_prices_and_numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 4))
    tuned = OptimalTreeRegressorCV(
        estimator=OptimalTreeRegressor(on_interrupt="return"),
        max_depth=3,
        cv=2,
        parameter="cost_complexity",
    )
    interrupted_after(3, tuned)
    with pytest.warns(NotProvenWarning, match="sizes beyond depth 1 were not compared"):
        tuned.fit(X, X[:, 0] + rng.normal(size=60))
    assert tuned.best_params_["max_depth"] == 1


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize(("on_interrupt", "n_done"), [("raise", 5), ("return", 1)])
def test_interrupt_is_raised_if_nothing_is_finished(on_interrupt, n_done, n_jobs):
    X, y = noisy_bits(4)
    tree = clone(KEEPS).set_params(on_interrupt=on_interrupt)
    tuned = OptimalTreeClassifierCV(
        estimator=tree, max_depth=3, cv=2, n_jobs=n_jobs, strategy="all"
    )
    interrupted_after(n_done, tuned)
    with pytest.raises(KeyboardInterrupt):
        tuned.fit(X, y)
    assert not hasattr(tuned, "tree_")


def test_no_search_outlives_an_interrupt():
    # Otherwise Python would exit during the search and abort. The next search takes
    # hours.
    X, y = hard_data(2000, 100)
    tree = clone(KEEPS).set_params(on_interrupt="raise")
    halves = np.arange(1000), np.arange(1000, 2000)
    tuned = OptimalTreeClassifierCV(
        estimator=tree, max_depth=8, cv=[halves] * 2, strategy="all"
    )
    before = threading.active_count()
    interrupted_after(4, tuned.set_params(n_jobs=2))
    with pytest.raises(KeyboardInterrupt):
        tuned.fit(X, y)
    assert threading.active_count() == before


@pytest.mark.parametrize("callback", [None, lambda _: False])
def test_abandoned_search_ends(callback):
    # Like searches in other threads, which no signal reaches. This search takes hours.
    X, y = hard_data(2000, 100)
    rows = np.arange(y.size)
    tree = clone(KEEPS).set_params(callback=callback)
    fold = Fold.of(Study(tree, Rows(X, y, None), None), Split(rows, rows), 8)
    found = fold.compare([Candidate(8, 40)], lambda: True)
    assert found.frontier_statuses == ["interrupted"]


def test_searches_that_can_be_abandoned_give_the_same_results():
    X, y = noisy_bits(4)
    rows = np.arange(y.size)
    fold = Fold.of(Study(KEEPS, Rows(X, y, None), None), Split(rows, rows), 3)
    found = fold.compare([Candidate(3, 5)], lambda: False)
    expected = Solver(X, y).frontier(3)[5]
    assert found.statuses == ["optimal"]
    assert found.train_scores == [1 - expected.objective / y.size]
