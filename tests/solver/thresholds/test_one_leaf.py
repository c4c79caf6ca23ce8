"""The facts about a table that need no search are those of a search for one leaf."""

import numpy as np
import pytest

from murtree._solver.engine import Engine
from murtree._solver.objectives.read import read_problem
from murtree._solver.request import check_limits
from murtree._solver.switches import Switches
from murtree._table.ranked_rows import Chain, RankedRows

LIMITS = {
    "max_num_nodes": None,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "time_limit": None,
    "memory_limit": None,
    "callback": None,
    "on_interrupt": "raise",
}


@pytest.mark.parametrize("objective", ["accuracy", "balanced_accuracy", "costs"])
@pytest.mark.parametrize("seed", range(10))
def test_they_are_those_of_one_leaf(objective, seed):
    rng = np.random.default_rng(seed)
    n_rows, n_classes = int(rng.integers(2, 30)), int(rng.integers(1, 4))
    y = rng.integers(0, n_classes, n_rows)
    n_classes = np.unique(y).size
    weight = rng.integers(0, 3, n_rows)
    weight[:2] = 1
    matrix = 1 - np.eye(n_classes)
    if objective == "costs":
        matrix = rng.integers(0, 5, (n_classes, n_classes))
        objective = matrix.tolist()
    chain = Chain(rng.integers(0, 4, n_rows), np.arange(3), np.ones(3))
    rows = RankedRows.of_chains(n_rows, [chain])
    engines = [
        Engine(read_problem(X, y, weight, objective, None), Switches())
        for X in (rows, np.asarray(rows))
    ]
    by_rank, by_column = (engine._facts for engine in engines)
    assert by_rank.measure == by_column.measure
    # Columns also merge equal rows, so they may know more unavoidable costs.
    assert by_rank.avoidable >= by_column.avoidable
    assert by_rank.n_rows == np.count_nonzero(weight)
    request = check_limits("test", max_depth=0, **LIMITS)
    leaf = engines[0].find(request)
    assert leaf.objective == engines[1].find(request).objective
    # The cost of a row with its best label, in the units of the objective.
    labels = np.unique(y, return_inverse=True)[1]
    unavoidable = (weight * matrix[labels].min(axis=1)).sum()
    in_units = leaf.stats["unavoidable"] * leaf.objective
    assert in_units == pytest.approx(engines[0]._one_leaf().cost * unavoidable)
