"""Squared error: against the judge in exact arithmetic, and on awkward targets."""

import json
import pickle
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from brute_force import (
    best_penalised,
    best_squares,
    check_optimal,
    recount_squares,
    smallest_leaf,
)
from hypothesis import HealthCheck, given, reject, settings
from hypothesis import strategies as st
from sklearn.base import is_regressor
from sklearn.datasets import load_diabetes, make_regression
from sklearn.tree import DecisionTreeRegressor
from strategies import feature_prices, penalties, switches, target_instances

from murtree import (
    Binarizer,
    NotProvenWarning,
    OptimalTreeRegressor,
    Solver,
    TimeLimitWarning,
    Tree,
    export_text,
)

thorough = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
TOLERANCE = Fraction(1, 10**9)  # of the squared error of a lone leaf
UNDERFLOW = Fraction(1e-300)
X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
t = [1.5, 2.0, 3.25, 1.0, 10.0]


def solver_of(data, **options):
    try:
        return Solver(*data, objective="squared_error", **options)
    except ValueError as error:
        if "orders of magnitude" not in str(error):
            raise
        return reject()


def check(result, data, least, prices=None, price_of_node=0):
    cost = recount_squares(result.tree, data, prices)
    cost += price_of_node * result.tree.n_nodes
    tolerance = best_squares(data, 0)[0] * TOLERANCE * (1 if prices is None else 4)
    check_optimal(result, cost, least, tolerance + UNDERFLOW)


@thorough
@given(target_instances(), st.integers(0, 3), switches())
def test_every_budget_equals_the_judge(data, depth, options):
    best = best_squares(data, depth)
    for solver in (solver_of(data), solver_of(data, **options)):
        for nodes, least in enumerate(best):
            result = solver.solve(depth, nodes)
            check(result, data, least)
            assert result.tree.n_nodes <= nodes
        for nodes, result in enumerate(solver.frontier(depth)):
            check(result, data, best[nodes])


@thorough
@given(target_instances(), st.integers(1, 3), penalties(), switches())
def test_penalties_equal_the_judge(data, depth, cost_complexity, options):
    best = best_squares(data, depth)
    price = Fraction(cost_complexity) * best[0]
    for switched in ({}, options):
        solver = solver_of(data, **switched)
        result = solver.solve(depth, cost_complexity=cost_complexity)
        check(result, data, best_penalised(best, price), price_of_node=price)


@thorough
@given(target_instances(), st.integers(1, 3), st.integers(2, 4))
def test_leaf_sizes_equal_the_judge(data, depth, size):
    solver = solver_of(data)
    for nodes, least in enumerate(best_squares(data, depth, size)):
        result = solver.solve(depth, nodes, min_samples_leaf=size)
        check(result, data, least)
        if result.tree.n_nodes:
            assert smallest_leaf(result.tree, data[0], data[2]) >= size


@thorough
@given(target_instances(), st.integers(1, 3), st.data())
def test_prices_of_features_equal_the_judge(data, depth, drawn):
    largest = min(float(best_squares(data, 0)[0]) / 3, 1e300)
    prices = drawn.draw(feature_prices(len(data[0][0]), largest))
    solver = solver_of(data, feature_costs=prices)
    best = best_squares(data, depth, feature_costs=prices)
    for nodes, least in enumerate(best):
        check(solver.solve(depth, nodes), data, least, prices)


@thorough
@given(target_instances(), st.integers(1, 3))
def test_upper_bounds_and_fewest_nodes(data, depth):
    solver = solver_of(data)
    best = solver.solve(depth)
    root = float(best_squares(data, 0)[0])
    for bound in (best.objective, best.objective * 1.5 + root):
        again = solver.solve(depth, upper_bound=bound)
        assert again.status == "optimal"
        assert again.objective == pytest.approx(best.objective, abs=root * 1e-9)
    if best.objective > root * 1e-6:
        below = solver.solve(depth, upper_bound=best.objective * 0.9)
        assert (below.status, below.tree) == ("infeasible", None)
        assert best.objective * 0.89 < below.lower_bound <= best.objective
    fewest = solver.solve(depth, fewest_nodes=True)
    assert fewest.objective == pytest.approx(best.objective, abs=root * 1e-9)
    assert fewest.tree.n_nodes <= best.tree.n_nodes


@thorough
@given(
    target_instances(max_rows=8), st.lists(st.integers(0, 3), min_size=8, max_size=8)
)
def test_a_weight_is_so_many_copies(data, copies):
    features, targets = np.array(data[0]), np.array(data[1], dtype=float)
    times = np.array(copies[: len(targets)])
    rows = np.repeat(np.arange(len(targets)), times)
    if rows.size < 2:
        return
    weighted = Solver(features, targets, times, objective="squared_error")
    repeated = Solver(features[rows], targets[rows], objective="squared_error")
    root = repeated.solve(0).objective
    for nodes in (0, 1, 2, 4):
        a, b = weighted.solve(3, nodes), repeated.solve(3, nodes)
        assert a.objective == pytest.approx(b.objective, rel=1e-9, abs=root * 1e-9)


