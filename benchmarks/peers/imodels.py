"""FastSmallTree of imodels: the sparse objective, unlimited depth, one core.

It counts leaves instead of branching nodes: one more in every tree, so its objective is
ours plus one penalty. Its search is compiled at the first run on a machine, which takes
a minute or two: `make bench-peers` does this.
"""

import warnings

import numpy as np
from imodels import FastSmallTreeClassifier

NAME = "imodels"
DTYPE = np.float64


def sparse(X, y, penalty, time_limit, **_limits):
    model = FastSmallTreeClassifier(regularization=penalty, time_limit=time_limit)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # the limit was reached
        return model.fit(X, y)


def answer(model, X):
    status = model.stop_reason_
    return {
        "predicted": model.predict(X),
        "nodes": int(model.n_leaves_) - 1,
        "status": "optimal" if model.optimal_ else f"{status}_limit",
        "lower_bound": (model.lowerbound_ - model.regularization) * len(X),
        "stats": {"iterations": int(model.iterations_)},
    }
