"""Tables from CSV and other delimited text: rows, columns and their kinds."""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column
from murtree.cli.tables.as_trained import as_trained
from murtree.cli.tables.error import FileError, listed, shown
from murtree.cli.tables.kinds import (
    grouped_number,
    infer,
    refuse_two_decimals,
    trimmed,
)
from murtree.cli.tables.memory import Budget
from murtree.cli.tables.records import (
    Block,
    Records,
    check_header,
    delimiter_of,
    joined,
    looks_like_data,
)
from murtree.cli.tables.sampling import picks
from murtree.cli.tables.source import Source
from murtree.cli.tables.table import Choice, Table

_PER_ROW = 200  # bytes: the largest column is in memory as text and as values
_PER_CELL = 16  # bytes: a number, or a reference to a text, and a copy
# Bytes of each distinct text or date, measured: its object, its entries in the tables
# that find equal ones, and for each character the copies made on the way.
_PER_TEXT, _PER_CHARACTER = 150, 4
_MOST_GROWTH = 100  # bytes in memory for each byte of a file: short, distinct texts


def read_delimited(source: Source, delimiter: str | None, choice: Choice) -> Table:
    """Read all rows, or a uniform sample of them in one pass.

    Parameters
    ----------
    source : Source
        The text.
    delimiter : str or None
        The character between cells; None takes it from the first line.
    choice : Choice
        The columns and rows to keep.
    """
    text = _Text(source, delimiter, choice)
    if choice.sample is None:
        found, n_rows = _all_rows(text)
    else:
        found, n_rows = _sampled(text, choice.sample, choice.random_state)
    if not n_rows:
        raise text.has_no_rows
    return text.table(found, n_rows)


def read_delimited_pieces(
    source: Source, delimiter: str | None, choice: Choice
) -> Iterator[Table]:
    """Yield all rows in pieces: a file may be larger than the memory."""
    text = _Text(source, delimiter, choice)
    has_rows = False
    for block in text.records.blocks(text.kept):
        yield text.table(block, block.lines.size)
        has_rows, text.notes = True, []
    if not has_rows:
        raise text.has_no_rows


