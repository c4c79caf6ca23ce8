"""What all estimators share: from a raw table to a tree in the user's own units.

A raw table goes through `Binarizer` and `Solver`; the tests of the tree name the
user's columns. What is particular to classes or to targets is in the subclasses.
"""

import warnings
from abc import abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone, is_regressor
from sklearn.utils.validation import (
    check_consistent_length,
    check_is_fitted,
    validate_data,
)

from murtree._binarize import STRATEGIES, Binarizer
from murtree._budget import SIZED, SUMMED, affordable_columns
from murtree._callbacks import CallbackMixin, FitReport, report_on, with_callbacks
from murtree._columns import Column, encode, learn_columns, plain_columns
from murtree._constrained import check_constraints, constrained
from murtree._errors import (
    NotProvenWarning,
    TimeLimitWarning,
    check_bool,
    check_sample_weight,
)
from murtree._fixed_point import MAX_EXACT, whole_numbers
from murtree._fixed_tests import (
    PartialTreeReader,
    forbidden_places,
    without_columns,
)
from murtree._frontier import Frontier
from murtree._input import as_binary
from murtree._nested import only_useful
from murtree._objective import check_feature_costs
from murtree._predicates import Predicate
from murtree._question import Asked, Callback, Manners, check_asked, check_manners
from murtree._reading import read_table, refuse_infinity
from murtree._result import Progress, Result
from murtree._solve import Solver, check_options
from murtree._training import Question, Training, in_users_units
from murtree._tree import Tree
from murtree._tree_methods import TreeMethodsMixin

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class Prepared(NamedTuple):
    """Data as the solver takes it."""

    bits: npt.NDArray[Any]
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    feature_costs: npt.NDArray[np.float64] | None  # of its columns
    codes: npt.NDArray[Any]  # the user's table, if a partial tree is to be applied
    prices: npt.NDArray[np.float64] | None  # of a test of each of its columns


