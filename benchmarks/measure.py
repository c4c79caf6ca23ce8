"""Measure one system on one data set and one task, in a separate process.

Started by run.py with one JSON argument; prints one JSON line. The data is in memory,
in the type the system prefers, before the clock starts, and a fit of four rows comes
first, so that neither reading nor late imports are measured. Errors and objective are
computed here, in the same way for every system, from its trees; its own report of the
objective is recorded as well.
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
    """Return VmRSS (now) or VmHWM (peak) of this process on Linux."""
    status = Path("/proc/self/status").read_text()
    return int(status.split(field + ":")[1].split()[0]) * 1024


def peak_bytes():
    """Return the peak resident memory without /proc; None if unknown."""
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
    """Return the result of `action` and the growth of resident memory in bytes."""
    try:
        Path("/proc/self/clear_refs").write_text("5")  # peak := now
        before, peak = resident_bytes("VmRSS"), lambda: resident_bytes("VmHWM")
    except OSError:
        before, peak = peak_bytes(), peak_bytes
    outcome = action()
    return outcome, None if before is None else max(0, peak() - before)


def timed(action):
    """Return the result of `action`, and its wall-clock and processor seconds."""
    start, cpu_start = time.perf_counter(), time.process_time()
    outcome = action()
    return outcome, (time.perf_counter() - start, time.process_time() - cpu_start)


def fits(fit, repeat):
    """Fit up to `repeat` times; return last model, times, and growth in the first."""
    (model, seconds), growth = with_memory_growth(lambda: timed(fit))
    repeats = [seconds]
    while len(repeats) < repeat and sum(wall for wall, _ in repeats) < ENOUGH_SECONDS:
        del model  # so that freeing it is not timed
        model, seconds = timed(fit)
        repeats.append(seconds)
    return model, timing(repeats), growth


def timing(repeats):
    """Return the best repeat; low processor time means that it shared its core."""
    wall, cpu = min(repeats)
    every = [wall for wall, _ in repeats]
    return {"seconds": wall, "cpu_seconds": cpu, "repeats": every}


def versions(package):
    found = {name: importlib.metadata.version(name) for name in ("numpy", package)}
    return {"python": platform.python_version(), **found}


def loss(task, predicted, y):
    """Return the sum of squared errors, 1 - F1 (of class 1), or the errors."""
    if task == "regression":
        return math.fsum((predicted - y) ** 2)
    errors = int((predicted != y).sum())
    if task != "f1":
        return errors
    found = int(((predicted == 1) & (y == 1)).sum())
    return errors / (2 * found + errors) if errors else 0.0


def cost(answer, y, task, penalty):
    """Return the objective of the task; for a perfect tree its depth or nodes."""
    misfit = loss(task, answer["predicted"], y)
    if task in PERFECT_TASKS:
        size = answer["depth"] if task == "shallow" else answer["nodes"]
        return None if misfit else size
    return misfit + (penalty or 0) * len(y) * answer["nodes"]


def counted(answer, y, task, penalty):
    """Return a tree's errors, nodes and cost, and the values the system reports."""
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
    """Return the result; for a frontier of its last tree, and [nodes, errors] of all.

    A frontier is proven if each of its trees is. None instead of a model
    means that no tree was found in time.
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
