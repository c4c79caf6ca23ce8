"""A table for each bound of docs/theory/thresholds.md, with which a mistake shows.

For each of them there is a plausible mistake in the search, such as a sign or an end
that is exchanged, with which the test fails. The judge of small tables tries every
tree; that of large tables divides one column into parts.
"""

import numpy as np
import pytest
from oracle.ranked import Ranked, judge
from oracle.stopped import Stop


def table_of(columns, labels=None, costs=None):
    """Return a table of ranks, with labels as digits, or with costs."""
    ranks = np.array([list(map(int, column)) for column in columns])
    if costs is None:
        codes = np.array(list(map(int, labels)))
        costs = errors_of(codes, max(int(codes.max()) + 1, 2))
    return Ranked(ranks, np.array(costs), np.ones(ranks.shape[1], dtype=int))


def errors_of(labels, n_labels):
    """Return costs of 1 for each label but one."""
    return (1 - np.eye(n_labels, dtype=int))[labels]


def check(data, depth, nodes=None, **request):
    """Compare the search with the judge, and return the least cost."""
    nodes = 2**depth - 1 if nodes is None else nodes
    expected = judge(data, **request)(depth, nodes)
    check_cost(data, depth, nodes, expected, **request)
    return expected


def check_cost(data, depth, nodes, expected, **request):
    (answer,) = data.solve(depth, nodes=nodes, **request)
    assert answer["status"] == "optimal"
    assert data.check_tree(answer, nodes, **request) == expected
    assert answer["lower_bound"] == expected


# --- bounds between two positions -----------------------------------------------------


@pytest.mark.parametrize("labels", ["0110", "1010", "010", "01101", "01011"])
def test_fewer_rows_cost_no_more(labels):
    # With the greater set's cost as a bound for the smaller one, 0 errors were missed.
    assert check(table_of(["012345"[: len(labels)]], labels), 2) == 0


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (["001", "010"], "100"),
        (["01234"], "01101"),
        (["00123", "20021"], "10101"),
        (["0112", "0121"], "0101"),
    ],
)
def test_each_row_adds_at_most_its_reach(columns, labels):
    # Half of the reach is not enough.
    check(table_of(columns, labels), 2)


def test_the_reach_of_a_row_is_its_weight():
    costs = [[4, 0], [0, 5], [2, 0]]
    data = table_of(["001"], costs=costs)
    assert check(data, 3, 2) == 4
    assert check(table_of(["001"], costs=[[8, 8, 0], [0, 0, 6], [0, 0, 3]]), 2) == 6


def test_the_reach_of_a_row_is_its_largest_cost():
    costs = [[2, 8, 0, 2], [0, 2, 8, 8], [8, 0, 2, 6], [1, 4, 0, 1], [1, 4, 0, 1]]
    assert check(table_of(["01112"], costs=costs), 2) == 6


def test_the_reach_is_in_units_of_the_penalty():
    data = table_of(["01"], "01")
    assert check(data, 2, price_of_error=4, price_of_node=3) == 3


def test_prices_of_both_nodes_are_not_paid_at_once():
    data = table_of(["01"], "10")
    assert check(data, 2, price_of_error=4, price_of_node=2) == 2


# --- closing and trimming intervals ---------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "labels", "least"),
    [(["012"], "010", 0), (["01"], "10", 0), (["0001"], "0101", 1)],
)
def test_intervals_close_at_the_cost_to_beat(columns, labels, least):
    # With the ends exchanged, half of the distance, or one less than the cost to beat.
    assert check(table_of(columns, labels), 2) == least


@pytest.mark.parametrize("labels", ["01101", "010111", "10010", "111010"])
def test_only_positions_too_near_are_trimmed(labels):
    # One row more on either side is too much.
    assert check(table_of(["012345"[: len(labels)]], labels), 2) == 0


def test_the_whole_set_bounds_the_ends_with_the_nodes_of_their_side():
    assert check(table_of(["010"], "010"), 2) == 0
    # With two nodes one side has none, and the other one has a stump.
    assert check(table_of(["0122344"], "1011100"), 2) == 0
    assert check(table_of(["0122344"], "1011100"), 2, 2) == 1
    assert check(table_of(["001", "100"], "101"), 2, 2) == 0


# --- minimum sizes of leaves ----------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "labels", "depth", "least_rows", "expected"),
    [
        (["123456", "121212"], "001100", 2, 2, 0),  # that of the theory page
        (["0012334"], "0011100", 2, 2, 1),
        (["0001122", "4231003"], "0111000", 2, 2, 1),  # trimming
        (["00122222", "26254310"], "00100100", 3, 2, 0),  # closing
        (["011122234", "140004203"], "101101101", 2, 3, 2),  # new points
        (["012233", "020102"], "000101", 3, 2, 0),  # targets
        (["101001001000", "000001233444"], "101001111000", 2, 3, 0),  # lazy evaluation
    ],
)
def test_fewer_rows_may_cost_more_with_large_leaves(
    columns, labels, depth, least_rows, expected
):
    data = table_of(columns, labels)
    assert check(data, depth, min_samples_leaf=least_rows) == expected
    weights = data._replace(leaf_weights=np.full(len(labels), 3))
    assert check(weights, depth, min_weight_leaf=3 * least_rows) == expected


