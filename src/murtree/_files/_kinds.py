r"""What cells of text mean: numbers, booleans, dates, or text that stays text.

A column gets a kind that all its values have. Patterns run over a whole column at once,
its cells ended by "\0", which is as fast as reading it.
"""

import datetime
import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

MISSING = frozenset(
    ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "NaT")
)
SPACES = " \t"  # around a cell they do not count
_END = "\0"
_EXACT = 2**53  # up to here float64 tells whole numbers apart
_DIGITS = len(str(_EXACT))
_TRUTH = {"true": True, "false": False}
_POINT = r"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
_INFINITE = r"(?i:inf(?:inity)?+)"
_MANY = 10  # distinct numbers that make one word among them look like a mistake


def _whole_column(cell: str) -> re.Pattern[str]:
    """Return a pattern of any number of cells, which never goes back."""
    return re.compile(rf"(?:(?:{cell}){_END})*+", re.ASCII)


NUMBERS = _whole_column(rf"[+-]?(?:{_POINT}|{_INFINITE})")
# 01234 is the code of a place: as a number it would be another.
_COUNTED = _whole_column(rf"[+-]?(?:(?!0[0-9]){_POINT}|{_INFINITE})")
_COMMAS = _whole_column(rf"[+-]?(?!0[0-9]){_POINT}".replace(r"\.", ","))
_GROUPED = _whole_column(r"[+-]?[0-9]{1,3}+(?:\.[0-9]{3})*+(?:,[0-9]++)?+")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?+)?+"
LOCAL_TIMES = _whole_column(rf"{_DAY}(?:{_CLOCK})?+")
ZONED_TIMES = _whole_column(rf"{_DAY}{_CLOCK}(?:Z|[+-][0-9]{{2}}:?+[0-9]{{2}})")


class Inferred(NamedTuple):
    """A column with its kind: "number", "boolean", "datetime", "text" or "empty"."""

    values: Any  # a pandas array, or a NumPy one
    kind: str
    decimal: str = ""  # "." or "," where numbers have one
    odd: str | None = None  # the only sort of word among many numbers


def first_unlike(pattern: re.Pattern[str], cells: Sequence[str]) -> int | None:
    """Return the place of the first cell unlike a pattern of `_whole_column`.

    Examples
    --------
    >>> first_unlike(NUMBERS, ["1", "2.5", "many", "3"])
    2
    >>> first_unlike(NUMBERS, ["1", "2.5e3"]) is None
    True
    """
    text = _END.join(cells) + _END
    match = pattern.match(text)
    assert match is not None  # none at all would do
    return None if match.end() == len(text) else text.count(_END, 0, match.end())


def infer(cells: list[str], missing: frozenset[str], *, commas: bool) -> Inferred:
    """Return a column as what all its cells are; `commas` may be decimal ones.

    Examples
    --------
    >>> infer(["1", "NA", "3"], MISSING, commas=False).values
    <IntegerArray>
    [1, <NA>, 3]
    Length: 3, dtype: Int64
    >>> infer(["01234", "98765"], MISSING, commas=False).kind  # codes of places
    'text'
    """
    is_missing, present = parted(cells, missing)
    if not present:
        return Inferred(np.full(len(cells), None, dtype=object), "empty")
    if present[0].lower() in _TRUTH and {c.lower() for c in present} <= set(_TRUTH):
        truth = [_TRUTH[cell.lower()] for cell in present]
        return Inferred(spread(np.array(truth), is_missing), "boolean")
    found = _numbers(present, is_missing, commas) or _moments(present, is_missing)
    return found or _texts(present, is_missing)


def parted(cells: list[str], missing: frozenset[str]) -> tuple[Any, list[str]]:
    """Return which cells are missing, and the others."""
    if missing.isdisjoint(cells):  # as in most columns, and much faster
        return np.zeros(len(cells), dtype=np.bool_), cells
    is_missing = np.array([cell in missing for cell in cells], dtype=np.bool_)
    return is_missing, [cell for cell in cells if cell not in missing]


