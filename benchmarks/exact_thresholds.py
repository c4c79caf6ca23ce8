"""Compare `binarizer="exact"` at depth 2, 3 and 4 with ConTree (pycontree).

The ten sets of MURTREE_DATA/continuous, with all thresholds. Times are seconds of the
processor for a whole `fit`, in one process pinned to one core; the systems alternate,
and the best of up to `--rounds` runs counts, or of as many as start within
`--enough` seconds. The search alone is measured beside it. A ratio is ConTree's seconds
/ ours; where ConTree does not finish, its limit counts.

    python benchmarks/exact_thresholds.py --out benchmarks/results/exact.jsonl
    python benchmarks/exact_thresholds.py --sets bank raisin --depths 2 3
    python benchmarks/exact_thresholds.py --sets magic --depths 4 --alone
    python benchmarks/tables.py exact

Lines are appended; sets and depths that the file has already are left out. A line of
`--alone` has no comparison, so a run beside ConTree measures its set again.
"""

import argparse
import importlib.metadata
import json
import os
import time
import warnings
from functools import partialmethod
from pathlib import Path

import numpy as np
from pycontree import ConTree, base
from run import last_core, machine
from sets import FOLDER

from murtree import NotProvenWarning, OptimalTreeClassifier
from murtree._solver.ranked_core import RankedCore

# Errors of the best trees of depth 2, 3 and 4, as far as they are known from pycontree
# 1.0.8 and a search that shares no code with ours.
KNOWN = {
    "avila": (9617, 8664),
    "bank": (100, 23, 0),
    "htru": (369, 343),
    "magic": (3746, 3240),
    "occupancy": (208, 185),
    "page": (253, 168),
    "raisin": (109, 94, 74),
    "rice": (257, 243),
    "segment": (990, 278),
    "wilt": (138, 88, 50),
}


class Clock:
    """Seconds of the processor that the calls of a function took."""

    def __init__(self, function):
        self.function, self.seconds = function, 0.0

    def __call__(self, *arguments, **named):
        start = time.process_time()
        found = self.function(*arguments, **named)
        self.seconds = time.process_time() - start
        return found


# The searches without the checks and conversions around them.
CONTREE = base.solve = Clock(base.solve)
OURS = Clock(RankedCore.solve)
RankedCore.solve = partialmethod(OURS)


def timed(model, X, y):
    """Fit a model; return the seconds of the processor."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", NotProvenWarning)
        warnings.filterwarnings("ignore", message="Fitting exceeds time limit")
        start = time.process_time()
        model.fit(X, y)
        return time.process_time() - start


def fit_ours(X, y, depth, limit):
    model = OptimalTreeClassifier(max_depth=depth, binarizer="exact", time_limit=limit)
    seconds = timed(model, X, y)
    return {
        "thresholds": model.coverage_.n_tests,
        "kernel": model.search_stats_["kernel"],
        "errors": int(model.objective_),
        "optimal": model.status_ == "optimal",
        "lower_bound": int(model.lower_bound_),
        "seconds": seconds,
        "search_seconds": OURS.seconds,
    }


def fit_contree(X, y, depth, limit):
    model = ConTree(max_depth=depth, time_limit=limit)
    seconds = timed(model, X, y)
    return {
        "errors": int((model.predict(X) != y).sum()),
        "optimal": model._config.is_within_time_limit(),
        "seconds": seconds,
        "search_seconds": CONTREE.seconds,
    }


def fastest(runs):
    """Return the run with the least seconds; times are the least of all runs."""
    best = min(runs, key=lambda run: run["seconds"])
    times = ("seconds", "search_seconds")
    return best | {name: round(min(run[name] for run in runs), 6) for name in times}


def measure(name, depth, options):
    """Return a line with both systems on one set at one depth."""
    data = np.loadtxt(FOLDER / "continuous" / f"{name}.txt.gz")
    X, y = data[:, 1:], np.unique(data[:, 0], return_inverse=True)[1]
    known = dict(enumerate(KNOWN.get(name, ()), start=2)).get(depth)
    limit = options.our_limit if known is None else None
    ours, contree = [], []
    start = time.perf_counter()
    while not ours or (
        len(ours) < options.rounds and time.perf_counter() - start < options.enough
    ):
        ours.append(fit_ours(X, y, depth, limit))
        if not options.alone:
            contree.append(fit_contree(X, y, depth, options.limit))
    return {
        "set": name,
        "rows": X.shape[0],
        "columns": X.shape[1],
        "depth": depth,
        "known": known,
        "runs": len(ours),
        "murtree": fastest(ours),
        "contree": fastest(contree) | {"limit": options.limit} if contree else None,
    }


def wrong(line):
    """Return what is wrong with a line: proofs that contradict others."""
    found = {
        name: line[name]["errors"]
        for name in ("murtree", "contree")
        if line[name] is not None and line[name]["optimal"]
    }
    if line["known"] is not None:
        found["known"] = line["known"]
    return found if len(set(found.values())) > 1 else None


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--out", type=Path, default=Path("build/exact.jsonl"))
    add("--sets", nargs="+", default=list(KNOWN), metavar="SET")
    add("--depths", nargs="+", type=int, default=[2, 3, 4], metavar="DEPTH")
    add("--rounds", type=int, default=7)
    add("--enough", type=float, default=10.0, metavar="SECONDS")
    add("--limit", type=float, default=150.0, help="of ConTree", metavar="SECONDS")
    add(
        "--our-limit",
        type=float,
        default=600.0,
        help="of murtree where no optimum is known",
        metavar="SECONDS",
    )
    add("--alone", action="store_true", help="without ConTree")
    return parser.parse_args()


def main():
    options = parse_arguments()
    if (core := last_core()) is not None:
        os.sched_setaffinity(0, {core})
    options.out.parent.mkdir(parents=True, exist_ok=True)
    known = options.out.read_text("utf-8").splitlines() if options.out.exists() else []
    done = {
        (line["set"], line["depth"])
        for line in map(json.loads, known)
        if options.alone or line["contree"]
    }
    versions = {"pycontree": importlib.metadata.version("pycontree")}
    with options.out.open("a", encoding="utf-8") as out:
        for depth in options.depths:
            for name in options.sets:
                if (name, depth) in done:
                    continue
                line = measure(name, depth, options) | machine()
                line["versions"] = versions
                print(json.dumps(line), file=out, flush=True)
                ours, theirs = line["murtree"], line["contree"]
                beside = f"ConTree {theirs['seconds']:.4f} s, " if theirs else ""
                print(
                    f"{name} depth {depth}: murtree {ours['seconds']:.4f} s "
                    f"(search {ours['search_seconds']:.4f} s), {beside}"
                    f"{ours['lower_bound']} to {ours['errors']} errors, "
                    f"{line['runs']} runs",
                    flush=True,
                )
                if contradiction := wrong(line):
                    print(f"  different optima: {contradiction}", flush=True)


if __name__ == "__main__":
    main()
