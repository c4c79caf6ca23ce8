"""How the systems are asked for trees without errors, the same way for each."""

import time

DEEPEST = 20  # the most that every system takes: no limit for trees of 20 nodes


def shallowest(fit, time_limit, first=0):
    """Grow the depth until `fit(depth, seconds)` has a tree without errors.

    Not every system tells a search cut short from one that found that there is no such
    tree, so that one which ends in the last twentieth of the time counts as cut short.

    Returns
    -------
    model : object
        The first that is not None, hence of the least depth; None when time was up.
    """
    end = time.perf_counter() + time_limit
    model, depth = None, first
    while model is None and end - time.perf_counter() > time_limit / 20:
        model = fit(depth, end - time.perf_counter())
        depth += 1
    return model


def price(n_rows):
    """A penalty for each node, as a fraction of the rows, that is below any error.

    A tree of n rows needs fewer than n nodes, so that a price of 1 / n of an error
    makes every perfect tree cheaper than one with errors.
    """
    return 1 / n_rows**2
