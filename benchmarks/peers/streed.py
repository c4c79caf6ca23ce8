"""pystreed, the baseline: the fastest exact peer, with its own defaults.

Its `all_trees` searches sizes 1, 2, … one after the other on one cache, each for a tree
better than the last; it returns only the best tree of all, so the errors of smaller
sizes cannot be recounted (streed_fits.py gets them).

Its regression treats values that differ by a ten-thousandth as equal, so its optimum
may be too large by that much; leaves of one row are allowed, as in murtree.

Perfect trees are searched as in its own examples: a bound of zero errors and growing
depth for the shallowest; a small price for each node, at depth 20, for the smallest.
"""

import warnings

import numpy as np
from perfect import DEEPEST as DEEPEST_PERFECT
from perfect import price, shallowest
from pystreed import STreeDClassifier, STreeDRegressor

NAME = "pystreed"
DTYPE = np.int32
DEEPEST = 6  # of a sparse tree: it requires a depth


def tree(X, y, depth, time_limit, **_limits):
    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=time_limit)
    return model.fit(X, y)


def frontier(X, y, depth, time_limit, **_limits):
    model = STreeDClassifier(
        "accuracy", max_depth=depth, all_trees=True, time_limit=time_limit
    )
    return [model.fit(X, y)]


def sparse(X, y, penalty, time_limit, deepest=DEEPEST, **_limits):
    model = STreeDClassifier(
        "cost-complex-accuracy",
        max_depth=deepest,
        cost_complexity=penalty,
        time_limit=time_limit,
    )
    return model.fit(X, y)


def shallow(X, y, time_limit, **_limits):
    def fit(depth, seconds):
        model = STreeDClassifier(
            "accuracy", max_depth=depth, upper_bound=0, time_limit=seconds
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)  # no tree within the bound
            model.fit(X, y)
        return model if model.is_fitted() else None

    return shallowest(fit, time_limit)


def small(X, y, time_limit, **_limits):
    return sparse(X, y, price(len(y)), time_limit, DEEPEST_PERFECT)


def regression(X, y, depth, time_limit, **_limits):
    model = STreeDRegressor("regression", max_depth=depth, time_limit=time_limit)
    return model.fit(X, y)


def f1(X, y, depth, time_limit, **_limits):
    model = STreeDClassifier("f1-score", max_depth=depth, time_limit=time_limit)
    return model.fit(X, y)


def claim(model, n_rows):
    """Return its reported objective, converted from means and scores to losses."""
    score = model.fit_result.score()
    if isinstance(model, STreeDRegressor):
        return score * n_rows
    return 1 - score if model.optimization_task == "f1-score" else None


def answer(model, X):
    result = model.fit_result
    return {
        "predicted": model.predict(X),
        "nodes": result.tree_nodes(),
        "depth": result.tree_depth(),
        "status": "optimal" if result.is_optimal() else "time_limit",
        "claimed": claim(model, len(X)),
        "stats": {"depth": result.tree_depth()},
    }
