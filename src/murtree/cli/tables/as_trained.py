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
    LOCAL_TIMES,
    NUMBERS,
    SPACES,
    ZONED_TIMES,
    first_unlike,
    moments_of,
    numbers_of,
    parted,
    spread,
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
    cells: list[str],
    column: Column,
    missing: frozenset[str],
    where: Where,
    commas: bool,
) -> Any:
    """Return cells as the values that a model knows in this column.

    Parameters
    ----------
    cells : list of str
        The cells, without spaces around them.
    column : Column
        What the model knows of the column.
    missing : frozenset of str
        Words for missing values; a category of that name is no missing value.
    where : callable
        Of the place in `cells`, it says the place in the file.
    commas : bool
        Whether the decimal sign may be a comma.
    """
    missing = missing - set(column.categories)
    is_missing, present = parted(cells, missing)
    if column.kind == "empty" or is_missing.all():
        return all_missing(column, len(cells))
    rows = np.flatnonzero(~is_missing)
    reader = _Reader(column, present, lambda place: where(int(rows[place])), commas)
    return _with_gaps(reader.values(), is_missing)


def _with_gaps(present: Any, is_missing: Any) -> Any:
    """Return what `spread` does, without pandas where NumPy alone will do."""
    if not isinstance(present, np.ndarray):
        return spread(present, is_missing)
    if not is_missing.any():
        return present
    is_number = present.dtype.kind == "f"
    kind, none = (np.float64, np.nan) if is_number else (object, None)
    values = np.full(is_missing.size, none, dtype=kind)
    values[~is_missing] = present
    return values


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
    """The cells of a column, none of them missing."""

    column: Column
    cells: list[str]
    where: Where
    commas: bool

    def values(self) -> Any:
        """Return them as the model knows them."""
        readers = {
            "number": self._numbers,
            "boolean": self._booleans,
            "category": self._categories,
            "ordered": self._categories,
            "datetime": self._moments,
            "duration": self._durations,
            "time": self._times,
        }
        return readers[self.column.kind]()

    def _refuse(self, place: int, must: str) -> NoReturn:
        raise FileError(
            f"{self.where(place)}: column {shown(self.column.name)} must be {must}, as "
            f"in training. Got {shown(self.cells[place])} instead."
        )

    def _numbers(self) -> Any:
        cells = self.cells
        if self.commas and not any("." in cell for cell in cells):
            cells = [cell.replace(",", ".") for cell in cells]
        numbers = numbers_of(cells)
        if numbers is None:
            odd = first_unlike(NUMBERS, cells)
            assert odd is not None
            self._refuse(odd, "a number")
        return numbers

    def _booleans(self) -> Any:
        values = [_TRUTH.get(cell.lower()) for cell in self.cells]
        if None in values:
            self._refuse(values.index(None), "true or false")
        return np.array(values, dtype=np.bool_)

    def _categories(self) -> Any:
        """Return text, or whole numbers where those are what the model knows."""
        known = self.column.categories
        by_text: dict[str, Any] = {str(one).strip(SPACES): one for one in known}
        by_text |= {str(one): one for one in known}
        is_text = isinstance(self.column.categories[0], str)
        by_text = _by_moment(dict.fromkeys(self.cells), known) | by_text
        for cell in dict.fromkeys(self.cells):
            if cell in by_text:
                continue
            if not is_text and not _WHOLE.fullmatch(cell):
                self._refuse(self.cells.index(cell), "a whole number (of a category)")
            by_text[cell] = cell if is_text else int(cell.partition(".")[0])
        values = np.empty(len(self.cells), dtype=object)
        values[:] = [by_text[cell] for cell in self.cells]
        return values

    def _moments(self) -> Any:
        has_zone = self.column.has_zone
        must = "a date such as 2024-01-31 or 2024-01-31 12:00"
        if has_zone:
            must = "a time with its zone, such as 2024-01-31 12:00Z"
        odd = first_unlike(ZONED_TIMES if has_zone else LOCAL_TIMES, self.cells)
        if odd is not None:
            self._refuse(odd, must)
        try:
            return moments_of(self.cells, has_zone=has_zone)
        except ValueError:
            self._refuse(self._first_no_day(), must)

    def _first_no_day(self) -> int:
        for place, cell in enumerate(self.cells):
            try:
                moments_of([cell], has_zone=self.column.has_zone)
            except ValueError:
                return place
        raise AssertionError("each date alone is fine, but not all of them")

    def _durations(self) -> Any:
        import pandas as pd

        spans = pd.to_timedelta(pd.Series(self.cells), errors="coerce")
        for place, cell in enumerate(self.cells):
            if not _SPAN.fullmatch(cell) or pd.isna(spans[place]):
                self._refuse(place, "a duration such as '2 days 03:00:00'")
        return spans.array

    def _times(self) -> Any:
        values = np.empty(len(self.cells), dtype=object)
        for place, cell in enumerate(self.cells):
            try:
                values[place] = datetime.time.fromisoformat(cell)
            except ValueError:
                self._refuse(place, "a time of the day such as 12:30")
        return values


def _by_moment(cells: Iterable[str], known: Sequence[Any]) -> dict[str, Any]:
    """Return cells by the category that is the same moment, if all are moments.

    A frame's categories 2020-01-31 are known as 2020-01-31 00:00:00.
    """
    names = list(map(str, known))
    alike = [cell for cell in cells if first_unlike(LOCAL_TIMES, [cell]) is None]
    if not alike or first_unlike(LOCAL_TIMES, names) is not None:
        return {}
    try:
        categories = dict(zip(moments_of(names, has_zone=False), known, strict=True))
        moments = moments_of(alike, has_zone=False)
    except ValueError:  # such as the 30th of February: names, and no days
        return {}
    pairs = zip(alike, moments, strict=True)
    return {cell: categories[day] for cell, day in pairs if day in categories}
