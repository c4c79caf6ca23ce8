"""The transformer from tables to boolean columns, one per candidate test.

Tests compare numbers with thresholds and categories with sets of categories. Package
`thresholds` chooses the thresholds; module `predicates` defines the tests. The file has
over 400 lines because nearly half of them document the public transformer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from murtree._input.arrays import check_sample_weight
from murtree._input.parameters import check_choice, check_int
from murtree._table.columns import Column, encode, learn_columns, refuse_infinity
from murtree._table.coverage import ENCODINGS, candidates_of, coverage_of
from murtree._table.every_test import EveryTest, Gaps, Listed
from murtree._table.float32 import ties_in_float32
from murtree._table.frames import validate_table
from murtree._table.possible_tests import ColumnData, possible_tests
from murtree._table.predicate_text import Words
from murtree._table.predicates import Predicate, answers
from murtree._table.text_columns import warn_of_texts
from murtree._table.thresholds.choose import (
    COMPARED,
    Choice,
    choose_thresholds,
    has_fractions,
    number_of_all,
    strategies_of,
)
from murtree._table.unknown import UNKNOWNS, warn_or_refuse

STRATEGIES = ("quantile", "uniform", "mdlp", "tree", "exact", "auto")
EXACT_COLUMNS = 30_000  # default limit of "exact"
AUTO_COLUMNS = 250  # default limit of "auto"
HALF = np.array([0.5])  # the threshold of boolean columns


class TableBinarizer(TransformerMixin, BaseEstimator):
    """Turn a table into boolean columns such as ``age <= 41.5`` or ``colour = red``.

    Numbers and times are compared with thresholds between observed values, written as
    short decimals or round times. Each category gets a column, or each subset if there
    are few categories; a boolean gets one column. A column with missing values also
    gets a test for missing values, and two tests per threshold, with missing values on
    either side. Constant columns are left out, and so are columns that equal or
    complement an earlier one on the training data.

    Parameters
    ----------
    strategy : str, dict or sequence, default="quantile"
        How to choose thresholds. A column with at most `n_thresholds` boundaries
        between distinct values gets all of them, except with "mdlp" and "tree".

        - "quantile": the boundaries nearest to the median, the quartiles, the octiles
          and so on; a larger `n_thresholds` only adds thresholds;
        - "uniform": equally spaced between the minimum and the maximum;
        - "mdlp": entropy-based cuts by the minimum description length principle
          (Fayyad & Irani, 1993), as in the MurTree paper; `y` must hold classes;
        - "tree": the thresholds with the largest gain in a boosted reference model;
        - "exact": all boundaries, so that the proof covers every tree of such tests;
        - "auto": all boundaries if they make at most `max_columns` columns, otherwise
          as many quantiles of each column as fit. In an estimator, the thresholds of
          greedy trees of the same depth and their best alternatives come first.

        Custom thresholds are given as a dict from column names or indices to lists
        (other columns use quantiles), or as a sequence with a list or None per column.
    n_thresholds : int, default=8
        Maximum number of thresholds per column with "quantile", "uniform" and "tree".
    encoding : {"thresholds", "intervals"}, default="thresholds"
        Whether an output column tests if a value is at most a threshold, or if it is
        between two neighbouring thresholds, as in the paper.
    max_columns : int, default=None
        Maximum number of output columns with "auto" (None: 250) and with "exact" (None:
        30,000), which raises an error if it needs more. In `OptimalTreeClassifier` None
        is no limit with "exact" where the search needs no columns, see its parameter
        `binarizer`.
    max_categories : int, default=20
        Maximum number of categories per column that get a test; the most frequent ones
        are used.
    max_subset_levels : int, default=4
        Columns with at most this many categories, including missing, get a test for
        each subset.
    handle_unknown : {"missing", "error"}, default="missing"
        How `transform` and `predict` handle categories not seen during fit: treat them
        as missing values, with a warning for each column, or raise an error. Saved
        trees and models do the same.

    Attributes
    ----------
    columns_ : tuple of Column
        The input columns: name, kind, categories.
    predicates_ : tuple of Predicate
        The test of each output column.
    thresholds_ : list of ndarray of float64
        The thresholds of each input column, increasing; times in seconds.
    candidates_ : tuple of Candidates
        The name and kind of each input column, its numbers of candidates and of
        possible tests, and how the candidates were chosen ("all" if none was left out).
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

    _takes_all = False  # whether an estimator searches all thresholds with "auto"

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
        """Choose the tests of each column.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, booleans or times; NaN, None, NA and NaT are missing values.
        y : array-like of shape (n_samples,), default=None
            Classes or targets, required by "mdlp" and "tree".
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights; a weight of k counts as k copies of the row.

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
        """Evaluate the tests for each row.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Rows with the same columns as in `fit`.

        Returns
        -------
        X_out : ndarray of bool of shape (n_samples, number of tests)
            True where the test holds.

        Examples
        --------
        >>> from murtree import TableBinarizer
        >>> TableBinarizer().fit([[1.0], [2.0], [4.0]]).transform([[1.0], [9.0]])
        array([[ True,  True],
               [False, False]])
        """
        return answers(self.predicates_, self._encode(X))

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return the test of each output column as text, such as ``age <= 41.5``.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input columns; by default those of `fit`, or x0, x1 and so on.

        Returns
        -------
        names : ndarray of object
            The texts of the tests.

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
        """Return the condition that a value of an output column stands for.

        Parameters
        ----------
        column : int
            Index of the output column.
        answer : bool, default=True
            Value of the output column.

        Returns
        -------
        text : str
            The condition, such as ``x0 <= 3``.

        Examples
        --------
        >>> from murtree import TableBinarizer
        >>> binarizer = TableBinarizer().fit([[1.0], [2.0], [4.0]])
        >>> binarizer.inverse(1, True), binarizer.inverse(1, False)
        ('x0 <= 3', 'x0 > 3')
        """
        check_is_fitted(self)
        n_columns = len(self.predicates_)
        index = check_int(column, "column", "TableBinarizer.inverse", 0, n_columns - 1)
        words, predicate = self._words(), self.predicates_[index]
        return words.yes(predicate) if answer else words.no(predicate)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # the output is always bool
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
        """Choose the tests; `known` has additional fields of `Choice`."""
        y = None if y is None else np.asarray(y)
        if not (present := weight > 0).all():
            y = None if y is None else y[present]
            codes, weight = codes[present], weight[present]
            if "greedy_weight" in known:
                known["greedy_weight"] = known["greedy_weight"][present]
        columns, levels = self._learn_levels(columns, codes)
        table = list(enumerate(zip(columns, codes.T, levels, strict=True)))
        known["n_others"] = 0  # tests that need no thresholds
        for index, (column, values, distinct) in table:
            given = HALF if column.kind == "boolean" else HALF[:0]
            data = ColumnData(values, distinct, weight)
            known["n_others"] += len(possible_tests(self, index, column, given, data))
        known.setdefault("is_regression", has_fractions(y))
        strategies = strategies_of(self.strategy, columns)
        choice = Choice(self.strategy, self.n_thresholds, self._most_columns, **known)
        chosen = choose_thresholds(choice, columns, codes, levels, y=y, weight=weight)
        tests: list[Predicate] = []
        for index, (column, values, distinct) in table:
            data = ColumnData(values, distinct, weight)
            tests += possible_tests(self, index, column, chosen[index], data)
        self.columns_ = columns
        self.predicates_, self._n_tests = tuple(tests), len(tests)
        self.thresholds_ = chosen
        self._levels = levels
        self.candidates_ = candidates_of(
            columns, levels, chosen, strategies, self.max_categories
        )
        self._n_exact = number_of_all(columns, levels, known["n_others"])
        self._coverage = coverage_of(self)
        return self

    def _fit_every(
        self,
        columns: tuple[Column, ...],
        codes: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
    ) -> EveryTest:
        """Take all tests, which are created when they are needed, and return them."""
        if not (present := weight > 0).all():
            codes, weight = codes[present], weight[present]
        columns, levels = self._learn_levels(columns, codes)
        parts: list[Gaps | Listed] = []
        for index, (column, distinct) in enumerate(zip(columns, levels, strict=True)):
            if column.kind in COMPARED:
                parts.append(Gaps(index, column.kind, distinct, column.has_missing))
                continue
            given = HALF if column.kind == "boolean" else HALF[:0]
            data = ColumnData(codes[:, index], distinct, weight)
            parts.append(Listed(possible_tests(self, index, column, given, data)))
        self.columns_, self._levels = columns, levels
        all_of_them, strategies = [None] * len(columns), ["exact"] * len(columns)
        self.candidates_ = candidates_of(
            columns, levels, all_of_them, strategies, self.max_categories
        )
        self._tests = EveryTest(parts)
        self._n_tests = len(self._tests)
        self._coverage = coverage_of(self)
        return self._tests

    def _learn_levels(
        self, columns: tuple[Column, ...], codes: npt.NDArray[np.float64]
    ) -> tuple[tuple[Column, ...], list[npt.NDArray[np.float64]]]:
        """Return the columns as they are in these rows, and their distinct values."""
        refuses, known, levels = self.handle_unknown == "error", [], []
        for column, values in zip(columns, codes.T, strict=True):
            warn_of_texts(column, values, self.max_categories)
            distinct = np.unique(values)  # all NaN are one value, the last
            has_missing = distinct.size > 0 and bool(np.isnan(distinct[-1]))
            levels.append(distinct[:-1] if has_missing else distinct)
            refuses_unknown = refuses and column.is_category
            known.append(
                replace(
                    column, has_missing=has_missing, refuses_unknown=refuses_unknown
                )
            )
        return tuple(known), levels

    @cached_property
    def predicates_(self) -> tuple[Predicate, ...]:
        """The test of each output column."""
        return tuple(self._tests)

    @cached_property
    def thresholds_(self) -> list[npt.NDArray[np.float64]]:
        """The thresholds of each input column."""
        return [part.thresholds for part in self._tests.parts]

    @cached_property
    def _ties(self) -> list[npt.NDArray[np.float64]]:
        """Values that equal a threshold in float32, for scikit-learn's trees."""
        return ties_in_float32(self._levels, self.thresholds_)

    @property
    def _most_columns(self) -> int:
        """The maximum number of output columns."""
        if self.max_columns is not None:
            return self.max_columns
        return AUTO_COLUMNS if self._is_auto else EXACT_COLUMNS

    def _limit_of_exact(self, *, needs_columns: bool) -> int | None:
        """Return the limit on the tests of "exact", if it concerns this coverage."""
        if self._is_exact:
            return self._most_columns
        leaves_out = self._is_auto and self._coverage.depends_on_size
        is_more = leaves_out and needs_columns and self._n_exact > EXACT_COLUMNS
        return EXACT_COLUMNS if is_more else None

    @property
    def _is_exact(self) -> bool:
        """Whether the strategy is "exact"."""
        return isinstance(self.strategy, str) and self.strategy == "exact"

    @property
    def _is_auto(self) -> bool:
        """Whether the strategy is "auto", which estimators extend."""
        return isinstance(self.strategy, str) and self.strategy == "auto"

    def _fits_columns(self) -> bool:
        """Return whether the estimator chooses the maximum number of columns."""
        return self._is_auto and self.max_columns is None

    def _encode(self, X: Any) -> npt.NDArray[np.float64]:
        check_is_fitted(self)
        table = validate_table(self, X, reset=False)
        codes = encode(
            table,
            self.columns_,
            tested=range(len(self.columns_)),
            on_unknown=warn_or_refuse,
        )
        refuse_infinity(self.columns_, codes)
        return codes

    def _words(self, input_features: Any = None) -> Words:
        # The mixin's method validates the names, or returns default ones.
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        columns = [
            replace(column, name=str(name))
            for column, name in zip(self.columns_, names, strict=True)
        ]
        return Words(columns, self.predicates_)
