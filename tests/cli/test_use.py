"""Use of a model: show, export, report; and the other commands."""

import io
import json
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cli.tools import CLASSES, TREE, ok, run
from rich.cells import cell_len
from rich.console import Console

from murtree import Model, OptimalTreeClassifier, Solver, export_text
from murtree._estimators.cv.compare import Stage
from murtree._progress.observer import ComparisonObserver
from murtree.cli.app import COMMANDS
from murtree.cli.commands import info
from murtree.cli.output import ASCII, Symbols
from murtree.cli.progress import Display
from murtree.cli.result import percent
from murtree.cli.tree_view import PALETTE, TreePrinter, _portions

UNICODE = Symbols()


def drawn(tree, width=80, symbols=UNICODE, **more):
    console = Console(file=io.StringIO(), width=width, **more)
    console.print(TreePrinter(tree, symbols).text(console))
    return console.file.getvalue()


def test_show(folder):
    done = ok("show", folder / "all.json")
    assert done.out == (
        f"A tree for 'species' with 2 nodes, depth 2\n\n{TREE}\n{CLASSES}\n"
        "Proven optimal: 6 of 150 misclassified. No tree of depth at most 2 over all "
        "thresholds does better.\n"
        "Covers all 119 thresholds of 4 columns.\n"
        "misclassified: training 4%\n"
        f"other sizes: murtree show {folder}/all.json --size 0 (up to 3)\n"
    )


def test_show_another_size(folder):
    done = ok("show", folder / "all.json", "--size", 1)
    assert "with 1 node, depth 1" in done.out
    assert "50 of 150 misclassified" in done.out
    assert "with at most 1 node," in done.out
    alone = ok("show", folder / "all.json", "--size", 0)
    assert "always  setosa  ████░░░░░░  100 of 150 wrong\n" in alone.out


def test_show_rules_plain_and_json(folder):
    rules = ok("show", folder / "one.json", "--rules").out
    assert "setosa (0 of 50 wrong) if petal length <= 2.4\n" in rules
    model = Model.load(folder / "one.json")
    assert ok("show", folder / "one.json", "--plain").out == export_text(model.tree)
    reported = json.loads(ok("show", folder / "one.json", "--json").out)
    assert (reported["status"], reported["objective"], reported["n_nodes"]) == (
        "optimal",
        6,
        2,
    )


def test_show_with_validation(folder):
    done = ok("show", folder / "one.json", "--validation", folder / "iris.csv")
    assert "training 4%, validation 4% (150 rows)" in done.out


def test_colours_of_classes(folder):
    tree = Model.load(folder / "one.json").tree
    text = drawn(tree, force_terminal=True, color_system="truecolor")
    assert text.count("\x1b[") > 6
    red, green, blue = (
        int(PALETTE[0][position : position + 2], 16) for position in (1, 3, 5)
    )
    assert f"38;2;{red};{green};{blue}m" in text


def test_ascii_output_for_old_terminals(folder):
    text = drawn(Model.load(folder / "one.json").tree, symbols=ASCII)
    assert text.isascii()
    assert "|- petal length <= 2.4" in text


@pytest.mark.parametrize("width", [20, 34, 50, 60, 80, 120])
def test_trees_fit_any_width(width):
    rng = np.random.default_rng(0)
    X = pd.DataFrame(rng.normal(size=(200, 3)), columns=["a" * 40, "漢字" * 8, "b"])
    y = rng.choice(["one", "two", "a class with a name that is far too long"], 200)
    tree = OptimalTreeClassifier(max_depth=4, binarizer="quantile").fit(X, y).tree_
    lines = drawn(tree, width).splitlines()
    assert all(cell_len(line) <= width for line in lines)
    if width >= 50:
        assert sum(" wrong" in line for line in lines) == tree.n_leaves


def test_bars_add_up():
    assert _portions([1, 1, 1], 10) == [4, 3, 3]
    assert _portions([0.0, 0.0], 10) == [10, 0]
    rng = np.random.default_rng(0)
    for _ in range(50):
        weights = rng.random(rng.integers(1, 9)).tolist()
        assert sum(_portions(weights, 10)) == 10


@pytest.mark.parametrize(
    ("to", "begins"),
    [
        ("sql", "CASE WHEN"),
        ("c", "/*"),
        ("python", '"""A decision tree'),
        ("dot", "digraph"),
        ("text", "|--- petal"),
        ("json", "{"),
    ],
)
def test_exports(folder, to, begins):
    done = ok("export", folder / "one.json", "--to", to)
    assert done.out.startswith(begins)
    assert done.out.endswith("\n")
    again = ok("export", folder / "one.json", "--to", to, "-o", "out")
    assert again.out == "wrote out\n"
    written = Path("out").read_text(encoding="utf-8")
    assert written.rstrip("\n") == done.out.rstrip("\n")


