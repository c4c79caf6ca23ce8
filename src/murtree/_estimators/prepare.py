"""From a user's table to the columns of the solver, at fit and at predict.

A part of every estimator: what it learns about the columns of the table, which of them
it may use, and how many questions it asks about them.
"""

import time
from abc import abstractmethod
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.validation import check_consistent_length, validate_data

from murtree._input.arrays import as_binary, distinct_labels
from murtree._input.parameters import check_choice, check_sample_weight, refuse_lazy
from murtree._input.whole_numbers import MAX_EXACT, whole_numbers
from murtree._solver.constraints.fixed_tests import forbidden_places, without_columns
from murtree._solver.depth_two_by_rank import Narrowed, only_useful
from murtree._solver.objectives.read import check_feature_costs
from murtree._solver.request import Asked, Manners
from murtree._table.binarizer import STRATEGIES, TableBinarizer
from murtree._table.columns import Column, encode, learn_columns, plain_columns
from murtree._table.coverage import Coverage, coverage_of
from murtree._table.predicates import Predicate
from murtree._table.thresholds.budget import (
    CLASSES,
    SIZED,
    SUMMED,
    UNLIMITED_DEPTH,
    affordable_columns,
)
from murtree._table.unknown import UNKNOWNS, on_unknown
from murtree._table.validate import read_table, refuse_infinity

DEEPEST_GREEDY = 6  # of greedy trees whose thresholds are taken: 63 at the most


class Prepared(NamedTuple):
    """Data as the solver takes it."""

    bits: npt.NDArray[Any]  # 1 where a test fails: the solver's ones go right
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    feature_costs: npt.NDArray[np.float64] | None  # of its columns
    codes: npt.NDArray[Any]  # the user's table, if a partial tree is to be applied
    prices: npt.NDArray[np.float64] | None  # of a test of each of its columns
    seconds: float  # that it took to make all this


