"""Thresholds of a column are finite, increasing and separate values."""

import datetime
import math
import time

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from murtree._table.thresholds.halving import halving_order
from murtree._table.thresholds.numeric import (
    checked,
    every,
    forest_guess,
    quantile,
    readable_moment,
    readable_span,
    uniform,
)

LARGEST = np.finfo(float).max
fast = settings(max_examples=150, deadline=None, derandomize=True)
numbers = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(allow_nan=False),
    st.sampled_from([0.1, np.nextafter(0.1, 1), 5e-324, -0.0, LARGEST, -LARGEST]),
)
columns = st.lists(numbers, max_size=30).map(np.array)
counts = st.integers(1, 9)


def assert_sound(thresholds, values):
    """Assert that thresholds are finite and that no two split the values equally."""
    assert thresholds.dtype == np.float64
    assert np.isfinite(thresholds).all()
    below = (values[:, np.newaxis] <= thresholds).sum(axis=0)
    steps = np.diff(np.concatenate([[0], below, [len(values)]]))
    assert (steps > 0).all() or not len(thresholds)


@fast
@given(columns)
def test_every_separates_all_separable_values(values):
    thresholds = every(values)
    assert_sound(thresholds, values)
    inseparable = {-math.inf, -LARGEST} <= set(values.tolist())
    assert len(thresholds) == max(len(set(values.tolist())) - 1 - inseparable, 0)


@fast
@given(columns, counts)
def test_quantiles_separate(values, n_thresholds):
    thresholds = quantile(values, np.ones(len(values)), n_thresholds)
    assert_sound(thresholds, values)
    assert len(thresholds) == min(len(every(values)), n_thresholds)


@fast
@given(columns, counts)
def test_more_quantiles_contain_fewer(values, n_thresholds):
    ones = np.ones(len(values))
    fewer, more = (quantile(values, ones, n_thresholds + k) for k in (0, 1))
    assert set(fewer.tolist()) <= set(more.tolist())


@fast
@given(st.lists(st.integers(1, 1000), min_size=1, max_size=60))
def test_the_order_of_halves_has_all_boundaries_once(weights):
    order = halving_order(np.array(weights, dtype=float), len(weights))
    assert sorted(order.tolist()) == list(range(len(weights) - 1))


def test_the_order_of_halves_by_example():
    assert halving_order(np.ones(16), 7).tolist() == [7, 3, 11, 1, 9, 5, 13]
    assert halving_order(np.array([1.0, 5.0]), 3).tolist() == [0]
    assert halving_order(np.array([4.0]), 3).tolist() == []
    # By weight, then by index if quantiles share a boundary.
    assert halving_order(np.array([1.0] * 8 + [40.0]), 4).tolist() == [7, 3, 1, 5]


@fast
@given(columns, counts)
def test_uniform_thresholds_separate(values, n_thresholds):
    thresholds = uniform(values, n_thresholds)
    assert_sound(thresholds, values)
    assert len(thresholds) <= n_thresholds


@fast
@given(columns, counts, st.data())
def test_weight_is_equivalent_to_copies(values, n_thresholds, draw):
    n = len(values)
    weight = np.array(
        draw.draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)), dtype=int
    )
    copies = np.repeat(values, weight)
    alike = quantile(values, weight, n_thresholds)
    ones = np.ones(len(copies))
    assert alike.tolist() == quantile(copies, ones, n_thresholds).tolist()
    assert (
        uniform(copies, n_thresholds).tolist() == uniform(values, n_thresholds).tolist()
    )


def test_quantiles_by_example():
    values, ones = np.arange(100.0), np.ones(100)
    assert quantile(values, ones, 3).tolist() == [24.5, 49.5, 74.5]
    assert quantile(values, np.where(values < 10, 90, 1), 1).tolist() == [4.5]
    mostly_zero = np.array([0.0] * 90 + list(range(1, 11)))
    assert quantile(mostly_zero, ones, 4).tolist() == [0.5, 2.5, 4.5, 7.5]


def test_uniform_by_example():
    values = np.arange(0.0, 101.0)
    assert uniform(values, 9).tolist() == [10, 20, 30, 40, 50, 60, 70, 80, 90]
    # 25 to 75 are equivalent: the one nearest to the midpoint of 10 and 100 is kept.
    assert uniform(np.array([0.0, 10.0, 100.0]), 3).tolist() == [50.0]
    assert uniform(np.array([0.0, 1.0, 100.0]), 3).tolist() == [50.0]
    assert uniform(np.array([-np.inf, 0.0, 4.0, np.inf]), 3).tolist() == [2.0]
    assert uniform(np.array([5.0, np.inf]), 3).size == 0
    assert uniform(np.array([-LARGEST, LARGEST]), 1).tolist() == [0.0]


