"""Compare trees on rows not seen: accuracy, AUC, log loss or R², size and time.

    make unseen-tables
    python benchmarks/unseen.py --out benchmarks/results/unseen.jsonl --jobs 2
    python benchmarks/unseen.py --half aside --out ...   # only at the end

Nested cross-validation on the tables of unseen_tables.py. Five outer folds, the same
for all methods, measure; a method that is tuned uses five inner folds of the training
rows, the same for all, too. Models of scikit-learn get a column for each category, and
the median for missing numbers; ours get the table as it is. Targets of a regression are
scaled by the training rows.

Writes one JSON line for each table and method, with the scores of each outer fold;
existing lines are kept. At the end each method is compared with the reference by the
differences of the means of tables: their mean with a 95 % confidence interval, wins,
ties and losses.
"""

import argparse
import json
import os
import time
import warnings
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path

import numpy as np
import pandas as pd
from run import machine
from scipy.stats import t as student
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from unseen_tables import read, set_aside, sources

import murtree

DEPTH = 4
LEAVES, PENALTIES = [1, 5, 10, 20], [0.0, 0.0005, 0.002, 0.01]
DEPTHS = {"cart-grid": [1, 2, 3, 4], "cart-any": [None]}
# Points, hundredths of the score: smaller differences are ties.
TIE = 0.05
SCORES = {False: ("accuracy", "auc", "log_loss"), True: ("r2",)}


def cart(is_regression, **settings):
    kind = DecisionTreeRegressor if is_regression else DecisionTreeClassifier
    return kind(random_state=0, **settings)


def forest(is_regression):
    kind = RandomForestRegressor if is_regression else RandomForestClassifier
    return kind(n_estimators=200, random_state=0)


def ours(is_regression, depth, limit):
    kind = murtree.OptimalTreeRegressor
    if not is_regression:
        kind = murtree.OptimalTreeClassifier
    return kind(max_depth=depth, time_limit=limit)


def tuned(is_regression, folds, limit, **settings):
    kind = murtree.OptimalTreeRegressorCV
    if not is_regression:
        kind = murtree.OptimalTreeClassifierCV
    tree = ours(is_regression, DEPTH, limit).set_params(**settings)
    return kind(estimator=tree, cv=folds)


def on_numbers(model):
    """Return a model of scikit-learn for tables with text and missing values."""
    is_number = make_column_selector(dtype_include="number")
    is_text = make_column_selector(dtype_exclude="number")
    text = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
    return make_pipeline(
        make_column_transformer(
            (SimpleImputer(strategy="median"), is_number), (text, is_text)
        ),
        model,
    )


def grid(is_regression, depths, folds):
    """Return a search over all settings of a greedy tree."""
    settings = {
        "max_depth": depths,
        "min_samples_leaf": LEAVES,
        "ccp_alpha": PENALTIES,
    }
    return GridSearchCV(cart(is_regression), settings, cv=folds)


def models_of(method, is_regression, folds, limit):
    """Return unfitted models, of which the one with the best `best_score_` counts.

    `folds` are pairs of rows of the training rows.
    """
    if method in DEPTHS:
        return [on_numbers(grid(is_regression, DEPTHS[method], folds))]
    if method == "murtree-leaf":
        return [
            tuned(is_regression, folds, limit, min_samples_leaf=least)
            for least in LEAVES
        ]
    make = {
        "cart": lambda: on_numbers(cart(is_regression, max_depth=DEPTH)),
        "forest": lambda: on_numbers(forest(is_regression)),
        "murtree-3": lambda: ours(is_regression, 3, limit),
        "murtree-4": lambda: ours(is_regression, 4, limit),
        "murtree-cv": lambda: tuned(is_regression, folds, limit),
    }
    return [make[method]()]


def best_fit(models, X, y):
    fitted = [model.fit(X, y) for model in models]
    if len(fitted) == 1:
        return fitted[0]
    return max(fitted, key=lambda model: model.best_score_)


METHODS = (
    *DEPTHS,
    "cart",
    "forest",
    "murtree-3",
    "murtree-4",
    "murtree-cv",
    "murtree-leaf",
)


def folds_of(y, seed, *, is_regression):
    kind = KFold if is_regression else StratifiedKFold
    return list(kind(5, shuffle=True, random_state=seed).split(np.zeros(y.size), y))


def n_leaves(model):
    """Return the leaves of a fitted tree; None for a forest."""
    model = model[-1] if hasattr(model, "steps") else model
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "n_estimators"):
        return None
    return int(model.get_n_leaves())


def scores_of(model, X, y, classes):
    """Return the scores on other rows."""
    if classes is None:
        return {"r2": r2_score(y, model.predict(X))}
    # A class may be missing in the training rows.
    known = np.zeros((len(X), len(classes)))
    known[:, np.searchsorted(classes, model.classes_)] = model.predict_proba(X)
    one = known[:, 1] if len(classes) == 2 else known
    present = np.unique(y).size == len(classes)
    return {
        "accuracy": float((model.predict(X) == y).mean()),
        "auc": roc_auc_score(y, one, multi_class="ovr") if present else None,
        "log_loss": log_loss(y, known, labels=classes),
    }


