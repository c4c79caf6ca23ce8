"""Time limits and callbacks: a valid result at any time."""

import gc
import math
import time
import weakref

import numpy as np
import pytest
from oracle.brute_force import best_errors, check_tree
from oracle.data import hard_data
from oracle.strategies import random_instance

from murtree import (
    MetricSolver,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    Progress,
    Solver,
    TableBinarizer,
    Tree,
)
from murtree._solver.request import check_limits
from murtree._solver.result import gap_between

LIMITS = (1e-9, 1e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2)


def medium_data(seed=4):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (300, 20))
    y = (X[:, 0] & X[:, 1]) ^ X[:, 2] ^ (rng.random(300) < 0.15)
    return X, y


def assert_brackets(result, optimum):
    assert result.tree is not None
    assert result.lower_bound <= optimum + 1e-9
    assert result.objective >= optimum - 1e-9
    if result.status == "optimal":
        assert result.objective == pytest.approx(optimum)
    else:
        assert result.status == "time_limit"
    assert 0.0 <= result.gap <= 1.0


@pytest.mark.parametrize(
    "ask",
    [
        {"max_depth": 4},
        {"max_depth": 4, "max_num_nodes": 9},
        {"max_depth": 4, "cost_complexity": 0.003},
        {"max_depth": None, "cost_complexity": 0.02},
        {"max_depth": 4, "fewest_nodes": True},
        {"max_depth": 4, "min_samples_leaf": 5},
    ],
)
@pytest.mark.parametrize("seed", range(3))
def test_any_time_limit_brackets_the_optimum(ask, seed):
    X, y = medium_data(seed)
    optimum = Solver(X, y).solve(**ask).objective
    shared = Solver(X, y)
    for limit in LIMITS:
        for solver in (Solver(X, y), shared, Solver(X, y, first_tree=False)):
            assert_brackets(solver.solve(**ask, time_limit=limit), optimum)
    assert shared.solve(**ask).objective == optimum


@pytest.mark.parametrize("seed", range(20))
def test_small_data_with_a_time_limit(seed):
    data = random_instance(seed, max_features=5, max_rows=30)
    expected = best_errors(*data, 3)
    for limit in (1e-9, 1e-5, 10.0):
        for nodes, errors in enumerate(expected):
            assert_brackets(Solver(*data).solve(3, nodes, time_limit=limit), errors)
        frontier = Solver(*data).frontier(3, time_limit=limit)
        for result, errors in zip(frontier, expected, strict=True):
            assert_brackets(result, errors)


@pytest.mark.parametrize("seed", range(6))
def test_a_frontier_with_a_time_limit(seed):
    X, y = medium_data(seed)
    optimal = Solver(X, y).frontier(4)
    for limit in LIMITS:
        frontier = Solver(X, y).frontier(4, time_limit=limit)
        assert len(frontier) == 16
        assert (np.diff(frontier.misclassified) <= 0).all()
        for nodes, result in enumerate(frontier):
            assert_brackets(result, optimal[nodes].objective)
            assert result.tree.n_nodes <= nodes
        for cost_complexity in (0.0, 0.001, 0.01, 0.1):
            best = frontier.best(cost_complexity)
            assert_brackets(best, optimal.best(cost_complexity).objective)


@pytest.mark.parametrize("seed", range(3))
def test_stopped_trees_respect_every_limit(seed):
    X, y = medium_data(seed)
    data = (X.tolist(), y.tolist(), [1] * len(y))
    ask = {"min_samples_leaf": 12}
    for limit in (1e-9, 1e-4, 1e-3, 5e-3):
        for nodes in (31, 6):
            for first_tree in (True, False):
                solver = Solver(X, y, first_tree=first_tree)
                result = solver.solve(5, nodes, **ask, time_limit=limit)
                check_tree(result, data, 5, nodes, 12)
        frontier = Solver(X, y).frontier(5, **ask, time_limit=limit)
        for nodes in (0, 3, 12, 31):
            check_tree(frontier[nodes], data, 5, nodes, 12)


def test_limit_too_small_for_any_tree_gives_a_leaf_and_a_valid_bound():
    X = [[0], [0], [1], [1], [1]]
    result = Solver(X, [0, 1, 1, 1, 0]).solve(3, time_limit=1e-12)
    assert result.tree is not None
    assert result.lower_bound == 2  # from equal rows of different classes
    assert result.objective >= 2


