"""Base class of the estimators.

A fit checks its parameters (`parameters`), converts the table to boolean columns
(`prepare`) and searches for a tree (`search`). Subclasses document the behaviour
specific to classification or regression.
"""

import warnings
from functools import partial
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, is_regressor
from sklearn.utils.validation import check_is_fitted

from murtree._estimators.checked_parameters import Parameters, check_parameters
from murtree._estimators.prepare import encoded, prepare
from murtree._estimators.search import Found, find_tree, fitted_attributes
from murtree._estimators.sklearn_callbacks import (
    CallbackMixin,
    FitReport,
    has_callbacks,
    with_callbacks,
)
from murtree._estimators.tree_methods import TreeMethodsMixin
from murtree._solver.frontier import Frontier
from murtree._solver.pareto import ParetoFront
from murtree._solver.request import Callback, until_end
from murtree._solver.warnings import NotProvenWarning, TimeLimitWarning
from murtree._table.binarizer import TableBinarizer
from murtree._table.coverage import Coverage
from murtree._table.predicate_text import number_text
from murtree._tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class OptimalTree(TreeMethodsMixin, CallbackMixin, BaseEstimator):
    """Base class of all estimators, which document its parameters."""

    objective: Any
    tree_: Tree
    frontier_: Frontier
    pareto_front_: ParetoFront
    binarizer_: TableBinarizer
    coverage_: Coverage
    n_features_in_: int
    status_: str
    objective_: float
    lower_bound_: float

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
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
        binarizer: str | TableBinarizer | None = "auto",
        handle_unknown: str = "missing",
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_num_nodes = max_num_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
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
        self.handle_unknown = handle_unknown
        self.solver_options = solver_options

    def _check_parameters(self) -> Parameters:
        return check_parameters(self, is_regression=is_regressor(self))

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any) -> Self:
        parameters = self._check_parameters()
        before = dict(self.__dict__)
        try:
            found = self._fit(X, y, sample_weight, parameters)
            if found.status != "optimal":
                warn_not_proven(found, self.time_limit)
        except BaseException:  # including Ctrl-C: restore the earlier fit
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    @with_callbacks
    def _fit(self, X: Any, y: Any, sample_weight: Any, parameters: Parameters) -> Found:
        prepared = prepare(self, parameters, X, y, sample_weight)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        data = {"X": X, "y": y, "metadata": metadata}
        for name in ("frontier_", "pareto_front_", "binarizer_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self.coverage_ = prepared.coverage
        self._is_weighted = bool((np.asarray(prepared.weight) != 1).any())
        if prepared.binarizer is not None:
            self.binarizer_ = prepared.binarizer
        report = FitReport(self, data) if has_callbacks(self) else None
        run_limits = parameters.run_limits.after(prepared.seconds)
        search = partial(find_tree, prepared, parameters, run_limits, report)
        found: Found = until_end(self.callback, search, attrgetter("result"))
        attributes = fitted_attributes(found.result)
        self.__dict__.update(attributes)
        if found.frontier is not None:
            self.frontier_ = found.frontier
        if found.pareto_front is not None:
            self.pareto_front_ = found.pareto_front
        self._fitted_params = self.get_params(deep=False)  # the proof refers to these
        if report is not None:
            report.end(attributes)
        return found

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the leaf, as a node number of `tree_`, that each row reaches.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen during `fit`.

        Returns
        -------
        leaves : ndarray of int64 of shape (n_samples,)
            Node numbers.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.apply([[0.5], [9.0]])
        array([1, 2])
        """
        codes = self._codes(X)
        return self._fitted_tree()._apply(codes)

    def decision_path(self, X: Any) -> "csr_matrix":
        """Return the nodes of `tree_` that each row passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen during `fit`.

        Returns
        -------
        path : sparse matrix of shape (n_samples, nodes and leaves)
            1 if a row passes a node, else 0.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.decision_path([[0.5], [9.0]]).toarray()
        array([[1, 1, 0],
               [1, 0, 1]])
        """
        codes = self._codes(X)
        return self._fitted_tree()._decision_path(codes)

    def get_depth(self) -> int:
        """Return the depth of the tree; a single leaf has depth 0.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.get_depth()
        1
        """
        return self._fitted_tree().depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.get_n_leaves()
        2
        """
        return self._fitted_tree().n_leaves

    def _codes(self, X: Any) -> npt.NDArray[Any]:
        """Return the codes of a table, on which the tests are evaluated."""
        tree = self._fitted_tree()
        return encoded(self, X, tree.known_columns, set(tree.feature.tolist()))

    def _fitted_tree(self) -> Tree:
        check_is_fitted(self)
        tree: Tree = self.tree_
        return tree

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        any_table = self.binarizer is not None
        tags.input_tags.allow_nan = any_table
        tags.input_tags.sparse = any_table
        tags.input_tags.string = any_table
        tags.input_tags.categorical = any_table
        return tags


def warn_not_proven(found: Found, time_limit: float | None) -> None:
    """Warn if the search ended before a proof."""
    others = ""
    if found.frontier is not None:
        others = " Not every tree of the frontier is proven."
    elif found.pareto_front is not None:
        others = " Not every point of the Pareto front is proven."
    cause, category = "An interrupt", NotProvenWarning
    if found.status == "time_limit":
        cause, category = f"The time limit of {time_limit} s", TimeLimitWarning
    result = found.result
    assert result.objective is not None
    warnings.warn(
        f"{cause} ended the search: the tree has an objective of "
        f"{number_text(result.objective)}; no tree within the limits has one below "
        f"{number_text(result.lower_bound)}.{others}",
        category,
        stacklevel=4,
    )
