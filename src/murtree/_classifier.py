"""The classifier: labels, costs of errors, weights of classes."""

from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import ClassifierMixin
from sklearn.utils.class_weight import compute_class_weight
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import validate_data

from murtree._binarize import Binarizer
from murtree._errors import as_real_array
from murtree._estimators import OptimalTree
from murtree._input import check_label_kinds, encode_labels
from murtree._objective import CLASS_OBJECTIVES, check_objective, class_weights
from murtree._question import Asked, Callback, Manners


class OptimalTreeClassifier(ClassifierMixin, OptimalTree):
    """The decision tree with the fewest training errors within a depth and a size.

    The tree is proven optimal on the boolean columns that the binarizer makes.

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
    objective : str or array-like of shape (n_classes, n_classes), default="accuracy"
        What to minimise: the misclassified weight ("accuracy"), one minus the balanced
        accuracy ("balanced_accuracy"), or the total of ``costs[true][predicted]``, a
        matrix of non-negative costs with the classes sorted.
    class_weight : dict, "balanced" or None, default=None
        By what the weights of a class's rows are multiplied; classes that a dict leaves
        out by 1. "balanced" gives all classes the same total weight.
    feature_costs : array-like of shape (n_features,), default=None
        What each branching node that tests a column of `X` adds to the objective, in
        its units; None means nothing.
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
        max_depth: int | None = 4,
        max_num_nodes: int | None = None,
        min_samples_leaf: int = 1,
        objective: Any = "accuracy",
        class_weight: dict[Any, float] | str | None = None,
        feature_costs: Any = None,
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
        super().__init__(
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            min_samples_leaf=min_samples_leaf,
            feature_costs=feature_costs,
            cost_complexity=cost_complexity,
            fewest_nodes=fewest_nodes,
            frontier=frontier,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
            binarizer=binarizer,
            solver_options=solver_options,
        )
        self.objective = objective
        self.class_weight = class_weight

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Find the best tree for a table and its labels.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers; 0/1 only with ``binarizer=None``.
        y : array-like of shape (n_samples,)
            Labels: all str, all int or all bool.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative numbers; a weight of k counts as k copies of its row.

        Returns
        -------
        self : OptimalTreeClassifier
            The fitted estimator.
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
            The class of each row's leaf: the heaviest, or that of least cost.
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

    def _check_parameters(self) -> tuple[Asked, Manners]:
        owner = type(self).__name__
        check_objective(self.objective, owner, CLASS_OBJECTIVES)
        weight = self.class_weight
        if not (weight is None or isinstance(weight, dict) or weight == "balanced"):
            raise ValueError(
                f"The 'class_weight' parameter of {owner} must be a dict, 'balanced' "
                f"or None. Got {weight!r} instead."
            )
        return super()._check_parameters()

    def _objective(self) -> Any:
        return self.objective

    def _validate(self, X: Any, y: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        table, labels = validate_data(
            self, X, y, dtype=self._dtype(), ensure_min_samples=2
        )
        check_label_kinds(y)
        check_classification_targets(labels)
        return table, labels

    def _solver_weight(
        self, y: npt.NDArray[Any], weight: npt.NDArray[Any]
    ) -> npt.NDArray[Any]:
        """Multiply the weights of rows by those of their classes."""
        if self.class_weight is None:
            return weight
        classes, codes = encode_labels(y, y.size)
        if isinstance(self.class_weight, dict):
            factors = compute_class_weight(self.class_weight, classes=classes, y=y)
            factors = as_real_array(factors, "class_weight")
            if (factors < 0).any():
                raise ValueError(
                    f"class_weight must be non-negative. Got {factors.min()} instead."
                )
            return np.asarray(weight * factors[codes])
        # Rows of weight zero are absent, and so may be classes.
        by_class = class_weights(codes, weight, classes.size)
        mean = sum(by_class) / sum(1 for total in by_class if total)
        shares = [float(mean / total) if total else 0.0 for total in by_class]
        return np.asarray(weight * np.array(shares)[codes])
