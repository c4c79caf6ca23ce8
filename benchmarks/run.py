"""Time systems on data sets: each problem with each system in turn, on one core.

    python benchmarks/run.py --suite short --out build/short.jsonl

A problem is a set, a task (a tree, a frontier of trees, a sparse tree, a tree of least
squared error, one of the best F1, a small perfect tree), and a depth or a penalty. Each
measurement runs in a separate process (measure.py), in the system's own virtual
environment if it has one, and becomes one JSON line.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import tomllib
from fnmatch import fnmatch
from itertools import product
from pathlib import Path

import numpy as np
from compare import VALUE_TASKS, shared_its_core
from measure import PERFECT_TASKS
from sets import KINDS, ROOT

HERE = Path(__file__).resolve().parent
SUITES = tomllib.loads((HERE / "suite.toml").read_text())
SYSTEMS = sorted(path.stem for path in (HERE / "peers").glob("*.py"))


def parse_arguments():
    parser = argparse.ArgumentParser(description="Time systems on data sets.")
    add = parser.add_argument
    add("--suite", choices=SUITES, default="short")
    add("--systems", nargs="+", choices=SYSTEMS, help="default: all of the suite")
    add("--only", nargs="+", default=["*"], metavar="SET", help="names or patterns")
    add("--repeat", type=int, default=3, help="fits a measurement while under 1 s")
    add("--out", type=Path, metavar="FILE.jsonl", help="default: build/SUITE.jsonl")
    add("--append", action="store_true", help="keep the lines that --out has")
    add(
        "--resume", action="store_true", help="only what --out lacks or shared its core"
    )
    return parser.parse_args()


def python_of(system):
    """Return the interpreter of the system's own environment, or ours."""
    own = HERE / ".venvs" / system / "bin" / "python"
    return own if own.exists() else sys.executable


def is_installed(system):
    command = [python_of(system), "-c", f"import peers.{system}"]
    tried = subprocess.run(
        command, cwd=HERE, capture_output=True, text=True, check=False
    )
    if tried.returncode:
        print(f"skipping {system}: {tried.stderr.splitlines()[-1]}", file=sys.stderr)
    return tried.returncode == 0


def data_sets(suite, only):
    """Return the loader of each set that is in both the suite and --only."""
    known = KINDS[suite.get("data", "binary")]()
    return {
        name: load
        for pattern in suite["sets"]  # in the order of the suite
        for name, load in known.items()
        if fnmatch(name, pattern) and any(fnmatch(name, other) for other in only)
    }


def machine():
    """Return the description of the machine for every line."""
    git = ["git", "-C", ROOT, "describe", "--always", "--dirty"]
    described = subprocess.run(git, capture_output=True, text=True, check=False)
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    models = [line.split(": ")[1] for line in lines if line.startswith("model name")]
    return {
        "commit": described.stdout.strip() or None,
        "cpu": models[0] if models else platform.processor(),
    }


def last_core():
    """Return the last available core: the first one handles most interrupts."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def measure(job):
    """Run one measurement in its own process; failures are recorded, not raised."""
    try:
        done = subprocess.run(
            [python_of(job["system"]), HERE / "measure.py", json.dumps(job)],
            capture_output=True,
            text=True,
            check=True,
            timeout=1.5 * job["time_limit"] + 30,
        )
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        status, failure = "killed", "ended by us: it ignored its time limit"
    except subprocess.CalledProcessError as error:
        status = "failed"
        failure = (error.stderr.splitlines() or [f"exit status {error.returncode}"])[-1]
    unknown = dict.fromkeys(("seconds", "errors", "nodes", "objective", "lower_bound"))
    return {"status": status, "failure": failure, "optimal": False, **unknown}


def problem_of(row):
    return tuple(row.get(key) for key in ("set", "task", "depth", "penalty", "system"))


def answered(path):
    """Return the problems for which a file has an undisturbed line."""
    lines = path.read_text().splitlines() if path.exists() else []
    rows = map(json.loads, lines)
    return {problem_of(row) for row in rows if not shared_its_core(row)}


def problems(suite, name, systems):
    """Yield set, task, depth, penalty and system of each measurement on one set."""
    deepest = suite.get("deepest", {}).get(name)
    depths = suite.get("depths", [None])
    depths = [depth for depth in depths if deepest is None or depth <= deepest]
    sizes = list(product(depths, suite.get("penalties", [None])))
    for (depth, penalty), task in product(sizes, suite["tasks"]):
        for system in suite["tasks"][task]:
            is_skipped = name in suite.get("skip", {}).get(system, [])
            if system in systems and not is_skipped:
                problem = {"task": task, "depth": depth, "penalty": penalty}
                yield {"system": system, "set": name, **problem}


def measurements(suite, sets, systems, repeat, known):
    """Yield one row per measurement, the systems in turn for each new problem."""
    with tempfile.TemporaryDirectory() as folder:
        common = {"time_limit": suite["time_limit"], "repeat": repeat}
        files = {"X": f"{folder}/X.npy", "y": f"{folder}/y.npy", "core": last_core()}
        for name, load in sets.items():
            wanted = problems(suite, name, systems)
            left = [row for row in wanted if problem_of(row) not in known]
            if not left:
                continue
            X, y = load()
            np.save(files["X"], X)
            np.save(files["y"], y)
            for row in left:
                yield row | common | measure(row | common | files)


def describe(row):
    limits = [f"{name} {row[name]}" for name in ("depth", "penalty") if row[name]]
    limits = " ".join(limits)
    head = f"{row['set']:28} {row['task']:10} {limits:13} {row['system']:11}"
    if row["seconds"] is None:
        return f"{head} {row['status']}: {row['failure']}"
    if row["nodes"] is None:
        return f"{head} {row['seconds']:10.4f} s no tree, {row['status']}"
    is_count = row["task"] not in VALUE_TASKS
    cost = f"{row['errors']} errors" if is_count else f"loss {row['objective']:.9g}"
    tail = f"{cost:>16}, {row['nodes']:2} nodes, {row['status']}"
    return f"{head} {row['seconds']:10.4f} s {tail}"


def comparison(tasks, out):
    """Return the command that compares the lines of these tasks."""
    if set(tasks) <= set(PERFECT_TASKS):
        return f"tables.py {out.stem} --results {out.parent}"
    if set(tasks) <= set(VALUE_TASKS):
        return f"compare_values.py {out}"
    script = "compare.py" if list(tasks) == ["tree"] else "compare_tasks.py"
    return f"{script} {out}"


def main():
    arguments = parse_arguments()
    suite = SUITES[arguments.suite]
    sets = data_sets(suite, arguments.only)
    able = {system: None for task in suite["tasks"].values() for system in task}
    wanted = [system for system in able if system in (arguments.systems or able)]
    systems = [system for system in wanted if is_installed(system)]
    out = arguments.out or ROOT / "build" / f"{arguments.suite}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    where = machine()
    known = answered(out) if arguments.resume else set()
    mode = "a" if arguments.append or arguments.resume else "w"
    with out.open(mode) as lines:
        for row in measurements(suite, sets, systems, arguments.repeat, known):
            print(json.dumps(where | row), file=lines, flush=True)
            print(describe(row), flush=True)
    print(f"wrote {out}; next: python benchmarks/{comparison(suite['tasks'], out)}")


if __name__ == "__main__":
    main()
