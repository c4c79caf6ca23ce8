"""The models of the study of rows not seen, and the processes that measure them.

unseen.py starts this file once for each job and environment, and writes jobs to its
standard input, one JSON list of table, method and time limit a line. Each becomes a
line on its standard output. So it does not import murtree: imodels has an environment
of its own, without it. A peer that ends its process ends nothing else.

Models of scikit-learn and of peers get a column for each category, and the median for
missing numbers; ours get the table as it is. Targets of a regression are scaled by the
training rows. All methods have the same outer and inner folds.
"""

import json
import os
import sys
import time
import warnings
from importlib import import_module

import numpy as np
import pandas as pd
from measure import limit_memory
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss, r2_score, roc_auc_score
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from unseen_tables import read, sources

DEPTH = 4
LEAVES, PENALTIES = [1, 5, 10, 20], [0.0, 0.0005, 0.002, 0.01]
DEPTHS = {"cart-grid": [1, 2, 3, 4], "cart-any": [6, 8, 12, None]}
# Of pystreed, the prices of its own example; of imodels, its own list of shrinkages and
# prices of a leaf around its default of 0.05.
NODES = [0, 1, 2, 3, 4, 5, 6, 7, 9, 11, 13, 15]
PRICES = [0.0001, 0.0005, 0.001, 0.005, 0.01]
MOST_COLUMNS = 100
SHRINKAGES = [0, 0.1, 1, 10, 50, 100, 500]
LEAF_PRICES = [0.01, 0.02, 0.05]
MOST_BYTES = 2 * 2**30  # of the memory of one search of imodels
OBJECTIVES = {
    "murtree-gini": {"objective": "gini"},
    "murtree-log-loss": {"objective": "log_loss"},
    "murtree-laplace": {"objective": "log_loss", "smoothing": "laplace"},
}

METHODS = (
    *DEPTHS,
    "cart",
    "forest",
    "murtree-3",
    "murtree-4",
    *OBJECTIVES,
    "murtree-cv",
    "murtree-all",
    "murtree-leaf",
    "streed",
    "streed-nodes",
    "imodels-hs",
    "imodels-small",
)
FOR_CLASSES = (*OBJECTIVES, "imodels-small")
# The package of a method that is neither ours nor of scikit-learn.
PACKAGES = {
    "streed": "pystreed",
    "streed-nodes": "pystreed",
    "imodels-hs": "imodels",
    "imodels-small": "imodels",
}


def cart(is_regression, **settings):
    kind = DecisionTreeRegressor if is_regression else DecisionTreeClassifier
    return kind(random_state=0, **settings)


def forest(is_regression):
    kind = RandomForestRegressor if is_regression else RandomForestClassifier
    return kind(n_estimators=200, random_state=0)


def ours(is_regression, limit, depth=DEPTH, **settings):
    murtree = import_module("murtree")
    kind = murtree.OptimalTreeRegressor
    if not is_regression:
        kind = murtree.OptimalTreeClassifier
    return kind(max_depth=depth, time_limit=limit, **settings)


def tuned(is_regression, folds, limit, strategy="auto", **settings):
    murtree = import_module("murtree")
    kind = murtree.OptimalTreeRegressorCV
    if not is_regression:
        kind = murtree.OptimalTreeClassifierCV
    tree = ours(is_regression, limit, **settings)
    return kind(estimator=tree, strategy=strategy, cv=folds)


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


def streed(is_regression, folds, limit, settings):
    """Return a search over the nodes, or the prices of nodes, of an optimal tree.

    Thresholds are its default, five quantiles of a column, and it keeps 100 of all
    tests. Its own `hyper_tune` is not used: it draws its folds itself, and it ends the
    process when its time is up. Its regressor's score is an error, so scores are named.
    """
    package = import_module("pystreed")
    kind = package.STreeDRegressor if is_regression else package.STreeDClassifier
    task = "regression" if is_regression else "accuracy"
    if "cost_complexity" in settings:
        task = f"cost-complex-{task}"
    model = kind(
        task, max_depth=DEPTH, time_limit=limit, max_num_binary_features=MOST_COLUMNS
    )
    scoring = "r2" if is_regression else "accuracy"
    return GridSearchCV(model, settings, cv=folds, scoring=scoring)


def shrunk(is_regression, folds):
    """Return a search over depths and shrinkages of a greedy tree.

    By the criteria of HSTreeClassifierCV and HSTreeRegressorCV, which take only a
    number of folds, of rows that are not shuffled.
    """
    package = import_module("imodels")
    kind = package.HSTreeRegressor if is_regression else package.HSTreeClassifier
    trees = [cart(is_regression, max_depth=depth) for depth in DEPTHS["cart-grid"]]
    return GridSearchCV(
        kind(),
        {"estimator_": trees, "reg_param": SHRINKAGES},
        cv=folds,
        scoring="neg_mean_squared_error" if is_regression else "neg_log_loss",
    )


