r"""What cells of text mean: numbers, booleans, dates, or text that stays text.

A column gets a kind that all its values have. What is done for each cell is done in C:
patterns run over a whole column at once, its cells ended by "\0".
"""

import datetime
import json
import re
from collections.abc import Iterable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

MISSING = frozenset(
    ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "NaT")
)
SEPARATOR = "\0"  # between the cells of a column: no cell may contain it
SPACES = " \t"  # around a cell they do not count
_EXACT = 2**53  # up to here float64 tells whole numbers apart
_DIGITS = len(str(_EXACT))
_TRUTH = {"true": True, "false": False}
_POINT = r"(?:[0-9]++\.?+[0-9]*+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+"
_INFINITE = r"(?i:inf(?:inity)?+)"
_MANY = 10  # distinct numbers that make one word among them look like a mistake

_Floats = npt.NDArray[np.float64]
_Signed = tuple[_Floats, str]  # numbers, and how they are written


def _whole_column(cell: str) -> re.Pattern[str]:
    """Return a pattern of any number of cells, which never goes back."""
    return re.compile(rf"(?:(?:{cell}){SEPARATOR})*+", re.ASCII)


NUMBERS = _whole_column(rf"[+-]?(?:{_POINT}|{_INFINITE})")
_OF_JSON = b"0123456789+-.eE\0"  # all that stands in its numbers, and between them
_OF_NUMBERS = _OF_JSON + b"inftyINFTY"
# 01234 is the code of a place: as a number it would be another.
_CODE = re.compile(rf"{SEPARATOR}[+-]?0[0-9]")
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
    text = SEPARATOR.join(cells) + SEPARATOR
    match = pattern.match(text)
    assert match is not None  # none at all would do
    return None if match.end() == len(text) else text.count(SEPARATOR, 0, match.end())


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
    return (
        _booleans(present, is_missing)
        or _numbers(present, is_missing, commas)
        or _moments(present, is_missing)
        or _texts(present, is_missing)
    )


def infer_numbers(chunks: Iterable[str], missing: frozenset[str]) -> Inferred | None:
    r"""Return what `infer` does where all cells are numbers, or None: it must tell.

    Parameters
    ----------
    chunks : iterable of str
        The cells, some at a time, with `SEPARATOR` between them.
    missing : frozenset of str
        Words for missing values, among them the empty one.

    Examples
    --------
    >>> infer_numbers(["1\0-2", "NA\0+3"], MISSING).values
    <IntegerArray>
    [1, -2, <NA>, 3]
    Length: 4, dtype: Int64
    """
    is_word_a_number = any(numbers_of([word]) is not None for word in missing)
    parts, signs = [], set[str]()
    for chunk in chunks:
        found = None if is_word_a_number else _as_in_json(chunk)
        found = found or _with_gaps(split_cells(chunk), missing)
        if found is None:
            return None
        parts.append(found[0])
        signs.add(found[1])
    values = np.concatenate(parts)
    is_missing = np.isnan(values)
    if is_missing.all():
        return None
    return _as_numbers(values[~is_missing], signs, is_missing)


def parted(cells: list[str], missing: frozenset[str]) -> tuple[Any, list[str]]:
    """Return which cells are missing, and the others."""
    if missing.isdisjoint(cells):  # as in most columns, and much faster
        return np.zeros(len(cells), dtype=np.bool_), cells
    is_missing = np.array(list(map(missing.__contains__, cells)))
    return is_missing, [cell for cell in cells if cell not in missing]


def split_cells(chunk: str) -> list[str]:
    """Return cells that are joined, without the spaces around them."""
    cells = chunk.split(SEPARATOR)
    has_space = any(space in chunk for space in SPACES)
    return [cell.strip(SPACES) for cell in cells] if has_space else cells


def spread(present: Any, is_missing: Any) -> Any:
    """Return values, with missing ones between them where those were left out."""
    import pandas as pd

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


def numbers_of(cells: list[str]) -> _Floats | None:
    """Return cells as numbers; None unless all of them are like `NUMBERS`.

    Examples
    --------
    >>> numbers_of(["1", "2.5e3"])
    array([1.0e+00, 2.5e+03])
    >>> numbers_of(["1", "2_500"]) is None
    True
    """
    try:
        numbers = np.fromiter(map(float, cells), np.float64, len(cells))
    except ValueError:
        return None
    # float() also takes nan, 1_000, spaces, and digits of other scripts.
    is_odd = SEPARATOR.join(cells).encode().translate(None, _OF_NUMBERS)
    return None if is_odd else numbers


