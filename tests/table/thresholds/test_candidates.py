"""The number and choice of candidate tests, and what they depend on."""

import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.data import HAS_EXACT_GAINS
from sklearn.datasets import load_breast_cancer, make_classification

from murtree import (
    Candidates,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    TableBinarizer,
    export_text,
)
from murtree._estimators.prepare import prepare
from murtree._table.thresholds import greedy as _greedy
from murtree._table.thresholds.ranks import ranked
from murtree._table.thresholds.stump import Targets

cancer_X, cancer_y = load_breast_cancer(return_X_y=True)
some = settings(max_examples=30, deadline=None, derandomize=True)


def candidates_for(estimator, X, y, sample_weight=None):
    """Return the candidates that an estimator would search."""
    parameters = estimator._check_parameters()
    return set(prepare(estimator, parameters, X, y, sample_weight).tests)


def random_table(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(n_rows, 3)).round(1)
    share = 0.05 * (seed % 3) if HAS_EXACT_GAINS else 0.0
    table[rng.random(table.shape) < share] = np.nan
    labels = (np.nansum(table, axis=1) + rng.normal(size=n_rows) > 0).astype(int)
    return rng, table, labels


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


def auto(max_columns, depth=3):
    binarizer = TableBinarizer(strategy="auto", max_columns=max_columns)
    return OptimalTreeClassifier(max_depth=depth, binarizer=binarizer)


@some
@given(st.integers(0, 10**6), st.integers(20, 60))
def test_larger_candidate_sets_contain_smaller_ones(seed, max_columns):
    _, table, labels = random_table(seed)
    fewer, more = (auto(max_columns + k) for k in (0, 3))
    assert candidates_for(fewer, table, labels) <= candidates_for(more, table, labels)
    assert more.fit(table, labels).objective_ <= fewer.fit(table, labels).objective_


@some
@given(st.integers(0, 10**6))
def test_candidates_do_not_depend_on_the_order_of_rows(seed):
    rng, table, labels = random_table(seed)
    order = rng.permutation(labels.size)
    shuffled = candidates_for(auto(30), table[order], labels[order])
    assert candidates_for(auto(30), table, labels) == shuffled


@some
@given(st.integers(0, 10**6))
def test_candidates_of_a_regression_do_not_depend_on_the_order_of_rows(seed):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(200, 5)).round(1)
    targets = (table[:, 0] * table[:, 1] + rng.normal(size=200)).round(1)
    order = rng.permutation(targets.size)
    usual = candidates_for(OptimalTreeRegressor(), table, targets)
    shuffled = candidates_for(OptimalTreeRegressor(), table[order], targets[order])
    assert usual == shuffled


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_candidates_do_not_depend_on_the_coding_of_classes(depth):
    tree = OptimalTreeClassifier(max_depth=depth)
    named = np.where(cancer_y == 1, "benign", "malignant")
    usual = candidates_for(tree, cancer_X, cancer_y)
    for labels in (1 - cancer_y, named):
        assert candidates_for(tree, cancer_X, labels) == usual


def test_a_depth_that_no_tree_reaches_adds_nothing():
    for nodes in (1, 2):
        usual, *others = (
            candidates_for(
                OptimalTreeClassifier(max_depth=depth, max_num_nodes=nodes),
                cancer_X,
                cancer_y,
            )
            for depth in (nodes, 3, None)
        )
        assert all(other == usual for other in others)


@some
@given(st.integers(0, 10**6))
def test_weight_is_equivalent_to_copies(seed):
    rng, table, labels = random_table(seed)
    weight = rng.integers(0, 4, labels.size)
    weight[:2] = 1
    copies = candidates_for(
        auto(30), np.repeat(table, weight, axis=0), labels.repeat(weight)
    )
    assert candidates_for(auto(30), table, labels, weight) == copies


@pytest.mark.parametrize("depth", [2, 3, 4])
def test_limits_of_time_and_memory_do_not_change_the_candidates(depth):
    usual = candidates_for(OptimalTreeClassifier(max_depth=depth), cancer_X, cancer_y)
    for limits in (
        {"time_limit": 0.1},
        {"time_limit": 300},
        {"memory_limit": "50MB"},
        {"frontier": True},
        {"on_interrupt": "return"},
    ):
        clf = OptimalTreeClassifier(max_depth=depth, **limits)
        assert candidates_for(clf, cancer_X, cancer_y) == usual
    reg = OptimalTreeRegressor(max_depth=depth)
    timed = OptimalTreeRegressor(max_depth=depth, time_limit=0.1)
    targets = cancer_X[:, 0] * cancer_y
    assert candidates_for(reg, cancer_X, targets) == candidates_for(
        timed, cancer_X, targets
    )


