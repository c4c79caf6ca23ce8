"""Tables from CSV and other delimited text: rows, columns and their kinds."""

from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
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


@dataclass
class TextTable:
    """Rows of text, before their kinds are known.

    Parameters
    ----------
    names : list of str
        The names of the columns that were kept.
    columns : list of ChunkedArray
        Their cells; empty cells are null.
    lines : ndarray of int64
        The line of the file in which each row begins.
    n_rows_in_file : int
        The number of rows in the file; these may be a sample.
    delimiter : str
        The character between cells.
    notes : list of str
        Notes for the user.
    infinite : dict of str, default={}
        By the name of the column, the first cell that is an infinite number.
    """

    names: list[str]
    columns: list[Any]
    lines: npt.NDArray[np.int64]
    n_rows_in_file: int
    delimiter: str
    notes: list[str]
    infinite: dict[str, str] = field(default_factory=dict)

    def as_written(self, index: int) -> list[str]:
        """Return the cells of a column, with trailing spaces."""
        return [cell or "" for cell in self.columns[index].to_pylist()]

    def cells(self, index: int) -> Any:
        """Return the cells of a column without spaces around them, and drop it."""
        cells = trimmed(self.columns[index])
        self.columns[index] = None  # to free the memory
        return cells


def read_delimited(
    source: Source,
    delimiter: str | None,
    choice: Choice,
    missing: frozenset[str],
    *,
    sample: int | None,
    random_state: int,
) -> Table:
    """Read all rows, or a uniform sample of them in one pass.

    Parameters
    ----------
    source : Source
        The text.
    delimiter : str or None
        The character between cells; None takes it from the first line.
    choice : Choice
        The columns to keep.
    missing : frozenset of str
        The words for missing values.
    sample : int or None
        The number of rows to take; None takes all.
    random_state : int
        The seed of the sample.
    """
    records, names, kept, notes = _opened(source, delimiter, choice)
    share = len(kept) / len(records.header)
    budget = _checked_budget(source, share, len(kept), sample)
    blocks = records.blocks(kept)
    if sample is None:
        found, n_rows = _all_rows(source.name, blocks, budget)
    else:
        found, n_rows = _sampled(source.name, blocks, budget, sample, random_state)
    if not n_rows:
        raise FileError(f"{source.name} has names of columns, but no rows.")
    columns = found.table.columns
    text = TextTable(names, columns, found.lines, n_rows, records.delimiter, notes)
    return _table_of(text, source.name, choice, missing)


def read_delimited_pieces(
    source: Source, delimiter: str | None, choice: Choice, missing: frozenset[str]
) -> Iterator[Table]:
    """Yield all rows in pieces: a file may be larger than the memory."""
    records, names, kept, notes = _opened(source, delimiter, choice)
    has_rows = False
    for block in records.blocks(kept):
        columns, n_rows = block.table.columns, block.lines.size
        text = TextTable(names, columns, block.lines, n_rows, records.delimiter, notes)
        yield _table_of(text, source.name, choice, missing)
        has_rows, notes = True, []
    if not has_rows:
        raise FileError(f"{source.name} has names of columns, but no rows.")


def _opened(
    source: Source, delimiter: str | None, choice: Choice
) -> tuple[Records, list[str], list[int], list[str]]:
    """Return the records, the names and positions of the kept columns, and notes."""
    records = Records(source, delimiter or delimiter_of(source.head))
    names = records.header
    check_header(names, source.name)
    notes = []
    if names[0] == "":
        notes.append(
            f"the first column of {source.name} has no name: it is taken as the names "
            "of rows, not as a feature."
        )
    if looks_like_data(names):
        notes.append(
            f"the first line of {source.name} looks like data, but is taken as the "
            f"names of columns: {listed(names)}. If it is data, add a line of names."
        )
    kept = choice.kept(names)
    return records, [names[index] for index in kept], kept, notes


def _table_of(
    text: TextTable, source: str, choice: Choice, missing: frozenset[str]
) -> Table:
    """Return the values of a text, as a model knows them or as all cells suggest."""
    commas = text.delimiter == ";"

    def where(row: int) -> str:
        return f"{source}, line {text.lines[row]}"

    def values(column: Column, name: str) -> Any:
        cells = text.cells(text.names.index(name))
        if "" in column.categories:
            cells = cells.fill_null("")
        return as_trained(cells, column, missing, where, commas)

    original = None
    if choice.keep_all:  # first: `cells` drops the text of a column
        original = {name: text.as_written(i) for i, name in enumerate(text.names)}
    if choice.columns is not None:
        found = choice.as_trained(text.lines.size, values)
    else:
        found = _inferred(text, source, missing)
    return Table(
        frame=found,
        source=source,
        n_rows_in_file=text.n_rows_in_file,
        is_sample=text.lines.size < text.n_rows_in_file,
        lines=text.lines,
        original=original,
        infinite=text.infinite,
        notes=text.notes,
    )


