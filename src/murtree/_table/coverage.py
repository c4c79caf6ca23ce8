"""The candidate tests of a search, which its proof covers, and their description."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import chain, groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column

ENCODINGS = ("thresholds", "intervals")  # forms of numeric tests
WHOLE = ("all", "single")  # nothing was left out
HOW = {  # {0}: number of candidates, {1}: of possible ones, {2}: noun
    "all": "all {1}{2}",
    "single": "all {1}{2}",
    "quantile": "{0} of {1}{2} (quantiles)",
    "uniform": "{0} of {1}{2} (evenly spaced)",
    "mdlp": "{0} of {1}{2} (by minimum description length)",
    "tree": "{0} of {1}{2} (those of a boosted model)",
    "auto": "{0} of {1}{2} (quantiles and those of greedy trees)",
    "given": "{0} of {1}{2} (as given)",
    "heaviest": "the {0} most frequent of {1}{2}",
}

HOW_TO_GET_ALL = 'To cover all thresholds, use binarizer="exact" (--binarizer exact).'
HOW_TO_GET_CATEGORIES = (
    "To test all categories, use max_categories={0} of TableBinarizer "
    "(--max-categories {0})."
)


class Candidates(NamedTuple):
    """The tests of one column that are candidates for a tree.

    Parameters
    ----------
    name : str
        Name of the column.
    kind : str
        Kind of the column, see `Column`.
    n_candidates : int
        Number of candidate thresholds, or of categories that have a test.
    n_possible : int
        Number of possible thresholds, one between any two neighbouring training values,
        or of categories in training.
    how : str
        "all" if no possible test was left out. Otherwise how the candidates were
        chosen: "quantile", "uniform", "mdlp" or "tree", as the strategy of that name;
        "auto", thresholds of greedy trees and quantiles; "given", by the user;
        "heaviest", the most frequent categories.

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


@dataclass(frozen=True)
class Coverage:
    """The candidate tests of a search, which its proof covers.

    ``str(coverage)`` describes them in plain text.

    Parameters
    ----------
    n_tests : int
        Number of tests. A threshold of a column with missing values gives two tests,
        with missing values on either side.
    columns : tuple of Candidates, default=()
        The candidates of each column, as `TableBinarizer.candidates_`, with `how` set
        to "single" where all categories are tested one at a time. Empty with
        ``binarizer=None``, where each column is a test.
    encoding : {"thresholds", "intervals"}, default="thresholds"
        Form of numeric tests, as in `TableBinarizer`.
    max_tests : int, default=None
        Maximum number of tests with ``binarizer="exact"``, if the search needs a column
        for each of them; with more, `fit` raises an error. None means no limit. With
        "auto" it is given only if all thresholds make more.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, TableBinarizer
    >>> X, y = load_iris(return_X_y=True)
    >>> print(OptimalTreeClassifier(max_depth=2).fit(X, y).coverage_)
    Covers all 119 thresholds of 4 columns.
    >>> few = TableBinarizer(n_thresholds=5)
    >>> print(OptimalTreeClassifier(max_depth=2, binarizer=few).fit(X, y).coverage_)
    Covers 20 candidate tests. Thresholds are left out in all 4 columns, which have 5 \
of 21 to 42 (quantiles).
    """

    n_tests: int
    columns: tuple[Candidates, ...] = field(default=(), repr=False)
    encoding: str = "thresholds"
    max_tests: int | None = field(default=None, repr=False)

    @property
    def is_complete(self) -> bool:
        """Whether all possible tests are candidates, with all sets of categories."""
        is_whole = all(column.is_complete for column in self.columns)
        return is_whole and self.encoding == "thresholds"

    @property
    def depends_on_size(self) -> bool:
        """Whether the candidates depend on the size of the tree."""
        return any(column.how == "auto" for column in self.columns)

    @property
    def trees(self) -> str:
        """Short description of the tests in the trees that a proof covers."""
        if not self.is_complete:
            return "over these candidate tests"
        if self._are_single_tests:
            return "over these columns"
        kinds = {"thresholds": self._compared, "categories": self._named}
        return "over all " + " and ".join(name for name in kinds if kinds[name])

    @property
    def by_column(self) -> list[tuple[str, str]]:
        """The name of each column with possible tests, and its candidates as text."""
        return [(column.name, _of_column(column)) for column in self._useful]

    def __str__(self) -> str:
        parts = (self._left_out, self._restrictions, self._how_to_get_more)
        return " ".join([self._lead, *chain(*parts)])

    @property
    def _useful(self) -> list[Candidates]:
        """The columns with at least two distinct values."""
        return [c for c in self.columns if c.n_possible > (c.kind == "category")]

    @property
    def _compared(self) -> list[Candidates]:
        """Those that have thresholds."""
        return [c for c in self._useful if c.kind != "category"]

    @property
    def _named(self) -> list[Candidates]:
        """Those that have categories."""
        return [c for c in self._useful if c.kind == "category"]

    @property
    def _are_single_tests(self) -> bool:
        """Whether each column is one test, as where all are 0 or 1."""
        is_one = not self._named and all(c.n_possible == 1 for c in self._compared)
        # With missing values a column has three, or one if the others are equal.
        return is_one and (not self._compared or self.n_tests == len(self._compared))

    @property
    def _lead(self) -> str:
        if self.n_tests == 0:
            return "Covers no test: no column can divide the rows."
        if self._left_out or self.encoding == "intervals":
            return f"Covers {_count(self.n_tests, 'candidate test')}."
        if self._are_single_tests:
            each = "one test each" if self.n_tests > 1 else "one test"
            total = len(self.columns) or self.n_tests
            columns = _count(self.n_tests, "column")
            if self.n_tests == total:
                columns = _all_of(total, total)
            return f"Covers {columns}, {each}."
        parts = [
            f"{_every(sum(c.n_possible for c in some), one, many)} "
            f"of {_count(len(some), 'column')}"
            for some, one, many in (
                (self._compared, "threshold", "thresholds"),
                (self._named, "category", "categories"),
            )
            if some
        ]
        return f"Covers {' and '.join(parts)}."

    @property
    def _left_out(self) -> list[str]:
        """Sentences about the columns where thresholds or categories are left out."""
        sentences = []
        for name, columns in (
            ("Thresholds", self._compared),
            ("Categories", self._named),
        ):
            part = sorted((c for c in columns if c.how not in WHOLE), key=_how)
            for how, group in groupby(part, key=_how):
                some = list(group)
                where = _all_of(len(some), len(self._useful))
                have = "which has" if len(some) == 1 else "which have"
                numbers = [c.n_candidates for c in some if c.n_candidates]
                counts = HOW[how].format(
                    _range(numbers) if numbers else "none",
                    _range(c.n_possible for c in some),
                    "",
                )
                n_none = len(some) - len(numbers)
                if numbers and n_none:
                    has = "has" if n_none == 1 else "have"
                    counts += f"; {n_none:,} of them {has} none"
                sentences.append(f"{name} are left out in {where}, {have} {counts}.")
        return sentences

    @property
    def _restrictions(self) -> list[str]:
        """Sentences about the forms of tests, and the limit on their number."""
        sentences = []
        if self.encoding == "intervals" and self._compared:
            sentences.append("Tests are intervals between neighbouring thresholds.")
        n_single = sum(c.how in ("single", "heaviest") for c in self._named)
        if n_single:
            columns = _count(n_single, "column")
            sentences.append(f"The categories of {columns} are tested one at a time.")
        if self.max_tests is not None and not self.depends_on_size:
            sentences.append(
                "With this objective or limit a fit takes at most "
                f"{self.max_tests:,} tests; more raise an error."
            )
        return sentences

    @property
    def _how_to_get_more(self) -> list[str]:
        """Sentences about how to cover what is left out."""
        most = max(
            (c.n_possible for c in self._named if c.how == "heaviest"), default=0
        )
        sentences = [HOW_TO_GET_CATEGORIES.format(most)] if most else []
        if not self.depends_on_size:
            return sentences
        if self.max_tests is None:
            return [*sentences, HOW_TO_GET_ALL]
        n_thresholds = sum(c.n_possible for c in self._compared)
        too_many = (
            f"All {n_thresholds:,} thresholds make more than {self.max_tests:,} tests, "
            "the maximum with this objective or limit."
        )
        return [*sentences, too_many]


