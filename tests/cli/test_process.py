"""Processes: Ctrl-C, pipes, terminals, exit codes, start-up time, completion."""

import contextlib
import fcntl
import importlib
import json
import os
import pty
import re
import resource
import select
import signal
import struct
import subprocess
import sys
import termios
import time
import tomllib

import pytest
from cli.tools import start, write_hard, write_iris, write_models
from repository import ROOT

from murtree import Model

PATIENCE = 60.0  # seconds, on a busy machine
PIPE = subprocess.PIPE
HEAVY = {"numpy", "pandas", "sklearn", "scipy", "matplotlib", "murtree._core"}


@pytest.fixture
def hard(tmp_path):
    return write_hard(tmp_path / "hard.csv")


def test_interrupt_keeps_the_best_tree(hard):
    arguments = ("fit", hard, "-t", "y", "-d", 7, "-o", "m.json", "--progress", "plain")
    with start(*arguments, stdout=PIPE, stderr=PIPE, text=True) as process:
        line = ""
        while "best " not in line:  # the search has started
            line = process.stderr.readline()
            assert line, "the search ended by itself"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "Not proven optimal" in out
    assert re.search(r"\(gap \d+\.\d%\)", out)
    assert "The search was stopped before its end." in out
    assert "wrote m.json" in out
    assert "Traceback" not in err
    model = Model.load("m.json")
    assert model.proof.status == "interrupted"
    assert model.tree.n_nodes > 0


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupt_keeps_the_sizes_that_were_compared(hard, jobs):
    arguments = ("tune", hard, "-t", "y", "-d", 7, "--folds", 2, "-o", "m.json")
    arguments += ("--jobs", jobs, "--strategy", "all")
    with start(
        *arguments, "--progress", "plain", stdout=PIPE, stderr=PIPE, text=True
    ) as process:
        line = ""
        while "now at depth 3" not in line:
            line = process.stderr.readline()
            assert line, "the comparison ended by itself"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    depth = int(re.search(r"sizes beyond depth (\d) were not compared", err)[1])
    assert 2 <= depth < 7
    assert "searching for the chosen size on all rows" in err
    assert "chosen" in out
    assert "Traceback" not in err
    assert Model.load("m.json").tree.depth <= depth


def test_interrupt_keeps_the_family_that_was_compared(hard):
    arguments = ("tune", hard, "-t", "y", "-d", 4, "--folds", 2, "-o", "m.json")
    with start(
        *arguments, "--progress", "plain", stdout=PIPE, stderr=PIPE, text=True
    ) as process:
        line = ""
        while "2 of 4 searches done, now for targets of a forest" not in line:
            line = process.stderr.readline()
            assert line, "the comparison ended by itself"
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert "trees fitted to the predictions of a forest were not compared" in err
    assert "chosen: labels" in out
    assert "forest: trees" not in out
    assert Model.load("m.json").teacher is None


def read_until(master, words, seen=b""):
    """Return the output on a terminal until some words appear."""
    end = time.monotonic() + PATIENCE
    while not all(word in seen for word in words):
        assert time.monotonic() < end, seen.decode()
        if select.select([master], [], [], 1.0)[0]:
            try:
                seen += os.read(master, 4096)
            except OSError:  # the other end is closed
                break
    return seen


