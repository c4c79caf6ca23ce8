"""Whole lines taken apart, many at a time where nothing is wrong with any of them.

Going from line to line in Python took most of the time of reading a file. So a block of
lines is split at once, and only one that looks odd is gone through line by line, which
tells where the fault is.
"""

import csv
from collections.abc import Iterable, Sequence
from itertools import chain, repeat
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import _csv


class Rows(NamedTuple):
    """Rows that follow each other in a file."""

    cells: list[str]  # of all of them, one row after the other
    begins: Sequence[int]  # the line in which each begins
    texts: Sequence[str]  # each as it stands in the file


def reader_of(lines: Iterable[str], delimiter: str) -> "_csv.Reader":
    """Return what takes lines apart; where it ends a record, a record ends."""
    return csv.reader(lines, delimiter=delimiter, strict=True, skipinitialspace=True)


def rows_at_once(
    block: bytes, delimiter: str, n_columns: int, first_line: int
) -> Rows | None:
    r"""Return the rows of a block if each is one line, and all are as they must be.

    They are what `reader_of` returns for them; None means that it must tell.

    Examples
    --------
    >>> rows_at_once(b"1,2\n3,4\n", ",", 2, 7)
    Rows(cells=['1', '2', '3', '4'], begins=range(7, 9), texts=['1,2', '3,4'])
    >>> rows_at_once(b"1,2\n3\n", ",", 2, 7) is None
    True
    """
    try:
        text = block.decode()
    except UnicodeDecodeError:
        return None
    if "\r" in text:
        text = text.replace("\r\n", "\n")
    if "\r" in text or "\0" in text:
        return None
    lines = text.removesuffix("\n").split("\n")
    split = _quoted if '"' in text else _unquoted
    cells = split(lines, delimiter, n_columns)
    if cells is None:
        return None
    return Rows(cells, range(first_line, first_line + len(lines)), lines)


def _quoted(lines: list[str], delimiter: str, n_columns: int) -> list[str] | None:
    try:
        rows = list(reader_of(lines, delimiter))
    except csv.Error:
        return None
    is_each_a_line = len(rows) == len(lines)
    if not is_each_a_line or set(map(len, rows)) != {n_columns}:
        return None
    return list(chain.from_iterable(rows))


def _unquoted(lines: list[str], delimiter: str, n_columns: int) -> list[str] | None:
    n_delimiters = set(map(str.count, lines, repeat(delimiter)))
    if n_delimiters != {n_columns - 1} or "" in lines:
        return None
    text = delimiter.join(lines)
    cells = text.split(delimiter)
    limit = csv.field_size_limit()
    if len(text) > limit and max(map(len, cells)) > limit:
        return None
    if text.startswith(" ") or delimiter + " " in text:
        return [cell.lstrip(" ") for cell in cells]
    return cells
