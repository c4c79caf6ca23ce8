"""Conversion of real numbers to integers, and accurate sums."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murtree._input.fixed_point import (
    as_written,
    common_unit,
    finest_shift,
    sums_by,
    whole_numbers,
)


@pytest.mark.parametrize(
    ("values", "numbers", "unit"),
    [
        ([0.5, 1.0, 1.5, 0.0], [1, 2, 3, 0], Fraction(1, 2)),
        ([0.1, 0.2, 0.3], [1, 2, 3], Fraction(1, 10)),
        ([6, 9, 3], [2, 3, 1], Fraction(3)),
        ([math.pi, math.pi], [1, 1], Fraction(math.pi)),
        ([1 / 3, 2 / 3, 1.0], [1, 2, 3], Fraction(1 / 3)),
        ([5e-324, 1e-323], [1, 2], Fraction(5e-324)),
        ([569 / 424, 569 / 714], [357, 212], Fraction(569 / 714) / 212),
        ([1e-6, 1.0], [1, 10**6], Fraction(1, 10**6)),
    ],
)
def test_a_common_unit_is_found(values, numbers, unit):
    found = whole_numbers(np.array(values), 2**34)
    assert found.numbers.tolist() == numbers
    assert found.unit == unit


@pytest.mark.parametrize(
    "values", [[1.0, math.pi], [1e-12, 1.0], [0.1234567, 1.0], [1e300, 1.0]]
)
def test_no_common_unit_within_the_limit(values):
    assert whole_numbers(np.array(values), 2**20) is None


@given(
    st.lists(st.integers(0, 10_000), min_size=1, max_size=8).filter(any),
    st.integers(1, 1_000),
)
def test_multiples_of_a_fraction_are_found(multiples, parts):
    values = [multiple / parts for multiple in multiples]
    found = whole_numbers(np.array(values), 2**53 - 1)
    divisor = math.gcd(*multiples)
    assert found.numbers.tolist() == [multiple // divisor for multiple in multiples]
    for value, number in zip(values, found.numbers.tolist(), strict=True):
        assert abs(number * found.unit - Fraction(value)) <= Fraction(value) / 2**50


@given(st.lists(st.floats(1e-300, 1e300), min_size=1), st.integers(10, 50))
def test_the_finest_shift_fits(values, bits):
    shift = finest_shift(np.array(values), 2**bits)
    total = sum(map(Fraction, values)) * Fraction(2) ** shift
    assert 2 ** (bits - 2) <= total <= 2**bits


@given(
    st.lists(
        st.tuples(st.integers(0, 3), st.floats(-1e12, 1e12)), min_size=1, max_size=40
    )
)
def test_sums_are_exact_to_the_last_bit(pairs):
    groups, values = map(np.array, zip(*pairs, strict=True))
    sums = sums_by(groups, values, 4)
    largest = max(abs(Fraction(value)) for _, value in pairs)
    for group in range(4):
        exact = sum(Fraction(value) for own, value in pairs if own == group)
        error = abs(Fraction(sums[group]) - exact)
        assert error <= max(abs(exact) / 2**52, largest / 2**98, Fraction(5e-324))


def test_decimals_are_interpreted_as_written():
    assert as_written(0.1) == Fraction(1, 10)
    assert common_unit([Fraction(1, 6), Fraction(0), Fraction(1, 4)]) == Fraction(1, 12)
    assert common_unit([Fraction(0)]) == 1
