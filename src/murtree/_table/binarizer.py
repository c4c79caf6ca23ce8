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

from murtree._input.arrays import check_sample_weight
from murtree._input.parameters import check_choice, check_int
from murtree._table.columns import Column, encode, learn_columns, refuse_infinity
from murtree._table.coverage import ENCODINGS, candidates_of
from murtree._table.float32 import ties_in_float32
from murtree._table.frames import validate_table
from murtree._table.possible_tests import ColumnData, possible_tests
from murtree._table.predicate_text import Words
from murtree._table.predicates import Predicate, answers
from murtree._table.text_columns import warn_of_texts
from murtree._table.thresholds.choose import (
    Choice,
    choose_thresholds,
    has_fractions,
    strategies_of,
)
from murtree._table.unknown import UNKNOWNS, on_unknown

STRATEGIES = ("quantile", "uniform", "mdlp", "tree", "exact", "auto")
EXACT_COLUMNS = 30_000  # the most that "exact" makes by default
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
        columns, codes = learn_columns(validate_table(self, X, reset=True))
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
        return answers(self.predicates_, self._encode(X))

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
        **known: Any,
    ) -> Self:
        """Choose the questions; `known` is what else `Choice` has."""
        present = weight > 0
        y = None if y is None else np.asarray(y)[present]
        codes, weight = codes[present], weight[present]
        if "greedy_weight" in known:
            known["greedy_weight"] = known["greedy_weight"][present]
        levels = [np.unique(values[~np.isnan(values)]) for values in codes.T]
        refuses = self.handle_unknown == "error"
        columns = tuple(
            replace(
                column,
                has_missing=bool(np.isnan(values).any()),
                refuses_unknown=refuses and column.is_category,
            )
            for column, values in zip(columns, codes.T, strict=True)
        )
        table = list(enumerate(zip(columns, codes.T, levels, strict=True)))
        for _, (column, values, _) in table:
            warn_of_texts(column, values)
        known["n_others"] = 0  # columns that need no choice of thresholds
        for place, (column, values, distinct) in table:
            given = HALF if column.kind == "boolean" else HALF[:0]
            data = ColumnData(values, distinct, weight)
            known["n_others"] += len(possible_tests(self, place, column, given, data))
        limit = self.max_columns
        if limit is None:
            limit = AUTO_COLUMNS if self.strategy == "auto" else EXACT_COLUMNS
        known.setdefault("is_regression", has_fractions(y))
        hows = strategies_of(self.strategy, columns)
        choice = Choice(self.strategy, self.n_thresholds, limit, **known)
        chosen = choose_thresholds(choice, columns, codes, levels, y=y, weight=weight)
        tests: list[Predicate] = []
        for place, (column, values, distinct) in table:
            data = ColumnData(values, distinct, weight)
            tests += possible_tests(self, place, column, chosen[place], data)
        self.columns_ = columns
        self.predicates_ = tuple(tests)
        self.thresholds_ = chosen
        self._ties = ties_in_float32(codes, chosen)  # for scikit-learn's trees
        self.candidates_ = candidates_of(
            columns, levels, chosen, hows, self.max_categories
        )
        return self

    @property
    def _is_auto(self) -> bool:
        """Whether an estimator has a say in the candidates."""
        return isinstance(self.strategy, str) and self.strategy == "auto"

    def _fits_columns(self) -> bool:
        """Whether the number of columns is for the estimator to say."""
        return self._is_auto and self.max_columns is None

    def _encode(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        table = validate_table(self, X, reset=False)
        codes = encode(
            table,
            self.columns_,
            tested=range(len(self.columns_)),
            on_unknown=on_unknown(self.handle_unknown),
        )
        refuse_infinity(self.columns_, codes)
        return codes

    def _words(self, input_features: Any = None) -> Words:
        # The mixin's method checks and completes the names of the input columns.
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        columns = [
            replace(column, name=str(name))
            for column, name in zip(self.columns_, names, strict=True)
        ]
        return Words(columns, self.predicates_)
