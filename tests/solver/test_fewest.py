"""Among equally good trees: no redundant nodes, and the fewest at depth two."""

from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_errors, gini, leaf_error, squared_error
from oracle.strategies import instances, random_instance

from murtree import Solver


def nested(tree, node=0):
    """Return a tree as (feature, left, right), a leaf as None."""
    if tree.children_left[node] < 0:
        return None
    children = (tree.children_left[node], tree.children_right[node])
    return (int(tree.feature[node]), *(nested(tree, child) for child in children))


def split(rows, feature):
    return tuple([row for row in rows if row[0][feature] == side] for side in (0, 1))


def cost(tree, rows, leaf_cost):
    """Return the cost of a nested tree; its first child has the zeros, or the ones."""
    if tree is None:
        return leaf_cost(rows)
    parts = split(rows, tree[0])
    return sum(
        cost(child, part, leaf_cost)
        for child, part in zip(tree[1:], parts, strict=True)
    )


def without_a_node(tree):
    """Yield the trees in which one node is replaced by a leaf or a child."""
    if tree is None:
        return
    feature, left, right = tree
    yield from {None, left, right}
    yield from ((feature, smaller, right) for smaller in without_a_node(left))
    yield from ((feature, left, smaller) for smaller in without_a_node(right))


def check_no_idle_node(tree, data, leaf_cost):
    rows = list(zip(*data, strict=True))
    own = nested(tree)
    least = cost(own, rows, leaf_cost)
    for smaller in without_a_node(own):
        assert cost(smaller, rows, leaf_cost) > least


@settings(deadline=None, max_examples=100)
@given(instances(), st.integers(1, 4))
def test_no_node_is_redundant(data, depth):
    check_no_idle_node(Solver(*data).solve(depth).tree, data, leaf_error)


@settings(deadline=None, max_examples=50)
@given(instances(), st.integers(1, 4))
def test_no_node_of_a_regression_tree_is_redundant(data, depth):
    data = (data[0], data[1], [min(weight, 3) for weight in data[2]])
    tree = Solver(*data, objective="squared_error").solve(depth).tree
    exact = (data[0], [Fraction(target) for target in data[1]], data[2])
    check_no_idle_node(tree, exact, squared_error)


@settings(deadline=None, max_examples=50)
@given(instances(), st.integers(1, 4))
def test_no_node_of_a_tree_for_impurity_is_redundant(data, depth):
    data = (data[0], data[1], [min(weight, 3) for weight in data[2]])
    tree = Solver(*data, objective="gini").solve(depth).tree
    check_no_idle_node(tree, data, gini)


def test_no_node_is_redundant_in_many_random_cases():
    for seed in range(300):
        data = random_instance(seed, max_features=6, max_rows=40)
        for depth in (3, 4):
            tree = Solver(*data).solve(depth).tree
            check_no_idle_node(tree, data, leaf_error)


@settings(deadline=None, max_examples=100)
@given(instances(), st.integers(1, 2), st.integers(1, 3))
def test_depth_two_has_the_fewest_nodes(data, depth, least):
    errors = best_errors(*data, depth, least)
    result = Solver(*data).solve(depth, min_samples_leaf=least)
    assert result.objective == errors[-1]
    assert result.tree.n_nodes == errors.index(errors[-1])


def test_an_example():
    """Column 1 alone separates the classes; a root above it would be redundant."""
    X = [[0, 0, 0], [0, 1, 0], [1, 0, 1], [1, 1, 1], [1, 0, 0], [0, 1, 1]]
    y = [0, 1, 0, 1, 0, 1]
    for depth in (1, 2, 3, 4):
        assert Solver(X, y).solve(depth).tree.n_nodes == 1
