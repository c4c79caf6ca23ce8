"""Compare cross-validation over frontiers with a grid search of depth and nodes.

    python benchmarks/cross_validation.py

Depth 1 to 4 with all numbers of nodes, five stratified folds, on ten of the paper's
sets. The seconds of `OptimalTreeClassifierCV` are compared with the sum of its
frontiers (each a fresh solver and one search), the same frontiers with one solver per
fold, and GridSearchCV on the same grid. Trees with equal training errors can differ on
test rows; so both are run again with settings that break ties in the same way, where
all scores must agree.
"""

import argparse
import json
from pathlib import Path
from statistics import geometric_mean

from compare import table
from measure import timed
from run import machine
from sets import ROOT, binary_sets
from sklearn.model_selection import GridSearchCV, StratifiedKFold

import murtree
from murtree import OptimalTreeClassifier, OptimalTreeClassifierCV

DEPTHS = range(1, 5)
GRID = [{"max_depth": [0], "max_num_nodes": [0]}] + [
    {"max_depth": [depth], "max_num_nodes": list(range(depth, 2**depth))}
    for depth in DEPTHS
]
SETS = [
    "DL_australian-credit",
    "DL_diabetes",
    "DL_german-credit",
    "DL_heart-cleveland",
    "DL_vehicle",
    "NL_Ionosphere",
    "NL_magic04",
    "Nina_backache",
    "Nina_colic",
    "Nina_hepatitis",
]


# Ties go to the tree with the fewest nodes, then with the first columns.
BY_SIZE_AND_COLUMN = {
    "fewest_nodes": True,
    "solver_options": {
        "feature_order": "in-order",
        "first_tree": False,
        "refined_bound": False,
    },
}


def best_of(repeat, actions):
    """Return the seconds (wall, processor) of the fastest run of each action.

    They alternate, so that other load on the machine affects all of them.
    """
    rounds = [[timed(action)[1] for action in actions] for _ in range(repeat)]
    return [min(runs) for runs in zip(*rounds, strict=True)]


def of(what, seconds):
    """Return the entries of a line; low processor time means a shared core."""
    wall, cpu = seconds
    return {f"{what}seconds": wall, f"{what}cpu_seconds": cpu}


def frontiers(X, y, folds, one_solver):
    for train, _ in folds:
        solver = murtree.Solver(X[train], y[train]) if one_solver else None
        for depth in DEPTHS:
            (solver or murtree.Solver(X[train], y[train])).frontier(depth)


def differing(one, other):
    """Return how many of the mean scores differ."""
    ours, theirs = (model.cv_results_["mean_test_score"] for model in (one, other))
    return int((ours != theirs).sum())


def measure(X, y, repeat):
    folds = list(StratifiedKFold(5).split(X, y))
    plain = OptimalTreeClassifier(binarizer=None)
    tuned = OptimalTreeClassifierCV(estimator=plain, cv=folds)
    grid = GridSearchCV(plain, GRID, cv=folds)
    seconds, of_frontiers, of_one_solver = best_of(
        repeat,
        [
            lambda: tuned.fit(X, y),
            lambda: frontiers(X, y, folds, False),
            lambda: frontiers(X, y, folds, True),
        ],
    )
    (of_grid,) = best_of(min(repeat, 2), [lambda: grid.fit(X, y)])
    strict = OptimalTreeClassifier(binarizer=None, **BY_SIZE_AND_COLUMN)
    strict_ours = OptimalTreeClassifierCV(estimator=strict, cv=folds).fit(X, y)
    strict_grid = GridSearchCV(strict, GRID, cv=folds).fit(X, y)
    return {
        "rows": X.shape[0],
        "columns": X.shape[1],
        "repeat": repeat,
        **of("", seconds),
        **of("frontier_", of_frontiers),
        **of("one_solver_", of_one_solver),
        **of("grid_", of_grid),
        "choice": tuned.best_params_,
        "score": tuned.best_score_,
        "grid_choice": grid.best_params_,
        "grid_score": grid.best_score_,
        "scores_that_differ": differing(tuned, grid),
        "strict_choice": strict_ours.best_params_,
        "strict_grid_choice": strict_grid.best_params_,
        "strict_scores_that_differ": differing(strict_ours, strict_grid),
    }


def cells(row):
    def text(choice):
        return f"{choice['max_depth']}, {choice['max_num_nodes']}"

    return [
        row["set"],
        f"{row['seconds']:.3f}",
        f"{row['seconds'] / row['frontier_seconds']:.2f}",
        f"{row['seconds'] / row['one_solver_seconds']:.2f}",
        f"{row['grid_seconds'] / row['seconds']:.1f}",
        text(row["choice"]),
        text(row["grid_choice"]),
        str(row["scores_that_differ"]),
        text(row["strict_choice"]),
        text(row["strict_grid_choice"]),
        str(row["strict_scores_that_differ"]),
    ]


HEAD = [
    "set",
    "seconds",
    "/ frontiers",
    "/ one solver a fold",
    "grid / ours",
    "depth, nodes",
    "grid's",
    "scores that differ",
    "ties alike: ours",
    "grid's",
    "scores that differ",
]


def summary(rows):
    ratios = [row["seconds"] / row["frontier_seconds"] for row in rows]
    gains = [row["grid_seconds"] / row["seconds"] for row in rows]
    same = sum(row["choice"] == row["grid_choice"] for row in rows)
    strict = sum(row["strict_choice"] == row["strict_grid_choice"] for row in rows)
    yield f"seconds / sum of the frontiers: at most {max(ratios):.2f}"
    yield f"GridSearchCV / ours: {geometric_mean(gains):.1f} (geometric mean)"
    yield f"same choice as GridSearchCV: {same} of {len(rows)}"
    yield f"same choice where ties are broken alike: {strict} of {len(rows)}"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    add = parser.add_argument
    add("--sets", nargs="+", default=SETS, metavar="SET")
    add("--repeat", type=int, default=10, help="runs of each, of which the best counts")
    add("--markdown", action="store_true")
    default = ROOT / "benchmarks" / "results" / "cross_validation.jsonl"
    add("--out", type=Path, default=default, metavar="FILE.jsonl")
    arguments = parser.parse_args()
    known, where, rows = binary_sets(), machine(), []
    with arguments.out.open("w") as lines:
        for name in arguments.sets:
            X, y = known[name]()
            rows.append({"set": name, **measure(X, y, arguments.repeat)})
            print(json.dumps(where | rows[-1]), file=lines, flush=True)
            print(name, f"{rows[-1]['seconds']:.3f} s", flush=True)
    body = [HEAD, *map(cells, rows)]
    print("", *table(body, arguments.markdown), "", *summary(rows), sep="\n")


if __name__ == "__main__":
    main()
