"""Measure the time of `murtree` from a CSV file to a stump, compared with pandas.

For three tables: reading the file, by `pandas.read_csv` and by the reader of the
command line; and `murtree fit` with depth 1, minus the same command on the first ten
rows, which is the start-up time. CPU and wall-clock seconds, best of three.

    python benchmarks/csv_reading.py
"""

import resource
import subprocess
import sys
import tempfile
import time
from itertools import islice
from pathlib import Path

import numpy as np
import pandas as pd

from murtree.cli.tables import read_table

REPEATS = 3
MOST_READING, MOST_FITTING = 2, 10  # multiples of the reading time of pandas


def mixed(rng, n_rows=300_000):
    """Return floats, integers, text, dates, and a text target."""
    days = np.datetime64("2020-01-01") + rng.integers(0, 1500, n_rows)
    amount = rng.normal(100, 20, n_rows).round(2)
    return pd.DataFrame(
        {
            "amount": amount,
            "age": rng.integers(18, 90, n_rows),
            "colour": rng.choice(["red", "green", "blue"], n_rows),
            "joined": days.astype(str),
            "y": np.where(amount + rng.normal(0, 20, n_rows) > 110, "yes", "no"),
        }
    )


def numbers(rng, n_rows=100_000, n_columns=50):
    """Return columns of numbers, the last of them the target."""
    values = rng.normal(size=(n_rows, n_columns - 1)).round(4)
    frame = pd.DataFrame(values, columns=[f"x{k}" for k in range(n_columns - 1)])
    return frame.assign(y=(values[:, 0] + rng.normal(size=n_rows) > 0).astype(int))


def missing(rng, n_rows=1_000_000):
    """Return numbers and text of which a tenth is missing."""
    columns = {f"x{k}": rng.normal(size=n_rows).round(3) for k in range(4)}
    columns["k"] = rng.integers(0, 1000, n_rows)
    columns["c"] = rng.choice(list("abcdefgh"), n_rows)
    frame = pd.DataFrame(columns).convert_dtypes()
    frame = frame.mask(rng.random(frame.shape) < 0.1)
    frame["z"] = rng.integers(0, 2, n_rows)
    return frame.assign(y=(columns["x0"] + rng.normal(size=n_rows) > 0).astype(int))


TABLES = {
    "300,000 x 5 mixed": mixed,
    "100,000 x 50 numbers": numbers,
    "1,000,000 x 8 with missing values": missing,
}


def seconds(work):
    """Return the minimum CPU and wall-clock seconds, including child processes."""
    found = []
    for _ in range(REPEATS):
        cpu, wall = cpu_seconds(), time.perf_counter()
        work()
        found.append((cpu_seconds() - cpu, time.perf_counter() - wall))
    return np.min(found, axis=0)


def cpu_seconds():
    kinds = resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in used)


def fit(path):
    command = [sys.executable, "-m", "murtree.cli", "fit", path, "-t", "y", "-d", "1"]
    subprocess.run([*command, "--quiet"], check=True, stdout=subprocess.DEVNULL)


def measure(path):
    """Yield each step, its seconds, and the multiple of those of pandas."""
    pandas = seconds(lambda: pd.read_csv(path))
    ours = seconds(lambda: read_table(path))
    first = path.with_name("first.csv")
    with path.open() as file:
        first.write_text("".join(islice(file, 11)))
    fitting = seconds(lambda: fit(path)) - seconds(lambda: fit(first))
    yield "pandas.read_csv", pandas, 1
    yield "read_table", ours, MOST_READING
    yield "murtree fit -d 1", fitting, MOST_FITTING


def main():
    print("| table | | CPU, s | wall, s | times pandas: CPU | wall | at most |")
    print("|---|---|--:|--:|--:|--:|--:|")
    with tempfile.TemporaryDirectory() as folder:
        for name, make in TABLES.items():
            path = Path(folder) / "data.csv"
            make(np.random.default_rng(0)).to_csv(path, index=False)
            pandas = None
            for what, (cpu, wall), most in measure(path):
                pandas = pandas or (cpu, wall)
                times = f"{cpu / pandas[0]:.2f} | {wall / pandas[1]:.2f} | {most}"
                print(f"| {name} | {what} | {cpu:.2f} | {wall:.2f} | {times} |")


if __name__ == "__main__":
    main()