@pytest.mark.timing
def test_bounds_never_decrease_and_errors_never_increase():
    X, y = hard_data(400, 30)
    results = [Solver(X, y).solve(6, time_limit=limit) for limit in (0.1, 0.4, 9.0)]
    bounds = [result.lower_bound for result in results]
    errors = [result.objective for result in results]
    assert bounds == sorted(bounds)
    assert errors == sorted(errors, reverse=True)
    assert results[-1].status == "optimal"


@pytest.mark.timing
def test_bound_increases_before_the_proof():
    reported = []

    def stop_after_three_bounds(progress):
        reported.append(progress.lower_bound)
        return len(set(reported)) == 3

    result = Solver(*hard_data(1000, 40)).solve(6, callback=stop_after_three_bounds)
    assert result.status == "interrupted"
    assert reported == sorted(reported)
    assert len(set(reported)) == 3
    assert reported[-1] <= result.lower_bound < result.objective


def collect(solver, ask, stop_after=math.inf):
    reported = []

    def callback(progress):
        reported.append(progress)
        return len(reported) >= stop_after

    return solver.solve(**ask, callback=callback), reported


@pytest.mark.timing
def test_callback_receives_valid_progress():
    X, y = hard_data()
    ask = {"max_depth": 7, "time_limit": 0.8}
    result, reported = collect(Solver(X, y), ask)
    assert 3 <= len(reported) <= 12
    assert all(isinstance(progress, Progress) for progress in reported)
    seconds = [progress.seconds for progress in reported]
    assert seconds == sorted(seconds)
    with_tree = [progress for progress in reported if progress.tree is not None]
    assert with_tree
    for progress in with_tree:
        assert isinstance(progress.tree, Tree)
        assert progress.objective == int((progress.tree.predict(X) != y).sum())
        assert progress.objective >= result.objective
        assert progress.lower_bound <= result.lower_bound
        assert 0.0 <= progress.gap <= 1.0
        assert 0.0 <= progress.share <= 1.0
    for progress in reported:
        if progress.tree is None:
            assert (progress.objective, progress.gap) == (None, math.inf)


@pytest.mark.parametrize(
    "ask",
    [
        {"max_depth": 7},
        {"max_depth": 7, "fewest_nodes": True},
        {"max_depth": 7, "cost_complexity": 0.0001},
    ],
)
def test_callback_stops_the_search(ask):
    X, y = hard_data()
    solver = Solver(X, y)
    result, reported = collect(solver, ask, stop_after=2)
    assert result.status == "interrupted"
    assert len(reported) == 2
    assert result.lower_bound < result.objective
    assert result.misclassified == int((result.tree.predict(X) != y).sum())
    assert solver.solve(2).objective == Solver(X, y).solve(2).objective


def test_callback_stops_a_frontier():
    X, y = hard_data()
    frontier = Solver(X, y).frontier(7, callback=lambda progress: True)
    assert len(frontier) == 128
    assert frontier.status == "interrupted"
    assert frontier[0].objective == min(np.bincount(y))
    for nodes, result in enumerate(frontier):
        assert result.tree.n_nodes <= nodes
        assert result.objective == (result.tree.predict(X) != y).sum()
        assert result.lower_bound <= result.objective
    assert frontier[-1].lower_bound < frontier[-1].objective


def test_truthy_result_of_a_callback_stops():
    X, y = hard_data()
    for stop in (1, "yes", np.True_):
        result = Solver(X, y).solve(7, callback=lambda progress, stop=stop: stop)
        assert result.status == "interrupted"
    for go_on in (None, 0, np.False_):
        result = Solver(X, y).solve(
            7, time_limit=0.3, callback=lambda progress, go_on=go_on: go_on
        )
        assert result.status == "time_limit"


class Oops(Exception):
    pass


def test_an_exception_in_a_callback_reaches_the_caller_and_leaks_nothing():
    X, y = hard_data()
    solver = Solver(X, y)

    class Callback:
        def __call__(self, progress):
            raise Oops(progress.seconds)

    callback = Callback()
    gone = weakref.ref(callback)
    with pytest.raises(Oops) as caught:
        solver.solve(7, callback=callback)
    assert caught.value.args[0] >= 0.0
    with pytest.raises(Oops):
        solver.frontier(7, callback=callback)
    del callback, caught
    gc.collect()
    assert gone() is None
    assert solver.solve(2).objective == Solver(X, y).solve(2).objective


