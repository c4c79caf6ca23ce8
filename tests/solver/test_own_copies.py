"""Solvers copy their input, so that callers may reuse their arrays."""

import numpy as np
import pytest

from murtree import MetricSolver, OptimalTreeClassifier, Solver

RNG = np.random.default_rng(0)
X = RNG.integers(0, 2, (60, 6)).astype(np.uint8)
LABELS = ((X[:, 0] & X[:, 1]) ^ (RNG.random(60) < 0.1)).astype(np.int32)
TARGETS = X @ np.arange(6.0) + RNG.normal(size=60)
REAL = RNG.random(60) + 0.1
COSTS = np.array([[0.0, 1.5], [4.0, 0.25]])
PROBLEMS = {
    "counted": (LABELS, np.ones(60, dtype=np.int64), {}),
    "real weights": (LABELS, REAL, {}),
    "costs": (LABELS, REAL, {"objective": COSTS}),
    "feature costs": (LABELS, REAL, {"feature_costs": np.full(6, 0.2)}),
    "squared error": (TARGETS, REAL, {"objective": "squared_error"}),
    "gini": (LABELS, REAL, {"objective": "gini"}),
    "log loss": (LABELS, REAL, {"objective": "log_loss"}),
    "absolute error": (np.round(TARGETS, 1), REAL, {"objective": "absolute_error"}),
}


def copies(name, kind):
    y, weight, options = PROBLEMS[name]
    options = {
        key: value.copy() if isinstance(value, np.ndarray) else value
        for key, value in options.items()
    }
    return X.astype(kind), y.copy(), weight.copy(), options


def refill(arrays):
    for array in arrays:
        if isinstance(array, np.ndarray):
            array[...] = array[::-1].copy()


@pytest.mark.parametrize("kind", [np.uint8, np.bool_, np.int64, np.float64])
@pytest.mark.parametrize("name", PROBLEMS)
def test_a_solver_keeps_no_array_of_the_caller(name, kind):
    bits, y, weight, options = copies(name, kind)
    fresh = Solver(bits.copy(), y.copy(), weight.copy(), **copies(name, kind)[3])
    solver = Solver(bits, y, weight, **options)
    refill([bits, y, weight, *options.values()])
    for depth in (1, 3):
        found, expected = solver.solve(depth), fresh.solve(depth)
        assert found.objective == expected.objective
        np.testing.assert_array_equal(found.tree.value, expected.tree.value)
    assert (
        solver.frontier(2).objectives.tolist() == fresh.frontier(2).objectives.tolist()
    )


@pytest.mark.parametrize("kind", [np.uint8, np.bool_])
@pytest.mark.parametrize("metric", ["f1", "matthews", "gmean"])
def test_a_metric_solver_keeps_no_array_of_the_caller(metric, kind):
    bits, y, weight = X.astype(kind), LABELS.copy(), np.ones(60, dtype=np.int64)
    expected = MetricSolver(X, LABELS).solve(metric, 2).objective
    solver = MetricSolver(bits, y, weight)
    refill([bits, y, weight])
    assert solver.solve(metric, 2).objective == expected


def test_the_estimator_may_be_fitted_to_an_array_that_changes():
    bits = X.copy()
    clf = OptimalTreeClassifier(max_depth=2, binarizer=None).fit(bits, LABELS)
    predicted = clf.predict(X)
    refill([bits])
    np.testing.assert_array_equal(clf.predict(X), predicted)


def test_copy_has_one_bit_per_value():
    solver = Solver(X, TARGETS, objective="squared_error")
    assert solver._engine.problem._bits._bytes.nbytes == 60  # 6 columns fit a byte
    assert solver._engine.problem.data == {}
