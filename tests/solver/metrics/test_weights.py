"""Metrics with large and with real weights."""

import math

import numpy as np
import pytest
from oracle.strategies import structured_instance, two_classes

from murtree import MetricSolver


def test_real_weights_are_multiples_of_their_unit():
    X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
    y, weight = [0, 1, 1, 1, 0], np.array([1.0, 0.5, 2.0, 1.5, 0.5])
    front = MetricSolver(X, y, weight).pareto_front(max_depth=1)
    copies = MetricSolver(X, y, 2 * weight).pareto_front(max_depth=1)
    assert front.fp.tolist() == (copies.fp / 2).tolist()
    assert front.fn.tolist() == (copies.fn / 2).tolist()
    for metric in ("f1", "matthews", "gmean", "balanced_accuracy"):
        result = MetricSolver(X, y, weight).solve(metric, max_depth=1)
        assert result.objective == copies.best(metric).objective
        assert result.objective == front.best(metric).objective


def test_callable_receives_real_weights():
    X, y = [[0], [0], [1]], [0, 1, 1]
    solver = MetricSolver(X, y, [0.5, 0.25, 1.25])
    reported = []
    result = solver.solve(
        lambda *cells: reported.append(cells) or -cells[1], max_depth=1
    )
    assert result.objective == 0.0
    assert all(tn + fp == 0.5 and fn + tp == 1.5 for tn, fp, fn, tp in reported)


def test_weights_without_a_common_unit_are_rounded():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (40, 4)), rng.integers(0, 2, 40)
    weight = rng.random(40)
    result = MetricSolver(X, y, weight).solve("f1", max_depth=2)
    predicted = result.tree.predict(X)
    tp, wrong = weight[(predicted == 1) & (y == 1)].sum(), weight[predicted != y].sum()
    assert result.objective == pytest.approx(1 - 2 * tp / (2 * tp + wrong), abs=1e-8)


def test_light_rows_among_heavy_ones_keep_their_weight():
    """Metrics are ratios within a class: rounding a class to zero would be wrong."""
    X, y = [[0, 0], [1, 0], [0, 1], [0, 1], [0, 1]], [0, 1, 1, 1, 1]
    light = np.array([1e-3 * math.e, 1.1e-4 * math.pi, 1.2e-4 * 2**0.5, 2.2e-4])
    weight = np.r_[1e8 * math.pi, light]
    solver = MetricSolver(X, y, weight)
    assert solver.pareto_front(1).positives == pytest.approx(light.sum(), rel=1e-4)
    recall = light[0] / light.sum()  # of the best stump
    result = solver.solve("gmean", max_depth=1)
    assert result.objective == pytest.approx(1 - math.sqrt(recall), abs=1e-4)


def test_heavy_weights_use_the_front():
    X, y, _ = two_classes(structured_instance(2))
    weight = np.random.default_rng(0).integers(1, 2**40, len(y))
    solver = MetricSolver(X, y, weight)
    result = solver.solve("f1", 2)
    assert "questions" not in result.stats
    assert result.objective == solver.pareto_front(2).best("f1").objective
