"""Solver: every kind of input, limits, and side effects."""

import math
import os
import signal
import threading
import time

import numpy as np
import pandas as pd
import pytest
from oracle.brute_force import best_errors, check_result, recount
from oracle.data import hard_data

from murtree import Result, Solver
from murtree._solver.objectives.problem import check_recount

X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
y = np.array([0, 1, 1, 0, 0])


@pytest.mark.parametrize(
    "convert",
    [
        lambda a: a.astype(bool),
        lambda a: a.astype(np.uint8),
        lambda a: a.astype(np.int8),
        lambda a: a.astype(np.uint64),
        lambda a: a.astype(np.float32),
        lambda a: a.astype(float),
        lambda a: a.astype(object),
        np.asfortranarray,
        lambda a: np.repeat(a, 2, axis=0)[::2],
        lambda a: a.astype(bool)[:, ::-1][:, ::-1],
        lambda a: a.tolist(),
        pd.DataFrame,
        lambda a: pd.DataFrame(a.astype(bool)),
        lambda a: pd.DataFrame({"a": a[:, 0] == 1, "b": a[:, 1], "c": a[:, 2] * 1.0}),
    ],
)
def test_features_of_any_kind(convert):
    result = Solver(convert(X), y).solve(2)
    assert result.objective == 0
    assert result.tree.to_dict() == Solver(X, y).solve(2).tree.to_dict()


def test_input_is_neither_changed_nor_locked():
    features, labels = X.astype(np.uint8), y.astype(np.int32)
    weight = np.ones(5, dtype=np.int64)
    for array in (features, labels, weight):
        array.flags.writeable = False
    solver = Solver(features, labels, weight)
    assert solver.solve(2).objective == 0


def test_changing_the_input_later_does_not_change_the_answer():
    features, labels = X.astype(np.uint8), y.astype(np.int32)
    solver = Solver(features, labels)
    features[:], labels[:] = 0, 0
    result = solver.solve(2)
    assert recount(result.tree, X, y, [1] * 5) == 0


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        (["b", "a", "a", "b", "b"], ["a", "b"]),
        (np.array(["b", "a", "a", "b", "b"], dtype=object), ["a", "b"]),
        (pd.Series(["b", "a", "a", "b", "b"]), ["a", "b"]),
        (pd.Categorical(["b", "a", "a", "b", "b"]), ["a", "b"]),
        ([True, False, False, True, True], [False, True]),
        (np.array([7, -3, -3, 7, 7], dtype=np.int16), [-3, 7]),
        (np.array([200, 3, 3, 200, 200], dtype=np.uint8), [3, 200]),
        ([2**60, -(2**60), -(2**60), 2**60, 2**60], [-(2**60), 2**60]),
        (np.array([2.0, 1.0, 1.0, 2.0, 2.0]), [1.0, 2.0]),
    ],
)
def test_labels_of_any_kind(labels, classes):
    solver = Solver(X, labels)
    assert solver.classes_.tolist() == classes
    result = solver.solve(2)
    assert result.objective == 0
    assert result.tree.predict(X).tolist() == np.asarray(labels).tolist()
    assert result.tree.predict(X).dtype == solver.classes_.dtype


def test_many_classes():
    rng = np.random.default_rng(0)
    features = rng.integers(0, 2, (400, 7))
    labels = features @ (1 << np.arange(7))
    result = Solver(features, labels).solve(2, 3)
    weights = [1] * 400
    assert recount(result.tree, features, labels, weights) == result.objective
    assert result.tree.value.shape == (7, len(np.unique(labels)))


def test_zero_depth_or_zero_nodes_give_a_leaf():
    solver = Solver(X, y)
    for result in (solver.solve(0), solver.solve(3, 0), solver.solve(20, 0)):
        assert result.objective == 2
        assert result.tree.n_nodes == 0
        assert result.tree.value.tolist() == [[3, 2]]


