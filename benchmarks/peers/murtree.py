"""murtree, with a fresh solver for each fit, so that no cache is reused."""

import numpy as np
from perfect import DEEPEST, price, shallowest

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


def shallow(X, y, time_limit, **_limits):
    solver = murtree.Solver(X, y)

    def fit(depth, seconds):
        found = solver.solve(max_depth=depth, upper_bound=0, time_limit=seconds)
        return found if found.tree is not None else None

    return shallowest(fit, time_limit)


def small(X, y, time_limit, **_limits):
    return murtree.Solver(X, y).solve(
        max_depth=DEEPEST, cost_complexity=price(len(y)), time_limit=time_limit
    )


def regression(X, y, depth, time_limit, **_limits):
    solver = murtree.Solver(X, y, objective="squared_error")
    return solver.solve(max_depth=depth, time_limit=time_limit)


def f1(X, y, depth, time_limit, **_limits):
    model = murtree.OptimalTreeClassifier(
        objective="f1", binarizer=None, max_depth=depth, time_limit=time_limit
    )
    return model.fit(X, y)


def answer(found, X):
    """Return the answer of a solver's result or, for F1, of a fitted estimator."""
    if isinstance(found, murtree.OptimalTreeClassifier):
        tree, stats = found.tree_, found.search_stats_
        claims = found.objective_, found.lower_bound_, found.status_
    else:
        tree, stats = found.tree, found.stats
        claims = found.objective, found.lower_bound, found.status
    objective, lower_bound, status = claims
    return {
        "predicted": tree.predict(X),
        "nodes": tree.n_nodes,
        "depth": tree.depth,
        "status": status,
        "claimed": float(objective),
        "lower_bound": float(lower_bound),
        "stats": dict(stats),
    }
