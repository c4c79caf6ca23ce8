"""A lazy frame of polars is refused with a hint to collect it."""

import polars as pl
import pytest

from murtree import (
    MetricSolver,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Solver,
    TableBinarizer,
)

X, y = [[0], [1], [0], [1]], [0, 1, 0, 1]
LAZY = pl.LazyFrame({"a": y})
FITTED = OptimalTreeClassifier(max_depth=1).fit(X, y)
BITS = OptimalTreeClassifier(max_depth=1, binarizer=None)


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
