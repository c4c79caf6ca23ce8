"""A table to predict, read in chunks: it may be larger than the memory.

Each chunk ends where a record does, and gets the header of the whole.
"""

import csv
import io
import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from murtree._table.columns import Column
from murtree.cli.tables import FileError, Table, read_table
from murtree.cli.tables.delimited import delimiter_of
from murtree.cli.tables.rows import reader_of
from murtree.cli.tables.source import Source, open_source

CHUNK = 2**25  # bytes that are read at a time
_LONGEST_LINE = 2**26  # bytes; a longer one is refused when it is read
_STDIN = "standard input"  # as the reader calls a piece
_LINE = re.compile(r"(?<=, line )\d+")


def tables(
    path: Path,
    *,
    columns: Sequence[Column],
    missing: Sequence[str] = (),
    format: str | None = None,
    separator: str | None = None,
    keep_all: bool = False,
) -> Generator[Table, None, None]:
    """Yield the rows of a file, piece by piece, as a model knows its columns."""
    with open_source(path) as source:
        kind = source.format("csv" if separator and not format else format)
        if kind in ("parquet", "txt"):
            stream = source.stream if str(path) == "-" else None
            yield read_table(
                path,
                format=kind,
                columns=columns,
                missing=missing,
                keep_all=keep_all,
                as_arrays=True,
                stdin=stream,
            )
            return
        if separator is None:
            separator = "\t" if kind == "tsv" else delimiter_of(source.head)
        for content, n_before in _Cutter(source.stream, separator).pieces():
            stream = io.BytesIO(content)
            try:
                table = read_table(
                    "-",
                    format=kind,
                    separator=separator,
                    columns=columns,
                    missing=missing,
                    keep_all=keep_all,
                    as_arrays=True,
                    stdin=stream,
                )
            except FileError as error:
                raise FileError(_located(str(error), source, n_before)) from None
            notes = [_located(note, source, n_before) for note in table.notes]
            assert table.lines is not None
            lines = table.lines + n_before
            yield replace(table, source=source.name, notes=notes, lines=lines)


class _Cutter:
    """Takes whole rows from a stream, as the reader of the pieces tells them apart."""

    def __init__(self, stream: BinaryIO, delimiter: str) -> None:
        self._stream = stream
        self._delimiter = delimiter
        self._lines: list[bytes] = []  # of the piece at hand
        self._n_read = 0  # lines, of all pieces

    def pieces(self) -> Iterator[tuple[bytes, int]]:
        """Yield texts that all begin with the header, and how many lines each lacks."""
        header, _, _ = self._taken(0)
        rows, n_before, _ = self._taken(CHUNK)
        yield header + rows, 0
        while True:
            rows, n_lines, has_rows = self._taken(CHUNK)
            if not rows:
                return
            if has_rows:
                yield header + rows, n_before
            n_before += n_lines

    def _taken(self, size: int) -> tuple[bytes, int, bool]:
        """Return rows of at least so many bytes, their lines, and if there are any."""
        self._lines = []
        n_bytes, has_rows = 0, False
        for n_new, is_row in self._records():
            n_bytes += n_new
            has_rows |= is_row
            if has_rows and n_bytes >= size:
                break
        return b"".join(self._lines), len(self._lines), has_rows

    def _records(self) -> Iterator[tuple[int, bool]]:
        """Yield of each record its bytes, and whether it is more than a blank line."""
        while line := self._next_line():
            if b'"' not in line:  # most lines, and much faster
                yield len(line), bool(line.strip(b"\r\n"))
                continue
            n_lines = len(self._lines)
            reader = reader_of(self._decoded(line), self._delimiter)
            with suppress(csv.Error):  # the reader of the piece says where and what
                next(reader)
            n_bytes = len(line) + sum(map(len, self._lines[n_lines:]))
            yield n_bytes, True

    def _next_line(self) -> bytes:
        line = self._stream.readline(_LONGEST_LINE)
        if line:
            self._lines.append(line)
            self._n_read += 1
        return line

    def _decoded(self, line: bytes) -> Iterator[str]:
        while line:
            encoding = "utf-8-sig" if self._n_read == 1 else "utf-8"
            yield line.decode(encoding, "replace")
            line = self._next_line()


def _located(message: str, source: Source, n_before: int) -> str:
    """Name the file and its line where the reader named those of a piece."""
    message = message.replace(_STDIN, source.name)
    return _LINE.sub(lambda match: str(int(match[0]) + n_before), message)
