"""The greedy tree of scikit-learn: what a heuristic gives away. It proves nothing."""

import numpy as np
from sklearn.tree import DecisionTreeClassifier

NAME = "scikit-learn"
DTYPE = np.float32


def fit(X, y, depth, time_limit):  # noqa: ARG001 (it needs no limit)
    return DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)


def report(model, X, y):
    return {
        "errors": int((model.predict(X) != y).sum()),
        "optimal": False,
        "stats": {
            "depth": int(model.get_depth()),
            "tree_nodes": int(model.get_n_leaves()) - 1,
        },
    }
