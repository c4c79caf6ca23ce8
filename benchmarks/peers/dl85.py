"""pydl8.5, the authors' implementation of DL8.5, with its default settings.

Since 0.1 it includes ideas of the MurTree paper (a solver for depth two, the similarity
bound), so it is not the DL8.5 measured in that paper, which is 0.0.15 according to its
authors. Its time limit is in whole seconds.
"""

import contextlib
import io
import math

import numpy as np
from perfect import shallowest
from pydl85 import DL85Classifier

NAME = "pydl8.5"
DTYPE = np.int32


def fit(X, y, depth, time_limit, **options):
    """Fit without output: it prints when it finds no tree."""
    limit = max(1, math.ceil(time_limit))
    model = DL85Classifier(max_depth=depth, time_limit=limit, **options)
    with contextlib.redirect_stdout(io.StringIO()):
        return model.fit(X, y)


def tree(X, y, depth, time_limit, **_limits):
    return fit(X, y, depth, time_limit)


def shallow(X, y, time_limit, **_limits):
    """Increase the depth; each search may stop at the first tree without errors.

    With that bound it still returns trees of depth two that have more errors.
    """

    def fit_depth(depth, seconds):
        model = fit(X, y, depth, seconds, max_error=1, stop_after_better=True)
        return model if model.tree_ is not None and model.error_ == 0 else None

    return shallowest(fit_depth, time_limit, first=1)  # it has no single leaf


def depth_of(tree):
    if "feat" not in tree:
        return 0
    return 1 + max(depth_of(tree["left"]), depth_of(tree["right"]))


def count_nodes(tree):
    if "feat" not in tree:
        return 0
    return 1 + count_nodes(tree["left"]) + count_nodes(tree["right"])


def answer(model, X):
    return {
        "predicted": np.array(model.predict(X)),
        "nodes": count_nodes(model.tree_),
        "depth": depth_of(model.tree_),
        "status": "time_limit" if model.timeout_ else "optimal",
        "claimed": model.error_,
        "stats": {"lattice_size": model.lattice_size_},
    }
