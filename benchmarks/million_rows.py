"""Measure proofs at depth 3 over all thresholds of 1,000,000 rows and 20 columns.

    python benchmarks/million_rows.py --out benchmarks/results/million_rows.jsonl

Values have full precision, so there are 20 million thresholds. The classes are those of
a random tree of depth 3, or of the sign of a sum of five columns, which no small tree
fits; a tenth of them is flipped. Seconds are of the processor for a whole `fit`; memory
is the peak of the process beyond that of the data.
"""

import argparse
import json
import resource
import time
import warnings
from pathlib import Path

import numpy as np
from run import machine

from murtree import NotProvenWarning, OptimalTreeClassifier

DEPTH = 3


def tree_classes(rng, X):
    """Return the classes of a random tree."""
    node = np.ones(len(X), dtype=int)
    for _ in range(DEPTH):
        columns = rng.integers(X.shape[1], size=2 * node.max() + 2)
        cuts = rng.uniform(-0.7, 0.7, len(columns))
        node = 2 * node + (X[np.arange(len(X)), columns[node]] > cuts[node])
    return node % 2


def sum_classes(_rng, X):
    """Return the classes of a sum of columns."""
    return (X[:, :5].sum(axis=1) > 0).astype(int)


CLASSES = {"tree": tree_classes, "sum": sum_classes}


def peak():
    """Return the peak memory of the process in GB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / 1e9


def measure(kind, options):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(options.rows, options.columns))
    y = CLASSES[kind](rng, X) ^ (rng.random(options.rows) < 0.1)
    before = peak()
    start = time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        clf = OptimalTreeClassifier(
            max_depth=DEPTH, binarizer="exact", time_limit=options.limit
        ).fit(X, y)
    return {
        "classes": kind,
        "rows": options.rows,
        "columns": options.columns,
        "thresholds": clf.coverage_.n_tests,
        "kernel": clf.search_stats_["kernel"],
        "errors": int(clf.objective_),
        "lower_bound": int(clf.lower_bound_),
        "optimal": clf.status_ == "optimal",
        "seconds": round(time.process_time() - start, 2),
        "search_seconds": round(clf.search_stats_["seconds"], 2),
        "memory_gb": round(peak() - before, 3),
        "data_gb": round(X.nbytes / 1e9, 3),
        "limit": options.limit,
    }


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--out", type=Path, default=Path("build/million_rows.jsonl"))
    parser.add_argument("--classes", choices=CLASSES, default="tree")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--limit", type=float, default=600.0, metavar="SECONDS")
    options = parser.parse_args()
    line = measure(options.classes, options) | machine()
    print(json.dumps(line))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a", encoding="utf-8") as out:
        print(json.dumps(line), file=out)


if __name__ == "__main__":
    main()
