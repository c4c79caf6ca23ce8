"""Compare trees on rows not seen: accuracy, AUC, log loss or R², size and time.

    make unseen-tables
    make benchmarks/.venvs/imodels/.installed   # an environment for one of the peers
    python benchmarks/unseen.py --out benchmarks/results/unseen.jsonl --jobs 2
    python benchmarks/unseen.py --most-rows 500 --methods cart-grid murtree-cv streed
    python benchmarks/unseen.py --compare --out ... --reference cart-any
    python benchmarks/unseen.py --half aside --out ...   # only at the end

Nested cross-validation on the tables of unseen_tables.py. Five outer folds, the same
for all methods, measure; a method that is tuned uses five inner folds of the training
rows, the same for all, too. unseen_models.py has the methods.

Writes one JSON line for each table and method, with the scores of each outer fold, the
leaves, and the seconds of the processor and of the clock. Small tables come first.
Existing lines are kept, so a run may be ended by Ctrl-C and started again. A peer that
fails, or takes too long, leaves a line that says so. At the end each method is compared
with the reference (unseen_compare.py).
"""

import argparse
import contextlib
import json
import os
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor, as_completed
from pathlib import Path

import numpy as np
from run import HERE, machine, python_of
from unseen_compare import SCORES, costs_of, lines_of, table_of
from unseen_models import FOR_CLASSES, METHODS, PACKAGES
from unseen_tables import read, set_aside, sources

PATIENCE = 500  # time limits in which a method must be done with a table


class Worker:
    """A process that measures one job after the other; started anew if it ends."""

    def __init__(self, python):
        self._command = [python, HERE / "unseen_models.py"]
        self._process = None

    def _started(self):
        if self._process is None or self._process.poll() is not None:
            self.close()
            self._process = subprocess.Popen(
                self._command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
                start_new_session=True,  # Ctrl-C is for us alone
            )
        return self._process

    def ask(self, name, method, limit):
        """Return the line of a job, or one with the reason why there is none."""
        process = self._started()
        clock = threading.Timer(PATIENCE * limit, process.kill)
        clock.start()
        try:
            print(json.dumps([name, method, limit]), file=process.stdin, flush=True)
            answer = process.stdout.readline()
        except OSError:
            answer = ""
        finally:
            clock.cancel()
        if answer:
            return json.loads(answer)
        failure = f"the process ended with {process.wait()}"
        return {"table": name, "method": method, "failure": failure}

    def close(self):
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            with contextlib.suppress(OSError):  # a job that it never read
                pipe.close()


def environment_of(method):
    return python_of(PACKAGES.get(method, "murtree"))


def is_installed(method):
    package = PACKAGES.get(method, "murtree")
    command = [environment_of(method), "-c", f"import {package}"]
    tried = subprocess.run(command, capture_output=True, check=False)
    if tried.returncode:
        print(f"skipping {method}: {package} is not installed", file=sys.stderr)
    return tried.returncode == 0


def answers(jobs, options):
    """Yield the lines of jobs as they are measured."""
    own, started = threading.local(), []

    def ask(name, method):
        workers = own.__dict__.setdefault("workers", {})
        python = environment_of(method)
        if python not in workers:
            workers[python] = Worker(python)
            started.append(workers[python])
        return workers[python].ask(name, method, options.time_limit)

    pool = ThreadPoolExecutor(options.jobs)
    try:
        for done in as_completed([pool.submit(ask, *job) for job in jobs]):
            yield done.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        for worker in started:
            worker.close()


def describe(line):
    head = f"{line['table']:16} {line['method']:16}"
    if "failure" in line:
        return f"{head} {line['failure']}"
    first = SCORES[line["is_regression"]][0]
    score, seconds = 100 * np.mean(line[first]), sum(line["seconds"])
    return f"{head} {first:8} {score:6.2f}, {seconds:8.1f} s"


def run(jobs, options):
    """Measure what is missing, and add a line for each."""
    where = machine()
    options.out.parent.mkdir(parents=True, exist_ok=True)
    with options.out.open("a", encoding="utf-8") as out:
        try:
            for line in answers(jobs, options):
                out.write(json.dumps(line | where) + "\n")
                out.flush()
                print(describe(line), flush=True)
        except KeyboardInterrupt:
            print("Ended; the lines so far are kept.", file=sys.stderr)


def missing(names, methods, known, *, retry):
    """Return the jobs that have no line: all methods of a table, then the next one."""
    measured = {key for key, line in known.items() if not (retry and "failure" in line)}
    jobs = [
        (name, method)
        for name in names
        for method in methods
        if not (sources()[name].is_regression and method in FOR_CLASSES)
    ]
    return [job for job in jobs if job not in measured]


def smallest_first(names, most_rows):
    """Return the tables of at most some rows by their number of values."""
    shapes = {name: read(name)[0].shape for name in names}
    few = [name for name, shape in shapes.items() if shape[0] <= most_rows]
    return sorted(few, key=lambda name: (np.prod(shapes[name]), name))


def parse_arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    add = parser.add_argument
    add("--out", type=Path, default=Path("build/unseen.jsonl"))
    add("--half", choices=["study", "aside"], default="study")
    add("--tables", nargs="+", metavar="TABLE", help="by default all of the half")
    add("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    add("--reference", choices=METHODS, default="cart-grid")
    add("--most-rows", type=int, default=10**9, help="leave larger tables out")
    add("--time-limit", type=float, default=10.0, help="of each search")
    add("--jobs", type=int, default=1)
    add("--retry", action="store_true", help="measure failures again")
    add("--compare", action="store_true", help="measure nothing")
    return parser.parse_args()


def main():
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    options = parse_arguments()
    aside = set_aside()
    half = aside if options.half == "aside" else set(sources()) - aside
    if not options.compare:
        chosen = [name for name in options.tables or half if name in half]
        names = smallest_first(chosen, options.most_rows)
        methods = [method for method in options.methods if is_installed(method)]
        known = lines_of(options.out)
        run(missing(names, methods, known, retry=options.retry), options)
    lines = {key: line for key, line in lines_of(options.out).items() if key[0] in half}
    for table in (table_of(lines, options.reference), costs_of(lines)):
        for cells in table:
            print("|", " | ".join(map(str, cells)), "|")
        print()


if __name__ == "__main__":
    main()
