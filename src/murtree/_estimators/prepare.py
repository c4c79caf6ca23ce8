"""Convert tables to the columns of the solver, for fit and predict."""

import math
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from murtree._estimators.checked_parameters import Parameters
from murtree._estimators.column_budget import (
    UNLIMITED_DEPTH,
    TableSize,
    adds_costs,
    are_ranked,
    budget_of,
    deepest,
    takes_every_test,
    takes_ranks,
)
from murtree._estimators.teacher import Forest
from murtree._input.arrays import (
    as_binary,
    as_labels,
    check_container,
    check_sample_weight,
    encode_labels,
)
from murtree._input.bit_columns import BitColumns
from murtree._solver.constraints.fixed_tests import forbidden_indices, without_columns
from murtree._solver.metrics.metrics import positive_code
from murtree._solver.objectives.class_weight import weighted_by_class
from murtree._solver.objectives.read import check_feature_costs
from murtree._solver.result import Result
from murtree._table.binarizer import TableBinarizer
from murtree._table.columns import (
    Column,
    encode,
    learn_columns,
    plain_columns,
    refuse_infinity,
)
from murtree._table.coverage import Coverage
from murtree._table.every_test import EveryTest
from murtree._table.frames import validate_table
from murtree._table.predicates import Predicate, failures, packed_failures
from murtree._table.ranked_rows import RankedRows
from murtree._table.unknown import warn_or_refuse
from murtree._tree.tree import Tree

DEEPEST_GREEDY = 6  # depth of greedy trees for thresholds: at most 63 of them


SolverColumns = npt.NDArray[Any] | BitColumns | RankedRows


class Prepared(NamedTuple):
    """Data in the form that the solver takes, and the meaning of its columns."""

    bits: SolverColumns  # 1 where a test fails: in the solver ones go right
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    shares: npt.NDArray[np.float64] | None  # of each class in a row; None: all of `y`
    columns: tuple[Column, ...]  # of the user's table
    binarizer: TableBinarizer | None  # None: the columns are binary
    coverage: Coverage
    prices: npt.NDArray[np.float64] | None  # cost of a test, per column of the table
    feature_costs: npt.NDArray[np.float64] | None  # per column of the solver
    codes: npt.NDArray[Any]  # the table, if there is a partial tree
    smoothing: float | str | None  # of all trees
    seconds: float  # time of the preparation

    @property
    def tests(self) -> Sequence[Predicate]:
        """The test of each column of the solver."""
        if self.binarizer is None:
            return tuple(map(_test_of_bit, range(len(self.columns))))
        every: EveryTest | None = getattr(self.binarizer, "_tests", None)
        return self.binarizer.predicates_ if every is None else every

    def result(self, found: Result) -> Result:
        """Return a result of the solver with its tree on the user's columns."""
        assert found.tree is not None  # there is no upper bound
        return replace(found, tree=self.tree(found.tree))

    def tree(self, tree: Tree) -> Tree:
        """Return a tree of the solver on the user's columns, in their units."""
        if tree.columns is None:  # else a constrained search has converted it
            tree = self._on_table(tree)
        return replace(tree, smoothing=self.smoothing)

    def _on_table(self, tree: Tree) -> Tree:
        if self.binarizer is not None:
            tests: Any = self.tests
            if isinstance(tests, EveryTest):
                used = tree.feature[tree.feature >= 0].tolist()
                tests = tests.some(used)
            return tree._with_columns(self.columns, tests)
        # Create only the tests of this tree: the table may be wide.
        tests = {index: _test_of_bit(index) for index in tree.feature.tolist()}
        return tree._with_columns(self.columns, tests)


class CheckedData(NamedTuple):
    """The data of a fit as given by the user, checked."""

    table: Any
    y: npt.NDArray[Any]
    codes: npt.NDArray[Any]  # integers instead of classes that are text; else `y`
    sample_weight: npt.NDArray[Any]
    n_labels: int  # distinct labels or targets