def test_value_counts_the_weight_of_each_class_at_each_node():
    weight = [2, 3, 0, 1, 5]
    tree = Solver(X, y, weight).solve(2).tree
    path = tree.decision_path(X).toarray()
    for node in range(tree.feature.size):
        for code, label in enumerate(tree.classes):
            here = (path[:, node] == 1) & (y == label)
            assert tree.value[node, code] == np.array(weight)[here].sum()


def test_leaves_are_never_empty_and_nodes_are_depth_first():
    rng = np.random.default_rng(5)
    for depth in range(5):
        features, labels = rng.integers(0, 2, (60, 6)), rng.integers(0, 3, 60)
        tree = Solver(features, labels).solve(depth).tree
        assert (tree.value.sum(axis=1) > 0).all()
        inner = np.flatnonzero(tree.feature >= 0)
        assert (tree.children_left[inner] == inner + 1).all()
        assert (tree.children_right[inner] > tree.children_left[inner]).all()
        type(tree).from_dict(tree.to_dict())


def test_splits_with_equal_labels_on_both_sides_are_collapsed():
    rng = np.random.default_rng(6)
    for _ in range(20):
        features, labels = rng.integers(0, 2, (30, 5)), rng.integers(0, 2, 30)
        tree = Solver(features, labels).solve(4).tree
        label = tree.value.argmax(axis=1)
        for node in np.flatnonzero(tree.feature >= 0):
            left, right = tree.children_left[node], tree.children_right[node]
            leaves = tree.feature[left] < 0 and tree.feature[right] < 0
            assert not (leaves and label[left] == label[right])


def test_one_class_needs_no_test():
    result = Solver(X, [1] * 5).solve(4)
    assert (result.objective, result.tree.n_nodes) == (0, 0)
    assert result.tree.classes.tolist() == [1]


def test_only_constant_columns():
    result = Solver(np.ones((5, 3)), y).solve(4)
    assert (result.objective, result.tree.n_nodes) == (2, 0)


def test_result_is_frozen_and_has_a_gap():
    result = Solver(X, y).solve(0)
    assert result.gap == 0.0
    assert isinstance(result.stats, dict)
    with pytest.raises(AttributeError):
        result.objective = 1
    assert Result(None, 10, 5, "time_limit", {}).gap == 0.5
    assert Result(None, 0, 0, "optimal", {}).gap == 0.0
    assert Result(None, None, 3, "infeasible", {}).gap == float("inf")


def test_numpy_integers_are_integers():
    result = Solver(X, y).solve(np.int64(2), np.int32(3), upper_bound=np.uint8(9))
    assert result.objective == 0


@pytest.mark.parametrize("weight", [1, 1.0, 0.5, 0.3, 1 / 3, [0.5, 1.5], [0.1, 0.2]])
def test_upper_bounds_are_real_and_inclusive(weight):
    """An upper bound is a real number and inclusive, for all kinds of weights."""
    labels = [0, 1, 0, 1, 0, 1]
    solver = Solver([[0]] * 6, labels, np.resize(weight, 6))
    least = solver.solve(1).objective
    for bound in (least, float(least), least + 0.01, np.float32(100), 100, 10**400):
        assert solver.solve(1, upper_bound=bound).objective == least
    assert solver.solve(1, upper_bound=least - 0.01).status == "infeasible"


@pytest.mark.parametrize("bound", [10**6, 2**80])
def test_huge_limits_are_equivalent_to_none(bound):
    result = Solver(X, y).solve(2, bound, upper_bound=bound, time_limit=1e300)
    assert result.objective == 0


@pytest.mark.parametrize("infinity", [float("inf"), np.float32(np.inf)])
@pytest.mark.parametrize("penalty", [0.0, 0.1])
def test_infinite_upper_bound_is_equivalent_to_none(infinity, penalty):
    ask = {"max_depth": 2, "cost_complexity": penalty}
    bounded = Solver(X, y).solve(**ask, upper_bound=infinity)
    free = Solver(X, y).solve(**ask)
    assert bounded.objective == free.objective
    assert bounded.stats["nodes"] == free.stats["nodes"]


