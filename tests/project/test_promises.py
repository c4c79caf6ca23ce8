"""Public names, signatures and results that scripts rely on do not change."""

import inspect
import subprocess
import sys

import numpy as np
import pytest
from sklearn.datasets import load_iris

from murtree import (
    MetricSolver,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Solver,
)

X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]])
Y = ["no", "yes", "yes", "no"]
SWITCHES = {
    "deduplicate": True,
    "merge_rows": True,
    "cache": "dataset",
    "similarity_bound": True,
    "refined_bound": True,
    "cluster_bound": True,
    "frequency_counts": "auto",
    "node_selection": "dynamic",
    "feature_order": "auto",
    "random_state": None,
    "sibling_bound": True,
    "first_tree": True,
    "deepening": True,
    "depth_two": True,
}


def signature(function):
    """Return the positional parameters, and the defaults of the others."""
    parameters = inspect.signature(function).parameters.values()
    indices = [one.name for one in parameters if one.kind is one.POSITIONAL_OR_KEYWORD]
    named = {
        one.name: one.default for one in parameters if one.kind is one.KEYWORD_ONLY
    }
    return indices, named


def test_solver():
    indices, named = signature(Solver)
    assert indices == ["X", "y", "sample_weight"]
    assert named.items() >= {"objective": "accuracy", **SWITCHES}.items()
    result = Solver(X, Y, [1, 2, 1, 1], objective="accuracy", cache="branch").solve(2)
    assert (result.objective, result.lower_bound, result.status) == (0, 0, "optimal")
    assert result.tree.predict(X).tolist() == Y


def test_solve_and_frontier():
    for method in (Solver.solve, Solver.frontier):
        assert signature(method)[0][:3] == ["self", "max_depth", "max_num_nodes"]
        assert inspect.signature(method).parameters["max_num_nodes"].default is None
    solver = Solver(X, Y)
    assert solver.solve(2, 2).objective == 1
    assert [result.objective for result in solver.frontier(2)] == [2, 2, 1, 0]


@pytest.mark.parametrize("metric", ["f1", "matthews", "gmean", "balanced_accuracy"])
def test_metric_solver(metric):
    assert signature(MetricSolver)[0] == ["X", "y", "sample_weight"]
    result = MetricSolver(X, Y).solve(metric, 2)
    assert (result.objective, result.lower_bound, result.status) == (0, 0, "optimal")
    assert result.tree.predict(X).tolist() == Y


@pytest.mark.parametrize("binarizer", ["auto", "exact", None])
@pytest.mark.parametrize("kind", [OptimalTreeClassifier, OptimalTreeRegressor])
def test_estimators(kind, binarizer):
    fitted = kind(max_depth=2, binarizer=binarizer).fit(X, X[:, 0] ^ X[:, 1])
    assert (fitted.objective_, fitted.lower_bound_, fitted.status_) == (0, 0, "optimal")
    assert fitted.tree_.n_nodes == 3


def test_the_size_by_cross_validation():
    iris = load_iris()
    fitted = OptimalTreeClassifierCV(max_depth=2).fit(iris.data, iris.target)
    assert fitted.best_params_.keys() == {"max_depth", "max_num_nodes", "teacher"}
    assert fitted.status_ == "optimal"


def test_command_line(tmp_path):
    lines = ["a,b,label"] + ["0,0,no", "0,1,yes", "1,0,yes", "1,1,no"] * 5
    (tmp_path / "table.csv").write_text("\n".join(lines))
    command = [sys.executable, "-m", "murtree.cli", "fit", "table.csv"]
    done = subprocess.run(
        [*command, "-t", "label", "--max-depth", "2"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert "Proven optimal" in done.stdout
