"""Read tables from CSV, TSV, Parquet, or text lines ``class f1 f2 ...``.

Files may be compressed with gzip, or come from standard input.
"""

import os
from collections.abc import Collection, Generator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np

from murtree import datasets
from murtree._input.parameters import check_int
from murtree._table.columns import Column
from murtree._table.frames import ArrayTable, RawColumn, raw_columns
from murtree.cli.tables.as_trained import as_trained
from murtree.cli.tables.delimited import read_delimited, read_delimited_pieces
from murtree.cli.tables.error import FileError, shown
from murtree.cli.tables.kinds import MISSING, column_of_cells
from murtree.cli.tables.memory import Budget
from murtree.cli.tables.parquet import read_parquet
from murtree.cli.tables.sampling import sampled_rows
from murtree.cli.tables.source import FORMATS, Source, open_source
from murtree.cli.tables.table import Choice, Roles, Table

_SEPARATORS = {"tsv": "\t"}  # of other formats: taken from the first line
_FIELD_GROWTH = 8  # bytes in memory for each byte of a file in the format "txt"


def read_table(
    path: str | os.PathLike[str],
    *,
    format: str | None = None,
    separator: str | None = None,
    columns: Sequence[Column] | None = None,
    names: Collection[str] | None = None,
    missing: Collection[str] = (),
    sample: int | None = None,
    random_state: int = 0,
    keep_all: bool = False,
    as_arrays: bool = False,
    roles: Roles | None = None,
    stdin: BinaryIO | None = None,
) -> Table:
    r"""Read a table from a file or from standard input.

    The kind of a text column fits all its cells:

    - numbers: ``3``, ``-2.5``, ``1e6``; ``2,5`` if the separator is a semicolon. Whole
      numbers beyond 2**53 and numbers with leading zeros are probably identifiers or
      postal codes: they stay text;
    - booleans: ``true`` and ``false``, in any case; ``yes`` and ``no`` stay text;
    - dates: ISO dates such as ``2024-01-31``, with or without a time, all with a time
      zone or all without;
    - otherwise text: categories. Spaces around a cell are ignored.

    Missing values are empty cells, NA, N/A, n/a, #N/A, <NA>, NaN, nan, null, NULL and
    NaT, but not None and none, which are often categories. Parquet has its own types
    and missing values.

    Parameters
    ----------
    path : str or path-like
        A file, which may be compressed with gzip, or "-" for standard input.
    format : {"csv", "tsv", "txt", "parquet"}, default=None
        By default detected from the content and the name. "txt" has lines
        ``class f1 f2 ...``, with 0/1 features.
    separator : str, default=None
        The character between cells. By default a comma, semicolon, tab or "|",
        detected from the first line.
    columns : sequence of Column, default=None
        The columns of a saved model: only these are read, in this order and with
        these kinds; columns of the kind "empty" are all missing.
    names : collection of str, default=None
        The columns to read; by default all.
    missing : collection of str, default=()
        Additional words for missing values, such as "?".
    sample : int, default=None
        The size of a uniform sample of rows, read in one pass, in file order.
    random_state : int, default=0
        The seed of the sample.
    keep_all : bool, default=False
        With `columns`, whether to keep the whole file unchanged too (`original`).
    as_arrays : bool, default=False
        With `columns`, whether to return NumPy arrays instead of a data frame;
        pandas is then imported only for times.
    roles : Roles, default=None
        The columns with a role in training; they are checked before rows are read.
    stdin : binary stream, default=None
        Standard input; by default that of the process.

    Returns
    -------
    table : Table
        The rows and their source.

    Raises
    ------
    FileError
        If the file is not valid, or too large for the memory.

    Examples
    --------
    >>> import io
    >>> text = b"age;zip;joined;churn\n41;01234;2024-01-31;yes\n;98765;NA;no\n"
    >>> table = read_table("-", stdin=io.BytesIO(text))
    >>> print(table.frame)
        age    zip     joined churn
    0    41  01234 2024-01-31   yes
    1  <NA>  98765        NaT    no
    """
    _check_parameters(format, separator, sample)
    if names is not None and not names:
        raise FileError("names must have at least one column, or be None for all.")
    with open_source(path, stdin) as source:
        kind = source.format("csv" if separator and not format else format)
        choice = Choice(
            source.name,
            columns,
            names,
            frozenset(missing) | (MISSING if kind != "parquet" else frozenset()),
            sample,
            random_state,
            keep_all,
            roles,
        )
        if kind == "parquet":
            table = read_parquet(source, choice)
        elif kind == "txt":
            table = _from_field(source, choice)
        else:
            table = read_delimited(source, separator or _SEPARATORS.get(kind), choice)
    make = _array_table if as_arrays else _data_frame
    return replace(table, frame=make(table.frame))