def test_names_in_exports(folder):
    done = ok("export", folder / "one.json", "--to", "sql", "--name", "flowers")
    assert 'FROM "flowers"' in done.out
    assert (
        "iris_predict("
        in ok("export", folder / "one.json", "--to", "c", "--name", "iris").out
    )


def test_onnx_is_a_file(folder):
    ok("export", folder / "one.json", "--to", "onnx", "-o", "m.onnx")
    import onnxruntime  # noqa: PLC0415

    session = onnxruntime.InferenceSession("m.onnx")
    names = [given.name for given in session.get_inputs()]
    assert names == ["petal length", "petal width"]  # the columns in tests
    row = {"petal length": np.array([[1.0]]), "petal width": np.array([[0.2]])}
    assert session.run(["label"], row)[0].tolist() == ["setosa"]


def test_report(folder, monkeypatch, tmp_path):
    calls = []

    def report(model, *, title=None):
        calls.append((title, model.n_validation))
        return f"<p>{title}"

    monkeypatch.setattr(Model, "report", report)
    (tmp_path / "m.json").write_bytes((folder / "all.json").read_bytes())
    assert ok("report", "m.json").out == "wrote m.html\n"
    ok(
        *("report", "m.json", "-o", "x.html", "--title", "T"),
        *("--validation", folder / "iris.csv"),
    )
    assert calls == [(None, 0), ("T", 150)]
    assert Path("m.html").read_text(encoding="utf-8") == "<p>None"
    assert Path("x.html").read_text(encoding="utf-8") == "<p>T"


def test_frontier(folder):
    done = ok("frontier", folder / "iris.csv", "-t", "species", "-d", 2, "-o", "m.json")
    assert done.out == (
        "iris.csv: 150 rows, 4 columns, no missing values\n"
        "target 'species': setosa: 50, versicolor: 50, virginica: 50\n"
        "\n"
        "nodes  depth  errors  no tree below  proven  training\n"
        "    0      0     100            100     yes     66.7%\n"
        "    1      1      50             50     yes     33.3%\n"
        "    2      2       6              6     yes        4%\n"
        "\n"
        "Covers all 119 thresholds of 4 columns.\n"
        "Sizes that are no better than a smaller one are left out.\n"
        "wrote m.json\n"
        "\n"
        "next: murtree show m.json --size 2\n"
        "      murtree predict m.json new.csv --size 2\n"
        "      murtree report m.json -o report.html\n"
    )
    assert len(Model.load("m.json").sizes) == 4


def test_frontier_notes_that_a_single_size_may_have_more_candidates(folder):
    table = np.random.default_rng(0).normal(size=(300, 3))
    lines = ["a,b,c,y", *(f"{a},{b},{c},{a * b > c:d}" for a, b, c in table)]
    Path("many.csv").write_text("\n".join(lines), encoding="utf-8")
    shown = (
        "\nAll sizes are searched with the candidates of the deepest tree; murtree fit "
        "--max-nodes N alone may search more thresholds.\n"
    )
    ask = ("frontier", "many.csv", "-t", "y", "-d", 4, "--time-limit", 0.1)
    assert shown in run(*ask).out
    # The number of quantiles is the same for all sizes.
    assert shown not in run(*ask, "--binarizer", "quantile").out
    assert shown not in ok("frontier", folder / "iris.csv", "-t", "species").out


def test_frontier_names_the_best_in_validation(folder):
    arguments = ("frontier", folder / "iris.csv", "-t", "species", "-d", 3)
    checked = (*arguments, "--validation-share", 0.3)
    sizes = json.loads(ok(*checked, "--json").out)["sizes"]
    errors = [size["validation_error"] for size in sizes]
    best = errors.index(min(errors))
    assert 0 < best < len(sizes) - 1  # distinct from the first and the last
    done = ok(*checked)
    shown = f"best in validation: {best} nodes ({100 * errors[best]:.3g}%)"
    assert f"\n{shown}\n" in done.out
    assert done.out.endswith("\nkeep the model of all sizes with: -o model.json\n")
    done = ok(*checked, "-o", "m.json")
    assert f"next: murtree show m.json --size {best}\n" in done.out


