"""Estimators in scikit-learn's conventions, on the user's own columns.

From a raw table through `Binarizer` and `Solver` to a tree whose tests name the user's
columns in the user's units.
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
from murtree._errors import (
    TimeLimitWarning,
    check_sample_weight,
    check_time_limit,
)
from murtree._input import as_binary, check_label_kinds
from murtree._question import check_asked
from murtree._result import Result
from murtree._solve import SWITCHES, Solver
from murtree._tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class OptimalTreeClassifier(ClassifierMixin, BaseEstimator):
    """The decision tree with the fewest training errors within a depth and a size.

    The tree is proven optimal on the boolean columns that the binarizer makes.

    Parameters
    ----------
    max_depth : int, default=4
        The most tests a row may meet, 0 to 20.
    max_num_nodes : int, default=None
        The most branching nodes (leaves are one more); None means as many as the
        depth allows.
    time_limit : float, default=None
        Seconds after which the search ends with the best tree so far and a warning;
        None means no limit. Reading and binarizing the data comes before the search.
    binarizer : "auto", Binarizer or None, default="auto"
        How numeric columns become boolean ones: "auto" is ``Binarizer()``; None means
        that X is 0/1 already.
    solver_options : dict, default=None
        Switches of `Solver` by name, such as ``{"cache": "none"}``.

    Attributes
    ----------
    tree_ : Tree
        The tree, on the columns of `X` and in their units.
    status_ : {"optimal", "time_limit"}
        Whether the tree is proven optimal or the time ran out.
    objective_ : int
        The training weight that the tree misclassifies.
    lower_bound_ : int
        No tree within the limits misclassifies less than this.
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

    def __init__(
        self,
        *,
        max_depth: int = 4,
        max_num_nodes: int | None = None,
        time_limit: float | None = None,
        binarizer: str | Binarizer | None = "auto",
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self.max_depth = max_depth
        self.max_num_nodes = max_num_nodes
        self.time_limit = time_limit
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
        self._check_parameters()
        before = dict(self.__dict__)
        try:
            return self._fit(X, y, sample_weight)
        except BaseException:  # Ctrl-C too: an earlier fit stays whole
            self.__dict__.clear()
            self.__dict__.update(before)
            raise

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Self:
        table, labels = validate_data(
            self, X, y, dtype=self._dtype(), ensure_min_samples=2
        )
        check_label_kinds(y)
        check_classification_targets(labels)
        weight = check_sample_weight(sample_weight, table.shape[0])
        bits = table if self.binarizer is None else self._binarize(X, weight)
        solver = Solver(bits, labels, weight, **(self.solver_options or {}))
        result = solver.solve(
            self.max_depth, self.max_num_nodes, time_limit=self.time_limit
        )
        self._keep(result)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns that `fit` saw.

        Returns
        -------
        labels : ndarray of shape (n_samples,)
            The heaviest class of each row's leaf.
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

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_asked(owner, max_depth=self.max_depth, max_num_nodes=self.max_num_nodes)
        check_time_limit(self.time_limit, owner)
        binarizer = self.binarizer
        if not (
            binarizer is None or isinstance(binarizer, Binarizer) or binarizer == "auto"
        ):
            raise ValueError(
                f"The 'binarizer' parameter of {owner} must be 'auto', a Binarizer or "
                f"None. Got {binarizer!r} instead."
            )
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

    def _keep(self, result: Result) -> None:
        tree, objective = result.tree, result.objective
        assert tree is not None  # no upper bound was given
        assert objective is not None
        self.tree_ = self._in_users_units(tree)
        self.classes_ = tree.classes
        self.status_ = result.status
        self.objective_ = objective
        self.lower_bound_ = result.lower_bound
        self.gap_ = result.gap
        self.n_nodes_ = tree.n_nodes
        self.depth_ = tree.depth
        self.search_stats_ = result.stats
        if result.status == "time_limit":
            warnings.warn(
                f"The time limit of {self.time_limit} s ended the search: the tree "
                f"misclassifies a weight of {objective}; no tree within the limits "
                f"misclassifies less than {result.lower_bound}.",
                TimeLimitWarning,
                stacklevel=4,
            )

    def _in_users_units(self, tree: Tree) -> Tree:
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
