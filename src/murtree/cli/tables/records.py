"""Read the records of delimited text in blocks, as Arrow columns.

pyarrow reads blocks of regular records. Python's `csv` reads the others by line:
it reports the line of an error, and reads cases in which pyarrow differs, such as a
quote after another character.
"""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, BinaryIO, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.predicate_text import printable
from murtree.cli.tables.error import FileError, listed, shown
from murtree.cli.tables.kinds import NUMBER, SPACES, column_of_cells
from murtree.cli.tables.source import Source

if TYPE_CHECKING:
    import _csv

_LONGEST_LINE = 2**26  # bytes: a longer line is an error
BLOCK = 2**22  # bytes that are parsed at a time
DELIMITERS = {",": "','", ";": "';'", "\t": "a tab"}
_PIPE = "|"  # used only if none of the others occurs
_CODE = 4  # digits of a number that may be a name: a year, or the number of a column
_QUOTED = r'"(?:[^"]|"")*+"(?={}|\r?\n|\Z)'


class Block(NamedTuple):
    """Consecutive records of a file."""

    table: Any  # an Arrow table of text; empty cells are null
    lines: npt.NDArray[np.int64]  # the first line of each record


def joined(blocks: Sequence[Block]) -> Block:
    """Return blocks as one."""
    import pyarrow as pa

    if not blocks:
        return Block(pa.table({}), np.empty(0, dtype=np.int64))
    tables, lines = zip(*blocks, strict=True)
    return Block(pa.concat_tables(tables), np.concatenate(lines))


def delimiter_of(head: bytes) -> str:
    """Return the most frequent delimiter, outside quotes, in the first line of text."""
    first = head.removeprefix(b"\xef\xbb\xbf").lstrip(b"\r\n").split(b"\n", 1)[0]
    bare = re.sub(rb'"[^"]*"', b"", first)
    best = max(DELIMITERS, key=lambda delimiter: bare.count(delimiter.encode()))
    is_pipe = best.encode() not in bare and _PIPE.encode() in bare
    return _PIPE if is_pipe else best