def prepare(
    estimator: Any,
    parameters: Parameters,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    forest: Forest | None = None,
) -> Prepared:
    """Check and binarize the data, with the targets of the teacher if there is one.

    Only the feature names and the number of features of the estimator are set. A
    `forest` is one that was fitted to these rows before.
    """
    start = time.perf_counter()
    data = check_data(estimator, parameters, X, y, sample_weight)
    columns = _named_columns(estimator)
    prices, owner = parameters.feature_costs, parameters.request.owner
    if prices is not None:
        names = [column.name for column in columns]
        prices = check_feature_costs(prices, len(columns), owner, names)
    binarizer, costs = None, prices
    bits: SolverColumns
    if parameters.binarizer is None:
        bits, coverage = _allowed_bits(parameters, data.table, columns)
        codes: npt.NDArray[Any] = bits
    else:
        columns, codes = allowed_codes(parameters, data.table)
    shares = None
    if parameters.teacher is not None:
        forest = forest or fitted_forest(parameters, data, codes)
        data, shares = _taught(parameters, data, forest)
    weight = data.sample_weight
    if parameters.class_weight is not None:
        given = parameters.class_weight
        weight, shares = weighted_by_class(data.y, weight, given, shares)
    if parameters.binarizer is not None:
        table = columns, codes
        binarizer, bits = _fit_binarizer(estimator, parameters, data, weight, table)
        columns, coverage = binarizer.columns_, binarizer._coverage
        if prices is not None:
            tests = binarizer.predicates_
            costs = np.array([prices[t.column] for t in tests]) if tests else None
    if parameters.partial_tree is None:
        codes = np.empty((0, 0))  # free memory before the search
    seconds = time.perf_counter() - start
    return Prepared(
        bits=bits,
        y=data.y,
        weight=weight,
        shares=shares,
        columns=columns,
        binarizer=binarizer,
        coverage=coverage,
        prices=prices,
        feature_costs=costs,
        codes=codes,
        smoothing=parameters.smoothing,
        seconds=seconds,
    )


def check_data(
    estimator: Any, parameters: Parameters, X: Any, y: Any, sample_weight: Any
) -> CheckedData:
    """Return checked data; set the feature names of the estimator."""
    if parameters.is_regression:
        check_container(y, "y")
        codes = target = np.asarray(validate_data(estimator, y=y, y_numeric=True))
        classes = np.unique(target)
    else:
        given = None if y is None else as_labels(y)
        target = np.asarray(validate_data(estimator, y=given))
        # Others are classes; scikit-learn takes a tenth of a small fit to find out.
        if target.dtype.kind == "f":  # these may be targets of a regression
            check_classification_targets(target)
        classes, codes = encode_labels(target, target.size)
        if parameters.pos_label is not None and classes.size == 2:
            positive_code(parameters.pos_label, classes, parameters.request.owner)
    if parameters.binarizer is None:
        check_container(X, "X")
        table = validate_data(estimator, X, dtype="numeric", ensure_min_samples=2)
    else:
        table = validate_table(estimator, X, reset=True, min_samples=2)
    check_consistent_length(table, target)
    weight = check_sample_weight(sample_weight, table.shape[0])
    return CheckedData(table, target, codes, weight, classes.size)


def encoded(
    estimator: Any, X: Any, columns: tuple[Column, ...], tested: set[int]
) -> npt.NDArray[Any]:
    """Return the codes of a table for a fitted estimator.

    Warn about unknown categories in tested columns only.
    """
    if estimator.binarizer is None:
        check_container(X, "X")
        return as_binary(validate_data(estimator, X, dtype="numeric", reset=False))
    table = validate_table(estimator, X, reset=False)
    is_fold = estimator.binarizer_.handle_unknown == "ignore"  # of a cross-validation
    on_unknown = None if is_fold else warn_or_refuse
    codes = encode(table, columns, tested=tested, on_unknown=on_unknown)
    refuse_infinity(columns, codes)
    return codes


def allowed_codes(
    parameters: Parameters, table: Any
) -> tuple[tuple[Column, ...], npt.NDArray[np.float64]]:
    """Return the columns of a table and its codes, without forbidden columns."""
    columns, codes = learn_columns(table)
    if parameters.forbidden_features is not None:
        given = parameters.forbidden_features
        forbidden = forbidden_indices(given, columns, parameters.request.owner)
        columns, codes = without_columns(columns, codes, forbidden)
    refuse_infinity(columns, codes)
    return columns, codes


def fitted_forest(
    parameters: Parameters, data: CheckedData, codes: npt.NDArray[Any]
) -> Forest:
    """Return a random forest of these rows."""
    is_regression = parameters.is_regression
    weight = data.sample_weight
    return Forest.of(codes, data.codes, weight, is_regression=is_regression)


