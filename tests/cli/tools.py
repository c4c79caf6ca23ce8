"""Run the command line, in this process or in another one."""

import io
import os
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
from sklearn.datasets import load_iris

import murtree
from murtree import Model, OptimalTreeClassifier
from murtree.cli.app import run as run_app

PIPE = subprocess.PIPE
# Iris at depth two:
CLASSES = """\
class       rows  recall  as setosa  as versicolor  as virginica
setosa        50    100%         50              0             0
versicolor    50     98%          0             49             1
virginica     50     90%          0              5            45
"""
TREE = """\
all 150 rows
├─ petal length <= 2.4     setosa      ██████████  0 of 50 wrong
└─ petal length > 2.4
   ├─ petal width <= 1.75  versicolor  █████████░  5 of 54 wrong
   └─ petal width > 1.75   virginica   ██████████  1 of 46 wrong
"""


@dataclass
class Done:
    code: int
    out: str
    err: str


def run(*arguments, stdin=b"", encoding="utf-8"):
    """Run a command in this process, which saves the time of imports."""
    streams = [io.TextIOWrapper(io.BytesIO(), encoding=encoding) for _ in range(2)]
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin = io.TextIOWrapper(io.BytesIO(stdin))
    sys.stdout, sys.stderr = streams
    try:
        code = run_app([str(argument) for argument in arguments])
    finally:
        sys.stdin, sys.stdout, sys.stderr = before
    texts = []
    for stream in streams:
        stream.flush()
        texts.append(stream.buffer.getvalue().decode(encoding))
    return Done(code, *texts)


def ok(*arguments, **more):
    """Run a command that must succeed."""
    done = run(*arguments, **more)
    assert done.code == 0, done.err
    return done


def start(*arguments, env_more=None, shell_more="", **more):
    """Start a command in another process, which handles Ctrl-C.

    `shell_more` redirects its streams in a shell, such as "2>&-". Background jobs
    without job control ignore Ctrl-C, and so do their children.
    """
    environment = dict(os.environ) | {"PYTHONPATH": _path()} | (env_more or {})
    command = [sys.executable, "-m", "murtree.cli", *map(str, arguments)]
    if shell_more:
        command = ["sh", "-c", f'exec "$@" {shell_more}', "sh", *command]
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        return subprocess.Popen(command, env=environment, **more)
    finally:
        signal.signal(signal.SIGINT, before)


def _path():
    """Return the folder of this murtree, installed or not."""
    return str(Path(murtree.__file__).parents[1])


def write_iris(path):
    """Write iris as CSV with the names of the species."""
    data = load_iris()
    header = ["sepal length", "sepal width", "petal length", "petal width", "species"]
    lines = [",".join(header)]
    for row, label in zip(data.data, data.target, strict=True):
        lines.append(",".join([*map(str, row), str(data.target_names[label])]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def write_models(folder):
    """Write iris, a model with all sizes, and a model with a single size."""
    frame = pd.read_csv(write_iris(folder / "iris.csv"))
    X, y = frame.drop(columns="species"), frame["species"]
    for name, has_all in (("all", True), ("one", False)):
        clf = OptimalTreeClassifier(max_depth=2, frontier=has_all).fit(X, y)
        Model.of(clf, target="species").save(folder / f"{name}.json")
    return folder


def write_hard(path, n_columns=60):
    """Write noise, for which a deep tree takes long to prove."""
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (2000, n_columns + 1))
    header = [*(f"c{index}" for index in range(n_columns)), "y"]
    lines = [",".join(header), *(",".join(map(str, row)) for row in rows.tolist())]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path
