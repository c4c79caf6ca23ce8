"""Refusal of columns in which distinct values have the same code in float64.

The search could not tell such values apart, and its proof would not cover the
thresholds between them.
"""

import datetime
from decimal import Decimal
from fractions import Fraction
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from murtree._table.columns import Column

_EXACT = 2**53  # float64 represents integers up to here exactly
_LATE = 2.0**33  # seconds, in the year 2242: from here on float64 skips microseconds
_COARSE = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us")  # units of times
_PLAIN = (int, float, np.integer, np.float32, np.float16)  # and bool; up to _EXACT
_Pair = tuple[Any, Any]


def in_python(column: "Column") -> str:
    """Return the column of a table X as Python code.

    Examples
    --------
    >>> from murtree import Column
    >>> in_python(Column("age")), in_python(Column("x3", is_named=False))
    ("X['age']", 'X[:, 3]')
    """
    if column.is_named:
        return f"X[{column.name!r}]"
    return f"X[:, {column.name.removeprefix('x')}]"


def refuse_merged(
    column: "Column", values: npt.NDArray[Any], codes: npt.NDArray[np.float64]
) -> None:
    """Raise an error if distinct values of a column have the same code."""
    present = ~np.isnan(codes)
    if not present.all():
        values, codes = values[present], codes[present]
    if column.kind == "number":
        pair = _merged(values, codes) if _may_be_close(values, codes) else None
        if pair is not None:
            raise ValueError(_about_numbers(column, pair))
    elif column.kind in ("datetime", "duration"):
        pair = _merged(values, codes) if _may_be_fine(values, codes) else None
        if pair is not None:
            raise ValueError(_about_times(column, pair))


def _may_be_close(values: npt.NDArray[Any], codes: npt.NDArray[np.float64]) -> bool:
    """Return whether numbers may differ from each other and not as float64."""
    if values.dtype.kind == "O":
        types = set(map(type, values.tolist()))
        is_plain = all(issubclass(kind, _PLAIN) for kind in types)
        return not is_plain or _are_large(codes)
    if values.dtype.kind == "f":
        return values.dtype.itemsize > codes.dtype.itemsize
    return values.dtype.kind in "iu" and _are_large(codes)


def _are_large(codes: npt.NDArray[np.float64]) -> bool:
    return bool((np.abs(codes) >= _EXACT).any())


def is_coarse(times: npt.NDArray[Any]) -> bool:
    """Return whether the unit of times is a microsecond or longer."""
    return np.datetime_data(times.dtype)[0] in _COARSE


def _may_be_fine(values: npt.NDArray[Any], codes: npt.NDArray[np.float64]) -> bool:
    """Return whether times may be closer together than float64 seconds resolve."""
    if values.dtype.kind == "O" or (np.abs(codes) >= _LATE).any():
        return True
    if is_coarse(values):
        return False
    microseconds = values.astype(f"{values.dtype.kind}8[us]")
    return bool((microseconds != values).any())


def _merged(values: npt.NDArray[Any], codes: npt.NDArray[np.float64]) -> _Pair | None:
    """Return two distinct values with the same code, or None."""
    if values.dtype.kind == "O":
        return _merged_objects(values.tolist(), codes.tolist())
    order = np.argsort(values)
    values, codes = values[order], codes[order]
    found = (values[1:] != values[:-1]) & (codes[1:] == codes[:-1])
    if not found.any():
        return None
    first = int(found.argmax())
    return values[first], values[first + 1]


def _merged_objects(cells: list[Any], codes: list[float]) -> _Pair | None:
    seen: dict[float, Any] = {}
    for value, code in zip(cells, codes, strict=True):
        other = seen.setdefault(code, value)
        if other is not value and other != value and _are_alike(other, value):
            return other, value
    return None


def _are_alike(first: Any, second: Any) -> bool:
    """Return whether it matters that two values with one code are not equal.

    A day differs from its midnight only as an object, and 0.1 from Decimal("0.1") only
    because it is a float already.
    """
    if _is_day(first) != _is_day(second):
        return False
    is_float, is_exact = (
        any(isinstance(value, kinds) for value in (first, second))
        for kinds in ((float, np.floating), (Decimal, Fraction))
    )
    return not (is_float and is_exact)


def _is_day(value: Any) -> bool:
    is_date = isinstance(value, datetime.date)
    return is_date and not isinstance(value, datetime.datetime)


def _about_numbers(column: "Column", pair: _Pair) -> str:
    own, what, identifiers = in_python(column), "numbers", ""
    if all(isinstance(value, int | np.integer) for value in pair):
        what = "whole numbers"
        identifiers = (
            f", or, if they are identifiers, make text of them: {own}.astype(str)"
        )
    return (
        f"Column {column.name!r} must hold {what} that are distinct as float64. Got "
        f"{pair[0]!s} and {pair[1]!s}, which are not: subtract the minimum, as in "
        f"{own} - {own}.min(){identifiers}."
    )


def _about_times(column: "Column", pair: _Pair) -> str:
    own = in_python(column)
    return (
        f"Column {column.name!r} must hold {column.kind}s that are distinct in "
        "microseconds, and as seconds in float64, which resolves them until the year "
        f"2242. Got {pair[0]!s} and {pair[1]!s}: give whole numbers instead, such as "
        f"({own} - {own}.min()).astype('int64')."
    )
