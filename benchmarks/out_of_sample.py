"""Compare the test accuracy of optimal trees, CART and random forests.

    python benchmarks/out_of_sample.py --jobs 2

The paper's protocol (Section "Comparison Against Conventional Algorithms on Out-Of-
Sample Accuracy"): five stratified folds, the same for all; each method uses the
parameters with the best mean accuracy on the test folds. So every method is tuned on
its test rows, which favours methods with more parameters. MT-F, MT-R and MT-A are the
paper's names of the strategies "as_greedy", "up_to_greedy" and "all" of
`OptimalTreeClassifierCV`; CART has depth 1 to 4; forests have the paper's 48 settings.

Writes one JSON line per set and method; existing lines are kept. At the end all lines
become a table and a figure: differences of accuracies, a histogram for each pair.
"""

import argparse
import json
import os
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from fnmatch import fnmatch
from functools import partial
from pathlib import Path

import numpy as np
from compare import table
from measure import timed
from run import machine
from sets import ROOT, binary_sets
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier

from murtree import NotProvenWarning, OptimalTreeClassifier, OptimalTreeClassifierCV

STRATEGIES = {"MT-F": "as_greedy", "MT-R": "up_to_greedy", "MT-A": "all"}
OURS = tuple(STRATEGIES)
OTHERS = ("CART", "forest")
FOREST = {
    "n_estimators": [10, 50, 100],
    "max_depth": [None, 1, 2, 4],
    "max_features": [None, 0.5, "sqrt", "log2"],
}
TIE = 1e-9  # smaller differences of accuracy are ties


def tuner(method, folds, time_limit):
    if method in OURS:
        tree = OptimalTreeClassifier(binarizer=None, time_limit=time_limit)
        strategy = STRATEGIES[method]
        return OptimalTreeClassifierCV(estimator=tree, strategy=strategy, cv=folds)
    if method == "CART":
        model, grid = (
            DecisionTreeClassifier(random_state=0),
            {"max_depth": [1, 2, 3, 4]},
        )
    else:
        model, grid = RandomForestClassifier(random_state=0), FOREST
    return GridSearchCV(model, grid, cv=folds, return_train_score=True)


def measure(name, method, seed, time_limit):
    """Tune one method on one set."""
    X, y = binary_sets()[name]()
    splitter = StratifiedKFold(5, shuffle=True, random_state=seed)
    with warnings.catch_warnings():
        # Some sets have a class with fewer than five rows; unproven trees are counted.
        warnings.filterwarnings("ignore", message="The least populated class")
        warnings.simplefilter("ignore", NotProvenWarning)
        model = tuner(method, list(splitter.split(X, y)), time_limit)
        model, (seconds, cpu_seconds) = timed(lambda: model.fit(X, y))
    results = model.cv_results_
    return {
        "set": name,
        "method": method,
        "seed": seed,
        "time_limit": time_limit if method in OURS else None,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "test": float(model.best_score_),
        "train": float(results["mean_train_score"][model.best_index_]),
        "params": model.best_params_,
        "candidates": len(results["params"]),
        "unproven": int(np.sum(results.get("n_unproven", 0))),
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
    }


