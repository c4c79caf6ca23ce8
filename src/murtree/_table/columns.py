"""Kinds of columns, and the encoding of their values as float64 codes.

Numbers are unchanged, categories become their index among the known categories, times
become seconds since 1970, and missing values NaN. Trees test these codes. This file has
over 400 lines because the detection of kinds and the encoding must agree.
"""

import datetime
from collections.abc import Callable, Collection
from dataclasses import dataclass, field, replace
from functools import lru_cache
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.frames import (
    RawColumn,
    is_frame,
    raw_columns,
    refuse_repeated_names,
)
from murtree._table.merged_values import is_coarse, refuse_merged

KINDS = (
    "number",
    "boolean",
    "category",
    "ordered",  # categories with an order
    "datetime",  # seconds since 1970, in UTC
    "duration",  # seconds
    "time",  # time of day: seconds since midnight
    "empty",  # all values missing: never tested, so any values are accepted
)
UNKNOWN = -1.0  # the code of a category not seen in training
_EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.UTC)
_TEXT = {str, type(None)}  # the types in a text column, for a fast path


@dataclass(frozen=True)
class Column:
    """A column of the user's table.

    Parameters
    ----------
    name : str
        Column name; x0, x1 and so on if the table has no names.
    kind : str
        "number", "boolean", "category", "ordered", "datetime", "duration", "time" or
        "empty".
    categories : tuple of str or of int, default=()
        The known categories; their indices are the codes.
    has_missing : bool, default=False
        Whether values were missing in training.
    has_zone : bool, default=False
        Whether datetimes have a time zone; they are then converted to UTC.
    is_named : bool, default=True
        Whether the table has names; otherwise `name` is x0, x1 and so on.
    is_binary : bool, default=False
        Whether a numeric column had only 0 and 1 in training. Its tests are then
        written ``name = no`` (values up to the threshold) and ``name = yes``.
    refuses_unknown : bool, default=False
        Whether unknown categories raise an error instead of being treated as missing,
        as with ``handle_unknown="error"``.

    Examples
    --------
    >>> from murtree import Column
    >>> Column("colour", "category", ("blue", "red"))
    Column(name='colour', kind='category', categories=('blue', 'red'))
    """

    name: str
    kind: str = "number"
    categories: tuple[Any, ...] = ()
    has_missing: bool = field(default=False, repr=False)
    has_zone: bool = field(default=False, repr=False)
    is_named: bool = field(default=True, repr=False)
    is_binary: bool = field(default=False, repr=False)
    refuses_unknown: bool = field(default=False, repr=False)

    @property
    def is_category(self) -> bool:
        """Whether the values are categories, ordered or not."""
        return self.kind in ("category", "ordered")


@lru_cache(maxsize=4)
def plain_columns(n_columns: int) -> tuple[Column, ...]:
    """Return unnamed columns of 0 and 1."""
    return tuple(
        Column(f"x{index}", is_named=False, is_binary=True)
        for index in range(n_columns)
    )


def names_of(X: Any) -> tuple[str, ...] | None:
    """Return the column names of a data frame if all are strings, else None."""
    if not is_frame(X):
        return None
    names = tuple(X.columns)
    return names if all(isinstance(name, str) for name in names) else None


def learn_columns(X: Any) -> tuple[tuple[Column, ...], npt.NDArray[np.float64]]:
    """Return the columns of a training table and their codes."""
    table = raw_columns(X)
    names = names_of(X)
    is_named = names is not None
    names = names or tuple(f"x{index}" for index in range(len(table)))
    columns = tuple(
        replace(_learn(name, raw), is_named=is_named, has_zone=_has_zone(name, raw))
        for name, raw in zip(names, table, strict=True)
    )
    codes = np.empty((X.shape[0], len(table)), dtype=np.float64, order="F")
    for index, (column, raw) in enumerate(zip(columns, table, strict=True)):
        codes[:, index] = codes_of(column, raw.values)
        refuse_merged(column, raw.values, codes[:, index])
    return _with_binary(columns, codes), codes


