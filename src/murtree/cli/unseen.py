"""Categories that training did not have, counted while a table goes through."""

from collections import Counter
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column, encode
from murtree._tree.tree import Tree
from murtree.cli.format import count
from murtree.cli.tables import Table
from murtree.cli.tables.error import shown


class Unseen:
    """Rows with new categories in the columns that a tree tests.

    One odd row must not stop a file of millions, but whoever reads its prediction
    should know that it is a guess.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._tested = set(tree.feature.tolist())
        self._n_rows: Counter[str] = Counter()  # by column
        self._first: dict[str, str] = {}

    def encode(self, table: Table) -> npt.NDArray[Any]:
        """Return the codes of a piece, and count its rows with new categories."""
        columns = self._tree.columns
        if columns is None:
            return self._tree.encode(table.frame)
        see = partial(self._see, table)
        return encode(table.frame, columns, tested=self._tested, on_unknown=see)

    def _see(
        self,
        table: Table,
        column: Column,
        values: npt.NDArray[Any],
        rows: npt.NDArray[np.int64],
    ) -> None:
        row = int(rows[0])
        if column.refuses_unknown:
            raise ValueError(
                f"Column {shown(column.name)} must hold categories that training had. "
                f"Got {shown(values[row])} in {table.where(row)}: the model was fitted "
                "with handle_unknown='error'."
            )
        self._n_rows[column.name] += rows.size
        self._first.setdefault(column.name, f"{shown(values[row])}, {table.where(row)}")

    def notes(self) -> list[str]:
        """Return what was seen, a sentence for each column."""
        return [
            f"{count(n_rows, 'row')} with a category in column {shown(name)} that "
            f"training did not have (first: {self._first[name]}): treated as missing."
            for name, n_rows in self._n_rows.items()
        ]
