"""``murtree fit``: printed output, files and JSON."""

import gzip
import io
import json
import math
import re
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from cli.tools import CLASSES, TREE, ok, run, write_hard
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from rich.console import Console

from murtree import Model, OptimalTreeClassifier, Progress
from murtree._progress.observer import SearchObserver
from murtree.cli.output import Symbols
from murtree.cli.progress import Display


def test_output_for_users(iris, tmp_path):
    done = ok("fit", "iris.csv", "-t", "species", "-d", 2, "-o", "model.json")
    assert done.out == (
        "iris.csv: 150 rows, 4 columns, no missing values\n"
        "target 'species': setosa: 50, versicolor: 50, virginica: 50\n"
        f"\n{TREE}\n{CLASSES}\n"
        "Proven optimal: 6 of 150 misclassified. No tree of depth at most 2 over all "
        "thresholds does better.\n"
        "Covers all 119 thresholds of 4 columns.\n"
        "misclassified: training 4%\n"
        "wrote model.json\n"
        "\n"
        "next: murtree show model.json\n"
        "      murtree predict model.json new.csv\n"
        "      murtree report model.json -o report.html\n"
    )
    assert done.err == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "iris.csv",
        "model.json",
    ]


@pytest.mark.parametrize(
    ("objective", "proof"),
    [
        ("gini", "mean Gini impurity 0.0557101 (Gini impurity 8.35652)"),
        ("log_loss", "mean log loss 0.105305 (log loss 15.7958)"),
    ],
)
def test_impurities(iris, objective, proof):
    done = ok("fit", iris, "-t", "species", "-d", 2, "--objective", objective)
    assert f"Proven optimal: {proof}. No tree of depth at most 2 over " in done.out


def test_output_for_scripts(iris):
    done = ok("fit", iris, "-t", "species", "-d", 2, "-o", "model.json", "--json")
    answer = json.loads(done.out)
    assert answer.pop("seconds") >= 0.0
    assert answer == {
        "status": "optimal",
        "measure": "misclassified",
        "objective": 6,
        "lower_bound": 6,
        "gap": 0.0,
        "coverage": "Covers all 119 thresholds of 4 columns.",
        "teacher": None,
        "n_nodes": 2,
        "depth": 2,
        "train_error": 0.04,
        "validation_error": None,
        "files": {"model": "model.json"},
    }
    assert done.out.count("\n") == 1
    assert done.err == ""


def test_the_model_is_that_of_the_library(iris):
    ok(
        "fit",
        iris,
        "-t",
        "species",
        "-d",
        3,
        "--max-num-nodes",
        4,
        "-o",
        "m.json",
        "-q",
    )
    frame = pd.read_csv(iris)
    X, y = frame.drop(columns="species"), frame["species"]
    clf = OptimalTreeClassifier(max_depth=3, max_num_nodes=4).fit(X, y)
    saved = Model.load("m.json")
    assert saved.target == "species"
    assert saved.tree.to_dict() == clf.tree_.to_dict()
    assert saved.settings == {"max_depth": 3, "max_num_nodes": 4}


def test_quiet_prints_nothing(iris):
    done = ok("fit", iris, "-t", "species", "--quiet")
    assert (done.out, done.err) == ("", "")


@pytest.mark.parametrize("option", ["--frontier", "--report"])
def test_all_sizes_are_kept(iris, option, monkeypatch):
    written = []

    def report(model, path=None, *, title=None):
        written.append((len(model.sizes), path, title))
        return "<p>"

    monkeypatch.setattr(Model, "report", report)
    extra = ["--report", "r.html"] if option == "--report" else ["--frontier"]
    done = ok("fit", iris, "-t", "species", "-d", 2, "-o", "m.json", *extra, "--json")
    assert len(Model.load("m.json").sizes) == 4
    if option == "--report":
        assert written == [(4, None, None)]
        assert Path("r.html").read_text(encoding="utf-8") == "<p>"
        assert json.loads(done.out)["files"] == {"model": "m.json", "report": "r.html"}


