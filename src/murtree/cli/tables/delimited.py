"""Lines of cells, CSV and its kin, as columns of text.

Python's own `csv` says how: it tells where a line is wrong, which pandas' reader does
not for short ones. Types come later, when all rows are known.
"""

import csv
import io
import re
from array import array
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import BinaryIO

import numpy as np
import numpy.typing as npt

from murtree._table.predicate_text import printable
from murtree.cli.tables.error import FileError, listed, shown
from murtree.cli.tables.kinds import SEPARATOR, SPACES, split_cells
from murtree.cli.tables.rows import Rows, reader_of, rows_at_once
from murtree.cli.tables.sampling import picks
from murtree.cli.tables.source import Source

_LONGEST_LINE = 2**26  # bytes: a file of one endless line is no table
_BLOCK = 2**16  # bytes that are taken apart at a time: their cells fit in a cache
_CHUNK = 2**14  # rows of which the cells of a column are one text
_PER_ROW = 200  # bytes: one column at a time is split into its cells
_PER_CELL = 16  # bytes: a number, or a reference to a text, and a copy of it
_DELIMITERS = {",": "','", ";": "';'", "\t": "a tab"}
_PIPE = "|"  # taken only where none of the others occurs
_CODE = 4  # digits that a name may have: a year, or a number of a column
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")

_Content = tuple[list[list[str]], "array[int]", int]  # columns, lines, rows in file
Choose = Callable[[Sequence[str]], list[int]]


@dataclass
class TextTable:
    """Rows that were read, each cell as its text.

    Parameters
    ----------
    names : list of str
        The names of the columns that were kept.
    columns : list of list of str
        Of each column, the cells of some rows at a time, joined by `SEPARATOR`: as
        small as the file.
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
    columns: list[list[str]]
    lines: npt.NDArray[np.int64]
    n_rows_in_file: int
    delimiter: str
    notes: list[str]
    infinite: dict[str, str] = field(default_factory=dict)

    def as_written(self, place: int) -> list[str]:
        """Return the cells of a column with the spaces around them."""
        return [cell for some in self.columns[place] for cell in some.split(SEPARATOR)]

    def cells(self, place: int) -> list[str]:
        """Return the cells of a column, without spaces around them, and forget it."""
        cells: list[str] = []
        for chunk in self.columns[place]:
            cells += split_cells(chunk)
        self.forget(place)
        return cells

    def forget(self, place: int) -> None:
        """Leave the memory of a column to others."""
        self.columns[place] = []


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
        Given the names of all columns, it returns the places of those to keep.
    sample : int or None
        How many rows to take; None takes all.
    random_state : int
        The seed of the sample.
    """
    records = _Records(source, delimiter or delimiter_of(source.head))
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
    _check_size(source, len(kept), len(names), sample)
    take = _all_rows if sample is None else partial(_sampled, sample, random_state)
    columns, lines, n_rows = take(records, kept)
    if not n_rows:
        raise FileError(f"{source.name} has names of columns, but no rows.")
    return TextTable(
        [names[place] for place in kept],
        columns,
        np.array(lines, dtype=np.int64),
        n_rows,
        records.delimiter,
        notes,
    )


