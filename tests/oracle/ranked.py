"""Random tables of ranks for the search over all thresholds, and its judge.

The judge tries every test on every set of rows, which is a bit mask, with every share
of the nodes.
"""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from murtree._core import RankedTable

from murtree import Solver
from murtree._table.ranked_rows import RankedRows


class Ranked(NamedTuple):
    """A table: ranks by chain and row, costs by row and label, weights for leaves."""

    ranks: np.ndarray
    costs: np.ndarray
    leaf_weights: np.ndarray

    def table(self):
        n_cuts = self.ranks.max(axis=1, initial=0)
        return RankedTable(
            np.ascontiguousarray(self.ranks, dtype=np.uint32),
            np.ascontiguousarray(self.costs, dtype=np.int64),
            np.ascontiguousarray(self.leaf_weights, dtype=np.int64),
            np.ascontiguousarray(n_cuts, dtype=np.uint32),
            np.zeros(int(n_cuts.sum())),
        )

    def solve(self, max_depth, **options):
        """Return the answers of the core, by number of nodes."""
        options = {"nodes": 2**max_depth - 1, "stop": None} | options
        last, first = options.pop("nodes"), options.pop("first_nodes", None)
        request = {
            "price_of_error": 1,
            "price_of_node": 0,
            "min_samples_leaf": 1,
            "min_weight_leaf": 0,
            "upper_bound": -1,
            "time_limit": np.inf,
            "anytime": False,
            "returns_on_interrupt": False,
            "callback": options.pop("stop"),
        } | options
        found = self.table().solve(
            max_depth=max_depth,
            first_num_nodes=last if first is None else first,
            last_num_nodes=last,
            **request,
        )
        return found["answers"]

    def leaf_of(self, answer):
        """Return the leaf of each row."""
        leaf = np.zeros(self.ranks.shape[1], dtype=int)
        for parent, k in enumerate(answer["test"].tolist()):
            if k < 0:
                continue
            is_left = self.ranks[answer["chain"][k]] < answer["cut"][k]
            children = answer["children_left"][parent], answer["children_right"][parent]
            leaf = np.where(leaf == parent, np.where(is_left, *children), leaf)
        return leaf

    def check_tree(self, answer, nodes=None, **limits):
        """Check the limits on a tree, and return its cost."""
        leaf = self.leaf_of(answer)
        sides = [self.costs[leaf == one] for one in np.unique(leaf)]
        errors = sum(int(side.sum(axis=0).min()) for side in sides)
        n_tests = len(answer["chain"])
        if nodes is not None:
            assert n_tests <= nodes
        if n_tests:
            assert len(sides) == n_tests + 1
            assert min(map(len, sides)) >= limits.get("min_samples_leaf", 1)
            weights = [self.leaf_weights[leaf == one].sum() for one in np.unique(leaf)]
            if limits.get("min_weight_leaf", 0):
                assert min(weights) >= limits["min_weight_leaf"]
        price = limits.get("price_of_node", 0)
        return limits.get("price_of_error", 1) * errors + price * n_tests


def judge(
    data,
    *,
    price_of_error=1,
    price_of_node=0,
    min_samples_leaf=1,
    min_weight_leaf=0,
):
    """Return a function of depth and nodes: the cost of the best tree."""
    n_rows = data.ranks.shape[1]
    tests = {
        sum(1 << row for row in range(n_rows) if ranks[row] < cut)
        for ranks in data.ranks
        for cut in np.unique(ranks)[1:]
    }

    def members(rows):
        return [row for row in range(n_rows) if rows >> row & 1]

    @lru_cache(None)
    def is_leaf(rows):
        here = members(rows)
        is_large = len(here) >= min_samples_leaf
        return is_large and data.leaf_weights[here].sum() >= min_weight_leaf

    @lru_cache(None)
    def leaf(rows):
        return price_of_error * int(data.costs[members(rows)].sum(axis=0).min())

    @lru_cache(None)
    def best(rows, depth, nodes):
        least = leaf(rows)
        if depth == 0 or nodes == 0:
            return least
        for test in tests:
            left, right = rows & test, rows & ~test
            if not (left and right and is_leaf(left) and is_leaf(right)):
                continue
            most = 2 ** (depth - 1) - 1
            for share in range(max(0, nodes - 1 - most), min(nodes - 1, most) + 1):
                cost = price_of_node + best(left, depth - 1, share)
                if cost < least:
                    cost += best(right, depth - 1, nodes - 1 - share)
                    least = min(least, cost)
        return least

    return lambda depth, nodes: best((1 << n_rows) - 1, depth, min(nodes, 2**depth - 1))


