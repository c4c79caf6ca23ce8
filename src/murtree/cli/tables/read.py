"""From a file to a table: which reader, which columns, which kinds.

CSV and its kin, Parquet, and the field's ``class f1 f2 ...``; plain, packed with gzip,
or from standard input.
"""

import os
from collections.abc import Callable, Collection, Generator, Sequence
from dataclasses import replace
from typing import Any, BinaryIO

import numpy as np
import numpy.typing as npt

from murtree import datasets
from murtree._input.parameters import check_int
from murtree._table.columns import Column
from murtree._table.frames import ArrayTable, RawColumn, raw_columns
from murtree.cli.tables.as_trained import Where, all_missing, as_trained, names_in_file
from murtree.cli.tables.delimited import (
    TextTable,
    inferred_columns,
    read_delimited,
    read_delimited_pieces,
)
from murtree.cli.tables.error import FileError, shown
from murtree.cli.tables.kinds import MISSING, column_of_cells
from murtree.cli.tables.parquet import (
    column_as_trained,
    column_of,
    read_parquet,
    without_words,
)
from murtree.cli.tables.sampling import sampled_rows
from murtree.cli.tables.source import FORMATS, Source, open_source
from murtree.cli.tables.table import Table, no_column

CheckNames = Callable[[Sequence[str], str, str | None], None]
_FIELD_GROWTH = 8  # of a text of the field: its lines and arrays beside it


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
    check_names: CheckNames | None = None,
    stdin: BinaryIO | None = None,
) -> Table:
    r"""Read a table from a file or from standard input.

    In text, a column becomes what all its values are:

    - numbers: ``3``, ``-2.5``, ``1e6``; ``2,5`` where cells end with a semicolon. Whole
      numbers beyond 2**53 and such with leading zeros are identifiers and codes of
      places: they stay text;
    - booleans: ``true`` and ``false``, in any case; ``yes`` and ``no`` stay text;
    - moments: ISO dates as ``2024-01-31``, with a time or without, all with a zone or
      none;
    - else text: categories. Spaces around a cell do not count.

    Missing are empty cells, NA, N/A, n/a, #N/A, <NA>, NaN, nan, null, NULL and NaT, and
    no other words: None and none are often a category. Parquet has types and missing
    values of its own.

    Parameters
    ----------
    path : str or path-like
        A file, plain or packed with gzip, or "-" for standard input.
    format : {"csv", "tsv", "txt", "parquet"}, default=None
        None means: what the content and the name say. "txt" is the field's format,
        ``class f1 f2 ...``.
    separator : str, default=None
        The character between cells of text. None means: a comma, semicolon, tab or "|",
        as the first line says.
    columns : sequence of Column, default=None
        Those of a saved model: just these are read, in their order, each as the kind
        that the model knows; one of the kind "empty" is missing in all rows.
    names : collection of str, default=None
        Read these columns only.
    missing : collection of str, default=()
        More words for missing values, such as "?".
    sample : int, default=None
        Read a uniform sample of so many rows, in the order of the file and in one pass.
    random_state : int, default=0
        The seed of the sample.
    keep_all : bool, default=False
        Beside the `columns` of a model, keep the whole file as it is (`original`).
    as_arrays : bool, default=False
        Beside the `columns` of a model, return NumPy arrays instead of a data frame:
        pandas is then imported for times only.
    check_names : callable, default=None
        Called before any row is read with the names of the columns, the file as
        messages name it, and the target that the format says, if it does; it may raise.
    stdin : binary stream, default=None
        Standard input, if it is not that of the process.

    Returns
    -------
    table : Table
        The rows, and where they are from.

    Raises
    ------
    FileError
        If the file is not as it must be, or too large for the memory.

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
    words = MISSING | frozenset(missing)
    with open_source(path, stdin) as source:
        choice = _Choice(source.name, columns, names, keep_all, check_names)
        kind = source.format("csv" if separator and not format else format)
        if kind == "parquet":
            own = frozenset(missing)
            table = _from_parquet(source, choice, own, sample, random_state)
        elif kind == "txt":
            table = _from_field(source, choice, words, sample, random_state)
        else:
            between = separator or ("\t" if kind == "tsv" else None)
            text = read_delimited(source, between, choice, sample, random_state)
            table = _from_text(text, source.name, choice, words)
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
    """Yield the rows of a file, some at a time, as `read_table` returns arrays.

    A file of text may then be larger than the memory; its notes come with the first
    piece. Other formats are one piece.
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
        choice = _Choice(source.name, columns, None, keep_all)
        between = separator or ("\t" if kind == "tsv" else None)
        for text in read_delimited_pieces(source, between, choice):
            table = _from_text(text, source.name, choice, words)
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


