"""Optimal classification trees."""

from typing import Any, Self

import numpy.typing as npt
from sklearn.base import BaseEstimator, ClassifierMixin

from murtree._estimators.base import OptimalTree
from murtree._estimators.tree_methods import ProbabilityMixin
from murtree._solver.request import Callback
from murtree._table.binarizer import TableBinarizer


class OptimalTreeClassifier(
    OptimalTree, ProbabilityMixin, ClassifierMixin, BaseEstimator
):
    """The decision tree with the fewest training errors within a depth and a size.

    Other objectives, such as costs or F1, are available. The tree is proven optimal on
    the boolean columns of the binarizer.

    Parameters
    ----------
    max_depth : int or None, default=4
        The maximum depth, 0 to 20. None means no limit, and needs a `max_num_nodes` of
        at most 255 or a `cost_complexity`.
    max_num_nodes : int, default=None
        The maximum number of branching nodes (the number of leaves minus one); None
        means no limit but the depth.
    min_samples_leaf : int, default=1
        The minimum number of rows in a leaf; rows of weight zero do not count.
    min_weight_fraction_leaf : float, default=0.0
        The minimum fraction of the total weight in a leaf, 0 to 0.5, as in
        scikit-learn; weights include `class_weight`.
    objective : str, array-like or callable, default="accuracy"
        What to minimise: the misclassified weight ("accuracy"), that and among equal
        trees the Gini impurity ("accuracy_then_gini"), one minus the balanced
        accuracy ("balanced_accuracy"), or the total of ``costs[true][predicted]``, a
        matrix of non-negative costs with the classes sorted; or the error of the
        predicted probabilities: their Brier score, which is the Gini impurity of the
        leaves ("gini"), or their log loss ("log_loss"). For two classes also one
        minus "f1", "fbeta", "matthews" or "gmean" (geometric mean of the recalls), or a
        callable of (tn, fp, fn, tp) that returns a score, greater being better, which
        never increases with false positives or false negatives.
    pos_label : str, int or bool, default=None
        The positive class in "f1", "fbeta", a callable or the Pareto front; None means
        the second of the two in sorted order. Other objectives ignore it.
    beta : float, default=1.0
        The weight of recall against precision in "fbeta"; other objectives ignore it.
    pareto_front : bool, default=False
        Also find all optimal trade-offs between false positives and false negatives:
        `pareto_front_`. Only with "f1" and the other metrics for two classes.
    class_weight : dict, "balanced" or None, default=None
        Factors for the weights of the rows of each class, 1 for classes not in the
        dict. "balanced" gives all classes the same total weight.
    teacher : {"forest"} or None, default=None
        Whose targets the tree is fitted to. None means the labels in `y`; "forest"
        means class probabilities, predicted out of bag by a random forest that is
        fitted to `y`. Such a tree is often better on other rows, since it does not fit
        the noise of the labels. Its objective, its proof and the class weights in its
        nodes are those of the probabilities.
    feature_costs : array-like of shape (n_features,), dict or series, default=None
        Amount that each branching node that tests a column of `X` adds to the
        objective, in units of the objective. A dict or a labelled series gives costs by
        column name; other columns are free. None means nothing.
    cost_complexity : float, default=0.0
        A penalty for each branching node, as a fraction of the total weight: the
        objective is the misclassified weight plus
        ``cost_complexity * total weight * nodes``. For other objectives see
        `Solver.solve`, also for the resolution.
    fewest_nodes : bool, default=False
        Find a tree with the fewest nodes among those with the least objective. It can
        take far longer.
    frontier : bool, default=False
        Find the best tree for every number of nodes, in one search: `frontier_`.
        All sizes use the candidate tests of the deepest tree; a smaller tree fitted
        alone may have more candidates.
    time_limit : float, default=None
        Seconds after which `fit` ends with the best tree so far and a warning; None
        means no limit. It does not affect the choice of candidate tests, which takes
        some seconds on tables with millions of values. The search gets the remaining
        time, at least enough for a first tree.
    memory_limit : int or str, default=None
        Bytes that the search may use in addition to the data, or a str such as "64MB",
        "4GB" or "512MiB"; None means a cache of up to 1 GiB. It does not affect the
        tree.
    callback : callable, default=None
        Called about ten times a second during the search with a `Progress`; returning
        True ends the search with the best tree so far and a warning. Use this parameter
        for a `ProgressBar` of this package, and ``set_callbacks`` for callbacks of
        scikit-learn 1.9 and newer, such as its progress bar.
    on_interrupt : {"raise", "return"}, default="raise"
        Effect of Ctrl-C during the search: raise KeyboardInterrupt, or keep the best
        tree so far, with a warning.
    forbidden_features : list of str or int, default=None
        Names or indices of columns of `X` that no test may use.
    max_distinct_features : int, default=None
        The maximum number of distinct columns of `X` that the tree may test, 1 or more;
        None means no limit.
    partial_tree : dict, default=None
        The top of the tree; the rest is completed optimally. A dict has a "feature",
        the name or index of a column, and a "threshold" (values up to it go left), a
        list of "categories" (these go left), or ``"is_missing": True`` (missing values
        go left); without any of these the best test of that column is found. "missing"
        is the side of missing values, "left" or "right", by default the heavier side.
        "left" and "right" are dicts as well, or None for parts to be completed.
    binarizer : str, TableBinarizer or None, default="auto"
        How columns are converted to boolean ones: the name of a strategy of
        `TableBinarizer`, or a `TableBinarizer`. "auto" takes all thresholds if the
        proof should take seconds, as it does up to depth two and for tables of a few
        thousand rows at depth three; otherwise as many as the search should handle in
        about a second, first those of a greedy tree. They depend only on the data, the
        objective and the limits on the tree, and `coverage_` describes them. "exact"
        takes all thresholds, however many there are, so that the proof covers every
        tree; for impurities, F1, other metrics, `feature_costs`, `partial_tree`,
        `max_distinct_features` and `solver_options` at most 30,000. None means that X
        is binary already.
    handle_unknown : {"missing", "error"}, default="missing"
        How `predict` handles categories not seen during `fit`: as missing values, with
        a warning for each column, or with an error.
    smoothing : float, "laplace" or None, default=None
        How `predict_proba` estimates the probability of a class from its weight ``n_k``
        in the leaf, of weight ``n``: ``n_k / n``; with "laplace"
        ``(n_k + 1) / (n + K)`` for ``K`` classes; or with a number ``m`` the m-estimate
        ``(n_k + m * p_k) / (n + m)``, where ``p_k`` is the share of the class in the
        weight of all training rows. Weights include `class_weight`. See Notes.
    solver_options : dict, default=None
        Switches of `Solver` by name, such as ``{"cache": "none"}``.

    Attributes
    ----------
    tree_ : Tree
        The tree, on the columns of `X` and in their units.
    frontier_ : Frontier
        The best tree for every number of nodes, with ``frontier=True``; `tree_` is then
        the best of them, on ties the smallest.
    pareto_front_ : ParetoFront
        A tree for every optimal trade-off between false positives and false negatives,
        with ``pareto_front=True``.
    status_ : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal, or why the search ended before.
    objective_ : int or float
        The misclassified training weight, or the value of `objective`, including any
        penalty.
    lower_bound_ : int or float
        No tree within the limits has an objective below this.
    gap_ : float
        The relative distance between bound and objective (see `Result.gap`); 0.0 if the
        tree is proven optimal.
    n_nodes_ : int
        The number of branching nodes.
    depth_ : int
        The depth of the tree.
    search_stats_ : dict
        Statistics of the search.
    classes_ : ndarray
        The distinct labels, sorted.
    binarizer_ : TableBinarizer
        The fitted binarizer, if there is one.
    coverage_ : Coverage
        The tests that the proof covers; ``str`` describes them.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of str
        The names of the columns of `X`, if they have any.

    Notes
    -----
    "laplace" is the rule of succession of Laplace (1814), and a number the m-estimate
    of Cestnik, Estimating probabilities: a crucial task in machine learning, ECAI 1990.
    Both only affect probabilities: the search, its objective, the proof and `predict`
    are the same as without `smoothing`. With a large ``m`` the most probable class of a
    leaf may therefore differ from the predicted one.

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
        teacher: str | None = None,
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
        smoothing: float | str | None = None,
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_num_nodes = max_num_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.objective = objective
        self.pos_label = pos_label
        self.beta = beta
        self.pareto_front = pareto_front
        self.class_weight = class_weight
        self.teacher = teacher
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
        self.smoothing = smoothing
        self.solver_options = solver_options

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree for a table and its labels.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, booleans or times, with missing values; binary values only
            with ``binarizer=None``.
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
            Rows with the columns seen during `fit`.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The class of each row's leaf: the heaviest, unless the objective favours
            another one.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.predict([[0.5], [9.0]])
        array(['a', 'b'], dtype='<U1')
        """
        codes = self._codes(X)
        return self.tree_._predict(codes)
