"""murtree: a fresh solver a fit, so that no cache is carried from one to the next."""

import numpy as np

import murtree

NAME = "murtree"
DTYPE = np.int32


def fit(X, y, depth, time_limit):
    return murtree.Solver(X, y).solve(max_depth=depth, time_limit=time_limit)


def report(result, X, y):
    return {
        "errors": int((result.tree.predict(X) != y).sum()),
        "optimal": result.status == "optimal",
        "stats": dict(result.stats),
    }
