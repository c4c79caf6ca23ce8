"""Measure the constants of _estimators/column_budget.py: seconds by depth and columns.

For each set, number of columns and depth, with the candidates of "auto": the CPU time
to the proof, and the constant of the model, seconds / (words of 64 rows * columns **
depth). At the end the geometric mean of the constants by depth, over searches between a
hundredth of a second and the limit.

    python benchmarks/calibrate_columns.py
"""

import math
import time
from collections import defaultdict

import numpy as np
from sets import FOLDER
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits

from murtree import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Solver,
    TableBinarizer,
)
from murtree._estimators.column_budget import OVERHEAD
from murtree._estimators.prepare import prepare

LIMIT = 10.0  # seconds
SHORTEST = 0.01
COLUMNS = (60, 125, 250, 500, 1000)
DEPTHS = (2, 3, 4, 5)


def continuous(name):
    data = np.loadtxt(FOLDER / "continuous" / f"{name}.txt.gz")
    return data[:, 1:], data[:, 0].astype(int)


def sets():
    yield "breast cancer", load_breast_cancer(return_X_y=True), "accuracy"
    yield "digits", load_digits(return_X_y=True), "accuracy"
    for name in ("magic", "segment", "rice"):
        yield name, continuous(name), "accuracy"
    yield "diabetes", load_diabetes(return_X_y=True), "squared_error"


def candidates(X, y, objective, depth, max_columns):
    """Return the given number of columns of "auto" for a depth."""
    is_classes = objective == "accuracy"
    kind = OptimalTreeClassifier if is_classes else OptimalTreeRegressor
    binarizer = TableBinarizer(strategy="auto", max_columns=max_columns)
    estimator = kind(max_depth=depth, binarizer=binarizer)
    return prepare(estimator, estimator._check_parameters(), X, y, None).bits


def main():
    constants = defaultdict(list)
    for name, (X, y), objective in sets():
        for wanted in COLUMNS:
            for depth in DEPTHS:
                bits = candidates(X, y, objective, depth, wanted)
                start = time.process_time()
                solver = Solver(bits, y, objective=objective)
                result = solver.solve(depth, time_limit=LIMIT)
                seconds = time.process_time() - start
                words = X.shape[0] / 64 + OVERHEAD
                constant = seconds / (words * bits.shape[1] ** depth)
                print(
                    f"{name:14s} {bits.shape[1]:5d} columns  depth {depth}  "
                    f"{seconds:8.3f} s  {constant:8.1e}  {result.status}",
                    flush=True,
                )
                if result.status != "optimal":
                    break
                if seconds > SHORTEST:
                    constants[objective, depth].append(constant)
    for (objective, depth), found in sorted(constants.items()):
        mean = math.exp(sum(map(math.log, found)) / len(found))
        print(f"{objective:14s} depth {depth}: {mean:.1e}, largest {max(found):.1e}")


if __name__ == "__main__":
    main()
