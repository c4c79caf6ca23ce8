"""Measure one system on one data set and one task, in a process of its own.

Started by run.py with one JSON argument; prints one JSON line. The data lie in memory,
in the type the system likes, before the clock starts, and a fit of four rows comes
first, so that neither reading nor late imports are counted. Errors and objective are
counted here, the same way for every system, from the trees it hands out; what it says
itself of its objective stands beside them.
"""

import importlib
import importlib.metadata
import json
import math
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

ENOUGH_SECONDS = 1.0  # no further repeat once the repeats have taken this long
PERFECT_TASKS = ("shallow", "small")  # the size of a tree without errors
NO_TREE = {
    **dict.fromkeys(("errors", "nodes", "objective", "claimed", "lower_bound")),
    "status": "time_limit",
    "optimal": False,
    "stats": {},
}
MOST_BYTES = 12 * 2**30  # of address space: a peer must not take the machine down


def resident_bytes(field):
    """VmRSS (now) or VmHWM (peak) of this process, as Linux counts it."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(field + ":")[1].split()[0]) * 1024


def peak_bytes():
    """Peak resident memory where there is no /proc; None where nobody tells."""
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def limit_memory():
    try:
        import resource  # noqa: PLC0415 (not on Windows)
    except ImportError:
        return
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    if hard == resource.RLIM_INFINITY or hard > MOST_BYTES:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_BYTES, hard))


def with_memory_growth(action):
    """Return what `action` returns and by how many bytes it raised resident memory."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # peak := now
        before, peak = resident_bytes("VmRSS"), lambda: resident_bytes("VmHWM")
    except OSError:
        before, peak = peak_bytes(), peak_bytes
    outcome = action()
    return outcome, None if before is None else max(0, peak() - before)


def timed(action):
    """What `action` returns, and its seconds: on the wall, and of processor time."""
    start, cpu_start = time.perf_counter(), time.process_time()
    outcome = action()
    return outcome, (time.perf_counter() - start, time.process_time() - cpu_start)


def fits(fit, repeat):
    """Fit up to `repeat` times: last model, how long each took, growth in the first."""
    (model, seconds), growth = with_memory_growth(lambda: timed(fit))
    repeats = [seconds]
    while len(repeats) < repeat and sum(wall for wall, _ in repeats) < ENOUGH_SECONDS:
        del model  # so that freeing it is not timed
        model, seconds = timed(fit)
        repeats.append(seconds)
    return model, timing(repeats), growth


def timing(repeats):
    """The best repeat; with processor time well below the wall's it shared its core."""
    wall, cpu = min(repeats)
    every = [wall for wall, _ in repeats]
    return {"seconds": wall, "cpu_seconds": cpu, "repeats": every}


def versions(package):
    found = {name: importlib.metadata.version(name) for name in ("numpy", package)}
    return {"python": platform.python_version(), **found}


def loss(task, predicted, y):
    """Sum of squared errors, 1 - F1 (of class 1), or the number of errors."""
    if task == "regression":
        return math.fsum((predicted - y) ** 2)
    errors = int((predicted != y).sum())
    if task != "f1":
        return errors
    found = int(((predicted == 1) & (y == 1)).sum())
    return errors / (2 * found + errors) if errors else 0.0


def cost(answer, y, task, penalty):
    """What the task minimises; of a perfect tree its depth or nodes, else unknown."""
    misfit = loss(task, answer["predicted"], y)
    if task in PERFECT_TASKS:
        size = answer["depth"] if task == "shallow" else answer["nodes"]
        return None if misfit else size
    return misfit + (penalty or 0) * len(y) * answer["nodes"]


def counted(answer, y, task, penalty):
    """A tree's errors, its nodes and what both cost, beside the system's own claims."""
    objective = cost(answer, y, task, penalty)
    proved = answer["status"] == "optimal"
    bound = objective if proved else answer.get("lower_bound")
    is_regression = task == "regression"
    return {
        "errors": None if is_regression else loss("tree", answer["predicted"], y),
        "nodes": answer["nodes"],
        "objective": objective,
        "claimed": answer.get("claimed"),
        "lower_bound": None if None in (bound, objective) else min(bound, objective),
        "status": answer["status"],
        "optimal": proved,
        "stats": answer.get("stats", {}),
    }


def report(peer, models, X, y, job):
    """The answer to the job; of a frontier its last tree's, and [nodes, errors] of all.

    A frontier is proved when each of its trees is. None in place of a model means that
    time was up before the first tree was found.
    """
    if models is None:
        return NO_TREE
    if job["task"] != "frontier":
        return counted(peer.answer(models, X), y, job["task"], job["penalty"])
    trees = [counted(peer.answer(model, X), y, "tree", None) for model in models]
    unproved = [tree["status"] for tree in trees if not tree["optimal"]]
    return {
        **trees[-1],
        "status": unproved[0] if unproved else "optimal",
        "optimal": not unproved,
        "frontier": [[tree["nodes"], tree["errors"]] for tree in trees],
    }


def measure(job):
    peer = importlib.import_module(f"peers.{job['system']}")
    X = np.ascontiguousarray(np.load(job["X"]), dtype=peer.DTYPE)
    y = np.load(job["y"])
    task = getattr(peer, job["task"])
    limits = {name: job[name] for name in ("depth", "penalty", "time_limit")}
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=peer.DTYPE)
    task(corners, np.array([0, 0, 1, 1], dtype=y.dtype), **limits | {"depth": 1})

    models, times, growth = fits(lambda: task(X, y, **limits), job["repeat"])
    answer = report(peer, models, X, y, job)
    return {
        "versions": versions(peer.NAME),
        "kernel": answer["stats"].get("kernel"),
        "rows": X.shape[0],
        "columns": X.shape[1],
        **times,
        "rss_growth": growth,
        **answer,
    }


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {job["core"]})
    limit_memory()
    print(json.dumps(measure(job)))