def test_positions_leave_enough_rows_on_both_sides():
    data = table_of(["01"], costs=[[0, 4], [5, 0]])
    assert check(data, 2, min_samples_leaf=3) == 4


# --- lazy evaluation and windows ------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "labels", "nodes"),
    [
        (["012"], "010", 3),
        (["012"], "010", 2),
        (["012"], "101", 3),
        (["001"], "101", 3),
    ],
)
def test_chains_are_evaluated_until_a_side_is_known_or_closes_the_interval(
    columns, labels, nodes
):
    # A bound is not a cost; a leaf must cost no more than the least bound; and the
    # interval behind the position, not that before it, must close.
    check(table_of(columns, labels), 2, nodes)


def least_by_parts(ranks, costs, n_parts):
    """Return the least cost if the values of a column are divided into parts."""
    order = np.argsort(ranks, kind="stable")
    sums = np.vstack([np.zeros(costs.shape[1], int), costs[order].cumsum(axis=0)])
    ends = np.flatnonzero(np.diff(ranks[order], prepend=-1, append=ranks.size))
    sums = sums[ends]
    least = sums.min(axis=1)
    for _ in range(n_parts - 1):
        before = np.minimum.accumulate(least[:, np.newaxis] - sums, axis=0)
        least = (sums + before).min(axis=1)
    return least[-1]


def check_parts(ranks, costs, depth=2, nodes=None, *, is_alone=False):
    """Compare with the best parts of a column; else there is its reverse, too."""
    nodes = 2**depth - 1 if nodes is None else nodes
    both = np.array([ranks, ranks.max() - ranks])
    columns = both[:1] if is_alone else both
    data = Ranked(columns, costs, np.ones(ranks.size, dtype=int))
    check_cost(data, depth, nodes, least_by_parts(ranks, costs, nodes + 1))


def noisy(labels, share, n_labels, seed=0):
    rng = np.random.default_rng(seed)
    is_noise = rng.random(labels.size) < share
    return np.where(is_noise, rng.integers(0, n_labels, labels.size), labels)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("nodes", [2, 3])
def test_more_thresholds_than_codes_need_several_windows(seed, nodes):
    noise = noisy(np.zeros(3000, dtype=int), 1.0, 2, seed)
    check_parts(np.arange(3000), errors_of(noise, 2), nodes=nodes)
    parts = noisy(np.arange(3000) * 7 // 3000 % 2, 0.8, 2, seed)
    check_parts(np.arange(3000), errors_of(parts, 2), nodes=nodes)


@pytest.mark.parametrize("seed", range(3))
def test_more_intervals_than_a_window_has_room_for_stay_open(seed):
    # Every threshold is nearly as good as any other, except at the end.
    n_rows = 20_000
    rows = np.arange(n_rows)
    labels = np.where(rows > n_rows - 300, noisy(rows % 2, 0.5, 2, seed), rows % 2)
    check_parts(rows, errors_of(labels, 2), is_alone=True)


# --- more depth -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("columns", "labels", "nodes", "expected"),
    [
        (["0000001100000", "1011011110011", "0111112333445"], "1011011010101", 7, 0),
        (
            ["000000110101", "101001101101", "001111222344", "011000010111"],
            "011000100100",
            4,
            0,
        ),
    ],
)
def test_columns_that_are_constant_in_one_subset_and_not_in_another(
    columns, labels, nodes, expected
):
    # The first column is constant in the first rows of the only long one. There it has
    # no position, so nothing but the cap bounds its trees; on more rows it is needed.
    assert check(table_of(columns, labels), 3, nodes) == expected


@pytest.mark.parametrize(
    ("columns", "labels"),
    [
        (["00001110001", "00001111122", "11000010111", "01010100001"], "11000100100"),
        (
            ["000000110101", "101001101101", "001111222344", "011000010111"],
            "011000100100",
        ),
    ],
)
def test_a_root_with_an_empty_side_costs_one_test_more(columns, labels):
    data = table_of(columns, labels)
    assert check(data, 3, price_of_error=2, price_of_node=1) == 4


@pytest.mark.parametrize(
    ("columns", "labels", "nodes"),
    [
        (["011"], "011", 3),
        (["01111234567"], "10000101011", 7),
        (["011123345", "100100111"], "111010101", 7),
        (["012234567"], "101110101", 7),
    ],
)
def test_a_side_that_reaches_its_target_has_no_larger_bound(columns, labels, nodes):
    assert check(table_of(columns, labels), 3, nodes) == 0


def test_targets_leave_room_for_the_side_behind_the_position():
    costs = [
        [2, 4, 4, 6],
        [8, 0, 4, 2],
        [8, 0, 4, 2],
        [4, 0, 2, 1],
        [1, 2, 2, 3],
        [2, 4, 4, 6],
        [2, 4, 4, 6],
    ]
    assert check(table_of(["0001112"], costs=costs), 3, price_of_node=1) == 13


