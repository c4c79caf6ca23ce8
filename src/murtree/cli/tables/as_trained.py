"""Cells of text as the values that a saved model knows, whatever they look like."""

import datetime
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np

from murtree._table.columns import Column
from murtree.cli.tables.error import FileError, listed, meant, shown
from murtree.cli.tables.kinds import (
    LOCAL_TIME,
    NUMBER,
    SPACES,
    ZONED_TIME,
    Distinct,
    decimal_points,
    distinct,
    moments_of,
    numbers_of,
    without,
)

_TRUTH = {
    "true": True,
    "false": False,
    "1": True,
    "0": False,
    "1.0": True,
    "0.0": False,
}
_WHOLE = re.compile(r"[+-]?[0-9]{1,40}(?:\.0*)?", re.ASCII)
_SPAN = re.compile(r".*[a-zA-Z:].*")  # 5 alone could be seconds or days

Where = Callable[[int], str]  # of a row: its place in the file, in words


def names_in_file(
    names: Sequence[str], columns: Sequence[Column], source: str
) -> list[str | None]:
    """Return what each column of a model is called in a file; None: it is not asked.

    Of the kind "empty" nothing is known, so nothing is read: it need not be there.
    """
    found = [name for name in names if name]
    wanted = [column.name for column in columns]
    asked = [column.kind != "empty" for column in columns]
    absent = [
        name
        for name, is_asked in zip(wanted, asked, strict=True)
        if is_asked and name not in found
    ]
    is_nameless = not any(column.is_named for column in columns)
    if not absent or (is_nameless and len(found) == len(wanted)):
        # Trained without names: the order says which is which.
        there = found if absent else wanted
        return [
            name if is_asked else None
            for name, is_asked in zip(there, asked, strict=True)
        ]
    spare = [name for name in found if name not in wanted]
    others = f" ({len(absent)} columns of the model are absent)" * (len(absent) > 1)
    raise FileError(
        f"no column {shown(absent[0])} in {source}, which the model needs{others}"
        f"{meant(absent[0], spare) or '.'} Columns: {listed(found)}"
    )


def as_trained(
    cells: Any,
    column: Column,
    missing: frozenset[str],
    where: Where,
    commas: bool,
) -> Any:
    """Return cells as the values that a model knows in this column.

    Parameters
    ----------
    cells : ChunkedArray
        The cells, without spaces around them; an empty one is null.
    column : Column
        What the model knows of the column.
    missing : frozenset of str
        Words for missing values; a category of that name is no missing value.
    where : callable
        Given a row, it says where in the file that is.
    commas : bool
        Whether the decimal sign may be a comma.
    """
    present = without(cells, missing - set(column.categories))
    if column.kind == "empty" or present.null_count == len(present):
        return all_missing(column, len(cells))
    if column.kind == "number":
        numbers = _numbers(present, commas)
        if numbers is not None:
            return numbers
    return _Reader(column, distinct(present), where).values()


def _numbers(cells: Any, commas: bool) -> Any:
    """Return numbers, or None where a cell is none."""
    if commas:
        from pyarrow import compute

        has_points = compute.any(compute.match_substring(cells, ".")).as_py()
        cells = cells if has_points else decimal_points(cells)
    return numbers_of(cells)


def all_missing(column: Column, n_rows: int) -> Any:
    """Return missing values of the kind that a model knows in this column."""
    if column.kind == "datetime":
        import pandas as pd

        return pd.to_datetime([None] * n_rows, utc=column.has_zone).array
    if column.kind in ("number", "boolean"):
        return np.full(n_rows, np.nan)
    return np.full(n_rows, None, dtype=object)


