"""Compare the times of two versions of murtree on the same sets, in one run.

    python benchmarks/versions.py ../before/.venv/bin/python .venv/bin/python

Each version is the one that an interpreter imports. A set is loaded once by a process
of each version; the two then alternate in solving it, pinned to one core, and the best
of `--repeat` processor times counts: ratios within one run are more stable than times.
Counts of the search are printed as well, and are the same on every machine.
"""

import argparse
import json
import math
import subprocess
import sys

from run import last_core
from sets import KINDS

SETS = [
    "DL_anneal",
    "DL_diabetes",
    "DL_german-credit",
    "DL_heart-cleveland",
    "DL_kr-vs-kp",
    "DL_vehicle",
    "DL_yeast",
    "Hu_fico-binary",
    "NL_magic04",
    "Nina_cancer",
]
WORKER = """
import json, os, sys, time
import numpy as np
from murtree import Solver
core = json.loads(sys.stdin.readline())
if core is not None:
    os.sched_setaffinity(0, {core})
for line in sys.stdin:
    job = json.loads(line)
    if "data" in job:
        data = np.array(job["data"], dtype=np.int64)
        X, y = np.ascontiguousarray(data[:, 1:], dtype=np.uint8), data[:, 0]
        print("ready", flush=True)
        continue
    start = time.process_time()
    result = Solver(X, y).solve(job["depth"])
    seconds = time.process_time() - start
    answer = [seconds, result.objective, result.status, result.stats]
    print(json.dumps(answer), flush=True)
"""


class Version:
    """A process that solves with the murtree of its interpreter."""

    def __init__(self, python):
        self.process = subprocess.Popen(
            [python, "-c", WORKER],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.process.stdin.write(json.dumps(last_core()) + "\n")

    def ask(self, job):
        self.process.stdin.write(json.dumps(job) + "\n")
        self.process.stdin.flush()
        return self.process.stdout.readline()


def compare(before, after, depth, repeat):
    """Return the best times of both, and their results."""
    rounds = [
        [json.loads(version.ask({"depth": depth})) for version in (before, after)]
        for _ in range(repeat)
    ]
    best = [min(one[place][0] for one in rounds) for place in (0, 1)]
    return best, rounds[-1]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("before")
    parser.add_argument("after")
    parser.add_argument("--sets", nargs="+", default=SETS)
    parser.add_argument("--depths", nargs="+", type=int, default=[4, 5])
    parser.add_argument("--repeat", type=int, default=7)
    arguments = parser.parse_args()
    versions = Version(arguments.before), Version(arguments.after)
    known, logs = KINDS["binary"](), []
    for name in arguments.sets:
        X, y = known[name]()
        data = [[int(label), *row] for label, row in zip(y, X.tolist(), strict=True)]
        for version in versions:
            version.ask({"data": data})
        for depth in arguments.depths:
            best, answers = compare(*versions, depth, arguments.repeat)
            if answers[0][1:3] != answers[1][1:3]:
                sys.exit(f"{name}, depth {depth}: the answers differ: {answers}")
            logs.append(math.log(best[1] / best[0]))
            counts = [
                f"{one[3]['nodes']:,} nodes {one[3]['depth_two_calls']:,} calls"
                for one in answers
            ]
            print(
                f"{name:20} depth {depth}  {best[0]:8.4f} s -> {best[1]:8.4f} s  "
                f"x {best[1] / best[0]:.3f}  {counts[0]} -> {counts[1]}",
                flush=True,
            )
    mean = math.exp(sum(logs) / len(logs))
    print(f"geometric mean {mean:.3f} ({answers[0][3]['kernel']})")


if __name__ == "__main__":
    main()
