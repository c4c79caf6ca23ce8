"""min_weight_fraction_leaf: against the judge, for every objective and switch."""

import math
import os
import subprocess
import sys
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import (
    LeastSizes,
    best_penalised,
    check_leaves,
    full_depth,
)
from oracle.confusion import fronts, losses_of, points
from oracle.constraint_judge import (
    columns_of,
    fit,
    fit_or_refused,
    follows,
    judge_of_errors,
    least,
    tables,
    tops,
)
from oracle.objectives import (
    IMPURITIES,
    Balanced,
    Costs,
    Distances,
    Errors,
    Impurities,
    Squares,
)
from oracle.strategies import (
    PLAIN,
    instances,
    random_weight,
    structured_instance,
    switches,
    thorough,
    two_classes,
)
from sklearn.tree import DecisionTreeClassifier

from murtree import (
    MetricSolver,
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Solver,
    _core,
)
from murtree._solver.metrics.metrics import NAMES
from murtree._solver.objectives.class_weight import weighted_by_class

SETTINGS = settings(thorough, max_examples=60)
OBJECTIVES = (
    "accuracy",
    "balanced_accuracy",
    "costs",
    "squared_error",
    "absolute_error",
    "gini",
    "log_loss",
)
SHARES = st.one_of(
    st.sampled_from([0.05, 0.1, 0.2, 0.25, 0.3, 1 / 3, 0.4, 0.5]), st.floats(0.01, 0.5)
)
WEIGHTS = (
    st.integers(1, 3).map(Fraction),
    st.integers(0, 9).map(Fraction),
    st.integers(0, 5).map(lambda n: Fraction(n, 2)),
    st.integers(1, 30).map(lambda n: Fraction(n, 10)),
    st.integers(1, 6).map(lambda n: Fraction(n, 3)),
    st.sampled_from([1, 10**7]).map(Fraction),
)
X4 = [[0, 0], [0, 1], [1, 0], [1, 1]]
EXCLUSIVE_OR = [0, 1, 1, 0]


@st.composite
def limits(draw, weight):
    return LeastSizes(draw(st.sampled_from([1, 1, 2, 3])), draw(SHARES), weight)


def weight_lists(n_rows):
    def of(kind):
        return st.lists(kind, min_size=n_rows, max_size=n_rows)

    return st.sampled_from(WEIGHTS).flatmap(of).filter(any)


@st.composite
def cases(draw, kind):
    """Draw a problem whose weights are fractions."""
    X, y, _ = draw(instances(max_features=4, max_rows=12))
    data = X, y, draw(weight_lists(len(y)))
    if kind == "squared_error":
        return Squares(data)
    if kind == "absolute_error":
        return Distances(data)
    if kind in IMPURITIES:
        return Impurities(data, kind)
    if kind != "costs":
        return (Errors if kind == "accuracy" else Balanced)(data)
    n_classes = len(set(y))
    row = st.lists(st.integers(0, 5), min_size=n_classes, max_size=n_classes)
    matrix = draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    price = st.integers(0, 3).map(lambda n: n / 2)
    prices = draw(st.lists(price, min_size=len(X[0]), max_size=len(X[0])))
    return Costs(data, matrix, matrix, prices)


@pytest.mark.slow
@pytest.mark.parametrize("kind", OBJECTIVES)
def test_every_objective_equals_the_judge(kind):
    @SETTINGS
    @given(cases(kind), st.integers(1, 3), switches(), st.data())
    def check(case, depth, options, drawn):
        size = drawn.draw(limits(case.weight))
        best = case.best(depth, size)
        for solver in (case.solver(), case.solver(**options)):
            for nodes, cost in enumerate(best):
                case.check(
                    solver.solve(depth, nodes, **size.parameters), cost, nodes, size
                )
            for nodes, result in enumerate(solver.frontier(depth, **size.parameters)):
                case.check(result, best[nodes], nodes, size)
            # Again without the limits: results found with them must not be used.
            free = case.best(depth, 1)
            case.check(solver.solve(depth), free[-1], len(free), 1)

    check()


