"""Tables from files for the command line: CSV, TSV, Parquet, the field's text."""

from murtree._files._error import FileError
from murtree._files._read import read_table
from murtree._files._table import Table, split_target

__all__ = ["FileError", "Table", "read_table", "split_target"]
