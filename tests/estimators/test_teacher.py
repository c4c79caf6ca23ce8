"""Trees fitted to the out-of-bag predictions of a random forest."""

import itertools

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

from murtree import OptimalTreeClassifier, OptimalTreeRegressor
from murtree._estimators.teacher import Forest

FEW = {"max_examples": 8, "deadline": None}  # each fits a forest
COSTS = [[0, 1, 5], [2, 0, 1], [1, 3, 0]]


def bits_and_labels(seed, n_rows=24, n_columns=4, n_classes=3):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns))
    noise = rng.integers(0, n_classes, n_rows)
    y = np.where(rng.random(n_rows) < 0.6, X[:, 0] + X[:, 1] * (n_classes > 2), noise)
    y[:n_classes] = range(n_classes)
    return X, y


def table_and_targets(seed, n_rows=60):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_rows, 3)).round(1)
    return X, X[:, 0] + rng.normal(size=n_rows)


def shares_of(X, y, weight=None):
    """Return the class probabilities of each row."""
    weight = np.ones(len(y)) if weight is None else weight
    _, codes = np.unique(y, return_inverse=True)
    return Forest.of(X, codes, weight, is_regression=False).out_of_bag


def least_cost(X, costs, depth, least=1):
    """Return the cost of the best tree: every tree is tried.

    `costs` has the cost of each label (column) for each row.
    """
    best = costs.sum(axis=0).min()
    if depth == 0:
        return best
    for column in X.T:
        sides = column == 0, column == 1
        if all(side.sum() >= least for side in sides):
            parts = [least_cost(X[s], costs[s], depth - 1, least) for s in sides]
            best = min(best, sum(parts))
    return best


def fitted(X, y, weight=None, **settings):
    clf = OptimalTreeClassifier(teacher="forest", binarizer=None, **settings)
    return clf.fit(X, y, weight)


def table_of(tree):
    names = ("children_left", "feature", "value")
    return [getattr(tree, name).tolist() for name in names]


# --- regression ---


@settings(**FEW)
@given(st.integers(0, 10**6), st.integers(1, 3), st.booleans())
def test_targets_are_the_predictions_out_of_bag(seed, depth, has_weights):
    X, y = table_and_targets(seed)
    rng = np.random.default_rng(seed)
    weight = rng.integers(0, 3, y.size) if has_weights else np.ones(y.size, dtype=int)
    taught = OptimalTreeRegressor(max_depth=depth, teacher="forest", binarizer="exact")
    taught.fit(X, y, weight)
    targets = Forest.of(X, y, weight, is_regression=True).out_of_bag
    plain = clone(taught).set_params(teacher=None).fit(X, targets, weight)
    assert taught.objective_ == plain.objective_
    assert table_of(taught.tree_) == table_of(plain.tree_)
    assert taught.status_ == "optimal"
    assert not taught.tree_.is_expected


def test_out_of_bag_predictions_by_hand():
    X, y = table_and_targets(1)
    forest = Forest.of(X, y, np.ones(y.size), is_regression=True)
    rng = np.random.default_rng(0)
    drawn = [rng.choice(np.arange(y.size), y.size) for _ in forest.trees]
    for row in (0, 7):
        found = [
            tree.predict(X[[row]])
            for tree, seen in zip(forest.trees, drawn, strict=True)
            if row not in seen
        ]
        assert 0 < len(found) < len(forest.trees)
        mean = np.ldexp(np.mean(found), forest.exponent)
        assert forest.out_of_bag[row] == pytest.approx(mean, rel=1e-12)


def test_rows_of_weight_zero_keep_their_targets():
    X, y = table_and_targets(2)
    weight = np.ones(y.size)
    weight[:5] = 0
    forest = Forest.of(X, y, weight, is_regression=True)
    assert forest.out_of_bag[:5].tolist() == y[:5].tolist()
    alone = Forest.of(X[5:], y[5:], weight[5:], is_regression=True)
    assert forest.out_of_bag[5:].tolist() == alone.out_of_bag.tolist()
    taught = OptimalTreeRegressor(max_depth=2, teacher="forest", binarizer="exact")
    whole = taught.fit(X, y, weight).objective_
    assert whole == pytest.approx(clone(taught).fit(X[5:], y[5:]).objective_)


