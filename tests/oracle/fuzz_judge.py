"""A long run of random instances against the judge: `make fuzz`.

Each instance sends all requests to a new solver with random switches: all node budgets
one by one and as a frontier, with and without minimum leaf sizes, with penalties, the
fewest nodes, and no limit on depth, in any order. Every third instance is too large for
the judge and is compared with a solver without bounds and cache. Every other seed also
has an instance of another objective (`fuzz_sums`), and tests Pareto fronts and metrics
of two classes. Each seed also has tables of ranks (`ranked`): one for the judge, one to
compare with 0/1 columns, and every tenth to stop at random times (`stopped`), some of
them with more rows; and a table of raw values for the classifier (`fuzz_tables`).
Prints the seed of a disagreement. With `--objective` only instances of that objective.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial

import numpy as np
from oracle.brute_force import best_errors, check_result, check_sparse, full_depth
from oracle.confusion import fronts
from oracle.fuzz_sums import KINDS, SummedCase, ask_in_any_order, check_cents
from oracle.fuzz_tables import check_table
from oracle.ranked import check_agreement, check_ranked
from oracle.stopped import check_slow_stops, check_stops
from oracle.strategies import (
    PLAIN,
    random_instance,
    random_penalty,
    random_sizes,
    random_switches,
    structured_instance,
    two_classes,
)

from murtree import MetricSolver, Solver

MAX_FEATURES = {0: 6, 1: 6, 2: 8, 3: 6, 4: 4}


class Case:
    """One instance, one solver for all requests, and the judge's answers."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng([seed, 1])
        self.depth = int(rng.choice([0, 1, 2, 3, 4], p=[0.02, 0.08, 0.25, 0.4, 0.25]))
        instance = structured_instance if seed % 3 == 0 else random_instance
        most = MAX_FEATURES[self.depth]
        self.data = instance(seed, max_features=most, max_rows=40)
        self.options = random_switches(rng)
        self.solver = Solver(*self.data, **self.options)
        self.sizes = random_sizes(rng, [1, 1, 2, 3, 6], self.data[2])
        self.total_weight = sum(self.data[2])
        self.is_light = self.total_weight < 2**32
        self.cost_complexity = random_penalty(rng, self.total_weight)
        self.by_size = {}

    def expected(self, depth, size):
        if (depth, size) not in self.by_size:
            self.by_size[depth, size] = best_errors(*self.data, depth, size)
        return self.by_size[depth, size]

    def ask_every_budget(self, size):
        expected = self.expected(self.depth, size)
        for nodes in self.rng.permutation(len(expected)).tolist():
            result = self.solver.solve(self.depth, nodes, **size.parameters)
            self.check(result, nodes, expected[nodes], size)

    def ask_frontier(self, size):
        expected = self.expected(self.depth, size)
        frontier = self.solver.frontier(self.depth, **size.parameters)
        assert len(frontier) == len(expected)
        for nodes, result in enumerate(frontier):
            self.check(result, nodes, expected[nodes], size)

    def ask_fewest(self, size):
        expected = self.expected(self.depth, size)
        nodes = int(self.rng.integers(len(expected)))
        result = self.solver.solve(
            self.depth, nodes, fewest_nodes=True, **size.parameters
        )
        self.check(result, nodes, expected[nodes], size)
        assert result.tree.n_nodes == expected.index(expected[nodes])

    def ask_sparse(self, size):
        expected = self.expected(self.depth, size)
        for nodes in {len(expected) - 1, int(self.rng.integers(len(expected)))}:
            result = self.solver.solve(
                self.depth,
                nodes,
                cost_complexity=self.cost_complexity,
                **size.parameters,
            )
            self.check_sparse(result, expected[: nodes + 1], self.depth, size)

    def ask_any_depth(self, size):
        depth = full_depth(self.data[0])
        if depth > 4:
            return
        result = self.solver.solve(
            None, cost_complexity=self.cost_complexity, **size.parameters
        )
        self.check_sparse(result, self.expected(depth, size), depth, size)

    def check(self, result, nodes, errors, size):
        check_result(
            result, self.data, self.depth, nodes, errors, min_samples_leaf=size
        )

    def check_sparse(self, result, errors, depth, size):
        check_sparse(
            result,
            self.data,
            errors,
            self.cost_complexity,
            depth=depth,
            min_samples_leaf=size,
        )

    def ask_all(self):
        requests = [self.ask_every_budget, self.ask_frontier]
        if self.is_light:
            requests += [self.ask_fewest, self.ask_sparse, self.ask_any_depth]
        ask_in_any_order(self, requests, self.sizes, f"depth {self.depth}")


