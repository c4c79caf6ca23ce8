"""The threshold between two values: the shortest decimal in the middle half."""

import math
import time
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from murtree._table.thresholds.between import between, midpoints

LARGEST = np.finfo(float).max
LEAST = 5e-324
fast = settings(max_examples=500, deadline=None, derandomize=True)


def shortest(low, high):
    """Return the threshold by its definition, trying decimals digit by digit."""
    middle = (Fraction(low) + Fraction(high)) / 2
    quarter = (Fraction(high) - Fraction(low)) / 4

    def distance(number):
        return abs(Fraction(number) - middle)

    if distance(0) <= quarter:
        return 0.0
    for n_digits in range(1, 18):
        power = 400
        while Fraction(10) ** power > abs(middle):
            power -= 1
        unit = Fraction(10) ** (power - n_digits + 1)
        whole = math.floor(middle / unit)
        # One more below, for a midpoint that is such a decimal but not a float.
        units = [k * unit for k in (whole - 1, whole, whole + 1)]
        near = [float(number) for number in units if abs(number) <= LARGEST]
        fitting = [number for number in near if distance(number) <= quarter]
        if fitting:
            return min(fitting, key=distance)  # the lower one of two
    return low


def one_between(low, high):
    return float(between(np.array([low]), np.array([high]))[0])


@st.composite
def neighbours(draw):
    """Draw two numbers, often close together or with few digits."""
    low = draw(
        st.one_of(
            st.floats(-1e6, 1e6),
            st.floats(allow_nan=False, allow_infinity=False),
            st.integers(-3000, 3000).map(float),
            st.integers(-3000, 3000).map(lambda k: k / 100),
            st.integers(-60, 60).map(lambda k: 10.0**k),
        )
    )
    kind = draw(st.sampled_from(["steps", "short", "share", "any"]))
    if kind == "steps":
        high = low
        for _ in range(draw(st.integers(1, 40))):
            high = math.nextafter(high, math.inf)
    elif kind == "short":
        high = low + draw(st.integers(1, 400)) * 10.0 ** draw(st.integers(-4, 2))
    elif kind == "share":
        high = low + abs(low) * draw(st.floats(1e-16, 3))
    else:
        high = draw(st.floats(allow_nan=False, allow_infinity=False))
    low, high = min(low, high), max(low, high)
    assume(low < high < math.inf)
    return low, high


@pytest.mark.slow
@fast
@given(neighbours())
@example((99.9999, 100.0003))
@example((-1.0, 3.001))
@example((0.07, 0.11))
@example((0.0, LEAST))
@example((-LEAST, LEAST))
@example((-LARGEST, LARGEST))
@example((LARGEST / 2, LARGEST))
@example((-1.4579703943470398e16, -1.4579703943470388e16))
def test_threshold_is_the_shortest_decimal(pair):
    low, high = pair
    found = one_between(low, high)
    assert low <= found < high
    assert found == shortest(low, high)
    assert math.copysign(1, found) == 1 or found < 0  # no negative zero


@pytest.mark.slow
@fast
@given(st.lists(neighbours(), min_size=1, max_size=20))
def test_vectorised_thresholds_equal_single_ones(pairs):
    low, high = np.array(pairs).T
    alone = [one_between(*pair) for pair in pairs]
    assert between(low, high).tolist() == alone


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (1.0, 2.0, 1.5),
        (1.0, 4.0, 2.0),  # 2 and 3 are equally near the midpoint
        (40.75211, 40.75224, 40.7522),
        (38.8, 38.9, 38.85),
        (96.0, 131.0, 110.0),  # two digits: 100 is in the first quarter
        (80.0, 131.0, 100.0),
        (-3.0, 2.0, 0.0),
        (-1.0, 10.0, 4.0),  # 0 is in the first quarter
        (0.1, np.nextafter(0.1, 1), 0.1),
        (2e-320, 4e-320, 3e-320),
        (-LARGEST, LARGEST, 0.0),
        (LARGEST / 2, LARGEST, 1.3e308),
        (7.0, np.inf, 1e38),
        (-np.inf, 7.0, -1e38),
        (-np.inf, np.inf, 0.0),
    ],
)
def test_thresholds_by_example(low, high, threshold):
    assert one_between(low, high) == threshold


@fast
@given(neighbours())
def test_threshold_survives_printing(pair):
    digits = Decimal(repr(one_between(*pair))).normalize().as_tuple().digits
    middle = Decimal(repr(midpoints(*np.array([pair]).T).item()))
    assert len(digits) <= len(middle.normalize().as_tuple().digits)


@pytest.mark.parametrize(
    ("low", "high", "threshold"),
    [
        (1.0, 2.0, 1.5),
        (0.1, np.nextafter(0.1, 1), 0.1),
        (-LARGEST, LARGEST, 0.0),
        (LARGEST / 2, LARGEST, LARGEST * 0.75),
        (-np.inf, np.inf, 0.0),
        (7.0, np.inf, 1e38),
        (-np.inf, 7.0, -1e38),
        (1e300, np.inf, 1e300),
        (LARGEST, np.inf, LARGEST),
        (-np.inf, -1e300, -LARGEST),
    ],
)
def test_midpoints(low, high, threshold):
    assert midpoints(np.array([low]), np.array([high])).tolist() == [threshold]


@pytest.mark.timing
def test_many_thresholds_are_fast():
    values = np.unique(np.random.default_rng(0).normal(size=100_000))
    start = time.process_time()
    found = between(values[:-1], values[1:])
    assert time.process_time() - start < 0.3
    assert ((values[:-1] <= found) & (found < values[1:])).all()