# --- classification ---


@settings(**FEW)
@given(st.integers(0, 10**6), st.integers(1, 2), st.sampled_from([1, 4]))
def test_expected_errors_are_least(seed, depth, least):
    X, y = bits_and_labels(seed)
    clf = fitted(X, y, max_depth=depth, min_samples_leaf=least)
    costs = 1.0 - shares_of(X, y)
    assert clf.objective_ == pytest.approx(least_cost(X, costs, depth, least))
    assert clf.lower_bound_ == clf.objective_ == pytest.approx(clf.tree_.misclassified)
    assert clf.tree_.is_expected
    assert clf.tree_.value[0] == pytest.approx(shares_of(X, y).sum(axis=0))


@settings(**FEW)
@given(st.integers(0, 10**6))
def test_expected_costs_are_least(seed):
    X, y = bits_and_labels(seed)
    clf = fitted(X, y, max_depth=2, objective=COSTS)
    costs = shares_of(X, y) @ np.array(COSTS)
    assert clf.objective_ == pytest.approx(least_cost(X, costs, 2))


@settings(**FEW)
@given(st.integers(0, 10**6))
def test_expected_balanced_errors_are_least(seed):
    X, y = bits_and_labels(seed, n_classes=2)
    clf = fitted(X, y, max_depth=2, objective="balanced_accuracy")
    shares = shares_of(X, y)
    by_class = shares / shares.sum(axis=0) / 2
    costs = by_class.sum(axis=1, keepdims=True) - by_class
    assert clf.objective_ == pytest.approx(least_cost(X, costs, 2))


@settings(**FEW)
@given(st.integers(0, 10**6), st.booleans())
def test_weights_of_rows_and_classes_multiply_the_costs(seed, by_class):
    X, y = bits_and_labels(seed)
    rng = np.random.default_rng(seed)
    weight = None if by_class else rng.integers(1, 4, y.size) / 2
    factors = np.array([3.0, 1.0, 0.5]) if by_class else np.ones(3)
    more = {"class_weight": dict(enumerate(factors.tolist()))} if by_class else {}
    clf = fitted(X, y, weight, max_depth=2, **more)
    weights = np.ones(y.size) if weight is None else weight
    parts = shares_of(X, y, weights) * factors * weights[:, np.newaxis]
    costs = parts.sum(axis=1, keepdims=True) - parts
    assert clf.objective_ == pytest.approx(least_cost(X, costs, 2))


def test_one_class_and_two_rows():
    clf = OptimalTreeClassifier(teacher="forest")
    alone = clf.fit([[1.0], [2.0], [3.0]], ["a"] * 3)
    assert (alone.n_nodes_, alone.objective_) == (0, 0)
    assert clf.fit([[1.0], [2.0]], [0, 1]).status_ == "optimal"
    reg = OptimalTreeRegressor(teacher="forest").fit([[1.0], [2.0]], [0.0, 1.0])
    assert reg.status_ == "optimal"


def test_a_class_whose_rows_have_no_weight():
    X, y = bits_and_labels(3)
    weight = (y != 2).astype(float)
    clf = fitted(X, y, weight, max_depth=2)
    assert clf.classes_.tolist() == [0, 1, 2]
    assert clf.tree_.value[0, 2] == 0.0
    assert set(clf.predict(X)) <= {0, 1}


# --- tables ---


