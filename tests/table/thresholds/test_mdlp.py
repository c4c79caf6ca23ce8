"""MDLP thresholds, compared with a published program and with the definition."""

import math
import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from murtree._table.thresholds.between import between
from murtree._table.thresholds.mdlp import mdlp

fast = settings(max_examples=150, deadline=None, derandomize=True)
rows = st.lists(
    st.tuples(st.integers(0, 12), st.integers(0, 3)), min_size=1, max_size=60
)

# From EntropyMDL of Orange 3.40.0, for the columns in the order of scikit-learn's sets.
# Its rules are those of the paper. FImdlp 1.0.1 agrees on columns without ties; with
# ties it also searches for cuts between equal values and moves them afterwards. imodels
# 3.0.4 agrees here, although it uses log2(3**k) instead of log2(3**k - 2).
ORANGE_IRIS = [[5.55, 6.15], [2.95, 3.35], [2.45, 4.75], [0.8, 1.75]]
ORANGE_WINE = [
    [12.185, 12.78],
    [1.42, 2.235],
    [2.03],
    [17.9],
    [88.5],
    [1.84, 2.335],
    [0.975, 1.575, 2.31],
    [0.395],
    [1.27],
    [3.46, 7.55],
    [0.785, 0.975, 1.295],
    [2.115, 2.475],
    [468.0, 755.0, 987.5],
]
ORANGE_BREAST_CANCER = [
    [13.095, 15.045, 17.88],
    [18.635],
    [85.25, 98.755, 114.8],
    [529.8, 696.25, 883.25],
    [0.089465],
    [0.10215, 0.15525],
    [0.069225, 0.08942, 0.1192],
    [0.026805, 0.05142, 0.079005],
    [0.17155, 0.20865],
    [],
    [0.19365, 0.42025, 0.54785],
    [],
]
ORANGE_DIGITS = [
    [],
    [0.5],
    [0.5, 4.5, 10.5],
    [1.5, 3.5, 7.5, 14.5],
    [7.5, 15.5],
    [0.5, 8.5, 15.5],
    [0.5, 4.5, 11.5],
    [0.5],
    [],
    [0.5, 3.5],
    [1.5, 9.5, 13.5],
]


def cuts_of(values, codes, weight=None):
    values = np.asarray(values, dtype=float)
    weight = np.ones(len(values)) if weight is None else np.asarray(weight)
    return mdlp(values, weight, np.asarray(codes, dtype=int))


def entropy(codes):
    counts = Counter(codes).values()
    return -sum(c / len(codes) * math.log2(c / len(codes)) for c in counts)


def cuts_by_definition(values, codes):
    """Try every boundary between distinct values, as Fayyad and Irani describe it."""
    n = len(codes)
    best = None
    for cut in sorted(set(values))[1:]:
        left = [c for v, c in zip(values, codes, strict=True) if v < cut]
        right = [c for v, c in zip(values, codes, strict=True) if v >= cut]
        after = (len(left) * entropy(left) + len(right) * entropy(right)) / n
        if best is None or after < best[0] - 1e-10:
            best = after, cut, left, right
    if best is None:
        return []
    after, cut, left, right = best
    k, k_left, k_right = (len(set(part)) for part in (codes, left, right))
    delta = math.log2(3**k - 2) - (
        k * entropy(codes) - k_left * entropy(left) - k_right * entropy(right)
    )
    if entropy(codes) - after <= (math.log2(n - 1) + delta) / n + 1e-10:
        return []
    below = max(v for v in values if v < cut)
    return [
        *cuts_by_definition([v for v in values if v < cut], left),
        float(between(np.array([below * 1.0]), np.array([cut * 1.0]))[0]),
        *cuts_by_definition([v for v in values if v >= cut], right),
    ]


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (load_iris, ORANGE_IRIS),
        (load_wine, ORANGE_WINE),
        (load_breast_cancer, ORANGE_BREAST_CANCER),
        (load_digits, ORANGE_DIGITS),
    ],
)
def test_cuts_are_those_of_a_published_program(load, expected):
    X, y = load(return_X_y=True)
    for column, wanted in zip(X.T, expected, strict=False):
        # That program cuts at midpoints; our cuts are between the same values.
        values = np.unique(column)
        found, theirs = (
            np.searchsorted(values, c) for c in (cuts_of(column, y), wanted)
        )
        assert found.tolist() == theirs.tolist()


def test_by_hand_two_classes_apart():
    # A gain of 1 bit; log2(3) / 4 + (log2(7) - 2) / 4 = 0.598 bits are the cost.
    assert cuts_of([1, 2, 3, 4], [0, 0, 1, 1]).tolist() == [2.5]
    # Two rows cost (log2(1) + log2(7) - 2) / 2 = 0.404 bits.
    assert cuts_of([1, 2], [0, 1]).tolist() == [1.5]


