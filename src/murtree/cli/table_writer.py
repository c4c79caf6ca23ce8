"""Write tables in chunks, as CSV or Parquet."""

import csv
import io
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

PARQUET = (".parquet", ".pq")

Columns = dict[str, Any]  # by name: lists, NumPy arrays or Arrow columns
WriteRows = Callable[[Columns], None]  # all chunks have the same columns


def csv_writer(write: Callable[[str], object]) -> WriteRows:
    """Return a function that writes rows as CSV; the first call adds the header."""
    has_header = False

    def write_rows(columns: Columns) -> None:
        nonlocal has_header
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not has_header:
            writer.writerow(columns)
            has_header = True
        writer.writerows(zip(*map(_cells, columns.values()), strict=True))
        write(text.getvalue())

    return write_rows


@contextmanager
def parquet_writer(file: BinaryIO) -> Iterator[WriteRows]:
    """Yield a function that writes rows as Parquet; Arrow columns keep their types."""
    import pyarrow as pa
    from pyarrow import parquet

    writer: Any = None

    def write_rows(columns: Columns) -> None:
        nonlocal writer
        arrays = {
            name: values if isinstance(values, pa.ChunkedArray) else pa.array(values)
            for name, values in columns.items()
        }
        table = pa.table(arrays)
        if writer is None:
            writer = parquet.ParquetWriter(file, table.schema)
        writer.write_table(table)

    yield write_rows
    if writer is not None:
        writer.close()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _cells(values: Any) -> list[Any]:
    """Return values for CSV; a missing value is None, which becomes an empty cell."""
    if isinstance(values, list):
        return values
    if hasattr(values, "to_pylist"):
        return [None if _is_nan(cell) else cell for cell in values.to_pylist()]
    cells: list[Any] = values.tolist()
    return cells