def test_guesses_are_where_the_classes_change():
    rng = np.random.default_rng(0)
    table = rng.integers(0, 100, size=(400, 3)).astype(float)
    codes = (table[:, 0] > 30).astype(int) + (table[:, 2] > 60)
    first, second, third = forest_guess(table, codes, np.ones(400), 1, False)
    assert first.tolist() == [30.5]
    assert third.tolist() == [60.5]
    assert len(second) <= 1
    targets = 1e200 * ((table[:, 0] > 30) + 5.0 * (table[:, 2] > 60))
    guess = forest_guess(table, targets, np.ones(400), 3, is_regression=True)
    assert [t.tolist() for t in guess] == [[30.5], [], [60.5]]


def test_guesses_survive_float32_infinity_and_nan():
    moments = 1.7e9 + np.arange(40.0)  # neighbours are equal in float32
    table = np.column_stack([moments, np.repeat([-np.inf, np.inf], 20), moments])
    table[::7, 2] = np.nan
    codes = (np.arange(40) >= 13).astype(int)
    guess = forest_guess(table[:, [0]], codes, np.ones(40), 5, False)
    assert guess[0].tolist() == [1.7e9 + 12.5]
    codes = (np.arange(40) >= 20).astype(int)
    for thresholds, column in zip(
        forest_guess(table, codes, np.ones(40), 5, False), table.T, strict=True
    ):
        assert_sound(thresholds, column[~np.isnan(column)])


def test_a_missing_value_counts_as_the_median():
    # The rows without a value are those of class 1, and the median is 2.
    table = np.array([[0, 1, 2, 3, 4, np.nan, np.nan]]).T
    codes = np.array([0, 0, 1, 0, 0, 1, 1])
    guess = forest_guess(table, codes, np.ones(7), 5, False)
    assert guess[0].tolist() == [1.5, 2.5]
    weight = np.array([1, 1, 1, 9, 1, 1, 1])  # now the median is 3
    codes = np.array([0, 0, 0, 1, 0, 1, 1])
    guess = forest_guess(table, codes, weight, 5, False)
    assert guess[0].tolist() == [2.5, 3.5]


def test_nothing_to_guess():
    empty = [[], []]
    table = np.array([[1.0, 2.0], [1.0, 3.0]])
    guess = forest_guess(table, np.array([1, 1]), np.ones(2), 3, False)
    assert [t.tolist() for t in guess] == empty
    blank = np.column_stack([np.full(4, np.nan), np.ones(4)])
    guess = forest_guess(blank, np.arange(4.0), np.ones(4), 3, True)
    assert [t.tolist() for t in guess] == empty
    assert forest_guess(table[:, :0], np.array([0, 1]), np.ones(2), 3, False) == []


def test_guesses_from_weights_equal_those_from_copies():
    rng = np.random.default_rng(1)
    table = rng.normal(size=(60, 3)).round(1)
    codes = (table[:, 0] * table[:, 1] > 0.2).astype(int)
    weight = rng.integers(1, 4, size=60)
    guess = forest_guess(table, codes, weight, 4, False)
    copies = forest_guess(
        np.repeat(table, weight, axis=0),
        np.repeat(codes, weight),
        np.ones(120),
        4,
        False,
    )
    assert [t.tolist() for t in guess] == [t.tolist() for t in copies]


@pytest.mark.timing
def test_guesses_are_affordable_with_many_rows_and_classes():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(60_000, 8))
    codes = np.minimum(np.abs(table[:, 0] * 8).astype(int), 15)
    codes[:2] = 20  # a rare class, which may be omitted
    start = time.process_time()
    guess = forest_guess(table, codes, np.ones(60_000), 6, False)
    assert time.process_time() - start < 10
    assert len(guess[0]) == 6
    for thresholds, column in zip(guess, table.T, strict=True):
        assert_sound(thresholds, column)


def test_checked_thresholds():
    assert checked([18, 65.5], "age").tolist() == [18.0, 65.5]
    assert checked(np.array([], dtype=float), "age").size == 0


