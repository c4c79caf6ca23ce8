"""The regressor: real targets, leaves that predict their mean."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import RegressorMixin

from murtree._estimators.base import OptimalTree
from murtree._solver.request import Callback
from murtree._table.binarizer import TableBinarizer


class OptimalTreeRegressor(RegressorMixin, OptimalTree):
    """The regression tree with the least squared error within a depth and a size.

    Or with the least absolute error. The tree is proven optimal on the boolean columns
    that the binarizer makes. A leaf predicts the weighted mean of its targets, or a
    weighted median.

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
        scikit-learn.
    objective : {"squared_error", "absolute_error"}, default="squared_error"
        What to minimise: the weighted sum of squared errors, where a leaf predicts its
        weighted mean, or that of absolute errors, where it predicts a weighted median.
        The latter takes as much longer as there are distinct targets: hundreds are fine
        at depth 3.
    feature_costs : array-like of shape (n_features,), dict or series, default=None
        What each branching node that tests a column of `X` adds to the objective, in
        its units; in a dict or a labelled series by the names of columns, others being
        free. None means nothing.
    cost_complexity : float, default=0.0
        A penalty for each branching node, as a fraction of the error of a lone leaf:
        the objective is the error plus ``cost_complexity * error of a leaf * nodes``.
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
    status_ : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal, or what ended the search before.
    objective_ : float
        The weighted sum of the errors on the training rows, with the penalty if
        there is one.
    lower_bound_ : float
        No tree within the limits has an objective below this.
    gap_ : float
        ``(objective_ - lower_bound_) / objective_``, 0.0 with a proof.
    n_nodes_ : int
        The number of branching nodes.
    depth_ : int
        The depth of the tree.
    search_stats_ : dict
        What the search did.
    binarizer_ : TableBinarizer
        The fitted binarizer, if there is one.
    coverage_ : Coverage
        Which tests the proof covers; its text says so in words.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of str
        The names of the columns of `X`, if they have any.

    Notes
    -----
    "Optimal" means to within 2**-34 of the squared error of a lone leaf for each leaf:
    the core computes in whole numbers, see `Solver`. Absolute errors are exact where
    targets and weights have a common unit; otherwise each row is rounded by 2**-33 of
    the largest sum that they can have.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from murtree import OptimalTreeRegressor
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = OptimalTreeRegressor(max_depth=2).fit(X, y)
    >>> reg.status_, round(reg.score(X, y), 3)
    ('optimal', 0.436)
    """

    def __init__(
        self,
        *,
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        objective: str = "squared_error",
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

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree for a table and its targets.

        Parameters
        ----------
        X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
            Numbers, text, booleans or times, with missing values; 0/1 only with
            ``binarizer=None``.
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
            Rows with the columns that `fit` saw.

        Returns
        -------
        values : ndarray of float64 of shape (n_samples,)
            The weighted mean, or with ``objective="absolute_error"`` a weighted median,
            of the training targets in each row's leaf.

        Examples
        --------
        >>> from murtree import OptimalTreeRegressor
        >>> reg = OptimalTreeRegressor(max_depth=1)
        >>> reg.fit([[1.0], [2.0], [3.0]], [0.5, 1.5, 8.0]).predict([[1.2], [9.0]])
        array([1., 8.])
        """
        codes = self._codes(X)
        return self._fitted_tree()._predict(codes)