class Preparation(BaseEstimator):
    """What estimators do with a table before and after the search."""

    max_depth: int | None
    max_num_nodes: int | None
    min_samples_leaf: int
    min_weight_fraction_leaf: float
    feature_costs: Any
    time_limit: float | None
    forbidden_features: Any
    max_distinct_features: int | None
    partial_tree: Any
    binarizer: str | TableBinarizer | None
    handle_unknown: str
    binarizer_: TableBinarizer
    coverage_: Coverage
    n_features_in_: int

    @abstractmethod
    def _validate_target(self, y: Any) -> npt.NDArray[Any]:
        """Return what is to be predicted, checked."""

    @abstractmethod
    def _objective(self) -> Any:
        """Return what the solver shall minimise."""

    def _counts_errors(self) -> bool:
        """Whether objectives are numbers of errors."""
        objective = self._objective()
        return isinstance(objective, str) and objective == "accuracy"

    def _solver_weight(
        self, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Return the weights of rows as the solver shall see them."""
        del y
        return weight

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        """Check and binarize the data."""
        start = time.perf_counter()
        y = self._validate_target(y)
        table = self._read(X)
        check_consistent_length(table, y)
        weight = check_sample_weight(sample_weight, table.shape[0])
        prices = check_feature_costs(
            self.feature_costs,
            table.shape[1],
            type(self).__name__,
            [column.name for column in named_columns(self)],
        )
        if self.binarizer is None:
            bits = codes = self._without_forbidden(table)
        else:
            bits, codes = self._binarize(table, y, weight)
        columns = self._costs_of_columns(prices)
        weight = self._solver_weight(y, weight)
        if self.partial_tree is None:
            codes = np.empty((0, 0))  # no need to hold it during the search
        seconds = time.perf_counter() - start
        return Prepared(bits, y, weight, columns, codes, prices, seconds)

    def _read(self, X: Any) -> Any:
        """Return the table to learn from, checked; learn its features and names."""
        if self.binarizer is None:
            refuse_lazy(X, "X")
            return validate_data(self, X, dtype="numeric", ensure_min_samples=2)
        return read_table(self, X, reset=True, min_samples=2)

    def _without_forbidden(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return 0/1 data in which forbidden columns are of no use."""
        owner, columns = type(self).__name__, named_columns(self)
        forbidden = forbidden_places(self.forbidden_features, columns, owner)
        self.coverage_ = Coverage(len(columns) - len(forbidden))
        bits = as_binary(table)
        if forbidden:
            bits = bits.copy()
            bits[:, sorted(forbidden)] = 0
        return bits

    def _costs_of_columns(
        self, prices: npt.NDArray[np.float64] | None
    ) -> npt.NDArray[np.float64] | None:
        """Return what a test of each column of the solver costs."""
        if prices is None or self.binarizer is None:
            return prices
        asked = self.binarizer_.predicates_
        return np.array([prices[test.column] for test in asked]) if asked else None

    def _narrowed(
        self, prepared: Prepared, asked: Asked, manners: Manners
    ) -> tuple[Prepared, Narrowed]:
        """Leave only the columns that matter where a tree of depth two has many."""
        goes_by_ranks = self._goes_by_ranks(deepest(asked.depth, asked.nodes))
        weight = self._error_weight(prepared.y, prepared.weight)
        if self.binarizer is None or not goes_by_ranks or weight is None:
            return prepared, Narrowed(prepared.bits)
        tests = self.binarizer_.predicates_
        narrowed = only_useful(prepared.bits, tests, prepared.y, weight, manners)
        return prepared._replace(bits=narrowed.bits), narrowed

    def _error_weight(
        self, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> npt.NDArray[np.int64] | None:
        """Return what an error on each row costs, in a common unit if there is one."""
        del y
        whole = whole_numbers(weight, MAX_EXACT) if self._counts_errors() else None
        return None if whole is None else whole.numbers.astype(np.int64)

    def _check_binarizer(self, owner: str) -> None:
        binarizer = self.binarizer
        is_name = isinstance(binarizer, str) and binarizer in STRATEGIES
        if not (binarizer is None or isinstance(binarizer, TableBinarizer) or is_name):
            raise ValueError(
                f"The 'binarizer' parameter of {owner} must be one of {STRATEGIES}, a "
                f"TableBinarizer or None. Got {binarizer!r} instead."
            )
        check_choice(self.handle_unknown, "handle_unknown", owner, UNKNOWNS)

    def _binarize(
        self, table: Any, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        columns, codes = learn_columns(table)
        owner = type(self).__name__
        forbidden = forbidden_places(self.forbidden_features, columns, owner)
        columns, codes = without_columns(columns, codes, forbidden)
        refuse_infinity(columns, codes)
        binarizer = self._new_binarizer()
        binarizer._check_parameters()
        told: dict[str, Any] = {"is_regression": is_regressor(self)}
        if binarizer._fits_columns():
            binarizer.max_columns = self._max_columns(y, weight)
        if binarizer._is_auto:
            limit = deepest(self.max_depth, self.max_num_nodes) or UNLIMITED_DEPTH
            told["greedy_depth"] = min(limit, DEEPEST_GREEDY)
            told["greedy_weight"] = self._solver_weight(y, weight)
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(binarizer, name, getattr(self, name))
        self.binarizer_ = binarizer._fit_codes(columns, codes, y, weight, **told)
        self.coverage_ = coverage_of(self.binarizer_)
        return self._bits_of(codes), codes

    def _new_binarizer(self) -> TableBinarizer:
        """Return the user's binarizer, or one of the strategy that was named."""
        chosen = self.binarizer
        if isinstance(chosen, TableBinarizer):
            own: TableBinarizer = clone(chosen)
        else:
            own = TableBinarizer(strategy=str(chosen))
        if self.handle_unknown == "error":  # either of the two can ask for it
            own.handle_unknown = "error"
        return own

    def _bits_of(self, codes: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Return the columns of the solver, 1 where a test fails."""
        bits = self.binarizer_._answers(codes)
        np.logical_not(bits, out=bits)
        # Without any question the tree is a leaf, but the solver wants a column.
        return bits if bits.shape[1] else np.zeros((bits.shape[0], 1), dtype=np.bool_)

    def _max_columns(self, y: npt.NDArray[Any], weight: npt.NDArray[Any]) -> int:
        """Return how many columns the search should handle, whatever its limits."""
        has_unit = self._error_weight(y, self._solver_weight(y, weight)) is not None
        depth = deepest(self.max_depth, self.max_num_nodes)
        return affordable_columns(
            depth=depth or 0,
            n_rows=int(np.count_nonzero(weight)),
            n_columns=self.n_features_in_,
            effort=self._effort(y) * (SIZED if self._is_sized() else 1.0),
            is_nested=has_unit and self._goes_by_ranks(depth),
        )

    def _is_sized(self) -> bool:
        """Whether leaves have a least size."""
        return self.min_samples_leaf > 1 or self.min_weight_fraction_leaf > 0

    def _goes_by_ranks(self, depth: int | None) -> bool:
        """Whether many thresholds can be dealt with in their order."""
        is_shallow = depth is not None and depth <= 2
        is_plain = not self._is_sized() and not is_regressor(self)
        is_free = self.max_distinct_features is None and self.partial_tree is None
        return is_shallow and is_plain and is_free and self.feature_costs is None

    def _effort(self, y: npt.NDArray[Any]) -> float:
        """Return how much longer the search takes than one that counts errors."""
        if not self._counts_errors():
            return SUMMED
        return max(distinct_labels(y)[0].size / CLASSES, 1.0)

    def _columns_and_tests(self) -> tuple[tuple[Column, ...], tuple[Predicate, ...]]:
        """Return the columns of the table, and the test behind each of the solver's."""
        if self.binarizer is not None:
            return self.binarizer_.columns_, self.binarizer_.predicates_
        columns = named_columns(self)
        return columns, tuple(column_test(place) for place in range(len(columns)))

    def _encode(
        self, X: Any, columns: tuple[Column, ...], used: set[int]
    ) -> npt.NDArray[Any]:
        """Return the codes; it warns of unknown categories in used columns only."""
        if self.binarizer is None:
            refuse_lazy(X, "X")
            return as_binary(validate_data(self, X, dtype="numeric", reset=False))
        table = read_table(self, X, reset=False)
        tell = on_unknown(self.binarizer_.handle_unknown)
        codes = encode(table, columns, asked=used, on_unknown=tell)
        refuse_infinity(columns, codes)
        return codes

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        any_table = self.binarizer is not None
        tags.input_tags.allow_nan = any_table
        tags.input_tags.sparse = any_table
        tags.input_tags.string = any_table
        tags.input_tags.categorical = any_table
        return tags


def deepest(depth: int | None, nodes: int | None) -> int | None:
    """Return the depth that no tree within these limits exceeds, if there is one."""
    return min((limit for limit in (depth, nodes) if limit is not None), default=None)


def column_test(place: int) -> Predicate:
    """Return the one test of a column of 0 and 1."""
    return Predicate(place, 0.5)


def named_columns(estimator: Any) -> tuple[Column, ...]:
    """Return columns of 0 and 1 with the names that an estimator was fitted on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return plain_columns(estimator.n_features_in_)
    return tuple(Column(str(name), is_binary=True) for name in names)
