"""Compare the searches over ranks and over columns of thresholds, on small tables.

    python benchmarks/ranks_or_columns.py

Prints milliseconds of the processor for whole fits with `binarizer="exact"`, by columns
and by ranks: the rule that chooses one of them is `are_ranked` in
src/murtree/_estimators/column_budget.py.
"""

import time
from unittest.mock import patch

import numpy as np
from sklearn.datasets import load_wine

from murtree import OptimalTreeClassifier
from murtree._estimators import prepare

# Rows, columns, and values of each column.
SHAPES = [
    (150, 4, 40),
    (200, 10, 5),
    (200, 10, 100),
    (500, 5, 200),
    (500, 20, 8),
    (1_000, 20, 70),
    (5_000, 10, 100),
    (20_000, 5, 250),
]
QUESTIONS = {
    "depth two": {"max_depth": 2},
    "depth three": {"max_depth": 3},
    "frontier at depth three": {"max_depth": 3, "frontier": True},
}
COSTS = [[0, 1, 2], [1, 0, 3], [2, 1, 0]]
OF_COSTS = {"depth two, matrix of costs": {"max_depth": 2, "objective": COSTS}}


def table(n_rows, n_columns, n_values, n_classes=2):
    """Return numbers, and classes of a rule on two columns with a third of noise."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, n_values, (n_rows, n_columns)).astype(float)
    y = (X[:, 0] > n_values / 3) ^ (X[:, 1] > n_values / 2)
    is_noise = rng.random(n_rows) < 1 / 3
    return X, np.where(is_noise, rng.integers(0, n_classes, n_rows), y)


def milliseconds(X, y, *, by_ranks, enough=2.0, **options):
    """Return the least time of up to five fits, and their objective."""
    best, objective, start = np.inf, None, time.perf_counter()
    with patch.object(prepare, "are_ranked", lambda *_: by_ranks):
        for _ in range(5):
            begin = time.process_time()
            clf = OptimalTreeClassifier(binarizer="exact", **options).fit(X, y)
            best, objective = min(best, time.process_time() - begin), clf.objective_
            if time.perf_counter() - start > enough:
                break
    return 1000 * best, objective


def compare(name, X, y, questions):
    n_tests = sum(np.unique(column).size - 1 for column in X.T)
    cells = []
    for question, options in questions.items():
        (columns, one), (ranks, other) = (
            milliseconds(X, y, by_ranks=way, **options) for way in (False, True)
        )
        unlike = "" if one == other else f", different objectives: {one}, {other}"
        cells.append(f"{question} {columns:.1f} / {ranks:.1f}{unlike}")
    print(f"{name}, {n_tests:,} tests: " + "; ".join(cells), flush=True)


def main():
    compare("wine, 178 x 13", *load_wine(return_X_y=True), QUESTIONS)
    for shape in SHAPES:
        n_rows, n_columns, n_values = shape
        name = f"{n_rows:,} x {n_columns}, {n_values} values"
        compare(name, *table(*shape), QUESTIONS)
        compare(f"{name}, 3 classes", *table(*shape, 3), OF_COSTS)


if __name__ == "__main__":
    main()
