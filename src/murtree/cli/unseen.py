"""Categories that training did not have, counted while a table goes through."""

import numpy as np

from murtree._columns import UNKNOWN, codes_of
from murtree._files import Table
from murtree._files._error import shown
from murtree._tree import Tree
from murtree.cli.words import count


class Unseen:
    """Rows with new categories in a column that the tree asks about.

    An estimator refuses them. One odd row must not stop a file of millions, but
    whoever reads its prediction should know that it is a guess.
    """

    def __init__(self, tree: Tree) -> None:
        columns = tree.known_columns
        asked = sorted({int(place) for place in tree.feature if place >= 0})
        self._columns = [columns[at] for at in asked if columns[at].is_category]
        self._first = ""
        self._source = ""
        self.n_rows = 0

    def see(self, table: Table) -> None:
        """Count the rows of a piece."""
        is_new = np.zeros(len(table.frame), dtype=np.bool_)
        for column in self._columns:
            values = np.asarray(table.frame[column.name], dtype=object)
            rows = np.flatnonzero(codes_of(column, values) == UNKNOWN)
            is_new[rows] = True
            if rows.size and not self._first:
                row, name = int(rows[0]), shown(column.name)
                self._first = (
                    f"{shown(values[row])} in column {name}, {table.where(row)}"
                )
                self._source = table.source
        self.n_rows += int(is_new.sum())

    def text(self) -> str:
        """Return what was seen in words."""
        verb = "holds" if self.n_rows == 1 else "hold"
        return (
            f"{count(self.n_rows, 'row')} of {self._source} {verb} categories that "
            f"training did not have (first: {self._first}): no test for a category "
            "holds for them."
        )