def delimiter_of(head: bytes) -> str:
    """Return what stands most often, outside quotes, in the first line with text."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n", 1)[0]
    bare = re.sub(rb'"[^"]*"', b"", first)
    best = max(_DELIMITERS, key=lambda delimiter: bare.count(delimiter.encode()))
    is_pipe = best.encode() not in bare and _PIPE.encode() in bare
    return _PIPE if is_pipe else best


class _Records:
    """The rows of a file, each with the line in which it begins."""

    def __init__(self, source: Source, delimiter: str) -> None:
        self.name = source.name
        self.budget = source.budget
        self.delimiter = delimiter
        self.header: list[str] = []
        self._stream = source.stream
        self._n_lines = 0  # that were read
        self._text: list[str] = []  # the lines of the latest row, as they came
        first = next(self._one_by_one(io.BytesIO()), None)
        if first is None:
            raise FileError(f"{source.name} is empty.")
        self.header = [cell.strip(SPACES) for cell in first[1]]

    def blocks(self) -> Iterator[Rows]:
        """Yield the rows, some at a time; each has as many cells as the header."""
        n_columns = len(self.header)
        while block := self._stream.read(_BLOCK):
            block += self._stream.readline(_LONGEST_LINE)
            first_line = self._n_lines + 1
            rows = rows_at_once(block, self.delimiter, n_columns, first_line)
            if rows is None:
                rows = self._with_care(block)
            else:
                self._n_lines += len(rows.begins)
            if rows.begins:  # not only blank lines
                yield rows

    def again(self, text: str) -> list[str]:
        """Return the cells of a row from its text."""
        return next(reader_of([text], self.delimiter))

    def _with_care(self, block: bytes) -> Rows:
        """Return the rows of a block; the last one may end behind it."""
        found, begins, texts = list[str](), list[int](), list[str]()
        lines = io.BytesIO(block)
        for line, cells in self._one_by_one(lines):
            found += cells
            begins.append(line)
            texts.append("".join(self._text))
            if lines.tell() == len(block):
                break
        return Rows(found, begins, texts)

    def _one_by_one(self, block: BinaryIO) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells) of a block, and of what follows it."""
        line = self._n_lines + 1
        self._text.clear()
        try:
            for cells in reader_of(self._decoded(block), self.delimiter):
                if len(cells) != len(self.header) and self.header and cells:
                    self._refuse_ragged(line, cells)
                if cells:  # not a blank line
                    yield line, cells
                line = self._n_lines + 1
                self._text.clear()
        except csv.Error as error:
            raise FileError(self._fault(line, str(error))) from None

    def _decoded(self, block: BinaryIO) -> Iterator[str]:
        """Yield the lines as text, and keep those of the current row."""
        streams = (block, self._stream)
        readers = (partial(stream.readline, _LONGEST_LINE) for stream in streams)
        for content in chain.from_iterable(iter(read, b"") for read in readers):
            self._n_lines += 1
            number = self._n_lines
            if b"\0" in content:
                raise FileError(
                    f"{self.name}, line {number} has a NUL byte: it must be text."
                )
            if len(content) == _LONGEST_LINE and not content.endswith(b"\n"):
                raise FileError(f"{self.name}, line {number} is over 64 MiB long.")
            try:
                line = content.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FileError(
                    f"{self.name}, line {number}, byte {error.start + 1} is not UTF-8: "
                    "save it as UTF-8, or convert it, as by `iconv -f latin1 -t utf-8`."
                ) from None
            self._text.append(line)
            yield line

    def _fault(self, line: int, said: str) -> str:
        where = f"{self.name}, line {line}"
        if "unexpected end" in said:
            return f"{where}: a quote is opened and never closed."
        if "field limit" in said:
            longest = csv.field_size_limit()
            return (
                f"{where}: a cell has over {longest:,} letters; is a quote not closed?"
            )
        if "new-line" in said:
            return f"{where}: lines must end with \\n or \\r\\n, not with \\r alone."
        return (
            f"{where}: {printable(said)}. A cell with quotes must be quoted as a "
            'whole, and its quotes doubled: "a ""b"" c".'
        )

    def _refuse_ragged(self, line: int, cells: list[str]) -> None:
        between = _DELIMITERS.get(self.delimiter, shown(self.delimiter))
        for number, some in ((1, self.header), (line, cells)):
            if some[0].startswith("#"):
                raise FileError(_comment(self.name, number, some))
        advice = f"cells that contain {between} must be in quotes"
        if len(cells) < len(self.header):
            advice = "cells without a value are written as nothing, or NA"
        raise FileError(
            f"{self.name}, line {line} has {len(cells)} cells, but the header names "
            f"{len(self.header)} columns: {advice}."
        )


def _comment(name: str, line: int, cells: list[str]) -> str:
    return (
        f"{name}, line {line} is a comment ({shown(cells[0])}): remove such lines, as "
        "by `grep -v '^#' FILE`."
    )