@pytest.mark.parametrize("depth", [5, 12, 20])
def test_deep_trees_with_few_nodes(depth):
    rng = np.random.default_rng(1)
    features = rng.integers(0, 2, (200, 8))
    labels = rng.integers(0, 2, 200)
    few = Solver(features, labels).solve(depth, 3)
    assert few.objective == Solver(features, labels).solve(3, 3).objective
    assert few.tree.n_nodes <= 3


def test_depth_beyond_the_columns():
    result = Solver(X, y).solve(20)
    assert result.objective == 0


def test_more_rows_than_sixteen_bits():
    rng = np.random.default_rng(2)
    features = rng.integers(0, 2, (70_000, 6))
    labels = (features[:, 0] & features[:, 3]) | (rng.random(70_000) < 0.1)
    result = Solver(features, labels).solve(2)
    tree = result.tree
    assert int((tree.predict(features) != labels).sum()) == result.objective
    unmerged = Solver(features, labels, merge_rows=False).solve(2)
    assert unmerged.objective == result.objective


def test_thousands_of_columns():
    rng = np.random.default_rng(2)
    features = rng.integers(0, 2, (50, 4000))
    labels = features[:, 1234] ^ features[:, 3999]
    assert Solver(features, labels).solve(2).objective == 0


def test_weights_near_the_limit():
    weight = [2**51, 2**51, 2**51, 2**51 - 2, 1]
    assert sum(weight) == 2**53 - 1
    data = (X.tolist(), y.tolist(), weight)
    for depth in range(4):
        for nodes, expected in enumerate(best_errors(*data, depth)):
            result = Solver(*data).solve(depth, nodes)
            check_result(result, data, depth, nodes, expected)


@pytest.mark.timing
def test_time_limit_returns_a_valid_tree_and_bound():
    features, labels = hard_data()
    solver = Solver(features, labels)
    start = time.perf_counter()
    result = solver.solve(8, time_limit=0.2)
    assert time.perf_counter() - start < 1.5
    assert result.status == "time_limit"
    assert 0 <= result.lower_bound <= result.objective
    assert 0.0 <= result.gap <= 1.0
    assert int((result.tree.predict(features) != labels).sum()) == result.objective


def test_a_tiny_time_limit_still_gives_a_tree():
    features, labels = hard_data()
    result = Solver(features, labels).solve(8, time_limit=1e-9)
    assert result.status == "time_limit"
    assert int((result.tree.predict(features) != labels).sum()) == result.objective


def test_solver_is_correct_after_a_time_limit():
    rng = np.random.default_rng(4)
    features, labels = rng.integers(0, 2, (400, 25)), rng.integers(0, 2, 400)
    solver = Solver(features, labels)
    for limit in (1e-9, 1e-3, 1e-2):
        solver.solve(4, time_limit=limit)
    expected = Solver(features, labels).solve(3).objective
    assert solver.solve(3).objective == expected


@pytest.mark.timing
@pytest.mark.skipif(os.name == "nt", reason="signals differ on Windows")
def test_ctrl_c_stops_the_search_soon():
    features, labels = hard_data()
    solver = Solver(features, labels)
    sent = []

    def interrupt():
        sent.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.3, interrupt)
    # A background process ignores the signal by default.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        timer.start()
        with pytest.raises(KeyboardInterrupt):
            solver.solve(9, time_limit=10)
        assert time.perf_counter() - sent[0] < 1.0
    finally:
        timer.join()
        signal.signal(signal.SIGINT, before)
    assert solver.solve(1).status == "optimal"


@pytest.mark.timing
def test_other_threads_run_during_the_search():
    features, labels = hard_data()
    solver = Solver(features, labels)
    ticks = []

    def search():
        solver.solve(8, time_limit=0.5)

    thread = threading.Thread(target=search)
    thread.start()
    while thread.is_alive():
        ticks.append(time.perf_counter())
        thread.join(0.01)
    assert len(ticks) > 3  # one or two if the search held the GIL