class Records:
    """The records of a file, with their line numbers.

    Parameters
    ----------
    source : Source
        The text.
    delimiter : str
        The character between cells.
    """

    def __init__(self, source: Source, delimiter: str) -> None:
        self.name = source.name
        self.delimiter = delimiter
        self.header: list[str] = []
        self._stream = source.stream
        self._n_lines = 0  # read so far
        first = next(self._one_by_one(io.BytesIO()), None)
        if first is None:
            raise FileError(f"{source.name} is empty.")
        self.header = [cell.strip(SPACES) for cell in first[1]]

    def blocks(self, kept: Sequence[int]) -> Iterator[Block]:
        """Yield blocks of records, with the columns at these indices."""
        parser = _Parser(self.delimiter, len(self.header), kept)
        while content := self._next_block():
            chars = np.frombuffer(content, dtype=np.uint8)
            n_breaks = int(np.count_nonzero(chars == ord("\n")))
            block = parser.parse(content, n_breaks, self._n_lines + 1)
            if block is None:
                block = self._with_care(content, parser)
            else:
                self._n_lines += n_breaks + (not content.endswith(b"\n"))
            if block.lines.size:  # not only blank lines
                yield block

    def first_rows(self, head: bytes, kept: Sequence[int]) -> Any:
        """Return the complete records in `head`, the first bytes of a file.

        The table is empty if only the slower module `csv` can read them.
        """
        parser = _Parser(self.delimiter, len(self.header), kept)
        content = head[head.find(b"\n") + 1 : head.rfind(b"\n") + 1]
        block = parser.parse(content, content.count(b"\n"), 2)
        return parser.table_of([]) if block is None else block.table

    def _next_block(self) -> bytes:
        """Return complete lines, and complete cells, judging by quotes."""
        content = self._stream.read(BLOCK)
        content += self._stream.readline(_LONGEST_LINE)
        limit = len(content) + csv.field_size_limit()
        n_quotes = content.count(b'"') if b'"' in content else 0  # `in` is faster
        while n_quotes % 2 and len(content) < limit:
            line = self._stream.readline(limit)
            if not line:
                break
            content += line
            n_quotes += line.count(b'"')
        return content

    def _with_care(self, content: bytes, parser: "_Parser") -> Block:
        """Return the records of a block; the last record may end after it."""
        cells, begins = list[str](), list[int]()
        lines = io.BytesIO(content)
        for line, some in self._one_by_one(lines):
            cells += some
            begins.append(line)
            if lines.tell() == len(content):
                break
        return Block(parser.table_of(cells), np.array(begins, dtype=np.int64))

    def _one_by_one(self, block: BinaryIO) -> Iterator[tuple[int, list[str]]]:
        """Yield (line, cells) for a block and the rest of the file."""
        line = self._n_lines + 1
        try:
            for cells in _reader_of(self._decoded(block), self.delimiter):
                if len(cells) != len(self.header) and self.header and cells:
                    self._refuse_ragged(line, cells)
                if cells:  # not a blank line
                    yield line, cells
                line = self._n_lines + 1
        except csv.Error as error:
            raise FileError(self._fault(line, str(error))) from None

    def _decoded(self, block: BinaryIO) -> Iterator[str]:
        """Yield the lines as text."""
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
                yield content.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FileError(
                    f"{self.name}, line {number}, byte {error.start + 1} is not UTF-8: "
                    "save it as UTF-8, or convert it, as by `iconv -f latin1 -t utf-8`."
                ) from None

    def _fault(self, line: int, error: str) -> str:
        where = f"{self.name}, line {line}"
        if "unexpected end" in error:
            return f"{where}: a quote is opened and never closed."
        if "field limit" in error:
            longest = csv.field_size_limit()
            return (
                f"{where}: a cell has over {longest:,} characters; is a quote not "
                "closed?"
            )
        if "new-line" in error:
            return f"{where}: lines must end with \\n or \\r\\n, not with \\r alone."
        return (
            f"{where}: {printable(error)}. A cell with quotes must be quoted as a "
            'whole, and its quotes doubled: "a ""b"" c".'
        )

    def _refuse_ragged(self, line: int, cells: list[str]) -> None:
        between = DELIMITERS.get(self.delimiter, shown(self.delimiter))
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
    """Return the message that a line is a comment."""
    return (
        f"{name}, line {line} is a comment ({shown(cells[0])}): remove such lines, as "
        "by `grep -v '^#' FILE`."
    )


def looks_like_data(header: Sequence[str]) -> bool:
    """Return whether a header has numbers that are hardly names, as 0.5 or 12345.

    Examples
    --------
    >>> looks_like_data(["5.1", "3.5", "setosa"]), looks_like_data(["country", "2020"])
    (True, False)
    """
    numbers = [column for column in header if _is_finite_number(column)]
    return any(len(text) > _CODE or not text.isdigit() for text in numbers)


def _is_finite_number(text: str) -> bool:
    return bool(NUMBER.fullmatch(text)) and "n" not in text.lower()  # inf has one


def check_header(header: list[str], name: str) -> None:
    """Refuse a first line that cannot be the names of columns."""
    if len(header) == 1 and header[0].startswith("#"):
        raise FileError(_comment(name, 1, header))
    first: dict[str, int] = {}
    repeated = None
    for number, column in enumerate(header, start=1):
        if column in first and repeated is None:
            repeated = (column, first[column], number)
        first.setdefault(column, number)
    is_data = all(map(_is_finite_number, header))
    if is_data and (repeated or any("." in column for column in header)):
        raise FileError(
            f"the first line of {name} must name the columns. Got numbers instead: "
            f"{listed(header)}. Add a line of names before it."
        )
    for number, column in enumerate(header[1:], start=2):
        if not column:
            raise FileError(
                f"column {number} of {name} has no name: name it in the first line, or "
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


def _reader_of(lines: Iterable[str], delimiter: str) -> "_csv.Reader":
    return csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)


