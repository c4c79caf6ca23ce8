"""Read tables from files for the command line: CSV, TSV, Parquet and txt."""

from murtree.cli.tables.error import FileError
from murtree.cli.tables.read import read_pieces, read_table
from murtree.cli.tables.table import Table

__all__ = ["FileError", "Table", "read_pieces", "read_table"]
