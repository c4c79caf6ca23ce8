"""The numbers of visited nodes, which unrelated changes must not affect.

The counts are the same with every kernel. If the search is changed on purpose, the new
counts are recorded here; the failing tests show them.
"""

import numpy as np
import pytest
from repository import NO_SETS, PAPER_SETS

from murtree import MetricSolver, Solver
from murtree.datasets import load_text

COUNTS = ("nodes", "depth_two_calls", "roots_pruned", "splits", "cache_hits")

# Depth 4, features in the order of the file.
SETS = {
    "DL_anneal": (38, 591, 259, 1412, 502),
    "DL_audiology": (44, 602, 1101, 2234, 371),
    "DL_australian-credit": (95, 4302, 706, 5921, 3414),
    "DL_breast-wisconsin": (52, 1446, 280, 2602, 969),
    "DL_diabetes": (104, 5177, 104, 5314, 4295),
    "DL_german-credit": (136, 9397, 247, 11034, 7303),
    "DL_heart-cleveland": (68, 2511, 444, 3047, 1625),
    "DL_hepatitis": (37, 930, 56, 1099, 494),
    "DL_kr-vs-kp": (55, 886, 453, 1483, 691),
    "DL_pendigits": (123, 6182, 2870, 9707, 3880),
    "DL_soybean": (34, 650, 136, 1211, 372),
    "DL_vehicle": (92, 4300, 2249, 8653, 2465),
    "DL_yeast": (80, 3008, 23, 3342, 2605),
    "Hu_fico-binary": (35, 575, 0, 546, 484),
    "NL_Ionosphere": (130, 6909, 5657, 12539, 4078),
    "NL_default_credit": (83, 3280, 91, 3386, 2723),
    "NL_magic04": (86, 2499, 1543, 4889, 2097),
    "Nina_australian": (76, 3621, 13888, 50148, 4057),
    "Nina_colic": (126, 9199, 8047, 37157, 6670),
    "Nina_haberman": (60, 1084, 1203, 3704, 1986),
}
OBJECTIVES = {
    "accuracy": (50, 1241, 37, 1001),
    "balanced_accuracy": (50, 1248, 39, 983),
    "squared_error": (30, 790, 10, 360),
    "absolute_error": (30, 799, 11, 377),
    "Pareto front": (1, 49),
}


def counts_of_set(name):
    X, y = load_text(PAPER_SETS / "binary" / f"{name}.txt.gz")
    stats = Solver(X, y, feature_order="in-order").solve(4).stats
    return tuple(stats[key] for key in COUNTS)


def counts_of_objective(objective):
    """Return the nodes and depth-two calls of searches in synthetic data."""
    rng = np.random.default_rng(11)
    X = (rng.random((300, 24)) < 0.4).astype(np.uint8)
    target = (
        6 * X[:, 0] + 3 * X[:, 1] * X[:, 2] - 3 * X[:, 3] + rng.integers(-6, 7, 300)
    )
    y = target if objective.endswith("_error") else (target > 2).astype(int)
    if objective == "Pareto front":
        found = [MetricSolver(X, y).pareto_front(3)]
    else:
        solver = Solver(X, y, objective=objective, feature_order="in-order")
        found = [solver.solve(4), solver.frontier(4)]
    return tuple(some.stats[key] for some in found for key in COUNTS[:2])


@pytest.mark.skipif(not PAPER_SETS.exists(), reason=NO_SETS)
@pytest.mark.parametrize("name", SETS)
def test_benchmark_sets(name):
    assert counts_of_set(name) == SETS[name]


@pytest.mark.parametrize("objective", OBJECTIVES)
def test_objectives(objective):
    assert counts_of_objective(objective) == OBJECTIVES[objective]
