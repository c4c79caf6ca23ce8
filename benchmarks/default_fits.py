"""Measure default fits of ten tables at depths 1 to 5.

`OptimalTreeClassifier(max_depth=depth).fit(X, y)` without a time limit: the number of
candidate tests, the CPU seconds of the whole fit, the training errors and whether they
are proven. Each line of the results has a version, so that two versions can be
compared:

    python benchmarks/default_fits.py --version 0.1.0 --out results.jsonl
    python benchmarks/default_fits.py --compare before 0.1.0 --out results.jsonl
"""

import argparse
import json
import time
from functools import partial
from pathlib import Path

import numpy as np
from sets import FOLDER
from sklearn.datasets import (
    load_breast_cancer,
    load_digits,
    load_wine,
    make_classification,
)

from murtree import OptimalTreeClassifier

DEPTHS = range(1, 6)


def continuous(name):
    data = np.loadtxt(FOLDER / "continuous" / f"{name}.txt.gz")
    return data[:, 1:], data[:, 0].astype(int)


def generated(n_rows, n_columns, **settings):
    return make_classification(n_rows, n_columns, random_state=0, **settings)


TABLES = {
    "wine": partial(load_wine, return_X_y=True),
    "breast cancer": partial(load_breast_cancer, return_X_y=True),
    "digits": partial(load_digits, return_X_y=True),
    "segment": partial(continuous, "segment"),
    "rice": partial(continuous, "rice"),
    "page": partial(continuous, "page"),
    "magic": partial(continuous, "magic"),
    "three classes": partial(
        generated, 20_000, 20, n_informative=8, n_classes=3, flip_y=0.05
    ),
    "noisy": partial(generated, 50_000, 30, n_informative=5, flip_y=0.3),
    "large": partial(generated, 100_000, 50, n_informative=10),
}


def measure(name, depth):
    X, y = TABLES[name]()
    start = time.process_time()
    clf = OptimalTreeClassifier(max_depth=depth).fit(X, y)
    return {
        "table": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "depth": depth,
        "tests": len(clf.binarizer_.predicates_),
        "seconds": round(time.process_time() - start, 2),
        "search_seconds": round(clf.search_stats_["seconds"], 2),
        "errors": int(clf.objective_),
        "status": clf.status_,
    }


def read(path):
    lines = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
    return [json.loads(line) for line in lines]


def compare(rows, before, after):
    """Print both versions side by side, and mark more errors of the second."""
    found = {(row["version"], row["table"], row["depth"]): row for row in rows}
    print(f"{'table':14s} depth   tests          seconds          errors")
    for name in TABLES:
        for depth in DEPTHS:
            pair = [found.get((version, name, depth)) for version in (before, after)]
            if None in pair:
                continue
            tests, seconds, errors = (
                [row[key] for row in pair] for key in ("tests", "seconds", "errors")
            )
            print(
                f"{name:14s} {depth:5d} {tests[0]:6d} {tests[1]:6d} "
                f"{seconds[0]:8.2f} {seconds[1]:7.2f} {errors[0]:7d} {errors[1]:6d} "
                f"{'MORE' if errors[1] > errors[0] else ''}"
            )


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--version", help="the name of what is measured")
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--depths", nargs="+", type=int, default=list(DEPTHS))
    parser.add_argument("--compare", nargs=2, metavar=("BEFORE", "AFTER"))
    options = parser.parse_args()
    if options.compare:
        compare(read(options.out), *options.compare)
        return
    for name in options.tables:
        for depth in options.depths:
            row = {"version": options.version, **measure(name, depth)}
            print(row, flush=True)
            with options.out.open("a", encoding="utf-8") as file:
                file.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