def small(folds, limit):
    """Return a search over the price of a leaf of imodels's optimal tree."""
    kind = import_module("imodels").FastSmallTreeClassifier
    model = kind(time_limit=limit, memory_limit=MOST_BYTES)
    return GridSearchCV(model, {"regularization": LEAF_PRICES}, cv=folds)


def models_of(method, is_regression, folds, limit):
    """Return unfitted models, of which the one with the best `best_score_` counts.

    `folds` are pairs of rows of the training rows.
    """
    if method in DEPTHS:
        return [on_numbers(grid(is_regression, DEPTHS[method], folds))]
    if method in OBJECTIVES:
        return [ours(is_regression, limit, **OBJECTIVES[method])]
    if method == "murtree-leaf":
        return [
            tuned(is_regression, folds, limit, "all", min_samples_leaf=least)
            for least in LEAVES
        ]
    by_nodes, by_price = {"max_num_nodes": NODES}, {"cost_complexity": PRICES}
    make = {
        "cart": lambda: on_numbers(cart(is_regression, max_depth=DEPTH)),
        "forest": lambda: on_numbers(forest(is_regression)),
        "murtree-3": lambda: ours(is_regression, limit, depth=3),
        "murtree-4": lambda: ours(is_regression, limit),
        "murtree-cv": lambda: tuned(is_regression, folds, limit),
        "murtree-all": lambda: tuned(is_regression, folds, limit, "all"),
        "streed": lambda: on_numbers(streed(is_regression, folds, limit, by_price)),
        "streed-nodes": lambda: on_numbers(
            streed(is_regression, folds, limit, by_nodes)
        ),
        "imodels-hs": lambda: on_numbers(shrunk(is_regression, folds)),
        "imodels-small": lambda: on_numbers(small(folds, limit)),
    }
    return [make[method]()]


def best_fit(models, X, y):
    fitted = [model.fit(X, y) for model in models]
    if len(fitted) == 1:
        return fitted[0]
    return max(fitted, key=lambda model: model.best_score_)


def folds_of(y, seed, *, is_regression):
    kind = KFold if is_regression else StratifiedKFold
    return list(kind(5, shuffle=True, random_state=seed).split(np.zeros(y.size), y))


def n_leaves(model):
    """Return the leaves of a fitted tree; None for a forest."""
    model = model[-1] if hasattr(model, "steps") else model
    model = getattr(model, "best_estimator_", model)
    if hasattr(model, "n_estimators"):
        return None
    model = getattr(model, "estimator_", model)  # of imodels
    return int(model.get_n_leaves())


def scores_of(model, X, y, classes):
    """Return the scores on other rows."""
    if classes is None:
        return {"r2": r2_score(y, model.predict(X))}
    found = model.predict_proba(X)
    # A class may be missing in the training rows; pystreed names no classes.
    of_model = getattr(model, "classes_", np.arange(found.shape[1]))
    known = np.zeros((len(X), len(classes)))
    known[:, np.searchsorted(classes, of_model)] = found
    one = known[:, 1] if len(classes) == 2 else known
    present = np.unique(y).size == len(classes)
    return {
        "accuracy": float((model.predict(X) == y).mean()),
        "auc": roc_auc_score(y, one, multi_class="ovr") if present else None,
        "log_loss": log_loss(y, known, labels=classes),
    }


def timed_fit(models, X, y):
    """Return the best model, and the seconds of the processor and of the clock."""
    start, start_of_clock = time.process_time(), time.perf_counter()
    model = best_fit(models, X, y)
    seconds = time.process_time() - start
    clock = time.perf_counter() - start_of_clock
    return model, {"seconds": seconds, "wall_seconds": clock}


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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model, seconds = timed_fit(models, X.iloc[train], target[train])
            scores = scores_of(model, X.iloc[test], target[test], classes)
        found.append(scores | {"leaves": n_leaves(model)} | seconds)
    is_limited = method.startswith(("murtree", "streed")) or method == "imodels-small"
    return {
        "table": name,
        "method": method,
        "rows": len(X),
        "columns": X.shape[1],
        "is_regression": is_regression,
        "limit": limit if is_limited else None,
        **{key: [rounded(fold[key]) for fold in found] for key in found[0]},
    }


def rounded(value):
    return round(value, 6) if isinstance(value, float) else value


def main():
    """Answer each job of the standard input; what peers print goes to the errors."""
    limit_memory()
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    for job in sys.stdin:
        name, method, limit = json.loads(job)
        try:
            line = measure(name, method, limit)
        except Exception as error:  # peers raise anything
            text = f"{type(error).__name__}: {error}".splitlines()[0]
            line = {"table": name, "method": method, "failure": text}
        print(json.dumps(line), file=answers, flush=True)


if __name__ == "__main__":
    main()
