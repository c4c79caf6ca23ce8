"""The search over all thresholds agrees with that over 0/1 columns, on every kernel."""

import os
import subprocess
import sys

import numpy as np
import pytest
from murtree._core import kernel_names
from oracle.ranked import Ranked, check_agreement

# The kernels take 16, 32 or 64 rows at a time, in blocks of 126 steps, or parts of
# 16,384 rows.
SIZES = [1, 2, 15, 17, 64, 65, 2015, 2017, 4033, 8063, 8065, 16385]
LARGE = 70_000


@pytest.mark.parametrize("first", range(0, 100, 25))
def test_answers_are_those_of_binary_columns(first):
    for seed in range(first, first + 25):
        check_agreement(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 1100, 25))
def test_answers_on_larger_tables_are_those_of_binary_columns(first):
    for seed in range(first, first + 25):
        check_agreement(seed, most_rows=200, depths=(2, 3, 4))


def table_of_size(n_rows, n_labels, is_weighted, seed=0):
    """Return a column without ties, one with many, and one with few values."""
    rng = np.random.default_rng([seed, n_rows])
    few = rng.integers(0, 3, n_rows)
    ranks = np.stack([rng.permutation(n_rows), rng.integers(0, n_rows, n_rows), few])
    labels = (ranks[0] * n_labels // n_rows + (few > 1)) % n_labels
    is_noise = rng.random(n_rows) < 0.3
    labels[is_noise] = rng.integers(0, n_labels, is_noise.sum())
    costs = (1 - np.eye(n_labels, dtype=int))[labels]
    if is_weighted:
        costs *= rng.integers(1, 2**30, n_rows)[:, np.newaxis]
    return Ranked(ranks, costs, np.ones(n_rows, dtype=int))


def cost_of_stump(data):
    """Return the cost of the best stump, by plain sums."""
    costs = [data.costs.sum(axis=0).min()]
    for ranks in data.ranks:
        order = np.argsort(ranks, kind="stable")
        left = np.cumsum(data.costs[order], axis=0)
        ends = np.flatnonzero(np.diff(ranks[order]))
        sides = left[ends].min(axis=1) + (left[-1] - left[ends]).min(axis=1)
        costs += [sides.min()] if ends.size else []
    return min(costs)


@pytest.mark.parametrize("n_rows", [*SIZES, LARGE])
@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("n_labels", [2, 3, 6])
def test_stumps_are_plain_sums(n_rows, n_labels, is_weighted):
    data = table_of_size(n_rows, n_labels, is_weighted)
    (answer,) = data.solve(1)
    assert data.check_tree(answer) == answer["lower_bound"] == cost_of_stump(data)
    if n_rows < LARGE:
        (answer,) = data.solve(2)
        assert data.check_tree(answer) == answer["lower_bound"]


def print_answers():
    """Print trees for the other process to compare."""
    for n_rows in SIZES:
        for n_labels in (2, 3, 6):
            for is_weighted in (False, True):
                data = table_of_size(n_rows, n_labels, is_weighted)
                for depth in (1, 2, 3) if n_rows < 100 else (1, 2):
                    (answer,) = data.solve(depth)
                    tests = list(zip(answer["chain"], answer["cut"], strict=True))
                    where = f"{n_rows} rows, {n_labels} labels, {is_weighted}"
                    sys.stdout.write(f"{where}: {answer['lower_bound']} {tests}\n")


@pytest.mark.slow
def test_every_kernel_finds_the_same_trees():
    folders = os.pathsep.join(sys.path)
    code = "from solver.thresholds.test_agree import print_answers; print_answers()"
    outputs = []
    for kernel in kernel_names():
        environment = os.environ | {"MURTREE_KERNEL": kernel, "PYTHONPATH": folders}
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.append(done.stdout)
    assert len(outputs[0].splitlines()) > 100
    assert len(set(outputs)) == 1
