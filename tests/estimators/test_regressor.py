"""The regressor: a scikit-learn estimator, and limits, bounds and callbacks."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes, make_regression
from sklearn.tree import DecisionTreeRegressor

from murtree import (
    NotProvenWarning,
    OptimalTreeRegressor,
    Solver,
    TableBinarizer,
    TimeLimitWarning,
    export_text,
)

X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
t = [1.5, 2.0, 3.25, 1.0, 10.0]


diabetes = load_diabetes(as_frame=True)


@pytest.fixture(scope="module")
def fitted():
    regressor = OptimalTreeRegressor(
        max_depth=3, binarizer=TableBinarizer(n_thresholds=4)
    )
    return regressor.fit(diabetes.data, diabetes.target)


def test_the_regressor(fitted):
    assert is_regressor(fitted)
    assert fitted.status_ == "optimal"
    predicted = fitted.predict(diabetes.data)
    assert fitted.objective_ == pytest.approx(
        ((predicted - diabetes.target) ** 2).sum()
    )
    assert fitted.lower_bound_ == fitted.objective_
    assert fitted.gap_ == 0.0
    assert fitted.depth_ == fitted.get_depth() == 3
    assert fitted.n_nodes_ + 1 == fitted.get_n_leaves()
    assert not hasattr(fitted, "classes_")
    assert not hasattr(fitted, "predict_proba")
    leaves = fitted.apply(diabetes.data)
    path = fitted.decision_path(diabetes.data)
    rows = np.arange(len(leaves))
    assert (np.asarray(path[rows, leaves]).ravel() == 1).all()
    for leaf in np.unique(leaves):
        mean = diabetes.target[leaves == leaf].mean()
        np.testing.assert_allclose(predicted[leaves == leaf], mean)
    again = pickle.loads(pickle.dumps(fitted))
    np.testing.assert_array_equal(again.predict(diabetes.data), predicted)


def test_text_with_values(fitted):
    text = export_text(fitted)
    assert text.count("value: ") == fitted.get_n_leaves()
    assert "bmi <= " in text
    assert text.count(" rows)") + text.count("1 row)") == fitted.get_n_leaves()


@pytest.mark.parametrize("seed", range(3))
def test_no_worse_than_a_greedy_tree_on_the_same_columns(seed):
    table, targets = make_regression(150, 6, noise=20.0, random_state=seed)
    bits = TableBinarizer(n_thresholds=3).fit_transform(table)
    for depth in (1, 2, 3):
        greedy = DecisionTreeRegressor(max_depth=depth, random_state=0)
        left = targets - greedy.fit(bits, targets).predict(bits)
        best = OptimalTreeRegressor(max_depth=depth, binarizer=None).fit(bits, targets)
        assert best.objective_ <= (left**2).sum() * (1 + 1e-9)


def test_weights_reach_the_regressor():
    rng = np.random.default_rng(0)
    weight = rng.exponential(1.0, len(diabetes.target))
    regressor = OptimalTreeRegressor(
        max_depth=2, binarizer=TableBinarizer(n_thresholds=4)
    )
    regressor.fit(diabetes.data, diabetes.target, weight)
    left = (regressor.predict(diabetes.data) - diabetes.target) ** 2
    assert regressor.objective_ == pytest.approx((weight * left).sum())
    assert regressor.tree_.weight[0] == pytest.approx(weight.sum())


def test_penalty_leaf_size_and_frontier_of_the_regressor():
    ask = {"max_depth": 3, "binarizer": TableBinarizer(n_thresholds=4)}
    table, targets = diabetes.data, diabetes.target
    total = ((targets - targets.mean()) ** 2).sum()
    sparse = OptimalTreeRegressor(cost_complexity=0.02, **ask).fit(table, targets)
    left = ((sparse.predict(table) - targets) ** 2).sum()
    expected = left + 0.02 * total * sparse.n_nodes_
    assert sparse.objective_ == pytest.approx(expected)
    front = OptimalTreeRegressor(frontier=True, cost_complexity=0.02, **ask)
    front.fit(table, targets)
    assert front.objective_ == pytest.approx(sparse.objective_)
    assert len(front.frontier_) == 8
    assert (np.diff(front.frontier_.objectives) <= 0).all()
    assert front.frontier_.total_weight == pytest.approx(total)
    careful = OptimalTreeRegressor(min_samples_leaf=50, **ask).fit(table, targets)
    leaves = careful.apply(table)
    assert np.unique(leaves, return_counts=True)[1].min() >= 50


def test_a_time_limit_gives_a_valid_bound():
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, (600, 60))
    targets = bits[:, :5] @ rng.normal(size=5) + rng.normal(size=600)
    regressor = OptimalTreeRegressor(max_depth=5, binarizer=None, time_limit=0.1)
    with pytest.warns(TimeLimitWarning):
        regressor.fit(bits, targets)
    assert regressor.status_ == "time_limit"
    assert 0 <= regressor.lower_bound_ < regressor.objective_
    expected = 1 - regressor.lower_bound_ / regressor.objective_
    assert regressor.gap_ == pytest.approx(expected)


@pytest.mark.parametrize("seed", range(5))
def test_bounds_before_the_proof_are_valid(seed):
    rng = np.random.default_rng(seed)
    bits = rng.integers(0, 2, (100, 14))
    targets = rng.normal(size=100) + bits[:, 0] * 2 + 1e6
    weight = rng.random(100) if seed % 2 else None
    best = Solver(bits, targets, weight, objective="squared_error").solve(4).objective
    for seconds in (0.001, 0.01):
        solver = Solver(bits, targets, weight, objective="squared_error")
        found = solver.solve(4, time_limit=seconds)
        assert found.lower_bound <= best * (1 + 1e-9) <= found.objective * (1 + 2e-9)


def test_callbacks_see_means():
    rng = np.random.default_rng(3)
    bits, targets = rng.integers(0, 2, (600, 60)), rng.normal(size=600)
    seen = []

    def stop(progress):
        seen.append(progress)
        return True

    regressor = OptimalTreeRegressor(max_depth=5, binarizer=None, callback=stop)
    with pytest.warns(NotProvenWarning):
        regressor.fit(bits, targets)
    assert regressor.status_ == "interrupted"
    assert seen[0].tree.classes is None
    assert 0 < seen[0].gap <= 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            {"objective": "poisson"},
            r"'objective' .* among \['absolute_error', ",
        ),
        ({"max_depth": -1}, "'max_depth' parameter of OptimalTreeRegressor"),
        ({"feature_costs": [1]}, "'feature_costs' parameter of OptimalTreeRegressor"),
    ],
)
def test_bad_parameters(arguments, message):
    with pytest.raises(ValueError, match=message):
        OptimalTreeRegressor(**arguments).fit(X, t)


def test_frames_and_series():
    frame = pd.DataFrame(X, columns=["a", "b", "c"], dtype=float)
    regressor = OptimalTreeRegressor(max_depth=1).fit(frame, pd.Series(t))
    assert regressor.feature_names_in_.tolist() == ["a", "b", "c"]


def test_a_binarizer_of_an_earlier_fit_is_forgotten():
    reg = OptimalTreeRegressor(max_depth=1).fit(X, t)
    assert hasattr(reg, "binarizer_")
    reg.set_params(binarizer=None).fit(X, t)
    assert not hasattr(reg, "binarizer_")