@pytest.mark.parametrize("kind", OBJECTIVES)
def test_penalties_and_fewest_nodes_equal_the_judge(kind):
    penalty = st.sampled_from([0.02, 0.05, 0.125, 0.3])

    @SETTINGS
    @given(cases(kind), st.integers(1, 3), penalty, switches(), st.data())
    def check(case, depth, cost_complexity, options, drawn):
        size = drawn.draw(limits(case.weight))
        best = case.best(depth, size)
        solver = case.solver(**options)
        price = Fraction(cost_complexity) * case.total
        requested = {"cost_complexity": cost_complexity, **size.parameters}
        expected = best_penalised(best, price)
        case.check(solver.solve(depth, **requested), expected, len(best), size, price)
        if full_depth(case.X) <= 3:
            every = case.best(full_depth(case.X), size)
            expected = best_penalised(every, price)
            case.check(
                solver.solve(None, **requested), expected, len(every), size, price
            )
        fewest = solver.solve(depth, fewest_nodes=True, **size.parameters)
        case.check(fewest, best[-1], len(best), size)
        if kind in ("accuracy", "costs"):  # otherwise ties depend on rounding
            assert fewest.tree.n_nodes <= best.index(best[-1])

    check()


@SETTINGS
@given(instances(max_features=3, max_rows=10), st.integers(1, 3), st.data())
def test_fronts_and_metrics_equal_the_judge(data, depth, drawn):
    X, y, _ = two_classes(data)
    weight = [int(w) for w in drawn.draw(weight_lists(len(y)))]
    weight[0] = max(weight[0], 1)
    data, size = (X, y, weight), drawn.draw(limits(weight))
    expected = fronts(*data, depth, size)
    solver = MetricSolver(*data)
    for nodes in {2**depth - 1, drawn.draw(st.integers(0, 2**depth - 1))}:
        front = solver.pareto_front(depth, nodes, **size.parameters)
        assert points(front) == expected[nodes]
        for point in front:
            check_leaves(point.tree, X, weight, size)
        losses = losses_of(data, expected[nodes], 2.0)
        for name in NAMES:
            result = solver.solve(name, depth, nodes, beta=2.0, **size.parameters)
            assert result.status == "optimal"
            best = min(loss[name] for loss in losses)
            assert result.objective == pytest.approx(best, rel=1e-9, abs=1e-9), name
            check_leaves(result.tree, X, weight, size)


# --- larger data, all kernels ---------------------------------------------------------


@pytest.mark.parametrize("kind", [*OBJECTIVES, "f1"])
def test_bounds_and_caches_agree_with_the_plain_search(kind):
    """With fractions of weights, on data with tight bounds."""
    for seed in range(12):
        X, y, _ = two_classes(structured_instance(seed, max_features=10, max_rows=60))
        rng = np.random.default_rng(seed)
        weight = random_weight(rng, len(y))
        requested = {
            "min_samples_leaf": int(rng.choice([1, 4])),
            "min_weight_fraction_leaf": float(rng.choice([0.02, 0.1, 0.2, 0.3])),
        }
        if kind == "f1":
            found, plain = (
                MetricSolver(X, y, weight, solver_options=options).solve(
                    kind, 3, **requested
                )
                for options in ({}, PLAIN)
            )
            front = MetricSolver(X, y, weight).pareto_front(3, **requested)
            assert front.best(kind).objective == pytest.approx(found.objective)
        else:
            objective = [[0, 3], [1, 0.5]] if kind == "costs" else kind
            found, plain = (
                Solver(X, y, weight, objective=objective, **options).solve(
                    3, **requested
                )
                for options in ({}, PLAIN)
            )
        assert found.status == plain.status == "optimal"
        assert found.objective == pytest.approx(plain.objective, rel=1e-7, abs=1e-9)
        size = LeastSizes(*requested.values(), weight)
        check_leaves(found.tree, X, weight, size)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", _core.kernel_names())