@dataclass
class _Reader:
    """The distinct cells of a column, none of them missing."""

    column: Column
    found: Distinct
    where: Where

    def values(self) -> Any:
        """Return all cells as the model knows them."""
        readers = {
            "number": self._refuse_number,
            "boolean": self._booleans,
            "category": self._categories,
            "ordered": self._categories,
            "datetime": self._moments,
            "duration": self._durations,
            "time": self._times,
        }
        return readers[self.column.kind](self.found.cells)

    def _refuse(self, place: int, must: str) -> NoReturn:
        raise FileError(
            f"{self.where(self.found.first_row(place))}: column "
            f"{shown(self.column.name)} must be {must}, as in training. Got "
            f"{shown(self.found.cells[place])} instead."
        )

    def _refuse_number(self, cells: list[str]) -> NoReturn:
        self._refuse(_first_unlike(NUMBER, cells), "a number")

    def _booleans(self, cells: list[str]) -> Any:
        values = [_TRUTH.get(cell.lower()) for cell in cells]
        if None in values:
            self._refuse(values.index(None), "true or false")
        objects = self.found.objects(values)
        has_missing = (self.found.codes < 0).any()
        return objects if has_missing else objects.astype(np.bool_)

    def _categories(self, cells: list[str]) -> Any:
        """Return text, or whole numbers where those are what the model knows."""
        known = self.column.categories
        by_text: dict[str, Any] = {str(one).strip(SPACES): one for one in known}
        by_text |= {str(one): one for one in known}
        is_text = isinstance(self.column.categories[0], str)
        by_text = _by_moment(cells, known) | by_text
        for place, cell in enumerate(cells):
            if cell in by_text:
                continue
            if not is_text and not _WHOLE.fullmatch(cell):
                self._refuse(place, "a whole number (of a category)")
            by_text[cell] = cell if is_text else int(cell.partition(".")[0])
        return self.found.objects([by_text[cell] for cell in cells])

    def _moments(self, cells: list[str]) -> Any:
        has_zone = self.column.has_zone
        must = "a date such as 2024-01-31 or 2024-01-31 12:00"
        if has_zone:
            must = "a time with its zone, such as 2024-01-31 12:00Z"
        odd = _first_unlike(ZONED_TIME if has_zone else LOCAL_TIME, cells)
        if odd < len(cells):
            self._refuse(odd, must)
        try:
            return self._taken(moments_of(cells, has_zone=has_zone))
        except ValueError:
            self._refuse(self._first_no_day(cells), must)

    def _first_no_day(self, cells: list[str]) -> int:
        for place, cell in enumerate(cells):
            try:
                moments_of([cell], has_zone=self.column.has_zone)
            except ValueError:
                return place
        raise AssertionError("each date alone is fine, but not all of them")

    def _durations(self, cells: list[str]) -> Any:
        import pandas as pd

        spans = pd.to_timedelta(pd.Series(cells), errors="coerce")
        for place, cell in enumerate(cells):
            if not _SPAN.fullmatch(cell) or pd.isna(spans[place]):
                self._refuse(place, "a duration such as '2 days 03:00:00'")
        return self._taken(spans.array)

    def _times(self, cells: list[str]) -> Any:
        values = []
        for place, cell in enumerate(cells):
            try:
                values.append(datetime.time.fromisoformat(cell))
            except ValueError:
                self._refuse(place, "a time of the day such as 12:30")
        return self.found.objects(values)

    def _taken(self, values: Any) -> Any:
        """Return the value of each row, of those of the distinct cells."""
        import pandas as pd

        take = pd.api.extensions.take
        return take(values, self.found.codes, allow_fill=True)


def _first_unlike(pattern: re.Pattern[str], cells: Sequence[str]) -> int:
    """Return the position of the first cell unlike a pattern; their number if none."""
    unlike = (place for place, cell in enumerate(cells) if not pattern.fullmatch(cell))
    return next(unlike, len(cells))


def _by_moment(cells: Iterable[str], known: Sequence[Any]) -> dict[str, Any]:
    """Return cells by the category that is the same moment, if all are moments.

    A frame's categories 2020-01-31 are known as 2020-01-31 00:00:00.
    """
    names = list(map(str, known))
    alike = [cell for cell in cells if LOCAL_TIME.fullmatch(cell)]
    if not alike or not all(map(LOCAL_TIME.fullmatch, names)):
        return {}
    try:
        categories = dict(zip(moments_of(names, has_zone=False), known, strict=True))
        moments = moments_of(alike, has_zone=False)
    except ValueError:  # such as the 30th of February: names, and no days
        return {}
    pairs = zip(alike, moments, strict=True)
    return {cell: categories[day] for cell, day in pairs if day in categories}
