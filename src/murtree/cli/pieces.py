"""A table to predict, a piece at a time: it may be larger than the memory.

Lines are cut where no quote is open; each piece gets the header of the whole.
"""

import io
import re
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from murtree._columns import Column
from murtree._files import FileError, Table, read_table
from murtree._files._source import Source, open_source

PIECE = 2**25  # bytes that are read at a time
_LONGEST_LINE = 2**26  # bytes; a longer one is refused when it is read
_STDIN = "standard input"  # as the reader calls a piece
_LINE = re.compile(r"(?<=, line )\d+")


def tables(
    path: Path,
    *,
    columns: Sequence[Column],
    missing: Sequence[str] = (),
    format: str | None = None,
) -> Generator[Table, None, None]:
    """Yield the rows of a file, piece by piece, as a model knows its columns."""
    with open_source(path) as source:
        kind = source.format(format)
        if kind in ("parquet", "txt"):
            stream = source.stream if str(path) == "-" else None
            yield read_table(path, columns=columns, missing=missing, stdin=stream)
            return
        for content, n_before in _pieces(source.stream):
            stream = io.BytesIO(content)
            try:
                table = read_table(
                    "-", format=kind, columns=columns, missing=missing, stdin=stream
                )
            except FileError as error:
                raise FileError(_located(str(error), source, n_before)) from None
            notes = [_located(note, source, n_before) for note in table.notes]
            yield replace(table, source=source.name, notes=notes)


def _pieces(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Yield texts that all begin with the header, and how many lines each lacks."""
    header, _ = _record(stream, 0)
    lines, n_lines = _record(stream, PIECE)
    yield header + lines, 0
    n_before = n_lines
    while True:
        lines, n_lines = _record(stream, PIECE)
        if not lines:
            return
        if lines.strip():
            yield header + lines, n_before
        n_before += n_lines


def _record(stream: BinaryIO, size: int) -> tuple[bytes, int]:
    """Return whole rows of at least so many bytes, and how many lines they take."""
    lines: list[bytes] = []
    n_bytes = n_quotes = 0
    while True:
        line = stream.readline(_LONGEST_LINE)
        lines.append(line)
        n_bytes += len(line)
        n_quotes += line.count(b'"')
        is_whole = n_quotes % 2 == 0 and bool(line.strip())
        if not line or (is_whole and n_bytes >= size):
            return b"".join(lines), len(lines)


def _located(message: str, source: Source, n_before: int) -> str:
    """Name the file and its line where the reader named those of a piece."""
    message = message.replace(_STDIN, source.name)
    return _LINE.sub(lambda match: str(int(match[0]) + n_before), message)