def refuse_infinity(
    columns: tuple[Column, ...], codes: npt.NDArray[np.float64]
) -> None:
    """Raise an error for infinite values, with the name of their column."""
    found = np.isinf(codes).any(axis=0)
    if found.any():
        name = columns[int(found.argmax())].name
        raise ValueError(f"Input X contains infinity in column {name!r}.")


def _with_binary(
    columns: tuple[Column, ...], codes: npt.NDArray[np.float64]
) -> tuple[Column, ...]:
    """Return the columns with `is_binary` set for numeric columns of 0 and 1."""
    is_binary = ((codes == 0) | (codes == 1) | np.isnan(codes)).all(axis=0)
    return tuple(
        replace(column, is_binary=True)
        if binary and column.kind == "number"
        else column
        for column, binary in zip(columns, is_binary.tolist(), strict=True)
    )


def encode(
    X: Any,
    columns: tuple[Column, ...],
    *,
    tested: Collection[int] = (),
    on_unknown: Callable[..., None] | None = None,
) -> npt.NDArray[np.float64]:
    """Return the codes of a table with the columns of training.

    Unknown categories become missing values. For columns with an index in `tested`,
    `on_unknown` is called with the column, its values and the rows of unknown ones.
    """
    _check_names(X, columns)
    table = raw_columns(X)
    codes = np.empty((X.shape[0], len(columns)), dtype=np.float64, order="F")
    for index, (column, raw) in enumerate(zip(columns, table, strict=True)):
        _check_zone(column, raw)
        codes[:, index] = codes_of(column, raw.values)
        if column.is_category:
            unknown = np.flatnonzero(codes[:, index] == UNKNOWN)
            codes[unknown, index] = np.nan
            if unknown.size and index in tested and on_unknown is not None:
                on_unknown(column, raw.values, unknown)
    return codes


def _check_names(X: Any, columns: tuple[Column, ...]) -> None:
    given = names_of(X)
    expected = tuple(column.name for column in columns)
    if X.shape[1] != len(columns):
        raise ValueError(
            f"X has {X.shape[1]} features, but this tree is expecting {len(columns)} "
            "features as input."
        )
    if given is None or given == expected:
        return
    has_names = all(column.is_named for column in columns)
    if not has_names and set(given) != set(expected):
        return
    refuse_repeated_names(given)
    index = [a == b for a, b in zip(given, expected, strict=True)].index(False)
    raise ValueError(
        "The columns of X must be those of training, in their order. Got "
        f"{given[index]!r} instead of {expected[index]!r} at index {index}."
    )


# --- detection of kinds ---------------------------------------------------------------


def _learn(name: str, raw: RawColumn) -> Column:
    values = raw.values
    if raw.categories is not None:
        return _declared(name, raw)
    simple = {"b": "boolean", "M": "datetime", "m": "duration"}
    if values.dtype.kind in simple:
        return Column(name, simple[values.dtype.kind])
    if values.dtype.kind in "iuf":
        return Column(name, "number")
    if values.dtype.kind == "c":
        raise ValueError(f"Complex data not supported: column {name!r}.")
    return _learn_objects(name, values.tolist())


def _learn_objects(name: str, cells: list[Any]) -> Column:
    if str in (types := set(map(type, cells))) and types <= _TEXT:
        return Column(name, "category", tuple(sorted(set(cells) - {None})))
    present = [value for value in cells if not _is_missing(value)]
    kinds = sorted({_kind_of(value) for value in present})
    if len(kinds) > 1:
        raise TypeError(
            f"Column {name!r} must hold values of one kind: all numbers, all text, all "
            f"times and so on. Got {' and '.join(kinds)} instead."
        )
    if not kinds:
        return Column(name, "empty")
    if kinds[0] == "text":
        return Column(name, "category", tuple(sorted(set(map(str, present)))))
    if kinds[0] not in KINDS:
        raise TypeError(
            f"Column {name!r} must hold numbers, text, booleans or times. Got "
            f"{kinds[0]} instead."
        )
    return Column(name, kinds[0])


