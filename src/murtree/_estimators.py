"""Estimators in scikit-learn's conventions, on the user's own columns.

From a raw table through `Binarizer` and `Solver` to a tree whose tests name the user's
columns in the user's units. Nearly half of it is documentation for users.
"""

import warnings
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_is_fitted, validate_data

from murtree._binarize import Binarizer
from murtree._callbacks import CallbackMixin, FitReport, report_on, with_callbacks
from murtree._errors import (
    NotProvenWarning,
    TimeLimitWarning,
    check_bool,
    check_sample_weight,
)
from murtree._frontier import Frontier
from murtree._input import as_binary, check_label_kinds
from murtree._metric_solve import MetricSolver
from murtree._metrics import NAMES, Metric, Score, check_metric
from murtree._pareto import ParetoFront
from murtree._question import Asked, Callback, Manners, check_asked, check_manners
from murtree._result import Progress, Result
from murtree._solve import SWITCHES, Solver
from murtree._tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class OptimalTreeClassifier(CallbackMixin, ClassifierMixin, BaseEstimator):
    """The decision tree with the fewest training errors within a depth and a size.

    Or the one that is best in another `objective`, such as F1. The tree is proven
    optimal on the boolean columns that the binarizer makes.

    Parameters
    ----------
    max_depth : int or None, default=4
        The most tests a row may meet, 0 to 20. None means no limit, and needs a
        `max_num_nodes` of at most 255 or a `cost_complexity`.
    max_num_nodes : int, default=None
        The most branching nodes (leaves are one more); None means as many as the
        depth allows.
    min_samples_leaf : int, default=1
        The fewest rows that a leaf may have; rows of weight zero do not count.
    objective : str or callable, default="accuracy"
        What the tree is best in. For two classes, the second one being positive, also
        "f1", "fbeta", "matthews", "gmean" (geometric mean of the recalls),
        "balanced_error", or a callable of (tn, fp, fn, tp) that returns a score,
        greater being better, which never rises with false positives or negatives.
    beta : float, default=1.0
        The weight of recall against precision in "fbeta".
    pareto_front : bool, default=False
        Find all best trades between false positives and false negatives as well:
        `pareto_front_`. For objectives other than "accuracy".
    cost_complexity : float, default=0.0
        A penalty for each branching node, as a fraction of the total weight: the
        objective is the misclassified weight plus
        ``cost_complexity * total weight * nodes``. See `Solver.solve` for its
        resolution.
    fewest_nodes : bool, default=False
        Of the trees with the least objective find one with the fewest nodes. It can
        take far longer.
    frontier : bool, default=False
        Find the best tree for every number of nodes, in one search: `frontier_`.
    time_limit : float, default=None
        Seconds after which the search ends with the best tree so far and a warning;
        None means no limit. Reading and binarizing the data comes before the search.
    memory_limit : int or str, default=None
        Bytes that the search may use beside the data, or a str such as "64MB", "4GB"
        or "512MiB"; None means a cache of up to 1 GiB. The tree is exact either way.
    callback : callable, default=None
        Called about ten times a second during the search with a `Progress`; returning
        True ends the search with the best tree so far and a warning. Callbacks of
        scikit-learn 1.9 and newer, such as its progress bar, go to ``set_callbacks``.
    on_interrupt : {"raise", "return"}, default="raise"
        What Ctrl-C does during the search: raise KeyboardInterrupt, or keep the best
        tree so far, with a warning.
    binarizer : "auto", Binarizer or None, default="auto"
        How numeric columns become boolean ones: "auto" is ``Binarizer()``; None means
        that X is 0/1 already.
    solver_options : dict, default=None
        Switches of `Solver` by name, such as ``{"cache": "none"}``.

    Attributes
    ----------
    tree_ : Tree
        The tree, on the columns of `X` and in their units.
    frontier_ : Frontier
        The best tree for every number of nodes, with ``frontier=True``; `tree_` is then
        the smallest of the best of them.
    pareto_front_ : ParetoFront
        A tree for each best trade between the two kinds of errors, with
        ``pareto_front=True``; `tree_` is the best of them.
    status_ : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal, or what ended the search before.
    objective_ : int or float
        The training weight that the tree misclassifies, with the penalty if there is
        one. For other objectives than "accuracy" 1 - metric, the balanced error itself,
        or the negative score of a callable.
    lower_bound_ : int or float
        No tree within the limits has an objective below this.
    gap_ : float
        ``(objective_ - lower_bound_) / max(objective_, 1)``, 0.0 with a proof.
    n_nodes_ : int
        The number of branching nodes.
    depth_ : int
        The depth of the tree.
    search_stats_ : dict
        What the search did.
    classes_ : ndarray
        The distinct labels, sorted.
    binarizer_ : Binarizer
        The fitted binarizer, if there is one.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of str
        The names of the columns of `X`, if they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
    >>> clf.objective_, clf.lower_bound_, clf.status_
    (7, 7, 'optimal')
    >>> clf.predict(X[:3])
    array([0, 0, 0])
    """

    tree_: Tree
    frontier_: Frontier
    pareto_front_: ParetoFront
    status_: str
    objective_: float
    lower_bound_: float

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        objective: str | Score = "accuracy",
        beta: float = 1.0,
        pareto_front: bool = False,
        cost_complexity: float = 0.0,
        fewest_nodes: bool = False,
        frontier: bool = False,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
        binarizer: str | Binarizer | None = "auto",
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_num_nodes = max_num_nodes
        self.min_samples_leaf = min_samples_leaf
        self.objective = objective
        self.beta = beta
        self.pareto_front = pareto_front
        self.cost_complexity = cost_complexity
        self.fewest_nodes = fewest_nodes
        self.frontier = frontier
        self.time_limit = time_limit
        self.memory_limit = memory_limit
        self.callback = callback
        self.on_interrupt = on_interrupt
        self.binarizer = binarizer
        self.solver_options = solver_options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree for a table and its labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers; 0/1 only with ``binarizer=None``.
        y : array-like of shape (n_samples,)
            Labels: all str, all int or all bool.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative whole numbers; a weight counts as that many copies of its row.

        Returns
        -------
        self : OptimalTreeClassifier
            The fitted estimator.
        """
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

    def _prepare(self, X: Any, y: Any, sample_weight: Any) -> Solver:
        """Check and binarize the data."""
        bits, labels, weight = self._prepare_data(X, y, sample_weight)
        return Solver(bits, labels, weight, **(self.solver_options or {}))

    def _prepare_data(
        self, X: Any, y: Any, sample_weight: Any
    ) -> tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[np.int64]]:
        table, labels = validate_data(
            self, X, y, dtype=self._dtype(), ensure_min_samples=2
        )
        check_label_kinds(y)
        check_classification_targets(labels)
        weight = check_sample_weight(sample_weight, table.shape[0])
        bits = table if self.binarizer is None else self._binarize(X, weight)
        return bits, labels, weight

    @with_callbacks
    def _fit(
        self, X: Any, y: Any, sample_weight: Any, asked: Asked, manners: Manners
    ) -> None:
        prepared = self._prepare_data(X, y, sample_weight)
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        data = {"X": X, "y": y, "metadata": metadata}
        report = report_on(self, data, manners.seconds)
        manners = replace(manners, callback=self._watch(report))
        owner = type(self).__name__
        for name in ("frontier_", "pareto_front_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        metric = self._metric(owner)
        if metric is not None:
            result = self._find_by_metric(
                MetricSolver(*prepared, solver_options=self.solver_options),
                metric,
                asked,
                manners,
            )
        elif self.frontier:
            solver = Solver(*prepared, **(self.solver_options or {}))
            frontier = solver._find_all(owner, asked, manners)
            self.frontier_ = Frontier(
                [self._in_users_units(result) for result in frontier],
                frontier.total_weight,
            )
            result = self.frontier_.best(asked.penalty)
        else:
            solver = Solver(*prepared, **(self.solver_options or {}))
            result = self._in_users_units(solver._find(owner, asked, manners))
        attributes = _attributes(result)
        self.__dict__.update(attributes)
        if report is not None:
            report.end(attributes)

    def _find_by_metric(
        self, solver: MetricSolver, metric: Metric, asked: Asked, manners: Manners
    ) -> Result:
        owner = type(self).__name__
        if not self.pareto_front:
            return self._in_users_units(solver._find(owner, metric, asked, manners))
        front = solver._find_front(owner, asked, manners, metric)
        self.pareto_front_ = front._with_trees(self._tree_in_users_units)
        return self.pareto_front_._best(metric)

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
                )
                wants_to_stop |= report.advance(progress, lambda: _attributes(so_far))
            return wants_to_stop

        return watch

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            What each row's leaf says: its heaviest class, unless another label is
            better for the objective.
        """
        table = self._table(X)
        return self._fitted_tree().predict(table)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the share of each class in the leaf of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        proba : ndarray of shape (n_samples, n_classes)
            The classes are in the order of `classes_`.
        """
        table = self._table(X)
        return self._fitted_tree().predict_proba(table)

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of `predict_proba`; -inf for classes that do not occur.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        log_proba : ndarray of shape (n_samples, n_classes)
            The classes are in the order of `classes_`.
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

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
        table = self._table(X)
        return self._fitted_tree().apply(table)

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
        table = self._table(X)
        return self._fitted_tree().decision_path(table)

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
        self._check_objective(owner)
        self._check_binarizer(owner)
        self._check_options(owner)
        return asked, manners

    def _metric(self, owner: str) -> Metric | None:
        """Return what the tree is best in; None: the weight it classifies right."""
        objective = self.objective
        if isinstance(objective, str) and objective == "accuracy":
            return None
        if callable(objective) or objective in NAMES:
            return check_metric(objective, self.beta, owner)
        raise ValueError(
            f"The 'objective' parameter of {owner} must be a str among "
            f"{sorted(['accuracy', *NAMES])} or a callable of (tn, fp, fn, tp). "
            f"Got {objective!r} instead."
        )

    def _check_objective(self, owner: str) -> None:
        wants_front = check_bool(self.pareto_front, "pareto_front", owner)
        if self._metric(owner) is None:
            if wants_front:
                raise ValueError(
                    f"The 'pareto_front' parameter of {owner} must be False with "
                    "objective='accuracy'. Got True instead."
                )
            return
        for name, default in (
            ("cost_complexity", 0.0),
            ("fewest_nodes", False),
            ("frontier", False),
        ):
            value = getattr(self, name)
            if value != default:
                raise ValueError(
                    f"The {name!r} parameter of {owner} must be {default!r} with "
                    f"objective={self.objective!r}. Got {value!r} instead."
                )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if callable(self.objective) or str(self.objective) in NAMES:
            tags.classifier_tags.multi_class = False
        return tags

    def _check_binarizer(self, owner: str) -> None:
        binarizer = self.binarizer
        if not (
            binarizer is None or isinstance(binarizer, Binarizer) or binarizer == "auto"
        ):
            raise ValueError(
                f"The 'binarizer' parameter of {owner} must be 'auto', a Binarizer or "
                f"None. Got {binarizer!r} instead."
            )

    def _check_options(self, owner: str) -> None:
        options = self.solver_options
        if options is not None and not isinstance(options, dict):
            raise TypeError(
                f"The 'solver_options' parameter of {owner} must be a dict or None. "
                f"Got {options!r} instead."
            )
        unknown = sorted(map(str, set(options or ()) - set(SWITCHES)))
        if unknown:
            raise ValueError(
                f"The 'solver_options' parameter of {owner} must have its keys among "
                f"{list(SWITCHES)}. Got {unknown} instead."
            )

    def _dtype(self) -> Any:
        return "numeric" if self.binarizer is None else np.float64

    def _binarize(self, X: Any, weight: npt.NDArray[np.int64]) -> npt.NDArray[np.bool_]:
        chosen = self.binarizer
        binarizer = clone(chosen) if isinstance(chosen, Binarizer) else Binarizer()
        self.binarizer_ = binarizer.fit(X, sample_weight=weight)
        bits = np.asarray(self.binarizer_.transform(X), dtype=np.bool_)
        # Without any threshold the tree is a leaf, but the solver wants a column.
        return bits if bits.shape[1] else np.zeros((bits.shape[0], 1), dtype=np.bool_)

    def _warn_unless_proven(self) -> None:
        frontier = getattr(self, "frontier_", None)
        if frontier is None:
            frontier = getattr(self, "pareto_front_", None)
        status = self.status_ if frontier is None else frontier.status
        if status == "optimal":
            return
        if status == "time_limit":
            cause, category = f"The time limit of {self.time_limit} s", TimeLimitWarning
        else:
            cause, category = "An interrupt", NotProvenWarning
        of_others = (
            "" if frontier is None else " Not every tree of the frontier is proven."
        )
        warnings.warn(
            f"{cause} ended the search: the tree has an objective of "
            f"{self.objective_:.7g}; no tree within the limits has one below "
            f"{self.lower_bound_:.7g}.{of_others}",
            category,
            stacklevel=3,
        )

    def _in_users_units(self, result: Result) -> Result:
        assert result.tree is not None  # no upper bound was given
        return replace(result, tree=self._tree_in_users_units(result.tree))

    def _tree_in_users_units(self, tree: Tree) -> Tree:
        if self.binarizer is None:
            return tree
        feature, threshold = tree.feature.copy(), tree.threshold.copy()
        inner = feature >= 0
        if inner.any():
            columns, thresholds = self.binarizer_._output_columns()
            threshold[inner] = thresholds[feature[inner]]
            feature[inner] = columns[feature[inner]]
        return replace(
            tree, feature=feature, threshold=threshold, n_features=self.n_features_in_
        )

    def _table(self, X: Any) -> npt.NDArray[Any]:
        check_is_fitted(self)
        table = validate_data(self, X, dtype=self._dtype(), reset=False)
        return as_binary(table) if self.binarizer is None else np.asarray(table)

    def _fitted_tree(self) -> Tree:
        check_is_fitted(self)
        tree: Tree = self.tree_
        return tree


def _attributes(result: Result) -> dict[str, Any]:
    """Return the fitted attributes that come from the search."""
    tree = result.tree
    assert tree is not None
    return {
        "tree_": tree,
        "classes_": tree.classes,
        "status_": result.status,
        "objective_": result.objective,
        "lower_bound_": result.lower_bound,
        "gap_": result.gap,
        "n_nodes_": tree.n_nodes,
        "depth_": tree.depth,
        "search_stats_": result.stats,
    }
