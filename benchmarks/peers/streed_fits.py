"""pystreed with one fit per size for a frontier: slower, but returns every tree."""

import time

from peers.streed import DTYPE, NAME, answer
from pystreed import STreeDClassifier

__all__ = ["DTYPE", "NAME", "answer", "frontier"]


def frontier(X, y, depth, time_limit, **_limits):
    """Return one model per size from 0 nodes on, until the time limit."""
    end = time.perf_counter() + time_limit
    models = []
    for nodes in range(2**depth):
        left = max(end - time.perf_counter(), 0.001)
        model = STreeDClassifier(
            "accuracy", max_depth=depth, max_num_nodes=nodes, time_limit=left
        )
        models.append(model.fit(X, y))
        if not model.fit_result.is_optimal():
            break
    return models