def test_every_kernel_equals_the_judge(kernel):
    """The same in a new process, where the kernel is selected."""
    tests = "test_every_objective_equals_the_judge or test_fronts or test_bounds"
    command = [sys.executable, "-m", "pytest", "-q", "-n0", "-p", "no:cacheprovider"]
    environment = os.environ | {"MURTREE_KERNEL": kernel}
    if environment.get("PYTEST_XDIST_WORKER"):
        environment.pop("PYTEST_XDIST_WORKER")
    done = subprocess.run(
        [*command, __file__, "-k", tests],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-4000:]


# --- the estimators -------------------------------------------------------------------


@SETTINGS
@given(tables(max_columns=4), st.integers(1, 3), st.integers(1, 4), st.data())
def test_few_features_equal_the_judge(data, depth, most, drawn):
    size = drawn.draw(limits(data[2]))
    judge = judge_of_errors(*data)
    best = judge.best_of_few(depth, most, size)
    fitted = fit(data, max_depth=depth, max_distinct_features=most, **size.parameters)
    assert (fitted.status_, fitted.objective_) == ("optimal", least(best, 2**depth))
    assert len(columns_of(fitted)) <= most


@SETTINGS
@given(tables(), st.integers(1, 3), st.data())
def test_partial_trees_equal_the_judge(data, depth, drawn):
    """The share refers to all rows, also below fixed tests."""
    size = drawn.draw(limits(data[2]))
    top = drawn.draw(tops(len(data[0][0]), depth))
    judge = judge_of_errors(*data)
    expected = least(judge.completed(top, depth, size), 2**depth)
    fitted = fit_or_refused(data, max_depth=depth, partial_tree=top, **size.parameters)
    assert (fitted is None) == (expected == math.inf)
    if fitted is not None:
        assert (fitted.status_, fitted.objective_) == ("optimal", expected)
        assert follows(fitted.tree_, top)


