"""Forbidden features, few distinct features and partial trees, against the judge."""

import math
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.brute_force import resolution
from oracle.constraint_judge import (
    EXACT,
    SETTINGS,
    columns_of,
    fit,
    fit_or_refused,
    follows,
    judge_of_errors,
    least,
    tables,
    tops,
)
from oracle.strategies import penalties
from sklearn.datasets import load_iris

from murtree import OptimalTreeClassifier


def check_errors(fitted, data, expected, *, size=1):
    """Assert that a result is proven and its tree has the reported errors."""
    table, labels, weight = data
    assert fitted.status_ == "optimal"
    assert fitted.objective_ == fitted.lower_bound_ == expected
    assert isinstance(fitted.objective_, int)
    assert fitted.gap_ == 0.0
    wrong = np.array(fitted.predict(table)) != np.array(labels)
    assert np.array(weight)[wrong].sum() == expected == fitted.tree_.misclassified
    leaves = fitted.apply(table)[np.array(weight) > 0]
    if fitted.n_nodes_:
        assert np.unique(leaves, return_counts=True)[1].min() >= size
    for leaf in np.unique(leaves):
        own = np.array(weight) * (fitted.apply(table) == leaf)
        by_class = [own[np.array(labels) == label].sum() for label in fitted.classes_]
        np.testing.assert_array_equal(fitted.tree_.value[leaf], by_class)


# --- forbidden features ---------------------------------------------------------------


@SETTINGS
@given(tables(), st.integers(1, 3), st.sets(st.integers(0, 2)))
def test_forbidden_features_equal_the_judge(data, depth, forbidden):
    n_columns = len(data[0][0])
    forbidden = {index for index in forbidden if index < n_columns}
    allowed = set(range(n_columns)) - forbidden
    best = judge_of_errors(*data).best(depth, columns=allowed)
    for nodes in (2**depth - 1, 2**depth // 2):
        fitted = fit(
            data, max_depth=depth, max_num_nodes=nodes, forbidden_features=forbidden
        )
        check_errors(fitted, data, least(best, nodes))
        assert not columns_of(fitted) & forbidden


def test_forbidden_by_name_or_index_with_all_objectives():
    table = pd.DataFrame(
        {"a": [0, 0, 1, 1, 0, 1], "b": [0, 1, 0, 1, 1, 1], "c": list("xyxyxx")}
    )
    y = [0, 1, 0, 1, 1, 0]
    for requested in (
        {},
        {"objective": "f1"},
        {"objective": "f1", "pareto_front": True},
        {"frontier": True},
        {"objective": "balanced_accuracy"},
    ):
        free = OptimalTreeClassifier(max_depth=2, **requested).fit(table, y)
        assert columns_of(free) & {1, 2}
        for forbidden in (["b", "c"], [1, "c"], np.array([1, 2])):
            fitted = OptimalTreeClassifier(
                max_depth=2, forbidden_features=forbidden, **requested
            ).fit(table, y)
            assert columns_of(fitted) <= {0}
            # Columns that are never tested may contain anything, even unknown
            # categories.
            other = table.assign(c="unknown", b=7.5)
            np.testing.assert_array_equal(fitted.predict(other), fitted.predict(table))


def test_forbidden_columns_of_bits_and_all_of_them():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 0, 1]
    ask = {"max_depth": 1, "binarizer": None}
    assert OptimalTreeClassifier(**ask).fit(X, y).objective_ == 0
    fitted = OptimalTreeClassifier(forbidden_features=[1], **ask).fit(X, y)
    assert fitted.objective_ == 2
    for binarizer in (None, "auto"):
        alone = OptimalTreeClassifier(forbidden_features=["x0", 1], binarizer=binarizer)
        assert alone.fit(X, y).n_nodes_ == 0


# --- few distinct features ------------------------------------------------------------


