"""Forbidden features, few distinct features, partial trees: all equal to the judge."""

import math
from fractions import Fraction

import numpy as np
import pytest
from brute_force import (
    absolute_error,
    as_written,
    costs_by_row,
    leaf_error,
    least_label_cost,
    resolution,
    squared_error,
)
from constraint_judge import Judge, least
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from strategies import REAL_WEIGHTS, cost_matrices, penalties

from murtree import Binarizer, OptimalTreeClassifier, OptimalTreeRegressor

thorough = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
EXACT = Binarizer(strategy="exact")


@st.composite
def tables(draw, max_columns=3, max_rows=9, weights=(0, 1, 2, 3)):
    """Draw a table of small whole numbers, labels and weights."""
    n_columns = draw(st.integers(1, max_columns))
    n_rows = draw(st.one_of(st.integers(5, max_rows), st.integers(2, max_rows)))
    row = st.lists(st.integers(0, 2), min_size=n_columns, max_size=n_columns)
    table = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    labels = st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)
    kind = draw(st.sampled_from([st.just(1), st.sampled_from(weights)]))
    weight = st.lists(kind, min_size=n_rows, max_size=n_rows).filter(any)
    return table, draw(labels), draw(weight)


@st.composite
def tops(draw, n_columns, levels):
    """Draw a partial tree: thresholds of our own, or just a column."""
    top = {"feature": draw(st.integers(0, n_columns - 1))}
    threshold = draw(st.sampled_from([None, 0.5, 1.25, 1.5]))
    if threshold is not None:
        top["threshold"] = threshold
    for side in ("left", "right"):
        if levels > 1 and draw(st.booleans()):
            top[side] = draw(tops(n_columns, levels - 1))
    return top


def judge_of_errors(table, labels, weight):
    rest = list(zip(labels, weight, strict=True))
    return Judge(table, rest, leaf_error, weight)


def fit(data, estimator=OptimalTreeClassifier, **asked):
    table, y, weight = data
    asked = {"binarizer": EXACT} | asked
    return estimator(**asked).fit(table, y, sample_weight=weight)


def columns_of(fitted):
    feature = fitted.tree_.feature
    return set(feature[feature >= 0].tolist())


def follows(tree, top, node=0):
    """Whether a tree has the fixed tests where they should be."""
    if top is None:
        return True
    if tree.feature[node] != top["feature"]:
        return False
    wanted = top.get("threshold")
    if wanted is not None and tree.threshold[node] != wanted:
        return False
    return follows(tree, top.get("left"), tree.children_left[node]) and follows(
        tree, top.get("right"), tree.children_right[node]
    )


def check_errors(fitted, data, expected, *, size=1):
    """Assert a proof, and that the tree tells the truth about the rows."""
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


