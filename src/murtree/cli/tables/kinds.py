"""Infer the kinds of text columns: numbers, booleans, dates or text.

A column gets a kind that fits all its cells. Cells are Arrow columns in which empty
cells are null. pyarrow reads numbers; other kinds are found from the distinct cells.
"""

import datetime
import re
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree.cli.tables.error import FileError, shown

MISSING = frozenset(
    ("", "NA", "N/A", "n/a", "#N/A", "<NA>", "NaN", "nan", "null", "NULL", "NaT")
)
SPACES = " \t"  # ignored around a cell
_EXACT = 2**53  # float64 is exact for whole numbers up to here
_DIGITS = len(str(_EXACT))
_TRUTH = {"true": True, "false": False}
_FEW = 1000  # cells in which to look for one that is not missing
_MANY = 10  # with more distinct numbers, a single word looks like a mistake

# Patterns of whole cells, for Python and pyarrow.
_POINT = r"(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_NUMBER = rf"[+-]?(?:{_POINT}|(?i:inf(?:inity)?))"
_COMMA = rf"[+-]?{_POINT}".replace(r"\.", ",")
_DAY = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
_CLOCK = r"[T ][0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?"
NUMBER = re.compile(_NUMBER, re.ASCII)
LOCAL_TIME = re.compile(rf"{_DAY}(?:{_CLOCK})?")
ZONED_TIME = re.compile(rf"{_DAY}{_CLOCK}(?:Z|[+-][0-9]{{2}}:?[0-9]{{2}})")
_GROUPED = re.compile(r"[+-]?[0-9]{1,3}(?:\.[0-9]{3})*(?:,[0-9]+)?")

_Floats = npt.NDArray[np.float64]


class Inferred(NamedTuple):
    """A column with its kind: "number", "boolean", "datetime", "text" or "empty"."""

    values: Any  # a pandas array, or a NumPy one
    kind: str
    decimal: str = ""  # "." or "," if numbers have one
    odd: int | None = None  # the first row of the only word among many numbers


class Distinct(NamedTuple):
    """The distinct cells of a column, in order of appearance."""

    cells: list[str]
    codes: npt.NDArray[np.int32]  # for each row the index of its cell, or -1 if missing

    def without(self, words: frozenset[str]) -> "Distinct":
        """Return the cells with missing values instead of these words."""
        cells = [cell for cell in self.cells if cell not in words]
        if len(cells) == len(self.cells):
            return self
        is_word = [cell in words for cell in [*self.cells, next(iter(words))]]
        new = np.where(is_word, -1, np.cumsum(np.logical_not(is_word)) - 1)
        return Distinct(cells, new.astype(np.int32)[self.codes])

    def first_row(self, index: int) -> int:
        """Return the first row with this cell."""
        return int(np.argmax(self.codes == index))

    def objects(self, values: Sequence[Any]) -> npt.NDArray[Any]:
        """Return the value of the cell of each row; None if missing."""
        known = np.empty(len(self.cells) + 1, dtype=object)
        known[:-1] = values
        known[-1] = None
        return known[self.codes]


def column_of_cells(cells: Sequence[str]) -> Any:
    """Return cells as an Arrow column; empty cells are null."""
    import pyarrow as pa

    return without(pa.chunked_array([_array_of(cells)]), frozenset([""]))


