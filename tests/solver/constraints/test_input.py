"""Constraints as users write them: kinds of columns, bad input, limits."""

import datetime

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

from murtree import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Tree,
)
from murtree._table.predicate_text import Words

NAN = float("nan")
DAYS = [datetime.datetime(2024, 1, day) for day in range(1, 9)]
TABLE = pd.DataFrame(
    {
        "age": [20.0, 30.0, 40.0, NAN, 60.0, 70.0, 80.0, NAN],
        "colour": ["red", "blue", "red", "green", "blue", "green", "red", "blue"],
        "size": pd.Categorical(
            ["S", "M", "L", "S", "M", "L", "S", "M"], ["S", "M", "L"], ordered=True
        ),
        "day": DAYS,
        "member": [True, False, True, False, True, False, True, False],
    }
)
y = [0, 0, 0, 1, 1, 1, 0, 1]


def fit(top, **requested):
    requested = {"max_depth": 2} | requested
    return OptimalTreeClassifier(partial_tree=top, **requested).fit(TABLE, y)


def left_rows(fitted):
    """Return the rows that go left at the root."""
    paths = fitted.decision_path(TABLE).toarray()
    return np.flatnonzero(paths[:, fitted.tree_.children_left[0]]).tolist()


@pytest.mark.parametrize(
    ("top", "rows"),
    [
        ({"feature": "age", "threshold": 45, "missing": "left"}, [0, 1, 2, 3, 7]),
        ({"feature": "age", "threshold": 45, "missing": "right"}, [0, 1, 2]),
        ({"feature": 0, "threshold": 45.0}, [0, 1, 2, 3, 7]),  # a tie goes left
        (
            {"feature": "age", "threshold": 35},
            [0, 1],
        ),  # missing values go to the heavier side
        ({"feature": "age", "threshold": 65}, [0, 1, 2, 3, 4, 7]),
        ({"feature": "age", "is_missing": True}, [3, 7]),
        ({"feature": "colour", "categories": ["red"]}, [0, 2, 6]),
        ({"feature": "colour", "categories": ("red", "blue")}, [0, 1, 2, 4, 6, 7]),
        ({"feature": "size", "threshold": "S"}, [0, 3, 6]),
        ({"feature": "size", "categories": ["S", "L"]}, [0, 2, 3, 5, 6]),
        ({"feature": "day", "threshold": DAYS[5]}, [0, 1, 2, 3, 4, 5]),
        ({"feature": "day", "threshold": np.datetime64("2024-01-07")}, list(range(7))),
        ({"feature": "member", "threshold": 0.5}, [1, 3, 5, 7]),
        ({"feature": "member"}, [1, 3, 5, 7]),
        ({"feature": np.int64(4), "left": None, "right": None}, [1, 3, 5, 7]),
    ],
)
def test_tests_of_every_kind(top, rows):
    fitted = fit(top)
    assert left_rows(fitted) == rows
    assert fitted.status_ == "optimal"
    wrong = int((fitted.predict(TABLE) != y).sum())
    assert fitted.objective_ == fitted.tree_.misclassified == wrong
    again = Tree.from_json(fitted.tree_.to_json())
    np.testing.assert_array_equal(again.predict(TABLE), fitted.predict(TABLE))


def test_the_rest_of_the_tree():
    top = {
        "feature": "age",
        "threshold": 61.5,
        "left": {"feature": "colour", "categories": ["red"]},
    }
    fitted = fit(top, max_depth=3)
    words = Words(fitted.tree_.columns, filter(None, fitted.tree_.predicates))
    assert words.yes(fitted.tree_.predicate(0)) == "age <= 61.5 or missing"
    assert words.yes(fitted.tree_.predicate(1)) == "colour = red"
    assert fitted.objective_ == 0
    assert fitted.tree_.value[0].tolist() == [4, 4]
    assert top == {  # unchanged
        "feature": "age",
        "threshold": 61.5,
        "left": {"feature": "colour", "categories": ["red"]},
    }
    assert clone(fitted).get_params()["partial_tree"] == top
    assert fitted.search_stats_["questions"] == 3


def test_useless_fixed_test_is_kept():
    fitted = fit({"feature": "member"}, max_depth=1, cost_complexity=5.0)
    assert fitted.n_nodes_ == 1
    assert fitted.objective_ == fitted.tree_.misclassified + 5.0 * 8