def candidates_of(
    columns: Sequence[Column],
    levels: Sequence[npt.NDArray[np.float64]],
    thresholds: Sequence[npt.NDArray[np.float64] | None],
    strategies: Sequence[str],
    max_categories: int,
) -> tuple[Candidates, ...]:
    """Return the candidates of each column, given its sorted distinct values.

    None as the thresholds of a column means all of them.
    """
    counted = []
    for column, distinct, chosen, strategy in zip(
        columns, levels, thresholds, strategies, strict=True
    ):
        if column.kind == "category":
            n_possible, how = distinct.size, "heaviest"
            n_candidates = min(n_possible, max_categories)
        else:
            n_possible, how = max(distinct.size - 1, 0), strategy
            n_candidates = n_possible
        if column.kind != "category" and chosen is not None:
            n_below = np.unique(np.searchsorted(distinct, chosen, side="right"))
            n_candidates = int(((n_below > 0) & (n_below < distinct.size)).sum())
        if n_candidates == n_possible:
            how = "all"
        counted.append(
            Candidates(column.name, column.kind, n_candidates, n_possible, how)
        )
    return tuple(counted)


def coverage_of(binarizer: Any) -> Coverage:
    """Return the coverage of a fitted binarizer."""
    # With three categories, one against the others covers every subset.
    most = max(binarizer.max_subset_levels, 3)
    columns = zip(binarizer.candidates_, binarizer.columns_, strict=True)
    candidates = tuple(
        some._replace(how="single")
        if column.kind == "category"
        and some.is_complete
        and some.n_possible + column.has_missing > most
        else some
        for some, column in columns
    )
    return Coverage(binarizer._n_tests, candidates, binarizer.encoding)


def _of_column(column: Candidates) -> str:
    noun = " categories" if column.kind == "category" else " thresholds"
    if column.n_possible == 1:
        noun = " threshold"
    if column.n_candidates == column.n_possible == 1:
        return "its only threshold"
    n_candidates = f"{column.n_candidates:,}" if column.n_candidates else "none"
    counts = (n_candidates, f"{column.n_possible:,}")
    text = HOW[column.how].format(*counts, noun)
    return f"{text}, one at a time" if column.how in ("single", "heaviest") else text


def _how(column: Candidates) -> str:
    return column.how


def _all_of(number: int, total: int) -> str:
    """Return a text such as "2 of 3 columns" or "all 3 columns"."""
    if number < total:
        return f"{number:,} of {_count(total, 'column')}"
    return {1: "the only column", 2: "both columns"}.get(
        total, f"all {total:,} columns"
    )


def _every(number: int, one: str, many: str) -> str:
    return f"the only {one}" if number == 1 else f"all {number:,} {many}"


def _count(number: int, one: str, many: str = "") -> str:
    return f"{number:,} {one if number == 1 else many or f'{one}s'}"


def _range(numbers: Iterable[int]) -> str:
    found = sorted(set(numbers))
    return f"{found[0]:,}" if len(found) == 1 else f"{found[0]:,} to {found[-1]:,}"
