"""Constraints with costs, real weights, balanced accuracy, and in regression."""

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from oracle.brute_force import (
    absolute_error,
    as_written,
    costs_by_row,
    gini,
    leaf_error,
    least_label_cost,
    log_loss,
    squared_error,
)
from oracle.constraint_judge import (
    SETTINGS,
    Judge,
    columns_of,
    fit_or_refused,
    follows,
    least,
    tables,
    tops,
)
from oracle.strategies import REAL_WEIGHTS, cost_matrices

from murtree import OptimalTreeClassifier, OptimalTreeRegressor


@SETTINGS
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
    requested = {"objective": matrix, "feature_costs": prices}
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
                **requested,
                **constraint,
            )


def check_real(data, estimator, expected, tolerance, **requested):
    """Assert a proven optimum of a real objective, or that there is no such tree."""
    fitted = fit_or_refused(data, estimator, **requested)
    assert (fitted is None) == (expected == math.inf)
    if fitted is None:
        return
    assert fitted.status_ == "optimal"
    assert fitted.objective_ == fitted.lower_bound_
    assert fitted.objective_ == pytest.approx(float(expected), abs=tolerance)
    top = requested.get("partial_tree")
    assert follows(fitted.tree_, top)
    assert len(columns_of(fitted)) <= requested.get("max_distinct_features", 9)


@SETTINGS
@given(
    tables(weights=(0, 0.5, 1.0, 0.3)),
    st.sampled_from([("gini", gini), ("log_loss", log_loss)]),
    st.integers(1, 2),
    st.data(),
)
def test_impurities_equal_the_judge(data, objective, depth, drawn):
    table, labels, weight = data
    name, leaf_cost = objective
    rest = [(y, Fraction(w)) for y, w in zip(labels, weight, strict=True)]
    judge = Judge(table, rest, lambda rows: leaf_cost(with_weight(rows)), weight)
    top = drawn.draw(tops(len(table[0]), depth))
    for constraint, best in (
        ({"partial_tree": top}, judge.completed(top, depth)),
        ({"max_distinct_features": 1}, judge.best_of_few(depth, 1)),
    ):
        for nodes in (2**depth - 1, 2**depth - 2):
            check_real(
                data,
                OptimalTreeClassifier,
                least(best, nodes),
                float(sum(weight)) * 1e-8,
                max_depth=depth,
                max_num_nodes=nodes,
                objective=name,
                **constraint,
            )


def with_weight(rows):
    return [row for row in rows if row[2] > 0]


@SETTINGS
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


@SETTINGS
@given(
    tables(weights=(0, 0.5, 1.0, 0.3)),
    st.sampled_from(["squared_error", "absolute_error"]),
    st.integers(1, 3),
    st.sampled_from([0.0, 0.01, 0.1]),
    st.data(),
)
def test_regression_equals_the_judge(data, objective, depth, penalty, drawn):
    table, _, weight = data
    number = st.sampled_from([-1, 0, 1, 2.5, 10, 0.1])
    targets = drawn.draw(st.lists(number, min_size=len(table), max_size=len(table)))
    rest = [
        (as_written(t), as_written(w)) for t, w in zip(targets, weight, strict=True)
    ]
    error = squared_error if objective == "squared_error" else absolute_error
    judge = Judge(table, rest, error, weight)
    lone = judge.best(0)[0]
    price = Fraction(penalty) * lone
    top = drawn.draw(tops(len(table[0]), depth))
    requested = {"objective": objective, "cost_complexity": penalty, "max_depth": depth}
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
                **requested,
                **constraint,
            )
