"""Files after a failed or stopped command, and closed streams."""

import json
import sys
import types
from pathlib import Path

import pytest
from cli.tools import PIPE, ok, run, start

import murtree.cli
from murtree import Model
from murtree.cli.commands import predict

FULL = Path("/dev/full")
FIT = ("fit", "iris.csv", "-t", "species", "-d", 2)
FRONTIER = ("frontier", "iris.csv", "-t", "species", "-d", 2)
TUNE = ("tune", "iris.csv", "-t", "species", "-d", 1, "--folds", 2)
pytestmark = pytest.mark.usefixtures("iris")
needs_full = pytest.mark.skipif(not FULL.exists(), reason="no full device here")


def stop(*_, **__):
    raise KeyboardInterrupt


@pytest.mark.parametrize("command", [FIT, TUNE])
def test_interrupted_while_the_tree_is_printed(command, monkeypatch):
    monkeypatch.setattr("murtree.cli.tree_view.TreePrinter.text", stop)
    done = run(*command, "-o", "m.json")
    assert (done.code, done.err) == (130, "error: interrupted. m.json was written.\n")
    assert Model.load("m.json").tree.n_nodes > 0
    done = run(*command)
    assert (done.code, done.err) == (130, "error: interrupted. No file was written.\n")


def test_interrupted_after_two_files(monkeypatch):
    monkeypatch.setattr("murtree.cli.commands.frontier._print_frontier", stop)
    done = run(*FRONTIER, "-o", "m.json", "--plot", "p.svg")
    shown = "error: interrupted. m.json and p.svg were written.\n"
    assert (done.code, done.err) == (130, shown)
    assert Path("p.svg").read_text(encoding="utf-8").startswith("<?xml")


def test_interrupted_between_two_pieces(monkeypatch):
    ok(*FIT, "-o", "m.json", "-q")
    monkeypatch.setattr("murtree.cli.tables.records.BLOCK", 1000)
    real, calls = predict.predicted, []

    def second_stops(*arguments):
        calls.append(1)
        return real(*arguments) if len(calls) == 1 else stop()

    monkeypatch.setattr(predict, "predicted", second_stops)
    done = run("predict", "m.json", "iris.csv")
    assert done.out.startswith("prediction\n")
    shown = "error: interrupted. The output is not complete.\n"
    assert (done.code, done.err) == (130, shown)
    calls.clear()
    done = run("predict", "m.json", "iris.csv", "-o", "out.csv")
    assert (done.code, done.err) == (130, "error: interrupted. No file was written.\n")
    assert not Path("out.csv").exists()


def test_interrupted_while_modules_are_imported(monkeypatch, capsys):
    class Slow(types.ModuleType):
        def __getattr__(self, name):
            raise KeyboardInterrupt

    monkeypatch.setitem(sys.modules, "murtree.cli.app", Slow("murtree.cli.app"))
    with pytest.raises(SystemExit) as ended:
        murtree.cli.main(["--version"])
    assert ended.value.code == 130
    assert capsys.readouterr() == ("", "")


@needs_full
@pytest.mark.parametrize(
    ("command", "option", "proof"),
    [(FIT, "--report", "Proven optimal"), (FRONTIER, "--plot", "errors")],
)
def test_a_later_file_on_a_full_disk(command, option, proof):
    target = Path("full.svg")
    target.symlink_to(FULL)
    done = run(*command, "-o", "m.json", option, target)
    shown = "error: full.svg: no space left on device. m.json was written.\n"
    assert (done.code, done.err) == (2, shown)
    assert proof in done.out
    assert "wrote m.json" in done.out
    assert "wrote full.svg" not in done.out
    assert Model.load("m.json").tree.n_nodes == 2


@needs_full
def test_a_full_disk_is_named():
    ok(*FIT, "-o", "m.json", "-q")
    Path("full").symlink_to(FULL)
    for command in (
        ("predict", "m.json", "iris.csv", "-o", "full"),
        ("export", "m.json", "--to", "c", "-o", "full"),
        ("report", "m.json", "-o", "full"),
        (*TUNE, "-o", "full"),
    ):
        done = run(*command)
        assert (done.code, done.err) == (2, "error: full: no space left on device.\n")
        assert "wrote" not in done.out


@needs_full
def test_stdout_on_a_full_disk():
    ok(*FIT, "-o", "m.json", "-q")
    with FULL.open("wb") as full:
        for command, more in (
            (("show", "m.json"), ""),
            ((*FIT, "-o", "n.json", "--json"), " n.json was written."),
        ):
            with start(*command, stdout=full, stderr=PIPE, text=True) as process:
                _, err = process.communicate()
            shown = f"error: standard output: no space left on device.{more}\n"
            assert (process.returncode, err) == (2, shown)


@pytest.mark.parametrize(
    ("closed", "arguments", "code", "shown"),
    [
        ("0<&-", "fit - -t y", 2, "error: standard input is closed.\n"),
        ("1>&-", "show m.json", 2, "error: standard output is closed\n"),
        ("1>&-", "--version", 2, "error: standard output is closed\n"),
        ("2>&-", "show nope.json", 2, ""),
        ("2>&- 1>&- 0<&-", "show m.json", 2, ""),
        ("2>&- 0<&-", "show m.json", 0, ""),
    ],
)
def test_closed_streams(closed, arguments, code, shown):
    ok(*FIT, "-o", "m.json", "-q")
    with start(*arguments.split(), shell_more=closed, stderr=PIPE, text=True) as done:
        _, err = done.communicate()
    assert (done.returncode, err) == (code, shown)


def test_a_dash_is_stdout_for_export():
    ok(*FIT, "-o", "m.json", "-q")
    plain = ok("export", "m.json", "--to", "c")
    assert ok("export", "m.json", "--to", "c", "-o", "-").out == plain.out
    assert not Path("-").exists()


@pytest.mark.parametrize("number", [10**400, -(10**400)])
def test_numbers_beyond_float_are_damage(number):
    ok(*FIT, "-o", "m.json", "-q")
    saved = json.loads(Path("m.json").read_text(encoding="utf-8"))
    saved["proof"]["objective"] = number
    Path("m.json").write_text(json.dumps(saved), encoding="utf-8")
    done = run("show", "m.json")
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "m.json is not a model that this version of murtree can read" in done.err


@pytest.mark.parametrize(
    "command",
    [
        ("fit", "-", "-t", "species", "-d", 1),
        ("frontier", "-", "-t", "species", "-d", 1),
        ("tune", "-", "-t", "species", "-d", 1),
        ("predict", "m.json", "-"),
    ],
    ids=lambda command: command[0],
)
def test_a_file_read_as_standard_input_is_not_replaced(command):
    ok(*FIT, "-o", "m.json", "-q")
    path = Path("iris.csv")
    content = path.read_bytes()
    with path.open("rb") as file:
        process = start(*command, "-o", "iris.csv", stdin=file, stderr=PIPE)
        _, err = process.communicate()
    assert process.returncode == 2
    assert b"'iris.csv' is read or written by this command already" in err
    assert path.read_bytes() == content


def test_a_file_is_not_replaced_under_another_name():
    Path("hard.csv").hardlink_to("iris.csv")
    Path("soft.csv").symlink_to("iris.csv")
    for name in ("hard.csv", "soft.csv"):
        done = run(*FIT, "-o", name)
        assert done.code == 2
        assert "is read or written by this command already" in done.err
    ok(*FIT, "-o", "m.json", "-q")
    ok(*FIT, "-o", "m.json", "-q")  # an output of an earlier command is replaced
