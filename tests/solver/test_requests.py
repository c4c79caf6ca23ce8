"""One solver gives the same answers to any sequence of requests as new solvers."""

import itertools
import random
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from oracle.strategies import light_instances, structured_instance, switches, thorough

from murtree import Solver, _core

QUESTIONS = st.fixed_dictionaries(
    {
        "max_depth": st.integers(0, 4),
        "max_num_nodes": st.one_of(st.none(), st.integers(0, 15)),
        "min_samples_leaf": st.sampled_from([1, 1, 2, 3]),
        "frontier": st.booleans(),
        "cost_complexity": st.sampled_from([0.0, 0.0, 0.01, 0.04, 0.1]),
        "fewest_nodes": st.booleans(),
        "upper_bound": st.sampled_from([None, None, 0, 2, 5]),
        "memory_limit": st.sampled_from([None, None, 4096]),
    }
)


def ask(solver, request):
    """Return the parts of an answer that do not depend on earlier requests."""
    request = dict(request)
    if request.pop("frontier"):
        for name in ("cost_complexity", "fewest_nodes", "upper_bound"):
            request.pop(name)
        frontier = solver.frontier(**request)
        return [(result.status, result.objective) for result in frontier]
    result = solver.solve(**request)
    n_nodes = None
    if request["fewest_nodes"] and result.tree is not None:
        n_nodes = result.tree.n_nodes
    return result.status, result.objective, n_nodes


@thorough
@given(light_instances(), st.lists(QUESTIONS, min_size=3, max_size=8), switches())
def test_small_data(data, requests, options):
    for switched in ({}, options):
        solver = Solver(*data, **switched)
        for request in requests:
            fresh = Solver(*data, **switched)
            assert ask(solver, request) == ask(fresh, request), request


@pytest.mark.parametrize("cache", ["dataset", "branch"])
@pytest.mark.parametrize("block", range(5))
def test_data_with_tight_bounds(block, cache):
    for seed in range(30 * block, 30 * block + 30):
        data = structured_instance(seed)
        rng = np.random.default_rng([seed, 5])
        solver = Solver(*data, cache=cache)
        for _ in range(8):
            request = {
                "max_depth": int(rng.integers(2, 5)),
                "max_num_nodes": [None, int(rng.integers(0, 16))][rng.integers(2)],
                "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 5])),
                "frontier": bool(rng.random() < 0.3),
                "cost_complexity": float(rng.choice([0.0, 0.0, 0.003, 0.02, 0.05])),
                "fewest_nodes": bool(rng.random() < 0.3),
                "upper_bound": [None, None, int(rng.integers(0, 20))][rng.integers(3)],
                "memory_limit": [None, None, 20_000][rng.integers(3)],
            }
            expected = ask(Solver(*data, cache=cache), request)
            assert ask(solver, request) == expected, (seed, request)


def test_statistics_show_the_reuse():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (300, 15)), rng.integers(0, 2, 300)
    solver = Solver(X, y)
    first = solver.solve(4).stats
    assert first["cache_entries_before"] == 0
    assert first["cache_entries"] > 0
    again = solver.solve(4).stats
    assert again["cache_entries_before"] == first["cache_entries"]
    assert again["cache_hits"] > 0
    assert again["depth_two_calls"] < first["depth_two_calls"] / 10
    smaller = solver.solve(4, 9).stats
    fresh = Solver(X, y).solve(4, 9).stats
    assert smaller["depth_two_calls"] < fresh["depth_two_calls"]
    assert smaller["cache_hits"] > 0


EVERY_ROW_OF_FIVE = np.array(list(itertools.product([0, 1], repeat=5)))


def test_a_deeper_tree_is_not_kept_for_a_smaller_depth():
    y = np.array([int(bit) for bit in "10110101011101001111010101110001"])
    solver = Solver(EVERY_ROW_OF_FIVE, y)
    solver.solve(4, 4)
    solver.frontier(4)
    result = solver.solve(3, 5)
    assert result.tree.depth <= 3
    assert (
        result.objective
        == Solver(EVERY_ROW_OF_FIVE, y, cache="none").solve(3, 5).objective
    )


@pytest.mark.parametrize("seed", range(40))
def test_sizes_of_one_depth_do_not_bound_a_smaller_one(seed):
    rng = np.random.default_rng(seed)
    first, second, third, fourth = rng.permutation(5)[:4]
    y = np.array(
        [
            1 if x[first] else 0 if x[second] else 1 if x[third] else 1 - x[fourth]
            for x in EVERY_ROW_OF_FIVE
        ]
    )
    y[rng.integers(32, size=4)] ^= 1
    weight = rng.integers(1, 5, 32)
    solver = Solver(EVERY_ROW_OF_FIVE, y, weight)
    solver.solve(4, 4 + seed % 3)
    solver.frontier(4)
    for nodes in range(4, 8):
        fresh = Solver(EVERY_ROW_OF_FIVE, y, weight, cache="none")
        expected = fresh.solve(3, nodes).objective
        assert solver.solve(3, nodes).objective == expected


