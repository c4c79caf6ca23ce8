"""pystreed, the baseline: the fastest exact peer, with its own defaults."""

import numpy as np
from pystreed import STreeDClassifier

NAME = "pystreed"
DTYPE = np.int32


def fit(X, y, depth, time_limit):
    model = STreeDClassifier(
        optimization_task="accuracy", max_depth=depth, time_limit=time_limit
    )
    return model.fit(X, y)


def report(model, X, y):
    result = model.fit_result
    return {
        "errors": int((model.predict(X) != y).sum()),
        "optimal": bool(result.is_optimal()),
        "stats": {"depth": result.tree_depth(), "tree_nodes": result.tree_nodes()},
    }