class _Text:
    """Delimited text: its records, the columns to keep, and notes for the user."""

    def __init__(self, source: Source, delimiter: str | None, choice: Choice) -> None:
        self._source, self._choice = source, choice
        self.records = Records(source, delimiter or delimiter_of(source.head))
        self._commas = self.records.delimiter == ";"
        header, name = self.records.header, source.name
        check_header(header, name)
        self.notes: list[str] = []
        if header[0] == "":
            self.notes.append(
                f"the first column of {name} has no name: it is taken as the names of "
                "rows, not as a feature."
            )
        if looks_like_data(header):
            self.notes.append(
                f"the first line of {name} looks like data, but is taken as the names "
                f"of columns: {listed(header)}. If it is data, add a line of names."
            )
        self.kept = choice.kept(header)

    @property
    def has_no_rows(self) -> FileError:
        """The error that there are no rows."""
        return FileError(f"{self._source.name} has names of columns, but no rows.")

    def checked_budget(self) -> Budget:
        """Return the memory budget; refuse a large file by its first rows."""
        budget, source, sample = Budget(), self._source, self._choice.sample
        if source.size is None:
            return budget  # checked while reading
        share = len(self.kept) / len(self.records.header)
        length = len(source.head) / max(source.head.count(b"\n"), 1)
        n_rows = source.size / length
        per_row = self.overhead(source.size, budget) + length * share
        if sample is not None:
            n_rows = min(n_rows, sample)
            per_row += length + 100  # rows that are replaced later take memory too
        budget.check(n_rows, per_row, source.name, is_sample=sample is not None)
        return budget

    def overhead(self, size: int, budget: Budget) -> float:
        """Return the bytes per row in addition to the text, which has this size."""
        per_row: float = _PER_ROW + _PER_CELL * len(self.kept)
        if size * _MOST_GROWTH <= budget.limit:
            return per_row  # it fits anyway
        return per_row + self._of_distinct_texts

    @cached_property
    def _of_distinct_texts(self) -> float:
        """The bytes per row of distinct texts and dates, estimated from the first rows.

        A column has as many of them as are new in the second half of those rows.
        """
        from pyarrow import compute

        table = self.records.first_rows(self._source.head, self.kept)
        half, total = len(table) // 2, 0.0
        for column in map(trimmed, table.columns if len(table) else []):
            kind = infer(column, self._choice.missing, commas=self._commas).kind
            if kind in ("text", "datetime"):
                n_new = compute.count_distinct(column).as_py()
                n_new -= compute.count_distinct(column[:half]).as_py()
                length = column.nbytes / len(table)
                share = n_new / (len(table) - half)
                total += share * (_PER_TEXT + _PER_CHARACTER * length)
        return total

    def table(self, block: Block, n_rows: int) -> Table:
        """Return values as a model knows them, or as all cells suggest."""
        names = [self.records.header[index] for index in self.kept]
        columns = dict(zip(names, block.table.columns, strict=True))
        found = Table(
            frame=None,
            source=self._source.name,
            n_rows_in_file=n_rows,
            is_sample=block.lines.size < n_rows,
            lines=block.lines,
            notes=self.notes,
        )
        if self._choice.keep_all:  # cells as they are written, with trailing spaces
            found.original = {
                name: [cell or "" for cell in cells.to_pylist()]
                for name, cells in columns.items()
            }

        def values(column: Column, name: str) -> Any:
            cells = trimmed(columns.pop(name))  # to free the memory
            if "" in column.categories:
                cells = cells.fill_null("")
            missing = self._choice.missing
            return as_trained(cells, column, missing, found.where, self._commas)

        if self._choice.columns is None:
            found.frame = self._inferred(columns, found, block.lines)
        else:
            found.frame = self._choice.as_trained(block.lines.size, values)
        return found

    def _inferred(
        self, columns: dict[str, Any], table: Table, lines: npt.NDArray[np.int64]
    ) -> dict[str, Any]:
        """Return the values of each column, of the kind that all its cells have."""
        missing, commas = self._choice.missing, self._commas
        cells = {name: trimmed(columns.pop(name)) for name in list(columns)}
        with ThreadPoolExecutor() as pool:  # pyarrow and NumPy release the GIL
            kinds = pool.map(
                lambda some: infer(some, missing, commas=commas), cells.values()
            )
            found = dict(zip(cells, kinds, strict=True))
        values = {}
        for name, column in found.items():
            values[name] = column.values
            is_real = column.values.dtype.kind == "f"
            if is_real and (is_infinite := np.isinf(column.values)).any():
                first = cells[name][int(is_infinite.argmax())]
                table.infinite[name] = first.as_py()
            is_text = column.kind == "text" and commas
            grouped = grouped_number(cells[name], missing) if is_text else None
            if grouped is not None:
                raise FileError(
                    f"column {shown(name)} of {table.source} must hold numbers without "
                    f"points between thousands. Got {shown(grouped)}, for example."
                )
            if column.odd is not None:
                word = shown(column.values[column.odd])
                table.with_text.add(name)
                table.notes.append(
                    f"column {shown(name)} of {table.source} is text because of "
                    f"{word}, first in line {lines[column.odd]}: all else in it is a "
                    f"number. If it means missing, add --missing {word}."
                )
        refuse_two_decimals(found, table.source)
        return values


def _all_rows(text: _Text) -> tuple[Block, int]:
    budget = text.checked_budget()
    kept: list[Block] = []
    n_rows = n_bytes = 0
    for block in text.records.blocks(text.kept):
        kept.append(block)
        n_rows += block.lines.size
        n_bytes += block.table.nbytes
        per_row = n_bytes / n_rows + text.overhead(n_bytes, budget)
        budget.check(n_rows, per_row, text.records.name)
    return joined(kept), n_rows


def _sampled(text: _Text, size: int, random_state: int) -> tuple[Block, int]:
    """Sample rows in one pass; replaced rows are dropped in bulk."""
    budget = text.checked_budget()
    taken: list[Block] = []
    slots: dict[int, int] = {}  # of the reservoir: indices among the rows taken
    plan = picks(size, random_state)
    wanted, slot = next(plan)
    n_rows = n_taken = 0
    for block in text.records.blocks(text.kept):
        n_before, n_rows = n_rows, n_rows + block.lines.size
        rows = list[int]()
        while n_before <= wanted < n_rows:
            slots[slot] = n_taken + len(rows)
            rows.append(wanted - n_before)
            wanted, slot = next(plan, (-1, -1))
        if rows:
            taken.append(_rows_of(block, rows))
            n_taken += len(rows)
        if n_taken > 2 * size:
            kept = sorted(slots.values())
            taken, n_taken = [_rows_of(joined(taken), kept)], len(kept)
            slots = {slot: bisect_left(kept, row) for slot, row in slots.items()}
        if rows:
            n_bytes = sum(some.table.nbytes for some in taken)
            per_row = 2 * n_bytes / n_taken + text.overhead(n_bytes, budget) + 100
            budget.check(len(slots), per_row, text.records.name, is_sample=True)
    found = joined(taken)
    return (_rows_of(found, sorted(slots.values())) if slots else found), n_rows


def _rows_of(block: Block, rows: Sequence[int]) -> Block:
    chosen = np.array(rows, dtype=np.int64)
    return Block(block.table.take(chosen), block.lines[chosen])
