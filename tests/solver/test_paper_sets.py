"""The paper's benchmark sets: the proven optima of every depth, if the data is there.

MURTREE_DATA names the folder with `expected.csv` and `binary/`; without it this is
skipped. All of them together take some fifteen seconds.
"""

import csv
import os
from pathlib import Path

import pytest

from murtree import Solver
from murtree.datasets import load_text

DATA = os.environ.get("MURTREE_DATA")


def questions():
    if not DATA or not (Path(DATA) / "expected.csv").exists():
        reason = "MURTREE_DATA does not name a folder with expected.csv"
        return [pytest.param("none", 0, 0, marks=pytest.mark.skip(reason=reason))]
    with (Path(DATA) / "expected.csv").open(encoding="utf-8", newline="") as file:
        return [question(row) for row in csv.DictReader(file)]


def question(row):
    name, depth = row["dataset"], int(row["depth"])
    expected = int(row["misclassifications"])
    return pytest.param(name, depth, expected, id=f"{name}-{depth}")


@pytest.mark.parametrize(("name", "depth", "expected"), questions())
def test_the_proven_optimum(name, depth, expected):
    X, y = load_text(Path(DATA) / "binary" / f"{name}.txt.gz")
    result = Solver(X, y).solve(depth)
    assert result.status == "optimal"
    assert result.objective == result.lower_bound == expected
    assert result.tree.depth <= depth
    assert int((result.tree.predict(X) != y).sum()) == expected