@pytest.mark.parametrize(
    "more",
    [
        ("--class-weight", "setosa=2"),
        ("--weight-column", "sepal length"),
        ("--objective", "balanced_accuracy"),
    ],
)
def test_frontier_shows_objectives_if_errors_are_not_counted(folder, more):
    done = ok("frontier", folder / "iris.csv", "-t", "species", "-d", 1, *more)
    assert "objective  no tree below" in done.out
    assert "\n\n\n" not in done.out


def test_frontier_for_scripts(folder, tmp_path):
    done = ok(
        *("frontier", folder / "iris.csv", "-t", "species", "-d", 2, "--json"),
        *("--validation-share", 0.2, "--plot", "sizes.svg"),
    )
    reported = json.loads(done.out)
    assert [size["max_nodes"] for size in reported["sizes"]] == [0, 1, 2, 3]
    assert all(size["validation_error"] is not None for size in reported["sizes"])
    assert reported["files"] == {"plot": "sizes.svg"}
    assert "<svg" in (tmp_path / "sizes.svg").read_text()


def test_tune(folder):
    arguments = ("tune", folder / "iris.csv", "-t", "species", "-d", 2, "--folds", 3)
    done = ok(*arguments, "-o", "m.json")
    lines = [line.rstrip() for line in done.out.splitlines()]
    heads = ["         labels    labels    forest    forest"]
    heads += ["nodes  smoothed  accuracy  smoothed  accuracy"]
    place = lines.index(heads[0])
    assert lines[place + 1] == heads[1]
    baseline = r" none +0\.3\d+    0\.3200 +the majority alone"
    assert re.fullmatch(baseline, lines[place + 2])
    assert sum("  chosen: forest" in line for line in lines) == 1
    assert "Means of 3 folds, on the rows left out; " in done.out
    assert "labels: trees fitted to the observed labels.\n" in done.out
    assert "expected wrong" in done.out
    reported = json.loads(ok(*arguments, "--json").out)
    best = {"max_depth": 2, "max_num_nodes": 3, "teacher": "forest"}
    assert reported["best_params"] == best
    found = [(size["max_num_nodes"], size["teacher"]) for size in reported["sizes"]]
    both = [(nodes, teacher) for teacher in (None, "forest") for nodes in (1, 2, 3)]
    assert found == [(0, None), *both]
    assert all(0 < size["smoothed_score"] < 1 for size in reported["sizes"])
    assert (reported["scoring"], reported["n_folds"]) == ("accuracy", 3)
    assert reported["baseline_score"] == pytest.approx(0.32)
    error = percent(1.0 - reported["best_score"])
    shown = f"validated: misclassified {error} (mean of 3 folds); the majority alone: "
    assert f"{shown}68%" in lines
    assert Model.load("m.json").tree.n_nodes == reported["n_nodes"]


def test_tune_with_the_strategy_of_the_paper(folder):
    arguments = ("tune", folder / "iris.csv", "-t", "species", "-d", 2, "--folds", 3)
    done = ok(*arguments, "--strategy", "all")
    lines = [line.rstrip() for line in done.out.splitlines()]
    assert "depth  nodes  accuracy            training" in lines
    assert "    0   none    0.3200  ± 0.0000    0.3400  the majority alone" in lines
    assert sum(line.endswith("  chosen") for line in lines) == 1
    assert "accuracy: mean ± standard deviation of 3 folds, on the rows " in done.out
    sizes = json.loads(ok(*arguments, "--strategy", "all", "--json").out)["sizes"]
    assert [size["max_num_nodes"] for size in sizes] == [0, 1, 2, 3]
    assert "teacher" not in sizes[0]


def test_errors_of_a_tree_with_a_teacher_are_expected_ones(folder):
    fit = ("fit", folder / "iris.csv", "-t", "species", "-d", 1, "--teacher", "forest")
    done = ok(*fit, "-o", "m.json")
    assert re.search(r"\d\.\d of 100 expected wrong", done.out)
    assert "in expectation, by the class probabilities of a random forest." in done.out
    assert re.search(r"misclassified: training [\d.]+% in expectation\n", done.out)
    assert "counts of classes are expected ones" in done.out
    assert json.loads(ok(*fit, "--json").out)["teacher"] == "forest"
    for more in ((), ("--rules",), ("--plain",)):
        assert "expected wrong" in ok("show", "m.json", *more).out
    assert "expected errors" in ok("frontier", *fit[1:]).out
    refused = run(*fit, "--objective", "f1")
    assert refused.code == 2
    assert "--teacher must be None with objective='f1'" in refused.err


