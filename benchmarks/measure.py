"""Measure one system on one data set at one depth, in a process of its own.

Started by run.py with one JSON argument; prints one JSON line. The data lie in memory,
in the type the system likes, before the clock starts, and a fit of four rows comes
first, so that neither reading nor late imports are counted.
"""

import importlib
import importlib.metadata
import json
import os
import platform
import sys
import time
from pathlib import Path

import numpy as np

ENOUGH_SECONDS = 1.0  # no further repeat once the repeats have taken this long


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
    start = time.perf_counter()
    outcome = action()
    return outcome, time.perf_counter() - start


def fits(fit, repeat):
    """Fit up to `repeat` times: last model, seconds of each, growth in the first."""
    (model, seconds), growth = with_memory_growth(lambda: timed(fit))
    repeats = [seconds]
    while len(repeats) < repeat and sum(repeats) < ENOUGH_SECONDS:
        del model  # so that freeing it is not timed
        model, seconds = timed(fit)
        repeats.append(seconds)
    return model, repeats, growth


def versions(package):
    found = {name: importlib.metadata.version(name) for name in ("numpy", package)}
    return {"python": platform.python_version(), **found}


def measure(job):
    peer = importlib.import_module(f"peers.{job['system']}")
    X = np.ascontiguousarray(np.load(job["X"]), dtype=peer.DTYPE)
    y = np.ascontiguousarray(np.load(job["y"]), dtype=np.int32)
    corners = np.array([[0, 0], [0, 1], [1, 0], [1, 1]], dtype=peer.DTYPE)
    peer.fit(corners, np.array([0, 0, 1, 1], dtype=np.int32), 1, 1.0)

    def fit():
        return peer.fit(X, y, job["depth"], job["time_limit"])

    model, repeats, growth = fits(fit, job["repeat"])
    answer = peer.report(model, X, y)
    return {
        "versions": versions(peer.NAME),
        "kernel": answer["stats"].get("kernel"),
        "rows": X.shape[0],
        "columns": X.shape[1],
        "seconds": min(repeats),
        "repeats": repeats,
        "rss_growth": growth,
        **answer,
    }


if __name__ == "__main__":
    job = json.loads(sys.argv[1])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {job["core"]})
    print(json.dumps(measure(job)))