def test_a_report_says_that_all_sizes_are_searched_for(iris):
    fit = ("fit", iris, "-t", "species")
    line = "searching for the best tree of every size, as with --frontier, for the rep"
    assert line in ok(*fit, "-d", 2, "--report", "r.html").out
    assert line not in ok(*fit, "-d", 2, "--report", "r.html", "--frontier").out
    assert line not in ok(*fit, "-d", 2).out
    deep = ok(*fit, "-d", 9, "--time-limit", 1, "--report", "r.html").out
    assert "the report will show one tree: there is no search for all sizes" in deep
    assert "as with --frontier" in " ".join(ok("fit", "--help").out.split())


def test_a_report_of_a_metric_has_one_size(iris, monkeypatch):
    sizes = []
    monkeypatch.setattr(
        Model,
        "report",
        lambda model, **_: sizes.append(len(model.sizes)) or "<p>",
    )
    frame = pd.read_csv(iris)
    frame["species"] = frame["species"] == "virginica"
    frame.to_csv("two.csv", index=False)
    ok(
        "fit",
        "two.csv",
        "-t",
        "species",
        "--objective",
        "f1",
        "-d",
        2,
        "--report",
        "r.html",
        "-q",
    )
    assert sizes == [1]


def test_a_share_for_validation_is_seeded_and_stratified(iris):
    arguments = ("fit", iris, "-t", "species", "-d", 2, "--validation-share", 0.3)
    first, again = ok(*arguments), ok(*arguments)
    assert first.out == again.out
    assert "105 rows and 45 for validation" in first.out
    assert "setosa: 35, versicolor: 35, virginica: 35" in first.out
    other = ok(*arguments, "--seed", 1, "--json")
    assert json.loads(other.out)["validation_error"] is not None


def test_a_file_for_validation(iris):
    frame = pd.read_csv(iris)
    frame[::2].to_csv("train.csv", index=False)
    frame[1::2].iloc[:, ::-1].to_csv("test.csv", index=False)  # another order
    done = ok(
        "fit",
        "train.csv",
        "-t",
        "species",
        "-d",
        2,
        "--validation",
        "test.csv",
        "--json",
    )
    X, y = frame.drop(columns="species"), frame["species"].to_numpy()
    clf = OptimalTreeClassifier(max_depth=2).fit(X[::2], y[::2])
    answer = json.loads(done.out)
    assert answer["train_error"] == np.mean(clf.predict(X[::2]) != y[::2])
    assert answer["validation_error"] == np.mean(clf.predict(X[1::2]) != y[1::2])


def test_labels_of_validation_are_read_as_in_training():
    frame = pd.DataFrame({"x": [1, 2, 3, 4] * 5, "y": ["1", "1", "b", "b"] * 5})
    frame.to_csv("train.csv", index=False)
    frame[frame.y == "1"].to_csv("test.csv", index=False)  # alone, it is numeric
    done = ok(
        "fit", "train.csv", "-t", "y", "-d", 1, "--validation", "test.csv", "--json"
    )
    assert json.loads(done.out)["validation_error"] == 0.0


def test_regression():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=60).round(2)})
    frame["y"] = np.where(frame.x > 0, 10.5, 2.25)
    frame.to_csv("data.csv", index=False)
    refused = run("fit", "data.csv", "-t", "y")
    assert refused.code == 2
    assert "--regression" in refused.err
    done = ok("fit", "data.csv", "-t", "y", "--regression", "-d", 1)
    assert "10.5  ██████████" in done.out
    assert "2.25  ░░░░░░░░░░" in done.out
    assert "mean squared error: training 0" in done.out


def test_many_distinct_integers_need_an_explicit_task():
    pd.DataFrame({"x": range(60), "y": range(60)}).to_csv("data.csv", index=False)
    refused = run("fit", "data.csv", "-t", "y")
    assert (refused.code, "--classification" in refused.err) == (2, True)
    ok("fit", "data.csv", "-t", "y", "--classification", "-d", 1)
    ok("fit", "data.csv", "-t", "y", "--regression", "-d", 1)