def random_ranked(rng, n_rows, n_chains, n_labels=2, kind=None):
    """Return a random table: few or many distinct values, some columns alike."""
    kind = kind or rng.choice(["errors", "weights", "zeros", "costs", "huge"])
    levels = rng.choice([1, 2, 3, 5, n_rows + 1], n_chains)
    ranks = np.array([rng.integers(0, level, n_rows) for level in levels])
    ranks = ranks.reshape(n_chains, n_rows)
    for chain in range(1, n_chains):
        if rng.random() < 0.3:  # nearly the same as another, perhaps reversed
            other = ranks[rng.integers(chain)]
            ranks[chain] = other if rng.random() < 0.5 else other.max() - other
            ranks[chain, rng.integers(n_rows)] = rng.integers(0, n_rows)
    if rng.random() < 0.7:  # else with ranks that no row has
        ranks = np.array([np.unique(one, return_inverse=True)[1] for one in ranks])
    labels = rng.integers(0, n_labels, n_rows)
    if rng.random() < 0.4 and n_chains > 1:  # no single test is of use
        halves = ranks[:2] > np.median(ranks[:2], axis=1)[:, np.newaxis]
        labels = (halves[0] ^ halves[1]).astype(int)
        labels[rng.random(n_rows) < 0.1] ^= 1
    weights = {
        "errors": np.ones(n_rows),
        "weights": rng.integers(1, 6, n_rows),
        "zeros": rng.integers(0, 3, n_rows),
        "costs": rng.integers(1, 3, n_rows),
        "huge": np.where(np.arange(n_rows) == rng.integers(n_rows), 2**34, 1),
    }[kind]
    costs = 1 - np.eye(n_labels, dtype=np.int64)
    if kind == "costs":
        costs = rng.integers(0, 5, (n_labels, int(rng.integers(2, 5))))
    costs = weights[:, np.newaxis].astype(np.int64) * costs[labels]
    return Ranked(ranks.astype(np.uint32), costs, rng.integers(0, 5, n_rows))


def random_request(rng):
    """Return random options of `Ranked.solve`."""
    return {
        "price_of_error": int(rng.choice([1, 1, 4])),
        "price_of_node": int(rng.choice([0, 0, 1, 3])),
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 3])),
        "min_weight_leaf": int(rng.choice([0, 0, 0, 2, 5])),
    }


def check_ranked(seed, most_rows=12):
    """Compare one random table with the judge, for all numbers of nodes."""
    rng = np.random.default_rng([seed, 4])
    n_rows, n_chains = int(rng.integers(1, most_rows + 1)), int(rng.integers(1, 5))
    data = random_ranked(rng, n_rows, n_chains, int(rng.choice([2, 2, 3, 4])))
    depth = int(rng.choice([1, 2, 3, 3, 4, 8, 255]))
    request, most = random_request(rng), 2**depth - 1
    if depth > 4:  # more nodes than rows are no limit
        most = int(rng.integers(n_rows + 2))
    best = judge(data, **request)
    answers = data.solve(depth, nodes=most, first_nodes=0, **request)
    alone = int(rng.integers(most + 1))
    bound = int(rng.integers(-1, 3)) + best(depth, alone)
    if depth == 255 and most >= n_rows:
        answers += data.solve(depth, nodes=2**20 - 1, **request)
    for nodes, answer in enumerate(answers):
        where = f"ranked seed {seed}, depth {depth}, nodes {nodes}, {request}"
        expected = best(depth, nodes)
        assert answer["status"] == "optimal", where
        found = data.check_tree(answer, nodes, **request)
        assert found == answer["lower_bound"] == expected, where
    # Inclusive upper bounds, on one number of nodes alone.
    (answer,) = data.solve(depth, nodes=alone, upper_bound=max(bound, 0), **request)
    where = f"ranked seed {seed}, depth {depth}, nodes {alone}, bound {bound}"
    if best(depth, alone) <= max(bound, 0):
        assert data.check_tree(answer, alone, **request) == best(depth, alone), where
        assert answer["status"] == "optimal", where
    else:
        assert answer["status"] == "infeasible", where
        assert "test" not in answer, where
        assert answer["lower_bound"] > bound, where


