"""Callbacks of the estimators: plain functions, and scikit-learn's if available."""

import importlib.util
import os
import pickle
import subprocess
import sys
import warnings

import numpy as np
import pytest
from oracle.data import hard_data
from oracle.interrupts import Interrupt, on_signals
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from murtree import (
    NotProvenWarning,
    OptimalTreeClassifier,
    Progress,
    TimeLimitWarning,
)

needs_callbacks = pytest.mark.skipif(
    importlib.util.find_spec("sklearn.callback") is None,
    reason="scikit-learn has callbacks from 1.9 on",
)
iris_X, iris_y = load_iris(return_X_y=True)


def hard_table():
    rng = np.random.default_rng(0)
    return rng.random((2000, 10)), rng.integers(0, 2, 2000)


class Recorder:
    """A scikit-learn callback that records its calls."""

    def __init__(self, stop_after=None, raise_after=None):
        self.stop_after, self.raise_after = stop_after, raise_after
        self.events, self.scores = [], []

    def setup(self, estimator, context):
        self.events.append("setup")

    def teardown(self, estimator, context):
        self.events.append("teardown")

    def on_fit_task_begin(self, estimator, context):
        self.events.append(f"begin {context.task_name}")

    def on_fit_task_end(
        self, estimator, context, *, X=None, y=None, fitted_estimator=None
    ):
        self.events.append(f"end {context.task_name}")
        if hasattr(fitted_estimator, "score"):
            self.scores.append(fitted_estimator.score(X, y))
        n_steps = self.events.count("end search")
        if self.raise_after is not None and n_steps >= self.raise_after:
            raise RuntimeError("enough")
        return self.stop_after is not None and n_steps >= self.stop_after


class Propagated(Recorder):
    max_propagation_depth = None


def test_the_plain_callback_sees_trees_in_the_users_units():
    X, y = hard_table()
    reported = []
    classifier = OptimalTreeClassifier(max_depth=7, callback=reported.append)
    with pytest.warns(TimeLimitWarning):
        classifier.set_params(time_limit=0.4).fit(X, y)
    assert reported
    assert all(isinstance(progress, Progress) for progress in reported)
    progress = reported[-1]
    assert progress.tree.n_features == 10
    assert int((progress.tree.predict(X) != y).sum()) == progress.objective


def test_the_plain_callback_stops_the_fit_with_a_warning():
    X, y = hard_table()
    classifier = OptimalTreeClassifier(max_depth=7, callback=lambda progress: True)
    with pytest.warns(
        NotProvenWarning, match="An interrupt ended the search"
    ) as caught:
        classifier.fit(X, y)
    assert caught[0].filename == __file__
    assert not isinstance(caught[0].message, TimeLimitWarning)
    assert classifier.status_ == "interrupted"
    assert classifier.lower_bound_ < classifier.objective_


def test_an_exception_in_the_plain_callback_leaves_an_earlier_fit_whole():
    X, y = hard_table()

    def fail(progress):
        raise RuntimeError("enough")

    classifier = OptimalTreeClassifier(max_depth=1).fit(X[:, :5], y)
    with pytest.raises(RuntimeError, match="enough"):
        classifier.set_params(max_depth=7, callback=fail).fit(X, y)
    assert classifier.n_features_in_ == 5
    assert classifier.depth_ <= 1


@pytest.mark.timing
@on_signals
def test_ctrl_c_keeps_the_best_tree_if_requested():
    classifier = OptimalTreeClassifier(
        max_depth=9, binarizer=None, on_interrupt="return"
    )
    with pytest.warns(NotProvenWarning), Interrupt():
        classifier.fit(*hard_data())
    assert classifier.status_ == "interrupted"
    with pytest.raises(KeyboardInterrupt), Interrupt():
        classifier.set_params(on_interrupt="raise").fit(*hard_data())
    assert classifier.status_ == "interrupted"


def test_an_unproven_frontier_warns():
    X, y = hard_table()
    classifier = OptimalTreeClassifier(max_depth=6, frontier=True, time_limit=0.2)
    with pytest.warns(TimeLimitWarning, match="Not every tree of the frontier"):
        classifier.fit(X, y)
    assert classifier.frontier_.status == "time_limit"


def test_a_warning_made_an_error_leaves_nothing_behind():
    X, y = hard_table()
    classifier = OptimalTreeClassifier(max_depth=7, time_limit=0.05)
    with warnings.catch_warnings():
        warnings.simplefilter("error", NotProvenWarning)
        with pytest.raises(TimeLimitWarning):
            classifier.fit(X, y)
    assert not hasattr(classifier, "tree_")