def read(path, seed):
    """Return the lines of a file by set and method; later lines win."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = map(json.loads, lines)
    return {(row["set"], row["method"]): row for row in rows if row["seed"] == seed}


def run(jobs, arguments):
    """Run the missing measurements, and add a line for each."""
    where = machine()
    work = partial(measure, seed=arguments.seed, time_limit=arguments.time_limit)
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with (
        arguments.out.open("a") as lines,
        ProcessPoolExecutor(arguments.jobs) as pool,
    ):
        pending = [pool.submit(work, *job) for job in jobs]
        for done in as_completed(pending):
            row = done.result()
            print(json.dumps(where | row), file=lines, flush=True)
            print(
                f"{row['set']:28} {row['method']:6} {100 * row['test']:6.2f}% "
                f"{row['seconds']:8.2f} s",
                flush=True,
            )


def complete(rows):
    """Return the sets for which all methods have a line."""
    names = sorted({name for name, _ in rows})
    return [name for name in names if all((name, m) in rows for m in OURS + OTHERS)]


def lines_of(rows, names):
    yield ["set", *OURS, *OTHERS, "depth, nodes", "unproven"]
    for name in names:
        chosen = rows[name, "MT-A"]["params"]
        accuracies = [f"{100 * rows[name, m]['test']:.2f}" for m in OURS + OTHERS]
        size = f"{chosen['max_depth']}, {chosen['max_num_nodes']}"
        unproven = sum(rows[name, method]["unproven"] for method in OURS)
        yield [name, *accuracies, size, str(unproven)]


def differences(rows, names, method, other, part="test"):
    """Return by how many percentage points a method is better on each set."""
    return np.array(
        [100 * (rows[name, method][part] - rows[name, other][part]) for name in names]
    )


def verdict(gain):
    better, worse = int((gain > TIE).sum()), int((gain < -TIE).sum())
    return f"{better} better, {gain.size - better - worse} equal, {worse} worse"


def summary(rows, names):
    yield f"{len(names)} sets; differences of mean test accuracy in percentage points"
    for other in OTHERS:
        for method in OURS:
            gain = differences(rows, names, method, other)
            yield (
                f"{method} - {other:6}: mean {gain.mean():+.2f}, median "
                f"{np.median(gain):+.2f}, {gain.min():+.2f} to {gain.max():+.2f}; "
                f"{verdict(gain)}"
            )
    for method in OURS + OTHERS:
        seconds = [rows[name, method]["seconds"] for name in names]
        yield f"{method:6}: {sum(seconds):.1f} s in all, at most {max(seconds):.1f} s"


def draw(rows, names, path):
    """Draw histograms of the differences, one row per other method."""
    import matplotlib  # noqa: PLC0415 (only the figure needs it)

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt  # noqa: PLC0415

    figure, panels = plt.subplots(2, 3, figsize=(11, 6), sharey="row", sharex="row")
    for line, other in zip(panels, OTHERS, strict=True):
        gains = [differences(rows, names, method, other) for method in OURS]
        low = np.floor(min(gain.min() for gain in gains) - 0.5) + 0.5
        high = np.ceil(max(gain.max() for gain in gains) + 0.5) - 0.5
        edges = np.arange(min(low, -0.5), max(high, 0.5) + 1)  # zero amid a bar
        for panel, method, gain in zip(line, OURS, gains, strict=True):
            panel.hist(gain, bins=edges, color="#4477aa", edgecolor="white")
            panel.axvline(0, color="black", linewidth=0.8)
            panel.set_title(f"{method} - {other}\n{verdict(gain)}", fontsize=10)
        line[0].set_ylabel("data sets")
        line[0].yaxis.get_major_locator().set_params(integer=True)
    for panel in panels[-1]:
        panel.set_xlabel("difference of test accuracy (percentage points)", fontsize=9)
    figure.tight_layout()
    figure.savefig(path, dpi=150)
    plt.close(figure)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    results = ROOT / "benchmarks" / "results"
    add("--sets", nargs="+", default=["*"], metavar="SET", help="names or patterns")
    add("--methods", nargs="+", choices=OURS + OTHERS, default=OURS + OTHERS)
    add("--jobs", type=int, default=1, help="measurements at a time")
    add("--seed", type=int, default=0, help="of the folds")
    add("--time-limit", type=float, default=60.0, help="seconds for each frontier")
    add("--out", type=Path, default=results / "out_of_sample.jsonl")
    add("--figure", type=Path, help="default: --out with .png")
    add("--markdown", action="store_true")
    return parser.parse_args()


def main():
    arguments = parse_arguments()
    # One core per measurement: forests and linear algebra must not start threads.
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    known = read(arguments.out, arguments.seed)
    jobs = [
        (name, method)
        for name in binary_sets()
        if any(fnmatch(name, pattern) for pattern in arguments.sets)
        for method in arguments.methods
        if (name, method) not in known
    ]
    if jobs:
        run(jobs, arguments)
    rows = read(arguments.out, arguments.seed)
    names = complete(rows)
    if not names:
        raise SystemExit("No set has lines of all methods yet: no table, no figure.")
    print("", *table(list(lines_of(rows, names)), arguments.markdown), sep="\n")
    print("", *summary(rows, names), sep="\n")
    figure = arguments.figure or arguments.out.with_suffix(".png")
    draw(rows, names, figure)
    print(f"\nwrote {figure}")


if __name__ == "__main__":
    main()