def ranked_rows_of(ranks):
    """Return ranks with one test for each cut, as estimators make them."""
    n_cuts = ranks.max(axis=1, initial=0).astype(int)
    starts = np.concatenate([[0], np.cumsum(n_cuts)])
    tests = tuple(
        np.arange(first, first + n) for first, n in zip(starts, n_cuts, strict=False)
    )
    widths = tuple(np.zeros(n) for n in n_cuts)
    return RankedRows(np.ascontiguousarray(ranks, dtype=np.uint32), tests, widths)


def random_problem(rng, n_rows, n_chains):
    """Return ranked rows, classes, weights and an objective of a `Solver`."""
    n_labels = int(rng.choice([2, 2, 3, 5]))
    data = random_ranked(rng, n_rows, n_chains, n_labels, kind="errors")
    y = data.costs.argmin(axis=1)
    y[:2] = 0, 1  # at least two classes
    y = np.unique(y, return_inverse=True)[1]
    n_labels = int(y.max()) + 1
    weights = [
        None,
        rng.integers(1, 5, n_rows),
        rng.integers(0, 3, n_rows) + (np.arange(n_rows) < 2),
        rng.random(n_rows),
    ][rng.integers(4)]
    objective: object = "accuracy"
    kind = rng.integers(4)
    if kind == 0:
        objective = "balanced_accuracy"
    elif kind == 1:
        objective = rng.integers(0, 5, (n_labels, n_labels)).astype(float)
        np.fill_diagonal(objective, 0)
        objective[0, 1] = 1.5
    return ranked_rows_of(data.ranks), y, weights, objective


def check_agreement(seed, most_rows=60, depths=(2, 3)):
    """Compare the search over ranks with that over a 0/1 column for each test."""
    rng = np.random.default_rng([seed, 6])
    n_rows, n_chains = int(rng.integers(5, most_rows)), int(rng.integers(1, 5))
    rows, y, weights, objective = random_problem(rng, n_rows, n_chains)
    depth = int(rng.choice(depths))
    limits = {
        "max_num_nodes": [None, int(rng.integers(1, 2**depth))][rng.integers(2)],
        "min_samples_leaf": int(rng.choice([1, 1, 1, 2, 4])),
        "min_weight_fraction_leaf": float(rng.choice([0.0, 0.0, 0.0, 0.05, 0.2])),
    }
    where = f"agreement seed {seed}, depth {depth}, {limits}, {objective}"
    bits = np.pad(np.asarray(rows), ((0, 0), (0, 1)))  # at least one column
    solvers = [Solver(X, y, weights, objective=objective) for X in (rows, bits)]
    more = {"cost_complexity": float(rng.choice([0.0, 0.01, 0.05]))}
    more["fewest_nodes"] = bool(rng.random() < 0.3)
    ranked, usual = (one.solve(depth, **limits, **more) for one in solvers)
    assert ranked.status == usual.status == "optimal", where
    # Prices are rounded, to another unit if rows were merged.
    unit = 2**-8 if more["cost_complexity"] or not isinstance(objective, str) else 1e-9
    assert abs(ranked.objective - usual.objective) <= unit, (where, more)
    if more["fewest_nodes"] and more["cost_complexity"] == 0:
        assert ranked.tree.n_nodes == usual.tree.n_nodes, (where, more)
    fronts = [one.frontier(depth, **limits) for one in solvers]
    for one, other in zip(*fronts, strict=True):
        assert one.status == "optimal", where
        assert abs(one.objective - other.objective) <= 1e-9, where
    again = solvers[0].solve(depth, **limits, **more)
    assert again.tree.feature.tolist() == ranked.tree.feature.tolist(), where
