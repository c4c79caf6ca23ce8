"""The depth-two algorithm against brute force: costs, sizes, parts, countings."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_by_nodes, leaf_error
from oracle.strategies import instances

from murtree import _core, _core_testing

KERNELS = _core.kernel_names()
LANE_BITS = (16, 32, 64)
COUNTINGS = ("auto", "dense", "sparse", "incremental")


def depth_two(data, least=1, merge_rows=True, counting="dense", heavy=0, **where):
    """Solve with a minimum leaf size, and a minimum weight: `heavy` by row number."""
    X, y, weight = data
    leaf_weight = np.arange(len(y), dtype=np.int64) % 7
    return _core_testing.depth_two(
        where.get("kernel", "portable"),
        where.get("lane_bits", 64),
        np.array(X, dtype=np.uint8),
        np.array(y, dtype=np.int32),
        np.array(weight, dtype=np.int64),
        max(2, max(y) + 1),
        merge_rows=merge_rows,
        min_samples_leaf=least,
        min_weight_leaf=heavy,
        leaf_weight=leaf_weight,
        counting=counting,
        pair_bytes=where.get("pair_bytes", 2**40),
    )


def fits(data, lane_bits):
    """Whether a lane can hold the total weight and all sizes."""
    _, y, weight = data
    return sum(weight) + 7 * len(y) < 2 ** (lane_bits - 1)


def counted_rows(data):
    """Return rows as (features, class, weight), without those of weight zero."""
    return [row for row in zip(*data, strict=True) if row[2] > 0]


def split(rows, feature):
    return tuple([r for r in rows if r[0][feature] == value] for value in (0, 1))


def least_errors(rows, depth, least):
    """Return [e_0, e_1, ...]: least errors with m nodes and leaves of `least` rows."""
    n_features = len(rows[0][0]) if rows else 0
    return best_by_nodes(rows, leaf_error, [0] * n_features, depth, least)


def unavoidable(rows, merge_rows):
    """Return the errors that equal rows of different classes cause in any tree."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[0]), []).append(row)
    return sum(map(leaf_error, groups.values())) if merge_rows else 0


def tree_error(rows, tree, answer, least):
    """Return the error of a tree of columns (root, left, right); check its leaves."""
    flipped = dict(zip(answer["columns"], answer["flipped"], strict=True))

    def stored_parts(part, column):
        parts = split(part, column)
        return parts[::-1] if flipped[column] else parts

    leaves = [rows]
    if tree[0] >= 0:
        leaves = []
        parts = stored_parts(rows, tree[0])
        for part, column in zip(parts, tree[1:], strict=True):
            leaves += [part] if column < 0 else stored_parts(part, column)
        assert min(map(len, leaves)) >= least
    return sum(map(leaf_error, leaves))


def check_parts(rows, answer, least, merge_rows):
    sides = iter(answer["parts"])
    for number, column in enumerate(answer["columns"]):
        parts = split(rows, column)
        may_split = min(map(len, parts)) >= least
        assert answer["may_split"][number] == may_split
        for part in parts[::-1] if answer["flipped"][number] else parts:
            known = unavoidable(part, merge_rows)
            size, leaf_cost, split_cost, *costs = next(sides)
            assert size == len(part)
            assert leaf_cost == leaf_error(part) - known
            assert split_cost == least_errors(part, 1, least)[1] - known
            assert costs == [e - known for e in least_errors(part, 2, least)]


def root_error(rows, column, least):
    parts = split(rows, column)
    return sum(least_errors(part, 1, least)[1] for part in parts)


@settings(deadline=None, max_examples=150)
@given(
    instances(),
    st.integers(1, 5),
    st.booleans(),
    st.sampled_from(COUNTINGS),
    st.booleans(),
)
def test_costs_sizes_and_trees_equal_brute_force(
    data, least, merge_rows, counting, in_strips
):
    rows = counted_rows(data)
    where = {"pair_bytes": 0} if in_strips else {}
    answer = depth_two(data, least, merge_rows, counting, **where)
    known = unavoidable(rows, merge_rows)
    expected = least_errors(rows, 2, least)
    assert answer["unavoidable"] == known
    assert answer["costs"] == [error - known for error in expected]
    for nodes, tree in enumerate(answer["trees"]):
        assert sum(column >= 0 for column in tree) <= nodes
        assert tree_error(rows, tree, answer, least) == expected[nodes]
    for number, column in enumerate(answer["columns"]):
        if answer["may_split"][number]:
            error = root_error(rows, column, least)
            assert answer["root_costs"][number] == error - known
    check_parts(rows, answer, least, merge_rows)
    assert answer["selected"] == [
        column
        for column, may_split in zip(
            answer["columns"], answer["may_split"], strict=True
        )
        if may_split
    ]