@needs_callbacks
def test_scikit_learn_callbacks_see_every_step():
    X, y = hard_table()
    recorder = Recorder()
    classifier = OptimalTreeClassifier(max_depth=7, time_limit=0.6)
    with pytest.warns(TimeLimitWarning):
        classifier.set_callbacks(recorder).fit(X, y)
    events = recorder.events
    assert events[:2] == ["setup", "begin fit"]
    assert events[-2:] == ["end fit", "teardown"]
    assert events.count("begin search") == events.count("end search") >= 5
    assert recorder.scores[-1] == classifier.score(X, y)
    assert max(recorder.scores) == recorder.scores[-1]
    assert not hasattr(classifier, "_callback_fit_ctx")


@needs_callbacks
def test_quick_fits_call_callbacks_too():
    recorder = Recorder()
    classifier = OptimalTreeClassifier(max_depth=2).set_callbacks(recorder)
    classifier.fit(iris_X, iris_y)
    assert recorder.events[:2] == ["setup", "begin fit"]
    assert recorder.events[-2:] == ["end fit", "teardown"]
    assert classifier.status_ == "optimal"


@needs_callbacks
def test_a_scikit_learn_callback_stops_the_fit():
    X, y = hard_table()
    classifier = OptimalTreeClassifier(max_depth=7, time_limit=20.0)
    classifier.set_callbacks(Recorder(stop_after=1))
    with pytest.warns(NotProvenWarning, match="An interrupt"):
        classifier.fit(X, y)
    assert classifier.status_ == "interrupted"


@needs_callbacks
def test_an_exception_in_a_scikit_learn_callback_still_tears_it_down():
    X, y = hard_table()
    recorder = Recorder(raise_after=1)
    classifier = OptimalTreeClassifier(max_depth=7, time_limit=20.0)
    with pytest.raises(RuntimeError, match="enough"):
        classifier.set_callbacks(recorder).fit(X, y)
    assert recorder.events[-1] == "teardown"
    assert not [name for name in vars(classifier) if name.endswith("_")]
    assert not hasattr(classifier, "_callback_fit_ctx")


@needs_callbacks
@pytest.mark.parametrize("frontier", [False, True])
def test_callbacks_of_a_meta_estimator_reach_it(frontier):
    recorder = Propagated()
    classifier = OptimalTreeClassifier(max_depth=2, frontier=frontier)
    pipeline = make_pipeline(StandardScaler(), classifier).set_callbacks(recorder)
    pipeline.fit(iris_X, iris_y)
    assert recorder.events.count("begin fit") >= 2
    assert not [name for name in vars(pipeline[-1]) if "callback_" in name]
    search = GridSearchCV(classifier, {"max_depth": [1, 2]}, cv=2)
    search.set_callbacks(Propagated()).fit(iris_X, iris_y)
    assert search.best_estimator_.status_ == "optimal"


def test_callbacks_survive_clone_and_pickle():
    classifier = OptimalTreeClassifier(max_depth=1, callback=print)
    assert clone(classifier).callback is print
    fitted = classifier.set_params(callback=None).fit(iris_X, iris_y)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(iris_X), fitted.predict(iris_X))


@needs_callbacks
def test_the_progress_bar_shows_progress(capsys):
    pytest.importorskip("rich")
    from sklearn.callback import ProgressBar  # noqa: PLC0415

    classifier = OptimalTreeClassifier(max_depth=2)
    classifier.set_callbacks(ProgressBar()).fit(iris_X, iris_y)
    assert "OptimalTreeClassifier - fit" in capsys.readouterr().out


PROGRAM = """
import importlib.util, sys
import sklearn.base
sys.modules["sklearn.callback"] = None  # as before scikit-learn 1.9
find_spec = importlib.util.find_spec
importlib.util.find_spec = lambda name: (
    None if name == "sklearn.callback" else find_spec(name)
)
from murtree import OptimalTreeClassifier
seen = []
clf = OptimalTreeClassifier(max_depth=2, callback=seen.append)
clf.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 1, 0])
print(clf.status_, clf.objective_, hasattr(clf, "set_callbacks"))
"""


def test_estimators_work_without_scikit_learns_callbacks():
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM],
        env=dict(os.environ),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == ["optimal", "0", "False"], done.stderr