@thorough
@given(tables(), st.integers(1, 3), st.sets(st.integers(0, 2)))
def test_forbidden_features_equal_the_judge(data, depth, forbidden):
    n_columns = len(data[0][0])
    forbidden = {place for place in forbidden if place < n_columns}
    allowed = set(range(n_columns)) - forbidden
    best = judge_of_errors(*data).best(depth, columns=allowed)
    for nodes in (2**depth - 1, 2**depth // 2):
        fitted = fit(
            data, max_depth=depth, max_num_nodes=nodes, forbidden_features=forbidden
        )
        check_errors(fitted, data, least(best, nodes))
        assert not columns_of(fitted) & forbidden


def test_forbidden_by_name_or_place_with_all_objectives():
    pandas = pytest.importorskip("pandas")
    table = pandas.DataFrame(
        {"a": [0, 0, 1, 1, 0, 1], "b": [0, 1, 0, 1, 1, 1], "c": list("xyxyxx")}
    )
    y = [0, 1, 0, 1, 1, 0]
    for asked in (
        {},
        {"objective": "f1"},
        {"objective": "f1", "pareto_front": True},
        {"frontier": True},
        {"objective": "balanced_accuracy"},
    ):
        free = OptimalTreeClassifier(max_depth=2, **asked).fit(table, y)
        assert columns_of(free) & {1, 2}
        for forbidden in (["b", "c"], [1, "c"], np.array([1, 2])):
            fitted = OptimalTreeClassifier(
                max_depth=2, forbidden_features=forbidden, **asked
            ).fit(table, y)
            assert columns_of(fitted) <= {0}
            # Whatever is in a column that is never tested, also text nobody knows.
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


@thorough
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


@thorough
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


def test_many_columns_where_the_free_tree_uses_more():
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


REFUSALS = ("row(s)", "column with a test", "max_num_nodes=", "max_distinct_features=")


def fit_or_refused(data, estimator=OptimalTreeClassifier, **asked):
    """Return None where no tree keeps to what is asked, and that is said."""
    try:
        return fit(data, estimator, **asked)
    except ValueError as error:
        if not any(text in str(error) for text in REFUSALS):
            raise
        return None


@settings(thorough, max_examples=120)
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


@thorough
@given(tables(), st.integers(1, 3), penalties(), st.data())
def test_partial_trees_at_a_price_equal_the_judge(data, depth, penalty, drawn):
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
        if fitted is None:
            assert not fewest
            return
        check_price(fitted, data, expected, penalty, resolution(total) * 2**depth)
        assert follows(fitted.tree_, top)


@thorough
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


@thorough
@given(tables(), st.integers(1, 2), st.data())
def test_costs_and_real_weights_equal_the_judge(data, depth, drawn):
    table, labels, _ = data
    labels[:2] = [0, 1]
    n_classes = max(labels) + 1
    labels = [label % n_classes for label in labels]
    assume(set(labels) == set(range(n_classes)))
    kind = drawn.draw(st.sampled_from(REAL_WEIGHTS[:3]))
    n_rows = len(table)
    weight = drawn.draw(st.lists(kind, min_size=n_rows, max_size=n_rows).filter(any))
    matrix = drawn.draw(cost_matrices(n_classes))
    prices = drawn.draw(
        st.lists(
            st.sampled_from([0, 0.25, 0.5]),
            min_size=len(table[0]),
            max_size=len(table[0]),
        )
    )
    costs = [[row] for row in costs_by_row(labels, weight, matrix)]
    judge = Judge(table, costs, least_label_cost, weight, prices)
    top = drawn.draw(tops(len(table[0]), depth))
    worst = float(sum(max(row[0]) for row in costs)) + 1.0
    asked = {"objective": matrix, "feature_costs": prices}
    for constraint, best in (
        ({"partial_tree": top}, judge.completed(top, depth)),
        ({"max_distinct_features": 1}, judge.best_of_few(depth, 1)),
    ):
        for nodes in (2**depth - 1, 2**depth - 2):
            check_real(
                (table, labels, weight),
                OptimalTreeClassifier,
                least(best, nodes),
                worst * 1e-8,
                max_depth=depth,
                max_num_nodes=nodes,
                **asked,
                **constraint,
            )


def check_real(data, estimator, expected, tolerance, **asked):
    """Assert a proven optimum among real numbers, or that there is no such tree."""
    fitted = fit_or_refused(data, estimator, **asked)
    assert (fitted is None) == (expected == math.inf)
    if fitted is None:
        return
    assert fitted.status_ == "optimal"
    assert fitted.objective_ == fitted.lower_bound_
    assert fitted.objective_ == pytest.approx(float(expected), abs=tolerance)
    top = asked.get("partial_tree")
    assert follows(fitted.tree_, top)
    assert len(columns_of(fitted)) <= asked.get("max_distinct_features", 9)


@thorough
@given(tables(), st.integers(1, 2), st.data())
def test_balanced_accuracy_of_the_whole_equals_the_judge(data, depth, drawn):
    table, labels, weight = data
    totals = {}
    for label, w in zip(labels, weight, strict=True):
        totals[label] = totals.get(label, 0) + w
    present = [label for label, total in totals.items() if total]
    rest = [
        (label, Fraction(w, len(present) * totals[label]) if w else 0)
        for label, w in zip(labels, weight, strict=True)
    ]
    judge = Judge(table, rest, leaf_error, weight)
    top = drawn.draw(tops(len(table[0]), depth))
    for nodes in (2**depth - 1, 2**depth - 2):
        check_real(
            data,
            OptimalTreeClassifier,
            least(judge.completed(top, depth), nodes),
            1e-9,
            max_depth=depth,
            max_num_nodes=nodes,
            objective="balanced_accuracy",
            partial_tree=top,
        )


@thorough
@given(
    tables(weights=(0, 0.5, 1.0, 0.3)),
    st.sampled_from(["squared_error", "absolute_error"]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.01, 0.1]),
    st.data(),
)
def test_regression_equals_the_judge(data, criterion, depth, penalty, drawn):
    table, _, weight = data
    number = st.sampled_from([-1, 0, 1, 2.5, 10, 0.1])
    targets = drawn.draw(st.lists(number, min_size=len(table), max_size=len(table)))
    rest = [
        (as_written(t), as_written(w)) for t, w in zip(targets, weight, strict=True)
    ]
    error = squared_error if criterion == "squared_error" else absolute_error
    judge = Judge(table, rest, error, weight)
    lone = judge.best(0)[0]
    price = Fraction(penalty) * lone
    top = drawn.draw(tops(len(table[0]), depth))
    asked = {"criterion": criterion, "cost_complexity": penalty, "max_depth": depth}
    for constraint, best in (
        ({"partial_tree": top}, judge.completed(top, depth)),
        ({"max_distinct_features": 2}, judge.best_of_few(depth, 2)),
    ):
        for nodes in (2**depth - 1, 2**depth // 2):
            check_real(
                (table, targets, weight),
                OptimalTreeRegressor,
                least(best, nodes, price),
                float(lone) * 1e-8 + 1e-12,
                max_num_nodes=nodes,
                **asked,
                **constraint,
            )
