"""Trees of depth two over nested thresholds: against the judge and the search."""

import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from murtree._core import nested_depth_two
from oracle.brute_force import best_errors
from sklearn.datasets import load_iris

from murtree import (
    NotProvenWarning,
    OptimalTreeClassifier,
    Predicate,
    Solver,
    TimeLimitWarning,
)
from murtree._estimators import search
from murtree._solver import depth_two_by_rank as _nested
from murtree._table.predicates import nested_groups

thorough = settings(max_examples=300, deadline=None, derandomize=True)
X, y = load_iris(return_X_y=True)


@st.composite
def ranked(draw, max_rows=12):
    """Draw the ranks of rows in up to three columns, labels and weights."""
    n_rows = draw(st.integers(1, max_rows))
    n_thresholds = draw(st.lists(st.integers(0, 6), min_size=1, max_size=3))
    ranks = [
        draw(st.lists(st.integers(0, n), min_size=n_rows, max_size=n_rows))
        for n in n_thresholds
    ]
    labels = draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows))
    weights = draw(st.lists(st.integers(1, 4), min_size=n_rows, max_size=n_rows))
    return ranks, n_thresholds, labels, weights


def solve(ranks, n_thresholds, labels, weights, time_limit=np.inf):
    return nested_depth_two(
        ranks=np.array(ranks, dtype=np.uint32),
        n_thresholds=np.array(n_thresholds, dtype=np.uint32),
        labels=np.array(labels, dtype=np.int32),
        weights=np.array(weights, dtype=np.int64),
        n_classes=3,
        time_limit=time_limit,
        returns_on_interrupt=False,
        wants_to_stop=None,
    )


def bits_of(ranks, n_thresholds):
    columns = [
        np.asarray(column) > threshold
        for column, n in zip(ranks, n_thresholds, strict=True)
        for threshold in range(n)
    ]
    return np.array(columns or [np.zeros(len(ranks[0]))], dtype=int).T


@thorough
@given(ranked())
def test_costs_are_the_judges(data):
    ranks, n_thresholds, labels, weights = data
    found = solve(*data)
    bits = bits_of(ranks, n_thresholds)
    best = best_errors(bits.tolist(), labels, weights, 2)
    assert found["ended"] == ""
    assert found["costs"].tolist() == (best + [best[-1]] * 4)[:4]


@thorough
@given(ranked(max_rows=40))
def test_returned_tests_give_the_returned_costs(data):
    ranks, n_thresholds, labels, weights = data
    found = solve(*data)
    starts = np.cumsum([0, *n_thresholds])
    kept = sorted(set((starts[found["columns"]] + found["thresholds"]).tolist()))
    bits = bits_of(ranks, n_thresholds)
    assume(len(labels) >= 2 and kept)
    frontier = Solver(bits[:, kept], labels, weights).frontier(2)
    costs = np.minimum.accumulate(frontier.misclassified).tolist()
    assert (costs + [costs[-1]] * 4)[:4] == found["costs"].tolist()


def test_roots_are_pruned():
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(400), (3, 1)), axis=1)
    labels = (ranks[0] > 150).astype(int) + (ranks[1] > 200)
    found = solve(ranks, [399] * 3, labels, np.ones(400))
    assert found["costs"][3] == 0
    assert found["n_roots"] < 300  # of 1,197


def test_search_by_rank_respects_the_time_limit():
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(400), (3, 1)), axis=1)
    found = solve(ranks, [399] * 3, rng.integers(0, 3, 400), np.ones(400), 0.0)
    assert found["ended"] == "time_limit"
    assert found["n_roots"] == 0


def test_thresholds_of_a_column_are_a_group():
    predicates = [
        Predicate(0, missing=True),
        Predicate(0, 1.0, missing=False),
        Predicate(0, 1.0, missing=True),
        Predicate(0, 2.0, missing=False),
        Predicate(0, 2.0, missing=True),
        Predicate(1, 1.0, 2.0),
        Predicate(1, 3.0),
        Predicate(2, members=(0,)),
    ]
    assert nested_groups(predicates) == [[0], [1, 3], [2, 4], [5], [6], [7]]


@pytest.mark.parametrize(
    "options", [{}, {"max_num_nodes": 2}, {"cost_complexity": 0.05}]
)
@pytest.mark.parametrize("gaps", [0, 30])
def test_the_estimator_finds_the_same(monkeypatch, options, gaps):
    table = X.copy()
    table[:gaps, 2] = np.nan
    weight = np.arange(len(y)) % 4
    usual = OptimalTreeClassifier(max_depth=2, **options).fit(table, y, weight)
    monkeypatch.setattr(search, "MANY", 0)
    nested = OptimalTreeClassifier(max_depth=2, **options).fit(table, y, weight)
    assert nested.search_stats_["reduced_features"] < 10
    assert nested.objective_ == pytest.approx(usual.objective_, abs=1e-9)
    assert nested.status_ == "optimal"
    if "frontier" in options:
        expected = usual.frontier_.misclassified.tolist()
        assert nested.frontier_.misclassified.tolist() == expected


