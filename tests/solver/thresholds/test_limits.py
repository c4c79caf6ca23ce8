"""The search over all thresholds keeps its limits, and stops with valid bounds."""

import time

import numpy as np
import pytest
from oracle.interrupts import SOON, Interrupt, on_signals
from oracle.ranked import random_ranked, ranked_rows_of
from oracle.stopped import check_slow_stops, check_stopped_frontier, check_stops
from sklearn.tree import DecisionTreeClassifier

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
    assert sum(map(check_stops, range(first, first + 10))) >= 10


@pytest.mark.parametrize("first", range(0, 40, 10))
def test_a_stopped_frontier_claims_nothing_false(first):
    assert sum(map(check_stopped_frontier, range(first, first + 10))) >= 3


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 100))
def test_more_stopped_frontiers_claim_nothing_false(first):
    assert sum(map(check_stopped_frontier, range(first, first + 100))) >= 30


@pytest.mark.parametrize("first", range(0, 20, 10))
def test_a_callback_that_stops_a_search_leads_to_no_false_claim(first):
    found = [check_slow_stops(seed) for seed in range(first, first + 10)]
    n_open, n_calls = map(sum, zip(*found, strict=True))
    assert n_calls >= 3  # of 30; the others end before it, or by a time limit
    assert n_open >= 10


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1100, 25))
def test_more_callbacks_that_stop_a_search_lead_to_no_false_claim(first):
    found = [check_slow_stops(seed, 6) for seed in range(first, first + 25)]
    n_open, n_calls = map(sum, zip(*found, strict=True))
    assert n_calls >= 15
    assert n_open >= 50


def shallow(n_rows=3000, n_chains=6):
    """Return a table with a rule of three tests, and noise."""
    data = hard(n_rows, n_chains)
    is_one = (data.ranks[0] > n_rows // 3) ^ (data.ranks[1] > n_rows // 2)
    is_noise = np.random.default_rng(1).random(n_rows) < 0.2
    labels = np.where(is_noise, data.costs[:, 0], is_one)
    return data._replace(costs=1 - np.eye(2, dtype=int)[labels])


def test_the_sizes_of_a_frontier_share_the_time():
    data = shallow()
    answers = data.solve(4, first_nodes=0, time_limit=1.0)
    (alone,) = data.solve(4, time_limit=1.0)
    costs = [data.check_tree(answer, k) for k, answer in enumerate(answers)]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) > 8  # not one tree for all sizes
    assert costs[-1] <= 1.02 * data.check_tree(alone)
    bounds = [answer["lower_bound"] for answer in answers]
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] > 0


def test_a_frontier_has_trees_of_all_sizes_without_time():
    data = hard(3000, 6)
    answers = data.solve(4, first_nodes=0, time_limit=0.0)
    costs = [data.check_tree(answer, k) for k, answer in enumerate(answers)]
    assert costs == sorted(costs, reverse=True)
    assert len(set(costs)) > 4


def test_the_bound_rises_without_a_time_limit_where_it_is_watched():
    data, bounds, costs = shallow(), [], []

    def stop(known):
        bounds.append(known["lower_bound"])
        costs.append(data.check_tree(known | {"status": "time_limit"}))
        return known["seconds"] > 2.0

    (answer,) = data.solve(4, stop=stop, anytime=True, returns_on_interrupt=True)
    assert answer["status"] == "interrupted"
    assert bounds == sorted(bounds)
    assert costs == sorted(costs, reverse=True)
    assert 0 < bounds[-1] <= answer["lower_bound"]


@pytest.mark.parametrize("shape", [(1000, 6), (20_000, 6), (3000, 50)])
@pytest.mark.parametrize("depth", [2, 3, 4, 6])
def test_without_time_four_levels_of_a_greedy_tree_are_complete(shape, depth):
    data = shallow(*shape)
    X, y = data.ranks.T, data.costs[:, 1] == 0
    levels = min(depth, 4)
    greedy = DecisionTreeClassifier(max_depth=levels, random_state=0).fit(X, y)
    errors = (greedy.predict(X) != y).sum()
    (answer,) = data.solve(depth, time_limit=0.0)
    # Cuts are moved if that saves errors. Equally pure splits are rare here.
    assert 0.9 * errors < data.check_tree(answer) <= errors
    (limited,) = data.solve(depth, time_limit=0.3)
    assert data.check_tree(limited) <= data.check_tree(answer)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1400, 100))
def test_more_stopped_searches_claim_nothing_false(first):
    n_open = sum(check_stops(seed, n_stops=20) for seed in range(first, first + 100))
    assert n_open >= 200  # of 2,000


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


def test_time_limit_is_kept_with_many_ways_to_share_nodes():
    data = hard(30_000, 20, 3)
    data = data._replace(costs=data.costs * [1, 2, 3])
    start = time.process_time()
    (answer,) = data.solve(7, nodes=60, time_limit=0.5)
    assert time.process_time() - start < 0.8 + time_of_table(data)
    assert answer["status"] == "time_limit"


@pytest.mark.timing
def test_time_limit_is_kept_with_many_columns_and_few_rows():
    # Each scan takes little time, but there are 3,000 at each position.
    data = hard(200, 3000)
    start = time.process_time()
    (answer,) = data.solve(3, time_limit=0.5)
    assert time.process_time() - start < 1.0 + time_of_table(data)
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
