"""Pareto fronts of false positives and false negatives, against the judge."""

import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import check_leaves
from oracle.confusion import confusion, fronts, points
from oracle.interrupts import SOON, Interrupt, on_signals
from oracle.strategies import (
    instances,
    random_instance,
    structured_instance,
    two_classes,
)

from murtree import MetricSolver, ParetoPoint

LIMITS = st.sampled_from([None, 2_000])  # so little memory that the cache drops entries


def check_front(front, data, depth, nodes, expected, *, size=1):
    """Assert that a front is complete and its trees have the reported errors."""
    X, y, weight = data
    assert front.status == "optimal"
    assert points(front) == expected
    for point in front:
        assert confusion(point.tree, X, y, weight) == (point.fp, point.fn)
        assert point.tree.depth <= depth
        assert point.tree.n_nodes <= nodes
        check_leaves(point.tree, X, weight, size)


@settings(deadline=None)
@given(instances(), st.integers(1, 3), LIMITS)
def test_fronts_equal_the_judges(data, size, memory):
    data = two_classes(data)
    solver = MetricSolver(*data)
    for depth in range(4):
        expected = fronts(*data, depth, size)
        for nodes in range(2**depth):
            front = solver.pareto_front(
                depth, nodes, min_samples_leaf=size, memory_limit=memory
            )
            check_front(front, data, depth, nodes, expected[nodes], size=size)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(0, 1200, 100))
def test_random_fronts_equal_the_judges(first):
    for seed in range(first, first + 100):
        data = two_classes(random_instance(seed, max_features=4, max_rows=18))
        solver = MetricSolver(*data)
        size = 1 + seed % 3
        for depth in range(4):
            expected = fronts(*data, depth, size)
            for nodes in range(2**depth):
                front = solver.pareto_front(depth, nodes, min_samples_leaf=size)
                assert points(front) == expected[nodes], (seed, depth, nodes)


@pytest.mark.parametrize("seed", range(12))
def test_deep_trees_of_few_nodes_equal_the_judges(seed):
    data = two_classes(random_instance(seed, max_features=3, max_rows=14))
    expected = fronts(*data, 4)
    for nodes in range(8):
        front = MetricSolver(*data).pareto_front(4, nodes)
        check_front(front, data, 4, nodes, expected[nodes])
    free = MetricSolver(*data).pareto_front(None, 3)
    assert points(free) == expected[3]


@pytest.mark.parametrize("seed", range(20))
def test_weight_is_equivalent_to_copies(seed):
    X, y, _ = two_classes(structured_instance(seed, max_features=6, max_rows=60))
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 4, len(y))
    weight[:2] = 1  # keeps both classes
    copies = np.repeat(np.arange(len(y)), weight)
    weighted = MetricSolver(X, y, weight).pareto_front(3)
    copied = MetricSolver(np.array(X)[copies], np.array(y)[copies]).pareto_front(3)
    assert points(weighted) == points(copied)


def test_equal_weights_only_scale_the_errors():
    X, y, _ = two_classes(structured_instance(4))
    plain = MetricSolver(X, y).pareto_front(3)
    heavy = MetricSolver(X, y, [10**9] * len(y)).pareto_front(3)
    assert (heavy.fp == plain.fp * 10**9).all()
    assert (heavy.fn == plain.fn * 10**9).all()
    assert (heavy[0].tree.value == plain[0].tree.value * 10**9).all()
    assert heavy.stats["nodes"] == plain.stats["nodes"]


@pytest.mark.parametrize("heavy", [2**16 - 1, 2**31 + 1, 2**32 - 1])
@pytest.mark.parametrize("seed", range(6))
def test_class_weights_may_use_every_bit_of_a_count(seed, heavy):
    """A class weight may need all bits of an unsigned lane: no sum may be signed."""
    X, y, _ = two_classes(random_instance(seed, max_features=4, max_rows=20))
    rng = np.random.default_rng(seed)
    weight = rng.multinomial(heavy, rng.dirichlet(np.ones(len(y))))
    weight[1] += heavy - weight[np.array(y) == 1].sum()  # that of class 1
    data = X, y, weight.tolist()
    expected = fronts(*data, 3)
    check_front(MetricSolver(*data).pareto_front(3), data, 3, 7, expected[-1])


@pytest.mark.parametrize("nodes", range(3, 8))
def test_a_perfect_part_of_one_node_is_perfect_with_more(nodes):
    X = [[0, 0, 0], [0, 1, 1], [1, 0, 0], [1, 1, 1], [1, 1, 0]]
    front = MetricSolver(X, [0, 1, 1, 0, 0]).pareto_front(3, nodes)
    assert points(front) == [(0, 0)]


@pytest.mark.parametrize("seed", range(300))
def test_fronts_of_rules_without_noise_equal_the_judges(seed):
    rng = np.random.default_rng(seed)
    X = (rng.random((int(rng.integers(4, 13)), 4)) < 0.5).astype(int)
    X = np.unique(X, axis=0)  # equal rows would be noise
    y = (X[:, 0] ^ (X[:, 1] & X[:, 2])) if seed % 2 else rng.integers(0, 2, len(X))
    data = two_classes((X.tolist(), y.tolist(), [1] * len(X)))
    solver, expected = MetricSolver(*data), fronts(*data, 3)
    for nodes in range(8):
        assert points(solver.pareto_front(3, nodes)) == expected[nodes]