def test_callback_must_not_use_its_own_solver():
    solver = Solver(*hard_data())

    def ask_again(progress):
        return solver.solve(1)

    with pytest.raises(RuntimeError, match="must not call the solver that calls it"):
        solver.solve(6, time_limit=20, callback=ask_again)
    with pytest.raises(RuntimeError, match="must not call the solver that calls it"):
        solver.frontier(6, 30, time_limit=20, callback=lambda _: solver.frontier(1))
    assert solver.solve(1).status == "optimal"


def test_callback_may_use_another_solver():
    solver, other = Solver(*hard_data()), Solver([[0], [1]], [0, 1])
    found = []

    def ask(progress):
        found.append(other.solve(1).objective)
        return True

    assert solver.solve(6, callback=ask).status == "interrupted"
    assert found == [0]


def test_callback_may_use_a_metric_solver():
    """Each of its requests has a separate search, so none waits for another."""
    X, y = hard_data()
    solver, found = MetricSolver(X, np.asarray(y) > 0), []

    def ask(progress):
        found.append([solver.solve(name, 1).status for name in ("f1", "matthews")])
        return True

    for name in ("f1", "matthews"):
        solver.solve(name, 6, callback=ask)
    assert found == [["optimal"] * 2] * 2


def test_trees_passed_to_a_callback_outlive_the_search():
    X, y = hard_data()
    _, reported = collect(Solver(X, y), {"max_depth": 6}, stop_after=3)
    gc.collect()
    tree = reported[-1].tree
    assert int((tree.predict(X) != y).sum()) == reported[-1].objective


def test_a_callback_does_not_change_the_answer():
    X, y = medium_data()
    plain = Solver(X, y).solve(4)
    watched = Solver(X, y).solve(4, callback=lambda progress: False)
    assert (watched.status, watched.objective) == ("optimal", plain.objective)


def test_the_gap_of_a_negative_objective_is_relative_to_its_size():
    assert gap_between(-346.0, -357.0, counts_errors=False) == pytest.approx(11 / 346)


@pytest.mark.timing
@pytest.mark.parametrize(
    "more",
    [{}, {"frontier": True}, {"objective": "f1"}, {"max_distinct_features": 3}],
)
@pytest.mark.filterwarnings("ignore::murtree.TimeLimitWarning")
def test_choosing_thresholds_counts_as_time(monkeypatch, more):
    slow_choice(monkeypatch)
    rng = np.random.default_rng(3)
    X, y = rng.random((500, 12)), rng.integers(0, 2, 500)
    reported = []
    clf = OptimalTreeClassifier(
        max_depth=6, time_limit=1.0, callback=reported.append, **more
    ).fit(X, y)
    assert clf.status_ == "time_limit"
    assert reported
    assert all(0.05 <= progress.time_limit <= 0.5 for progress in reported)
    assert clf.search_stats_["seconds"] < 0.6


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::murtree.NotProvenWarning")
def test_choosing_thresholds_counts_as_time_in_folds(monkeypatch):
    slow_choice(monkeypatch)
    rng = np.random.default_rng(3)
    X, y = rng.random((500, 12)), rng.integers(0, 2, 500)
    reported = []
    many = TableBinarizer(n_thresholds=20)  # "auto" need not choose up to depth three
    clf = OptimalTreeClassifier(
        binarizer=many, time_limit=0.8, callback=reported.append
    )
    OptimalTreeClassifierCV(estimator=clf, max_depth=4, cv=2).fit(X, y)
    assert reported
    assert all(progress.time_limit < 0.4 for progress in reported)


def slow_choice(monkeypatch):
    """Make the choice of thresholds take half a second."""
    choose = TableBinarizer._fit_codes

    def slowly(*args, **kwargs):
        time.sleep(0.5)
        return choose(*args, **kwargs)

    monkeypatch.setattr(TableBinarizer, "_fit_codes", slowly)


def test_remaining_time():
    def left(limit, spent):
        request = check_limits(
            "X",
            max_depth=1,
            max_num_nodes=None,
            min_samples_leaf=1,
            min_weight_fraction_leaf=0.0,
            time_limit=limit,
            memory_limit=None,
            callback=None,
            on_interrupt="raise",
        )
        return request.run_limits.after(spent).time_limit

    assert left(None, 3.0) is None
    assert left(1.0, 0.25) == 0.75
    assert left(1.0, 7.0) == pytest.approx(0.7)  # a tenth of the time before
    assert left(1.0, 1.0) == 0.1
    assert left(0.1, 0.1) == 0.05
    assert left(0.01, 9.0) == 0.01  # never more than requested