def read_pieces(
    path: str | os.PathLike[str],
    *,
    columns: Sequence[Column],
    missing: Sequence[str] = (),
    format: str | None = None,
    separator: str | None = None,
    keep_all: bool = False,
) -> Generator[Table, None, None]:
    """Yield the rows of a file in pieces, as arrays, like `read_table`.

    A text file may then be larger than the memory; the first piece has the notes.
    Other formats are one piece.
    """
    _check_parameters(format, separator, None)
    with open_source(path) as source:
        kind = source.format("csv" if separator and not format else format)
        if kind in ("parquet", "txt"):
            yield read_table(
                path,
                format=kind,
                columns=columns,
                missing=missing,
                keep_all=keep_all,
                as_arrays=True,
                stdin=source.stream if str(path) == "-" else None,
            )
            return
        words = MISSING | frozenset(missing)
        choice = Choice(source.name, columns, None, words, keep_all=keep_all)
        between = separator or _SEPARATORS.get(kind)
        for table in read_delimited_pieces(source, between, choice):
            yield replace(table, frame=_array_table(table.frame))


def _check_parameters(
    format: str | None, separator: str | None, sample: int | None
) -> None:
    if separator is not None and (
        len(separator) != 1 or separator.isalnum() or separator in ' "\r\n\0.+-'
    ):
        raise FileError(
            "--separator must be one character such as ',', ';' or '|', or tab. Got "
            f"{shown(separator)} instead."
        )
    if format is not None and format not in FORMATS:
        raise FileError(
            f"the format must be one of {', '.join(FORMATS)}. Got {shown(format)} "
            "instead."
        )
    if sample is not None:
        check_int(sample, "sample", "read_table", 1, None)


def _from_field(source: Source, choice: Choice) -> Table:
    """Read lines ``class f1 f2 ...``; the columns get these names."""
    with source.as_file() as path:
        assert source.size is not None
        length = len(source.head.split(b"\n", 1)[0]) + 1
        advice = "Save it as CSV or Parquet, of which --sample reads random rows"
        n_lines, per_line = source.size / length, _FIELD_GROWTH * length
        Budget().check(n_lines, per_line, source.name, advice=advice)
        try:
            X, y = datasets.load_text(path)
        except ValueError as error:
            message = str(error).replace(os.fspath(path), source.name, 1)
            raise FileError(message) from None
    rows = sampled_rows(len(y), choice.sample or len(y), choice.random_state)
    names = ["class", *(f"f{number}" for number in range(1, X.shape[1] + 1))]
    choice.default_target = names[0]
    kept = choice.kept(names)

    def where(row: int) -> str:
        return f"{source.name}, line {rows[row] + 1}"

    def values(column: Column, name: str) -> Any:
        index = names.index(name)
        found = X[rows, index - 1] if index else y[rows]
        if column.kind == "number":
            return found
        cells = column_of_cells(list(map(str, found)))
        return as_trained(cells, column, choice.missing, where, commas=False)

    if choice.columns is not None:
        found = choice.as_trained(rows.size, values)
    else:
        found = {
            names[index]: values(Column(names[index]), names[index]) for index in kept
        }
    original = None
    if choice.keep_all:
        original = {name: values(Column(name), name).tolist() for name in names}
    is_sample = rows.size < len(y)
    lines = rows + 1
    return Table(found, source.name, len(y), is_sample, names[0], lines, original)


def _array_table(found: dict[str, Any]) -> ArrayTable:
    raw = {}
    for name, values in found.items():
        if isinstance(values, np.ndarray):
            raw[name] = RawColumn(values)
        else:
            (raw[name],) = raw_columns(_data_frame({name: values}))
    return ArrayTable(raw)


def _data_frame(found: dict[str, Any]) -> Any:
    import pandas as pd

    series = {}
    for name, values in found.items():
        # Explicit: pandas 3 would convert objects that are all text.
        is_object = isinstance(values, np.ndarray) and values.dtype.kind == "O"
        dtype = object if is_object else None
        series[name] = pd.Series(values, dtype=dtype, copy=False)
    return pd.DataFrame(series, copy=False)
