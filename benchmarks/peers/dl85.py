"""pydl8.5, the authors' own DL8.5, with the defaults of its classifier.

Since 0.1 these have taken up ideas of the MurTree paper (a solver for depth two, the
similarity bound), so that it is not the DL8.5 which that paper measured: its authors
name 0.0.15 for that. Its time limit is in whole seconds.
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
    """Fit in silence: it prints when it finds no tree."""
    limit = max(1, math.ceil(time_limit))
    model = DL85Classifier(max_depth=depth, time_limit=limit, **options)
    with contextlib.redirect_stdout(io.StringIO()):
        return model.fit(X, y)


def tree(X, y, depth, time_limit, **_limits):
    return fit(X, y, depth, time_limit)


def shallow(X, y, time_limit, **_limits):
    """Grow the depth; at each one it may stop at the first tree below one error.

    With that bound it still hands out trees of depth two that have more errors.
    """

    def fit_depth(depth, seconds):
        model = fit(X, y, depth, seconds, max_error=1, stop_after_better=True)
        return model if model.tree_ is not None and model.error_ == 0 else None

    return shallowest(fit_depth, time_limit, first=1)  # it makes no lone leaf


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