def test_by_hand_a_gain_that_is_too_small():
    # Classes 0 1 0: the gain is 0.918 - 2/3 = 0.252, and 1/3 + (2.807 - 2 * 0.918 +
    # 2 * 1) / 3 = 1.324 is required.
    assert cuts_of([1, 2, 3], [0, 1, 0]).size == 0
    # Classes 0 1 1 1: the gain is 0.811, and (log2(3) + 2.807 - 2 * 0.811) / 4 = 0.692
    # is required.
    assert cuts_of([1, 2, 3, 4], [0, 1, 1, 1]).tolist() == [1.5]
    # Classes 0 0 0 0 1: the gain is 0.722, and (2 + 2.807 - 2 * 0.722) / 5 = 0.673 is
    # required; with log2(9) instead of log2(7) = 2.807 it would be 0.745.
    assert cuts_of(range(5), [0, 0, 0, 0, 1]).tolist() == [3.5]


def test_two_rows_of_one_class_stay_together():
    # The gain and the cost are both zero. R's program makes this cut.
    assert cuts_of([1, 2], [0, 0]).size == 0


def test_of_equal_cuts_the_lowest_is_made():
    # Cuts at 3.5 and at 5.5 both separate four rows of one class. After one of them
    # the other is rejected.
    codes = np.array([0, 0, 0, 0, 1, 0, 1, 1, 1, 1])
    assert cuts_of(range(10), codes).tolist() == [3.5]
    assert cuts_of(range(10), 1 - codes).tolist() == [3.5]
    # Mirrored with 0 and 2 exchanged this is the same. With rounding, 15.5 looks
    # better.
    codes = [0] * 6 + [1, 0, 2, 2, 1, 2, 0, 1, 0, 0, 2, 1] + [2] * 6
    assert cuts_of(range(24), codes).tolist() == [7.5]


@fast
@given(rows)
def test_equals_the_definition(data):
    values, codes = zip(*data, strict=True)
    assert cuts_of(values, codes).tolist() == cuts_by_definition(values, codes)


@fast
@given(rows, st.data())
def test_weight_is_equivalent_to_copies(data, draw):
    values, codes = map(np.array, zip(*data, strict=True))
    n = len(values)
    weight = np.array(draw.draw(st.lists(st.integers(1, 9), min_size=n, max_size=n)))
    copies = cuts_of(np.repeat(values, weight), np.repeat(codes, weight))
    assert cuts_of(values, codes, weight).tolist() == copies.tolist()
    assert cuts_of(values, codes, weight.astype(float)).tolist() == copies.tolist()


@fast
@given(rows, st.randoms(use_true_random=False), st.permutations(range(4)))
def test_order_of_rows_and_names_of_classes_do_not_matter(data, random, names):
    values, codes = zip(*data, strict=True)
    shuffled = random.sample(data, len(data))
    renamed = cuts_of([v for v, _ in shuffled], [names[c] * 3 for _, c in shuffled])
    assert renamed.tolist() == cuts_of(values, codes).tolist()


@fast
@given(rows)
def test_increasing_maps_keep_the_parts(data):
    values, codes = map(np.array, zip(*data, strict=True))
    cuts = cuts_of(values, codes)
    mapped = np.exp(values)
    parts = np.searchsorted(cuts, values)
    assert np.searchsorted(cuts_of(mapped, codes), mapped).tolist() == parts.tolist()


def test_infinite_values_are_cut_off_by_finite_thresholds():
    values = np.repeat([-np.inf, 0.0, np.inf], 20)
    assert cuts_of(values, np.repeat([0, 1, 2], 20)).tolist() == [-1e38, 1e38]
    lowest = np.finfo(float).min
    values = np.repeat([-np.inf, lowest], 20)  # no finite threshold separates these
    assert cuts_of(values, np.repeat([0, 1], 20)).size == 0


def test_degenerate_columns_get_none():
    assert cuts_of([], []).size == 0
    assert cuts_of([1.0], [0]).size == 0
    assert cuts_of([1.0, 1.0], [0, 1]).size == 0
    assert cuts_of([0.0, -0.0], [0, 1]).size == 0


def test_extreme_weights():
    assert np.isfinite(cuts_of([1, 2, 3], [0, 1, 0], [9e15, 1e-5, 1e-5])).all()
    assert cuts_of([1, 2, 3], [0, 0, 1], [1e-9, 1e-9, 1e-9]).size == 0


def test_a_thousand_classes():
    codes = np.repeat(np.arange(1000), 30)
    assert cuts_of(codes, codes).tolist() == (np.arange(999) + 0.5).tolist()


@pytest.mark.timing
def test_a_hundred_thousand_rows_are_fast():
    rng = np.random.default_rng(0)
    values = rng.normal(size=100_000)
    codes = values + rng.normal(size=100_000) > 0
    start = time.process_time()
    assert cuts_of(values, codes).size > 3
    assert time.process_time() - start < 1.0