@settings(deadline=None, max_examples=100)
@given(instances(), st.integers(1, 5))
def test_the_stump_respects_the_leaf_size(data, least):
    rows = counted_rows(data)
    answer = depth_two(data, least=least)
    errors = [
        sum(map(leaf_error, split(rows, column)))
        for column in answer["columns"]
        if min(map(len, split(rows, column))) >= least
    ]
    assert ("stump" in answer) == bool(errors)
    if errors:
        assert answer["stump"][1] == min(errors) - answer["unavoidable"]


@st.composite
def larger_instances(draw):
    """Draw rows and features for several words and blocks, sparse or dense."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_rows = draw(st.integers(2, 150))
    n_features = draw(st.integers(1, 80))
    density = draw(st.sampled_from([0.02, 0.1, 0.5]))
    X = rng.random((n_rows, n_features)) < density
    X = X[rng.integers(0, draw(st.integers(1, n_rows)), n_rows)]
    y = rng.integers(0, draw(st.sampled_from([2, 2, 3, 5])), n_rows)
    weight = rng.integers(0, draw(st.sampled_from([2, 2, 9])), n_rows)
    weight[0] = 1
    return X.astype(np.uint8), y, weight


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(
    st.one_of(instances(), larger_instances()),
    st.integers(1, 5),
    st.sampled_from([0, 0, 1, 5, 20]),
    st.booleans(),
    st.data(),
)
def test_countings_kernels_and_lanes_agree(data, least, heavy, merge_rows, choice):
    expected = depth_two(data, least, merge_rows, heavy=heavy)
    lanes = [bits for bits in LANE_BITS if fits(data, bits)]
    for kernel in KERNELS:
        for counting in COUNTINGS:
            where = {"kernel": kernel, "lane_bits": choice.draw(st.sampled_from(lanes))}
            answer = depth_two(data, least, merge_rows, counting, heavy, **where)
            assert answer == expected, (counting, where)
        # Strips of four features, or of up to 32; 80 features need several of either.
        where["pair_bytes"] = choice.draw(st.sampled_from([0, 10_000]))
        answer = depth_two(data, least, merge_rows, heavy=heavy, **where)
        assert answer == expected, where


EXCLUSIVE_OR = (
    [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]],
    [0, 1, 1, 0, 0],
    [1, 1, 1, 1, 1],
)


@pytest.mark.parametrize(
    ("least", "costs", "may_split"),
    [(1, [2, 2, 1, 0], True), (2, [2, 2, 2, 2], True), (3, [2, 2, 2, 2], False)],
)
def test_exclusive_or_needs_small_leaves(least, costs, may_split):
    answer = depth_two(EXCLUSIVE_OR, least=least)
    assert answer["costs"] == costs
    assert answer["may_split"] == [may_split, may_split]


def test_cancelled_rows_and_copies_count_and_rows_without_weight_do_not():
    """Two rows cancel, three merge, one has no weight: parts of 5 and 1 rows."""
    X = [[1, 0], [1, 0], [1, 1], [1, 1], [1, 1], [0, 0], [0, 0]]
    y = [0, 1, 1, 1, 1, 0, 0]
    weight = [1, 1, 1, 1, 1, 1, 0]
    answer = depth_two((X, y, weight))
    first = answer["columns"].index(0)
    sizes = [answer["parts"][2 * first + side][0] for side in (0, 1)]
    assert sizes == ([5, 1] if answer["flipped"][first] else [1, 5])
    assert depth_two((X, y, weight), least=2)["may_split"][first] is False


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("counting", COUNTINGS)
def test_part_with_only_cancelled_rows(kernel, counting):
    """The rows with the first feature cancel: none of them has a class."""
    X = [[1, 0], [1, 0], [0, 0], [0, 1], [0, 1]]
    data = X, [0, 1, 0, 1, 1], [1, 1, 1, 1, 1]
    answer = depth_two(data, counting=counting, kernel=kernel, lane_bits=16)
    first = answer["columns"].index(0)
    cancelled, others = answer["parts"][2 * first + 1], answer["parts"][2 * first]
    assert cancelled == [2, 0, 0, 0, 0, 0, 0]
    assert others == [3, 1, 0, 1, 0, 0, 0]


def test_a_leaf_size_beyond_the_lane_allows_no_split():
    answer = depth_two(EXCLUSIVE_OR, lane_bits=16, least=2**40)
    assert answer["costs"] == [2, 2, 2, 2]


def test_an_unknown_counting_is_refused():
    with pytest.raises(ValueError, match="no counting named guess"):
        depth_two(EXCLUSIVE_OR, counting="guess")
