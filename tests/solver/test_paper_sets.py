"""The proven optima of the paper's benchmark sets for every depth.

MURTREE_DATA is the folder with `expected.csv` and `binary/`; without it the tests are
skipped. All of them together take about fifteen seconds.
"""

import csv

import pytest
from repository import NO_SETS, PAPER_SETS

from murtree import Solver
from murtree.datasets import load_text


def cases():
    path = PAPER_SETS / "expected.csv"
    if not path.exists():
        return [pytest.param("none", 0, 0, marks=pytest.mark.skip(reason=NO_SETS))]
    with path.open(encoding="utf-8", newline="") as file:
        return [case(row) for row in csv.DictReader(file)]


def case(row):
    name, depth = row["dataset"], int(row["depth"])
    expected = int(row["misclassifications"])
    return pytest.param(name, depth, expected, id=f"{name}-{depth}")


@pytest.mark.parametrize(("name", "depth", "expected"), cases())
def test_the_proven_optimum(name, depth, expected):
    X, y = load_text(PAPER_SETS / "binary" / f"{name}.txt.gz")
    result = Solver(X, y).solve(depth)
    assert result.status == "optimal"
    assert result.objective == result.lower_bound == expected
    assert result.tree.depth <= depth
    assert int((result.tree.predict(X) != y).sum()) == expected
