"""A threshold between two neighbouring values of a column: the shortest decimal there.

A row goes left where its value is at most the threshold, so a threshold t between the
values low and high has low <= t < high. It is always finite. All that does so tells the
same rows apart, so the one that is shortest to write is taken: what a tree prints is
then exactly what it tests.
"""

from fractions import Fraction

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]

_LARGEST = float(np.finfo(np.float64).max)
# Between a number and an infinite one. It is finite in float32 too, for exports.
_FAR = 1e38
_MOST_DIGITS = 17  # that a float64 needs
# Powers of ten that float64 holds exactly: a product or quotient with one is rounded
# once, so it is the float nearest to the decimal.
_POWERS = 10.0 ** np.arange(23)
_LEAST, _MOST = 1e-10, 1e15  # magnitudes for which these powers suffice
_NARROW = 1e-12  # gap by magnitude: closer values need nearly all digits
_CLOSE = 1e-14  # relative: what rounding may change
_EXACT = 2.0**50  # whole numbers and halves up to here are added without rounding


def between(low: Floats, high: Floats) -> Floats:
    """Return a threshold between each number in `low` and the greater one in `high`.

    Among the floats in the middle half of the gap the one whose decimal has the fewest
    significant digits (0 has none, 250 has two); of several the nearest to the middle,
    and of two as near the lower. Where the middle half holds no float, the lower value.
    Beside an infinite value as `midpoints`.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.between import between
    >>> between(np.array([1.0, 40.75211, -3.0]), np.array([2.0, 40.75224, 2.0]))
    array([ 1.5   , 40.7522,  0.    ])
    """
    is_finite = np.isfinite(low) & np.isfinite(high)
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
    for place in np.flatnonzero(np.isnan(found)).tolist():
        found[place] = _exactly_between(float(low[place]), float(high[place]))
    return found


def midpoints(low: Floats, high: Floats) -> Floats:
    """Return a finite threshold between each number in `low` and that in `high`.

    The middle, or the lower number where the two are too close for a middle. Between
    a number and an infinite one a number far out, so that all usual numbers are on the
    number's side. No finite threshold has the lowest float above it and -inf below;
    see `distinguishable`.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.between import midpoints
    >>> midpoints(np.array([1.0, 5.0, -np.inf]), np.array([2.0, np.inf, 5.0]))
    array([ 1.5e+00,  1.0e+38, -1.0e+38])
    """
    bottom, top = np.maximum(low, -_LARGEST), np.minimum(high, _LARGEST)
    middle = bottom / 2 + top / 2  # halves cannot overflow
    is_finite = np.isfinite(low) & np.isfinite(high)
    middle = np.where(is_finite, middle, np.clip(middle, -_FAR, _FAR))
    # A middle that rounds up onto `high` would send it left.
    return np.where((bottom <= middle) & (middle < high), middle, bottom)


def distinguishable(values: Floats) -> Floats:
    """Return values, the lowest float as -inf where both are there.

    No finite threshold separates the two.
    """
    if np.isneginf(values).any():
        return np.where(values == -_LARGEST, -np.inf, values)
    return values


def _rounded(
    low: Floats, high: Floats, n_digits: int
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return the best decimals of so many digits, NaN where there is none.

    Also whether that is clear in spite of rounding; where it is not the answer is NaN.
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

    Also whether that is clear in spite of rounding.
    """
    below, above = number - low, high - number
    with np.errstate(over="ignore"):  # what is infinite is greater indeed
        before, behind = 3 * below - above, 3 * above - below
        room = _CLOSE * np.maximum(np.abs(below), np.abs(above))
    is_clear = (np.abs(before) > room) & (np.abs(behind) > room)
    return (before >= 0) & (behind >= 0), is_clear


def _is_exact(numbers: Floats) -> npt.NDArray[np.bool_]:
    """Whether numbers are whole or halves, and sums of them exact."""
    is_half = 2 * numbers == np.floor(2 * numbers)
    return np.asarray(is_half & (np.abs(numbers) < _EXACT))


def _exactly_between(low: float, high: float) -> float:
    """Return what `between` does, in whole numbers of any size.

    All numbers are numerators over a common denominator, four times that of the values
    so that quarters are whole.
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
            continue  # too far, also after rounding to a float
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
    """Return the exponent of the greatest power of ten up to a positive ratio."""
    power = len(str(numerator)) - len(str(denominator))
    up, down = 10 ** max(-power, 0), 10 ** max(power, 0)
    return power if numerator * up >= denominator * down else power - 1
