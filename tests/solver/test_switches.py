"""Every combination of switches gives the same objective.

Compared with the judge on small random data, and at depth three on the paper's sets
with at most 60 columns. MURTREE_DATA is the folder with `binary/`; without it those are
skipped.
"""

import gzip
import inspect
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_errors, check_result
from oracle.strategies import (
    CHOICES,
    FLAGS,
    instances,
    structured_instance,
    switches,
    thorough,
)
from repository import NO_SETS, PAPER_SETS

from murtree import Solver
from murtree._solver.switches import NAMES, Switches
from murtree.datasets import load_text

MAX_COLUMNS = 60
VALUES = dict.fromkeys(FLAGS, (True, False)) | CHOICES


def paper_sets():
    paths = sorted((PAPER_SETS / "binary").glob("*.txt.gz"))
    if not paths:
        return [pytest.param(None, marks=pytest.mark.skip(reason=NO_SETS))]
    return [
        pytest.param(path, id=path.name.split(".")[0])
        for path in paths
        if n_columns(path) <= MAX_COLUMNS
    ]


def n_columns(path):
    with gzip.open(path, "rt", encoding="ascii") as file:
        return len(file.readline().split()) - 1


def covering(n_cases, seed):
    """Return combinations in which every pair of values of two switches occurs."""
    rng = np.random.default_rng(seed)
    open_pairs = {
        frozenset([(a, x), (b, y)])
        for a, b in itertools.combinations(VALUES, 2)
        for x in VALUES[a]
        for y in VALUES[b]
    }
    cases = []
    while open_pairs:
        tries = [
            {name: values[rng.integers(len(values))] for name, values in VALUES.items()}
            for _ in range(30)
        ]
        pairs = [
            {frozenset(pair) for pair in itertools.combinations(case.items(), 2)}
            for case in tries
        ]
        best = max(range(30), key=lambda k: len(pairs[k] & open_pairs))
        cases.append(tries[best])
        open_pairs -= pairs[best]
    assert len(cases) <= n_cases
    return cases


CASES = covering(40, seed=0)


def test_all_switches_are_tested_and_documented():
    assert set(VALUES) == set(NAMES)
    parameters = inspect.signature(Solver).parameters
    data = {"X", "y", "sample_weight", "objective", "feature_costs"}
    assert set(parameters) - data == set(NAMES)
    for name in NAMES:
        assert parameters[name].default == getattr(Switches(), name)
    for name in NAMES:
        assert f"    {name} : " in Solver.__doc__
    with pytest.raises(AttributeError):
        Switches().cache = "none"


def test_switches_may_be_scalars_of_numpy():
    options = {
        "first_tree": np.bool_(False),
        "cache": np.str_("none"),
        "random_state": np.int64(3),
    }
    assert Solver([[0], [1]], [0, 1], **options).solve(1).objective == 0


@settings(thorough, max_examples=400)
@given(instances(), st.integers(1, 4), switches())
def test_small_data_equals_the_judge(data, depth, options):
    solver = Solver(*data, **options)
    expected = best_errors(*data, depth)
    for nodes in {2**depth - 1, 2**depth // 2, 2 ** (depth - 1)}:
        result = solver.solve(depth, nodes)
        check_result(result, data, depth, nodes, expected[nodes])


@pytest.mark.parametrize("block", range(10))
def test_data_with_tight_bounds(block):
    for seed in range(10 * block, 10 * block + 10):
        data = structured_instance(seed, max_features=10, max_rows=80)
        expected = {n: Solver(*data).solve(4, n).objective for n in (15, 6)}
        for case in CASES[seed % 2 :: 2]:
            solver = Solver(*data, **case)
            for nodes, errors in expected.items():
                assert solver.solve(4, nodes).objective == errors, (seed, case, nodes)


@pytest.mark.parametrize("path", paper_sets())
def test_paper_sets_at_depth_three(path):
    X, y = load_text(path)
    expected = Solver(X, y).solve(3).objective
    # The largest sets get different subsets of the combinations.
    step = 1 + X.size // 400_000
    for case in CASES[X.size % step :: step]:
        assert Solver(X, y, **case).solve(3).objective == expected, case


def test_the_seed_of_the_random_order_matters_and_is_kept():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 14)), rng.integers(0, 2, 200)

    def work(random_state):
        solver = Solver(X, y, feature_order="random", random_state=random_state)
        stats = solver.solve(4).stats
        return stats["splits"], stats["depth_two_calls"]

    assert work(1) == work(1)
    assert len({work(seed) for seed in range(6)}) > 1
    assert work(None) == work(None)
