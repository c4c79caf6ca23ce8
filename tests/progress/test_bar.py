"""The progress bar: what it shows, where, and that every search tells its end."""

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
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV

from murtree import (
    Frontier,
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

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
y = [0, 1, 1, 0, 0]
iris_X, iris_y = load_iris(return_X_y=True)


class Clock:
    """A clock that goes on when it is told to."""

    now = 100.0

    def monotonic(self):
        return self.now


@pytest.fixture(autouse=True)
def width(monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def clock(monkeypatch):
    clock = Clock()
    monkeypatch.setattr(_progress_bar, "time", clock)
    return clock


class Terminal(io.StringIO):
    def isatty(self):
        return True


class Ends(list):
    """A callback that writes down how searches end."""

    def __call__(self, progress):
        return False

    def search_ended(self, result):
        self.append(result)

    def __sklearn_clone__(self):
        return self


def told(seconds, objective=46, lower_bound=23, gap=0.5, share=0.25):
    return Progress(seconds, objective, lower_bound, gap, share, None)


def run(bar, clock, ends=(0.1, 0.6, 1.0)):
    begin = clock.now
    for seconds in ends:
        clock.now = begin + seconds
        assert bar(told(seconds)) is False


def result(status="optimal", lower_bound=46):
    tree = Solver(X, y).solve(max_depth=1).tree
    return Result(tree, 46, lower_bound, status, {})


def test_a_line_is_written_over_until_the_proof(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock)
    clock.now += 61.2
    bar.search_ended(result())
    first, second = (
        f"\r[#####---------------] 25%, {seconds} s, "
        "best 46 errors (proven: at least 23)"
        for seconds in (0.6, 1.0)
    )
    last = "\r[####################] proven optimal after 62.2 s: 46 errors"
    assert file.getvalue() == first + second + last.ljust(len(second)) + "\n"


@pytest.mark.parametrize(
    ("status", "words"),
    [
        ("time_limit", "[##---------] time limit reached after 0:20:34: "),
        ("interrupted", "[####--------------] interrupted after 0:20:34: "),
    ],
)
def test_what_is_not_proven_does_not_look_done(clock, status, words):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock)
    clock.now += 1233
    bar.search_ended(result(status, lower_bound=23))
    last = file.getvalue().split("\r")[-1]
    assert last.startswith(f"{words}46 errors (proven: at least 23)")


def test_ends_without_a_tree_are_told(clock):
    lines = []
    fronts = MetricSolver(X, y).pareto_front(max_depth=1)
    frontier = Solver(X, y).frontier(max_depth=2)
    none = Result(None, None, 3, "infeasible", {})
    stopped = ParetoFront(list(fronts), 3, 2, "interrupted")
    for found in (fronts, frontier, none, stopped, None):
        file = io.StringIO()
        bar = ProgressBar(file=file)
        run(bar, clock)
        bar.search_ended(found)
        lines.append(file.getvalue().split("\r")[-1].rstrip())
    full, part = f"[{'#' * 20}]", f"[{'#' * 5}{'-' * 15}]"
    assert lines == [
        f"{full} proven optimal after 1.0 s",
        f"{full} proven optimal after 1.0 s: 0 errors",
        f"{full} no tree within the upper bound after 1.0 s",
        f"{part} interrupted after 1.0 s",
        f"{part} ended: 25%, 1.0 s, best 46 errors (proven: at least 23)",
    ]


def test_quick_and_frequent_news_are_not_shown(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock, [0.1, 0.2, 0.4])
    bar.search_ended(result())
    assert file.getvalue() == ""
    run(bar, clock, [0.6, 0.65, 0.7, 0.75, 0.9])
    assert re.findall(r"\d\.\d s", file.getvalue()) == ["0.6 s", "0.9 s"]


def test_each_search_has_a_line_of_its_own(clock):
    file = io.StringIO()
    with ProgressBar(file=file) as bar:
        for _ in range(2):
            run(bar, clock)
            bar.search_ended(result())
        bar.close()  # nothing is left to close
    assert file.getvalue().count("\n") == 2
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
        "ended: 25%, 1.0 s, best 46 errors (proven: at least 23)\n"
    )


LOSSES = st.none() | st.floats(-1e300, 1e300) | st.integers(0, 10**18)
NEWS = st.builds(
    told,
    st.floats(0, 1e7),
    LOSSES,
    st.floats(allow_nan=False),
    st.floats(0, math.inf),
    st.floats(0, 1),
)


