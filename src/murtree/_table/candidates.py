"""How many of all possible tests of each column a search compares, and which."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column

ENCODINGS = ("thresholds", "intervals")  # what tests of numbers ask


class Candidates(NamedTuple):
    """The tests of one column that are candidates for a tree.

    Parameters
    ----------
    name : str
        The column.
    kind : str
        Its kind, see `Column`.
    n_candidates : int
        The number of its candidate thresholds; of a column of categories, the number
        of categories that a test asks for.
    n_possible : int
        The number of all thresholds that tell training rows apart: one between any two
        neighbouring values. Of categories, those that occur in training.
    how : str
        "all" if no possible test was left out. Otherwise how the candidates were
        chosen: "quantile", "uniform", "mdlp" or "tree", as the strategy of that name;
        "auto", the thresholds of a greedy tree and quantiles; "given", by the user;
        "heaviest", the categories that most rows have.

    Examples
    --------
    >>> from murtree import TableBinarizer
    >>> table = [[1.0, "a"], [2.0, "b"], [3.0, "a"], [4.0, "a"]]
    >>> for candidates in TableBinarizer(n_thresholds=2).fit(table).candidates_:
    ...     print(candidates)
    Candidates(name='x0', kind='number', n_candidates=2, n_possible=3, how='quantile')
    Candidates(name='x1', kind='category', n_candidates=2, n_possible=2, how='all')
    """

    name: str
    kind: str
    n_candidates: int
    n_possible: int
    how: str

    @property
    def is_complete(self) -> bool:
        """Whether every possible test is a candidate."""
        return self.how == "all"


def candidates_of(
    column: Column,
    distinct: npt.NDArray[np.float64],
    thresholds: npt.NDArray[np.float64],
    how: str,
    max_categories: int,
) -> Candidates:
    """Count the candidates of a column, given its distinct values in their order."""
    if column.kind == "category":
        n_possible, how = distinct.size, "heaviest"
        n_candidates = min(n_possible, max_categories)
    else:
        n_possible = max(distinct.size - 1, 0)
        n_below = np.unique(np.searchsorted(distinct, thresholds, side="right"))
        n_candidates = int(((n_below > 0) & (n_below < distinct.size)).sum())
    if n_candidates == n_possible:
        how = "all"
    return Candidates(column.name, column.kind, n_candidates, n_possible, how)
