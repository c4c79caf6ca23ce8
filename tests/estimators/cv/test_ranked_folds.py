"""Greedy trees of a fold whose search takes all thresholds, by ranks."""

import numpy as np
import pytest

from murtree import OptimalTreeClassifier
from murtree._estimators.cv.fold import (
    Rows,
    Split,
    Study,
    _cart_score,
    _fit_cart,
    _tested,
)
from murtree._table.ranked_rows import RankedRows


def test_greedy_trees_on_ranks_are_those_on_the_columns():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 1000, (900, 3)).astype(float)
    X[rng.random(900) < 0.1, 2] = np.nan
    y = (X[:, 0] > 500) ^ (X[:, 1] > 300) ^ (rng.random(900) < 0.2)
    study = Study(OptimalTreeClassifier(), Rows(X, y, None), None)
    estimator, prepared = study.prepare(np.arange(800), 3)
    assert isinstance(prepared.bits, RankedRows)
    by_ranks = _fit_cart(estimator, prepared, 3)
    columns = prepared._replace(bits=np.asarray(prepared.bits))
    by_columns = _fit_cart(estimator, columns, 3)
    found = by_ranks.predict(_tested(estimator, prepared, X))
    expected = by_columns.predict(_tested(estimator, columns, X))
    assert (found == expected).all()


@pytest.mark.parametrize("weight", [None, np.array([1.0, 2, 0, 1, 1, 1, 1, 1, 1])])
def test_a_held_out_value_in_a_gap_is_on_the_side_of_the_threshold(weight):
    X = np.array([[0.0, 5, 7, 10, 90, 95, 100, 20, 80]]).T
    y = np.array([0, 0, 1, 0, 1, 1, 1, 0, 1])
    if weight is None:
        y[2] = 0
    train, test = np.arange(7), np.array([7, 8])
    study = Study(OptimalTreeClassifier(), Rows(X, y, weight), None)
    assert isinstance(study.prepare(train, 1)[1].bits, RankedRows)
    own = OptimalTreeClassifier(max_depth=1)
    own.fit(X[train], y[train], None if weight is None else weight[train])
    assert own.score(X[test], y[test]) == 1.0  # 20 <= 50 < 80
    assert _cart_score(study, Split(train, test), 1) == 1.0