def looks_like_data(header: Sequence[str]) -> bool:
    """Whether names of columns are hardly names: 0.5, -1 or 12345 is among them.

    Examples
    --------
    >>> looks_like_data(["5.1", "3.5", "setosa"]), looks_like_data(["country", "2020"])
    (True, False)
    """
    numbers = [column for column in header if _NUMBER.fullmatch(column)]
    return any(len(text) > _CODE or not text.isdigit() for text in numbers)


def _check_names(header: list[str], name: str) -> None:
    """Refuse a first line that cannot be the names of columns."""
    if len(header) == 1 and header[0].startswith("#"):
        raise FileError(_comment(name, 1, header))
    first: dict[str, int] = {}
    repeated = None
    for place, column in enumerate(header, start=1):
        if column in first and repeated is None:
            repeated = (column, first[column], place)
        first.setdefault(column, place)
    is_data = all(map(_NUMBER.fullmatch, header))
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
        per_row += length + 100  # until all are known, each row is an object
    is_sample = sample is not None
    source.budget.check(n_rows, per_row, source.name, is_sample=is_sample)


def _all_rows(records: _Records, kept: list[int]) -> _Content:
    columns: list[list[str]] = [[] for _ in kept]
    lines = array("q")
    n_letters = n_chunks = 0
    for rows in records.blocks():
        lines.extend(rows.begins)
        n_letters += _move(rows.cells, len(records.header), kept, columns)
        if len(lines) >= _CHUNK * (n_chunks + 1):
            _join(columns, n_chunks)
            n_chunks += 1
            per_row = n_letters / len(lines) + _PER_ROW + _PER_CELL * len(kept)
            records.budget.check(len(lines), per_row, records.name)
    _join(columns, n_chunks)
    return columns, lines, len(lines)


def _join(columns: list[list[str]], n_chunks: int) -> None:
    """Make one text of those that follow the first so many of each column."""
    for column in columns:
        if len(column) > n_chunks:
            column[n_chunks:] = [SEPARATOR.join(column[n_chunks:])]


def _move(
    cells: list[str], n_columns: int, kept: list[int], columns: list[list[str]]
) -> int:
    """Append the cells of rows to columns, and return how many letters they have."""
    for place, column in zip(kept, columns, strict=True):
        column.append(SEPARATOR.join(cells[place::n_columns]))
    return sum(len(column[-1]) for column in columns)


def _sampled(
    size: int, random_state: int, records: _Records, kept: list[int]
) -> _Content:
    """Keep the text of some rows while all pass by; take it apart at the end."""
    texts: list[str] = []
    places = array("q")  # of each kept row: its number among all
    begins = array("q")  # and its line
    plan = picks(size, random_state)
    wanted, slot = next(plan)
    n_rows = n_letters = 0
    for rows in records.blocks():
        n_before, n_rows = n_rows, n_rows + len(rows.begins)
        while n_before <= wanted < n_rows:
            text, line = rows.texts[wanted - n_before], rows.begins[wanted - n_before]
            n_letters += len(text)
            if slot == len(texts):
                texts.append(text)
                places.append(wanted)
                begins.append(line)
            else:
                n_letters -= len(texts[slot])
                texts[slot], places[slot], begins[slot] = text, wanted, line
            wanted, slot = next(plan, (-1, -1))
            if not len(texts) % _CHUNK:
                per_row = 2 * n_letters / len(texts) + _PER_ROW + 100
                budget = records.budget
                budget.check(len(texts), per_row, records.name, is_sample=True)
    columns: list[list[str]] = [[] for _ in kept]
    order = sorted(range(len(texts)), key=places.__getitem__)
    for start in range(0, len(order), _CHUNK):
        some = (records.again(texts[place]) for place in order[start : start + _CHUNK])
        _move(list(chain.from_iterable(some)), len(records.header), kept, columns)
    return columns, array("q", map(begins.__getitem__, order)), n_rows
