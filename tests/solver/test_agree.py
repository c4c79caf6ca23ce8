"""All kernels give the same trees, and all bounds the same errors as no bounds."""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from oracle.strategies import OFF, structured_instance
from repository import ROOT

from murtree import Solver, _core

PROGRAM = """
import json, sys
sys.path.insert(0, sys.argv[1])
from oracle.strategies import random_instance
from murtree import Solver, _core

answers = [_core.active_kernel()]
for seed in range(40):
    data = random_instance(seed, max_features=40, max_rows=400)
    for depth, nodes in [(2, 2), (2, 3), (3, 5), (3, 7), (4, 9)]:
        result = Solver(*data).solve(depth, nodes)
        answers.append([result.objective, result.tree.to_dict()])
print(json.dumps(answers))
"""


def run_with(kernel):
    return subprocess.run(
        [sys.executable, "-c", PROGRAM, str(ROOT / "tests")],
        env=os.environ | {"MURTREE_KERNEL": kernel},
        capture_output=True,
        text=True,
        check=False,
    )


def test_portable_kernel_is_always_available():
    assert "portable" in _core.kernel_names()
    assert _core.active_kernel() in _core.kernel_names()


@pytest.mark.slow
def test_kernels_give_the_same_trees():
    answers = {}
    for kernel in _core.kernel_names():
        done = run_with(kernel)
        assert done.returncode == 0, done.stderr
        used, *answers[kernel] = json.loads(done.stdout)
        assert used == kernel
    for kernel, answer in answers.items():
        assert answer == answers["portable"], kernel


def test_an_unknown_kernel_is_refused():
    done = run_with("abacus")
    assert done.returncode != 0
    assert "ImportError" in done.stderr
    assert "MURTREE_KERNEL must be one of" in done.stderr
    assert "Got 'abacus'" in done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("block", range(20))
def test_bounds_change_nothing_where_they_are_tight(block):
    """Too many rows for the judge: compared with the plain search, all switches off."""
    for seed in range(100 * block, 100 * block + 100):
        data = structured_instance(seed)
        rng = np.random.default_rng([seed, 2])
        some = {name: off for name, off in OFF.items() if rng.random() < 0.4}
        plain = OFF | {"cache": "dataset"}
        for depth, nodes in [(3, 7), (4, 15), (3, int(rng.integers(3, 7)))]:
            errors = {
                Solver(*data, **options).solve(depth, nodes).objective
                for options in ({}, some, plain)
            }
            assert len(errors) == 1, (seed, depth, nodes, some)
