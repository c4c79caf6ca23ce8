"""A long run of random instances against the judge: `make fuzz`.

Each instance asks one random question of a fresh solver with random switches, and then
every node budget of that depth of the same solver. Prints the seed of a disagreement.
"""

import argparse
import sys
import time
from concurrent.futures import ProcessPoolExecutor

import numpy as np
from brute_force import best_errors, check_result
from strategies import random_instance, structured_instance

from murtree import Solver

CHOICES = {
    "cache": ("dataset", "none"),
    "node_selection": ("dynamic", "post-order"),
}
FLAGS = (
    "deduplicate",
    "merge_rows",
    "similarity_bound",
    "refined_bound",
    "sibling_bound",
    "first_tree",
    "deepening",
)
MAX_FEATURES = {0: 6, 1: 6, 2: 8, 3: 6, 4: 4}


def random_options(rng):
    """Return the defaults half of the time, else random switches."""
    if rng.random() < 0.5:
        return {}
    options = {name: bool(rng.random() < 0.5) for name in FLAGS}
    return options | {name: str(rng.choice(two)) for name, two in CHOICES.items()}


def check_seed(seed):
    """Check one instance; return None, or what went wrong."""
    rng = np.random.default_rng([seed, 1])
    depth = int(rng.choice([0, 1, 2, 3, 4], p=[0.02, 0.08, 0.25, 0.4, 0.25]))
    instance = structured_instance if seed % 3 == 0 else random_instance
    data = instance(seed, max_features=MAX_FEATURES[depth], max_rows=40)
    options = random_options(rng)
    expected = best_errors(*data, depth)
    solver = Solver(*data, **options)
    try:
        for nodes in rng.permutation(len(expected)).tolist():
            result = solver.solve(depth, nodes)
            check_result(result, data, depth, nodes, expected[nodes])
    except Exception as error:
        return f"seed {seed}, depth {depth}, nodes {nodes}, {options}: {error!r}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-n", "--instances", type=int, default=20_000)
    parser.add_argument("--first-seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=None)
    arguments = parser.parse_args()
    start = time.perf_counter()
    seeds = range(arguments.first_seed, arguments.first_seed + arguments.instances)
    with ProcessPoolExecutor(arguments.jobs) as pool:
        answers = pool.map(check_seed, seeds, chunksize=50)
        faults = [fault for fault in answers if fault is not None]
    for fault in faults[:20]:
        print(fault)
    seconds = time.perf_counter() - start
    print(f"{len(seeds)} instances, {len(faults)} disagreements, {seconds:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
