"""The search over all thresholds keeps its limits, and stops with valid bounds."""

import time

import numpy as np
import pytest
from oracle.interrupts import SOON, Interrupt, on_signals
from oracle.ranked import check_stops, random_ranked, ranked_rows_of

from murtree import OptimalTreeClassifier


def hard(n_rows=2000, n_chains=15, n_labels=2):
    """Return noise, whose trees of depth three take minutes to prove."""
    rng = np.random.default_rng(0)
    ranks = rng.permuted(np.tile(np.arange(n_rows), (n_chains, 1)), axis=1)
    data = random_ranked(rng, n_rows, n_chains, n_labels, kind="errors")
    labels = rng.integers(0, n_labels, n_rows)
    return data._replace(ranks=ranks, costs=1 - np.eye(n_labels, dtype=int)[labels])


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_a_stopped_search_claims_nothing_false(first):
    for seed in range(first, first + 10):
        check_stops(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 100))
def test_more_stopped_searches_claim_nothing_false(first):
    for seed in range(first, first + 100):
        check_stops(seed, n_stops=20)


@pytest.mark.parametrize("limits", [{}, {"min_samples_leaf": 5}, {"price_of_node": 1}])
@pytest.mark.parametrize(("depth", "n_labels"), [(2, 2), (3, 2), (3, 4), (5, 2)])
@pytest.mark.parametrize("limit", [0.0, 0.1])
def test_time_limit_is_kept(depth, n_labels, limit, limits):
    data = hard(2000, 20, n_labels)
    start = time.process_time()
    (answer,) = data.solve(depth, time_limit=limit, **limits)
    assert time.process_time() - start < limit + 0.2  # 0.1 on a quiet machine
    cost = data.check_tree(answer, 2**depth - 1, **limits)
    assert answer["lower_bound"] <= cost
    assert answer["status"] == "time_limit" or answer["lower_bound"] == cost


def test_time_limit_is_kept_between_slow_scans():
    data = hard(70_000, 30, 6)
    start = time.process_time()
    (answer,) = data.solve(2, time_limit=0.3, min_samples_leaf=5)
    assert time.process_time() - start < 0.5 + time_of_table(data)
    assert answer["status"] == "time_limit"


def time_of_table(data):
    start = time.process_time()
    data.table()
    return time.process_time() - start


@on_signals
@pytest.mark.parametrize("depth", [3, 4])
def test_ctrl_c_ends_the_search(depth):
    data = hard()
    with Interrupt() as interrupt, pytest.raises(KeyboardInterrupt):
        data.solve(depth)
    assert interrupt.back - interrupt.sent < SOON
    with Interrupt():
        (answer,) = data.solve(depth, returns_on_interrupt=True)
    assert answer["status"] == "interrupted"
    assert data.check_tree(answer) >= answer["lower_bound"]


def test_callback_sees_better_trees_and_stops():
    data, costs, bounds = hard(), [], []

    def stop(progress):
        if "test" in progress:
            costs.append(data.check_tree(progress))
            bounds.append(progress["lower_bound"])
        return progress["seconds"] > 0.25

    (answer,) = data.solve(3, stop=stop)
    assert answer["status"] == "interrupted"
    costs.append(data.check_tree(answer))
    bounds.append(answer["lower_bound"])
    assert costs == sorted(costs, reverse=True)
    assert bounds == sorted(bounds)
    assert bounds[0] < bounds[-1] < costs[-1]


def test_errors_of_a_callback_end_the_search():
    def fail(_progress):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        hard().solve(3, stop=fail)


def test_nodes_that_cannot_pay_off_are_no_limit():
    # The nodes need not be shared: there were a million ways to do so.
    X = np.random.default_rng(0).normal(size=(600, 4))
    y = X[:, 0] > 0
    clf = OptimalTreeClassifier(
        max_depth=None, cost_complexity=0.01, binarizer="exact"
    ).fit(X, y)
    assert (clf.status_, clf.n_nodes_) == ("optimal", 1)


def test_ranks_are_the_failed_tests():
    rows = ranked_rows_of(np.array([[0, 2, 1], [1, 0, 0]]))
    assert np.asarray(rows).tolist() == [[0, 0, 1], [1, 1, 0], [1, 0, 0]]