def test_tune_numbers():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=80).round(2)})
    frame["y"] = (frame.x > 0) + rng.normal(size=80).round(2) / 10
    frame.to_csv("data.csv", index=False)
    reported = json.loads(
        ok("tune", "data.csv", "-t", "y", "--regression", "-d", 2, "--json").out
    )
    assert reported["best_score"] > 0.8
    done = ok("tune", "data.csv", "-t", "y", "--regression", "-d", 1, "--folds", 2)
    assert "the mean alone" in done.out
    assert re.search(
        r"^validated: r2 0\.\d{4} \(mean of 2 folds\); the mean alone: -?0\.\d{4}$",
        done.out,
        re.MULTILINE,
    )


def test_tune_with_another_score_and_a_page(folder):
    arguments = ("tune", folder / "iris.csv", "-t", "species", "-d", 1, "--folds", 2)
    done = ok(*arguments, "--scoring", "f1_macro", "--report", "r.html")
    assert "nodes  f1_macro  f1_macro" in done.out
    assert "smoothed" not in done.out
    assert "validated: f1_macro 0." in done.out
    assert "wrote r.html\n" in done.out
    assert Path("r.html").read_text(encoding="utf-8").startswith("<!doctype html>")
    fixed = ok(*arguments, "--strategy", "as_greedy").out
    assert "alone" not in fixed  # one size only, so no comparison


def test_remaining_time_of_a_comparison(monkeypatch):
    clock = SimpleNamespace(now=100.0)
    fake = SimpleNamespace(monotonic=lambda: clock.now)
    monkeypatch.setattr("murtree.cli.progress.time", fake)
    monkeypatch.setattr("murtree._progress.observer.time", fake)
    err = Console(file=io.StringIO(), width=200)
    output = SimpleNamespace(err=err, symbols=Symbols(), quiet=False)
    watch = Display(output, "plain", ComparisonObserver("tuning"))
    with watch.live:
        for n_done in range(1, 10):
            clock.now += 0.1 if n_done < 7 else 20.0  # the last depth takes longest
            number = min(n_done // 3, 2)
            kept = "size of the depths before" if number else ""
            watch(n_done, 9, Stage(f"at depth {number + 1}", kept, 3 * number, 3))
    lines = err.file.getvalue().splitlines()
    assert lines[2].endswith("3 of 9 searches done, now at depth 2")
    shown = "4 of 9 searches done, now at depth 2, about 1 s left at depth 2"
    assert lines[3].endswith(shown)  # the time of deeper trees is unknown
    assert lines[5].endswith("6 of 9 searches done, now at depth 3")
    assert lines[6].endswith(" done, now at depth 3, about 1:00 min left")
    assert lines[7].endswith("8 of 9 searches done, now at depth 3, about 40 s left")
    assert lines[8].endswith("searching for the chosen size on all rows")


def test_info(monkeypatch):
    reported = json.loads(ok("info", "--json").out)
    kernel = Solver([[0], [1]], [0, 1]).solve(max_depth=1).stats["kernel"]
    assert reported["kernel"] == kernel
    assert reported["extras"]["cli"] is True
    assert reported["memory"] > 0
    monkeypatch.setattr(info.shutil, "which", lambda _: None)
    assert "none (the search runs on the CPU, one core)" in ok("info").out


def test_a_gpu_is_named(monkeypatch, tmp_path):
    tool = tmp_path / "nvidia-smi"
    tool.write_text("#!/bin/sh\necho 'Some GPU'\n")
    tool.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    assert info.collect()["gpu"] == ["Some GPU"]
    tool.write_text("#!/bin/sh\nexit 9\n")
    assert info.collect()["gpu"] == []


def test_help_has_examples_and_fits(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    overview = ok().out
    for command in COMMANDS:
        assert f" {command} " in overview
        text = ok(command, "--help").out
        assert f"  murtree {command}" in text.split("Examples")[1]
        assert all(len(line) <= 80 for line in text.splitlines())
    assert run("--version").out == "murtree 0.1.0\n"


def test_hint_explains_what_ctrl_c_keeps():
    watch = ComparisonObserver("comparing")
    hints = []
    first, second = Stage("one", "", 0, 2), Stage("two", "size of one", 2, 2)
    for n_done in range(1, 5):
        watch.add(n_done, 4, first if n_done < 2 else second)
        hints.append(watch.seen.hint)
    kept = "Ctrl-C keeps the best size of one"
    assert hints == ["", kept, kept, "Ctrl-C keeps the best tree so far"]
    alone = ComparisonObserver("comparing")
    alone.add(1, 2, Stage("one", "", 0, 2))  # nothing is kept before its end
    assert alone.seen.hint == ""
