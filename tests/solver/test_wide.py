"""Tables with very many columns: strips of pairs, and limits that hold."""

import subprocess
import sys
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_absolute, best_errors, best_squares
from oracle.objectives import IMPURITIES, Impurities
from oracle.strategies import instances
from repository import ROOT

from murtree import MetricSolver, OptimalTreeClassifier, Solver

# So little memory that no pair matrix fits: all pairs are counted in strips.
IN_STRIPS = {"memory_limit": 1}

BENCHMARK = ROOT / "benchmarks" / "wide_tables.py"


def random_table(seed, n_rows, n_columns, n_classes=2):
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_columns)) < rng.choice([0.1, 0.5])
    return X.astype(np.uint8), rng.integers(0, n_classes, n_rows)


def least_seconds(ask):
    """Return the best time of three attempts, since the machine may be busy."""
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        ask()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def assert_same_tree(result, other):
    for name in ("feature", "children_left", "children_right", "value"):
        np.testing.assert_array_equal(
            getattr(result.tree, name), getattr(other.tree, name)
        )


@settings(deadline=None, max_examples=60)
@given(instances(), st.integers(1, 4), st.integers(1, 3))
def test_strips_equal_the_judge(data, depth, least):
    errors = best_errors(*data, depth, least)
    requested = {"min_samples_leaf": least, **IN_STRIPS}
    solver = Solver(*data)
    assert solver.solve(depth, **requested).objective == errors[-1]
    assert solver.frontier(depth, **requested).misclassified.tolist() == errors


@settings(deadline=None, max_examples=40)
@given(instances(), st.integers(1, 3))
def test_strips_of_sums_equal_the_judge(data, depth):
    squares = Solver(*data, objective="squared_error").solve(depth, **IN_STRIPS)
    least = best_squares(data, depth)
    assert squares.objective == pytest.approx(float(least[-1]), abs=1e-6 * sum(data[2]))
    absolute = Solver(*data, objective="absolute_error").solve(depth, **IN_STRIPS)
    least = best_absolute(data, depth)
    assert absolute.objective == pytest.approx(
        float(least[-1]), abs=1e-6 * sum(data[2])
    )
    for objective in IMPURITIES:
        problem = Impurities(data, objective)
        result = problem.solver().solve(depth, **IN_STRIPS)
        problem.check(result, problem.best(depth)[-1], 2**depth - 1)


@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize(
    "requested",
    [
        {},
        {"min_samples_leaf": 4},
        {"cost_complexity": 0.02},
        {"fewest_nodes": True},
        {"max_num_nodes": 4},
    ],
)
def test_strips_and_matrices_agree(n_classes, requested):
    X, y = random_table(1, 90, 70, n_classes)
    usual = Solver(X, y).solve(3, **requested)
    in_strips = Solver(X, y).solve(3, **requested, **IN_STRIPS)
    assert in_strips.objective == usual.objective
    assert in_strips.status == usual.status == "optimal"
    assert_same_tree(in_strips, usual)


@pytest.mark.parametrize("objective", ["squared_error", "absolute_error", "costs"])
@pytest.mark.parametrize("least", [1, 4])
def test_strips_and_matrices_of_sums_agree(objective, least):
    X, y = random_table(2, 70, 45, 5 if objective != "costs" else 3)
    if objective == "costs":
        objective = [[0, 2.5, 1], [1, 0, 3], [0.5, 1, 0]]
    usual = Solver(X, y, objective=objective).solve(3, min_samples_leaf=least)
    in_strips = Solver(X, y, objective=objective).solve(
        3, min_samples_leaf=least, **IN_STRIPS
    )
    assert in_strips.objective == usual.objective
    assert_same_tree(in_strips, usual)


@pytest.mark.parametrize("least", [1, 4])
def test_strips_and_matrices_of_metrics_agree(least):
    X, y = random_table(3, 80, 50)
    for metric in ("f1", "matthews"):
        for depth in (1, 2, 3):
            usual, in_strips = (
                MetricSolver(X, y).solve(metric, depth, min_samples_leaf=least, **more)
                for more in ({}, IN_STRIPS)
            )
            assert in_strips.objective == usual.objective
            assert_same_tree(in_strips, usual)


@pytest.mark.parametrize("seconds", [0.0005, 0.002, 0.01, 0.05])
@pytest.mark.parametrize("objective", ["accuracy", "squared_error"])
def test_bounds_hold_however_early_the_time_ends(seconds, objective):
    X, y = random_table(4, 100, 300)
    solver = Solver(X, y, objective=objective)
    best = solver.solve(2)
    assert best.status == "optimal"
    for memory in (1, None):
        solver = Solver(X, y, objective=objective)
        result = solver.solve(2, time_limit=seconds, memory_limit=memory)
        assert result.lower_bound <= best.objective <= result.objective
        leaf = solver.solve(1).objective
        assert result.objective <= leaf  # at least as good as the best single test


def test_more_columns_than_pairs_can_be_counted():
    X, y = random_table(5, 40, 50_000)
    result = Solver(X, y).solve(1)
    assert result.status == "optimal"
    errors = [min(np.sum(x != y), np.sum(x == y)) for x in X.T]
    assert result.objective == min(*errors, y.sum(), (1 - y).sum())


@pytest.mark.timing
@pytest.mark.filterwarnings("ignore::murtree.TimeLimitWarning")
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_the_time_limit_is_kept(depth):
    X, y = random_table(6, 300, 8_000)
    limits = {"time_limit": 0.1, "memory_limit": "50MB"}
    assert least_seconds(lambda: Solver(X, y).solve(depth, **limits)) < 0.35
    model = OptimalTreeClassifier(max_depth=depth, binarizer=None, **limits)
    assert least_seconds(lambda: model.fit(X, y)) < 0.6  # with validation of the table


@pytest.mark.timing
def test_a_single_test_is_found_quickly():
    X, y = random_table(7, 1000, 5_000)
    assert Solver(X, y).solve(1).status == "optimal"
    assert least_seconds(lambda: Solver(X, y).solve(1)) < 0.4


@pytest.mark.timing
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("kind", ["accuracy", "squared_error", "f1"])
def test_limits_and_ctrl_c_in_a_process_of_its_own(kind):
    done = subprocess.run(
        [sys.executable, BENCHMARK, "--only", kind, "--shape", "300x5000", "--quick"],
        capture_output=True,
        text=True,
        timeout=120,
        check=True,
    )
    assert len(done.stdout.splitlines()) == 3
    assert "!" not in done.stdout, done.stdout