@pytest.mark.parametrize("penalty", [1.1e6, 1e16, 1e308])
@pytest.mark.parametrize("more", [{}, {"max_num_nodes": 2}])
def test_too_large_penalty_with_a_partial_tree_is_refused(penalty, more):
    with pytest.raises(
        ValueError, match=r"must be at most 1000000 with 'partial_tree'"
    ):
        fit({"feature": "member"}, max_depth=2, cost_complexity=penalty, **more)
    dear = fit({"feature": "member"}, max_depth=2, cost_complexity=1e6, **more)
    assert (dear.n_nodes_, dear.status_) == (1, "optimal")


def test_depth_without_a_limit():
    bits = np.array([[i >> k & 1 for k in range(4)] for i in range(16)])
    labels = bits.sum(axis=1) % 2
    ask = {"max_depth": None, "partial_tree": {"feature": 2}, "binarizer": None}
    counted = OptimalTreeClassifier(max_num_nodes=9, **ask).fit(bits, labels)
    free = OptimalTreeClassifier(max_depth=None, max_num_nodes=9, binarizer=None)
    # All columns are equivalent for parity.
    assert counted.objective_ == free.fit(bits, labels).objective_
    paid = OptimalTreeClassifier(cost_complexity=1 / 64, **ask).fit(bits, labels)
    assert (paid.n_nodes_, paid.tree_.misclassified) == (15, 0)
    assert paid.objective_ == 15 / 4


def test_the_sides_share_the_nodes():
    # One test is useful left of the root, two right of it: three nodes go there.
    bits = np.array([[i >> k & 1 for k in range(3)] for i in range(8)])
    labels = np.where(bits[:, 0] == 1, bits[:, 1] ^ bits[:, 2], bits[:, 1])
    for nodes, errors in ((1, 4), (2, 2), (3, 2), (4, 1), (5, 0), (7, 0)):
        fitted = OptimalTreeClassifier(
            max_depth=3,
            max_num_nodes=nodes,
            partial_tree={"feature": 0, "threshold": 0.5},
            binarizer=None,
        ).fit(bits, labels)
        assert fitted.objective_ == errors
        assert fitted.n_nodes_ <= nodes


def test_a_single_row_below_a_fixed_test():
    X, targets = [[1.0], [2.0], [3.0]], [5.0, 1.0, 1.0]
    top = {"feature": 0, "threshold": 1.5}
    for objective in ("squared_error", "absolute_error"):
        fitted = OptimalTreeRegressor(
            max_depth=3, partial_tree=top, objective=objective
        ).fit(X, targets)
        assert fitted.predict([[0.0], [9.0]]).tolist() == [5.0, 1.0]
        assert (fitted.objective_, fitted.n_nodes_) == (0.0, 1)
        assert fitted.tree_.weight.tolist() == [3.0, 1.0, 2.0]


@pytest.mark.parametrize(
    ("top", "error", "message"),
    [
        ([], TypeError, "at partial_tree, be a dict or None"),
        ({"feature": "age", "left": 3}, TypeError, r"at partial_tree\['left'\], be a"),
        ({}, ValueError, "have a 'feature'"),
        ({"feature": "age", "treshold": 1}, ValueError, "other entries only among"),
        ({"feature": "agee"}, ValueError, "the name or index of a column"),
        ({"feature": 5}, ValueError, "Got 5 instead"),
        ({"feature": -1}, ValueError, "Got -1 instead"),
        ({"feature": True}, ValueError, "Got True instead"),
        ({"feature": ["age"]}, ValueError, "the name or index"),
        ({"feature": "age", "threshold": "old"}, TypeError, "a number as 'threshold'"),
        ({"feature": "age", "threshold": True}, TypeError, "a number as 'threshold'"),
        ({"feature": "age", "threshold": NAN}, ValueError, "a finite value"),
        ({"feature": "age", "threshold": 1e400}, ValueError, "a finite value"),
        ({"feature": "age", "threshold": 10**400}, ValueError, "a finite value"),
        ({"feature": "age", "threshold": 5.0}, ValueError, r"Got 0 at .*\['left'\]"),
        ({"feature": "age", "threshold": 99}, ValueError, r"Got 0 at .*\['right'\]"),
        ({"feature": "age", "categories": [1]}, ValueError, "column of categories"),
        ({"feature": "age", "missing": "left"}, ValueError, "with a threshold"),
        (
            {"feature": "age", "threshold": 45, "missing": "up"},
            ValueError,
            "'left' or 'right' as 'missing'",
        ),
        (
            {"feature": "age", "threshold": 45, "is_missing": True},
            ValueError,
            "have one test only",
        ),
        ({"feature": "age", "is_missing": "yes"}, ValueError, "True as 'is_missing'"),
        ({"feature": "day", "is_missing": True}, ValueError, r"Got 0 at .*\['left'\]"),
        ({"feature": "colour", "threshold": 1}, ValueError, "with an order only"),
        ({"feature": "colour", "categories": []}, ValueError, "known categories"),
        ({"feature": "colour", "categories": "red"}, ValueError, "known categories"),
        ({"feature": "colour", "categories": ["pink"]}, ValueError, "known are"),
        ({"feature": "colour", "categories": [None]}, ValueError, "known categories"),
        ({"feature": "colour", "categories": [3]}, TypeError, "that are text"),
        ({"feature": "size", "threshold": "XL"}, ValueError, "a known category"),
        ({"feature": "day", "threshold": 3}, TypeError, "must be datetimes"),
    ],
)
def test_bad_partial_trees(top, error, message):
    with pytest.raises(error, match=message) as raised:
        fit(top)
    assert len(str(raised.value)) < 700


