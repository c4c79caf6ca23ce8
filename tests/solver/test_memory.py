"""The memory limit is respected and changes no result."""

import subprocess
import sys

import pytest
from oracle.data import hard_data
from oracle.strategies import structured_instance
from repository import ROOT

from murtree import Solver

# In a new process, since the peak of this one includes other tests.
PROGRAM = """
import re
import sys
from pathlib import Path
sys.path.append(sys.argv[1])
from oracle.data import hard_data
from murtree import Solver
def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1])
solver = Solver(*hard_data(1000, 80))
solver.solve(1)
before = peak()
solver.solve(6, time_limit=1.5, memory_limit=sys.argv[2] or None)
print(1024 * (peak() - before))
"""


@pytest.mark.parametrize("limit", [1, 10_000, "100kB", "1 MiB", "0.5MB", "2GB"])
def test_memory_limit_does_not_change_the_result(limit):
    for seed in range(20):
        data = structured_instance(seed)
        solver = Solver(*data)
        expected = [Solver(*data).solve(4, n).objective for n in (15, 7)]
        found = [solver.solve(4, n, memory_limit=limit).objective for n in (15, 7)]
        assert found == expected
        assert solver.frontier(3, memory_limit=limit).misclassified[-1] == (
            Solver(*data).solve(3).objective
        )


def test_the_cache_stays_within_the_memory_limit():
    X, y = hard_data(800, 40)
    free = Solver(X, y).solve(4)
    sizes = {"100kB": 100_000, 150_000: 150_000, "240KiB": 240 * 1024}
    assert free.stats["cache_bytes"] > max(sizes.values())
    for limit, size in sizes.items():
        result = Solver(X, y).solve(4, memory_limit=limit)
        assert result.stats["cache_bytes"] <= size
        assert result.objective == free.objective
    # A later limit shrinks the cache.
    solver = Solver(X, y)
    solver.solve(4)
    assert solver.solve(4, 14, memory_limit="100kB").stats["cache_bytes"] <= 100_000


@pytest.mark.timing
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize(("limit", "is_within"), [("16MB", True), ("", False)])
def test_memory_grows_no_more_than_the_limit(limit, is_within):
    command = [sys.executable, "-c", PROGRAM, str(ROOT / "tests"), limit]
    grown = int(subprocess.check_output(command, text=True))
    assert (grown < 1.2 * 16e6) == is_within
