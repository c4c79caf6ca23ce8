"""A table as it was read, and its parting into features and target."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree.cli.tables.delimited import looks_like_data
from murtree.cli.tables.error import FileError, listed, meant, shown


@dataclass
class Table:
    """A table as read from a file, features and target still together.

    Parameters
    ----------
    frame : DataFrame or ArrayTable
        The rows.
    source : str
        The file, as messages name it.
    n_rows_in_file : int
        How many rows the file has; more than `frame` if that is a sample.
    is_sample : bool
        Whether rows were left out.
    default_target : str or None, default=None
        The target where the format says it.
    lines : ndarray of int64 or None, default=None
        The line of the file in which each row begins; None in Parquet.
    original : dict or None, default=None
        All columns of the file by name as they stand there, if they were asked for:
        lists of cells, or columns of Arrow.
    infinite : dict of str, default={}
        The first cell of a column of text that is an infinite number, by its name.
    notes : list of str, default=[]
        What the user should know: a column left out, or text among numbers.
    """

    frame: Any
    source: str
    n_rows_in_file: int
    is_sample: bool
    default_target: str | None = None
    lines: npt.NDArray[np.int64] | None = None
    original: dict[str, Any] | None = None
    infinite: dict[str, str] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def where(self, row: int) -> str:
        """Say where in the file a row is."""
        if self.lines is None:
            return f"{self.source}, row {row + 1} of those read"
        return f"{self.source}, line {self.lines[row]}"


def split_target(
    table: Table, target: str | None = None, *, drop_missing: bool = False
) -> tuple[Any, npt.NDArray[Any]]:
    r"""Return the features, and the target as an array.

    Parameters
    ----------
    table : Table
        What `read_table` returned.
    target : str, default=None
        The name of the target; None means that of the format, if it has one.
    drop_missing : bool, default=False
        Leave out rows without a target. By default there must be none.

    Returns
    -------
    X : DataFrame
        All other columns.
    y : ndarray
        The target: numbers, booleans or text.

    Raises
    ------
    FileError
        If there is no such column, if targets are missing, or no column is left.

    Examples
    --------
    >>> import io
    >>> from murtree.cli.tables import read_table
    >>> table = read_table("-", stdin=io.BytesIO(b"age,churn\n41,yes\n30,no\n"))
    >>> X, y = split_target(table, "churn")
    >>> y
    array(['yes', 'no'], dtype=object)
    >>> split_target(table, "chrun")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    murtree.cli.tables.error.FileError: no column 'chrun' in ...: did you mean ...
    """
    frame, source = table.frame, table.source
    known = list(frame.columns)
    name = target_among(known, source, target or table.default_target)
    if len(known) == 1:
        raise FileError(f"{source} must have columns beside the target {shown(name)}.")
    absent = np.flatnonzero(frame[name].isna())
    if absent.size == len(frame):
        raise FileError(f"the target {shown(name)} is missing in all of {source}.")
    if absent.size and not drop_missing:
        rows = "1 row has" if absent.size == 1 else f"{absent.size:,} rows have"
        raise FileError(
            f"{rows} no target {shown(name)}, the first: {table.where(int(absent[0]))}."
            " Leave such rows out with --drop-missing-target."
        )
    if absent.size:
        frame = frame[frame[name].notna()].reset_index(drop=True)
    return frame.drop(columns=name), _target_array(frame[name])


def target_among(known: Sequence[str], source: str, name: str | None) -> str:
    """Return the name of the target, which must be that of a column."""
    if name is None:
        raise FileError(
            f"which column of {source} is the target? Name it with --target. Columns: "
            f"{listed(known)}{_doubt(known)}"
        )
    if name not in known:
        raise no_column(name, known, source)
    return name


def _target_array(series: Any) -> npt.NDArray[Any]:
    kind = getattr(series.dtype, "kind", "O")
    if kind in "biu" and not hasattr(series.dtype, "categories"):
        return np.asarray(series.to_numpy(dtype=np.bool_ if kind == "b" else np.int64))
    if kind == "f":
        return np.asarray(series.to_numpy(dtype=np.float64))
    return np.asarray(series, dtype=object)


def no_column(name: str, known: Sequence[str], source: str) -> FileError:
    """Return the error that a table has no such column."""
    return FileError(
        f"no column {shown(name)} in {source}{meant(name, known) or '.'} Columns: "
        f"{listed(known)}{_doubt(known)}"
    )


def _doubt(known: Sequence[str]) -> str:
    """Return what may be wrong with the names of a file that lacks one."""
    if len(known) == 1:
        return ". If that is not one name, say what is between them: --separator"
    hint = ". The first line looks like data: it must name the columns."
    return hint if looks_like_data(known) else ""