def test_weights_and_columns(iris):
    frame = pd.read_csv(iris)
    frame["weight"] = np.where(frame.species == "setosa", 3, 1)
    frame["id"] = range(150)
    frame.to_csv("data.csv", index=False)
    base = ("fit", "data.csv", "-t", "species", "-d", 2, "--json", "-o", "m.json")
    ok(*base, "--weight-column", "weight", "--ignore", "id", "--forbid", "petal width")
    tree = Model.load("m.json").tree
    names = [column.name for column in tree.known_columns]
    assert names == ["sepal length", "sepal width", "petal length", "petal width"]
    assert tree.node_weight[0] == 250
    assert "petal width" not in {
        names[position] for position in tree.feature if position >= 0
    }
    ok(*base, "--columns", "petal length", "--class-weight", "setosa=2,virginica=0.5")
    tree = Model.load("m.json").tree
    assert [column.name for column in tree.known_columns] == ["petal length"]
    assert tree.node_weight[0] == 175


def test_options_reach_the_library(iris):
    done = ok(
        *(
            "fit",
            iris,
            "-t",
            "species",
            "--max-depth",
            "none",
            "--cost-complexity",
            0.02,
        ),
        *("--min-samples-leaf", 5, "--fewest-nodes", "--memory-limit", "64MB"),
        *("--min-weight-fraction-leaf", 0.05),
        *("--binarizer", "quantile", "--objective", "balanced_accuracy", "--json"),
        *("--class-weight", "balanced", "-o", "m.json"),
    )
    assert json.loads(done.out)["status"] == "optimal"
    assert Model.load("m.json").settings == {
        "max_depth": None,
        "cost_complexity": 0.02,
        "min_samples_leaf": 5,
        "min_weight_fraction_leaf": 0.05,
        "fewest_nodes": True,
        "memory_limit": "64MB",
        "binarizer": "quantile",
        "objective": "balanced_accuracy",
        "class_weight": "balanced",
    }


def test_time_limit_is_not_an_error(tmp_path):
    write_hard(tmp_path / "hard.csv")
    arguments = (
        "fit",
        "hard.csv",
        "-t",
        "y",
        "-d",
        6,
        "--time-limit",
        0.2,
        "-o",
        "m.json",
    )
    done = ok(*arguments)
    assert "Not proven optimal" in done.out
    assert done.err.startswith("note: The time limit of 0.2 s ended the search")
    assert done.err.count("\n") == 1
    assert Model.load("m.json").proof.status == "time_limit"
    strict = run(*arguments, "--require-proof", "--json")
    assert strict.code == 3
    assert json.loads(strict.out)["status"] == "time_limit"


def test_plain_progress(tmp_path):
    write_hard(tmp_path / "hard.csv")
    done = ok(
        *("fit", "hard.csv", "-t", "y", "-d", 6, "--time-limit", 1.3),
        *("--progress", "plain", "--json"),
    )
    line = done.err.splitlines()[0]
    assert line.startswith("1.")
    assert re.search(r"[:,] at most \d s left, best \d+ errors", line)


def test_progress_lines(monkeypatch):
    monkeypatch.setattr(SearchObserver, "every", 0.0)
    err = Console(file=io.StringIO(), width=200)
    output = SimpleNamespace(err=err, symbols=Symbols(), quiet=False)
    watch = Display(output, "plain", SearchObserver())
    with watch.live:
        assert watch(Progress(0.1, None, 0, math.inf, 0.0, None)) is False
        for second in range(1, 11):
            watch(Progress(second, 5, 3, 0.4, second / 20, None))
    lines = [line.partition(": ")[2] for line in err.file.getvalue().splitlines()]
    assert lines[0] == "no tree yet"
    assert lines[1] == "5%, best 5 errors (proven: at least 3)"
    assert lines[-1] == "50%, about 10 s left, best 5 errors (proven: at least 3)"


