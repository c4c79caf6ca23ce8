"""Tables from CSV and its kin: which rows and columns, and what all cells mean."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree.cli.tables.error import FileError, listed, shown
from murtree.cli.tables.kinds import (
    NUMBER,
    Inferred,
    grouped_number,
    infer,
    trimmed,
)
from murtree.cli.tables.records import Block, Records, comment, delimiter_of
from murtree.cli.tables.sampling import picks
from murtree.cli.tables.source import Source

_PER_ROW = 200  # bytes: the largest column is there as text and as values
_PER_CELL = 16  # bytes: a number, or a reference to a text, and a copy of it
_CODE = 4  # digits that a name may have: a year, or a number of a column

Choose = Callable[[Sequence[str]], list[int]]


@dataclass
class TextTable:
    """Rows that were read, each cell as its text.

    Parameters
    ----------
    names : list of str
        The names of the columns that were kept.
    columns : list of ChunkedArray
        Their cells, with null for an empty one.
    lines : ndarray of int64
        The line of the file in which each row begins.
    n_rows_in_file : int
        Of which these may be a sample.
    delimiter : str
        What stood between the cells.
    notes : list of str
        What the user should know.
    infinite : dict of str, default={}
        The first cell of a column that is an infinite number, by its name.
    """

    names: list[str]
    columns: list[Any]
    lines: npt.NDArray[np.int64]
    n_rows_in_file: int
    delimiter: str
    notes: list[str]
    infinite: dict[str, str] = field(default_factory=dict)

    def as_written(self, place: int) -> list[str]:
        """Return the cells of a column with the spaces behind them."""
        return [cell or "" for cell in self.columns[place].to_pylist()]

    def cells(self, place: int) -> Any:
        """Return the cells of a column, without spaces around them, and forget it."""
        cells = trimmed(self.columns[place])
        self.columns[place] = None  # its memory is for others
        return cells


def read_delimited(
    source: Source,
    delimiter: str | None,
    choose: Choose,
    sample: int | None,
    random_state: int,
) -> TextTable:
    """Read all rows, or a uniform sample of them in one pass.

    Parameters
    ----------
    source : Source
        The text.
    delimiter : str or None
        What stands between cells; None looks at the first line.
    choose : callable
        Given the names of all columns, it returns the positions of those to keep.
    sample : int or None
        How many rows to take; None takes all.
    random_state : int
        The seed of the sample.
    """
    records, names, kept, notes = _opened(source, delimiter, choose)
    _check_size(source, len(kept), len(records.header), sample)
    blocks = records.blocks(kept)
    if sample is None:
        found, n_rows = _all_rows(source, blocks)
    else:
        found, n_rows = _sampled(source, blocks, sample, random_state)
    if not n_rows:
        raise FileError(f"{source.name} has names of columns, but no rows.")
    columns = found.table.columns
    return TextTable(names, columns, found.lines, n_rows, records.delimiter, notes)


def read_delimited_pieces(
    source: Source, delimiter: str | None, choose: Choose
) -> Iterator[TextTable]:
    """Yield all rows, some at a time: a file may be larger than the memory."""
    records, names, kept, notes = _opened(source, delimiter, choose)
    has_rows = False
    for block in records.blocks(kept):
        columns, n_rows = block.table.columns, block.lines.size
        yield TextTable(names, columns, block.lines, n_rows, records.delimiter, notes)
        has_rows, notes = True, []
    if not has_rows:
        raise FileError(f"{source.name} has names of columns, but no rows.")


def _opened(
    source: Source, delimiter: str | None, choose: Choose
) -> tuple[Records, list[str], list[int], list[str]]:
    """Return the records, the names and positions of the kept columns, and notes."""
    records = Records(source, delimiter or delimiter_of(source.head))
    names = records.header
    _check_names(names, source.name)
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
    kept = choose(names)
    return records, [names[place] for place in kept], kept, notes


def inferred_columns(
    text: TextTable, source: str, missing: frozenset[str]
) -> dict[str, Any]:
    """Return each column, by its name, as what all its cells are."""
    commas = text.delimiter == ";"
    columns = [text.cells(place) for place in range(len(text.names))]
    with ThreadPoolExecutor() as pool:  # pyarrow and NumPy leave the lock to others
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
    _refuse_two_decimals(found, source)
    return {name: column.values for name, column in found.items()}


def _refuse_two_decimals(found: dict[str, Inferred], source: str) -> None:
    """Refuse 1.234 beside 2,5: the one may be a thousand, or a little over one."""
    by_sign = {column.decimal: name for name, column in found.items()}
    if {".", ","} <= by_sign.keys():
        raise FileError(
            f"{source} has decimal commas in column {shown(by_sign[','])} and points "
            f"in column {shown(by_sign['.'])}: write all numbers with points."
        )


def looks_like_data(header: Sequence[str]) -> bool:
    """Whether names of columns are hardly names: 0.5, -1 or 12345 is among them.

    Examples
    --------
    >>> looks_like_data(["5.1", "3.5", "setosa"]), looks_like_data(["country", "2020"])
    (True, False)
    """
    numbers = [column for column in header if _is_finite_number(column)]
    return any(len(text) > _CODE or not text.isdigit() for text in numbers)


def _is_finite_number(text: str) -> bool:
    return bool(NUMBER.fullmatch(text)) and "n" not in text.lower()  # inf has one


def _check_names(header: list[str], name: str) -> None:
    """Refuse a first line that cannot be the names of columns."""
    if len(header) == 1 and header[0].startswith("#"):
        raise FileError(comment(name, 1, header))
    first: dict[str, int] = {}
    repeated = None
    for place, column in enumerate(header, start=1):
        if column in first and repeated is None:
            repeated = (column, first[column], place)
        first.setdefault(column, place)
    is_data = all(map(_is_finite_number, header))
    if is_data and (repeated or any("." in column for column in header)):
        raise FileError(
            f"the first line of {name} must name the columns. Got numbers instead: "
            f"{listed(header)}. Add a line of names before it."
        )
    for place, column in enumerate(header[1:], start=2):
        if not column:
            raise FileError(
                f"column {place} of {name} has no name: name it in the first line, or "
                "remove it."
            )
    if repeated is not None:
        column, one, other = repeated
        raise FileError(
            f"columns {one} and {other} of {name} are both named {shown(column)}: "
            "names must be distinct. Does the first line name the columns?"
        )
    if header == [""]:
        raise FileError(f"the first line of {name} must name the columns.")


def _check_size(source: Source, n_kept: int, n_all: int, sample: int | None) -> None:
    """Refuse a file that is too large, by the length of its first rows."""
    if source.size is None:
        return  # refused when it turns out to be
    length = len(source.head) / max(source.head.count(b"\n"), 1)
    n_rows = source.size / length
    per_row = _PER_ROW + _PER_CELL * n_kept + length * n_kept / n_all
    if sample is not None:
        n_rows = min(n_rows, sample)
        per_row += length + 100  # some rows are kept, and then replaced by others
    is_sample = sample is not None
    source.budget.check(n_rows, per_row, source.name, is_sample=is_sample)


def _all_rows(source: Source, blocks: Iterable[Block]) -> tuple[Block, int]:
    kept: list[Block] = []
    n_rows = n_bytes = 0
    for block in blocks:
        kept.append(block)
        n_rows += block.lines.size
        n_bytes += block.table.nbytes
        per_row = n_bytes / n_rows + _PER_ROW + _PER_CELL * block.table.num_columns
        source.budget.check(n_rows, per_row, source.name)
    return _joined(kept), n_rows


def _joined(blocks: list[Block]) -> Block:
    import pyarrow as pa

    if not blocks:
        return Block(pa.table({}), np.empty(0, dtype=np.int64))
    tables, lines = zip(*blocks, strict=True)
    return Block(pa.concat_tables(tables), np.concatenate(lines))


def _sampled(
    source: Source, blocks: Iterable[Block], size: int, random_state: int
) -> tuple[Block, int]:
    """Take rows as all pass by; those that later ones replace are dropped in bulk."""
    taken: list[Block] = []
    slots: dict[int, int] = {}  # of the reservoir: which of the taken rows is there
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
            source.budget.check(len(slots), per_row, source.name, is_sample=True)
    found = _joined(taken)
    return (_rows_of(found, sorted(slots.values())) if slots else found), n_rows


def _rows_of(block: Block, rows: Sequence[int]) -> Block:
    chosen = np.array(rows, dtype=np.int64)
    return Block(block.table.take(chosen), block.lines[chosen])


def _compacted(
    taken: list[Block], slots: dict[int, int]
) -> tuple[list[Block], dict[int, int]]:
    """Drop the rows that are in no slot."""
    rows = sorted(slots.values())
    position = {row: place for place, row in enumerate(rows)}
    kept = _rows_of(_joined(taken), rows)
    return [kept], {slot: position[row] for slot, row in slots.items()}
