"""Measure what a search over all thresholds has found and proven when its time ends.

    python benchmarks/anytime_thresholds.py

Writes one JSON line per set, depth and limit: errors and lower bounds that a callback
recorded, beside scikit-learn's greedy tree, the optimum over eight quantiles of each
column, and the errors that equal rows make unavoidable. Limits are wall-clock times.
"""

import argparse
import json
import os
import time
import warnings
from pathlib import Path

import numpy as np
from anytime import watch
from run import last_core, machine
from sets import FOLDER
from sklearn.tree import DecisionTreeClassifier

from murtree import NotProvenWarning, OptimalTreeClassifier, TableBinarizer

SETS = ("htru", "magic")
DEPTHS = (4, 5)
LIMITS = (0.5, 2.0, 10.0)


def errors_of(model, X, y):
    """Fit a model and return its errors on the same rows."""
    return int((model.fit(X, y).predict(X) != y).sum())


def least_errors(X, y):
    """Return the errors on equal rows of different classes."""
    rows, of_row = np.unique(X, axis=0, return_inverse=True)
    counts = np.zeros((len(rows), y.max() + 1), dtype=int)
    np.add.at(counts, (of_row.ravel(), y), 1)
    return int((counts.sum(axis=1) - counts.max(axis=1)).sum())


def measure(X, y, depth, limit):
    steps = []
    clf = OptimalTreeClassifier(
        max_depth=depth, binarizer="exact", time_limit=limit, callback=watch(steps)
    )
    start = time.perf_counter()
    errors = errors_of(clf, X, y)
    return {
        "time_limit": limit,
        "seconds": round(time.perf_counter() - start, 3),
        "status": clf.status_,
        "errors": errors,
        "lower_bound": int(clf.lower_bound_),
        "steps": steps,
        "kernel": clf.search_stats_["kernel"],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    default = Path("build/anytime_thresholds.jsonl")
    parser.add_argument("--out", type=Path, default=default)
    parser.add_argument("--sets", nargs="+", default=SETS)
    arguments = parser.parse_args()
    if (core := last_core()) is not None:
        os.sched_setaffinity(0, {core})
    warnings.simplefilter("ignore", NotProvenWarning)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("w", encoding="utf-8") as out:
        for name in arguments.sets:
            data = np.loadtxt(FOLDER / "continuous" / f"{name}.txt.gz")
            X, y = data[:, 1:], np.unique(data[:, 0], return_inverse=True)[1]
            for depth in DEPTHS:
                few = TableBinarizer(strategy="quantile", n_thresholds=8)
                beside = {
                    "greedy": errors_of(DecisionTreeClassifier(max_depth=depth), X, y),
                    "quantiles": errors_of(
                        OptimalTreeClassifier(max_depth=depth, binarizer=few), X, y
                    ),
                    "equal_rows": least_errors(X, y),
                }
                for limit in LIMITS:
                    line = {"set": name, "depth": depth, **beside}
                    line |= measure(X, y, depth, limit) | machine()
                    print(json.dumps(line), file=out, flush=True)
                    shown = {k: v for k, v in line.items() if k not in machine()}
                    print(*(f"{k}={v}" for k, v in shown.items() if k != "steps"))


if __name__ == "__main__":
    main()