@given(st.lists(NEWS, min_size=1), st.sampled_from(["optimal", "time_limit"]))
def test_any_news_fit_a_line(news, status):
    file = io.StringIO()
    bar, clock = ProgressBar(file=file), Clock()
    with mock.patch.object(_progress_bar, "time", clock):
        for progress in news:
            bar(progress)
            clock.now += 0.3
        bar.search_ended(result(status))
    text = file.getvalue()
    seconds = news[0].seconds + 0.3 * (len(news) - 1)
    assume(abs(seconds - 0.5) > 1e-6)
    assert text.count("\n") == int(seconds > 0.5)
    for line in text.rstrip("\n").split("\r")[1:]:
        assert re.match(r"(\[#*-*\] )?[\w ]", line)
        assert len(line) <= 79


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
    """What IPython.display does, written down."""

    def __init__(self):
        self.shown, self.updates = [], []

    def display(self, bundle, *, raw, display_id):
        assert raw
        assert display_id is True
        self.shown.append(bundle)
        return self

    def update(self, bundle, *, raw):
        assert raw
        self.updates.append(bundle)


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
    assert display.shown[0]["text/plain"].startswith(
        "[#####---------------] 25%, 0.6 s"
    )
    assert [
        re.search('aria-valuenow="(\\d+)"', bundle["text/html"])[1]
        for bundle in display.shown + display.updates
    ] == ["25", "25", "100"]
    assert "proven optimal after 1.0 s: 46 errors<" in display.updates[-1]["text/html"]
    run(bar, clock)
    assert len(display.shown) == 2
    assert sys.stderr.getvalue() == ""


def test_ipython_in_a_terminal_is_a_terminal(clock, monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    display = fake_ipython(monkeypatch, "TerminalInteractiveShell")
    run(ProgressBar(), clock)
    assert not display.shown
    assert sys.stderr.getvalue().startswith("\r[###")


def test_every_search_tells_its_end():
    ends = Ends()
    solver, metrics = Solver(X, y), MetricSolver(X, y)
    found = [
        solver.solve(max_depth=2, callback=ends),
        solver.frontier(max_depth=2, callback=ends),
        metrics.solve("f1", max_depth=2, callback=ends),
        metrics.pareto_front(max_depth=2, callback=ends),
    ]
    assert [id(each) for each in ends] == [id(each) for each in found]
    assert [type(end) for end in ends] == [Result, Frontier, Result, ParetoFront]


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"frontier": True},
        {"max_distinct_features": 1},
        {"partial_tree": {"feature": 2, "threshold": 2.45}},
    ],
)
def test_every_fit_tells_its_end(settings):
    ends = Ends()
    clf = OptimalTreeClassifier(max_depth=2, callback=ends, **settings)
    clf.fit(iris_X, iris_y)
    assert [end.objective for end in ends] == [clf.objective_]
    assert ends[0].tree.columns is not None


def test_the_last_search_of_a_cross_validation_tells_its_end(clock):
    file = io.StringIO()
    bar = ProgressBar(file=file)
    run(bar, clock)  # as a search of a fold would
    search = OptimalTreeClassifierCV(
        estimator=OptimalTreeClassifier(callback=bar), max_depth=1, cv=2
    )
    search.fit(iris_X, iris_y)
    assert file.getvalue().count("\n") == 1
    assert "proven optimal after 1.0 s: 50 errors" in file.getvalue()


@pytest.mark.parametrize("raises", [RuntimeError, KeyboardInterrupt])
def test_an_exception_is_an_end_too(raises):
    class Fails(Ends):
        def __call__(self, progress):
            raise raises("enough")

    rng = np.random.default_rng(0)
    ends = Fails()
    hard = rng.integers(0, 2, (2000, 60)), rng.integers(0, 2, 2000)
    with pytest.raises(raises, match="enough"):
        Solver(*hard).solve(max_depth=6, callback=ends)
    assert ends == [None]
    clf = OptimalTreeClassifier(max_depth=6, callback=ends)
    with pytest.raises(raises, match="enough"):
        clf.fit(*hard)
    assert ends == [None, None]
    search = OptimalTreeClassifierCV(estimator=clf.set_params(max_depth=4), cv=2)
    with pytest.raises(raises, match="enough"):
        search.set_params(max_depth=6).fit(*hard)
    assert ends == [None, None, None]


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
    assert file.getvalue() == ""  # it took no half second


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
    assert "\n" not in file.getvalue()
    assert repr(clf) == "OptimalTreeClassifier(callback=ProgressBar(), max_depth=1)"
    grid = GridSearchCV(clf, {"max_depth": [1]}, cv=2).fit(iris_X, iris_y)
    assert grid.best_estimator_.status_ == "optimal"


def test_bad_input_is_refused():
    message = "The 'file' parameter of ProgressBar must be a file .* Got 'x' instead"
    with pytest.raises(TypeError, match=message):
        ProgressBar(file="x")
    with pytest.raises(TypeError, match="'disable' parameter of ProgressBar"):
        ProgressBar(disable="yes")


def test_a_file_that_is_closed_ends_no_search(monkeypatch, tmp_path):
    monkeypatch.setattr("murtree._progress.bar.SHOW_AFTER", 0.0)
    file = (tmp_path / "log.txt").open("w")
    file.close()
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (200, 12)), rng.integers(0, 2, 200)
    bar = ProgressBar(file=file)
    assert Solver(X, y).solve(max_depth=4, callback=bar).status == "optimal"
    bar(Progress(1.0, 3, 1, 0.5, 0.5, None))
    bar.search_ended(None)