def test_too_deep_or_cyclic_partial_trees_are_refused():
    endless = {"feature": "age"}
    endless["left"] = endless
    with pytest.raises(ValueError, match="at most 2 levels, the 'max_depth'"):
        fit(endless)
    with pytest.raises(ValueError, match="at most 255 levels"):
        fit(endless, max_depth=None, max_num_nodes=3)
    chain = {"feature": "age", "right": {"feature": "day"}}
    with pytest.raises(ValueError, match=r"max_num_nodes=1 tests\. Got 2"):
        fit(chain, max_num_nodes=1)
    with pytest.raises(ValueError, match=r"_features=1 columns\. Got 2"):
        fit(chain, max_distinct_features=1)
    with pytest.raises(ValueError, match="must be at most 257 with this"):
        fit(chain, max_depth=12, max_num_nodes=400)
    with pytest.raises(ValueError, match="not test a column of 'forbidden_features'"):
        fit(chain, forbidden_features=["day"])
    with pytest.raises(ValueError, match="row\\(s\\), the 'min_samples_leaf'"):
        fit({"feature": "age", "threshold": 65}, min_samples_leaf=3)
    with pytest.raises(ValueError, match="at most 0 levels"):
        fit({"feature": "age"}, max_depth=0)


def test_a_column_without_a_test():
    table = TABLE.assign(same=1.0)
    clf = OptimalTreeClassifier(max_depth=2, partial_tree={"feature": "same"})
    with pytest.raises(ValueError, match=r"a column with a test\. Got 'same'"):
        clf.fit(table, y)


@pytest.mark.parametrize(
    ("requested", "error", "message"),
    [
        ({"forbidden_features": "age"}, TypeError, "list of names or indices"),
        ({"forbidden_features": 3}, TypeError, "list of names or indices"),
        ({"forbidden_features": ["agee"]}, ValueError, "Got 'agee' instead"),
        ({"forbidden_features": [9]}, ValueError, "Got 9 instead"),
        ({"max_distinct_features": 0}, ValueError, "an int in the range \\[1, inf\\)"),
        ({"max_distinct_features": 1.0}, TypeError, "an int in the range"),
        ({"max_distinct_features": True}, TypeError, "an int in the range"),
        (
            {"max_distinct_features": 2, "frontier": True},
            ValueError,
            "'frontier' .* must be False with 'max_distinct_features'",
        ),
        (
            {"partial_tree": {"feature": 0}, "fewest_nodes": True},
            ValueError,
            "'fewest_nodes' .* must be False with 'partial_tree'",
        ),
        (
            {"partial_tree": {"feature": 0}, "objective": "f1"},
            ValueError,
            "'partial_tree' .* must be None with objective='f1'",
        ),
        (
            {"max_distinct_features": 1, "objective": "f1", "pareto_front": True},
            ValueError,
            "'max_distinct_features' .* must be None with objective='f1'",
        ),
    ],
)
def test_bad_parameters(requested, error, message):
    with pytest.raises(error, match=message):
        OptimalTreeClassifier(**requested).fit(TABLE, y)
