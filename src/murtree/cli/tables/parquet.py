"""Read Parquet files with pyarrow."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from murtree._table.columns import Column
from murtree.cli.tables.as_trained import as_trained
from murtree.cli.tables.error import FileError, shown
from murtree.cli.tables.kinds import MISSING, spread, trimmed
from murtree.cli.tables.memory import Budget
from murtree.cli.tables.sampling import sampled_rows
from murtree.cli.tables.source import Source
from murtree.cli.tables.table import Choice, Table

_EXACT = 2**53  # float64 is exact for whole numbers up to here
_BATCH = 2**16  # rows that are decoded at a time
_GROWTH = 3  # Arrow and pandas data are in memory at the same time


def read_parquet(source: Source, choice: Choice) -> Table:
    """Return rows of a Parquet file; `choice.missing` are words in text columns."""
    with source.as_file() as path:
        try:
            with _arrow().parquet.ParquetFile(path, memory_map=False) as file:
                return _read(file, source.name, choice)
        except (_arrow().ArrowException, OSError) as error:
            first = str(error).splitlines()[0] if str(error) else "unreadable"
            raise FileError(
                f"{source.name} is a damaged Parquet file: {shown(first)[1:-1]}"
            ) from None


def _arrow() -> Any:
    import pyarrow
    import pyarrow.compute
    import pyarrow.parquet

    return pyarrow


def _kept(file: Any, source: str, choice: Choice) -> list[str]:
    """Return the names of the columns to read."""
    names = [_own_name(name) for name in file.schema_arrow.names]
    _refuse_repeated(names, source)
    if not file.metadata.num_rows:
        raise FileError(f"{source} has names of columns, but no rows.")
    return [names[index] for index in choice.kept(names) if names[index]]


def _read(file: Any, source: str, choice: Choice) -> Table:
    """Return some rows; refuse before reading if they do not fit into memory."""
    arrow = _arrow()
    kept = _kept(file, source, choice)
    n_rows = file.metadata.num_rows
    rows = sampled_rows(n_rows, choice.sample or n_rows, choice.random_state)
    is_sample = rows.size < n_rows
    batches: list[Any] = []
    begin = 0
    for batch in file.iter_batches(batch_size=_BATCH, columns=kept):
        if not batches:
            per_row = _GROWTH * batch.nbytes / max(batch.num_rows, 1)
            Budget().check(rows.size, per_row, source, is_sample=is_sample)
        end = begin + batch.num_rows
        low, high = np.searchsorted(rows, [begin, end])
        batches.append(batch.take(arrow.array(rows[low:high] - begin)))
        begin = end
    table = arrow.Table.from_batches(batches).select(kept)

    def values(column: Column, name: str) -> Any:
        return _as_trained(table[name], column, choice.missing, source)

    if choice.columns is not None:
        found = choice.as_trained(rows.size, values)
    else:
        found = {
            name: _column_of(_without_words(table[name], choice.missing), name, source)
            for name in kept
        }
    original = {name: table[name] for name in kept} if choice.keep_all else None
    return Table(found, source, n_rows, is_sample, original=original)


def _own_name(name: str) -> str:
    """Return the name of a column; '' for the index that pandas adds."""
    return "" if name.startswith("__index_level_") else name


def _refuse_repeated(names: Sequence[str], source: str) -> None:
    for index, name in enumerate(names):
        if name and name in names[:index]:
            raise FileError(
                f"two columns of {source} are named {shown(name)}: names must be "
                "distinct."
            )


def _column_of(column: Any, name: str, source: str) -> Any:
    """Return an Arrow column as a pandas or NumPy array.

    Whole numbers beyond 2**53, which are not exact in float64, become text.
    """
    types = _arrow().types
    kind = column.type
    if types.is_dictionary(kind) or types.is_null(kind) or _is_text(kind):
        return column.to_pandas().array
    if types.is_boolean(kind) or types.is_integer(kind):
        return _whole(column)
    if types.is_floating(kind) or types.is_decimal(kind):
        return column.cast("float64").to_numpy()
    if types.is_date(kind):
        return column.cast("timestamp[s]").to_pandas().array
    if types.is_temporal(kind):
        return column.to_pandas().array
    raise FileError(
        f"column {shown(name)} of {source} must hold numbers, text, booleans or times. "
        f"Got {shown(kind)[1:-1]} instead."
    )


def _without_words(column: Any, words: frozenset[str]) -> Any:
    """Return text with nulls instead of words for missing values."""
    if not words or not _is_text(column.type):
        return column
    arrow = _arrow()
    known = arrow.array(sorted(words), column.type)
    is_missing = arrow.compute.is_in(column, value_set=known)
    return arrow.compute.if_else(is_missing, None, column)


def _as_trained(
    values: Any, column: Column, missing: frozenset[str], source: str
) -> Any:
    """Return an Arrow column as values of the kind of a model's column.

    Text stays unchanged if the model has text: spaces are kept, and only the words of
    `missing` are missing values.
    """
    arrow = _arrow()
    if arrow.types.is_dictionary(values.type):
        values = values.cast(values.type.value_type)
    if column.kind == _kind(values.type):
        has_zone = getattr(values.type, "tz", None) is not None
        if column.kind == "datetime" and has_zone != column.has_zone:
            must = "a time zone" if column.has_zone else "no time zone"
            raise FileError(
                f"column {shown(column.name)} of {source} must have {must}, as in "
                "training."
            )
        if column.kind == "number":
            return values.cast("float64", safe=False).to_numpy()
        return _column_of(values, column.name, source)
    is_category = column.kind in ("category", "ordered")
    if is_category and _is_text(values.type) and isinstance(column.categories[0], str):
        values = _without_words(values, missing - set(column.categories))
        return _column_of(values, column.name, source)
    try:
        cells = trimmed(values.cast("string"))
    except arrow.ArrowException:
        raise FileError(
            f"column {shown(column.name)} of {source} must be a {column.kind}, as in "
            f"training. Got {shown(values.type)[1:-1]} instead."
        ) from None
    return as_trained(
        cells,
        column,
        MISSING | missing,
        lambda row: f"{source}, row {row + 1} of those read",
        commas=False,
    )


def _kind(kind: Any) -> str:
    """Return the kind of `Column` of an Arrow type, or the name of the type."""
    types = _arrow().types
    for is_kind, name in (
        (types.is_boolean, "boolean"),
        (types.is_integer, "number"),
        (types.is_floating, "number"),
        (types.is_decimal, "number"),
        (types.is_timestamp, "datetime"),
        (types.is_date, "datetime"),
        (types.is_duration, "duration"),
        (types.is_time, "time"),
    ):
        if is_kind(kind):
            return name
    return str(kind)


def _is_text(kind: Any) -> bool:
    return str(kind) in ("string", "large_string", "string_view")


def _whole(column: Any) -> Any:
    is_missing = np.asarray(column.is_null())
    present = column.drop_null().to_numpy()
    if present.dtype.kind == "b":
        return spread(present, is_missing)
    if present.size and max(-int(present.min()), int(present.max())) > _EXACT:
        texts = np.full(is_missing.size, None, dtype=object)
        texts[~is_missing] = present.astype(str)
        return texts
    return spread(present.astype(np.int64), is_missing)