def test_progress_says_that_thresholds_are_chosen():
    err = Console(file=io.StringIO(), width=200)
    output = SimpleNamespace(err=err, symbols=Symbols(), quiet=False)
    observer = SearchObserver(before="choosing thresholds")
    watch = Display(output, "none", observer, 5.0)
    err.print(watch._drawn())
    watch(Progress(0.1, 5, 3, 0.4, 0.1, None))
    err.print(watch._drawn())
    lines = err.file.getvalue().splitlines()
    assert re.search(r"choosing thresholds: .* of 5 s", lines[0])
    assert re.search(r"searching: .* of 5 s", lines[1])


def test_gzip_and_stdin(iris):
    content = iris.read_bytes()
    packed = gzip.compress(content)
    expected = ok("fit", iris, "-t", "species", "-d", 2).out.replace("iris.csv", "X")
    for piped in (content, packed):
        done = ok("fit", "-", "-t", "species", "-d", 2, stdin=piped)
        assert done.out.replace("standard input", "X") == expected


def test_benchmark_format(tmp_path):
    (tmp_path / "tiny.txt").write_text("1 0 1\n0 1 1\n1 0 0\n0 1 0\n" * 3)
    done = ok("fit", "tiny.txt", "-d", 1)
    assert "target 'class': 0: 6, 1: 6" in done.out
    assert "f1 = no" in done.out


def test_a_sample_of_rows(iris):
    done = ok("fit", iris, "-t", "species", "--sample", 60, "-d", 1)
    assert "iris.csv: 60 rows" in done.out


def test_missing_values_and_words():
    lines = ["x,colour,y", *["1,red,a", "?,blue,b", "3,red,a", ",blue,b"] * 5]
    Path("data.csv").write_text("\n".join(lines))
    done = ok("fit", "data.csv", "-t", "y", "-d", 1, "--missing", "?")
    assert "10 missing values" in done.out
    noted = ok(
        "fit", "data.csv", "-t", "colour", "-d", 1, "--ignore", "y", "--missing", "?"
    )
    assert noted.err == ""


def test_rows_without_a_target():
    Path("data.csv").write_text("x,y\n" + "1,a\n2,b\n" * 5 + "3,\n")
    refused = run("fit", "data.csv", "-t", "y")
    assert (refused.code, "--drop-missing-target" in refused.err) == (2, True)
    assert "10 rows" in ok("fit", "data.csv", "-t", "y", "--drop-missing-target").out


@settings(max_examples=15, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    name=st.text(min_size=1, max_size=12).filter(lambda text: text.strip() == text),
    label=st.text(min_size=1, max_size=12).filter(lambda text: text.strip() == text),
)
def test_no_name_reaches_the_terminal_unescaped(name, label):
    frame = pd.DataFrame({f"{name}!": range(20), "target": [f"{label}?", "other"] * 10})
    try:
        frame.to_csv("data.csv", index=False)
    except UnicodeEncodeError:  # a lone surrogate
        reject()
    done = run("fit", "data.csv", "-t", "target", "-d", 2)
    assert all(letter.isprintable() or letter == "\n" for letter in done.out + done.err)


def test_markup_and_codes_are_shown_as_they_are():
    evil = "[red]x\x1b[31m<b>"
    frame = pd.DataFrame({evil: range(20), "y": [f"{evil}1"] * 10 + ["no"] * 10})
    frame.to_csv("data.csv", index=False)
    done = ok("fit", "data.csv", "-t", "y", "-d", 1, "-o", "[b]m.json")
    assert r"[red]x\x1b[31m<b> <= 9.5" in done.out
    assert r"[red]x\x1b[31m<b>1" in done.out
    assert "wrote '[b]m.json'" in done.out
    assert "\x1b" not in done.out


def test_terminal_without_unicode(iris):
    done = ok("fit", iris, "-t", "species", "-d", 2, encoding="ascii")
    assert "`- petal length > 2.4" in done.out
    assert "##########" in done.out