def test_progress_and_ctrl_c_on_a_terminal(hard):
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 100, 0, 0))
    process = start(
        *("fit", hard, "-t", "y", "-d", 7, "-o", "m.json"),
        stdin=slave,
        stdout=slave,
        stderr=slave,
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(slave)
    try:
        seen = read_until(master, [b"searching", b"best so far"])
        os.write(master, b"\x03")
        seen = read_until(master, [b"next: murtree show"], seen)
        assert process.wait(PATIENCE) == 130
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
        process.wait()
        os.close(master)
    assert b"\x1b[1;" in seen  # coloured, since this is a terminal
    assert b"Traceback" not in seen
    assert Model.load("m.json").proof.status == "interrupted"


def test_closed_pipe_is_not_an_error(tmp_path):
    data = write_iris(tmp_path / "iris.csv")
    arguments = ("fit", data, "-t", "species", "-d", 2)
    with start(*arguments, stdout=PIPE, stderr=PIPE) as process:
        process.stdout.close()
        err = process.stderr.read()
        assert process.wait(PATIENCE) == 141
    assert err == b""


def test_stdin_and_exit_codes(tmp_path):
    content = write_iris(tmp_path / "iris.csv").read_bytes()
    arguments = ("fit", "-", "-t", "species", "-d", 2, "--json")
    with start(*arguments, stdin=PIPE, stdout=PIPE, stderr=PIPE) as process:
        out, err = process.communicate(content, timeout=PATIENCE)
    assert (process.returncode, err) == (0, b"")
    assert json.loads(out)["objective"] == 6


def test_the_script_is_declared():
    path = ROOT / "pyproject.toml"
    project = tomllib.loads(path.read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["murtree"].partition(":")
    assert callable(getattr(importlib.import_module(module), name))


@pytest.mark.parametrize("arguments", [("--help",), ("fit", "--help")])
def test_help_imports_nothing_heavy(arguments, monkeypatch):
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with start(*arguments, stdout=PIPE, stderr=PIPE, text=True) as process:
        _, err = process.communicate(timeout=PATIENCE)
    imported = {line.rpartition("|")[2].strip() for line in err.splitlines()}
    assert "murtree.cli.app" in imported
    assert not imported & HEAVY


QUICK = [
    ("--help",),
    ("fit", "--help"),
    ("show", "one.json"),
    ("show", "one.json", "--rules"),
    ("predict", "one.json", "iris.csv", "--append", "--proba", "--explain"),
    ("export", "one.json", "--to", "sql"),
    ("fit", "iris.csv", "-t", "specis"),
    ("fit", "iris.csv"),
    ("fit", "irs.csv", "-t", "species"),
]


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    return write_models(tmp_path_factory.mktemp("models"))


@pytest.mark.parametrize("arguments", QUICK, ids=" ".join)
def test_little_is_imported_for_little_work(arguments, models, monkeypatch):
    """`show` and errors need only NumPy; pandas is for times and fits."""
    monkeypatch.setenv("PYTHONPROFILEIMPORTTIME", "1")
    with start(*arguments, stdout=PIPE, stderr=PIPE, text=True, cwd=models) as process:
        _, err = process.communicate(timeout=PATIENCE)
    imported = {line.rpartition("|")[2].strip() for line in err.splitlines()}
    assert "murtree.cli.app" in imported
    heavy = HEAVY - {"numpy", "murtree._core"} | {"pyarrow", "jinja2"}
    if arguments[0] == "predict":
        heavy -= {"pyarrow"}  # which reads the table
    assert not imported & heavy


def cpu_seconds(process):
    """Return the CPU time of a finished process and its children."""
    process.communicate(timeout=PATIENCE)
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@pytest.mark.slow
@pytest.mark.timing
@pytest.mark.parametrize("arguments", QUICK, ids=" ".join)
def test_start_is_hardly_slower_than_numpy(arguments, models):
    def seconds(started):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        return cpu_seconds(started()) - before.ru_utime - before.ru_stime

    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": models}
    plain = [sys.executable, "-c", "import numpy"]
    numpy = min(seconds(lambda: subprocess.Popen(plain, **quiet)) for _ in range(3))
    ours = min(seconds(lambda: start(*arguments, **quiet)) for _ in range(3))
    assert ours - numpy < 0.6


def complete(words, folder):
    """Return the completions in bash for the last word of a line."""
    environment = {
        "_MURTREE_COMPLETE": "complete_bash",
        "COMP_WORDS": " ".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    with start(stdout=PIPE, env_more=environment, cwd=folder) as process:
        out, _ = process.communicate(timeout=PATIENCE)
    return out.decode().splitlines()


def test_completion(tmp_path):
    write_iris(tmp_path / "iris.csv")
    (tmp_path / "model.json").write_text("{}")
    (tmp_path / "models").mkdir()
    assert "frontier" in complete(["murtree", "fr"], tmp_path)
    offered = complete(["murtree", "fit", "iris.csv", "--target", "pet"], tmp_path)
    assert offered == [r"petal\ length", r"petal\ width"]
    assert complete(["murtree", "show", "mod"], tmp_path) == ["model.json", "models/"]
    offered = complete(["murtree", "export", "model.json", "--to", "py"], tmp_path)
    assert offered == ["python"]
