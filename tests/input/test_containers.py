"""Containers that NumPy would misread raise an error that says what to do."""

import numpy as np
import polars as pl
import pytest

from murtree import (
    MetricSolver,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    Solver,
    TableBinarizer,
)

X, y = [[0], [1], [0], [1]], [0, 1, 0, 1]
LAZY = pl.LazyFrame({"a": y})
FITTED = OptimalTreeClassifier(max_depth=1).fit(X, y)
BITS = OptimalTreeClassifier(max_depth=1, binarizer=None)
MASKED = np.ma.masked_array(y, mask=[0, 0, 0, 1])
MASKED_X = MASKED[:, np.newaxis]


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("X", lambda: Solver(LAZY, y)),
        ("y", lambda: Solver(X, LAZY)),
        ("y", lambda: Solver(X, LAZY, objective="squared_error")),
        ("sample_weight", lambda: Solver(X, y, LAZY)),
        ("X", lambda: MetricSolver(LAZY, y)),
        ("X", lambda: TableBinarizer().fit(LAZY, y)),
        ("X", lambda: TableBinarizer().fit(X, y).transform(LAZY)),
        ("X", lambda: OptimalTreeClassifier().fit(LAZY, y)),
        ("y", lambda: OptimalTreeClassifier().fit(X, LAZY)),
        ("sample_weight", lambda: OptimalTreeClassifier().fit(X, y, LAZY)),
        ("y", lambda: OptimalTreeRegressor().fit(X, LAZY)),
        ("X", lambda: BITS.fit(LAZY, y)),
        ("X", lambda: BITS.fit(X, y).predict(LAZY)),
        ("X", lambda: FITTED.predict(LAZY)),
        ("X", lambda: FITTED.tree_.predict(LAZY)),
        ("X", lambda: Solver(X, y).solve(1).tree.predict(LAZY)),
        ("X", lambda: OptimalTreeClassifierCV(max_depth=1).fit(LAZY, y)),
        ("y", lambda: OptimalTreeClassifierCV(max_depth=1).fit(X, LAZY)),
    ],
)
def test_a_lazy_frame_is_refused(name, use):
    with pytest.raises(
        TypeError, match=rf"^{name} must be .* LazyFrame .* collect\(\)"
    ):
        use()


@pytest.mark.parametrize(
    ("name", "use"),
    [
        ("X", lambda: Solver(MASKED_X, y)),
        ("y", lambda: Solver(X, MASKED)),
        ("y", lambda: Solver(X, MASKED, objective="squared_error")),
        ("sample_weight", lambda: Solver(X, y, MASKED)),
        ("X", lambda: TableBinarizer().fit(X, y).transform(MASKED_X)),
        ("X", lambda: OptimalTreeClassifier().fit(MASKED_X, y)),
        ("y", lambda: OptimalTreeClassifier().fit(X, MASKED)),
        ("sample_weight", lambda: OptimalTreeClassifier().fit(X, y, MASKED)),
        ("y", lambda: OptimalTreeRegressor().fit(X, MASKED)),
        ("X", lambda: BITS.fit(X, y).predict(MASKED_X)),
        ("X", lambda: FITTED.predict(MASKED_X)),
        ("X", lambda: FITTED.tree_.predict(MASKED_X)),
        ("X", lambda: OptimalTreeClassifierCV(max_depth=1, cv=2).fit(MASKED_X, y)),
        ("y", lambda: OptimalTreeClassifierCV(max_depth=1, cv=2).fit(X, MASKED)),
        ("y", lambda: OptimalTreeRegressorCV(max_depth=1, cv=2).fit(X, MASKED)),
    ],
)
def test_a_masked_array_is_refused(name, use):
    with pytest.raises(TypeError, match=rf"^{name} must be an array without a mask"):
        use()


def test_masked_values_are_missing_as_the_message_says():
    with pytest.raises(TypeError, match=r"X\.astype\(float\)\.filled\(numpy\.nan\)"):
        OptimalTreeClassifier().fit(MASKED_X, y)
    clf = OptimalTreeClassifier().fit(MASKED_X.astype(float).filled(np.nan), y)
    assert clf.tree_.columns[0].has_missing
