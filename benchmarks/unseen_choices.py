"""Why is a tree that cross-validation chose often no better than an untuned one?

    python benchmarks/unseen_choices.py --tables bupa pima Boston
    python benchmarks/unseen_choices.py --compare

On each of three outer folds all candidates are fitted: the best trees of every number
of nodes, fitted to the observed targets or to those of a forest, with several leaf
sizes. Five inner folds give their scores, plain and smoothed by the forest. Then rules
that choose among them are compared by the score of what they choose on the outer fold,
in points relative to grid-searched greedy trees of the same depth. "oracle" is the best
candidate of each outer fold, which no rule can know.

The folds are not those of unseen.py, and only tables of the half that is not set aside
are allowed.
"""

import argparse
import json
import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.metrics import r2_score
from unseen_models import DEPTHS, folds_of, grid, on_numbers
from unseen_tables import read, set_aside, sources

from murtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
)

DEPTH, N_OUTER, SEED = 4, 3, 101
# Families of candidates: the teacher and the fewest rows of a leaf.
FAMILIES = {
    "observed": (None, 1),
    "observed, 5 rows": (None, 5),
    "observed, 20 rows": (None, 20),
    "forest": ("forest", 1),
}
POOLS = [
    ("observed",),
    ("observed, 5 rows",),
    ("forest",),
    ("observed", "forest"),
    ("observed, 5 rows", "forest"),
    tuple(FAMILIES),
]


def candidates(X, y, splits, family, time_limit):
    """Return the trees of a family by nodes, with their scores in the inner folds."""
    teacher, least = FAMILIES[family]
    is_regression = y.dtype.kind == "f"
    kind = OptimalTreeRegressor if is_regression else OptimalTreeClassifier
    search = OptimalTreeRegressorCV if is_regression else OptimalTreeClassifierCV
    tree = kind(max_depth=DEPTH, min_samples_leaf=least, time_limit=time_limit)
    study = search(estimator=tree, cv=splits)
    study._families = lambda _: [(("teacher", teacher),)]
    found = study.fit(X, y)
    whole = tree.set_params(teacher=teacher, frontier=True).fit(X, y)
    results = found.cv_results_
    return (
        [result.tree for result in whole.frontier_],
        results["mean_test_score"].tolist(),
        results["mean_smoothed_score"].tolist(),
        found.forest_score_,
    )


def measure(name, time_limit):
    """Yield a line for each outer fold and family of a table."""
    is_regression = sources()[name].is_regression
    X, y = read(name)
    y = y.to_numpy(float) if is_regression else pd.factorize(y)[0]
    outer = folds_of(y, SEED, is_regression=is_regression)[:N_OUTER]
    for fold, (train, test) in enumerate(outer):
        own, rows = y[train], X.iloc[test]
        inner = folds_of(own, 1, is_regression=is_regression)
        greedy = on_numbers(grid(is_regression, DEPTHS["cart-grid"], inner))
        line = {
            "table": name,
            "is_regression": is_regression,
            "fold": fold,
            "greedy": greedy.fit(X.iloc[train], own).score(rows, y[test]),
        }
        for family in FAMILIES:
            trees, plain, smoothed, forest = candidates(
                X.iloc[train], own, inner, family, time_limit
            )
            predicted = [tree.predict(rows) for tree in trees]
            scores = [
                r2_score(y[test], one) if is_regression else (one == y[test]).mean()
                for one in predicted
            ]
            yield line | {
                "family": family,
                "plain": plain,
                "smoothed": smoothed,
                "forest": forest,
                "outer": list(map(float, scores)),
            }


def chosen_by(rule, plain, smoothed, forest, outer):
    """Return the outer score of the candidate that a rule chooses."""
    if rule == "gate":
        rule = "smoothed" if forest >= plain.max() else "plain"
    score = {
        "plain": plain,
        "smoothed": smoothed,
        "mean of both": plain + smoothed,
        "oracle": outer,
    }[rule]
    return outer[np.argmax(score)]


def print_rules(lines):
    """Print the mean differences of all rules and pools to greedy trees."""
    print("| target | candidates | rule | tables | points | wins | losses |")
    print("|---|---|---|--:|--:|--:|--:|")
    for is_regression, of_kind in lines.groupby("is_regression"):
        for pool in POOLS:
            for rule in ("plain", "smoothed", "mean of both", "gate", "oracle"):
                gains = gains_of(of_kind, pool, rule)
                cells = [
                    "numbers" if is_regression else "classes",
                    "all" if len(pool) == len(FAMILIES) else " + ".join(pool),
                    rule,
                    len(gains),
                    f"{gains.mean():+.2f}",
                    (gains > 0.05).sum(),
                    (gains < -0.05).sum(),
                ]
                print("|", " | ".join(map(str, cells)), "|")


def gains_of(lines, pool, rule):
    """Return the mean gain of each table in points."""
    gains = {}
    chosen = lines[lines["family"].isin(pool)]
    for (table, _), found in chosen.groupby(["table", "fold"]):
        plain, smoothed, outer = (
            np.concatenate(found[name].map(np.array).tolist())
            for name in ("plain", "smoothed", "outer")
        )
        forest = found["forest"].iloc[0]
        score = chosen_by(rule, plain, smoothed, forest, outer)
        gains.setdefault(table, []).append(100 * (score - found["greedy"].iloc[0]))
    return np.array([np.mean(values) for values in gains.values()])


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--tables", nargs="+", metavar="TABLE", default=[])
    add("--time-limit", type=float, default=1.0, help="of each search")
    add("--out", type=Path, default=Path("build/choices.jsonl"))
    add("--compare", action="store_true", help="only print the comparison")
    options = parser.parse_args()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a") as out:
        for name in [] if options.compare else options.tables:
            if name not in set(sources()) - set_aside():
                parser.error(f"{name} is not a table of the study half.")
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                for line in measure(name, options.time_limit):
                    print(json.dumps(line), file=out, flush=True)
            print(name, flush=True)
    print_rules(pd.read_json(options.out, lines=True))


if __name__ == "__main__":
    main()
