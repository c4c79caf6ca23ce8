"""Searches for a metric that stop early: a valid tree, a bound, and a warning."""

import numpy as np
import pytest
from oracle.confusion import class_weights, metric_losses
from oracle.interrupts import SOON, Interrupt, on_signals

from murtree import (
    MetricSolver,
    NotProvenWarning,
    OptimalTreeClassifier,
    TimeLimitWarning,
)
from murtree._solver.metrics.metrics import ALL_NAMES


def hard_data():
    rng = np.random.default_rng(1)
    X = rng.random((3000, 60)) < 0.5
    y = (X[:, 0] & X[:, 1]) ^ (rng.random(3000) < 0.3)
    return X, y.astype(int)


@pytest.mark.parametrize("name", ALL_NAMES)
def test_limits_in_time_give_a_valid_bound(name):
    X, y = hard_data()
    best = MetricSolver(X, y).solve(name, 2)
    result = MetricSolver(X, y).solve(name, 5, time_limit=0.2)
    assert result.status == "time_limit"
    assert 0.0 <= result.lower_bound < result.objective <= 1.0
    assert result.lower_bound <= best.objective
    n0, n1 = class_weights(y.tolist(), [1] * len(y))
    predicted = result.tree.predict(X)
    fp, fn = (
        int(((predicted == 1) & (y == 0)).sum()),
        int(((predicted == 0) & (y == 1)).sum()),
    )
    loss = metric_losses(n0 - fp, fp, fn, n1 - fn)[name]
    assert result.objective == pytest.approx(loss, abs=1e-12)


@pytest.mark.parametrize("name", ["f1", "gmean"])
def test_callbacks_see_progress_and_may_stop(name):
    X, y = hard_data()
    seen = []

    def callback(progress):
        seen.append(progress)
        return len(seen) == 4

    result = MetricSolver(X, y).solve(name, 5, callback=callback)
    assert result.status == "interrupted"
    assert len(seen) == 4
    for progress in seen:
        assert progress.lower_bound <= result.objective
        assert progress.objective is None or progress.objective >= result.objective


@pytest.mark.timing
@on_signals
@pytest.mark.parametrize("name", ["f1", "matthews"])
def test_ctrl_c_raises_or_returns(name):
    X, y = hard_data()
    with pytest.raises(KeyboardInterrupt), Interrupt() as interrupt:
        MetricSolver(X, y).solve(name, 6)
    assert interrupt.back - interrupt.sent < SOON
    with Interrupt():
        result = MetricSolver(X, y).solve(name, 6, on_interrupt="return")
    assert result.status == "interrupted"
    assert 0.0 <= result.lower_bound < result.objective


def test_better_of_two_methods_is_kept():
    """Weights too large for the plain solver, and too little time for the front."""
    X, y = hard_data()
    weight = np.random.default_rng(0).integers(1, 2**30, len(y))
    result = MetricSolver(X, y, weight).solve("f1", 5, time_limit=0.2)
    assert result.status == "time_limit"
    assert 0.0 <= result.lower_bound < result.objective < 1.0


def test_the_estimator_warns_when_the_proof_is_missing():
    X, y = hard_data()
    clf = OptimalTreeClassifier(
        max_depth=5, objective="f1", time_limit=0.1, binarizer=None
    )
    with pytest.warns(TimeLimitWarning, match="no tree within the limits"):
        clf.fit(X, y)
    clf.set_params(time_limit=None, pareto_front=True, callback=lambda _: True)
    with pytest.warns(NotProvenWarning, match="Not every point of the Pareto front"):
        clf.fit(X, y)
