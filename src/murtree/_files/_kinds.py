r"""What cells of text mean: numbers, booleans, dates, or text that stays text.

A column gets a kind that all its values have. Patterns run over a whole column at once,
its cells ended by "\0", which is as fast as reading it.
"""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

MISSING = frozenset(
    ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "NaT")
)
_END = "\0"
_EXACT = 2**53  # up to here float64 tells whole numbers apart
_TRUTH = {"true": True, "false": False}
_POINT = r"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
_MANY = 10  # distinct numbers that make one word among them look like a mistake


def _whole_column(cell: str) -> re.Pattern[str]:
    """Return a pattern of any number of cells, which never goes back."""
    return re.compile(rf"(?:(?:{cell}){_END})*+", re.ASCII)


NUMBERS = _whole_column(rf"[+-]?(?:{_POINT}|(?i:inf(?:inity)?+))")
_COMMAS = _whole_column(rf"[+-]?{_POINT}".replace(r"\.", ","))
_GROUPED = _whole_column(r"[+-]?[0-9]{1,3}+(?:\.[0-9]{3})*+(?:,[0-9]++)?+")
_WHOLE = _whole_column(r"[+-]?[0-9]++")
_LEADING_ZERO = re.compile(rf"(?:^|{_END})[+-]?0[0-9]")
_LONG = re.compile(rf"(?<![^{_END}])[+-]?[0-9]{{16,}}(?={_END})")
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
    is_missing = np.array([cell in missing for cell in cells], dtype=np.bool_)
    present = cells
    if is_missing.any():
        present = [cell for cell in cells if cell not in missing]
    if not present:
        return Inferred(np.full(len(cells), None, dtype=object), "empty")
    if present[0].lower() in _TRUTH and {c.lower() for c in present} <= set(_TRUTH):
        truth = [_TRUTH[cell.lower()] for cell in present]
        return Inferred(spread(np.array(truth), is_missing), "boolean")
    found = _numbers(present, is_missing, commas) or _moments(present, is_missing)
    return found or _texts(present, is_missing)


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


def is_grouped(cells: Sequence[str], missing: frozenset[str]) -> bool:
    """Whether cells are numbers such as 1.234,56, of which the point is no decimal."""
    present = [cell for cell in cells if cell not in missing]
    return first_unlike(_GROUPED, present) is None and any("." in c for c in present)


def moments_of(cells: list[str], *, has_zone: bool) -> Any:
    """Return ISO dates as a pandas array; ValueError where one is no day at all."""
    import pandas as pd  # noqa: PLC0415

    return pd.to_datetime(cells, format="ISO8601", utc=has_zone).array


def _numbers(present: list[str], is_missing: Any, commas: bool) -> Inferred | None:
    decimal = "."
    if first_unlike(NUMBERS, present) is not None:
        if not commas or first_unlike(_COMMAS, present) is not None:
            return None
        present, decimal = [cell.replace(",", ".") for cell in present], ","
    text = _END.join(present) + _END
    if _LEADING_ZERO.search(text):
        return None  # 01234 is the code of a place: as a number it would be another
    if any(abs(int(long)) > _EXACT for long in _LONG.findall(text)):
        return None  # an identifier, which float64 would blur
    if first_unlike(_WHOLE, present) is None:
        whole = np.array(list(map(int, present)), dtype=np.int64)
        return Inferred(spread(whole, is_missing), "number")
    real = np.array(list(map(float, present)))
    if np.isinf(real).all():
        return None  # Inf may be a word
    has_sign = decimal == "," or "." in text
    return Inferred(spread(real, is_missing), "number", decimal * has_sign)


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
