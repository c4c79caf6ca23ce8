"""Which tests are candidates: how many, how chosen, and what they depend on."""

import numpy as np

from murtree import Candidates, TableBinarizer


def test_candidates_are_counted_for_each_column():
    rows = np.arange(40)
    table = np.empty((40, 4), dtype=object)
    table[:, 0] = rows.astype(float)
    table[:, 1] = (rows % 2).astype(float)
    table[:, 2] = [f"t{row % 30}" for row in rows]
    table[:, 3] = rows % 2 == 0
    binarizer = TableBinarizer(n_thresholds=5, max_categories=20).fit(table)
    assert binarizer.candidates_ == (
        Candidates("x0", "number", 5, 39, "quantile"),
        Candidates("x1", "number", 1, 1, "all"),
        Candidates("x2", "category", 20, 30, "heaviest"),
        Candidates("x3", "boolean", 1, 1, "all"),
    )
    assert [some.is_complete for some in binarizer.candidates_] == [0, 1, 0, 1]


def test_a_users_thresholds_that_separate_nothing_are_not_counted():
    binarizer = TableBinarizer(strategy=[[-5.0, 1.5, 1.7, 9.0]]).fit(
        [[1.0], [2.0], [3.0]]
    )
    assert binarizer.candidates_ == (Candidates("x0", "number", 1, 2, "given"),)
    both = TableBinarizer(strategy=[[1.5, 2.5]]).fit([[1.0], [2.0], [3.0]])
    assert both.candidates_ == (Candidates("x0", "number", 2, 2, "all"),)


def test_a_column_without_values_has_no_candidates():
    binarizer = TableBinarizer().fit([[np.nan, 1.0], [np.nan, 2.0]])
    assert binarizer.candidates_[0] == Candidates("x0", "number", 0, 0, "all")