class OptimalTree(TreeMethodsMixin, CallbackMixin, BaseEstimator):
    """The base of all estimators; their parameters are documented with them."""

    tree_: Tree
    frontier_: Frontier
    status_: str
    objective_: float
    lower_bound_: float

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        feature_costs: Any = None,
        cost_complexity: float = 0.0,
        fewest_nodes: bool = False,
        frontier: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
        forbidden_features: Any = None,
        max_distinct_features: int | None = None,
        partial_tree: dict[str, Any] | None = None,
        binarizer: str | Binarizer | None = "auto",
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_num_nodes = max_num_nodes
        self.min_samples_leaf = min_samples_leaf
        self.feature_costs = feature_costs
        self.cost_complexity = cost_complexity
        self.fewest_nodes = fewest_nodes
        self.frontier = frontier
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.forbidden_features = forbidden_features
        self.max_distinct_features = max_distinct_features
        self.partial_tree = partial_tree
        self.binarizer = binarizer
        self.solver_options = solver_options

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

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any) -> Self:
        asked, manners = self._check_parameters()
        before = dict(self.__dict__)
        try:
            self._fit(X, y, sample_weight, asked, manners)
            self._warn_unless_proven()
        except BaseException:  # Ctrl-C too: an earlier fit stays whole
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Prepared:
        """Check and binarize the data."""
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
        return Prepared(bits, y, weight, columns, codes, prices)

    def _read(self, X: Any) -> Any:
        """Return the table to learn from, checked; learn its features and names."""
        if self.binarizer is None:
            return validate_data(self, X, dtype="numeric", ensure_min_samples=2)
        return read_table(self, X, reset=True, min_samples=2)

    def _without_forbidden(self, table: npt.NDArray[Any]) -> npt.NDArray[Any]:
        """Return 0/1 data in which forbidden columns are of no use."""
        owner, columns = type(self).__name__, named_columns(self)
        forbidden = forbidden_places(self.forbidden_features, columns, owner)
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

    @with_callbacks
    def _fit(
        self, X: Any, y: Any, sample_weight: Any, asked: Asked, manners: Manners
    ) -> None:
        prepared = self._prepare(X, y, sample_weight)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        data = {"X": X, "y": y, "metadata": metadata}
        report = report_on(self, data, manners.seconds)
        manners = replace(manners, callback=self._watch(report))
        of_an_earlier_fit = ["frontier_", "pareto_front_"]
        if self.binarizer is None:
            of_an_earlier_fit.append("binarizer_")
        for name in of_an_earlier_fit:
            self.__dict__.pop(name, None)
        attributes = _attributes(self._search(prepared, asked, manners))
        self.__dict__.update(attributes)
        if report is not None:
            report.end(attributes)

    def _solver(self, prepared: Prepared) -> Solver:
        return Solver(
            prepared.bits,
            prepared.y,
            prepared.weight,
            objective=self._objective(),
            feature_costs=prepared.feature_costs,
            **(self.solver_options or {}),
        )

    def _search(self, prepared: Prepared, asked: Asked, manners: Manners) -> Result:
        owner = type(self).__name__
        if self._is_constrained():
            return self._search_constrained(prepared, Question(owner, asked, manners))
        solver = self._solver(self._narrowed(prepared, asked, manners))
        if not self.frontier:
            return self._in_users_units(solver._find(owner, asked, manners))
        frontier = solver._find_all(owner, asked, manners)
        self.frontier_ = Frontier(
            [self._in_users_units(result) for result in frontier],
            frontier.total_weight,
        )
        return self.frontier_.best(asked.penalty)

    def _narrowed(self, prepared: Prepared, asked: Asked, manners: Manners) -> Prepared:
        """Leave only the columns that matter where a tree of depth two has many."""
        goes_by_ranks = self._goes_by_ranks(asked.depth, manners.min_samples_leaf)
        if self.binarizer is None or not goes_by_ranks:
            return prepared
        bits = only_useful(
            prepared.bits,
            self.binarizer_.predicates_,
            prepared.y,
            prepared.weight,
            manners.seconds,
        )
        return prepared._replace(bits=bits)

    def _is_constrained(self) -> bool:
        """Whether a tree must be more than small; refuse what this does not allow."""
        others = {name: getattr(self, name) for name in ("frontier", "fewest_nodes")}
        return check_constraints(
            type(self).__name__, self.max_distinct_features, self.partial_tree, others
        )

    def _search_constrained(self, prepared: Prepared, question: Question) -> Result:
        columns, asked = self._columns_and_tests()
        training = Training(
            prepared.bits,
            prepared.y,
            prepared.weight,
            prepared.codes,
            columns,
            asked,
            prepared.prices,
            self._objective(),
            self.solver_options or {},
        )
        top = None
        if self.partial_tree is not None:
            places = forbidden_places(self.forbidden_features, columns, question.owner)
            reader = PartialTreeReader(columns, question.owner, self.max_depth, places)
            top = reader.read(self.partial_tree)
        return constrained(training, question, top, self.max_distinct_features)

    def _watch(self, report: FitReport | None) -> Callback | None:
        """Return one callback for the user's own and for scikit-learn's."""
        callback = self.callback
        if callback is None and report is None:
            return None

        def watch(progress: Progress) -> bool:
            if progress.tree is not None:
                progress = replace(
                    progress, tree=self._tree_in_users_units(progress.tree)
                )
            wants_to_stop = callback is not None and bool(callback(progress))
            if report is not None:
                so_far = Result(
                    progress.tree,
                    progress.objective,
                    progress.lower_bound,
                    "interrupted",
                    stats={},
                    counts_errors=self._counts_errors(),
                )
                wants_to_stop |= report.advance(progress, lambda: _attributes(so_far))
            return wants_to_stop

        return watch

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the leaf, as a node number of `tree_`, that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        leaves : ndarray of int64 of shape (n_samples,)
            Node numbers.
        """
        codes = self._codes(X)
        return self._fitted_tree()._apply(codes)

    def decision_path(self, X: Any) -> "csr_matrix":
        """Return which nodes of `tree_` each row passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        path : sparse matrix of shape (n_samples, nodes and leaves)
            One where a row passes a node.
        """
        codes = self._codes(X)
        return self._fitted_tree()._decision_path(codes)

    def get_depth(self) -> int:
        """Return the depth of the tree; a lone leaf has depth 0."""
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree."""
        return self._fitted_tree().n_leaves

    def _check_parameters(self) -> tuple[Asked, Manners]:
        owner = type(self).__name__
        asked = check_asked(
            owner,
            max_depth=self.max_depth,
            max_num_nodes=self.max_num_nodes,
            cost_complexity=self.cost_complexity,
            fewest_nodes=self.fewest_nodes,
            frontier=check_bool(self.frontier, "frontier", owner),
        )
        manners = check_manners(
            owner,
            min_samples_leaf=self.min_samples_leaf,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            callback=self.callback,
            on_interrupt=self.on_interrupt,
        )
        self._is_constrained()
        self._check_binarizer(owner)
        check_options(self.solver_options, owner)
        return asked, manners

    def _check_binarizer(self, owner: str) -> None:
        binarizer = self.binarizer
        is_name = isinstance(binarizer, str) and binarizer in STRATEGIES
        if not (binarizer is None or isinstance(binarizer, Binarizer) or is_name):
            raise ValueError(
                f"The 'binarizer' parameter of {owner} must be one of {STRATEGIES}, a "
                f"Binarizer or None. Got {binarizer!r} instead."
            )

    def _binarize(
        self, table: Any, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.float64]]:
        columns, codes = learn_columns(table)
        owner = type(self).__name__
        forbidden = forbidden_places(self.forbidden_features, columns, owner)
        columns, codes = without_columns(columns, codes, forbidden)
        refuse_infinity(columns, codes)
        chosen = self.binarizer
        if isinstance(chosen, Binarizer):
            binarizer = clone(chosen)
        elif chosen == "auto":
            most = self._max_columns(y, weight)
            binarizer = Binarizer(strategy="auto", max_columns=most)
        else:
            binarizer = Binarizer(strategy=str(chosen))
        binarizer._check_parameters()
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(self, name):
                setattr(binarizer, name, getattr(self, name))
        self.binarizer_ = binarizer._fit_codes(
            columns, codes, y, weight, is_regression=is_regressor(self)
        )
        return self._bits_of(codes), codes

    def _bits_of(self, codes: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
        """Return the columns of the solver."""
        bits = self.binarizer_._answers(codes)
        # Without any question the tree is a leaf, but the solver wants a column.
        return bits if bits.shape[1] else np.zeros((bits.shape[0], 1), dtype=np.bool_)

    def _max_columns(
        self, y: npt.NDArray[Any], weight: npt.NDArray[Any], n_searches: int = 1
    ) -> int:
        """Return how many columns the searches should cope with in the time given."""
        has_unit = whole_numbers(self._solver_weight(y, weight), MAX_EXACT) is not None
        sized = self.min_samples_leaf > 1
        depths = [limit for limit in (self.max_depth, self.max_num_nodes) if limit]
        return affordable_columns(
            depth=min(depths, default=0),
            n_rows=y.size,
            n_columns=self.n_features_in_,
            effort=self._effort(y) * n_searches * (SIZED if sized else 1.0),
            seconds=self.time_limit,
            is_nested=has_unit
            and self._goes_by_ranks(self.max_depth, self.min_samples_leaf),
        )

    def _goes_by_ranks(self, depth: int | None, min_samples_leaf: int) -> bool:
        """Whether many thresholds can be dealt with in their order."""
        is_shallow = depth is not None and depth <= 2
        is_plain = self._counts_errors() and min_samples_leaf == 1
        is_free = self.max_distinct_features is None and self.partial_tree is None
        return is_shallow and is_plain and is_free and self.feature_costs is None

    def _effort(self, y: npt.NDArray[Any]) -> float:
        """Return how much longer the search takes than one that counts errors."""
        del y
        return 1.0 if self._counts_errors() else SUMMED

    def _warn_unless_proven(self) -> None:
        all_trees: Any = None  # that were asked for
        of_others = ""
        if hasattr(self, "frontier_"):
            all_trees, of_others = self.frontier_, "tree of the frontier"
        elif hasattr(self, "pareto_front_"):
            all_trees, of_others = self.pareto_front_, "point of the Pareto front"
        status = self.status_ if all_trees is None else all_trees.status
        if status == "optimal":
            return
        if status == "time_limit":
            cause, category = f"The time limit of {self.time_limit} s", TimeLimitWarning
        else:
            cause, category = "An interrupt", NotProvenWarning
        if of_others:
            of_others = f" Not every {of_others} is proven."
        warnings.warn(
            f"{cause} ended the search: the tree has an objective of "
            f"{self.objective_:.7g}; no tree within the limits has one below "
            f"{self.lower_bound_:.7g}.{of_others}",
            category,
            stacklevel=4,
        )

    def _in_users_units(self, result: Result) -> Result:
        assert result.tree is not None  # no upper bound was given
        return replace(result, tree=self._tree_in_users_units(result.tree))

    def _tree_in_users_units(self, tree: Tree) -> Tree:
        """Name the user's columns, and say what missing values do at each test."""
        if tree.columns is not None:
            return tree  # it has all that already
        return in_users_units(tree, *self._columns_and_tests())

    def _columns_and_tests(self) -> tuple[tuple[Column, ...], tuple[Predicate, ...]]:
        """Return the columns of the table, and the test behind each of the solver's."""
        if self.binarizer is not None:
            return self.binarizer_.columns_, self.binarizer_.predicates_
        columns = named_columns(self)
        return columns, tuple(Predicate(place, 0.5) for place in range(len(columns)))

    def _codes(self, X: Any) -> npt.NDArray[Any]:
        """Return a table to predict as the numbers that the tests are asked about."""
        tree = self._fitted_tree()
        return self._encode(X, tree.known_columns, set(tree.feature.tolist()))

    def _encode(
        self, X: Any, columns: tuple[Column, ...], used: set[int]
    ) -> npt.NDArray[Any]:
        """Return the codes; in used columns unknown categories may be refused."""
        if self.binarizer is None:
            return as_binary(validate_data(self, X, dtype="numeric", reset=False))
        table = read_table(self, X, reset=False)
        is_strict = self.binarizer_.handle_unknown == "error"
        codes = encode(table, columns, refuse_unknown=used if is_strict else ())
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

    def _fitted_tree(self) -> Tree:
        check_is_fitted(self)
        tree: Tree = self.tree_
        return tree


def _attributes(result: Result) -> dict[str, Any]:
    """Return the fitted attributes that come from the search."""
    tree = result.tree
    assert tree is not None
    classes = {} if tree.classes is None else {"classes_": tree.classes}
    return classes | {
        "tree_": tree,
        "status_": result.status,
        "objective_": result.objective,
        "lower_bound_": result.lower_bound,
        "gap_": result.gap,
        "n_nodes_": tree.n_nodes,
        "depth_": tree.depth,
        "search_stats_": result.stats,
    }


def named_columns(estimator: Any) -> tuple[Column, ...]:
    """Return columns of numbers with the names that an estimator was fitted on."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return plain_columns(estimator.n_features_in_)
    return tuple(Column(str(name)) for name in names)