def test_the_least_weight_is_that_of_scikit_learn():
    """Also with floating-point effects: 0.07 of 100 is more than 7 there."""
    for share in (0.07, 0.1, 0.29, 1 / 13, 0.3, 0.5):
        for n_rows in (10, 13, 100):
            X = np.arange(n_rows)[:, np.newaxis]
            for n_ones in range(1, n_rows // 2 + 1):
                y = (X[:, 0] < n_ones).astype(int)
                limits_ = {"max_depth": 1, "min_weight_fraction_leaf": share}
                greedy = DecisionTreeClassifier(**limits_).fit(X, y)
                ours = OptimalTreeClassifier(binarizer="exact", **limits_).fit(X, y)
                is_free = greedy.score(X, y) == 1
                assert (ours.objective_ == 0) == is_free, (share, n_rows, n_ones)


@pytest.mark.parametrize("class_weight", [None, {0: 5, 1: 0.5}, "balanced"])
def test_never_worse_than_scikit_learn_with_class_weights(class_weight):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        X = rng.integers(0, 2, (80, 6))
        y = (X[:, 0] ^ (rng.random(80) < 0.3)) & X[:, 1]
        sample_weight = rng.integers(1, 6, 80)
        limits_ = {
            "max_depth": 3,
            "min_weight_fraction_leaf": 0.1,
            "class_weight": class_weight,
        }
        greedy = DecisionTreeClassifier(random_state=0, **limits_)
        greedy.fit(X, y, sample_weight)
        ours = OptimalTreeClassifier(binarizer=None, **limits_)
        ours.fit(X, y, sample_weight)
        weight = sample_weight
        if class_weight is not None:
            weight, _ = weighted_by_class(y, sample_weight, class_weight)
        errors = weight[greedy.predict(X) != y].sum()
        assert ours.objective_ <= errors + 1e-9
        check_leaves(ours.tree_, X, weight, LeastSizes(1, 0.1, weight.tolist()))


def test_class_weights_are_part_of_the_weight():
    X, y = X4, EXCLUSIVE_OR
    ask = {"max_depth": 2, "binarizer": None, "min_weight_fraction_leaf": 0.2}
    assert OptimalTreeClassifier(**ask).fit(X, y).objective_ == 0
    heavy = OptimalTreeClassifier(class_weight={1: 9}, **ask).fit(X, y)
    assert heavy.objective_ == 2


def test_rows_without_weight_do_not_count():
    solver = Solver([[0], [0], [1]], [0, 0, 1], [2, 0, 1])
    assert solver.solve(1, min_weight_fraction_leaf=1 / 3).objective == 0
    assert solver.solve(1, min_weight_fraction_leaf=0.34).objective == 1


def test_shares_of_zero_and_one_half():
    solver = Solver(X4, [0, 0, 1, 1], [1, 2, 2, 1])
    assert solver.solve(1, min_weight_fraction_leaf=0.5).objective == 0
    assert solver.solve(2, min_weight_fraction_leaf=0.5).tree.n_nodes == 1
    assert solver.solve(2, min_weight_fraction_leaf=0).objective == 0
    assert solver.solve(0, min_weight_fraction_leaf=0.5).tree.n_nodes == 0


def test_the_regressor_and_the_frontier():
    X, y, weight = [[0.0], [1.0], [2.0], [3.0]], [0.0, 1.0, 8.0, 9.0], [1, 9, 5, 5]
    ask = {"max_depth": 2, "min_weight_fraction_leaf": 0.25, "frontier": True}
    fitted = OptimalTreeRegressor(**ask).fit(X, y, sample_weight=weight)
    assert fitted.predict(X).tolist() == [0.9, 0.9, 8.0, 9.0]
    assert [result.tree.n_nodes for result in fitted.frontier_] == [0, 1, 2, 2]


def test_tuned_tree_respects_the_leaf_weight():
    rng = np.random.default_rng(1)
    X, weight = rng.integers(0, 2, (120, 5)), rng.integers(1, 4, 120)
    y = X[:, 0] ^ (X[:, 1] & (rng.random(120) < 0.8))
    tree = OptimalTreeClassifier(binarizer=None, min_weight_fraction_leaf=0.2)
    for strategy in ("all", "up_to_greedy"):
        tuned = OptimalTreeClassifierCV(estimator=tree, max_depth=3, strategy=strategy)
        tuned.fit(X, y, sample_weight=weight)
        check_leaves(tuned.tree_, X, weight, LeastSizes(1, 0.2, weight.tolist()))


def test_proofs_and_saved_models_mention_the_leaf_weight():
    ask = {"max_depth": 2, "binarizer": None, "min_weight_fraction_leaf": 0.25}
    fitted = OptimalTreeClassifier(**ask).fit(X4, EXCLUSIVE_OR)
    model = Model.from_json(Model.of(fitted).to_json())
    assert "with at least 0.25 of the weight on each side of a test" in model.proof.line
    assert model.settings["min_weight_fraction_leaf"] == 0.25


@pytest.mark.parametrize(
    ("share", "error"),
    [
        (-0.1, ValueError),
        (0.6, ValueError),
        (float("nan"), ValueError),
        (True, TypeError),
        ("0.1", TypeError),
        (None, TypeError),
    ],
)
def test_bad_shares_are_refused(share, error):
    shown = r"'min_weight_fraction_leaf' .* must be a number in the range \[0.0, 0.5\]"
    ask = {"min_weight_fraction_leaf": share}
    with pytest.raises(error, match=shown):
        Solver(X4, EXCLUSIVE_OR).solve(2, **ask)
    with pytest.raises(error, match=shown):
        Solver(X4, EXCLUSIVE_OR).frontier(2, **ask)
    with pytest.raises(error, match=shown):
        MetricSolver(X4, EXCLUSIVE_OR).solve("f1", 2, **ask)
    with pytest.raises(error, match=shown):
        MetricSolver(X4, EXCLUSIVE_OR).pareto_front(2, **ask)
    with pytest.raises(error, match=shown):
        OptimalTreeClassifier(**ask).fit(X4, EXCLUSIVE_OR)


def test_a_fixed_test_that_leaves_too_little_weight_is_refused():
    ask = {"partial_tree": {"feature": 0}, "min_weight_fraction_leaf": 0.3}
    said = "at least 0.3 of the weight, the 'min_weight_fraction_leaf'"
    with pytest.raises(ValueError, match=said):
        OptimalTreeClassifier(binarizer=None, **ask).fit(
            X4, EXCLUSIVE_OR, sample_weight=[1, 1, 9, 9]
        )