class _Choice:
    """Which columns of a file to keep, once their names are known."""

    def __init__(
        self,
        source: str,
        columns: Sequence[Column] | None,
        names: Collection[str] | None,
        keep_all: bool = False,
        check_names: CheckNames | None = None,
    ) -> None:
        self._source = source
        self.columns = columns
        self._names = names
        self.keep_all = keep_all
        self.default_target: str | None = None  # where the format says it
        self._check_names = check_names
        self._in_file: list[str | None] = []  # of `columns`: their names there

    def __call__(self, known: Sequence[str]) -> list[int]:
        """Return their places."""
        named = [name for name in known if name]
        if self._check_names is not None:
            self._check_names(named, self._source, self.default_target)
        if self.columns is not None:
            self._in_file = names_in_file(known, self.columns, self._source)
            if self.keep_all:
                return list(range(len(known)))
            read = [name for name in self._in_file if name] or named[:1]
            return [place for place, name in enumerate(known) if name in read]
        for name in self._names or ():
            if name not in named:
                raise no_column(name, named, self._source)
        wanted = set(named if self._names is None else self._names)
        return [place for place, name in enumerate(known) if name in wanted]

    def as_trained(
        self, n_rows: int, values: Callable[[Column, str], Any]
    ) -> dict[str, Any]:
        """Return the columns of the model; of those not in the file all is missing."""
        assert self.columns is not None
        return {
            column.name: values(column, name) if name else all_missing(column, n_rows)
            for column, name in zip(self.columns, self._in_file, strict=True)
        }


def _from_text(
    text: TextTable,
    source: str,
    choice: _Choice,
    missing: frozenset[str],
) -> Table:
    commas = text.delimiter == ";"
    where = _lines_of(source, text.lines)

    def values(column: Column, name: str) -> Any:
        cells = text.cells(text.names.index(name))
        if "" in column.categories:
            cells = cells.fill_null("")
        return as_trained(cells, column, missing, where, commas)

    original = None
    if choice.keep_all:  # first: a column is forgotten when it has been read
        original = {name: text.as_written(i) for i, name in enumerate(text.names)}
    if choice.columns is not None:
        found = choice.as_trained(text.lines.size, values)
    else:
        found = inferred_columns(text, source, missing)
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


def _from_parquet(
    source: Source,
    choice: _Choice,
    missing: frozenset[str],
    sample: int | None,
    random_state: int,
) -> Table:
    table, n_rows = read_parquet(source, choice, sample, random_state)

    def values(column: Column, name: str) -> Any:
        return column_as_trained(table[name], column, missing, source.name)

    if choice.columns is not None:
        found = choice.as_trained(len(table), values)
    else:
        found = {
            name: column_of(without_words(table[name], missing), name, source.name)
            for name in table.column_names
        }
    is_sample = len(table) < n_rows
    original = None
    if choice.keep_all:
        original = {name: table[name] for name in table.column_names}
    return Table(found, source.name, n_rows, is_sample, original=original)


def _from_field(
    source: Source,
    choice: _Choice,
    missing: frozenset[str],
    sample: int | None,
    random_state: int,
) -> Table:
    """Read ``class f1 f2 ...``; as a table its columns have just these names."""
    with source.as_file() as path:
        assert source.size is not None
        length = len(source.head.split(b"\n", 1)[0]) + 1
        advice = "Save it as CSV or Parquet, of which --sample reads random rows"
        n_lines, per_line = source.size / length, _FIELD_GROWTH * length
        source.budget.check(n_lines, per_line, source.name, advice=advice)
        try:
            X, y = datasets.load_text(path)
        except ValueError as error:
            said = str(error).replace(os.fspath(path), source.name, 1)
            raise FileError(said) from None
    rows = sampled_rows(len(y), sample or len(y), random_state)
    names = ["class", *(f"f{place + 1}" for place in range(X.shape[1]))]
    choice.default_target = names[0]
    kept = choice(names)

    def values(column: Column, name: str) -> Any:
        place = names.index(name)
        found = X[rows, place - 1] if place else y[rows]
        if column.kind == "number":
            return found
        where = _lines_of(source.name, rows + 1)
        cells = column_of_cells(list(map(str, found)))
        return as_trained(cells, column, missing, where, commas=False)

    if choice.columns is not None:
        found = choice.as_trained(rows.size, values)
    else:
        found = {
            names[place]: values(Column(names[place]), names[place]) for place in kept
        }
    original = None
    if choice.keep_all:
        original = {name: values(Column(name), name).tolist() for name in names}
    is_sample = rows.size < len(y)
    lines = rows + 1
    return Table(found, source.name, len(y), is_sample, names[0], lines, original)


def _lines_of(source: str, lines: npt.NDArray[np.int64]) -> Where:
    return lambda row: f"{source}, line {lines[row]}"


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
        # Said, for pandas 3 would make text of its own of objects that are all text.
        is_object = isinstance(values, np.ndarray) and values.dtype.kind == "O"
        dtype = object if is_object else None
        series[name] = pd.Series(values, dtype=dtype, copy=False)
    return pd.DataFrame(series, copy=False)
