"""gosdt, the first solver of the sparse objective: unlimited depth, one worker.

It counts leaves instead of branching nodes: one more in every tree, so its objective is
ours plus one penalty. It computes in single precision and checks the clock rarely: it
exceeded its time limit by up to 40%.
"""

import math

import numpy as np
from gosdt import GOSDTClassifier

NAME = "gosdt"
DTYPE = np.bool_


def sparse(X, y, penalty, time_limit, **_limits):
    model = GOSDTClassifier(
        regularization=penalty,
        allow_small_reg=True,  # otherwise it raises the penalty to 1 / rows
        time_limit=math.ceil(time_limit),
    )
    return model.fit(X, y)


def count_nodes(tree):
    if not hasattr(tree, "feature"):
        return 0
    return 1 + count_nodes(tree.left_child) + count_nodes(tree.right_child)


def answer(model, X):
    result = model.result_
    status = result.status.name
    return {
        "predicted": model.predict(X),
        "nodes": count_nodes(model.trees_[0].tree),
        "status": {"CONVERGED": "optimal", "TIMEOUT": "time_limit"}.get(status, status),
        "lower_bound": (result.lowerbound - model.regularization) * len(X),
        "stats": {
            "iterations": result.n_iterations,
            "graph_size": result.graph_size,
            "upper_bound": (result.upperbound - model.regularization) * len(X),
        },
    }
