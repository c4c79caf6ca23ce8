"""Convert cells of text to the kinds of columns of a saved model."""

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

Where = Callable[[int], str]  # returns the position of a row in the file, for messages


def names_in_file(
    names: Sequence[str], columns: Sequence[Column], source: str
) -> list[str | None]:
    """Return the names in a file of the columns of a model.

    The name of a column of the kind "empty" is None: it is not read and may be absent.
    """
    found = [name for name in names if name]
    wanted = [column.name for column in columns]
    needed = [column.kind != "empty" for column in columns]
    absent = [
        name
        for name, is_needed in zip(wanted, needed, strict=True)
        if is_needed and name not in found
    ]
    is_nameless = not any(column.is_named for column in columns)
    if not absent or (is_nameless and len(found) == len(wanted)):
        # A model without names takes columns by their order.
        there = found if absent else wanted
        return [
            name if is_needed else None
            for name, is_needed in zip(there, needed, strict=True)
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
    """Return cells as values of the kind of a model's column.

    Parameters
    ----------
    cells : ChunkedArray
        The cells, without spaces around them; empty cells are null.
    column : Column
        The column of the model.
    missing : frozenset of str
        Words for missing values, unless they are a category.
    where : callable
        Given a row, it returns its position in the file, for messages.
    commas : bool
        Whether the decimal sign may be a comma.
    """
    present = without(cells, missing - set(column.categories))
    if column.kind == "empty" or present.null_count == len(present):
        return all_missing(column, len(cells))
    if column.kind == "number":
        commas = commas and not _have_points(present)
        numbers = numbers_of(decimal_points(present) if commas else present)
        if numbers is not None:
            return numbers
    return _Reader(column, distinct(present), where, commas).values()


def _have_points(cells: Any) -> bool:
    from pyarrow import compute

    return bool(compute.any(compute.match_substring(cells, ".")).as_py())


def all_missing(column: Column, n_rows: int) -> Any:
    """Return missing values of the kind of a model's column."""
    if column.kind == "datetime":
        import pandas as pd

        return pd.to_datetime([None] * n_rows, utc=column.has_zone).array
    if column.kind in ("number", "boolean"):
        return np.full(n_rows, np.nan)
    return np.full(n_rows, None, dtype=object)


@dataclass
class _Reader:
    """Convert the distinct cells of a column, without missing ones."""

    column: Column
    found: Distinct
    where: Where
    commas: bool  # whether numbers have decimal commas

    def values(self) -> Any:
        """Return the values of all rows."""
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

    def _refuse(self, index: int, must: str) -> NoReturn:
        raise FileError(
            f"{self.where(self.found.first_row(index))}: column "
            f"{shown(self.column.name)} must be {must}, as in training. Got "
            f"{shown(self.found.cells[index])} instead."
        )

    def _each(self, convert: Callable[[str], Any], must: str) -> list[Any]:
        """Return the converted cells; refuse the first that cannot be converted."""
        values = []
        for index, cell in enumerate(self.found.cells):
            try:
                values.append(convert(cell))
            except (KeyError, ValueError):
                self._refuse(index, must)
        return values

    def _refuse_number(self, cells: list[str]) -> NoReturn:
        if self.commas:
            cells = [cell.replace(",", ".") for cell in cells]
        self._refuse(_first_unlike(NUMBER, cells), "a number")

    def _booleans(self, _: list[str]) -> Any:
        values = self._each(lambda cell: _TRUTH[cell.lower()], "true or false")
        objects = self.found.objects(values)
        has_missing = (self.found.codes < 0).any()
        return objects if has_missing else objects.astype(np.bool_)

    def _categories(self, cells: list[str]) -> Any:
        """Return categories: text, or whole numbers if the model has those."""
        known = self.column.categories
        by_text: dict[str, Any] = {str(one).strip(SPACES): one for one in known}
        by_text |= {str(one): one for one in known}
        is_text = isinstance(self.column.categories[0], str)
        by_text = _by_moment(cells, known) | by_text
        for index, cell in enumerate(cells):
            if cell in by_text:
                continue
            if not is_text and not _WHOLE.fullmatch(cell):
                self._refuse(index, "a whole number (of a category)")
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
        except ValueError:  # such as the 30th of February
            self._each(lambda cell: moments_of([cell], has_zone=has_zone), must)
            raise

    def _durations(self, cells: list[str]) -> Any:
        import pandas as pd

        spans = pd.to_timedelta(pd.Series(cells), errors="coerce")
        for index, cell in enumerate(cells):
            if not _SPAN.fullmatch(cell) or pd.isna(spans[index]):
                self._refuse(index, "a duration such as '2 days 03:00:00'")
        return self._taken(spans.array)

    def _times(self, _: list[str]) -> Any:
        must = "a time of the day such as 12:30"
        return self.found.objects(self._each(datetime.time.fromisoformat, must))

    def _taken(self, values: Any) -> Any:
        """Return the value of each row, given those of the distinct cells."""
        import pandas as pd

        take = pd.api.extensions.take
        return take(values, self.found.codes, allow_fill=True)


def _first_unlike(pattern: re.Pattern[str], cells: Sequence[str]) -> int:
    """Return the index of the first cell unlike a pattern, or their number."""
    unlike = (index for index, cell in enumerate(cells) if not pattern.fullmatch(cell))
    return next(unlike, len(cells))


def _by_moment(cells: Iterable[str], known: Sequence[Any]) -> dict[str, Any]:
    """Return the category with the same date for each cell, if all are dates.

    The category 2020-01-31 of a data frame is stored as 2020-01-31 00:00:00.
    """
    names = list(map(str, known))
    alike = [cell for cell in cells if LOCAL_TIME.fullmatch(cell)]
    if not alike or not all(map(LOCAL_TIME.fullmatch, names)):
        return {}
    try:
        categories = dict(zip(moments_of(names, has_zone=False), known, strict=True))
        moments = moments_of(alike, has_zone=False)
    except ValueError:  # such as the 30th of February: names, not dates
        return {}
    pairs = zip(alike, moments, strict=True)
    return {cell: categories[day] for cell, day in pairs if day in categories}
