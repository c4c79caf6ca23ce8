"""Search for trees without errors, in the same way for each system."""

import time

DEEPEST = 20  # the largest depth all systems support; no limit for trees of 20 nodes


def shallowest(fit, time_limit, first=0):
    """Grow the depth until `fit(depth, seconds)` has a tree without errors.

    Not every system distinguishes an interrupted search from a proof that there is no
    such tree, so a search that ends in the last twentieth of the time counts as
    interrupted.

    Returns
    -------
    model : object
        The first that is not None, hence of minimum depth; None at the time limit.
    """
    end = time.perf_counter() + time_limit
    model, depth = None, first
    while model is None and end - time.perf_counter() > time_limit / 20:
        model = fit(depth, end - time.perf_counter())
        depth += 1
    return model


def price(n_rows):
    """Return a penalty per node, as a fraction of the rows, that is below any error.

    A tree for n rows needs fewer than n nodes, so with a price of 1 / n of an error
    every perfect tree is cheaper than a tree with errors.
    """
    return 1 / n_rows**2