def test_equal_rows_of_both_classes_do_not_cancel():
    front = MetricSolver([[0], [0], [1]], [0, 1, 1]).pareto_front(1)
    assert points(front) == [(0, 1), (1, 0)]


@pytest.mark.parametrize("seed", range(10))
def test_points_ascend_and_are_within_the_stated_number(seed):
    data = two_classes(structured_instance(seed))
    front = MetricSolver(*data).pareto_front(3)
    assert (np.diff(front.fp) > 0).all()
    assert (np.diff(front.fn) < 0).all()
    assert len(front) <= min(front.negatives, front.positives) + 1
    assert front.negatives + front.positives == sum(data[2])


def test_a_front_is_a_sequence():
    front = MetricSolver([[0, 0], [0, 1], [1, 0]], ["a", "b", "a"]).pareto_front(0)
    assert repr(front) == "ParetoFront(2 points, status='optimal')"
    assert [repr(point) for point in front] == [
        "ParetoPoint(fp=0, fn=1)",
        "ParetoPoint(fp=2, fn=0)",
    ]
    assert isinstance(front[-1], ParetoPoint)
    assert len(front[:1]) == 1
    assert front[0].tree.predict([[0, 0]]).tolist() == ["a"]
    assert front[1].tree.predict([[0, 0]]).tolist() == ["b"]


def hard_solver(n_rows=2000, n_features=80):
    rng = np.random.default_rng(0)
    X = rng.random((n_rows, n_features)) < 0.5
    return MetricSolver(X, (rng.random(n_rows) < 0.3).astype(int)), X


@pytest.mark.timing
@pytest.mark.parametrize("n_features", [80, 700])
def test_time_limit_returns_the_points_found(n_features):
    """Within a tenth of a second, in the best of three attempts."""
    solver, _ = hard_solver(n_features=n_features)
    seconds = []
    for _ in range(3):
        start = time.perf_counter()
        front = solver.pareto_front(6, time_limit=0.3)
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 0.4
    assert front.status == "time_limit"
    assert len(front) >= 2
    best = front.best("gmean")
    assert best.status == "time_limit"
    assert 0.0 <= best.lower_bound < best.objective


@pytest.mark.timing
@on_signals
def test_ctrl_c_raises_or_returns():
    solver, _ = hard_solver()
    raised, returned = [], []
    for _ in range(3):  # a busy machine may be slow at times
        with pytest.raises(KeyboardInterrupt), Interrupt() as interrupt:
            solver.pareto_front(6)
        raised.append(interrupt.back - interrupt.sent)
        with Interrupt() as interrupt:
            front = solver.pareto_front(6, on_interrupt="return")
        returned.append(interrupt.back - interrupt.sent)
        assert front.status == "interrupted"
    assert min(raised) < SOON
    assert min(returned) < SOON


def test_unfinished_front_reports_its_errors_correctly():
    solver, X = hard_solver()
    front = solver.pareto_front(5, time_limit=0.2)
    y = solver._engine._data.codes
    for point in front[::10]:
        predicted = point.tree.predict(X)
        assert point.fp == ((predicted == 1) & (y == 0)).sum()
        assert point.fn == ((predicted == 0) & (y == 1)).sum()


def test_a_callback_ends_the_search():
    solver, _ = hard_solver()
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 3

    front = solver.pareto_front(6, callback=callback)
    assert front.status == "interrupted"
    assert len(seen) == 3
    assert seen[0].seconds < seen[2].seconds
    assert 0 <= seen[2].share <= 1


def test_an_exception_in_a_callback_reaches_the_caller():
    solver, _ = hard_solver()
    with pytest.raises(ZeroDivisionError):
        solver.pareto_front(6, callback=lambda _: 1 / 0)


@pytest.mark.parametrize(
    ("limits", "kind", "message"),
    [
        ({"max_depth": -1}, ValueError, "'max_depth' parameter of MetricSolver.pareto"),
        ({"max_depth": None}, ValueError, "unless there is a 'max_num_nodes'"),
        ({"max_depth": 2, "max_num_nodes": 1.5}, TypeError, "'max_num_nodes'"),
        ({"max_depth": 2, "min_samples_leaf": 0}, ValueError, "'min_samples_leaf'"),
        ({"max_depth": 2, "time_limit": 0}, ValueError, "'time_limit'"),
    ],
)
def test_wrong_limits_are_refused(limits, kind, message):
    solver = MetricSolver([[0], [1]], [0, 1])
    with pytest.raises(kind, match=message):
        solver.pareto_front(**limits)


@pytest.mark.parametrize("labels", [[0, 1, 2], [1, 1, 1]])
def test_other_than_two_classes_are_refused(labels):
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        MetricSolver([[0], [1], [1]], labels)


def test_keys_of_budgets_and_rows_differ():
    """Keys of budgets were those of rows 770 and 1795: wrong cache entries."""
    rng = np.random.default_rng(11)
    n_rows = 1840
    numbers = rng.permutation(2**11)[:n_rows]
    bits = (numbers[:, np.newaxis] >> np.arange(11)) & 1
    y = np.r_[np.zeros(1800, int), np.ones(40, int)]
    second = rng.integers(0, 2, n_rows)
    second[770], second[1795] = 0, 1
    first = second.copy()
    first[770], first[1795] = 1, 0
    X = np.c_[first, second, bits]
    found = MetricSolver(X, y).solve("gmean", max_depth=4)
    order = rng.permutation(n_rows)
    shuffled = MetricSolver(X[order], y[order]).solve("gmean", max_depth=4)
    assert found.objective == shuffled.objective
