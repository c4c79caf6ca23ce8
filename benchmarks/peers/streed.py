"""pystreed, the baseline: the fastest exact peer, with its own defaults.

Its `all_trees` searches sizes 1, 2, … one after the other on one cache, each for a tree
better than the last; only the best tree of all is handed out, so that the trees of
smaller sizes are not there to be counted (streed_fits.py gets them).
"""

import numpy as np
from pystreed import STreeDClassifier

NAME = "pystreed"
DTYPE = np.int32
DEEPEST = 6  # of a sparse tree: it must be given a depth


def tree(X, y, depth, time_limit, **_limits):
    model = STreeDClassifier("accuracy", max_depth=depth, time_limit=time_limit)
    return model.fit(X, y)


def frontier(X, y, depth, time_limit, **_limits):
    model = STreeDClassifier(
        "accuracy", max_depth=depth, all_trees=True, time_limit=time_limit
    )
    return [model.fit(X, y)]


def sparse(X, y, penalty, time_limit, **_limits):
    model = STreeDClassifier(
        "cost-complex-accuracy",
        max_depth=DEEPEST,
        cost_complexity=penalty,
        time_limit=time_limit,
    )
    return model.fit(X, y)


def answer(model, X):
    result = model.fit_result
    return {
        "predicted": model.predict(X),
        "nodes": result.tree_nodes(),
        "status": "optimal" if result.is_optimal() else "time_limit",
        "stats": {"depth": result.tree_depth()},
    }
