"""Measure errors and lower bounds after 1, 3, 10 and 30 s, compared with CART.

    python benchmarks/anytime.py --out benchmarks/results/anytime.jsonl

Writes one JSON line per limit, with the errors and bounds that a callback recorded.
Times are wall-clock, so the machine should be idle.
"""

import argparse
import json
import os
import time
from pathlib import Path

from sklearn.tree import DecisionTreeClassifier

import murtree
from murtree.datasets import load_text

QUESTIONS = {
    ("DL_splice-1", 5): (1, 3, 10, 30),
    ("DL_splice-1", 6): (1, 3, 10, 30),
    ("DL_german-credit", 5): (1, 3, 30),
}


def watch(steps):
    """Return a callback that records changes."""

    def tell(progress):
        step = [progress.objective, progress.lower_bound]
        if not steps or steps[-1][1:] != step:
            steps.append([round(progress.seconds, 2), *step])

    return tell


def measure(X, y, name, depth, limit):
    steps = []
    start = time.perf_counter()
    result = murtree.Solver(X, y).solve(
        max_depth=depth, time_limit=limit, callback=watch(steps)
    )
    return {
        "dataset": name,
        "depth": depth,
        "time_limit": limit,
        "seconds": round(time.perf_counter() - start, 3),
        "status": result.status,
        "errors": result.objective,
        "lower_bound": result.lower_bound,
        "steps": steps,
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("build/anytime.jsonl"))
    arguments = parser.parse_args()
    folder = Path(os.environ["MURTREE_DATA"]) / "binary"
    lines = []
    for (name, depth), limits in QUESTIONS.items():
        X, y = load_text(folder / f"{name}.txt.gz")
        cart = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
        cart_errors = int((cart.predict(X) != y).sum())
        for limit in limits:
            line = measure(X, y, name, depth, limit) | {"cart_errors": cart_errors}
            lines.append(json.dumps(line))
            print(
                f"{name:18} depth {depth}  limit {limit:>2} s: {line['seconds']:7.3f} s"
                f"  {line['errors']:4} errors, bound {line['lower_bound']:4}"
                f"  {line['status']:10}  CART {cart_errors}"
            )
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    arguments.out.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
