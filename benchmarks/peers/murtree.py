"""murtree: a fresh solver a fit, so that no cache is carried from one to the next."""

import numpy as np

import murtree

NAME = "murtree"
DTYPE = np.int32


def tree(X, y, depth, time_limit, **_limits):
    return murtree.Solver(X, y).solve(max_depth=depth, time_limit=time_limit)


def frontier(X, y, depth, time_limit, **_limits):
    return murtree.Solver(X, y).frontier(max_depth=depth, time_limit=time_limit)


def sparse(X, y, penalty, time_limit, **_limits):
    return murtree.Solver(X, y).solve(
        max_depth=None, cost_complexity=penalty, time_limit=time_limit
    )


def answer(result, X):
    return {
        "predicted": result.tree.predict(X),
        "nodes": result.tree.n_nodes,
        "status": result.status,
        "lower_bound": float(result.lower_bound),
        "stats": dict(result.stats),
    }