@pytest.mark.parametrize("penalties", [(1e-12, 0.0), (0.0, 1e-12)])
def test_tiny_penalty_is_a_separate_request(penalties):
    X = np.random.default_rng(0).integers(0, 2, (60, 6))
    y = np.random.default_rng(1).integers(0, 2, 60)
    solver = Solver(X, y)
    for penalty in penalties:
        result = solver.solve(3, cost_complexity=penalty)
        assert round(result.objective) == 16


@pytest.mark.parametrize("seed", [25, 41, 126, 244, *range(20)])
def test_results_for_one_depth_are_not_stored_for_every_depth(seed):
    """Decision lists, whose best trees are deep, and known bounds for depth five."""
    rng = random.Random(seed)
    X = np.array(list(itertools.product([0, 1], repeat=6)))
    level = [next((k for k in range(6) if x[k]), 6) for x in X]
    y = np.array(level) % 2
    weight = np.array([2 ** min(k, 5) * rng.randint(8, 12) for k in level])
    for _ in range(rng.randint(0, 3)):
        y[rng.randrange(len(y))] ^= 1
    penalty = rng.choice([0.01, 0.02, 0.03, 0.04])
    price = penalty * int(weight.sum())
    solver = Solver(X, y, weight)
    sizes = rng.sample(range(16, 31), 2)
    solver.solve(5, sizes[0], cost_complexity=penalty)
    for _ in range(2):
        bound = rng.uniform(3, 7) * price
        nodes = rng.randint(16, 30)
        solver.solve(5, nodes, cost_complexity=penalty, upper_bound=bound)
    found = solver.solve(None, cost_complexity=penalty)
    fresh = Solver(X, y, weight, cache="none").solve(None, cost_complexity=penalty)
    assert found.objective == pytest.approx(fresh.objective)


def test_frontier_with_a_callback_proves_every_size():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (100, 50)), rng.integers(0, 2, 100)
    frontier = Solver(X, y).frontier(5, callback=lambda progress: False)
    assert {result.status for result in frontier} == {"optimal"}


def test_weights_too_heavy_for_the_cache():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 6)), rng.integers(0, 2, 40)
    weight = rng.integers(1, 4, 40)
    light, heavy = Solver(X, y, weight), Solver(X, y, weight * 2**46)
    for depth, nodes in itertools.product((3, 4, 5, 4, 3), (4, 7, 31)):
        expected = light.solve(depth, nodes).objective
        assert heavy.solve(depth, nodes).objective == expected * 2**46


def test_threads_whose_time_is_up_before_their_turn():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (20_000, 40)), rng.integers(0, 2, 20_000)
    solver = Solver(X, y)
    limits = [1.0, 0.001, 0.001, 0.001]
    with ThreadPoolExecutor(4) as threads:
        results = threads.map(
            lambda limit: solver.solve(2, min_samples_leaf=2, time_limit=limit), limits
        )
        assert all(result.tree is not None for result in results)


def test_tasks_with_equal_numbers_do_not_share_answers():
    """A leaf size of a and an error price of a: their keys must not cancel."""
    rng = np.random.default_rng(0)
    X = (rng.random((300, 6)) < 0.3).astype(np.uint8)
    y = (X[:, 0] & X[:, 1]) ^ (X[:, 2] & X[:, 3]) ^ (rng.random(300) < 0.1)
    costs = np.stack([y, 1 - y], axis=1).astype(np.int64)
    tasks = [(1, (1, 0)), (20, (1, 0)), (1, (20, 0)), (20, (20, 0)), (1, (1, 20))]
    fresh = [ask_core(core_solver(X, costs), *task) for task in tasks]
    assert len(set(fresh)) == len(tasks)
    for order in itertools.permutations(range(len(tasks))):
        solver = core_solver(X, costs)
        for k in order:
            assert ask_core(solver, *tasks[k]) == fresh[k], [tasks[k] for k in order]


LEAF_WEIGHT = np.arange(300, dtype=np.int64) % 3
FLAGS = (
    "deduplicate",
    "merge_rows",
    "similarity_bound",
    "refined_bound",
    "dynamic_order",
    "sibling_bound",
    "first_tree",
    "deepening",
    "depth_two",
)


def core_solver(X, costs):
    switches = _core.Switches(
        **dict.fromkeys(FLAGS, True),
        cache="dataset",
        feature_order="auto",
        random_state=0,
        frequency_counts="auto",
    )
    return _core.Solver.of_costs(
        X, costs, np.empty(0, dtype=np.int64), switches, bytes(32)
    )


def ask_core(solver, price, size):
    n_rows, weight = size
    found = solver.solve(
        max_depth=3,
        first_num_nodes=7,
        last_num_nodes=7,
        price_of_error=price,
        price_of_node=0,
        min_samples_leaf=n_rows,
        min_weight_leaf=weight,
        leaf_weight=LEAF_WEIGHT,
        upper_bound=-1,
        time_limit=60.0,
        memory_limit=0,
        anytime=False,
        returns_on_interrupt=False,
        callback=None,
    )
    answer = found["answers"][0]
    assert answer["lower_bound"] == answer["cost"] * price
    return answer["cost"], price, size
