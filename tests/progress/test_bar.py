"""The progress bar: its text, its output stream, and how it ends."""

import copy
import io
import math
import pickle
import re
import sys
import types
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from murtree import (
    MetricSolver,
    NotProvenWarning,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    ParetoFront,
    Progress,
    ProgressBar,
    Result,
    Solver,
)
from murtree._progress import bar as _progress_bar
from murtree._progress.drawing import bar_with_text
from murtree._progress.observer import SearchObserver

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
y = [0, 1, 1, 0, 0]
iris_X, iris_y = load_iris(return_X_y=True)


class Clock:
    """A clock that is advanced by the tests."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_progress_bar, "time", clock)
    return clock


class Terminal(io.StringIO):
    def isatty(self):
        return True


def progress_at(seconds, objective=46, lower_bound=23, gap=0.5, share=0.25):
    return Progress(seconds, objective, lower_bound, gap, share, None)


def run(bar, clock, ends=(0.1, 0.6, 1.0)):
    begin = clock.now
    for seconds in ends:
        clock.now = begin + seconds
        assert bar(progress_at(seconds)) is False


def result(status="optimal", lower_bound=46):
    tree = Solver(X, y).solve(max_depth=1).tree
    return Result(tree, 46, lower_bound, status, {})


def test_a_file_gets_a_line_a_second_until_the_proof(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock, (0.1, 0.6, 1.0, 1.7))
    clock.now += 61.2
    bar.search_ended(result())
    assert file.getvalue().splitlines() == [
        "600 ms: 25%, best 46 errors (proven: at least 23)",
        "1.7 s: 25%, best 46 errors (proven: at least 23)",
        "proven optimal after 1:02 min: 46 errors",
    ]


def lines_after(clock, end):
    """Return the lines at the end of a search, and the fraction shown."""
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock)
    with mock.patch.object(bar, "_begin"):  # keep the last state
        bar.search_ended(end)
    return file.getvalue().splitlines()[-1], bar._state()[0]


@pytest.mark.parametrize(
    ("status", "words"),
    [("time_limit", "time limit reached"), ("interrupted", "interrupted")],
)
def test_unproven_search_does_not_look_complete(clock, status, words):
    line, share = lines_after(clock, result(status, lower_bound=23))
    assert line == f"{words} after 1.0 s: 46 errors (proven: at least 23)"
    assert share == 0.25


def test_end_without_a_tree_is_shown(clock):
    fronts = MetricSolver(X, y).pareto_front(max_depth=1)
    frontier = Solver(X, y).frontier(max_depth=2)
    none = Result(None, None, 3, "infeasible", {})
    stopped = ParetoFront(list(fronts), 3, 2, "interrupted")
    ends = [lines_after(clock, end) for end in (fronts, frontier, none, stopped, None)]
    assert ends == [
        ("proven optimal after 1.0 s", 1.0),
        ("proven optimal after 1.0 s: 0 errors", 1.0),
        ("no tree within the upper bound after 1.0 s", 1.0),
        ("interrupted after 1.0 s", 0.25),
        ("ended: 25%, best 46 errors (proven: at least 23)", 0.25),
    ]


def test_frequent_updates_are_not_shown(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock, [0.1, 0.2, 0.4])
    bar.search_ended(result())
    assert file.getvalue() == ""
    run(bar, clock, [0.6, 0.65, 0.7, 0.75, 1.7])
    assert re.findall(r"[\d.]+ m?s", file.getvalue()) == ["600 ms", "1.7 s"]


def test_each_search_has_a_line_of_its_own(clock):
    file = io.StringIO()
    with ProgressBar(file=file) as bar:
        for _ in range(2):
            run(bar, clock)
            bar.search_ended(result())
        bar.close()  # there is nothing left to close
    assert file.getvalue().count("600 ms: ") == 2
    assert file.getvalue().count("proven optimal") == 2


def test_a_bar_is_closed_with_its_block(clock):
    file = io.StringIO()

    def fails():
        with ProgressBar(file=file) as bar:
            run(bar, clock)
            raise RuntimeError("enough")

    with pytest.raises(RuntimeError, match="enough"):
        fails()
    assert file.getvalue().endswith(
        "ended: 25%, best 46 errors (proven: at least 23)\n"
    )


LOSSES = st.none() | st.floats(-1e300, 1e300) | st.integers(0, 10**18)
NEWS = st.builds(
    progress_at,
    st.floats(0, 1e7),
    LOSSES,
    st.floats(allow_nan=False),
    st.floats(0, math.inf),
    st.floats(0, 1),
)


@given(st.lists(NEWS, min_size=1), st.sampled_from(["optimal", "time_limit"]))
def test_any_progress_fits_a_line_of_a_terminal(news, status):
    observer = SearchObserver()
    console = Console(file=io.StringIO(), width=80)
    for progress in news:
        observer.add(progress)
        console.print(bar_with_text(observer.seen.share, f"600 ms: {observer.line}"))
    observer.end(result(status), "1.0 s")
    console.print(bar_with_text(observer.seen.share, observer.line))
    lines = console.file.getvalue().splitlines()
    assert len(lines) == len(news) + 1
    for line in lines:
        assert re.match(r"[━╸╺ ]*\w", line)
        assert len(line) <= 80


@pytest.mark.parametrize(("width", "bar"), [(200, 24), (70, 13), (40, 0)])
def test_narrow_terminal_shortens_the_bar_before_the_text(width, bar):
    console = Console(file=io.StringIO(), width=width)
    text = "8.2 s: 24%, about 7 s left, best 3,888 errors (proven: a"
    console.print(bar_with_text(0.25, text))
    line = console.file.getvalue().rstrip("\n")
    assert len(line) <= width
    assert line.rstrip().endswith(text if bar else "…")
    if bar:
        assert line.index(text) == bar + 1
        assert line[: bar // 4] == "━" * (bar // 4)


def test_without_a_terminal_nothing_is_written(clock, monkeypatch):
    for stderr, is_seen in ((io.StringIO(), False), (Terminal(), True), (None, False)):
        monkeypatch.setattr(sys, "stderr", stderr)
        bar = ProgressBar()
        run(bar, clock)
        bar.search_ended(result())
        assert bool(stderr and stderr.getvalue()) is is_seen


def test_a_disabled_bar_writes_nothing(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file, disable=True)
    run(bar, clock)
    bar.search_ended(result())
    assert file.getvalue() == ""


class Display:
    """A fake of IPython.display that records its calls."""

    def __init__(self):
        self.shown, self.updates = [], []

    def display(self, drawn, *, display_id):
        assert display_id is True
        self.shown.append(drawn._repr_mimebundle_([], []))
        return self

    def update(self, drawn):
        self.updates.append(drawn._repr_mimebundle_([], []))


def fake_ipython(monkeypatch, shell_name):
    display = Display()
    base = type(shell_name, (), {})
    shell = type("Ours", (base,), {})()
    ipython = types.SimpleNamespace(get_ipython=lambda: shell)
    module = types.SimpleNamespace(display=display.display)
    monkeypatch.setitem(sys.modules, "IPython", ipython)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return display


def test_in_a_notebook_one_output_changes_in_place(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    display = fake_ipython(monkeypatch, "ZMQInteractiveShell")
    bar = ProgressBar()
    run(bar, clock)
    bar.search_ended(result())
    assert len(display.shown) == 1
    assert " 600 ms: 25%, best 46 errors" in display.shown[0]["text/plain"]
    assert len(display.updates) == 3
    assert "proven optimal after 1.0 s: 46 errors" in display.updates[-1]["text/html"]
    run(bar, clock)
    assert len(display.shown) == 2
    assert sys.stderr.getvalue() == ""


def test_ipython_in_a_terminal_is_a_terminal(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    display = fake_ipython(monkeypatch, "TerminalInteractiveShell")
    bar = ProgressBar()
    run(bar, clock)
    assert not display.shown
    assert "600 ms: 25%, best 46 errors" in sys.stderr.getvalue()
    bar.search_ended(result())
    assert sys.stderr.getvalue().endswith("\x1b[?25h")  # the cursor is visible again


def test_without_rich_the_extra_is_named(monkeypatch):
    monkeypatch.setattr(_progress_bar, "find_spec", lambda _: None)
    message = r"ProgressBar needs rich: install it \(the extra 'progress'\)"
    with pytest.raises(ImportError, match=message):
        ProgressBar()


def test_last_search_of_a_cross_validation_reports_its_end(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock)  # as a search of a fold would
    search = OptimalTreeClassifierCV(
        estimator=OptimalTreeClassifier(callback=bar),
        max_depth=1,
        cv=2,
        strategy="all",
    )
    search.fit(iris_X, iris_y)
    assert file.getvalue().count("\n") == 2
    assert "proven optimal after 1.0 s: 50 errors" in file.getvalue()


def test_a_subclass_stops_a_search():
    class Enough(ProgressBar):
        def __call__(self, progress):
            super().__call__(progress)
            return True

    rng = np.random.default_rng(0)
    file = io.StringIO()
    reg = OptimalTreeRegressor(max_depth=6, callback=Enough(file=file))
    with pytest.warns(NotProvenWarning):
        reg.fit(rng.random((2000, 10)), rng.random(2000))
    assert reg.status_ == "interrupted"
    assert file.getvalue() == ""  # it took less than half a second


def test_clones_share_a_bar_and_copies_have_their_own(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    clf = OptimalTreeClassifier(max_depth=1, callback=bar)
    assert clone(clf).callback is bar
    run(bar, clock)
    for other in (copy.deepcopy(bar), pickle.loads(pickle.dumps(bar))):
        assert other.file is None
        other.search_ended(result())
        run(other, clock)
    assert file.getvalue().count("\n") == 1
    assert repr(clf) == "OptimalTreeClassifier(callback=ProgressBar(), max_depth=1)"
    grid = GridSearchCV(clf, {"max_depth": [1]}, cv=2).fit(iris_X, iris_y)
    assert grid.best_estimator_.status_ == "optimal"


def test_bad_input_is_refused():
    message = "The 'file' parameter of ProgressBar must be a file .* Got 'x' instead"
    with pytest.raises(TypeError, match=message):
        ProgressBar(file="x")
    with pytest.raises(TypeError, match="'disable' parameter of ProgressBar"):
        ProgressBar(disable="yes")


def test_closed_file_does_not_end_the_search(monkeypatch, tmp_path):
    monkeypatch.setattr("murtree._progress.bar.SHOW_AFTER", 0.0)
    file = (tmp_path / "log.txt").open("w")
    file.close()
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 12)), rng.integers(0, 2, 200)
    bar = ProgressBar(file=file)
    assert Solver(X, y).solve(max_depth=4, callback=bar).status == "optimal"
    bar(Progress(1.0, 3, 1, 0.5, 0.5, None))
    bar.search_ended(None)