def spread(present: Any, is_missing: Any) -> Any:
    """Return values, with missing ones between them where those were left out."""
    import pandas as pd  # noqa: PLC0415

    if not is_missing.any():
        return present
    if present.dtype.kind in "bi":
        values = np.zeros(is_missing.size, dtype=present.dtype)
        values[~is_missing] = present
        nullable = pd.arrays.BooleanArray, pd.arrays.IntegerArray
        return nullable[present.dtype.kind == "i"](values, is_missing)
    places = np.where(is_missing, -1, np.cumsum(~is_missing) - 1)
    return pd.api.extensions.take(present, places, allow_fill=True)


def grouped_number(cells: Sequence[str], missing: frozenset[str]) -> str | None:
    """Return one of numbers such as 1.234,56, of which the point is no decimal."""
    present = [cell for cell in cells if cell not in missing]
    if first_unlike(_GROUPED, present) is not None:
        return None
    return next((cell for cell in present if "." in cell), None)


def moments_of(cells: list[str], *, has_zone: bool) -> Any:
    """Return ISO dates as a pandas array; ValueError where one is no day at all."""
    import pandas as pd  # noqa: PLC0415

    try:
        return pd.to_datetime(cells, format="ISO8601", utc=has_zone).array
    except pd.errors.OutOfBoundsDatetime:
        # pandas 2, and 3 where a cell has them, take nanoseconds, which end in 2262.
        zone = datetime.UTC if has_zone else None
        start = datetime.datetime(1970, 1, 1, tzinfo=zone)
        spans = [datetime.datetime.fromisoformat(cell) - start for cell in cells]
        moments = np.datetime64(0, "us") + np.array(spans, dtype="timedelta64[us]")
        return pd.DatetimeIndex(moments).tz_localize(zone).array


def _numbers(present: list[str], is_missing: Any, commas: bool) -> Inferred | None:
    decimal = "."
    if first_unlike(_COUNTED, present) is not None:
        if not commas or first_unlike(_COMMAS, present) is not None:
            return None
        present, decimal = [cell.replace(",", ".") for cell in present], ","
    text = _END.join(present)
    if not any(letter in text for letter in ".eEnN"):
        if _has_long(present):
            return None  # identifiers, which float64 would blur
        whole = np.array(list(map(int, present)), dtype=np.int64)
        return Inferred(spread(whole, is_missing), "number")
    real = np.array(list(map(float, present)))
    if np.isinf(real).all() or (abs(real).max() >= _EXACT and _has_long(present)):
        return None  # Inf may be a word
    has_sign = decimal == "," or "." in text
    return Inferred(spread(real, is_missing), "number", decimal * has_sign)


def _has_long(cells: list[str]) -> bool:
    """Whether a whole number among others has more digits than float64 keeps."""
    if max(map(len, cells)) < _DIGITS:
        return False
    long = (cell for cell in cells if len(cell) >= _DIGITS)
    whole = (cell for cell in long if cell.lstrip("+-").isdigit())
    # Python refuses to read thousands of digits.
    return any(len(cell) > 2 * _DIGITS or abs(int(cell)) > _EXACT for cell in whole)


def _moments(present: list[str], is_missing: Any) -> Inferred | None:
    for pattern, has_zone in ((LOCAL_TIMES, False), (ZONED_TIMES, True)):
        if first_unlike(pattern, present) is None:
            try:
                moments = moments_of(present, has_zone=has_zone)
            except ValueError:  # such as the 30th of February
                return None
            return Inferred(spread(moments, is_missing), "datetime")
    return None


def _texts(present: list[str], is_missing: Any) -> Inferred:
    """Return text as objects, each distinct one in memory once; None is missing."""
    shared: dict[str, str] = {}
    values = np.full(is_missing.size, None, dtype=object)
    values[~is_missing] = [shared.setdefault(cell, cell) for cell in present]
    odd = [cell for cell in shared if not NUMBERS.fullmatch(cell + _END)]
    is_odd = len(odd) == 1 and len(shared) > _MANY
    return Inferred(values, "text", odd=odd[0] if is_odd else None)
