"""Constraints with a time limit, a callback, and Ctrl-C."""

import warnings
from itertools import pairwise

import numpy as np
import pytest
from oracle.data import hard_data
from oracle.interrupts import SOON, Interrupt, on_signals
from sklearn.model_selection import cross_val_score

from murtree import (
    NotProvenWarning,
    OptimalTreeClassifier,
    TableBinarizer,
    TimeLimitWarning,
)
from murtree._solver.constraints.subproblems import Training

HARD, LABELS = hard_data()
CONSTRAINTS = [
    {"max_distinct_features": 2},
    {"partial_tree": {"feature": 4}},
    {"partial_tree": {"feature": 4, "left": {"feature": 1}}, "max_num_nodes": 60},
    {"partial_tree": {"feature": 4}, "max_distinct_features": 5},
]


def keeps_to(fitted, requested):
    used = fitted.tree_.feature[fitted.tree_.feature >= 0]
    few = len(set(used.tolist())) <= requested.get("max_distinct_features", 60)
    return few and ("partial_tree" not in requested or used[0] == 4)


def hard(**requested):
    return OptimalTreeClassifier(max_depth=8, binarizer=None, **requested)


@pytest.mark.parametrize("requested", CONSTRAINTS)
@pytest.mark.parametrize("seconds", [1e-9, 0.2])
def test_a_time_limit_gives_a_tree_and_a_bound(requested, seconds):
    with pytest.warns(TimeLimitWarning):
        fitted = hard(time_limit=seconds, **requested).fit(HARD, LABELS)
    assert fitted.status_ == "time_limit"
    wrong = int((fitted.predict(HARD) != LABELS).sum())
    assert fitted.objective_ == wrong <= 1500
    assert 0 <= fitted.lower_bound_ < wrong
    assert fitted.search_stats_["seconds"] < seconds + 2.0
    assert keeps_to(fitted, requested)


def test_bounds_at_a_time_limit_are_below_the_optimum():
    rows, labels = HARD[:200, :25], LABELS[:200]
    for requested in (*CONSTRAINTS[:2], CONSTRAINTS[2] | {"max_num_nodes": 5}):
        ask = {"max_depth": 3, "binarizer": None} | requested
        best = OptimalTreeClassifier(**ask).fit(rows, labels)
        assert best.status_ == "optimal"
        for seconds in (1e-4, 1e-3, 3e-3, 1e-2, 3e-2):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", TimeLimitWarning)
                fitted = OptimalTreeClassifier(time_limit=seconds, **ask)
                fitted.fit(rows, labels)
            assert fitted.lower_bound_ <= best.objective_ <= fitted.objective_
            proven = fitted.lower_bound_ == fitted.objective_
            assert (fitted.status_ == "optimal") == proven
            assert keeps_to(fitted, requested)


def test_untried_tests_are_bounded_by_their_price():
    """A column with many tests, and no time to try all of them."""
    rng = np.random.default_rng(7)
    numbers = HARD[:, :20] @ rng.normal(size=(20, 6))
    labels = HARD[:, 0] ^ HARD[:, 1]
    top = {"feature": 2}
    for penalty in (0.0, 0.001):
        clf = OptimalTreeClassifier(
            max_depth=6,
            partial_tree=top,
            cost_complexity=penalty,
            time_limit=0.2,
            binarizer=TableBinarizer(n_thresholds=30),
        )
        with pytest.warns(TimeLimitWarning):
            clf.fit(numbers, labels)
        assert penalty * 3000 - 1e-9 <= clf.lower_bound_ < clf.objective_
        assert clf.tree_.feature[0] == 2


@pytest.mark.parametrize("requested", CONSTRAINTS)
def test_a_callback_ends_the_search(requested):
    reported = []

    def stop(progress):
        reported.append(progress)
        return len(reported) == 3

    with pytest.warns(NotProvenWarning):
        fitted = hard(callback=stop, **requested).fit(HARD, LABELS)
    assert fitted.status_ == "interrupted"
    assert len(reported) == 3
    assert all(a.seconds < b.seconds for a, b in pairwise(reported))
    assert all(p.lower_bound <= fitted.objective_ for p in reported)
    assert all(p.objective is None or p.tree is not None for p in reported)
    assert keeps_to(fitted, requested)


@pytest.mark.timing
@on_signals
@pytest.mark.parametrize("requested", CONSTRAINTS)
def test_control_c(requested):
    with pytest.raises(KeyboardInterrupt), Interrupt() as interrupt:
        hard(**requested).fit(HARD, LABELS)
    assert interrupt.back - interrupt.sent < SOON
    kept = hard(on_interrupt="return", **requested)
    with pytest.warns(NotProvenWarning), Interrupt() as interrupt:
        kept.fit(HARD, LABELS)
    assert interrupt.back - interrupt.sent < 2 * SOON
    assert kept.status_ == "interrupted"
    assert keeps_to(kept, requested)


@pytest.mark.parametrize("constraint", range(4))
@pytest.mark.parametrize("call", range(1, 6))
def test_control_c_between_two_searches(constraint, call, monkeypatch):
    rng = np.random.default_rng(8)
    table, labels = rng.random((150, 9)), LABELS[:150]
    requested = CONSTRAINTS[constraint] | {
        "max_depth": 3,
        "binarizer": TableBinarizer(),
    }
    if "max_num_nodes" in requested:
        requested["max_num_nodes"] = 5
    best = OptimalTreeClassifier(**requested).fit(table, labels)
    engine, calls = Training.engine, []

    def interrupted(*args):
        calls.append(args)
        if len(calls) == call:
            raise KeyboardInterrupt
        return engine(*args)

    monkeypatch.setattr(Training, "engine", interrupted)
    clf = OptimalTreeClassifier(on_interrupt="return", **requested)
    with pytest.warns(NotProvenWarning):
        clf.fit(table, labels)
    assert clf.status_ == "interrupted"
    assert clf.lower_bound_ <= best.objective_ <= clf.objective_
    assert clf.lower_bound_ < clf.objective_
    assert keeps_to(clf, requested)
    calls.clear()
    with pytest.raises(KeyboardInterrupt):
        OptimalTreeClassifier(**requested).fit(table, labels)


def test_in_cross_validation():
    clf = OptimalTreeClassifier(
        max_depth=2,
        max_distinct_features=2,
        partial_tree={"feature": 3},
        binarizer=None,
    )
    scores = cross_val_score(clf, HARD, LABELS, cv=3, error_score="raise")
    assert scores.shape == (3,)