def compare_large(seed):
    """Compare with the plain search on data with tight bounds."""
    data = structured_instance(seed)
    rng = np.random.default_rng([seed, 2])
    depth = int(rng.integers(3, 5))
    ask = {
        "max_num_nodes": [None, int(rng.integers(2, 15))][rng.integers(2)],
        **random_sizes(rng, [1, 1, 2, 5], data[2])[-1].parameters,
        "cost_complexity": [0.0, random_penalty(rng, sum(data[2]))][rng.integers(2)],
    }
    options = random_switches(rng)
    found = Solver(*data, **options).solve(depth, **ask)
    plain = Solver(*data, **PLAIN).solve(depth, **ask)
    assert found.status == plain.status == "optimal"
    difference = abs(found.objective - plain.objective)
    allowed = 0 if ask["cost_complexity"] == 0 else 15 / 1024
    assert difference <= allowed, f"large, depth {depth}, {ask}, {options}"


def check_fronts(seed):
    """Compare fronts with the judge's, and metrics with fronts."""
    rng = np.random.default_rng([seed, 3])
    depth = int(rng.choice([1, 2, 3, 3]))
    instance = structured_instance if seed % 3 == 0 else random_instance
    data = two_classes(instance(seed, max_features=4, max_rows=30))
    size = random_sizes(rng, [1, 1, 2, 3], data[2])[-1]
    beta = float(rng.choice([0.3, 1.0, 2.0]))
    memory = [None, 2_000][rng.integers(2)]
    solver, expected = MetricSolver(*data), fronts(*data, depth, size)
    for nodes in rng.permutation(len(expected)).tolist():
        where = f"front, depth {depth}, {nodes} nodes, leaf size {size}, beta {beta}"
        limits = {"max_depth": depth, "max_num_nodes": nodes, **size.parameters}
        front = solver.pareto_front(**limits, memory_limit=memory)
        assert [(point.fp, point.fn) for point in front] == expected[nodes], where
        for name in ("fbeta", "balanced_accuracy"):
            result = solver.solve(name, **limits, beta=beta)
            assert result.status == "optimal", where
            assert result.objective == front.best(name, beta=beta).objective, where


def check_seed(seed):
    """Check one instance; return None, or a description of the failure."""
    try:
        if seed % 3 == 2:
            compare_large(seed)
        if seed % 2:
            SummedCase(seed).ask_all()
            check_cents(seed)
            check_fronts(seed)
        Case(seed).ask_all()
        check_ranked(seed, most_rows=11)
        check_agreement(seed, most_rows=40)
        check_table(seed)
        if seed % 10 == 0:
            check_stops(seed)
        if seed % 100 in (0, 1):  # one size, or all
            check_slow_stops(seed)
    except Exception as error:
        return f"seed {seed}: {error!r}"
    return None


def check_objective(seed, objective):
    """Check one instance of an objective whose costs are summed, as `check_seed`."""
    try:
        SummedCase(seed, kinds=(objective,)).ask_all()
    except Exception as error:
        return f"seed {seed}: {error!r}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--instances", type=int, default=20_000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=None)
    parser.add_argument("--objective", choices=KINDS, help="instances of this only")
    arguments = parser.parse_args()
    start = time.perf_counter()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.instances)
    check = check_seed
    if arguments.objective is not None:
        check = partial(check_objective, objective=arguments.objective)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        answers = pool.map(check, seeds, chunksize=50)
        faults = [fault for fault in answers if fault is not None]
    for fault in faults[:20]:
        print(fault)
    seconds = time.perf_counter() - start
    print(f"{len(seeds)} instances, {len(faults)} disagreements, {seconds:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