def test_candidates_of_breast_cancer_do_not_depend_on_the_time_limit():
    for depth in (2, 3, 4):
        found = {
            (clf.objective_, clf.status_)
            for limit in (None, 30, 300)
            for clf in [OptimalTreeClassifier(max_depth=depth, time_limit=limit)]
            if clf.fit(cancer_X, cancer_y)
        }
        assert len(found) == 1
        objective, status = found.pop()
        assert status == "optimal"
    assert objective <= 2


def test_a_tuned_tree_is_that_of_a_plain_fit():
    X, y = make_classification(300, 8, flip_y=0.2, random_state=1)
    for max_depth in (1, 2, 3):
        tuned = OptimalTreeClassifierCV(max_depth=max_depth, cv=3).fit(X, y)
        plain = OptimalTreeClassifier(**tuned.best_params_).fit(X, y)
        assert plain.binarizer_.predicates_ == tuned.binarizer_.predicates_
        assert plain.objective_ == tuned.objective_
        assert plain.tree_.to_json() == tuned.tree_.to_json()


def test_each_depth_is_scored_with_the_candidates_of_its_own_fit():
    X, y = make_classification(300, 8, flip_y=0.2, random_state=1)
    few, many = (
        OptimalTreeClassifierCV(max_depth=depth, cv=3, strategy="all").fit(X, y)
        for depth in (2, 3)
    )
    for part in ("test", "train"):
        scores = few.cv_results_[f"mean_{part}_score"]
        of_many = many.cv_results_[f"mean_{part}_score"][: scores.size]
        assert scores.tolist() == of_many.tolist()


def applied(rules, X):
    """Return the predictions of rules as a reader would follow them."""
    frame = pd.DataFrame(X, columns=[f"x{index}" for index in range(X.shape[1])])
    predicted = np.full(len(frame), -1)
    for rule, prediction in zip(rules["rule"], rules["prediction"], strict=True):
        parts = [part.strip("()") for part in re.split(" and ", rule)]
        holds = np.ones(len(frame), dtype=bool)
        for part in parts:
            holds &= frame.eval(part).to_numpy()
        predicted[holds] = prediction
    return predicted


@some
@given(st.integers(0, 10**6))
def test_printed_rules_equal_the_tree(seed):
    rng = np.random.default_rng(seed)
    X = 40.75 + rng.normal(size=(80, 3)) * 10.0 ** -rng.integers(1, 7)
    y = rng.integers(0, 2, 80)
    clf = OptimalTreeClassifier(max_depth=3).fit(X, y)
    predicted = clf.predict(X)
    np.testing.assert_array_equal(applied(clf.tree_.rules_frame(), X), predicted)
    text = export_text(clf)
    for threshold in clf.tree_.threshold[clf.tree_.feature >= 0].tolist():
        assert re.search(rf"{re.escape(repr(threshold).removesuffix('.0'))}\b", text)


@pytest.mark.parametrize("is_regression", [False, True])
def test_columns_are_as_good_together_as_alone(monkeypatch, is_regression):
    rng = np.random.default_rng(8)
    X = rng.integers(0, 2, (200, 60)).astype(float)
    X[:, 20:40] = rng.integers(0, 5, (200, 20))
    X[:, 40:50] = rng.random((200, 10)).round(2)
    X[rng.random(X.shape) < 0.002] = np.nan
    distinct = [np.unique(values[~np.isnan(values)]) for values in X.T]
    table = ranked(list(X.T), distinct, np.ones(200))
    y = rng.normal(size=200).round(2) if is_regression else rng.integers(0, 3, 200)
    targets = Targets(y, rng.integers(1, 4, 200), is_regression)
    together = _greedy.useful_boundaries(table, targets, 3)
    monkeypatch.setattr(_greedy, "TOGETHER", 1)
    assert _greedy.useful_boundaries(table, targets, 3) == together
    assert len(together.others) > 20
