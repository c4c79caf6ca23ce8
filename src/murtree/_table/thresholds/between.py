"""The shortest decimal threshold between two neighbouring values of a column.

A row goes left if its value is at most the threshold, so a threshold t between the
values low and high satisfies low <= t < high. It is always finite. All such thresholds
split the rows in the same way; the shortest decimal makes printed trees exact.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LARGEST = float(np.finfo(np.float64).max)
# Threshold next to an infinite value. It is finite in float32 too, for exports.
_FAR = 1e38
_MOST_DIGITS = 17  # sufficient for any float64
# Powers of ten that are exact in float64: a product or quotient with one is rounded
# only once, so it is the float nearest to the decimal.
_POWERS = 10.0 ** np.arange(23)
_LEAST, _MOST = 1e-10, 1e15  # magnitudes for which these powers suffice
_NARROW = 1e-12  # relative gap: closer values need nearly all digits
_CLOSE = 1e-14  # relative rounding error
_FEW = 16  # gaps for which Python integers are faster than arrays
_EXACT = 2.0**50  # sums of integers and halves are exact up to here


def between(low: Floats, high: Floats) -> Floats:
    """Return a threshold between each number in `low` and the greater one in `high`.

    It is the float in the middle half of the gap whose decimal has the fewest
    significant digits (0 has none, 250 has two). Ties go to the one nearest to the
    middle, then to the lower one. If the middle half contains no float, it is the lower
    value. Next to an infinite value it is that of `midpoints`.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.between import between
    >>> between(np.array([1.0, 40.75211, -3.0]), np.array([2.0, 40.75224, 2.0]))
    array([ 1.5   , 40.7522,  0.    ])
    """
    is_finite = np.isfinite(low) & np.isfinite(high)
    if low.size <= _FEW and is_finite.all():
        return np.array(list(map(_exactly_between, low.tolist(), high.tolist())))
    found = np.where(is_finite, np.nan, midpoints(low, high))
    low, high = np.where(is_finite, low, 0.0), np.where(is_finite, high, 0.0)
    has_zero, is_clear = _is_in_middle_half(np.zeros_like(low), low, high)
    found[np.isnan(found) & has_zero & is_clear] = 0.0
    size = np.maximum(np.abs(low), np.abs(high))
    is_usual = is_clear & (size < _MOST) & (np.abs(low / 2 + high / 2) > _LEAST)
    is_usual &= high / 2 - low / 2 > _NARROW * size
    rest = np.flatnonzero(np.isnan(found) & is_usual)
    for n_digits in range(1, _MOST_DIGITS - 2):
        if not rest.size:
            break
        some, is_clear = _rounded(low[rest], high[rest], n_digits)
        found[rest] = some
        rest = rest[np.isnan(some) & is_clear]
    for index in np.flatnonzero(np.isnan(found)).tolist():
        found[index] = _exactly_between(float(low[index]), float(high[index]))
    return found


def midpoints(low: Floats, high: Floats) -> Floats:
    """Return a finite threshold between each number in `low` and that in `high`.

    It is the midpoint, or the lower number if there is no float between the two. Next
    to an infinite value it is a number of large magnitude. No finite threshold
    separates the lowest float from -inf; see `distinguishable`.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.between import midpoints
    >>> midpoints(np.array([1.0, 5.0, -np.inf]), np.array([2.0, np.inf, 5.0]))
    array([ 1.5e+00,  1.0e+38, -1.0e+38])
    """
    bottom, top = np.maximum(low, -_LARGEST), np.minimum(high, _LARGEST)
    middle = bottom / 2 + top / 2  # no overflow, unlike a sum
    is_finite = np.isfinite(low) & np.isfinite(high)
    middle = np.where(is_finite, middle, np.clip(middle, -_FAR, _FAR))
    # A midpoint that is rounded up to `high` would send it left.
    return np.where((bottom <= middle) & (middle < high), middle, bottom)


def distinguishable(values: Floats) -> Floats:
    """Return values with the lowest float replaced by -inf if both occur.

    No finite threshold separates the two.
    """
    if np.isneginf(values).any():
        return np.where(values == -_LARGEST, -np.inf, values)
    return values


def _rounded(
    low: Floats, high: Floats, n_digits: int
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the best decimals with `n_digits` digits, NaN where there is none.

    Also return whether the result is certain despite rounding errors; otherwise the
    decimal is NaN.
    """
    middle = low / 2 + high / 2
    size = np.abs(middle)
    power = np.floor(np.log10(size)).astype(np.int64) - (n_digits - 1)
    up, down = _POWERS[np.maximum(-power, 0)], _POWERS[np.maximum(power, 0)]
    digits = np.floor(size * up / down)
    sign = np.sign(middle)
    first, second = (sign * (digits + more) * down / up for more in (0, 1))
    lower, upper = np.minimum(first, second), np.maximum(first, second)
    lower_fits, lower_is_clear = _is_in_middle_half(lower, low, high)
    upper_fits, upper_is_clear = _is_in_middle_half(upper, low, high)
    to_lower, to_upper = middle - lower, upper - middle
    takes_lower = lower_fits & (~upper_fits | (to_lower <= to_upper))
    is_clear = lower_is_clear & upper_is_clear
    is_tie = np.abs(to_lower - to_upper) <= _CLOSE * size
    is_clear &= ~(lower_fits & upper_fits & is_tie)
    is_clear |= _is_exact(low) & _is_exact(high) & _is_exact(lower) & _is_exact(upper)
    found = np.where(takes_lower, lower, np.where(upper_fits, upper, np.nan))
    return np.where(is_clear, found, np.nan), is_clear