@pytest.mark.parametrize("is_regression", [False, True])
def test_mixed_tables_with_missing_values(is_regression):
    rng = np.random.default_rng(0)
    n_rows = 80
    colour = pd.Series(rng.choice(["red", "blue", "green"], n_rows))
    number = rng.normal(size=n_rows)
    signal = (colour == "red") + (number > 0)
    number[::7] = np.nan
    colour[::11] = None
    X = pd.DataFrame({"colour": colour, "number": number})
    y = (signal + rng.normal(size=n_rows) / 4).to_numpy()
    kind = OptimalTreeRegressor if is_regression else OptimalTreeClassifier
    target = y if is_regression else np.where(y > 0.9, "high", "low")
    model = kind(max_depth=2, teacher="forest").fit(X, target)
    assert model.status_ == "optimal"
    assert model.score(X, target) > 0.5
    again = clone(model).fit(X, target)  # the forest has a fixed seed
    assert table_of(again.tree_) == table_of(model.tree_)


@pytest.mark.parametrize("binarizer", [None, "auto", "exact"])
def test_the_forest_does_not_see_forbidden_columns(binarizer):
    X, y = bits_and_labels(5, n_rows=60, n_classes=2)
    leak = np.column_stack([X, y])
    clf = OptimalTreeClassifier(
        max_depth=2, teacher="forest", binarizer=binarizer, forbidden_features=[4]
    )
    forbidden = clf.fit(leak, y)
    assert 4 not in forbidden.tree_.feature
    # It sees a constant column in the place of a forbidden one.
    constant = np.column_stack([X, np.zeros_like(y)])
    same = clone(clf).set_params(forbidden_features=None).fit(constant, y)
    assert forbidden.objective_ == same.objective_
    none = clone(clf).set_params(forbidden_features=range(5)).fit(leak, y)
    assert none.n_nodes_ == 0


@pytest.mark.parametrize(("of_y", "of_weight"), [(-40, 0), (900, 0), (0, -700)])
def test_units_of_targets_and_weights_do_not_matter(of_y, of_weight):
    X, y = table_and_targets(4)
    weight = np.arange(y.size) % 3 + 1.0
    plain = Forest.of(X, y, weight, is_regression=True)
    other = Forest.of(
        X, np.ldexp(y, of_y), np.ldexp(weight, of_weight), is_regression=True
    )
    np.testing.assert_array_equal(other.out_of_bag, np.ldexp(plain.out_of_bag, of_y))
    np.testing.assert_array_equal(other.predict(X), np.ldexp(plain.predict(X), of_y))


def test_values_beyond_float32():
    X, y = table_and_targets(4)
    far = X.copy()
    far[:, 0] *= 1e300
    reg = OptimalTreeRegressor(max_depth=2, teacher="forest").fit(far, y)
    assert reg.status_ == "optimal"


def test_frontier_contains_the_tree_of_each_size():
    X, y = bits_and_labels(6)
    whole = fitted(X, y, max_depth=2, frontier=True)
    costs = whole.frontier_.objectives
    assert all(a >= b for a, b in itertools.pairwise(costs))
    for nodes, cost in enumerate(costs):
        alone = fitted(X, y, max_depth=2, max_num_nodes=nodes)
        assert alone.objective_ == pytest.approx(cost)


# --- bad input ---


@pytest.mark.parametrize(
    ("kind", "parameters", "message"),
    [
        (
            OptimalTreeClassifier,
            {"teacher": "tree"},
            "must be 'forest' or None",
        ),
        (OptimalTreeRegressor, {"teacher": True}, "must be 'forest' or None. Got True"),
        (OptimalTreeClassifier, {"objective": "f1"}, "None with objective='f1'"),
        (OptimalTreeRegressor, {"objective": "absolute_error"}, "'absolute_error'"),
        (
            OptimalTreeClassifier,
            {"max_distinct_features": 1},
            "'max_distinct_features'",
        ),
        (OptimalTreeClassifier, {"partial_tree": {"feature": 0}}, "'partial_tree'"),
    ],
)
def test_bad_parameters(kind, parameters, message):
    model = kind(**{"teacher": "forest"} | parameters)
    with pytest.raises(ValueError, match=f"'teacher' parameter of .*{message}"):
        model.fit([[1], [2], [3]], [0, 1, 1])
