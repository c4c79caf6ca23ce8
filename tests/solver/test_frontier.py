"""Frontier: every size from one search, and every penalty from the frontier."""

import itertools
import pickle
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_errors, best_sparse, check_result
from oracle.strategies import (
    instances,
    penalties,
    structured_instance,
    switches,
    thorough,
)

from murtree import Frontier, OptimalTreeClassifier, Result, Solver
from murtree._estimators.cv.select import Candidate
from murtree._solver.frontier import with_best_trees

X = np.array([[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]])
y = np.array([0, 1, 1, 0, 0])


def check_frontier(frontier, data, depth, *, min_samples_leaf=1, most=None):
    expected = best_errors(*data, depth, min_samples_leaf)[:most]
    assert len(frontier) == len(expected)
    for nodes, errors in enumerate(expected):
        check_result(
            frontier[nodes],
            data,
            depth,
            nodes,
            errors,
            min_samples_leaf=min_samples_leaf,
        )
    assert frontier.misclassified.tolist() == expected
    assert frontier.lower_bounds.tolist() == expected


def test_an_example():
    frontier = Solver(X, y).frontier(2)
    assert frontier.misclassified.tolist() == [2, 2, 1, 0]
    assert frontier.n_nodes.tolist() == [0, 0, 2, 3]
    assert frontier.status == "optimal"
    assert repr(frontier) == (
        "Frontier(nodes=0..3, misclassified=2..0, status='optimal')"
    )
    assert frontier.total_weight == 5
    assert frontier.stats == frontier[3].stats


def test_frontier_is_a_sequence():
    frontier = Solver(X, y).frontier(2)
    assert len(frontier) == 4
    assert [result.objective for result in frontier] == [2, 2, 1, 0]
    assert frontier[-1] is frontier[3]
    assert frontier[1:3] == (frontier[1], frontier[2])
    assert frontier[2] in frontier
    with pytest.raises(IndexError):
        frontier[4]
    again = pickle.loads(pickle.dumps(frontier))
    assert again.misclassified.tolist() == [2, 2, 1, 0]


@thorough
@given(instances(), st.integers(0, 4))
def test_equals_the_judge(data, depth):
    check_frontier(Solver(*data).frontier(depth), data, depth)


@thorough
@given(instances(), st.integers(1, 4), switches(), st.integers(1, 4))
def test_equals_the_judge_with_any_switches_and_leaf_size(data, depth, options, size):
    solver = Solver(*data, **options)
    frontier = solver.frontier(depth, min_samples_leaf=size)
    check_frontier(frontier, data, depth, min_samples_leaf=size)


@settings(thorough, max_examples=60)
@given(instances(max_features=6), st.integers(0, 9))
def test_a_node_limit_shortens_it(data, most):
    frontier = Solver(*data).frontier(3, most)
    check_frontier(frontier, data, 3, most=most + 1)


@pytest.mark.parametrize("block", range(10))
def test_equals_separate_searches_where_bounds_are_tight(block):
    for seed in range(30 * block, 30 * block + 30):
        data = structured_instance(seed)
        for depth in (3, 4):
            frontier = Solver(*data).frontier(depth)
            solver = Solver(*data)
            separate = [solver.solve(depth, nodes).objective for nodes in range(15)]
            expected = separate[: len(frontier)]
            assert frontier.misclassified[:15].tolist() == expected, (seed, depth)


def test_without_a_limit_on_depth():
    data = structured_instance(6, max_features=5, max_rows=30)
    frontier = Solver(*data).frontier(None, 9)
    expected = best_errors(*data, len(data[0][0]))
    assert frontier.misclassified.tolist() == expected[:10]


@settings(thorough, max_examples=80)
@given(instances(), st.integers(1, 4), penalties())
def test_the_best_for_any_penalty(data, depth, cost_complexity):
    frontier = Solver(*data).frontier(depth)
    expected = best_errors(*data, depth)
    least, fewest = best_sparse(expected, data[2], cost_complexity)
    best = frontier.best(cost_complexity)
    assert best.status == "optimal"
    assert best.objective == best.lower_bound == float(least)
    assert best.tree.n_nodes == fewest
    assert best.misclassified == expected[fewest]


@settings(thorough, max_examples=80)
@given(instances(), st.integers(1, 4))
def test_breakpoints_are_where_the_best_tree_changes(data, depth):
    frontier = Solver(*data).frontier(depth)
    points = frontier.breakpoints
    values = [value for value, _ in points]
    assert values == sorted(set(values), reverse=True)
    edges = [2.0, *values, 0.0]
    sizes = [0, *(n_nodes for _, n_nodes in points)]
    assert sizes == sorted(set(sizes))
    for (above, below), n_nodes in zip(itertools.pairwise(edges), sizes, strict=True):
        middle = (above + below) / 2
        assert frontier.best(middle).tree.n_nodes == n_nodes
        assert best_sparse(frontier.misclassified.tolist(), data[2], middle)[1] == (
            n_nodes
        )