def test_real_weights_use_the_search(monkeypatch):
    monkeypatch.setattr(search, "MANY", 0)
    odd = np.random.default_rng(0).random(len(y))
    clf = OptimalTreeClassifier(max_depth=2, binarizer="exact").fit(X, y, odd)
    assert clf.search_stats_["reduced_features"] > 50


def wide(n_classes=2, n_rows=400, n_columns=5):
    rng = np.random.default_rng(0)
    return rng.normal(size=(n_rows, n_columns)), rng.integers(0, n_classes, n_rows)


@pytest.mark.slow
def test_many_classes_are_supported():
    table, labels = wide(n_classes=40, n_rows=2200, n_columns=10)
    clf = OptimalTreeClassifier(max_depth=1).fit(table, labels)
    assert len(clf.binarizer_.predicates_) > 20_000
    assert clf.objective_ == (clf.predict(table) != labels).sum()


def test_at_the_time_limit_the_best_tree_so_far_is_returned():
    table, labels = wide()
    clf = OptimalTreeClassifier(max_depth=2, binarizer="exact", time_limit=1e-3)
    start = time.perf_counter()
    with pytest.warns(TimeLimitWarning):
        clf.fit(table, labels)
    assert time.perf_counter() - start < 2.0
    assert clf.status_ == "time_limit"
    assert clf.lower_bound_ == 0 < clf.objective_
    assert clf.objective_ == (clf.predict(table) != labels).sum()
    proven = OptimalTreeClassifier(max_depth=2, binarizer="exact").fit(table, labels)
    assert proven.objective_ <= clf.objective_


def test_a_callback_stops_it():
    table, labels = wide(n_rows=1500, n_columns=15)
    reported = []

    def stop(progress):
        reported.append(progress)
        return True

    clf = OptimalTreeClassifier(max_depth=2, binarizer="exact", callback=stop)
    with pytest.warns(NotProvenWarning):
        clf.fit(table, labels)
    assert clf.status_ == "interrupted"
    assert reported[0].tree is None
    assert reported[0].gap == np.inf


@pytest.fixture
def stopped_early(monkeypatch):
    """Return a search that stops after the last two columns of four."""

    def found(*, n_thresholds, **_):
        assert n_thresholds.tolist() == [1] * 4
        columns, thresholds = np.array([2, 3]), np.array([0, 0])
        reported = {"columns": columns, "thresholds": thresholds, "ended": "time_limit"}
        return reported | {"seconds": 0.01}

    monkeypatch.setattr(search, "MANY", 0)
    monkeypatch.setattr(_nested, "nested_depth_two", found)


def no_errors_with_two_nodes(seed=0, n_rows=80):
    """Return columns: the first two suffice, and the last two with one more node.

    Labels are the conjunction of the first two, and the exclusive or of the others.
    """
    rng = np.random.default_rng(seed)
    a, b, p = rng.integers(0, 2, (3, n_rows))
    labels = a & b
    return np.stack([a, b, p, p ^ labels], axis=1).astype(float), labels


@pytest.mark.parametrize("options", [{}, {"frontier": True}])
@pytest.mark.usefixtures("stopped_early")
def test_tree_without_errors_may_not_have_the_fewest_nodes(options):
    table, labels = no_errors_with_two_nodes()
    clf = OptimalTreeClassifier(max_depth=2, time_limit=60, **options)
    clf.set_params(fewest_nodes=True)
    with pytest.warns(TimeLimitWarning):
        clf.fit(table, labels)
    assert (clf.objective_, clf.n_nodes_) == (0, 3)
    assert clf.status_ == "time_limit"
    if options:
        assert clf.frontier_[3].status == "time_limit"
        assert clf.frontier_[2].status == "time_limit"


@pytest.mark.usefixtures("stopped_early")
def test_tree_without_errors_is_final_if_nodes_do_not_matter():
    table, labels = no_errors_with_two_nodes()
    clf = OptimalTreeClassifier(max_depth=2, time_limit=60).fit(table, labels)
    assert (clf.objective_, clf.status_) == (0, "optimal")
    # No column needs fewer than one node.
    alone = OptimalTreeClassifier(max_depth=2, time_limit=60, fewest_nodes=True)
    alone.fit(table, table[:, 2])
    assert (alone.objective_, alone.n_nodes_, alone.status_) == (0, 1, "optimal")