def _declared(name: str, raw: RawColumn) -> Column:
    assert raw.categories is not None
    if not raw.categories:
        return Column(name, "empty")
    kinds = sorted({_kind_of(category) for category in raw.categories})
    if len(kinds) > 1:
        raise TypeError(
            f"Column {name!r} must have categories of one kind. Got "
            f"{' and '.join(kinds)} instead."
        )
    is_whole = all(isinstance(value, int | np.integer) for value in raw.categories)
    if kinds[0] == "boolean" or (kinds[0] == "number" and not is_whole):
        return Column(name, kinds[0])  # fractional categories are treated as numbers
    categories = tuple(map(_category, raw.categories))
    if len(set(categories)) < len(categories):
        raise ValueError(f"Column {name!r} must have distinct categories as text.")
    return Column(name, "ordered" if raw.is_ordered else "category", categories)


def _category(value: Any) -> str | int:
    """Return a category as an int or a str, which JSON can store."""
    is_whole = isinstance(value, float) and value.is_integer()  # an int next to NaN
    if is_whole or (isinstance(value, int | np.integer) and type(value) is not bool):
        return int(value)
    return str(value)


def _is_missing(value: Any) -> bool:
    if value is None or type(value).__name__ in ("NAType", "NaTType"):
        return True
    if isinstance(value, np.datetime64 | np.timedelta64):
        return bool(np.isnat(value))
    return isinstance(value, float | np.floating) and bool(np.isnan(value))


def _kind_of(value: Any) -> str:
    for types, kind in (
        (str, "text"),
        (bool | np.bool_, "boolean"),
        (np.datetime64 | datetime.date, "datetime"),  # datetime is a subclass of date
        (np.timedelta64 | datetime.timedelta, "duration"),
        (datetime.time, "time"),
        (Real | np.number, "number"),
    ):
        if isinstance(value, types):
            return kind
    return "number" if type(value).__name__ == "Decimal" else type(value).__name__


def _has_zone(name: str, raw: RawColumn) -> bool:
    """Return whether datetimes have a time zone; mixing raises an error."""
    if raw.has_zone or raw.values.dtype.kind != "O":
        return raw.has_zone
    cells = raw.values.tolist()
    if not any(issubclass(kind, datetime.datetime) for kind in set(map(type, cells))):
        return False
    moments = [cell for cell in cells if isinstance(cell, datetime.datetime)]
    zones = {moment.tzinfo is not None for moment in moments if not _is_missing(moment)}
    if len(zones) > 1:
        raise TypeError(
            f"The datetimes of column {name!r} must all have a time zone, or none."
        )
    return zones == {True}


def _check_zone(column: Column, raw: RawColumn) -> None:
    if column.kind != "datetime" or all(map(_is_missing, raw.values)):
        return
    if _has_zone(column.name, raw) != column.has_zone:
        must = "a time zone" if column.has_zone else "no time zone"
        raise TypeError(f"Column {column.name!r} must have {must}, as in fit.")


# --- encoding as float64 --------------------------------------------------------------


