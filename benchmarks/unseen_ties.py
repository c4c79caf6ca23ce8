"""Does the choice among equally good trees matter on rows not seen?

    python benchmarks/unseen_ties.py --tables tae bupa pima --out build/ties.jsonl

Trees of one depth and several sizes, optimal for errors, for errors and then the Gini
impurity, for the Gini impurity and for log loss, on the same ten quantiles of each
column, so that only the objective differs. Two times five folds, which are not those of
unseen.py; tables of classes of the half that is not set aside.
"""

import argparse
import json
import os
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, roc_auc_score
from unseen_models import folds_of
from unseen_tables import read, set_aside, sources

from murtree import Solver, TableBinarizer

OBJECTIVES = ("accuracy", "accuracy_then_gini", "gini", "log_loss")
SIZES = {3: (3, 5, 7), 4: (7, 15)}  # nodes by depth
SEEDS = (101, 102)


def scores(tree, X, y, n_classes):
    """Return the scores of a tree; probabilities are smoothed by Laplace's rule."""
    shares = np.zeros((y.size, n_classes))
    shares[:, tree.classes] = tree.predict_proba(X)
    weights = np.zeros_like(shares)
    weights[:, tree.classes] = tree.value[tree.apply(X)]
    smooth = (weights + 1) / (weights + 1).sum(axis=1, keepdims=True)
    one = shares[:, 1] if n_classes == 2 else shares
    has_all = np.unique(y).size == n_classes
    return {
        "accuracy": float((tree.predict(X) == y).mean()),
        "auc": roc_auc_score(y, one, multi_class="ovr") if has_all else None,
        "log_loss": log_loss(y, smooth, labels=range(n_classes)),
    }


def measure(name, time_limit):
    """Yield a line for each fold, objective and size of a table."""
    X, y = read(name)
    y = pd.factorize(y)[0]
    n_classes = int(y.max()) + 1
    splits = [s for seed in SEEDS for s in folds_of(y, seed, is_regression=False)]
    for fold, (train, test) in enumerate(splits):
        binarizer = TableBinarizer(strategy="quantile", n_thresholds=10)
        bits = binarizer.fit_transform(X.iloc[train], y[train])
        others = binarizer.transform(X.iloc[test])
        for objective in OBJECTIVES:
            solver = Solver(bits, y[train], objective=objective)
            for depth, sizes in SIZES.items():
                frontier = solver.frontier(depth, time_limit=time_limit)
                for nodes in sizes:
                    tree = frontier[nodes].tree
                    found = scores(tree, others, y[test], n_classes)
                    yield {
                        "table": name,
                        "fold": fold,
                        "objective": objective,
                        "depth": depth,
                        "max_num_nodes": nodes,
                        "status": frontier[nodes].status,
                    } | found


def print_table(lines):
    """Print mean scores by size and objective, and the differences in accuracy."""
    keys = ["depth", "max_num_nodes", "objective"]
    by_table = lines.groupby([*keys, "table"])[["accuracy", "auc", "log_loss"]].mean()
    print("| depth | nodes | objective | accuracy | AUC | log loss | wins | losses |")
    print("|--:|--:|---|--:|--:|--:|--:|--:|")
    for size, found in by_table.groupby(level=keys[:2]):
        for objective in OBJECTIVES:
            own = found.xs(objective, level="objective")
            plain = found.xs("accuracy", level="objective")
            gain = 100 * (own["accuracy"] - plain["accuracy"])
            mean = own.mean()
            cells = [
                *size,
                objective,
                f"{100 * mean['accuracy']:.2f}",
                f"{100 * mean['auc']:.2f}",
                f"{mean['log_loss']:.3f}",
                (gain > 0.05).sum(),
                (gain < -0.05).sum(),
            ]
            print("|", " | ".join(map(str, cells)), "|")


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tables", nargs="+", metavar="TABLE", required=True)
    add("--time-limit", type=float, default=10.0, help="of each frontier")
    add("--out", type=Path, default=Path("build/ties.jsonl"))
    options = parser.parse_args()
    known = {n for n, source in sources().items() if not source.is_regression}
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("w") as out:
        for name in options.tables:
            if name not in known - set_aside():
                parser.error(f"{name} is not a table of classes of the study half.")
            for line in measure(name, options.time_limit):
                print(json.dumps(line), file=out, flush=True)
    print_table(pd.read_json(options.out, lines=True))


if __name__ == "__main__":
    main()
