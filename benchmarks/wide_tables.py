"""Test the limits on time and memory, and Ctrl-C, on tables with very many columns.

    python benchmarks/wide_tables.py                    # the whole table, some minutes
    python benchmarks/wide_tables.py --only accuracy --shape 1000x20000

Each line is one `solve` in a separate process, on random 0/1 columns: seconds beyond
the time limit, growth of the resident memory since the solver was created (as a share
of the memory limit), and the delay of the exception after SIGINT. The limits are 0.2 s,
1.2 and 0.2 s; a line that exceeds one ends with "!".
"""

import argparse
import contextlib
import json
import signal
import subprocess
import sys
import threading
import time
import warnings
from pathlib import Path

import numpy as np

import murtree

SHAPES = ((1000, 20_000), (300, 50_000))
MEGABYTE = 10**6
MANNERS = {
    "accuracy": {},
    "frontier": {},
    "min_samples_leaf": {"min_samples_leaf": 5},
    "fewest_nodes": {"fewest_nodes": True},
    "cost_complexity": {"cost_complexity": 0.01},
    "three classes": {},
    "costs": {},
    "squared_error": {},
    "absolute_error": {},
    "f1": {},
    "estimator": {},
}
MEMORY = (50, 500)  # megabytes
SECONDS = (0.1, 1.0)


def memory_of_process(peak=False):
    """Return the resident bytes of this process now, or the peak since reset_peak."""
    name = "VmHWM" if peak else "VmRSS"
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise OSError(f"/proc/self/status has no {name}")


def reset_peak():
    """Reset the peak; see proc(5)."""
    Path("/proc/self/clear_refs").write_text("5")


def problem(kind, n_rows, n_columns):
    """Return a function that solves a problem, given depth and limits."""
    rng = np.random.default_rng(1)
    X = rng.integers(0, 2, (n_rows, n_columns), dtype=np.uint8)
    y = rng.integers(0, 3 if kind == "three classes" else 2, n_rows)
    if kind == "f1":
        solver = murtree.MetricSolver(X, y)
        return lambda depth, **limits: solver.solve("f1", depth, **limits)
    if kind == "estimator":
        make = murtree.OptimalTreeClassifier
        return lambda depth, **limits: make(
            max_depth=depth, binarizer=None, **limits
        ).fit(X, y)
    objective = "accuracy"
    if kind in ("squared_error", "absolute_error"):
        objective, y = kind, rng.integers(0, 9, n_rows)
    elif kind == "costs":
        objective = [[0, 2.5], [1, 0]]
    solver = murtree.Solver(X, y, objective=objective)
    if kind == "frontier":
        return solver.frontier
    return lambda depth, **limits: solver.solve(depth, **MANNERS[kind], **limits)


def measure(case):
    """Solve once, and return the measurements as a dict; call it in a new process."""
    kind, n_rows, n_columns, depth, seconds, memory, interrupts = case
    warnings.simplefilter("ignore")
    problem(kind, 20, 10)(depth)  # imports
    start = time.perf_counter()
    ask = problem(kind, n_rows, n_columns)
    made = time.perf_counter() - start
    before = memory_of_process()
    reset_peak()
    sent = []
    if interrupts:
        # Background processes of a script ignore Ctrl-C by default.
        signal.signal(signal.SIGINT, signal.default_int_handler)

        def interrupt():
            sent.append(time.perf_counter())
            signal.raise_signal(signal.SIGINT)

        threading.Timer(seconds / 2, interrupt).start()
        seconds = 1000.0
    start = time.perf_counter()
    answer = None
    with contextlib.suppress(KeyboardInterrupt):
        answer = ask(depth, time_limit=seconds, memory_limit=memory * MEGABYTE)
    end = time.perf_counter()
    return {
        "made": made,
        "took": end - start,
        "late": end - (sent[0] if sent else start + seconds),
        "grew": (memory_of_process(peak=True) - before) / (memory * MEGABYTE),
        "status": "interrupted" if answer is None else getattr(answer, "status", ""),
    }


def line_of(case):
    """Measure in a separate process, and return the case as a line of the table."""
    done = subprocess.run(
        [sys.executable, __file__, "--case", json.dumps(case)],
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    if done.returncode:
        return f"{case}: {done.stderr.strip().splitlines()[-1:]} !"
    found = json.loads(done.stdout)
    kind, n_rows, n_columns, depth, seconds, memory, interrupts = case
    misses = found["late"] > 0.2 or found["grew"] > 1.2
    limit = "Ctrl-C" if interrupts else f"{seconds:g} s"
    return (
        f"{kind:16} {n_rows:5} x {n_columns:5} {depth:5} {limit:>7} {memory:5} MB "
        f"{found['took']:8.2f} {max(found['late'], 0):7.2f} {found['grew']:7.2f} "
        f"{found['made']:7.2f}  {found['status']}{' !' if misses else ''}"
    )


def cases(only, shapes):
    """Return every case as a tuple for `measure`."""
    everything = []
    for kind in MANNERS if only is None else only:
        for n_rows, n_columns in shapes:
            for depth in (1, 2, 3):
                for memory in MEMORY:
                    everything += [
                        (kind, n_rows, n_columns, depth, seconds, memory, False)
                        for seconds in SECONDS
                    ]
                if depth > 1:
                    everything.append((kind, n_rows, n_columns, depth, 0.5, 500, True))
    return everything


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=MANNERS, action="append")
    parser.add_argument("--shape", action="append", help="such as 1000x20000")
    parser.add_argument("--quick", action="store_true", help="two cases of each kind")
    parser.add_argument("--case", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.case:
        print(json.dumps(measure(json.loads(given.case))))
        return
    shapes = SHAPES
    if given.shape:
        shapes = [tuple(map(int, shape.split("x"))) for shape in given.shape]
    print(
        f"{'':16} {'table':>13} {'depth':>5} {'limit':>7} {'memory':>8} {'took':>8} "
        f"{'late':>7} {'memory':>7} {'made':>7}"
    )
    chosen = cases(given.only, shapes)
    if given.quick:
        chosen = [case for case in chosen if case[3:6] in {(2, 0.1, 50), (3, 0.5, 500)}]
    for case in chosen:
        print(line_of(case), flush=True)


if __name__ == "__main__":
    main()