def codes_of(column: Column, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return the values of a column as codes; raise an error for other kinds."""
    if column.kind == "empty":
        return np.full(values.size, np.nan)
    if column.is_category:
        return _category_codes(column, values)
    numeric = column.kind in ("number", "boolean") and values.dtype.kind in "biuf"
    if numeric:
        codes = values.astype(np.float64)
    elif values.dtype.kind in "Mm":
        _check_kind(column, {"datetime" if values.dtype.kind == "M" else "duration"})
        codes = _seconds(column, values)
    else:
        codes = _codes_of_objects(column, values)
    if column.kind == "boolean" and not np.isin(codes[~np.isnan(codes)], (0, 1)).all():
        raise ValueError(
            f"Column {column.name!r} must hold booleans, as in fit. Got other numbers."
        )
    return codes


def limits_of(column: Column, given: Any) -> npt.NDArray[np.float64]:
    """Return a user's thresholds as codes; times may be text such as "2020-01-31"."""
    values = np.asarray(given)
    what = f"The thresholds of column {column.name!r} must be {_plural(column.kind)}"
    if values.dtype.kind == "O" and values.size and isinstance(values.flat[0], str):
        values = values.astype(str)
    try:
        if column.kind in ("datetime", "duration") and values.dtype.kind == "U":
            unit = "datetime64[us]" if column.kind == "datetime" else "timedelta64[us]"
            values = values.astype(unit)
        codes = codes_of(column, values)
        if column.is_category and (codes == UNKNOWN).any():
            raise ValueError
        return codes
    except (TypeError, ValueError):
        shown = np.asarray(given).tolist()
        raise TypeError(f"{what}. Got {shown!r} instead.") from None


def _seconds(column: Column, values: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """Return times in seconds; float64 resolves microseconds until the year 2242."""
    times, is_missing = values.astype(f"{values.dtype.kind}8[us]"), np.isnat(values)
    # NumPy does not report an overflow. Counts are compared: times would overflow, too.
    back = times.astype(values.dtype).view(np.int64)
    if is_coarse(values) and (back != values.view(np.int64)).any():
        raise ValueError(
            f"Column {column.name!r} must hold {column.kind}s within 290,000 years of "
            "1970. Got others."
        )
    return np.where(is_missing, np.nan, times.astype(np.int64) / 1e6)


def _codes_of_objects(
    column: Column, values: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    missing = np.array([_is_missing(value) for value in values], dtype=np.bool_)
    present = values[~missing]
    kinds = {_kind_of(value) for value in present.tolist()}
    _check_kind(column, kinds)
    codes = np.full(values.size, np.nan)
    if column.kind in ("number", "boolean"):
        try:
            codes[~missing] = present.astype(np.float64)
        except OverflowError:
            raise ValueError(
                f"Column {column.name!r} must hold numbers within float64. Got a "
                "larger one."
            ) from None
    else:
        codes[~missing] = [_second_of(column, value) for value in present.tolist()]
    return codes


def _check_kind(column: Column, kinds: set[str]) -> None:
    allowed = {column.kind}
    if column.kind in ("number", "boolean"):
        allowed = {"number", "boolean"}
    wrong = sorted(kinds - allowed)
    if wrong:
        raise TypeError(
            f"Column {column.name!r} must hold {_plural(column.kind)}, as in fit. Got "
            f"{wrong[0]} instead."
        )


def _plural(kind: str) -> str:
    plain = {"category": "categories", "ordered": "categories"}
    return plain.get(kind, f"{kind}s")


def _second_of(column: Column, value: Any) -> float:
    if isinstance(value, datetime.time):
        minutes = value.hour * 60 + value.minute
        return minutes * 60 + value.second + value.microsecond / 1e6
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    if isinstance(value, np.datetime64 | np.timedelta64):
        return float(_seconds(column, np.array([value]))[0])
    if not isinstance(value, datetime.datetime):
        value = datetime.datetime(value.year, value.month, value.day)
    if value.tzinfo is None:
        value = value.replace(tzinfo=datetime.UTC)
    return float((value - _EPOCH).total_seconds())


def _category_codes(
    column: Column, values: npt.NDArray[Any]
) -> npt.NDArray[np.float64]:
    known = {category: float(code) for code, category in enumerate(column.categories)}
    cells = values.tolist()
    if isinstance(column.categories[0], str):
        try:  # fast path: all known or None, as in training
            code_of = (known | {None: np.nan}).__getitem__
            return np.fromiter(map(code_of, cells), np.float64, len(cells))
        except (KeyError, TypeError):
            pass
    codes = np.empty(values.size, dtype=np.float64)
    for row, value in enumerate(cells):
        if isinstance(value, str):
            code = known.get(value, UNKNOWN)
        elif _is_missing(value):
            code = np.nan
        else:
            code = known.get(_category(value), UNKNOWN)
        if code == UNKNOWN:
            _check_category(column, value)
        codes[row] = code
    return codes


def _check_category(column: Column, value: Any) -> None:
    """Raise an error for numbers in a text column, and for text in a numeric one."""
    kind = _kind_of(value)
    expected = "text" if isinstance(column.categories[0], str) else "number"
    if kind != expected:
        raise TypeError(
            f"Column {column.name!r} must hold categories that are {expected}, as in "
            f"fit. Got {kind} instead: {value!r}."
        )
