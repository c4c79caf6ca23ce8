"""Time systems on data sets: every (set, depth) by each system in turn, on one core.

    python benchmarks/run.py --suite short --out build/short.jsonl

Each measurement runs in a process of its own (measure.py) and becomes one JSON line.
"""

import argparse
import importlib
import json
import os
import platform
import subprocess
import sys
import tempfile
import tomllib
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent
SUITES = tomllib.loads((HERE / "suite.toml").read_text())
SYSTEMS = ["murtree", "streed", "cart"]


def parse_arguments():
    parser = argparse.ArgumentParser(description="Time systems on data sets.")
    add = parser.add_argument
    add("--suite", choices=SUITES, default="short")
    add("--systems", nargs="+", choices=SYSTEMS, default=SYSTEMS, help="default: all")
    add("--only", nargs="+", default=["*"], metavar="SET", help="names or patterns")
    add("--repeat", type=int, default=3, help="fits a measurement while under 1 s")
    add("--out", type=Path, metavar="FILE.jsonl", help="default: build/SUITE.jsonl")
    return parser.parse_args()


def is_installed(system):
    try:
        importlib.import_module(f"peers.{system}")
    except ImportError as error:
        print(f"skipping {system}: {error}", file=sys.stderr)
        return False
    return True


def data_sets(suite, only):
    """Name and path of each set that both the suite and --only name."""
    folder = os.environ.get("MURTREE_DATA") or ROOT.parent / "shared" / "datasets"
    paths = sorted(Path(folder, "binary").glob("*.txt.gz"))
    if not paths:
        sys.exit(
            f"No data sets in {Path(folder, 'binary')}. Please set MURTREE_DATA to the "
            "folder that holds binary/*.txt.gz (see benchmarks/README.md)."
        )
    named = {path.name.removesuffix(".txt.gz"): path for path in paths}
    for patterns in (suite["sets"], only):
        named = {
            name: path
            for name, path in named.items()
            if any(fnmatch(name, pattern) for pattern in patterns)
        }
    return named


def machine():
    """What every line says about where it was measured."""
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
    """The last core that we may use: the first one serves most interrupts."""
    return max(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else None


def measure(job):
    """One measurement in its own process; a failure is recorded, not raised."""
    try:
        done = subprocess.run(
            [sys.executable, HERE / "measure.py", json.dumps(job)],
            capture_output=True,
            text=True,
            check=True,
            timeout=2 * job["time_limit"] + 60,
        )
        return json.loads(done.stdout.splitlines()[-1])
    except subprocess.TimeoutExpired:
        failure = "ended by us: it ignored its time limit"
    except subprocess.CalledProcessError as error:
        failure = (error.stderr.splitlines() or [f"exit status {error.returncode}"])[-1]
    return {"failure": failure, "seconds": None, "errors": None, "optimal": False}


def measurements(suite, sets, systems, repeat):
    """Yield one row a measurement, the systems in turn for each set and depth."""
    with tempfile.TemporaryDirectory() as folder:
        common = {"time_limit": suite["time_limit"], "repeat": repeat}
        files = {"X": f"{folder}/X.npy", "y": f"{folder}/y.npy", "core": last_core()}
        for name, path in sets.items():
            data = np.loadtxt(path, dtype=np.int32)  # class f1 f2 …
            np.save(files["X"], data[:, 1:])
            np.save(files["y"], data[:, 0])
            for depth in suite["depths"]:
                for system in systems:
                    row = {"system": system, "set": name, "depth": depth, **common}
                    yield row | measure(row | files)


def describe(row):
    head = f"{row['set']:28} depth {row['depth']}  {row['system']:8}"
    if row["seconds"] is None:
        return f"{head} failed: {row['failure']}"
    proved = "proved" if row["optimal"] else "not proved"
    return f"{head} {row['seconds']:10.4f} s {row['errors']:6} errors, {proved}"


def main():
    arguments = parse_arguments()
    suite = SUITES[arguments.suite]
    sets = data_sets(suite, arguments.only)
    systems = [system for system in arguments.systems if is_installed(system)]
    out = arguments.out or ROOT / "build" / f"{arguments.suite}.jsonl"
    out.parent.mkdir(parents=True, exist_ok=True)
    where = machine()
    with out.open("w") as lines:
        for row in measurements(suite, sets, systems, arguments.repeat):
            print(json.dumps(where | row), file=lines, flush=True)
            print(describe(row), flush=True)
    print(f"wrote {out}; next: python benchmarks/compare.py {out}")


if __name__ == "__main__":
    main()
