"""Compare `binarizer="exact"` at depth 2 with ConTree, which specialises in it.

The sets of MURTREE_DATA/continuous that have at most 30,000 boundaries between distinct
values. Times are for whole fits, best of a few; the systems alternate.

    python benchmarks/exact_thresholds.py --out benchmarks/results/exact2.jsonl
"""

import argparse
import json
import time
from pathlib import Path

import numpy as np
from pycontree import ConTree
from sets import FOLDER

from murtree import OptimalTreeClassifier

DEPTH = 2
MOST_COLUMNS = 30_000
# Errors of the best tree of depth 2, as proven by pycontree 1.0.8.
KNOWN = {
    "bank": 100,
    "raisin": 109,
    "rice": 257,
    "wilt": 138,
    "page": 253,
    "segment": 990,
}


def timed(fit):
    start = time.perf_counter()
    model = fit()
    return model, time.perf_counter() - start


def measure(name, X, y, rounds):
    _, labels = np.unique(y, return_inverse=True)
    seconds = {"murtree": [], "contree": []}
    for _ in range(rounds):
        ours, taken = timed(
            lambda: OptimalTreeClassifier(max_depth=DEPTH, binarizer="exact").fit(X, y)
        )
        seconds["murtree"].append(taken)
        theirs, taken = timed(lambda: ConTree(max_depth=DEPTH).fit(X, labels))
        seconds["contree"].append(taken)
    return {
        "set": name,
        "rows": X.shape[0],
        "columns": len(ours.binarizer_.predicates_),
        "status": ours.status_,
        "errors": int(ours.objective_),
        "contree_errors": int((theirs.predict(X) != labels).sum()),
        "known": KNOWN.get(name),
        "seconds": round(min(seconds["murtree"]), 4),
        "contree_seconds": round(min(seconds["contree"]), 4),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", required=True)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    with Path(options.out).open("w", encoding="utf-8") as out:
        for path in sorted((FOLDER / "continuous").glob("*.txt.gz")):
            data = np.loadtxt(path)
            X, y = data[:, 1:], data[:, 0].astype(int)
            if sum(np.unique(values).size - 1 for values in X.T) > MOST_COLUMNS:
                continue
            line = measure(path.name.removesuffix(".txt.gz"), X, y, options.rounds)
            out.write(json.dumps(line) + "\n")
            print(json.dumps(line), flush=True)


if __name__ == "__main__":
    main()