@pytest.mark.parametrize(
    ("columns", "labels", "depth", "nodes"),
    [(["01"], "01", 2, 3), (["001", "100"], "101", 2, 2)],
)
def test_nodes_are_shared_in_every_way(columns, labels, depth, nodes):
    # And more nodes than rows need not be.
    assert check(table_of(columns, labels), depth, nodes) == 0


@pytest.mark.parametrize(
    ("columns", "labels", "expected"),
    [
        (["012334445", "101000101", "010010010"], "100010111", 8),
        (["10101110101", "01111233445", "01100011001"], "11100010100", 10),
    ],
)
def test_the_root_is_one_node_more_than_can_pay_off(columns, labels, expected):
    # Bounds of a chain are for trees that test it, even if a leaf would be better.
    data = table_of(columns, labels)
    assert check(data, 3, price_of_error=3, price_of_node=2) == expected


@pytest.mark.parametrize("limit", [0.0, 0.01, 0.1])
def test_a_stopped_search_has_a_bound_over_all_thresholds(limit):
    rows, noise = np.arange(8000), noisy(np.zeros(8000, dtype=int), 1.0, 2)
    costs = errors_of(noise, 2)
    data = Ranked(rows[np.newaxis], costs, np.ones(rows.size, dtype=int))
    (answer,) = data.solve(4, time_limit=limit)
    best = least_by_parts(rows, costs, 16)
    assert answer["lower_bound"] <= best <= data.check_tree(answer)


def test_a_stopped_search_keeps_the_interval_that_it_was_in():
    # Without a first tree and with weights the best tree is often in that interval:
    # the bound of the others is above its cost.
    n_calls = 0
    for seed in range(20):
        rng = np.random.default_rng(seed)
        n_rows = int(rng.integers(2000, 4000))
        rows = np.arange(n_rows)
        parts = rows * int(rng.integers(3, 12)) // n_rows % 2
        weights = rng.integers(1, 1000, (n_rows, 1))
        costs = errors_of(noisy(parts, 0.7, 2, seed), 2) * weights
        data = Ranked(rows[np.newaxis], costs, np.ones(n_rows, dtype=int))
        stop = Stop(1)
        (answer,) = data.solve(4, stop=stop)
        best = least_by_parts(rows, costs, 16)
        assert answer["lower_bound"] <= best <= data.check_tree(answer), seed
        n_calls += len(stop.seen)
    assert n_calls >= 10


# --- kernels --------------------------------------------------------------------------


@pytest.mark.parametrize("times", [1, 2**30])
@pytest.mark.parametrize("n_labels", [2, 3])
@pytest.mark.parametrize("n_rows", [128, 1024])
def test_no_threshold_divides_equal_values_at_the_end_of_a_lane(
    n_labels, n_rows, times
):
    # The labels change in the middle of equal values, where lanes and words end.
    rows = np.arange(n_rows)
    ranks = np.searchsorted([n_rows // 4, 3 * n_rows // 4], rows, side="right")
    costs = times * errors_of((rows >= n_rows // 2).astype(int), n_labels)
    for depth in (1, 2):
        check_parts(ranks, costs, depth)


@pytest.mark.parametrize("times", [1, 2**30])
@pytest.mark.parametrize("n_labels", [2, 3])
def test_ties_that_are_longer_than_a_step(n_labels, times):
    rows = np.arange(2000)
    labels = noisy(rows * 5 // 2000 % n_labels, 0.6, n_labels)
    check_parts(rows // 7, times * errors_of(labels, n_labels))


@pytest.mark.parametrize("depth", [1, 2])
def test_sums_of_signs_that_do_not_fit_into_a_byte(depth):
    # A lane of 64 has 547 rows, most of which are of the same class.
    rows = np.arange(35_000)
    labels = noisy((rows > 16_000).astype(int), 0.1, 2)
    check_parts(rows, errors_of(labels, 2), depth)
    check_parts(rows, errors_of(1 - labels, 2), depth)


@pytest.mark.parametrize("depth", [1, 2])
@pytest.mark.parametrize("n_labels", [2, 5])
def test_more_than_65535_rows_and_distinct_values(n_labels, depth):
    rows = np.arange(70_000)
    labels = (rows > 40_000).astype(int) * (n_labels > 2) + (rows > 66_000)
    labels = noisy(labels, 0.1, n_labels)
    check_parts(rows, errors_of(labels, n_labels), depth)


@pytest.mark.parametrize("n_rows", [40, 300])
@pytest.mark.parametrize("n_labels", [3, 4, 6])
@pytest.mark.parametrize("seed", range(3))
def test_words_of_classes_are_left_out_by_a_valid_bound(n_rows, n_labels, seed):
    labels = noisy(np.arange(n_rows) * n_labels // n_rows, 0.5, n_labels, seed)
    for depth in (1, 2):
        check_parts(np.arange(n_rows), errors_of(labels, n_labels), depth)