@SETTINGS
@given(tables(max_columns=4), st.integers(1, 3), st.integers(1, 4), st.integers(1, 2))
def test_few_features_equal_the_judge(data, depth, most, size):
    best = judge_of_errors(*data).best_of_few(depth, most, size)
    for nodes in (2**depth - 1, 2**depth // 2):
        fitted = fit(
            data,
            max_depth=depth,
            max_num_nodes=nodes,
            max_distinct_features=most,
            min_samples_leaf=size,
        )
        check_errors(fitted, data, least(best, nodes), size=size)
        assert len(columns_of(fitted)) <= most
        assert fitted.n_nodes_ <= nodes


@SETTINGS
@given(tables(max_columns=4), st.integers(1, 3), st.integers(1, 2), penalties())
def test_few_features_at_a_price_equal_the_judge(data, depth, most, penalty):
    total = sum(data[2])
    best = judge_of_errors(*data).best_of_few(depth, most)
    expected = least(best, 2**depth, Fraction(penalty) * total)
    fitted = fit(
        data, max_depth=depth, max_distinct_features=most, cost_complexity=penalty
    )
    check_price(fitted, data, expected, penalty, resolution(total) * 2**depth)
    assert len(columns_of(fitted)) <= most


def check_price(fitted, data, expected, penalty, tolerance):
    """Assert a proven penalised optimum, to within the stated resolution."""
    cost = fitted.tree_.misclassified
    cost += Fraction(penalty) * sum(data[2]) * fitted.n_nodes_
    assert fitted.status_ == "optimal"
    assert fitted.objective_ == fitted.lower_bound_
    assert fitted.objective_ == pytest.approx(float(cost), rel=1e-12)
    assert expected <= cost <= expected + tolerance


def test_few_of_many_columns_equal_the_judge():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 2, (80, 7))
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & ~X[:, 3] & 1) ^ (rng.random(80) < 0.1)
    judge = judge_of_errors(X.tolist(), y.tolist(), [1] * 80)
    for most in (1, 2, 3, 4):
        expected = judge.best_of_few(3, most)[-1]
        fitted = OptimalTreeClassifier(
            max_depth=3, max_distinct_features=most, binarizer=None
        ).fit(X, y)
        assert fitted.objective_ == fitted.lower_bound_ == expected
        assert len(columns_of(fitted)) <= most
        assert fitted.search_stats_["questions"] > 1
    assert most < len(columns_of(OptimalTreeClassifier(max_depth=3).fit(X, y)))


# --- partial trees --------------------------------------------------------------------


@settings(SETTINGS, max_examples=80)
@given(tables(), st.integers(1, 3), st.integers(1, 2), st.data())
def test_partial_trees_equal_the_judge(data, depth, size, drawn):
    top = drawn.draw(tops(len(data[0][0]), depth))
    best = judge_of_errors(*data).completed(top, depth, size)
    for nodes in range(1, 2**depth):
        expected = least(best, nodes)
        fitted = fit_or_refused(
            data,
            max_depth=depth,
            max_num_nodes=nodes,
            min_samples_leaf=size,
            partial_tree=top,
        )
        assert (fitted is None) == (expected == math.inf)
        if fitted is not None:
            check_errors(fitted, data, expected, size=size)
            assert follows(fitted.tree_, top)
            assert fitted.depth_ <= depth
            assert fitted.n_nodes_ <= nodes


@SETTINGS
@given(tables(), st.integers(1, 3), penalties(), st.data())
def test_partial_trees_at_a_price_equal_the_judge(data, depth, penalty, drawn):
    assume(penalty <= 1e6)  # larger ones are refused, see `test_input`
    top = drawn.draw(tops(len(data[0][0]), depth))
    total = sum(data[2])
    best = judge_of_errors(*data).completed(top, depth)
    fewest = next((n for n, cost in enumerate(best) if cost < math.inf), 0)
    for nodes in {None, min(fewest + 1, 2**depth - 1)}:
        expected = least(best, nodes or 2**depth, Fraction(penalty) * total)
        fitted = fit_or_refused(
            data,
            max_depth=depth,
            max_num_nodes=nodes,
            cost_complexity=penalty,
            partial_tree=top,
        )
        assert (fitted is None) == (expected == math.inf)
        if fitted is None:
            continue
        check_price(fitted, data, expected, penalty, resolution(total) * 2**depth)
        assert follows(fitted.tree_, top)


@SETTINGS
@given(tables(max_columns=4), st.integers(1, 4), st.data())
def test_partial_trees_of_few_features_equal_the_judge(data, most, drawn):
    top = drawn.draw(tops(len(data[0][0]), 2))
    best = judge_of_errors(*data).best_of_few(3, most, top=top)
    for nodes in (7, 4):
        fitted = fit_or_refused(
            data,
            max_depth=3,
            max_num_nodes=nodes,
            max_distinct_features=most,
            partial_tree=top,
        )
        expected = least(best, nodes)
        assert (fitted is None) == (expected == math.inf)
        if fitted is not None:
            check_errors(fitted, data, expected)
            assert follows(fitted.tree_, top)
            assert len(columns_of(fitted)) <= most


@pytest.mark.parametrize("nodes", [7, 4])
def test_best_fixed_root_equals_the_free_optimum(nodes):
    X, y = load_iris(return_X_y=True)
    ask = {"max_depth": 3, "max_num_nodes": nodes, "binarizer": EXACT}
    free = OptimalTreeClassifier(**ask).fit(X, y)
    forced = [
        OptimalTreeClassifier(partial_tree={"feature": index}, **ask).fit(X, y)
        for index in range(4)
    ]
    assert all(tree.status_ == "optimal" for tree in forced)
    assert min(tree.objective_ for tree in forced) == free.objective_
    assert forced[int(free.tree_.feature[0])].objective_ == free.objective_
    assert max(tree.objective_ for tree in forced) > free.objective_
