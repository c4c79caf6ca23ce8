"""The classifier: labels, costs of errors, weights of classes."""

import time
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from murtree._estimators.base import OptimalTree
from murtree._estimators.combinations import check_together
from murtree._estimators.prepare import Prepared
from murtree._input.arrays import as_labels, distinct_labels, is_text
from murtree._input.parameters import check_bool
from murtree._input.whole_numbers import MAX_EXACT, whole_numbers
from murtree._solver.metrics.metric_solver import MetricSolver
from murtree._solver.metrics.metrics import (
    NAMES,
    Metric,
    check_beta,
    check_metric,
    has_positive,
    positive_code,
)
from murtree._solver.objectives.class_weight import balanced_in_whole, weighted_by_class
from murtree._solver.objectives.read import CLASS_OBJECTIVES, check_objective
from murtree._solver.pareto import ParetoFront
from murtree._solver.request import Asked, Callback, Manners
from murtree._solver.result import Result
from murtree._table.binarizer import TableBinarizer


class OptimalTreeClassifier(ClassifierMixin, OptimalTree):
    """The decision tree with the fewest training errors within a depth and a size.

    Or the one that is best in another `objective`, such as costs or F1. The tree is
    proven optimal on the boolean columns that the binarizer makes.

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
    min_weight_fraction_leaf : float, default=0.0
        The least share of the total weight that a leaf may have, 0 to 0.5, as in
        scikit-learn; `class_weight` is part of the weights.
    objective : str, array-like or callable, default="accuracy"
        What to minimise: the misclassified weight ("accuracy"), one minus the balanced
        accuracy ("balanced_accuracy"), or the total of ``costs[true][predicted]``, a
        matrix of non-negative costs with the classes sorted. For two classes also one
        minus "f1", "fbeta", "matthews" or "gmean" (geometric mean of the recalls), or a
        callable of (tn, fp, fn, tp) that returns a score,
        greater being better, which never rises with false positives or false negatives.
    pos_label : str, int or bool, default=None
        The class that is positive in "f1", "fbeta", a callable or the Pareto front;
        None means the second of the two in sorted order. Other objectives, for which
        no class is, do not look at it.
    beta : float, default=1.0
        The weight of recall against precision in "fbeta"; other objectives do not look
        at it.
    pareto_front : bool, default=False
        Find all best trades between false positives and false negatives as well:
        `pareto_front_`. Only with "f1" and the others of two classes.
    class_weight : dict, "balanced" or None, default=None
        By what the weights of a class's rows are multiplied; classes that a dict leaves
        out by 1. "balanced" gives all classes the same total weight.
    feature_costs : array-like of shape (n_features,), dict or series, default=None
        What each branching node that tests a column of `X` adds to the objective, in
        its units; in a dict or a labelled series by the names of columns, others being
        free. None means nothing.
    cost_complexity : float, default=0.0
        A penalty for each branching node, as a fraction of the total weight: the
        objective is the misclassified weight plus
        ``cost_complexity * total weight * nodes``. For other objectives see
        `Solver.solve`, also for the resolution.
    fewest_nodes : bool, default=False
        Of the trees with the least objective find one with the fewest nodes. It can
        take far longer.
    frontier : bool, default=False
        Find the best tree for every number of nodes, in one search: `frontier_`.
        All sizes have the candidates of the deepest tree; a small size fitted alone
        may have more, where thresholds are left out.
    time_limit : float, default=None
        Seconds after which `fit` ends with the best tree so far and a warning; None
        means no limit. It never changes which tests are candidates: choosing them is
        always finished, which takes some seconds on tables of millions of values. The
        search gets what is left, at least enough for a first tree.
    memory_limit : int or str, default=None
        Bytes that the search may use beside the data, or a str such as "64MB", "4GB"
        or "512MiB"; None means a cache of up to 1 GiB. The tree is exact either way.
    callback : callable, default=None
        Called about ten times a second during the search with a `Progress`; returning
        True ends the search with the best tree so far and a warning. Callbacks of
        scikit-learn 1.9 and newer, such as its progress bar, go to ``set_callbacks``;
        a `ProgressBar` of this package goes here.
    on_interrupt : {"raise", "return"}, default="raise"
        What Ctrl-C does during the search: raise KeyboardInterrupt, or keep the best
        tree so far, with a warning.
    forbidden_features : list of str or int, default=None
        Names or places of columns of `X` that no test may ask about.
    max_distinct_features : int, default=None
        The most distinct columns of `X` that the tests of the tree may ask about, 1 or
        more; None means no limit.
    partial_tree : dict, default=None
        The top of the tree; the rest is completed optimally. A dict has a "feature",
        name or place of a column, and a "threshold" (values up to it go left), a list
        of "categories" (these go left), or ``"is_missing": True`` (missing ones go
        left); with none of them the best test of that column is found. "missing" says
        where missing values go, "left" or "right", by default with the heavier side.
        "left" and "right" are dicts too, or None: open.
    binarizer : str, TableBinarizer or None, default="auto"
        How columns become boolean ones: a strategy of `TableBinarizer` by name, or one
        of your own. "auto" takes as many thresholds as the search should handle in
        about a second, those of a greedy tree first: that depends on the data, the
        objective and the limits on the tree alone. None means that X is 0/1 already.
    handle_unknown : {"missing", "error"}, default="missing"
        What `predict` does with a category that `fit` did not see: treat it as a
        missing value, with a warning for each column, or raise an error.
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
        A tree for every best trade between false positives and false negatives, with
        ``pareto_front=True``.
    status_ : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal, or what ended the search before.
    objective_ : int or float
        The training weight that the tree misclassifies, or what `objective` says, with
        the penalty if there is one.
    lower_bound_ : int or float
        No tree within the limits has an objective below this.
    gap_ : float
        How far the bound is from the objective, relative to it (see `Result.gap`); 0.0
        with a proof.
    n_nodes_ : int
        The number of branching nodes.
    depth_ : int
        The depth of the tree.
    search_stats_ : dict
        What the search did.
    classes_ : ndarray
        The distinct labels, sorted.
    binarizer_ : TableBinarizer
        The fitted binarizer, if there is one.
    coverage_ : Coverage
        Which tests the proof covers; its text says so in words.
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
    (6, 6, 'optimal')
    >>> clf.predict(X[:3])
    array([0, 0, 0])
    """

    pareto_front_: ParetoFront

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        objective: Any = "accuracy",
        pos_label: Any = None,
        beta: float = 1.0,
        pareto_front: bool = False,
        class_weight: dict[Any, float] | str | None = None,
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
        super().__init__(
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            feature_costs=feature_costs,
            cost_complexity=cost_complexity,
            fewest_nodes=fewest_nodes,
            frontier=frontier,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
            forbidden_features=forbidden_features,
            max_distinct_features=max_distinct_features,
            partial_tree=partial_tree,
            binarizer=binarizer,
            handle_unknown=handle_unknown,
            solver_options=solver_options,
        )
        self.objective = objective
        self.pos_label = pos_label
        self.beta = beta
        self.pareto_front = pareto_front
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree for a table and its labels.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, booleans or times, with missing values; 0/1 only with
            ``binarizer=None``.
        y : array-like of shape (n_samples,)
            Labels: all str, all int or all bool.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative numbers; a weight of k counts as k copies of its row.

        Returns
        -------
        self : OptimalTreeClassifier
            The fitted estimator.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"]).status_
        'optimal'
        """
        return self._fit_or_restore(X, y, sample_weight)

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The class of each row's leaf: the heaviest, unless the objective makes
            another one better.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.predict([[0.5], [9.0]])
        array(['a', 'b'], dtype='<U1')
        """
        return self._fitted_tree()._predict(self._codes(X))

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

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=0).fit([[1.0]] * 4, list("aaab"))
        >>> clf.predict_proba([[1.0]])
        array([[0.75, 0.25]])
        """
        return self._fitted_tree()._predict_proba(self._codes(X))

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

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.predict_log_proba([[0.5]])
        array([[  0., -inf]])
        """
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    def _check_parameters(self) -> tuple[Asked, Manners]:
        owner = type(self).__name__
        is_metric = self._metric() is not None
        if not is_metric:
            check_objective(self.objective, owner, (*CLASS_OBJECTIVES, *NAMES))
        check_bool(self.pareto_front, "pareto_front", owner)
        check_beta(self.beta, owner)
        check_together(self, owner, is_metric=is_metric)
        weight = self.class_weight
        is_name = isinstance(weight, str) and weight == "balanced"
        if not (weight is None or isinstance(weight, dict) or is_name):
            raise ValueError(
                f"The 'class_weight' parameter of {owner} must be a dict, 'balanced' "
                f"or None. Got {weight!r} instead."
            )
        return super()._check_parameters()

    def _objective(self) -> Any:
        return self.objective

    def _metric(self) -> Metric | None:
        """Return the metric that the tree is best in; None: its costs add up."""
        objective = self.objective
        is_named = isinstance(objective, str) and objective in NAMES
        if not (is_named or callable(objective)):
            return None
        return check_metric(objective, self.beta, type(self).__name__)

    def _search(self, prepared: Prepared, asked: Asked, manners: Manners) -> Result:
        metric = self._metric()
        if metric is None:
            return super()._search(prepared, asked, manners)
        owner, start = type(self).__name__, time.perf_counter()
        solver = MetricSolver(
            prepared.bits,
            prepared.y,
            prepared.weight,
            pos_label=self._pos_label(),
            solver_options=self.solver_options,
        )
        manners = manners.after(time.perf_counter() - start)
        if not self.pareto_front:
            return self._in_users_units(solver._find(owner, metric, asked, manners))
        front = solver._find_front(owner, asked, manners, metric)
        self.pareto_front_ = front._with_trees(self._tree_in_users_units)
        return self.pareto_front_._best(metric)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if callable(self.objective) or str(self.objective) in NAMES:
            tags.classifier_tags.multi_class = False
        return tags

    def _validate_target(self, y: Any) -> npt.NDArray[Any]:
        given = None if y is None else as_labels(y)
        labels = np.asarray(validate_data(self, y=given))
        # Of text scikit-learn would sort all rows; codes tell it the same.
        targets = distinct_labels(labels)[1] if is_text(labels) else labels
        check_classification_targets(targets)
        if self._pos_label() is not None:  # refused before any work, if at all
            classes = np.unique(labels)
            if classes.size == 2:
                positive_code(self.pos_label, classes, type(self).__name__)
        return labels

    def _pos_label(self) -> Any:
        """Return the positive class, if it matters for what is asked."""
        is_used = has_positive(self.objective) or self.pareto_front
        return self.pos_label if is_used else None

    def _error_weight(
        self, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> npt.NDArray[np.int64] | None:
        """For the balanced accuracy all classes weigh the same, in whole numbers."""
        is_balanced = str(self.objective) == "balanced_accuracy"
        whole = whole_numbers(weight, MAX_EXACT) if is_balanced else None
        if whole is None:
            return super()._error_weight(y, weight)
        return balanced_in_whole(y, whole.numbers)

    def _solver_weight(
        self, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Multiply the weights of rows by those of their classes."""
        if self.class_weight is None:
            return weight
        return weighted_by_class(y, weight, self.class_weight)