@pytest.mark.parametrize("weight", [3, 0.1, 1 / 3, np.pi])
def test_equal_weights_are_none(weight):
    table, targets = load_diabetes(return_X_y=True)
    bits = Binarizer(n_thresholds=3).fit_transform(table)
    plain = solver_of((bits, targets, None)).solve(3)
    equal = solver_of((bits, targets, np.full(len(targets), weight))).solve(3)
    assert equal.tree.feature.tolist() == plain.tree.feature.tolist()
    assert equal.objective == pytest.approx(plain.objective * weight, rel=1e-12)
    calls = "depth_two_calls"
    assert equal.stats[calls] == plain.stats[calls]


def test_a_tree_of_means():
    solver = Solver([[0], [0], [1], [1]], [1, 3, 10, 20], objective="squared_error")
    result = solver.solve(1)
    assert result.objective == 2 + 50
    assert result.tree.value.tolist() == [[8.5], [2.0], [15.0]]
    assert result.tree.weight.tolist() == [4.0, 2.0, 2.0]
    assert result.tree.predict([[1], [0]]).tolist() == [15.0, 2.0]
    assert result.misclassified is None
    assert solver.classes_ is None
    again = Tree.from_dict(json.loads(json.dumps(result.tree.to_dict())))
    assert again.to_dict() == result.tree.to_dict()
    frontier = solver.frontier(1)
    assert repr(frontier) == "Frontier(nodes=0..1, objective=221..52, status='optimal')"
    assert frontier.objectives.tolist() == [221.0, 52.0]
    assert frontier.breakpoints == ((pytest.approx(169 / 221), 1),)
    assert frontier.best(0.9).tree.n_nodes == 0


@pytest.mark.parametrize("value", [0.0, 0.1, -3, 1e300, 1e-300, 1.7e308, 5e-324])
@pytest.mark.parametrize("weight", [None, [0.1, 0.7, 0.3, 0.2, 0.1]])
def test_constant_targets_give_a_leaf(value, weight):
    solver = Solver(X, [value] * 5, weight, objective="squared_error")
    for ask in ({"max_depth": 3}, {"max_depth": None, "cost_complexity": 0.1}):
        result = solver.solve(**ask)
        assert (result.objective, result.lower_bound) == (0.0, 0.0)
        assert (result.status, result.gap) == ("optimal", 0.0)
        assert result.tree.n_nodes == 0
        assert result.tree.predict(X).tolist() == [value] * 5


@pytest.mark.parametrize("scale", [1e-12, 1e-100, 1e12, 1e100, 1e150])
def test_the_scale_of_targets_does_not_matter(scale):
    plain = Solver(X, t, objective="squared_error").solve(2)
    scaled = Solver(X, [v * scale for v in t], objective="squared_error").solve(2)
    assert scaled.tree.feature.tolist() == plain.tree.feature.tolist()
    expected = float(Fraction(plain.objective) * Fraction(scale) ** 2)
    assert scaled.objective == pytest.approx(expected, rel=1e-12)


def test_targets_around_a_large_mean_lose_nothing():
    plain = Solver(X, [1, 2, 3, 1, 10], objective="squared_error").solve(2)
    far = Solver(X, [2**50 + v for v in (1, 2, 3, 1, 10)], objective="squared_error")
    result = far.solve(2)
    assert result.objective == pytest.approx(plain.objective, rel=1e-12)
    assert result.tree.feature.tolist() == plain.tree.feature.tolist()