def test_nothing_is_printed(capfd):
    Solver(X, y).solve(3)
    captured = capfd.readouterr()
    assert captured.out == captured.err == ""


def test_true_may_be_any_byte():
    rng = np.random.default_rng(0)
    plain = rng.random((200, 12)) < 0.5
    labels = plain[:, 0] ^ plain[:, 1]
    bytes_ = plain.astype(np.uint8) * rng.integers(1, 256, plain.shape).astype(np.uint8)
    result = Solver(bytes_.view(np.bool_), labels).solve(2)
    assert result.objective == 0
    assert (result.tree.predict(plain) == labels).all()


@pytest.mark.timing
@pytest.mark.parametrize("shape", [(6000, 1500), (200, 3000)])
@pytest.mark.parametrize("depth", [3, 20])
def test_the_time_limit_holds_on_large_data(shape, depth):
    rng = np.random.default_rng(1)
    solver = Solver(rng.random(shape) < 0.3, rng.integers(0, 2, shape[0]))
    for limit in (1e-6, 0.3):
        start = time.perf_counter()
        result = solver.solve(depth, time_limit=limit)
        assert time.perf_counter() - start < limit + 0.5  # 0.1 on a quiet machine
        assert result.tree is not None
        assert result.lower_bound <= result.objective
        is_proven = result.lower_bound == result.objective
        assert result.status == ("optimal" if is_proven else "time_limit")
        assert limit > 1e-6 or not is_proven


@pytest.mark.timing
def test_the_time_limit_holds_for_trees_of_thousands_of_nodes():
    rng = np.random.default_rng(0)
    X, y = rng.random((20_000, 60)) < 0.5, rng.integers(0, 2, 20_000)
    solver, start = Solver(X, y), time.process_time()
    result = solver.solve(20, time_limit=0.3)
    assert time.process_time() - start < 0.8
    assert result.tree.n_nodes > 3000


def test_a_stopped_search_always_has_a_tree():
    rng = np.random.default_rng(2)
    solver = Solver(
        rng.random((400, 40)) < 0.4,
        rng.integers(0, 2, 400),
        cache="none",
        first_tree=False,
    )
    for limit in (1e-6, 1e-4, 1e-3, 1e-2, 3e-2):
        result = solver.solve(4, time_limit=limit)
        assert result.tree is not None
        assert result.lower_bound <= result.objective


@pytest.mark.timing
def test_waiting_for_another_thread_counts_as_time():
    rng = np.random.default_rng(3)
    solver = Solver(rng.random((3000, 300)) < 0.5, rng.integers(0, 2, 3000))
    other = threading.Thread(target=solver.solve, args=(6,), kwargs={"time_limit": 1.5})
    other.start()
    time.sleep(0.2)
    start = time.perf_counter()
    result = solver.solve(3, time_limit=0.1)
    waited = time.perf_counter() - start
    other.join()
    assert waited < 0.8
    assert result.tree is not None


@pytest.mark.timing
def test_depth_one_does_not_count_pairs():
    rng = np.random.default_rng(5)
    column = rng.permutation(4000)
    features = column[:, np.newaxis] > np.arange(4000)  # pairs would be 16 million
    start = time.process_time()
    result = Solver(features, column > 1234).solve(1)
    assert time.process_time() - start < 2.0
    assert result.objective == 0
    assert result.tree.feature[0] == 1234
    late = Solver(features, column > 1234).solve(3, time_limit=1e-9)
    assert late.objective == 0


def test_tree_with_another_cost_than_reported_is_an_error():
    check_recount(4.0, 4, 0.0)
    check_recount(4.25, 4, 0.5)
    for tolerance in (0.5, math.nan):
        with pytest.raises(RuntimeError, match="Please report this"):
            check_recount(5.0, 4, tolerance)
