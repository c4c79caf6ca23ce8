"""What all estimators share: from a raw table to a tree in the user's own units.

A raw table goes through `TableBinarizer` and `Solver`; the tests of the tree name the
user's columns. What is particular to classes or to targets is in the subclasses.
"""

import time
import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import (
    check_is_fitted,
)

from murtree._estimators.prepare import (
    Preparation,
    Prepared,
    column_test,
    named_columns,
)
from murtree._estimators.sklearn_callbacks import (
    CallbackMixin,
    FitReport,
    report_on,
    with_callbacks,
)
from murtree._estimators.tree_methods import TreeMethodsMixin
from murtree._input.parameters import check_bool
from murtree._solver.constraints.fixed_tests import (
    PartialTreeReader,
    forbidden_places,
)
from murtree._solver.constraints.spec import check_constraints, constrained
from murtree._solver.constraints.subproblems import Request, Training, in_users_units
from murtree._solver.depth_two_by_rank import unproven
from murtree._solver.frontier import Frontier
from murtree._solver.request import (
    Callback,
    RunLimits,
    TreeLimits,
    check_run_limits,
    check_tree_limits,
    until_end,
)
from murtree._solver.result import Progress, Result
from murtree._solver.solver import Solver
from murtree._solver.switches import check_options
from murtree._solver.warnings import NotProvenWarning, TimeLimitWarning
from murtree._table.binarizer import TableBinarizer
from murtree._table.predicate_text import number_text
from murtree._tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class OptimalTree(TreeMethodsMixin, CallbackMixin, Preparation):
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

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any) -> Self:
        tree_limits, run_limits = self._check_parameters()
        before = dict(self.__dict__)
        try:
            self._fit(X, y, sample_weight, tree_limits, run_limits)
            self._warn_unless_proven()
        except BaseException:  # Ctrl-C too: an earlier fit stays whole
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    @with_callbacks
    def _fit(
        self,
        X: Any,
        y: Any,
        sample_weight: Any,
        tree_limits: TreeLimits,
        run_limits: RunLimits,
    ) -> None:
        prepared = self._prepare(X, y, sample_weight)
        run_limits = run_limits.after(prepared.seconds)
        self._is_weighted = bool((np.asarray(prepared.weight) != 1).any())
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        data = {"X": X, "y": y, "metadata": metadata}
        report = report_on(self, data, run_limits.seconds)
        run_limits = replace(run_limits, callback=self._watch(report))
        of_an_earlier_fit = ["frontier_", "pareto_front_"]
        if self.binarizer is None:
            of_an_earlier_fit.append("binarizer_")
        for name in of_an_earlier_fit:
            self.__dict__.pop(name, None)
        result = until_end(
            self.callback, lambda: self._search(prepared, tree_limits, run_limits)
        )
        attributes = _attributes(result)
        self.__dict__.update(attributes)
        self._fitted_params = self.get_params(deep=False)  # what the proof speaks of
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

    def _search(
        self, prepared: Prepared, tree_limits: TreeLimits, run_limits: RunLimits
    ) -> Result:
        owner = type(self).__name__
        if self._is_constrained():
            return self._search_constrained(
                prepared, Request(owner, tree_limits, run_limits)
            )
        if not self.frontier:
            return self._in_users_units(self._ask(prepared, tree_limits, run_limits))
        frontier = self._ask_all(prepared, tree_limits, run_limits)
        self.frontier_ = Frontier(
            [self._in_users_units(result) for result in frontier],
            frontier.total_weight,
        )
        return self.frontier_._best(
            tree_limits.penalty, fewest_nodes=tree_limits.fewest_nodes
        )

    def _ask(
        self, prepared: Prepared, tree_limits: TreeLimits, run_limits: RunLimits
    ) -> Result:
        """Return the best tree, on the columns of the solver."""
        start = time.perf_counter()
        prepared, narrowed = self._narrowed(prepared, tree_limits, run_limits)
        solver = self._solver(prepared)
        run_limits = run_limits.after(time.perf_counter() - start)
        found = solver._find(type(self).__name__, tree_limits, run_limits)
        found.stats["seconds"] += narrowed.seconds
        return unproven(found, narrowed.ended, fewest_nodes=tree_limits.fewest_nodes)

    def _ask_all(
        self, prepared: Prepared, tree_limits: TreeLimits, run_limits: RunLimits
    ) -> Frontier:
        """Return the best tree of each size, on the columns of the solver."""
        start = time.perf_counter()
        prepared, narrowed = self._narrowed(prepared, tree_limits, run_limits)
        solver = self._solver(prepared)
        run_limits = run_limits.after(time.perf_counter() - start)
        found = solver._find_all(type(self).__name__, tree_limits, run_limits)
        found.stats["seconds"] += narrowed.seconds
        results = [
            unproven(result, narrowed.ended, fewest_nodes=tree_limits.fewest_nodes)
            for result in found
        ]
        return Frontier(results, found.total_weight)

    def _is_constrained(self) -> bool:
        """Whether a tree must be more than small; refuse what this does not allow."""
        others = {name: getattr(self, name) for name in ("frontier", "fewest_nodes")}
        return check_constraints(
            type(self).__name__, self.max_distinct_features, self.partial_tree, others
        )

    def _search_constrained(self, prepared: Prepared, request: Request) -> Result:
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
            places = forbidden_places(self.forbidden_features, columns, request.owner)
            reader = PartialTreeReader(columns, request.owner, self.max_depth, places)
            top = reader.read(self.partial_tree)
        return constrained(training, request, top, self.max_distinct_features)

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
        """Return which nodes of `tree_` each row passes.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        path : sparse matrix of shape (n_samples, nodes and leaves)
            One where a row passes a node.

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
        """Return the depth of the tree; a lone leaf has depth 0.

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

    def _check_parameters(self) -> tuple[TreeLimits, RunLimits]:
        owner = type(self).__name__
        tree_limits = check_tree_limits(
            owner,
            max_depth=self.max_depth,
            max_num_nodes=self.max_num_nodes,
            cost_complexity=self.cost_complexity,
            fewest_nodes=self.fewest_nodes,
            frontier=check_bool(self.frontier, "frontier", owner),
        )
        run_limits = check_run_limits(
            owner,
            min_samples_leaf=self.min_samples_leaf,
            min_weight_fraction_leaf=self.min_weight_fraction_leaf,
            time_limit=self.time_limit,
            memory_limit=self.memory_limit,
            callback=self.callback,
            on_interrupt=self.on_interrupt,
        )
        self._is_constrained()
        self._check_binarizer(owner)
        check_options(self.solver_options, owner)
        return tree_limits, run_limits

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
            f"{number_text(self.objective_)}; no tree within the limits has one below "
            f"{number_text(self.lower_bound_)}.{of_others}",
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
        if self.binarizer is not None:
            return in_users_units(tree, *self._columns_and_tests())
        # Of a wide table only the few tests that the tree has are made.
        tests = {place: column_test(place) for place in tree.feature.tolist()}
        return in_users_units(tree, named_columns(self), tests)

    def _codes(self, X: Any) -> npt.NDArray[Any]:
        """Return a table to predict as the numbers that the tests are asked about."""
        tree = self._fitted_tree()
        return self._encode(X, tree.known_columns, set(tree.feature.tolist()))

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
