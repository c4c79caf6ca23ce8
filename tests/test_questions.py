"""One solver, many questions in any order: the answers of fresh solvers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import light_instances, structured_instance, switches
from test_judge import thorough

from murtree import Solver

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


def ask(solver, question):
    """Return what does not depend on the way to the answer."""
    question = dict(question)
    if question.pop("frontier"):
        for name in ("cost_complexity", "fewest_nodes", "upper_bound"):
            question.pop(name)
        frontier = solver.frontier(**question)
        return [(result.status, result.objective) for result in frontier]
    result = solver.solve(**question)
    n_nodes = None
    if question["fewest_nodes"] and result.tree is not None:
        n_nodes = result.tree.n_nodes
    return result.status, result.objective, n_nodes


@thorough
@given(light_instances(), st.lists(QUESTIONS, min_size=3, max_size=8), switches())
def test_small_data(data, questions, options):
    for switched in ({}, options):
        solver = Solver(*data, **switched)
        for question in questions:
            fresh = Solver(*data, **switched)
            assert ask(solver, question) == ask(fresh, question), question


@pytest.mark.parametrize("cache", ["dataset", "branch"])
@pytest.mark.parametrize("block", range(5))
def test_data_with_tight_bounds(block, cache):
    for seed in range(30 * block, 30 * block + 30):
        data = structured_instance(seed)
        rng = np.random.default_rng([seed, 5])
        solver = Solver(*data, cache=cache)
        for _ in range(8):
            question = {
                "max_depth": int(rng.integers(2, 5)),
                "max_num_nodes": [None, int(rng.integers(0, 16))][rng.integers(2)],
                "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 5])),
                "frontier": bool(rng.random() < 0.3),
                "cost_complexity": float(rng.choice([0.0, 0.0, 0.003, 0.02, 0.05])),
                "fewest_nodes": bool(rng.random() < 0.3),
                "upper_bound": [None, None, int(rng.integers(0, 20))][rng.integers(3)],
                "memory_limit": [None, None, 20_000][rng.integers(3)],
            }
            expected = ask(Solver(*data, cache=cache), question)
            assert ask(solver, question) == expected, (seed, question)


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