@pytest.mark.parametrize(
    ("thresholds", "error", "message"),
    [
        ([3.0, 1.0], ValueError, r"must be increasing\. Got \[3\.0, 1\.0\] instead"),
        ([0, 1, 1, 2], ValueError, r"must be increasing\. Got \[1\.0, 1\.0\] instead"),
        ([1.0, np.nan], ValueError, "must hold finite numbers. Got NaN or infinity"),
        ([1.0, np.inf], ValueError, "must hold finite numbers"),
        ([1, 10**400], ValueError, "must hold finite numbers"),
        (["1", "2"], TypeError, "must hold numbers"),
        ([1, [2, 3]], ValueError, "must hold numbers"),
        (4.0, ValueError, r"must be a list\. Got 4\.0 instead"),
        ([[1.0, 2.0]], ValueError, "must be a list"),
        (None, ValueError, "must hold finite numbers"),
    ],
)
def test_errors_name_the_column_of_wrong_thresholds(thresholds, error, message):
    with pytest.raises(error, match=f"The thresholds of column 'age' {message}"):
        checked(thresholds, "age")


def seconds(*parts):
    return datetime.datetime(*parts, tzinfo=datetime.UTC).timestamp()


@pytest.mark.parametrize(
    ("low", "high", "moment"),
    [
        ((2019, 3, 1), (2020, 2, 1), (2020, 1, 1)),
        ((2010, 5, 1), (2020, 5, 1), (2015, 1, 1)),  # the midpoint is in May
        ((2020, 1, 1), (2020, 2, 1), (2020, 1, 1)),  # the lower end may be taken
        ((2019, 12, 5), (2020, 1, 1), (2019, 12, 18)),  # the upper end may not
        ((2020, 2, 10), (2020, 5, 1), (2020, 4, 1)),
        ((2020, 12, 1, 5), (2021, 1, 1), (2020, 12, 17)),
        ((2020, 7, 3, 20), (2020, 7, 4, 3), (2020, 7, 4)),
        ((2020, 7, 3, 5, 10), (2020, 7, 3, 9, 30), (2020, 7, 3, 7)),
        ((2020, 7, 3, 5, 10, 7), (2020, 7, 3, 5, 12, 1), (2020, 7, 3, 5, 11)),
        ((2020, 7, 3, 5, 10, 7), (2020, 7, 3, 5, 10, 9), (2020, 7, 3, 5, 10, 8)),
        ((1899, 11, 30), (1900, 2, 2), (1900, 1, 1)),  # before 1970
        ((1, 1, 1, 3), (1, 2, 3), (1, 2, 1)),
    ],
)
def test_readable_moments(low, high, moment):
    assert readable_moment(seconds(*low), seconds(*high)) == seconds(*moment)


def test_readable_spans():
    hour, day = 3600.0, 86400.0
    assert readable_span(2.5 * day, 9.5 * day) == 6 * day
    assert readable_span(-3 * hour, 1 * hour) == 0.0
    assert readable_span(25 * hour, 28.5 * hour) == 27 * hour
    assert readable_span(61.0, 119.0) == 90.0
    assert readable_span(61.0, 121.0) == 120.0
    assert readable_span(1.25, 1.75) == 1.5


def test_no_round_moment_is_forced():
    assert readable_moment(0.25, 0.75) == 0.5
    assert readable_moment(3.0, np.inf) == 1e38
    assert readable_moment(-np.inf, 3.0) == -1e38
    day = 86400.0
    end = seconds(9999, 7, 1)  # Python has no year 10000
    assert readable_moment(end, end + 400 * day) == end + 200 * day
    far = 1e18  # beyond all calendars, and coarser than seconds
    assert readable_moment(far, np.nextafter(far, np.inf)) == far


def roundness(moment):
    """Count how many of second, minute, hour, day, month and year start here."""
    if moment != math.floor(moment):
        return 0
    date = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=moment)
    is_start = [
        True,
        date.second == 0,
        date.minute == 0,
        date.hour == 0,
        date.day == 1,
        date.month == 1,
    ]
    return [*is_start, False].index(False)


@fast
@given(
    st.floats(-5e10, 2e11),
    st.floats(1e-3, 1e9) | st.sampled_from([1.0, 60.0, 3600.0, 86400.0]),
    st.floats(0, 1),
)
def test_no_moment_between_is_rounder(low, width, share):
    high = low + width
    for readable in (readable_moment, readable_span):
        assert low <= readable(low, high) < high
    moment = readable_moment(low, high)
    for unit in (1, 60, 3600, 86400):
        other = math.floor((low + share * width) / unit) * unit
        if low <= other < high:
            assert roundness(other) <= roundness(moment)


@fast
@given(numbers, numbers)
def test_moments_separate_any_two_numbers(one, other):
    low, high = min(one, other), max(one, other)
    assume(low < high and (low, high) != (-math.inf, -LARGEST))
    for readable in (readable_moment, readable_span):
        assert low <= readable(low, high) < high
        assert math.isfinite(readable(low, high))