def _array_of(cells: Sequence[str]) -> Any:
    """Return text as an Arrow array; `pyarrow.array` would import pandas."""
    import pyarrow as pa

    texts = [cell.encode() for cell in cells]
    ends = np.cumsum([0, *map(len, texts)], dtype=np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def trimmed(column: Any) -> Any:
    """Return cells without spaces around them; empty cells are null."""
    from pyarrow import compute

    if not any(space in text for _, text in _texts_of(column) for space in b" \t"):
        return column
    column = compute.utf8_trim(column, characters=SPACES)
    return without(column, frozenset([""]))


def without(column: Any, missing: frozenset[str]) -> Any:
    """Return a column with null instead of words for missing values."""
    import pyarrow as pa
    from pyarrow import compute

    words = _array_of(sorted(missing)).cast(column.type)
    is_missing = compute.is_in(column, value_set=words)
    if not compute.any(is_missing).as_py():
        return column
    # Unlike `if_else`, this drops the text of cells that become null.
    null = pa.nulls(1, column.type)[0]
    return compute.replace_with_mask(column, is_missing.combine_chunks(), null)


def distinct(column: Any) -> Distinct:
    """Return the distinct cells of a column that are not null."""
    import pyarrow as pa

    encoded = column.combine_chunks().dictionary_encode()
    codes = _array_with(np.int32(-1), pa.chunked_array([encoded.indices]))
    return Distinct(encoded.dictionary.to_pylist(), codes)


def _array_with(none: np.generic, column: Any) -> npt.NDArray[Any]:
    """Return a NumPy array, `none` for null; `to_numpy` would import pandas."""
    from pyarrow import compute

    values = np.concatenate(
        [
            np.frombuffer(chunk.buffers()[1], none.dtype)[chunk.offset :][: len(chunk)]
            for chunk in column.chunks
        ]
    )
    if column.null_count:
        is_null = compute.is_null(column).cast("uint8")  # Arrow stores eight in a byte
        chunks = [np.from_dlpack(chunk) for chunk in is_null.chunks]
        values[np.concatenate(chunks) == 1] = none
    return values


def infer(column: Any, missing: frozenset[str], *, commas: bool) -> Inferred:
    """Return a column with the kind of all its cells; `commas` may be decimal.

    Examples
    --------
    >>> infer(column_of_cells(["1", "NA", "3"]), MISSING, commas=False).values
    <IntegerArray>
    [1, <NA>, 3]
    Length: 3, dtype: Int64
    >>> infer(column_of_cells(["01234", "98765"]), MISSING, commas=False).kind
    'text'
    """
    first = _first_cell(column)
    if first and first not in missing and not commas and not NUMBER.fullmatch(first):
        return _words(distinct(column).without(missing))
    if not any(map(NUMBER.fullmatch, missing)):  # most columns have no such words
        found = _numbers(column, commas=False)
        if found is not None:
            return found
    column = without(column, missing)
    if column.null_count == len(column):
        return Inferred(np.full(len(column), None, dtype=object), "empty")
    return _numbers(column, commas=commas) or _words(distinct(column))


def numbers_of(column: Any) -> _Floats | None:
    """Return cells as numbers, NaN for null; None if a cell is not a `NUMBER`.

    Examples
    --------
    >>> numbers_of(column_of_cells(["1", "", "2.5e3"]))
    array([1.0e+00,     nan, 2.5e+03])
    >>> numbers_of(column_of_cells(["1", "2_500"])) is None
    True
    """
    import pyarrow as pa
    from pyarrow import compute

    if (first := _first_cell(column)) and not NUMBER.fullmatch(first):
        return None  # pyarrow would write a message for each cell
    try:
        found = compute.cast(column, pa.float64())
        numbers = _array_with(np.float64(np.nan), found)
        is_nan = np.isnan(numbers)  # pyarrow reads "nan" as a number
        return numbers if is_nan.sum() == column.null_count else None
    except pa.ArrowInvalid:
        if not _are_all(_NUMBER, column):
            return None
    # Some versions of pyarrow do not read +1 and 1e999.
    cells = column.to_pylist()
    return np.array([np.nan if cell is None else float(cell) for cell in cells])


def _first_cell(column: Any) -> str | None:
    """Return one of the first cells that is not null, if there is one."""
    first = column[:_FEW].drop_null()
    return str(first[0]) if len(first) else None


def decimal_points(column: Any) -> Any:
    """Return numbers with points instead of decimal commas."""
    from pyarrow import compute

    return compute.replace_substring(column, ",", ".")


def spread(present: Any, is_missing: Any) -> Any:
    """Return values with missing values inserted, given a mask of all rows."""
    import pandas as pd

    if not is_missing.any():
        return present
    if present.dtype.kind in "bi":
        values = np.zeros(is_missing.size, dtype=present.dtype)
        values[~is_missing] = present
        nullable = pd.arrays.BooleanArray, pd.arrays.IntegerArray
        return nullable[present.dtype.kind == "i"](values, is_missing)
    indices = np.where(is_missing, -1, np.cumsum(~is_missing) - 1)
    return pd.api.extensions.take(present, indices, allow_fill=True)


def grouped_number(column: Any, missing: frozenset[str]) -> str | None:
    """Return a number with points between thousands, if all cells are numbers."""
    cells = distinct(without(column, missing)).cells
    if not all(map(_GROUPED.fullmatch, cells)):
        return None
    return next((cell for cell in cells if "." in cell), None)


def refuse_two_decimals(found: dict[str, Inferred], source: str) -> None:
    """Refuse a file with both 1.234 and 2,5: the first may be a thousand or not."""
    by_sign = {column.decimal: name for name, column in found.items()}
    if {".", ","} <= by_sign.keys():
        raise FileError(
            f"{source} has decimal commas in column {shown(by_sign[','])} and points "
            f"in column {shown(by_sign['.'])}: write all numbers with points."
        )


def moments_of(cells: list[str], *, has_zone: bool) -> Any:
    """Return ISO dates as a pandas array; raise ValueError for an invalid date."""
    import pandas as pd

    try:
        return pd.to_datetime(cells, format="ISO8601", utc=has_zone).array
    except pd.errors.OutOfBoundsDatetime:
        # Nanoseconds, the unit of pandas 2 and sometimes of pandas 3, end in 2262.
        zone = datetime.UTC if has_zone else None
        start = datetime.datetime(1970, 1, 1, tzinfo=zone)
        spans = [datetime.datetime.fromisoformat(cell) - start for cell in cells]
        moments = np.datetime64(0, "us") + np.array(spans, dtype="timedelta64[us]")
        return pd.DatetimeIndex(moments).tz_localize(zone).array


# --- numbers --------------------------------------------------------------------------


def _numbers(column: Any, *, commas: bool) -> Inferred | None:
    decimal = "."
    real = numbers_of(column)
    if real is None and commas and _are_all(_COMMA, column):
        column, decimal = decimal_points(column), ","
        real = numbers_of(column)
    if real is None:
        return None
    is_missing = np.isnan(real)
    present = real[~is_missing] if is_missing.any() else real
    if np.isinf(present).all():  # no number, or only Inf, which may be a word
        return None
    if _has_code(column) or (abs(present).max() >= _EXACT and _has_long(column)):
        return None  # identifiers, not exact in float64
    sign = _sign_of(column).replace(".", decimal)
    if sign == "":
        return Inferred(spread(present.astype(np.int64), is_missing), "number")
    return Inferred(real, "number", decimal=sign.replace("e", ""))


def _texts_of(column: Any) -> Iterator[tuple[npt.NDArray[np.int32], bytes]]:
    """Yield the offsets of the cells of each chunk, and the text of the chunk."""
    for chunk in column.chunks:
        _, ends, text = chunk.buffers()
        if text is None:  # all cells are null
            continue
        stop = chunk.offset + len(chunk) + 1
        offsets = np.frombuffer(ends, dtype=np.int32)[chunk.offset : stop]
        start = int(offsets[0])
        yield offsets - start, text[start : int(offsets[-1])].to_pybytes()


def _has_code(column: Any) -> bool:
    """Return whether a number has leading zeros, as a postal code 01234."""
    for offsets, text in _texts_of(column):
        chars = np.frombuffer(text + b"\0", dtype=np.uint8)
        begin, end = offsets[:-1], offsets[1:]
        if b"-" in text or b"+" in text:
            first = chars[begin]
            begin = begin + ((first == ord("+")) | (first == ord("-")))
        rows = np.flatnonzero(chars[begin] == ord("0"))
        second = begin[rows] + 1
        second = second[second < end[rows]]
        if (
            chars[second] - ord("0") <= 9
        ).any():  # unsigned: other characters are larger
            return True
    return False


def _sign_of(column: Any) -> str:
    """Return "." if a number has one, else "e" for 1e5 or inf, else ""."""
    texts = [text for _, text in _texts_of(column)]
    if any(b"." in text for text in texts):
        return "."
    return "e" if any(sign in text for text in texts for sign in b"eEnN") else ""


def _has_long(column: Any) -> bool:
    """Return whether a whole number is too long for float64."""
    from pyarrow import compute

    length = compute.binary_length(column)
    long = column.filter(compute.greater_equal(length, _DIGITS)).to_pylist()
    whole = [cell for cell in long if cell.lstrip("+-").isdigit()]
    # Python refuses to read thousands of digits.
    return any(len(cell) > 2 * _DIGITS or abs(int(cell)) > _EXACT for cell in whole)


def _are_all(pattern: str, column: Any) -> bool:
    """Return whether all cells match a pattern; try the first one before."""
    from pyarrow import compute

    def are_like(some: Any) -> bool:
        is_like = compute.match_substring_regex(some, rf"\A(?:{pattern})\z")
        return bool(compute.all(is_like).as_py())

    present = column.drop_null()
    return are_like(present[:1]) and are_like(present)


# --- words ----------------------------------------------------------------------------


def _words(column: Distinct) -> Inferred:
    return _booleans(column) or _moments(column) or _texts(column)


def _booleans(column: Distinct) -> Inferred | None:
    truth = [_TRUTH.get(cell.lower()) for cell in column.cells[:1]]
    if None in truth:
        return None
    truth = [_TRUTH.get(cell.lower()) for cell in column.cells]
    if None in truth:
        return None
    is_missing = column.codes < 0
    values = np.array(truth, dtype=np.bool_)[column.codes[~is_missing]]
    return Inferred(spread(values, is_missing), "boolean")


def _moments(column: Distinct) -> Inferred | None:
    import pandas as pd

    for pattern, has_zone in ((LOCAL_TIME, False), (ZONED_TIME, True)):
        if all(map(pattern.fullmatch, column.cells)):
            try:
                moments = moments_of(column.cells, has_zone=has_zone)
            except ValueError:  # such as the 30th of February
                return None
            take = pd.api.extensions.take
            return Inferred(take(moments, column.codes, allow_fill=True), "datetime")
    return None


def _texts(column: Distinct) -> Inferred:
    """Return text as objects; equal cells share one object; None is missing."""
    cells = enumerate(column.cells)
    words = (index for index, cell in cells if not NUMBER.fullmatch(cell))
    odd = list(islice(words, 2))  # no more are needed
    is_odd = len(odd) == 1 and len(column.cells) > _MANY
    row = column.first_row(odd[0]) if is_odd else None
    return Inferred(column.objects(column.cells), "text", odd=row)
