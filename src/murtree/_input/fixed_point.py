"""Conversion of real numbers to integers for the core, and accurate sums.

Multiples of a common unit are exact: numbers with up to six decimals, or a few distinct
numbers with simple ratios, such as the weights of balanced classes. Other numbers are
rounded to multiples of a power of two that uses nearly all bits of the core.
"""

import math
from collections.abc import Iterable
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MAX_EXACT = 2**53 - 1  # sums up to here are exact in float64
FINE_DECIMALS = 12  # allowed where the limit is large

_MOST_DECIMALS = 6
_MOST_RATIOS = 64
_LARGEST_DENOMINATOR = 10_000
_RATIO_TOLERANCE = Fraction(1, 2**51)


class FixedPoint(NamedTuple):
    """Real numbers as integer multiples: `numbers` times `unit`."""

    numbers: npt.NDArray[np.int64]
    unit: Fraction
    is_exact: bool = True


def whole_numbers(
    values: npt.NDArray[np.generic], limit: int, most_decimals: int = _MOST_DECIMALS
) -> FixedPoint | None:
    """Return non-negative numbers as multiples of their greatest common unit.

    Equal numbers become ones. Returns None if there is no common unit or if the sum of
    the multiples exceeds `limit`.
    """
    found = by_decimals(values, limit, most_decimals) or _by_ratios(values, limit)
    if found is None:
        return None
    divisor = max(int(np.gcd.reduce(found.numbers)), 1)
    return FixedPoint(found.numbers // divisor, found.unit * divisor, found.is_exact)


def by_decimals(
    values: npt.NDArray[np.generic], limit: int, most_decimals: int
) -> FixedPoint | None:
    """Return numbers as multiples of a power of ten, from their decimal notation.

    Returns None if a number has more than `most_decimals` decimals or if the sum of the
    multiples exceeds `limit`.
    """
    if values.dtype.kind in "biu":
        numbers = values.astype(np.int64)
        return FixedPoint(numbers, Fraction(1)) if numbers.sum() <= limit else None
    reals = values.astype(np.float64)
    for decimals in range(most_decimals + 1):
        power = 10.0**decimals
        rounded = np.rint(reals * power)
        if rounded.sum() > limit:
            return None
        if np.array_equal(rounded / power, reals):
            return FixedPoint(rounded.astype(np.int64), Fraction(1, 10**decimals))
    return None


def finest_shift(values: npt.NDArray[np.float64], limit: int) -> int:
    """Return the most fractional bits with which the sum of values fits a limit."""
    _, exponent = math.frexp(math.fsum(values))
    return limit.bit_length() - 1 - exponent


def times_unit(counts: npt.NDArray[np.int64], unit: Fraction) -> npt.NDArray[Any]:
    """Return `counts` times `unit`: integers if the unit is an integer."""
    if unit.denominator == 1:
        return counts * int(unit)
    if unit.numerator < 2**20 and unit.denominator < 2**53:
        return counts * unit.numerator / unit.denominator
    return counts * float(unit)


def weight_of(count: int, unit: Fraction) -> float:
    """Return `count` times `unit`: an int if the unit is an integer."""
    weight = count * unit
    return int(weight) if unit.denominator == 1 else float(weight)


def rounded(values: npt.NDArray[np.generic], limit: int) -> FixedPoint:
    """Return non-negative numbers as integers: exact if possible, else rounded."""
    whole = whole_numbers(values, limit, FINE_DECIMALS)
    if whole is not None:
        return whole
    reals = values.astype(np.float64)
    shift = finest_shift(reals, limit - values.size)
    numbers = np.rint(np.ldexp(reals, shift)).astype(np.int64)
    lightest = (reals > 0).astype(np.int64)
    return FixedPoint(np.maximum(numbers, lightest), Fraction(2) ** -shift, False)


def common_unit(values: Iterable[Fraction]) -> Fraction:
    """Return the greatest common divisor of fractions; 1 if all are zero."""
    present = [value for value in values if value]
    if not present:
        return Fraction(1)
    divisor = math.gcd(*[value.numerator for value in present])
    return Fraction(divisor, math.lcm(*[value.denominator for value in present]))


def as_written(value: float) -> Fraction:
    """Return the fraction of a float's decimal notation: 0.1 gives 1/10."""
    return Fraction(repr(float(value)))


def nearest_float(value: Fraction) -> float:
    """Return the nearest float; infinity if the number is too large."""
    try:
        return float(value)
    except OverflowError:
        return math.inf


def sums_by(
    groups: npt.NDArray[np.int64], values: npt.NDArray[np.generic], n_groups: int
) -> npt.NDArray[np.float64]:
    """Return the sum of the values of each group, accurate to about the last bit.

    Each value is split into a multiple of a power of two, whose sums are exact in
    float64, and a remainder whose rounding error is negligible.
    """
    numbers = values.astype(np.float64)
    largest = float(np.abs(numbers).max(initial=0.0))
    if largest == 0.0:
        return np.zeros(n_groups)
    shift = 52 - math.frexp(largest)[1] - numbers.size.bit_length()
    coarse = np.rint(np.ldexp(numbers, shift))
    rest = numbers - np.ldexp(coarse, -shift)
    exact = np.bincount(groups, weights=coarse, minlength=n_groups)
    small = np.bincount(groups, weights=rest, minlength=n_groups)
    return np.asarray(np.ldexp(exact, -shift) + small)


def _by_ratios(values: npt.NDArray[np.generic], limit: int) -> FixedPoint | None:
    distinct, inverse = np.unique(values.astype(np.float64), return_inverse=True)
    if distinct.size > _MOST_RATIOS or not distinct.any():
        return None
    smallest = Fraction(float(distinct[distinct > 0][0]))
    ratios = []
    for value in distinct.tolist():
        exact = Fraction(value) / smallest
        ratio = exact.limit_denominator(_LARGEST_DENOMINATOR)
        if abs(ratio - exact) > _RATIO_TOLERANCE * exact:
            return None
        ratios.append(ratio)
    unit = common_unit(ratios)
    multiples = [int(ratio / unit) for ratio in ratios]
    counts = np.bincount(inverse.ravel(), minlength=distinct.size).tolist()
    if sum(m * n for m, n in zip(multiples, counts, strict=True)) > limit:
        return None
    numbers = np.array(multiples, dtype=np.int64)[inverse.ravel()]
    return FixedPoint(numbers, smallest * unit, is_exact=False)
