"""Penalties on nodes: real values, unlimited depth, and the fewest nodes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import (
    best_errors,
    best_sparse,
    check_result,
    check_sparse,
    full_depth,
)
from oracle.strategies import (
    PLAIN,
    light_instances,
    penalties,
    random_instance,
    random_penalty,
    structured_instance,
    switches,
    thorough,
)

from murtree import Solver

X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
y = np.array([0, 1, 1, 0, 0])


def test_an_example():
    solver = Solver(X, y)
    result = solver.solve(2, cost_complexity=0.05)
    assert result.objective == result.lower_bound == pytest.approx(0.75)
    assert (result.misclassified, result.tree.n_nodes) == (0, 3)
    assert solver.solve(2, cost_complexity=0.2).objective == 2.0
    assert isinstance(solver.solve(2, cost_complexity=0.2).objective, float)
    assert isinstance(solver.solve(2, cost_complexity=0).objective, int)


@thorough
@given(light_instances(), st.integers(0, 4), st.integers(0, 15), penalties())
def test_equals_the_judge(data, depth, nodes, cost_complexity):
    nodes = min(nodes, 2**depth - 1)
    errors = best_errors(*data, depth)
    solver = Solver(*data)
    for most in (nodes, 2**depth - 1):
        result = solver.solve(depth, most, cost_complexity=cost_complexity)
        check_sparse(result, data, errors[: most + 1], cost_complexity, depth=depth)


@thorough
@given(light_instances(), st.integers(2, 4), penalties(), switches(), st.integers(1, 4))
def test_equals_the_judge_with_any_switches_and_leaf_size(
    data, depth, cost_complexity, options, size
):
    errors = best_errors(*data, depth, size)
    result = Solver(*data, **options).solve(
        depth, cost_complexity=cost_complexity, min_samples_leaf=size
    )
    check_sparse(
        result, data, errors, cost_complexity, depth=depth, min_samples_leaf=size
    )


@thorough
@given(light_instances(), penalties(), switches())
def test_any_depth_equals_the_judge(data, cost_complexity, options):
    depth = full_depth(data[0])
    errors = best_errors(*data, depth)
    for switched in ({}, options):
        result = Solver(*data, **switched).solve(None, cost_complexity=cost_complexity)
        check_sparse(result, data, errors, cost_complexity, depth=depth)


@thorough
@given(light_instances(), penalties(), st.integers(0, 9))
def test_any_depth_with_a_node_limit_equals_the_judge(data, cost_complexity, nodes):
    depth = full_depth(data[0])
    errors = best_errors(*data, depth)[: nodes + 1]
    solver = Solver(*data)
    result = solver.solve(None, nodes, cost_complexity=cost_complexity)
    check_sparse(result, data, errors, cost_complexity, depth=depth)
    check_result(solver.solve(None, nodes), data, depth, nodes, errors[-1])


@thorough
@given(light_instances(), st.integers(1, 4), penalties())
def test_agrees_with_the_frontier(data, depth, cost_complexity):
    solver = Solver(*data)
    frontier = solver.frontier(depth)
    best = frontier.best(cost_complexity)
    result = solver.solve(depth, cost_complexity=cost_complexity)
    assert best.objective <= result.objective <= best.objective + 15 / 1024


@pytest.mark.parametrize("seed", range(30))
def test_shallow_child_with_a_deeper_sibling(seed):
    # "Depth k is exhausted, so a tree has more than k nodes" holds only at the root:
    # one side is solved by a leaf, the other needs the full depth.
    rng = np.random.default_rng(seed)
    features = rng.integers(0, 2, (40, 4))
    labels = features[:, 0] * (features[:, 1] ^ features[:, 2] ^ features[:, 3])
    labels = np.where(rng.random(40) < 0.08, 1 - labels, labels)
    data = (features.tolist(), labels.tolist(), [1] * 40)
    errors = best_errors(*data, 4)
    solver = Solver(*data)
    for cost_complexity in (0.001, 0.01, 1 / 40, 0.03, 2 / 40, *rng.random(3) * 0.1):
        check = {"depth": 4}
        result = solver.solve(4, cost_complexity=cost_complexity)
        check_sparse(result, data, errors, cost_complexity, **check)
        result = Solver(*data).solve(None, cost_complexity=cost_complexity)
        check_sparse(result, data, errors, cost_complexity, **check)


@pytest.mark.parametrize("seed", range(30))
def test_tiny_sets_and_subsets_without_errors(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(4, 12))
    features = rng.integers(0, 2, (n_rows, 4))
    labels = features @ rng.integers(0, 2, 4) % 2
    data = (features.tolist(), labels.tolist(), [1] * n_rows)
    errors = best_errors(*data, 4)
    solver = Solver(*data)
    for cost_complexity in (1 / n_rows, 0.5 / n_rows, 2 / n_rows, 1e-4, 0.07):
        for depth in (4, None):
            result = solver.solve(depth, cost_complexity=cost_complexity)
            check_sparse(result, data, errors, cost_complexity, depth=4)


@pytest.mark.parametrize("block", range(10))
def test_bounds_change_nothing_where_they_are_tight(block):
    for seed in range(40 * block, 40 * block + 40):
        data = structured_instance(seed)
        rng = np.random.default_rng([seed, 3])
        cost_complexity = random_penalty(rng, sum(data[2]))
        size = int(rng.choice([1, 1, 2, 4]))
        for depth in (3, 4, None):
            if depth is None and cost_complexity < 0.03:
                continue
            objectives = {
                Solver(*data, **options)
                .solve(depth, cost_complexity=cost_complexity, min_samples_leaf=size)
                .objective
                for options in ({}, PLAIN)
            }
            spread = max(objectives) - min(objectives)
            assert spread <= 1 / 1024, (seed, depth, cost_complexity, size)


@thorough
@given(light_instances(), st.integers(0, 4), st.integers(0, 15), switches())
def test_fewest_nodes_equals_the_judge(data, depth, nodes, options):
    nodes = min(nodes, 2**depth - 1)
    errors = best_errors(*data, depth)[: nodes + 1]
    for switched in ({}, options):
        result = Solver(*data, **switched).solve(depth, nodes, fewest_nodes=True)
        check_result(result, data, depth, nodes, errors[-1])
        assert result.tree.n_nodes == errors.index(errors[-1])


@pytest.mark.parametrize(
    ("seed", "depth", "size"),
    [(66, 4, 1), (72, 4, 1), (92, 3, 1), (92, 4, 2), (96, 3, 2)],
)
def test_fewest_nodes_where_the_usual_tree_has_more(seed, depth, size):
    """Rare in small random data, so that the other tests seldom need the request."""
    data = random_instance(seed, max_features=6, max_rows=40)
    errors = best_errors(*data, depth, size)
    ask = {"max_depth": depth, "min_samples_leaf": size}
    usual = Solver(*data).solve(**ask)
    result = Solver(*data).solve(**ask, fewest_nodes=True)
    check_result(result, data, depth, 2**depth - 1, errors[-1], min_samples_leaf=size)
    assert result.tree.n_nodes == errors.index(errors[-1]) < usual.tree.n_nodes


@thorough
@given(light_instances(), st.integers(1, 4), st.sampled_from([0.05, 0.1, 0.25, 0.125]))
def test_fewest_nodes_with_a_penalty(data, depth, cost_complexity):
    errors = best_errors(*data, depth)
    result = Solver(*data).solve(
        depth, cost_complexity=cost_complexity, fewest_nodes=True
    )
    least, fewest = best_sparse(errors, data[2], cost_complexity)
    price = Fraction(cost_complexity) * sum(data[2])
    cost = result.misclassified + price * result.tree.n_nodes
    assert least <= cost <= least + Fraction(16, 1024)
    if cost == least:
        assert result.tree.n_nodes >= fewest
    if price.denominator <= 1024 and (price.denominator & (price.denominator - 1)) == 0:
        assert (cost, result.tree.n_nodes) == (least, fewest)  # without rounding


@settings(thorough, max_examples=60)
@given(light_instances())
def test_the_smallest_tree_without_errors(data):
    errors = best_errors(*data, full_depth(data[0]))
    result = Solver(*data).solve(None, 15, fewest_nodes=True, upper_bound=0)
    if 0 in errors:
        assert (result.status, result.objective) == ("optimal", 0)
        assert result.tree.n_nodes == errors.index(0)
    else:
        assert (result.status, result.tree) == ("infeasible", None)
        assert result.lower_bound >= 1


@thorough
@given(light_instances(), st.integers(1, 3), penalties())
def test_upper_bound_with_a_penalty(data, depth, cost_complexity):
    solver = Solver(*data)
    best = solver.solve(depth, cost_complexity=cost_complexity)
    ask = {"cost_complexity": cost_complexity}
    again = solver.solve(depth, **ask, upper_bound=best.objective)
    assert (again.status, again.objective) == ("optimal", best.objective)
    above = solver.solve(depth, **ask, upper_bound=best.objective + 1.5)
    assert above.objective == best.objective
    if best.objective > 0.5:
        below = solver.solve(depth, **ask, upper_bound=best.objective - 0.5)
        assert (below.status, below.tree) == ("infeasible", None)
        assert best.objective - 0.5 < below.lower_bound <= best.objective


@thorough
@given(light_instances(), st.integers(1, 3), st.integers(1, 7))
def test_upper_bound_with_the_fewest_nodes(data, depth, nodes):
    nodes = min(nodes, 2**depth - 1)
    expected = best_errors(*data, depth)[nodes]
    solver = Solver(*data)
    ask = {"fewest_nodes": True}
    if expected:
        below = solver.solve(depth, nodes, **ask, upper_bound=expected - 1)
        assert (below.status, below.lower_bound) == ("infeasible", expected)
    result = solver.solve(depth, nodes, **ask, upper_bound=expected)
    check_result(result, data, depth, nodes, expected)


def test_penalties_below_the_resolution_and_too_large_ones():
    solver = Solver(X, y)
    tiny = solver.solve(2, cost_complexity=1e-300)
    assert (tiny.misclassified, tiny.status) == (0, "optimal")
    assert tiny.objective == tiny.lower_bound < 1e-290
    huge = solver.solve(2, cost_complexity=1e300)
    assert (huge.objective, huge.tree.n_nodes) == (2.0, 0)
    assert solver.solve(None, cost_complexity=1e300).objective == 2.0


def test_the_least_penalty_that_the_message_names_works():
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 2, (3000, 12)), rng.integers(0, 2, 3000)
    solver = Solver(features, labels)
    with pytest.raises(ValueError, match=r"'cost_complexity' .* at least ") as caught:
        solver.solve(None, cost_complexity=1e-6)
    least = float(str(caught.value).split("at least ")[1].split()[0])
    assert 0.0005 < least < 0.01
    result = solver.solve(None, cost_complexity=least, time_limit=0.1)
    assert result.tree is not None
    with pytest.raises(ValueError, match="at least"):
        solver.solve(None, cost_complexity=0.9 * least)
    with pytest.raises(ValueError, match=r"'max_num_nodes' .* \[0, 255\]"):
        solver.solve(None, 256)
    assert solver.solve(None, 255, time_limit=0.05).tree is not None


def test_weights_too_large_for_a_penalty():
    solver = Solver(X, y, [2**45 + 1, *[2**45] * 4])
    for ask in ({"cost_complexity": 0.1}, {"fewest_nodes": True}):
        with pytest.raises(ValueError, match="The sum of sample_weight must be at"):
            solver.solve(2, **ask)
    assert solver.solve(2).objective == 0
    equal = Solver(X, y, [2**45] * 5)  # equivalent to one each
    assert equal.solve(2, cost_complexity=0.1).objective == 1.5 * 2**45
    assert equal.solve(2, fewest_nodes=True).objective == 0