def forest_of(
    estimator: Any, X: Any, y: Any, sample_weight: Any, X_new: Any
) -> tuple[Forest, npt.NDArray[Any]]:
    """Return a random forest of some rows, and the codes of other rows for it."""
    parameters = estimator._check_parameters()
    data = check_data(estimator, parameters, X, y, sample_weight)
    if parameters.binarizer is None:
        bits, _ = _allowed_bits(parameters, data.table, _named_columns(estimator))
        return fitted_forest(parameters, data, bits), as_binary(X_new)
    columns, codes = allowed_codes(parameters, data.table)
    table = validate_table(estimator, X_new, reset=False)
    others = encode(table, columns, tested=set(range(len(columns))), on_unknown=None)
    return fitted_forest(parameters, data, codes), others


def _taught(
    parameters: Parameters, data: CheckedData, forest: Forest
) -> tuple[CheckedData, npt.NDArray[np.float64] | None]:
    """Return the data with the targets of a forest, or with its shares of classes."""
    found = forest.out_of_bag
    if not parameters.is_regression:
        return data, found
    return data._replace(y=found, codes=found, n_labels=np.unique(found).size), None


def new_binarizer(parameters: Parameters) -> TableBinarizer:
    """Return an unfitted copy of the user's binarizer, or one with that strategy."""
    chosen = parameters.binarizer
    if isinstance(chosen, TableBinarizer):
        own: TableBinarizer = clone(chosen)
    else:
        own = TableBinarizer(strategy=str(chosen))
    if parameters.handle_unknown == "error":  # either object may set it
        own.handle_unknown = "error"
    return own


def _fit_binarizer(
    estimator: Any,
    parameters: Parameters,
    data: CheckedData,
    weight: npt.NDArray[Any],
    table: tuple[tuple[Column, ...], npt.NDArray[np.float64]],
) -> tuple[TableBinarizer, SolverColumns]:
    """Return a fitted binarizer, and the results of its tests.

    These are ranks if all thresholds are searched, else bits.
    """
    binarizer = new_binarizer(parameters)
    binarizer._check_parameters()
    is_auto, fits_columns = binarizer._is_auto, binarizer._fits_columns()
    columns, codes = table
    more: dict[str, Any] = {"is_regression": parameters.is_regression}
    most = math.inf  # columns, for which the search over ranks is not faster
    if fits_columns:
        size = TableSize.of(
            columns,
            codes,
            weight,
            n_labels=data.n_labels,
            max_categories=binarizer.max_categories,
        )
        most, binarizer._takes_all = budget_of(parameters, size)
    if is_auto:
        limit = deepest(parameters.request.tree_limits) or UNLIMITED_DEPTH
        more["greedy_depth"] = min(limit, DEEPEST_GREEDY)
        more["greedy_weight"] = weight
    for name in ("n_features_in_", "feature_names_in_"):
        if hasattr(estimator, name):
            setattr(binarizer, name, getattr(estimator, name))
    # The core takes bits only to count rows.
    pack = failures if adds_costs(parameters) else packed_failures
    takes_all = takes_every_test(parameters, binarizer)
    if takes_all:
        every = binarizer._fit_every(columns, codes, data.sample_weight)
        has_others = not data.sample_weight.all()
        rows = every.ranked(codes, has_others=has_others)
        if are_ranked(parameters, rows) or rows.shape[1] > most:
            return binarizer, rows
    else:
        if fits_columns:
            binarizer.max_columns = int(most)
        more["needs_columns"] = needs_columns = not takes_ranks(parameters)
        binarizer._fit_codes(columns, codes, data.codes, data.sample_weight, **more)
        most_exact = binarizer._limit_of_exact(needs_columns=needs_columns)
        binarizer._coverage = replace(binarizer._coverage, max_tests=most_exact)
    return binarizer, pack(binarizer.predicates_, codes)


def _allowed_bits(
    parameters: Parameters, table: npt.NDArray[Any], columns: tuple[Column, ...]
) -> tuple[npt.NDArray[np.uint8], Coverage]:
    """Return binary data in which forbidden columns are constant."""
    given = parameters.forbidden_features
    forbidden = forbidden_indices(given, columns, parameters.request.owner)
    bits = as_binary(table)
    if forbidden:
        bits = bits.copy()
        bits[:, sorted(forbidden)] = 0
    return bits, Coverage(len(columns) - len(forbidden))


def _named_columns(estimator: Any) -> tuple[Column, ...]:
    """Return binary columns with the names that an estimator was fitted on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return plain_columns(estimator.n_features_in_)
    return tuple(Column(str(name), is_binary=True) for name in names)


def _test_of_bit(index: int) -> Predicate:
    """Return the test of a binary column."""
    return Predicate(index, 0.5)