def _is_in_middle_half(
    number: Floats, low: Floats, high: Floats
) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
    """Return whether numbers are neither in the first nor in the last quarter.

    Also return whether that is certain despite rounding errors.
    """
    below, above = number - low, high - number
    with np.errstate(over="ignore"):  # infinity compares correctly
        before, behind = 3 * below - above, 3 * above - below
        room = _CLOSE * np.maximum(np.abs(below), np.abs(above))
    is_clear = (np.abs(before) > room) & (np.abs(behind) > room)
    return (before >= 0) & (behind >= 0), is_clear


def _is_exact(numbers: Floats) -> npt.NDArray[np.bool_]:
    """Return whether numbers are integers or halves whose sums are exact."""
    is_half = 2 * numbers == np.floor(2 * numbers)
    return np.asarray(is_half & (np.abs(numbers) < _EXACT))


def _exactly_between(low: float, high: float) -> float:
    """Return the threshold of `between`, computed with Python integers.

    All numbers are numerators over a common denominator, which is four times that of
    the values so that quarters are integers.
    """
    (bottom, lower_parts), (top, upper_parts) = (
        number.as_integer_ratio() for number in (low, high)
    )
    parts = max(lower_parts, upper_parts)  # powers of two
    bottom, top = bottom * (parts // lower_parts), top * (parts // upper_parts)
    whole, middle, quarter = 4 * parts, 2 * (bottom + top), top - bottom
    size = abs(middle)
    if size <= quarter:
        return 0.0
    power = _power_of_ten(size, whole)
    for n_digits in range(1, _MOST_DIGITS + 1):
        last = power - (n_digits - 1)
        up, down = 10 ** max(-last, 0), 10 ** max(last, 0)
        digits, rest = divmod(size * up, whole * down)
        if min(rest, whole * down - rest) > 2 * quarter * up:
            continue  # too far away, even after rounding to a float
        fits = []
        for more in (0, 1):
            number = min(float(f"{digits + more}e{last}"), _LARGEST)
            numerator, denominator = number.as_integer_ratio()
            distance = abs(numerator * whole - size * denominator)
            if distance <= quarter * denominator:
                number = number if middle > 0 else -number
                fits.append((Fraction(distance, denominator), number))
        if fits:
            return min(fits)[1]
    return low + 0.0  # never minus zero


def _power_of_ten(numerator: int, denominator: int) -> int:
    """Return the exponent of the greatest power of ten at most a positive ratio."""
    power = len(str(numerator)) - len(str(denominator))
    up, down = 10 ** max(-power, 0), 10 ** max(power, 0)
    return power if numerator * up >= denominator * down else power - 1
