"""pydl8.5, the authors' own DL8.5, with the defaults of its classifier.

Since 0.1 these have taken up ideas of the MurTree paper (a solver for depth two, the
similarity bound), so that it is not the DL8.5 which that paper measured: its authors
name 0.0.15 for that. Its time limit is in whole seconds.
"""

import contextlib
import io
import math

import numpy as np
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


def count_nodes(tree):
    if "feat" not in tree:
        return 0
    return 1 + count_nodes(tree["left"]) + count_nodes(tree["right"])


def answer(model, X):
    return {
        "predicted": np.array(model.predict(X)),
        "nodes": count_nodes(model.tree_),
        "status": "time_limit" if model.timeout_ else "optimal",
        "claimed": model.error_,
        "stats": {"depth": model.depth_, "lattice_size": model.lattice_size_},
    }
