"""Write tables in chunks, as CSV or Parquet."""

import csv
import io
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO, Protocol

PARQUET = (".parquet", ".pq")

Columns = dict[str, Any]  # by name: lists, NumPy arrays or Arrow columns


class TableWriter(Protocol):
    """A writer of chunks."""

    def write(self, columns: Columns) -> None:
        """Write some rows; all chunks have the same columns."""

    def close(self) -> None:
        """Finish the table."""


def is_parquet(path: Path | None) -> bool:
    """Return whether a file name has the suffix of Parquet."""
    return path is not None and path.suffix.lower() in PARQUET


class CsvWriter:
    """Write CSV with a header."""

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write = write
        self._has_header = False

    def write(self, columns: Columns) -> None:
        """Write some rows; a missing value is an empty cell."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        if not self._has_header:
            writer.writerow(columns)
            self._has_header = True
        writer.writerows(zip(*map(_cells, columns.values()), strict=True))
        self._write(text.getvalue())

    def close(self) -> None:
        """Finish the table; there is nothing left to write."""


class ParquetWriter:
    """Write Parquet; Arrow columns keep their types."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._writer: Any = None

    def write(self, columns: Columns) -> None:
        """Write some rows."""
        import pyarrow as pa
        from pyarrow import parquet

        arrays = {
            name: values if isinstance(values, pa.ChunkedArray) else pa.array(values)
            for name, values in columns.items()
        }
        table = pa.table(arrays)
        if self._writer is None:
            self._writer = parquet.ParquetWriter(self._file, table.schema)
        self._writer.write_table(table)

    def close(self) -> None:
        """Write the footer."""
        if self._writer is not None:
            self._writer.close()


def _is_nan(value: Any) -> bool:
    return isinstance(value, float) and math.isnan(value)


def _cells(values: Any) -> list[Any]:
    """Return values for CSV; None stands for missing and becomes an empty cell."""
    if isinstance(values, list):
        return values
    if hasattr(values, "to_pylist"):
        return [None if _is_nan(cell) else cell for cell in values.to_pylist()]
    cells: list[Any] = values.tolist()
    return cells
