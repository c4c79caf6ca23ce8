"""Searches over all thresholds that are stopped, compared with complete ones."""

import time

import numpy as np
from oracle.ranked import random_ranked, random_request


class Stop:
    """A callback that ends a search at its n-th call, and keeps what it was told."""

    def __init__(self, n_calls):
        self.n_calls, self.seen = n_calls, []

    def __call__(self, known):
        self.seen.append(known)
        return len(self.seen) >= self.n_calls


def random_slow(rng, most_rows):
    """Return a table whose proof takes long enough for several calls of a callback.

    A rule on three columns of many values, with noise, and other columns.
    """
    n_rows, n_chains = int(rng.integers(most_rows // 2, most_rows + 1)), 4
    data = random_ranked(rng, n_rows, n_chains, int(rng.choice([2, 2, 3])))
    ranks = rng.permuted(np.tile(np.arange(n_rows), (n_chains, 1)), axis=1)
    ranks[-1] //= int(rng.integers(1, 50))  # ties
    rule = (ranks[:3] > n_rows * rng.uniform(0.2, 0.8, (3, 1))).sum(axis=0) % 2
    costs, is_one = data.costs, rule == 1
    is_quiet = rng.random(n_rows) < 0.5
    costs[is_quiet & is_one, :2] = np.sort(costs[is_quiet & is_one, :2])[:, ::-1]
    costs[is_quiet & ~is_one, :2] = np.sort(costs[is_quiet & ~is_one, :2])
    return data._replace(ranks=ranks.astype(np.uint32), costs=costs)


def random_stop(rng, seconds):
    """Return random options that end a search before a proof of so many seconds."""
    limit = {"time_limit": float(seconds * rng.random())}
    n_calls = int(rng.integers(1, 2 + int(seconds / 0.1)))  # the first one is earlier
    stop = {"stop": Stop(n_calls), "anytime": bool(rng.integers(2))}
    both = stop | {"time_limit": float(seconds * (1 + rng.random()))}
    return [limit, stop, both][rng.integers(3)]


def check_stop(data, depth, stopped, best, **request):
    """Stop a search for some sizes, and compare with the optima by number of nodes.

    Return how many answers were not proven, and whether the callback stopped it.
    """
    where = f"depth {depth}, {stopped}, {request}"
    answers = data.solve(depth, **stopped, **request)
    most = request.pop("nodes", 2**depth - 1)
    first = request.pop("first_nodes", most)
    costs = []
    for nodes, (answer, least) in enumerate(zip(answers, best, strict=True), first):
        costs.append(data.check_tree(answer, nodes, **request))
        assert answer["lower_bound"] <= least <= costs[-1], (where, nodes)
        if answer["status"] == "optimal":
            assert costs[-1] == least, (where, nodes)
    assert costs == sorted(costs, reverse=True), where
    for answer, cost in zip(answers, costs, strict=True):
        n_tests = int((answer["test"] >= 0).sum())  # it is a tree for that size, too
        assert costs[max(n_tests - first, 0)] <= cost, where
    stop = stopped.get("stop")
    was_stopped = stop is not None and len(stop.seen) == stop.n_calls
    for known in stop.seen if stop else ():
        # It is told about the largest size.
        assert known["lower_bound"] <= best[-1], where
        assert data.check_tree(known, most, **request) >= best[-1], where
    n_open = sum(answer["status"] != "optimal" for answer in answers)
    named = {"interrupted"} if was_stopped else {"time_limit"}
    assert {answer["status"] for answer in answers} <= named | {"optimal"}, where
    return n_open, was_stopped


def check_stops(seed, n_stops=8):
    """Stop the search of a small table at random times, and compare with its end.

    Return the number of searches that were stopped before the proof.
    """
    rng = np.random.default_rng([seed, 5])
    data = random_ranked(rng, int(rng.integers(10, 50)), int(rng.integers(1, 5)))
    depth, request = int(rng.choice([3, 4])), random_request(rng)
    request["nodes"] = int(rng.integers(4, 2**depth))
    best, seconds = proven(data, depth, request)
    if best is None:
        return 0
    limits = seconds * rng.random(n_stops)
    stops = [{"time_limit": float(limit)} for limit in limits]
    return sum(check_stop(data, depth, one, best, **request)[0] for one in stops)


def check_slow_stops(seed, n_stops=3, most_rows=700):
    """Likewise a larger table, which is often stopped by a callback.

    Every other one is for all sizes. Return the number of searches that were stopped
    before the proof, and of those that the callback stopped.
    """
    rng = np.random.default_rng([seed, 9])
    depth, request = 3, random_request(rng)
    data = random_slow(rng, most_rows)
    if seed % 2:
        request["first_nodes"] = 0
    else:
        request["nodes"] = int(rng.integers(4, 2**depth))
    best, seconds = proven(data, depth, request)
    if best is None:
        return 0, 0
    n_open = n_calls = 0
    for _ in range(n_stops):
        some, by_call = check_stop(
            data, depth, random_stop(rng, seconds), best, **request
        )
        n_open += some > 0
        n_calls += by_call
    return n_open, n_calls


def check_stopped_frontier(seed, n_stops=4):
    """Stop the search of a small table for all sizes, and compare with its end.

    Return the number of searches that were stopped before the proof.
    """
    rng = np.random.default_rng([seed, 6])
    data = random_ranked(rng, int(rng.integers(10, 40)), int(rng.integers(1, 4)))
    depth, request = int(rng.choice([2, 3])), random_request(rng)
    request["first_nodes"] = 0
    best, seconds = proven(data, depth, request)
    if best is None:
        return 0
    limits = seconds * rng.random(n_stops)
    stops = [
        {"time_limit": float(limit), "anytime": bool(rng.integers(2))}
        for limit in limits
    ]
    return sum(check_stop(data, depth, one, best, **request)[0] > 0 for one in stops)


def proven(data, depth, request, time_limit=2):
    """Return the optima by number of nodes, or None, and the seconds of the search."""
    start = time.perf_counter()
    answers = data.solve(depth, time_limit=time_limit, **request)
    seconds = time.perf_counter() - start
    if any(answer["status"] != "optimal" for answer in answers):
        return None, seconds
    return [answer["lower_bound"] for answer in answers], seconds
