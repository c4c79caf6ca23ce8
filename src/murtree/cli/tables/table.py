"""Tables read from files: the choice of columns, and the rows."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column
from murtree.cli.tables.as_trained import all_missing, names_in_file
from murtree.cli.tables.error import FileError, listed, meant, shown
from murtree.cli.tables.records import looks_like_data


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
        The number of rows in the file; more than in `frame` if that is a sample.
    is_sample : bool
        Whether rows were left out.
    default_target : str or None, default=None
        The target, if the format defines it.
    lines : ndarray of int64 or None, default=None
        The line of the file in which each row begins; None in Parquet.
    original : dict or None, default=None
        All columns of the file by name and without conversion, if requested: lists of
        cells, or Arrow columns.
    infinite : dict of str, default={}
        By the name of the column, the first cell that is an infinite number.
    notes : list of str, default=[]
        Notes for the user, about a column left out or text among numbers.
    with_text : set of str, default={}
        The names of the columns of numbers that are text because of one word, which a
        note names.
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
    with_text: set[str] = field(default_factory=set)

    def where(self, row: int) -> str:
        """Return the position of a row in the file, for messages."""
        if self.lines is None:
            return f"{self.source}, row {row + 1} of those read"
        return f"{self.source}, line {self.lines[row]}"


@dataclass(frozen=True)
class Roles:
    """The columns that options name: target, weights, and columns to ignore."""

    target: str | None = None  # None: the target that the format defines
    weight: str | None = None
    ignored: Sequence[str] = ()

    def check(self, known: Sequence[str], source: str, default: str | None) -> None:
        """Refuse unknown names and columns used twice, before the rows are read."""
        target = target_among(known, source, self.target or default)
        weights = [] if self.weight is None else [self.weight]
        for option, names in (("--ignore", self.ignored), ("--weight-column", weights)):
            for name in names:
                if name not in known:
                    raise FileError(
                        f"{option}: no column {shown(name)} in {source}"
                        f"{meant(name, known) or '.'} Columns: {listed(known)}"
                    )
        for option, column in (("--target", target), ("--weight-column", self.weight)):
            if column is not None and column in self.ignored:
                raise FileError(
                    f"{option} and --ignore name the same column {shown(column)}."
                )


@dataclass
class Choice:
    """Which columns and rows of a file to keep, decided once the names are known.

    Parameters
    ----------
    source : str
        The file, as messages name it.
    columns : sequence of Column or None
        The columns of a model, if the file is read for one.
    names : collection of str or None
        Else the names of the columns to keep; None keeps all.
    missing : frozenset of str
        The words for missing values.
    sample : int or None, default=None
        The number of rows to take; None takes all.
    random_state : int, default=0
        The seed of the sample.
    keep_all : bool, default=False
        Whether to keep the whole file in addition to the columns of a model.
    roles : Roles, default=None
        The columns with a role in training, which must be in the file.
    default_target : str or None, default=None
        The target, if the format defines it.
    """

    source: str
    columns: Sequence[Column] | None
    names: Collection[str] | None
    missing: frozenset[str]
    sample: int | None = None
    random_state: int = 0
    keep_all: bool = False
    roles: Roles | None = None
    default_target: str | None = None
    _in_file: list[str | None] = field(default_factory=list)  # names of `columns`

    def kept(self, known: Sequence[str]) -> list[int]:
        """Return the indices of the columns to keep among all names."""
        named = [name for name in known if name]
        if self.roles is not None:
            self.roles.check(named, self.source, self.default_target)
        if self.columns is not None:
            self._in_file = names_in_file(known, self.columns, self.source)
            if self.keep_all:
                return list(range(len(known)))
            read = [name for name in self._in_file if name] or named[:1]
            return [index for index, name in enumerate(known) if name in read]
        for name in self.names or ():
            if name not in named:
                raise no_column(name, named, self.source)
        wanted = set(named if self.names is None else self.names)
        return [index for index, name in enumerate(known) if name in wanted]

    def as_trained(
        self, n_rows: int, values: Callable[[Column, str], Any]
    ) -> dict[str, Any]:
        """Return the columns of the model; columns not in the file are all missing."""
        assert self.columns is not None
        return {
            column.name: values(column, name) if name else all_missing(column, n_rows)
            for column, name in zip(self.columns, self._in_file, strict=True)
        }


def target_among(known: Sequence[str], source: str, name: str | None) -> str:
    """Return the name of the target; refuse a name that is not a column."""
    if name is None:
        raise FileError(
            f"which column of {source} is the target? Name it with --target. Columns: "
            f"{listed(known)}{_doubt(known)}"
        )
    if name not in known:
        raise no_column(name, known, source)
    return name


def no_column(name: str, known: Sequence[str], source: str) -> FileError:
    """Return the error that a table has no such column."""
    return FileError(
        f"no column {shown(name)} in {source}{meant(name, known) or '.'} Columns: "
        f"{listed(known)}{_doubt(known)}"
    )


def _doubt(known: Sequence[str]) -> str:
    """Return a hint about the names of a file without the expected column."""
    if len(known) == 1:
        return ". If that is not one name, say what is between them: --separator"
    hint = ". The first line looks like data: it must name the columns."
    return hint if looks_like_data(known) else ""