@pytest.mark.parametrize("n_rows", [113, 512, 1024])
def test_whole_sums_of_squares_are_not_rounded_up(n_rows):
    """In units, those of a balanced 0/1 target are whole: ceil must leave them so."""
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (n_rows, 8))
        score = X @ [3, 2, -1, 0, 0, 0, 0, 0] + rng.normal(size=n_rows) * (seed % 3)
        y = np.zeros(n_rows)
        y[np.argsort(score, kind="stable")[n_rows // 2 :]] = 1.0
        fast = Solver(X, y, objective="squared_error")
        slow = Solver(X, y, objective="squared_error", similarity_bound=False)
        for nodes in (1, 2, 3, 5, 7):
            found = fast.solve(max_depth=3, max_num_nodes=nodes)
            other = slow.solve(max_depth=3, max_num_nodes=nodes)
            assert found.status == other.status == "optimal"
            assert found.objective == pytest.approx(other.objective, rel=1e-9)


def test_huge_beside_tiny_targets():
    targets = [1e12, 1e-12, 1e12, -1e-12, 2e12]
    data = (X, targets, [1] * 5)
    for nodes, least in enumerate(best_squares(data, 2)):
        result = solver_of(data).solve(2, nodes)
        check(result, data, least)
    near = [1e300, 1e300 * (1 + 2**-40), 1e300, 1e300, 1e300]
    with pytest.raises(ValueError, match=r"sum of squared errors .* finite"):
        Solver(X, near, objective="squared_error")


nan, inf = float("nan"), float("inf")
BAD_TARGETS = [
    ([1, 2, nan, 1, 1], ValueError, "Input y contains NaN"),
    ([1, 2, inf, 1, 1], ValueError, "Input y contains (NaN or )?infinity"),
    ([1, 2, -inf, 1, 1], ValueError, "Input y contains (NaN or )?infinity"),
    ([[1, 2]] * 5, ValueError, "y should be a 1d array"),
    ([1, 2, 3], ValueError, r"inconsistent numbers of samples: \[5, 3\]"),
    (["a", "b", "c", "d", "e"], (TypeError, ValueError), "must hold numbers|convert"),
    ([1, None, 2, 3, 4], (TypeError, ValueError), "y"),
    ([1e300, -1e300, 0, 0, 0], ValueError, "sum of squared errors .* finite"),
    (None, ValueError, "y"),
]


@pytest.mark.parametrize(("targets", "error", "message"), BAD_TARGETS)
def test_bad_targets(targets, error, message):
    with pytest.raises(error, match=message):
        Solver(X, targets, objective="squared_error")
    with pytest.raises(error, match=message):
        OptimalTreeRegressor().fit(X, targets)


diabetes = load_diabetes(as_frame=True)


@pytest.fixture(scope="module")
def fitted():
    regressor = OptimalTreeRegressor(max_depth=3, binarizer=Binarizer(n_thresholds=4))
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
    assert "(weight " in text


@pytest.mark.parametrize("seed", range(3))
def test_no_worse_than_a_greedy_tree_on_the_same_columns(seed):
    table, targets = make_regression(150, 6, noise=20.0, random_state=seed)
    bits = Binarizer(n_thresholds=3).fit_transform(table)
    for depth in (1, 2, 3):
        greedy = DecisionTreeRegressor(max_depth=depth, random_state=0)
        left = targets - greedy.fit(bits, targets).predict(bits)
        best = OptimalTreeRegressor(max_depth=depth, binarizer=None).fit(bits, targets)
        assert best.objective_ <= (left**2).sum() * (1 + 1e-9)


def test_weights_reach_the_regressor():
    rng = np.random.default_rng(0)
    weight = rng.exponential(1.0, len(diabetes.target))
    regressor = OptimalTreeRegressor(max_depth=2, binarizer=Binarizer(n_thresholds=4))
    regressor.fit(diabetes.data, diabetes.target, weight)
    left = (regressor.predict(diabetes.data) - diabetes.target) ** 2
    assert regressor.objective_ == pytest.approx((weight * left).sum())
    assert regressor.tree_.weight[0] == pytest.approx(weight.sum())


def test_penalty_leaf_size_and_frontier_of_the_regressor():
    ask = {"max_depth": 3, "binarizer": Binarizer(n_thresholds=4)}
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
            {"criterion": "poisson"},
            r"'criterion' .* among \['absolute_error', ",
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


@pytest.mark.parametrize("heavy", [2**30, 2**45])
def test_light_rows_beside_a_heavy_one(heavy):
    rows = [[0, 0]] + [[1, 0]] * 20 + [[0, 1]]
    targets, weight = [0.0] + [1.0] * 21, [heavy] + [1] * 20 + [100]
    result = Solver(rows, targets, weight, objective="squared_error").solve(1)
    assert result.objective == pytest.approx(20.0, rel=1e-6)


def test_weights_that_rounding_would_lose_are_refused():
    with pytest.raises(ValueError, match="orders of magnitude"):
        Solver(X, t, [1e15, 1e-5, 1e-5, np.pi * 1e-6, 1e-6], objective="squared_error")


def test_targets_too_close_for_squares_are_refused():
    with pytest.raises(ValueError, match="too close together"):
        Solver(X, np.array(t) * 1e-170, objective="squared_error")


def test_targets_near_the_largest_that_squares_bear():
    scaled = Solver(X, np.array(t) * 1e152, objective="squared_error").solve(1)
    plain = Solver(X, t, objective="squared_error").solve(1)
    assert scaled.objective == pytest.approx(plain.objective * 1e304, rel=1e-9)


def test_a_binarizer_of_an_earlier_fit_is_forgotten():
    reg = OptimalTreeRegressor(max_depth=1).fit(X, t)
    assert hasattr(reg, "binarizer_")
    reg.set_params(binarizer=None).fit(X, t)
    assert not hasattr(reg, "binarizer_")