def _inferred(text: TextTable, source: str, missing: frozenset[str]) -> dict[str, Any]:
    """Return the values of each column, of the kind that all its cells have."""
    commas = text.delimiter == ";"
    columns = [text.cells(index) for index in range(len(text.names))]
    with ThreadPoolExecutor() as pool:  # pyarrow and NumPy release the GIL
        kinds = pool.map(lambda cells: infer(cells, missing, commas=commas), columns)
        found = dict(zip(text.names, kinds, strict=True))
    for cells, (name, column) in zip(columns, found.items(), strict=True):
        is_real = column.values.dtype.kind == "f"
        if is_real and (is_infinite := np.isinf(column.values)).any():
            text.infinite[name] = cells[int(is_infinite.argmax())].as_py()
        is_text = column.kind == "text" and commas
        grouped = grouped_number(cells, missing) if is_text else None
        if grouped is not None:
            raise FileError(
                f"column {shown(name)} of {source} must hold numbers without points "
                f"between thousands. Got {shown(grouped)}, for example."
            )
        if column.odd is not None:
            word = shown(column.values[column.odd])
            text.notes.append(
                f"column {shown(name)} of {source} is text because of {word}, first in "
                f"line {text.lines[column.odd]}: all else in it is a number. If it "
                f"means missing, add --missing {word}."
            )
    refuse_two_decimals(found, source)
    return {name: column.values for name, column in found.items()}


def _checked_budget(
    source: Source, share: float, n_columns: int, sample: int | None
) -> Budget:
    """Return the memory budget; refuse a large file by the length of its first rows."""
    budget = Budget()
    if source.size is None:
        return budget  # checked while reading
    length = len(source.head) / max(source.head.count(b"\n"), 1)
    n_rows = source.size / length
    per_row = _PER_ROW + _PER_CELL * n_columns + length * share
    if sample is not None:
        n_rows = min(n_rows, sample)
        per_row += length + 100  # rows that are replaced later take memory too
    budget.check(n_rows, per_row, source.name, is_sample=sample is not None)
    return budget


def _all_rows(name: str, blocks: Iterable[Block], budget: Budget) -> tuple[Block, int]:
    kept: list[Block] = []
    n_rows = n_bytes = 0
    for block in blocks:
        kept.append(block)
        n_rows += block.lines.size
        n_bytes += block.table.nbytes
        per_row = n_bytes / n_rows + _PER_ROW + _PER_CELL * block.table.num_columns
        budget.check(n_rows, per_row, name)
    return joined(kept), n_rows


def _sampled(
    name: str, blocks: Iterable[Block], budget: Budget, size: int, random_state: int
) -> tuple[Block, int]:
    """Sample rows in one pass; replaced rows are dropped in bulk."""
    taken: list[Block] = []
    slots: dict[int, int] = {}  # of the reservoir: indices among the rows taken
    plan = picks(size, random_state)
    wanted, slot = next(plan)
    n_rows = n_taken = 0
    for block in blocks:
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
            taken, slots = _compacted(taken, slots)
            n_taken = len(slots)
        if rows:
            per_row = 2 * sum(some.table.nbytes for some in taken) / n_taken
            per_row += _PER_ROW + 100
            budget.check(len(slots), per_row, name, is_sample=True)
    found = joined(taken)
    return (_rows_of(found, sorted(slots.values())) if slots else found), n_rows


def _rows_of(block: Block, rows: Sequence[int]) -> Block:
    chosen = np.array(rows, dtype=np.int64)
    return Block(block.table.take(chosen), block.lines[chosen])


def _compacted(
    taken: list[Block], slots: dict[int, int]
) -> tuple[list[Block], dict[int, int]]:
    """Return the rows that are in a slot, and the slots with their new indices."""
    rows = sorted(slots.values())
    position = {row: index for index, row in enumerate(rows)}
    kept = _rows_of(joined(taken), rows)
    return [kept], {slot: position[row] for slot, row in slots.items()}