def measure(name, method, limit):
    """Return the line of one table and method."""
    is_regression = sources()[name].is_regression
    X, y = read(name)
    y = y.to_numpy(float) if is_regression else pd.factorize(y)[0]
    classes = None if is_regression else np.unique(y)
    found = []
    for train, test in folds_of(y, 0, is_regression=is_regression):
        target = y
        if is_regression:
            target = (y - y[train].mean()) / y[train].std()
        inner = folds_of(target[train], 1, is_regression=is_regression)
        models = models_of(method, is_regression, inner, limit)
        start = time.process_time()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model = best_fit(models, X.iloc[train], target[train])
            seconds = time.process_time() - start
            scores = scores_of(model, X.iloc[test], target[test], classes)
        found.append(scores | {"leaves": n_leaves(model), "seconds": seconds})
    return {
        "table": name,
        "method": method,
        "rows": len(X),
        "columns": X.shape[1],
        "is_regression": is_regression,
        "limit": limit if method.startswith("murtree") else None,
        **{key: [fold[key] for fold in found] for key in found[0]},
    }


def run(jobs, options):
    """Measure what is missing, and add a line for each."""
    where = machine()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a") as out, ProcessPoolExecutor(options.jobs) as pool:
        pending = [pool.submit(measure, *job, options.time_limit) for job in jobs]
        for done in as_completed(pending):
            line = done.result()
            print(json.dumps(line | where), file=out, flush=True)
            first = SCORES[line["is_regression"]][0]
            print(
                f"{line['table']:16} {line['method']:10} {first} "
                f"{100 * np.mean(line[first]):6.2f}, {sum(line['seconds']):8.1f} s",
                flush=True,
            )


def interval(differences):
    """Return the half width of the 95 % confidence interval of a mean."""
    n = len(differences)
    return student.ppf(0.975, n - 1) * np.std(differences, ddof=1) / np.sqrt(n)


def table_of(lines, reference):
    """Yield the rows of the comparison with one method."""
    yield [
        "score",
        "method",
        "tables",
        "difference",
        "wins",
        "ties",
        "losses",
        "leaves",
    ]
    for score in (*SCORES[False], *SCORES[True]):
        for method in METHODS:
            pairs = pairs_of(lines, score, method, reference)
            if method != reference and pairs:
                yield [score, method, *compared(pairs, score)]


def pairs_of(lines, score, method, reference):
    """Return the lines of two methods, of all tables for which both have the score."""
    pairs = [
        (line, lines[name, reference])
        for (name, other), line in lines.items()
        if other == method and (name, reference) in lines
    ]
    return [pair for pair in pairs if mean_of(pair[0].get(score, [])) is not None]


def compared(pairs, score):
    """Return the differences of a score in points: more is better."""
    sign = -100 if score == "log_loss" else 100
    gains = [sign * (mean_of(one[score]) - mean_of(two[score])) for one, two in pairs]
    leaves = [mean_of(line["leaves"]) for line, _ in pairs]
    return [
        len(gains),
        f"{np.mean(gains):+.2f} ± {interval(gains):.2f}" if len(gains) > 1 else "",
        sum(gain > TIE for gain in gains),
        sum(abs(gain) <= TIE for gain in gains),
        sum(gain < -TIE for gain in gains),
        "" if leaves[0] is None else f"{np.mean(leaves):.1f}",
    ]


def mean_of(values):
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--out", type=Path, default=Path("build/unseen.jsonl"))
    add("--half", choices=["study", "aside"], default="study")
    add("--tables", nargs="+", metavar="TABLE", help="by default all of the half")
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    add("--reference", choices=METHODS, default="cart-grid")
    add("--most-rows", type=int, default=10**9, help="leave larger tables out")
    add("--time-limit", type=float, default=10.0, help="of each of our searches")
    add("--jobs", type=int, default=1)
    return parser.parse_args()


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    options = parse_arguments()
    aside = set_aside()
    half = aside if options.half == "aside" else set(sources()) - aside
    names = [name for name in options.tables or sorted(half) if name in half]
    names = [name for name in names if len(read(name)[0]) <= options.most_rows]
    text = options.out.read_text("utf-8") if options.out.exists() else ""
    known = {
        (one["table"], one["method"]): one for one in map(json.loads, text.splitlines())
    }
    jobs = [(name, method) for name in names for method in options.methods]
    run([job for job in jobs if job not in known], options)
    lines = {
        (one["table"], one["method"]): one
        for one in map(json.loads, options.out.read_text("utf-8").splitlines())
        if one["table"] in half
    }
    for cells in table_of(lines, options.reference):
        print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    main()
