"""From a user's table to boolean columns: each answers one question with yes or no.

Numbers are compared with thresholds, categories with one or several of them. How
thresholds are chosen is in `thresholds`; what a question may be is in `predicates`.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from murtree._input.parameters import check_choice, check_int, check_sample_weight
from murtree._table.candidates import ENCODINGS, Candidates, candidates_of
from murtree._table.columns import Column, encode, learn_columns
from murtree._table.float32 import ties_in_float32
from murtree._table.possible_tests import questions_about
from murtree._table.predicate_text import Words
from murtree._table.predicates import Predicate, as_slice, distinct
from murtree._table.text_columns import warn_of_texts
from murtree._table.thresholds.choose import (
    Choice,
    choose_thresholds,
    has_fractions,
    own_thresholds,
)
from murtree._table.unknown import UNKNOWNS, on_unknown
from murtree._table.validate import read_table, refuse_infinity

STRATEGIES = ("quantile", "uniform", "mdlp", "tree", "exact", "auto")
EXACT_COLUMNS = 30_000  # the most that "exact" makes unless told otherwise
AUTO_COLUMNS = 250  # and "auto"
HALF = np.array([0.5])  # the threshold of booleans


class TableBinarizer(TransformerMixin, BaseEstimator):
    """Turn a table into boolean columns such as ``age <= 41.5`` or ``colour = red``.

    Numbers and times get thresholds between values that occur, as short decimals or
    round moments; categories a column each, or one for every subset where they are few;
    booleans one. A column with missing values gets a test for them, and its thresholds
    come twice: with missing values on the one side and on the other. Of columns that
    are equal or complements in training only the first is made, and constant ones
    never.

    Parameters
    ----------
    strategy : str, dict or sequence, default="quantile"
        How thresholds are chosen; with at most `n_thresholds` boundaries between
        distinct values a column gets all of them, whatever the strategy but "mdlp" and
        "tree".

        - "quantile": the boundaries nearest to the median, the quarters, the eighths
          and so on, so that more thresholds contain the fewer;
        - "uniform": equally spaced between the least and the largest value;
        - "mdlp": where the classes change, by the minimum description length principle
          (Fayyad & Irani, 1993), as the MurTree paper did; `y` must be classes;
        - "tree": those that a boosted reference model uses, by their gain;
        - "exact": all boundaries: the proof covers every tree of such tests;
        - "auto": all boundaries if that makes `max_columns` at most, else as many
          quantiles of each column as fit. In an estimator those of greedy trees
          of its depth and their rivals come first.

        Or your own thresholds: a dict from names (or places) of columns, others by
        quantiles, or a sequence with a list, or None, for each column.
    n_thresholds : int, default=8
        The most thresholds of a column with "quantile", "uniform" and "tree".
    encoding : {"thresholds", "intervals"}, default="thresholds"
        Whether a column tells if a value is up to a threshold, or between two
        neighbouring ones, as in the paper.
    max_columns : int, default=None
        What "auto" may make (None: 250) and what "exact" refuses to exceed (None:
        30,000).
    max_categories : int, default=20
        The most categories of a column that get a test; of more, the heaviest.
    max_subset_levels : int, default=4
        Up to so many categories, missing being one, there is a test for each subset.
    handle_unknown : {"missing", "error"}, default="missing"
        What `transform` and `predict` do with a category that training did not have:
        treat it as a missing value, with a warning for each column, or raise an error.
        Saved trees and models do the same.

    Attributes
    ----------
    columns_ : tuple of Column
        The input columns: name, kind, categories.
    predicates_ : tuple of Predicate
        The question behind each output column.
    thresholds_ : list of ndarray of float64
        The thresholds of each input column, increasing; times in seconds.
    candidates_ : tuple of Candidates
        For each input column: its name and kind, the number of candidates, the number
        of all possible ones, and how the candidates were chosen, "all" if none was left
        out.
    n_features_in_ : int
        The number of input columns.
    feature_names_in_ : ndarray of str
        The names of the input columns, if they have any.

    Examples
    --------
    >>> from murtree import TableBinarizer
    >>> binarizer = TableBinarizer().fit([[1.0, "a"], [2.0, "b"], [4.0, "a"]])
    >>> binarizer.get_feature_names_out()
    array(['x0 <= 1.5', 'x0 <= 3', 'x1 = b'], dtype=object)
    >>> binarizer.transform([[3.0, "b"]])
    array([[False,  True,  True]])
    """

    def __init__(
        self,
        *,
        strategy: str | Mapping[Any, Any] | Sequence[Any] = "quantile",
        n_thresholds: int = 8,
        encoding: str = "thresholds",
        max_columns: int | None = None,
        max_categories: int = 20,
        max_subset_levels: int = 4,
        handle_unknown: str = "missing",
    ) -> None:
        self.strategy = strategy
        self.n_thresholds = n_thresholds
        self.encoding = encoding
        self.max_columns = max_columns
        self.max_categories = max_categories
        self.max_subset_levels = max_subset_levels
        self.handle_unknown = handle_unknown

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:
        """Choose the questions about each column.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, booleans or times; NaN, None and the like are missing.
        y : array-like of shape (n_samples,), default=None
            Classes or targets: "mdlp" and "tree" need them.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative numbers; a weight of k counts as k copies.

        Returns
        -------
        self : TableBinarizer
            The fitted transformer.

        Examples
        --------
        >>> from murtree import TableBinarizer
        >>> binarizer = TableBinarizer(strategy="exact").fit([[1.0], [2.0], [4.0]])
        >>> len(binarizer.predicates_)
        2
        """
        self._check_parameters()
        columns, codes = learn_columns(read_table(self, X, reset=True))
        refuse_infinity(columns, codes)
        weight = check_sample_weight(sample_weight, codes.shape[0])
        return self._fit_codes(columns, codes, y, weight)

    def transform(self, X: Any) -> npt.NDArray[np.bool_]:
        """Answer the questions for each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        X_out : ndarray of bool of shape (n_samples, number of questions)
            True where the answer is yes.

        Examples
        --------
        >>> from murtree import TableBinarizer
        >>> TableBinarizer().fit([[1.0], [2.0], [4.0]]).transform([[1.0], [9.0]])
        array([[ True,  True],
               [False, False]])
        """
        return self._answers(self._encode(X))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the question of each output column in words, such as ``age <= 41.5``.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input columns; by default those `fit` saw, or x0, x1 and so on.

        Returns
        -------
        names : ndarray of object
            The names.

        Examples
        --------
        >>> from murtree import TableBinarizer
        >>> binarizer = TableBinarizer().fit([[1.0], [2.0], [4.0]])
        >>> binarizer.get_feature_names_out(["age"])
        array(['age <= 1.5', 'age <= 3'], dtype=object)
        """
        check_is_fitted(self)
        words = self._words(input_features)
        names = [words.yes(predicate) for predicate in self.predicates_]
        return np.array(names, dtype=object)

    def inverse(self, column: int, answer: bool = True) -> str:
        """Say what an answer means, in words.

        Parameters
        ----------
        column : int
            The place of an output column.
        answer : bool, default=True
            Its value.

        Returns
        -------
        text : str
            What is then known of the row.

        Examples
        --------
        >>> from murtree import TableBinarizer
        >>> binarizer = TableBinarizer().fit([[1.0], [2.0], [4.0]])
        >>> binarizer.inverse(1, True), binarizer.inverse(1, False)
        ('x0 <= 3', 'x0 > 3')
        """
        check_is_fitted(self)
        n_columns = len(self.predicates_)
        place = check_int(column, "column", "TableBinarizer.inverse", 0, n_columns - 1)
        words, predicate = self._words(), self.predicates_[place]
        return words.yes(predicate) if answer else words.no(predicate)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # bool comes out, whatever went in
        tags.input_tags.allow_nan = True
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.target_tags.required = self.strategy in ("mdlp", "tree")
        return tags

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if isinstance(self.strategy, str):
            check_choice(self.strategy, "strategy", owner, STRATEGIES)
        elif not isinstance(self.strategy, Mapping | Sequence | np.ndarray):
            raise TypeError(
                f"The 'strategy' parameter of {owner} must be one of {STRATEGIES}, a "
                f"dict or a sequence of thresholds. Got {self.strategy!r} instead."
            )
        check_int(self.n_thresholds, "n_thresholds", owner, 1, None)
        check_choice(self.encoding, "encoding", owner, ENCODINGS)
        if self.max_columns is not None:
            check_int(self.max_columns, "max_columns", owner, 1, None)
        check_int(self.max_categories, "max_categories", owner, 1, None)
        check_int(self.max_subset_levels, "max_subset_levels", owner, 0, 10)
        check_choice(self.handle_unknown, "handle_unknown", owner, UNKNOWNS)

    def _fit_codes(
        self,
        columns: tuple[Column, ...],
        codes: npt.NDArray[np.float64],
        y: Any,
        weight: npt.NDArray[Any],
        **told: Any,
    ) -> Self:
        """Choose the questions; `told` is what `Choice` should know beside."""
        present = weight > 0
        y = None if y is None else np.asarray(y)[present]
        codes, weight = codes[present], weight[present]
        refuses = self.handle_unknown == "error"
        columns = tuple(
            replace(
                column,
                has_missing=bool(np.isnan(values).any()),
                refuses_unknown=refuses and column.is_category,
            )
            for column, values in zip(columns, codes.T, strict=True)
        )
        levels = [np.unique(values[~np.isnan(values)]) for values in codes.T]
        table = list(zip(columns, codes.T, levels, strict=True))
        for column, values, _ in table:
            warn_of_texts(column, values)
        told["n_others"] = 0  # columns that need no choice of thresholds
        for place, entry in enumerate(table):
            given = HALF if entry[0].kind == "boolean" else HALF[:0]
            told["n_others"] += len(self._asked(place, entry, given, weight))
        limit = self.max_columns
        if limit is None:
            limit = AUTO_COLUMNS if self.strategy == "auto" else EXACT_COLUMNS
        told.setdefault("is_regression", has_fractions(y))
        if "greedy_weight" in told:
            told["greedy_weight"] = told["greedy_weight"][present]
        choice = Choice(self.strategy, self.n_thresholds, limit, **told)
        chosen = choose_thresholds(choice, columns, codes, levels, y=y, weight=weight)
        predicates: list[Predicate] = []
        for place, entry in enumerate(table):
            predicates += self._asked(place, entry, chosen[place], weight)
        self.columns_ = columns
        self.predicates_ = tuple(predicates)
        self.thresholds_ = chosen
        self._ties = [  # for scikit-learn's trees, which cast data to float32
            ties_in_float32(*pair) for pair in zip(codes.T, chosen, strict=True)
        ]
        self.candidates_ = tuple(
            self._candidates(place, column, values)
            for place, (column, values) in enumerate(zip(columns, levels, strict=True))
        )
        return self

    def _candidates(
        self, place: int, column: Column, levels: npt.NDArray[np.float64]
    ) -> Candidates:
        how = self.strategy
        if not isinstance(how, str):  # a dict, or a list with None for some columns
            is_own = place in own_thresholds(how, self.columns_)
            how = "given" if is_own else "quantile"
        thresholds = self.thresholds_[place]
        return candidates_of(column, levels, thresholds, how, self.max_categories)

    def _asked(
        self,
        place: int,
        entry: tuple[Column, npt.NDArray[np.float64], npt.NDArray[np.float64]],
        thresholds: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
    ) -> list[Predicate]:
        """Return the tests of a column, its values and distinct ones, that differ."""
        column, values, levels = entry
        asked = questions_about(
            self, place, column, thresholds=thresholds, values=values, weight=weight
        )
        if not column.has_missing and self._is_plain(column):
            return asked
        if column.has_missing:
            levels = np.append(levels, np.nan)
        return distinct(asked, [predicate.holds(levels) for predicate in asked])

    @property
    def _is_auto(self) -> bool:
        """Whether an estimator has a say in the candidates."""
        return isinstance(self.strategy, str) and self.strategy == "auto"

    def _fits_columns(self) -> bool:
        """Whether the number of columns is for the estimator to say."""
        return self._is_auto and self.max_columns is None

    def _is_plain(self, column: Column) -> bool:
        """Whether questions are thresholds, which are never equal or complements."""
        return column.kind != "category" and self.encoding == "thresholds"

    def _encode(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        table = read_table(self, X, reset=False)
        codes = encode(
            table,
            self.columns_,
            asked=range(len(self.columns_)),
            on_unknown=on_unknown(self.handle_unknown),
        )
        refuse_infinity(self.columns_, codes)
        return codes

    def _answers(self, codes: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Answer all questions; those that are one comparison many at a time."""
        out = np.empty((codes.shape[0], len(self.predicates_)), dtype=np.bool_)
        compared: dict[int, list[int]] = {}
        for place, predicate in enumerate(self.predicates_):
            if predicate.is_threshold:
                compared.setdefault(predicate.column, []).append(place)
            else:
                out[:, place] = predicate.holds(codes[:, predicate.column])
        for column, places in compared.items():
            limits = np.array([self.predicates_[place].threshold for place in places])
            values, index = codes[:, column], as_slice(places)
            if isinstance(index, slice):  # no copy of a table that may be large
                np.less_equal(values[:, np.newaxis], limits, out=out[:, index])
            else:
                out[:, index] = values[:, np.newaxis] <= limits
            with_missing = [k for k in places if self.predicates_[k].missing]
            if with_missing:  # which are in no interval so far
                rows = np.flatnonzero(np.isnan(values))
                out[rows[:, np.newaxis], with_missing] = True
        return out

    def _words(self, input_features: Any = None) -> Words:
        # The mixin's method checks and completes the names of the input columns.
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        columns = [
            replace(column, name=str(name))
            for column, name in zip(self.columns_, names, strict=True)
        ]
        return Words(columns, self.predicates_)
