"""Optimal regression trees."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, RegressorMixin

from murtree._estimators.base import OptimalTree
from murtree._solver.request import Callback
from murtree._table.binarizer import TableBinarizer


class OptimalTreeRegressor(OptimalTree, RegressorMixin, BaseEstimator):
    """The regression tree with the least squared error within a depth and a size.

    Absolute errors are available as well. The tree is proven optimal on the boolean
    columns of the binarizer. A leaf predicts the weighted mean of its targets, or a
    weighted median.

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
        scikit-learn.
    objective : {"squared_error", "absolute_error"}, default="squared_error"
        What to minimise: the weighted sum of squared errors, where a leaf predicts its
        weighted mean, or of absolute errors, where it predicts a weighted median. With
        absolute errors, time grows with the number of distinct targets; hundreds are
        feasible at depth 3.
    teacher : {"forest"} or None, default=None
        Whose targets the tree is fitted to. None means `y`; "forest" means values
        predicted out of bag by a random forest that is fitted to `y`. Such a tree is
        often better on other rows, since it does not fit the noise of the targets. Its
        objective, its proof and the means in its leaves are those of the predictions.
        Only with squared errors.
    feature_costs : array-like of shape (n_features,), dict or series, default=None
        Amount that each branching node that tests a column of `X` adds to the
        objective, in units of the objective. A dict or a labelled series gives costs by
        column name; other columns are free. None means nothing.
    cost_complexity : float, default=0.0
        A penalty for each branching node, as a fraction of the error of a single leaf:
        the objective is the error plus ``cost_complexity * error of a leaf * nodes``.
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
        `TableBinarizer`, or a `TableBinarizer`. "auto" takes as many thresholds as the
        search should handle in about a second, first those of a greedy tree; they
        depend only on the data, the objective and the limits on the tree. "exact" takes
        all thresholds, at most 30,000. None means that X is binary already.
    handle_unknown : {"missing", "error"}, default="missing"
        How `predict` handles categories not seen during `fit`: as missing values, with
        a warning for each column, or with an error.
    smoothing : float or None, default=None
        A number ``m`` shrinks the predictions: a leaf of weight ``n`` and mean ``v``
        predicts ``(n * v + m * mean) / (n + m)``, with the mean of all training rows,
        as if ``m`` rows with that target were in each leaf. None or 0 predicts ``v``.
        Only with "squared_error". The search is not affected: `objective_`, its bound
        and the proof refer to the means ``v``.
    solver_options : dict, default=None
        Switches of `Solver` by name, such as ``{"cache": "none"}``.

    Attributes
    ----------
    tree_ : Tree
        The tree, on the columns of `X` and in their units.
    frontier_ : Frontier
        The best tree for every number of nodes, with ``frontier=True``; `tree_` is then
        the best of them, on ties the smallest.
    status_ : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal, or why the search ended before.
    objective_ : float
        The weighted sum of the errors on the training rows, including any penalty.
    lower_bound_ : float
        No tree within the limits has an objective below this.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``; 0.0 if the tree is proven optimal.
    n_nodes_ : int
        The number of branching nodes.
    depth_ : int
        The depth of the tree.
    search_stats_ : dict
        Statistics of the search.
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
    "Optimal" means to within 2**-34 of the squared error of a single leaf for each
    leaf: the core computes in integers, see `Solver`. Absolute errors are exact if
    targets and weights have a common unit; otherwise the cost of each row is rounded by
    2**-33 of the largest possible sum.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from murtree import OptimalTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> reg.status_, round(reg.score(X, y), 3)
    ('optimal', 0.436)

    Three rows with the mean 4 are added to each leaf of one or two rows:

    >>> smooth = OptimalTreeRegressor(max_depth=1, smoothing=3)
    >>> smooth.fit([[1], [2], [8]], [0, 0, 12]).predict([[1], [8]])
    array([2.4, 6. ])
    >>> smooth.objective_
    0.0
    """

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        objective: str = "squared_error",
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
        smoothing: float | None = None,
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_num_nodes = max_num_nodes
        self.min_samples_leaf = min_samples_leaf
        self.min_weight_fraction_leaf = min_weight_fraction_leaf
        self.objective = objective
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
        """Find the best tree for a table and its targets.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, booleans or times, with missing values; binary values only
            with ``binarizer=None``.
        y : array-like of shape (n_samples,)
            Targets: finite numbers.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative numbers; a weight of k counts as k copies of its row.

        Returns
        -------
        self : OptimalTreeRegressor
            The fitted estimator.

        Examples
        --------
        >>> from murtree import OptimalTreeRegressor
        >>> reg = OptimalTreeRegressor(max_depth=1)
        >>> reg.fit([[1.0], [2.0], [3.0]], [0.5, 0.5, 8.0]).objective_
        0.0
        """
        return self._fit_or_restore(X, y, sample_weight)

    def predict(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the mean (or median) target of each row's leaf.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen during `fit`.

        Returns
        -------
        values : ndarray of float64 of shape (n_samples,)
            The weighted mean, or with ``objective="absolute_error"`` a weighted median,
            of the training targets in each row's leaf; after `smoothing` the mean moved
            towards that of all training rows.

        Examples
        --------
        >>> from murtree import OptimalTreeRegressor
        >>> reg = OptimalTreeRegressor(max_depth=1)
        >>> reg.fit([[1.0], [2.0], [3.0]], [0.5, 1.5, 8.0]).predict([[1.2], [9.0]])
        array([1., 8.])
        """
        codes = self._codes(X)
        return self.tree_._predict(codes)