class _Parser:
    """Parse blocks with pyarrow, if the result is the same as with `csv`.

    Parameters
    ----------
    delimiter : str
        The character between cells.
    n_columns : int
        The number of cells of each record.
    kept : sequence of int
        The columns to return.
    """

    def __init__(self, delimiter: str, n_columns: int, kept: Sequence[int]) -> None:
        self._delimiter = delimiter
        self._names = list(map(str, range(n_columns)))
        self._kept = [self._names[index] for index in kept]
        begin = rf"(?:\A|(?<=\n)|(?<={re.escape(delimiter)}))"
        quoted = _QUOTED.format(re.escape(delimiter))
        self._quoted = re.compile(f"{begin}{quoted}".encode())
        self._spaced = re.compile(f"{begin}(?: +({quoted})?+|({quoted}))".encode())

    def parse(self, content: bytes, n_breaks: int, first_line: int) -> Block | None:
        """Return the records of a block; None if `csv` has to read it."""
        import pyarrow as pa

        bare = content.rstrip(b"\r\n")
        n_breaks -= content.count(b"\n", len(bare))
        content = self._without_spaces(bare)
        if self._is_odd(content):
            return None
        try:
            table = self._table(content, self._kept)
        except pa.ArrowInvalid:  # a record has too few or too many cells
            return None
        if n_breaks == len(table) - 1:
            lines = np.arange(len(table), dtype=np.int64)
        elif b"\n\n" in content or b"\n\r\n" in content:  # a blank line, or in a cell
            return None
        else:
            lines = _line_numbers(self._table(content, self._names))
        return Block(table, lines + first_line)

    def table_of(self, cells: list[str]) -> Any:
        """Return a table, given the cells of all records."""
        import pyarrow as pa

        columns = [
            column_of_cells(cells[int(name) :: len(self._names)]) for name in self._kept
        ]
        return pa.Table.from_arrays(columns, self._kept)

    def _without_spaces(self, content: bytes) -> bytes:
        """Return a block without spaces before cells; pyarrow would keep them."""
        if b" " not in content:  # a quick look
            return content
        spaces = (b"\n ", self._delimiter.encode() + b" ")
        if content.startswith(b" ") or any(space in content for space in spaces):
            return self._spaced.sub(rb"\1\2", content)
        return content

    def _is_odd(self, content: bytes) -> bool:
        """Return whether a block is invalid, or pyarrow reads it differently."""
        has_quotes = b'"' in content
        return (
            content[:1] in b"\r\n"
            or content.startswith(codecs.BOM_UTF8)  # pyarrow would drop it
            or content.endswith(b"\n")  # a line of spaces follows
            or b"\0" in content
            or (b"\r" in content and _has_lone_return(content))
            or len(self._delimiter.encode()) > 1
            # A blank line is not a record, but a line of spaces or quotes is.
            or (len(self._names) == 1 and (has_quotes or b" " in content))
            or (has_quotes and b'"' in self._quoted.sub(b"", content))
            or not _is_text(content)
        )

    def _table(self, content: bytes, names: list[str]) -> Any:
        import pyarrow as pa
        from pyarrow import csv as reader

        has_quotes = b'"' in content
        return reader.read_csv(
            pa.BufferReader(content),
            read_options=reader.ReadOptions(
                column_names=self._names, block_size=len(content) + 1
            ),
            parse_options=reader.ParseOptions(
                delimiter=self._delimiter,
                quote_char='"' if has_quotes else False,
                newlines_in_values=has_quotes,
            ),
            convert_options=reader.ConvertOptions(
                include_columns=names,
                column_types=dict.fromkeys(names, pa.string()),
                check_utf8=False,
                null_values=[""],
                strings_can_be_null=True,
            ),
        )


def _has_lone_return(content: bytes) -> bool:
    return content.count(b"\r") != content.count(b"\r\n")


def _is_text(content: bytes) -> bool:
    if content.isascii():
        return True
    try:
        content.decode()
    except UnicodeDecodeError:
        return False
    return True


def _line_numbers(table: Any) -> npt.NDArray[np.int64]:
    """Return the number of lines before each record, counting breaks in cells."""
    from pyarrow import compute

    n_lines = np.ones(len(table), dtype=np.int64)
    for column in table.columns:
        breaks = compute.count_substring(column, "\n")
        n_lines += compute.fill_null(breaks, 0).to_numpy()
    return np.cumsum(n_lines) - n_lines