def moments_of(cells: list[str], *, has_zone: bool) -> Any:
    """Return ISO dates as a pandas array; ValueError where one is no day at all."""
    import pandas as pd

    try:
        return pd.to_datetime(cells, format="ISO8601", utc=has_zone).array
    except pd.errors.OutOfBoundsDatetime:
        # pandas 2, and 3 where a cell has them, take nanoseconds, which end in 2262.
        zone = datetime.UTC if has_zone else None
        start = datetime.datetime(1970, 1, 1, tzinfo=zone)
        spans = [datetime.datetime.fromisoformat(cell) - start for cell in cells]
        moments = np.datetime64(0, "us") + np.array(spans, dtype="timedelta64[us]")
        return pd.DatetimeIndex(moments).tz_localize(zone).array


def _booleans(present: list[str], is_missing: Any) -> Inferred | None:
    if present[0].lower() not in _TRUTH:
        return None
    truth = {cell: _TRUTH.get(cell.lower()) for cell in set(present)}
    if None in truth.values():
        return None
    values = np.array(list(map(truth.__getitem__, present)), dtype=np.bool_)
    return Inferred(spread(values, is_missing), "boolean")


def _numbers(present: list[str], is_missing: Any, commas: bool) -> Inferred | None:
    found = _reals(present, commas=commas)
    return found and _as_numbers(found[0], {found[1]}, is_missing)


def _as_numbers(real: _Floats, signs: set[str], is_missing: Any) -> Inferred:
    if signs == {""}:
        return Inferred(spread(real.astype(np.int64), is_missing), "number")
    decimal = "".join(signs & {".", ","})
    return Inferred(spread(real, is_missing), "number", decimal)


def _reals(present: list[str], *, commas: bool) -> _Signed | None:
    """Return numbers, and their decimal sign, or "e", or "" for whole numbers."""
    decimal = "."
    real = numbers_of(present)
    if real is None and commas and _are_all(_COMMAS, present):
        present, decimal = [cell.replace(",", ".") for cell in present], ","
        real = numbers_of(present)
    if real is None or np.isinf(real).all():  # Inf may be a word
        return None
    text = SEPARATOR + SEPARATOR.join(present)
    if _CODE.search(text) or (abs(real).max() >= _EXACT and _has_long(present)):
        return None  # identifiers, which float64 would blur
    return real, _sign_of(text).replace(".", decimal)


def _with_gaps(cells: list[str], missing: frozenset[str]) -> _Signed | None:
    """Return what `_reals` does, and NaN where a number is missing."""
    is_missing, present = parted(cells, missing)
    found = _reals(present, commas=False) if present else (np.empty(0), "")
    if found is None:
        return None
    values = np.full(len(cells), np.nan)
    values[~is_missing] = found[0]
    return values, found[1]


def _as_in_json(chunk: str) -> _Signed | None:
    """Return what `_with_gaps` does, if cells are empty or numbers that JSON has too.

    Its reader needs no cells, which saves half the time, and knows no +1, .5 and 01.
    """
    if chunk.encode().translate(None, _OF_JSON):
        return None
    text = f",{chunk.replace(SEPARATOR, ',')},"
    while ",," in text:
        text = text.replace(",,", ",NaN,")
    try:
        found = json.loads(f"[{text[1:-1]}]", parse_int=float)
    except ValueError:
        return None
    values = np.fromiter(found, np.float64, len(found))
    return None if (abs(values) >= _EXACT).any() else (values, _sign_of(chunk))


def _sign_of(text: str) -> str:
    """Return "." if there is one, else "e" of 1e5 or inf, else "": all are whole."""
    if "." in text:
        return "."
    return "e" if any(letter in text for letter in "eEnN") else ""


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
        if _are_all(pattern, present):
            try:
                moments = moments_of(present, has_zone=has_zone)
            except ValueError:  # such as the 30th of February
                return None
            return Inferred(spread(moments, is_missing), "datetime")
    return None


def _are_all(pattern: re.Pattern[str], cells: list[str]) -> bool:
    """Whether all cells are like a pattern; mostly the first one tells."""
    return all(first_unlike(pattern, some) is None for some in (cells[:1], cells))


def _texts(present: list[str], is_missing: Any) -> Inferred:
    """Return text as objects, each distinct one in memory once; None is missing."""
    shared: dict[str, str] = {}
    values = np.full(is_missing.size, None, dtype=object)
    values[~is_missing] = list(map(shared.setdefault, present, present))
    words = (cell for cell in shared if not NUMBERS.fullmatch(cell + SEPARATOR))
    odd = list(islice(words, 2))  # a second one is enough to tell
    is_odd = len(odd) == 1 and len(shared) > _MANY
    return Inferred(values, "text", odd=odd[0] if is_odd else None)