def test_no_penalty_gives_the_smallest_of_the_best():
    frontier = Solver(X, y).frontier(4)
    best = frontier.best()
    assert (best.objective, best.tree.n_nodes) == (0, 3)
    assert isinstance(best.objective, int)
    assert frontier.best(10.0).tree.n_nodes == 0
    assert frontier.best(1e300).objective == 2.0


def test_bounds_of_an_unproven_frontier_are_valid():
    def result(tree, lower_bound, status):
        return Result(tree, tree.misclassified, lower_bound, status, {})

    proven = Solver(X, y).frontier(2)
    trees = [r.tree for r in proven]
    frontier = Frontier(
        [
            result(trees[0], 2, "optimal"),
            result(trees[1], 1, "time_limit"),
            result(trees[2], 0, "time_limit"),
            result(trees[3], 0, "optimal"),
        ],
        5,
    )
    assert frontier.status == "time_limit"
    best = frontier.best(0.01)  # bounds: 2, 1.05, 0.1, 0.15
    assert (best.objective, best.lower_bound) == (pytest.approx(0.15), 0.1)
    assert best.status == "time_limit"
    assert frontier.best(0.1).status == "time_limit"
    assert frontier.best(1.0).status == "optimal"
    assert frontier.best(1.0).objective == 2.0


def test_every_result_needs_a_tree():
    with pytest.raises(ValueError, match="must have a tree"):
        Frontier([Result(None, None, 1, "infeasible", {})], 5)


@pytest.mark.parametrize(("value", "error"), [(-0.1, ValueError), ("1", TypeError)])
def test_bad_penalty(value, error):
    with pytest.raises(error, match=r"'cost_complexity' parameter of Frontier\.best"):
        Solver(X, y).frontier(2).best(value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"max_depth": 9}, r"'max_num_nodes' .* \[0, 255\] for a frontier .* Got None"),
        ({"max_depth": 9, "max_num_nodes": 256}, r"'max_num_nodes' .* Got 256"),
        ({"max_depth": None}, "'max_depth' .* unless there is a 'max_num_nodes'. Got"),
        ({"max_depth": None, "max_num_nodes": 300}, "'max_num_nodes' .* Got 300"),
        ({"max_depth": 21}, r"'max_depth' parameter of .* \[0, 20\]. Got 21"),
    ],
)
def test_too_many_sizes_are_refused(arguments, message):
    with pytest.raises(ValueError, match=message):
        Solver(X, y).frontier(**arguments)
    with pytest.raises(ValueError, match=message):
        OptimalTreeClassifier(**arguments, frontier=True).fit(X, y)


def test_many_sizes():
    rng = np.random.default_rng(0)
    features, labels = rng.integers(0, 2, (60, 6)), rng.integers(0, 2, 60)
    frontier = Solver(features, labels).frontier(20, 255)
    assert len(frontier) == 256
    assert (np.diff(frontier.misclassified) <= 0).all()
    assert frontier.misclassified[-1] == Solver(features, labels).solve(20).objective


def test_every_limit_has_the_best_tree_within_it():
    solver = Solver([[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 0])
    frontier = solver.frontier(max_depth=2)
    late = [replace(frontier[0], status="time_limit", lower_bound=0) for _ in range(3)]
    better = with_best_trees([frontier[0], *late, frontier[3], late[0]])
    assert [result.objective for result in better] == [2, 2, 2, 0, 0, 0]
    statuses = [result.status for result in better]
    assert statuses == ["optimal", "time_limit", "time_limit", *["optimal"] * 3]
    assert better[3].tree is better[5].tree is frontier[3].tree


def test_proven_result_is_kept_despite_rounding():
    frontier = Solver([[0], [1], [1]], [0, 1, 0]).frontier(max_depth=1)
    first, second = frontier
    worse = replace(second, objective=1.0 + 1e-9, lower_bound=1.0 + 1e-9)
    better = with_best_trees([replace(first, objective=1.0), worse])
    assert better[1] is worse


def test_stopped_search_does_not_prove_the_fewest_nodes():
    """A tree without errors, and a smaller one that has not been ruled out."""
    leaf, one, two, three = Solver(X, y).frontier(max_depth=2)
    open_two = replace(two, lower_bound=0, status="time_limit")
    frontier = Frontier([leaf, one, open_two, three], 5)
    assert frontier.best().status == "optimal"
    assert frontier._best(0.0).status == "optimal"
    assert frontier._best(0.0, fewest_nodes=True).status == "time_limit"
    proven = Frontier([leaf, one, two, three], 5)
    assert proven._best(0.0, fewest_nodes=True).status == "optimal"
    # Also in the folds of a cross-validated estimator.
    requested = Candidate(2, cost_complexity=0.0)
    assert requested.pick(frontier, 0.0).status == "optimal"
    assert requested.pick(frontier, 0.0, fewest_nodes=True).status == "time_limit"


def test_met_bound_does_not_prove_the_fewest_nodes():
    leaf, *_, three = Solver(X, y).frontier(max_depth=2)
    late = replace(leaf, lower_bound=0, status="time_limit")
    results = [leaf, late, late, three, late]
    assert with_best_trees(results)[4].status == "optimal"
    last = with_best_trees(results, fewest_nodes=True)[4]
    assert (last.status, last.objective) == ("time_limit", 0)
