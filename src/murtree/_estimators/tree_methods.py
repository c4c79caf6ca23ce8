"""Methods that all estimators with a tree share."""

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.validation import check_is_fitted

from murtree._model.from_estimator import proof_of
from murtree._model.model import Model
from murtree._tree.html import block, fold, tree_html
from murtree._tree.impurity import importances
from murtree._tree.resolve import fitted_estimator
from murtree._tree.to_sklearn import to_sklearn
from murtree._tree.tree import Tree

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class TreeMethodsMixin:
    """Mixin for estimators with a `tree_`."""

    tree_: Tree

    def _codes(self, X: Any) -> npt.NDArray[Any]:
        """Return the codes of a table, on which the tests of `tree_` are evaluated."""
        raise NotImplementedError

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
        return self.tree_._apply(codes)

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
        return self.tree_._decision_path(codes)

    def get_depth(self) -> int:
        """Return the depth of the tree; a single leaf has depth 0.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.get_depth()
        1
        """
        check_is_fitted(self)
        return self.tree_.depth

    def get_n_leaves(self) -> int:
        """Return the number of leaves of the tree.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([[1.0], [2.0]], ["a", "b"])
        >>> clf.get_n_leaves()
        2
        """
        check_is_fitted(self)
        return self.tree_.n_leaves

    @property
    def feature_importances_(self) -> npt.NDArray[np.float64]:
        """Normalised decrease of impurity per column: ndarray (n_features,).

        As in scikit-learn: Gini impurity for classes, variance in regression.
        """
        check_is_fitted(self)
        return importances(self.tree_)

    # scikit-learn has separate methods for HTML only and for all MIME types; neither
    # calls the other.
    def _repr_html_inner(self) -> str:
        theirs: Any = super()
        return self._shown(theirs._repr_html_inner())

    def _repr_mimebundle_(self, **kwargs: Any) -> dict[str, Any]:
        theirs: Any = super()
        bundle: dict[str, Any] = theirs._repr_mimebundle_(**kwargs)
        if "text/html" in bundle:
            bundle["text/html"] = self._shown(bundle["text/html"])
        return bundle

    def _shown(self, diagram: str) -> str:
        """Return scikit-learn's diagram, after proof and tree once fitted."""
        if not hasattr(self, "tree_"):
            return diagram
        proof = proof_of(fitted_estimator(self))
        parameters = fold(f"{type(self).__name__}: parameters", diagram)
        tree = tree_html(self.tree_, is_weighted=proof.is_weighted)
        return block(proof._html(), self._choice_html(), tree, parameters)

    def _choice_html(self) -> str:
        """Return how the size of the tree was chosen; empty if it was not tuned."""
        return ""

    def to_sklearn(self, X: Any = None, *, sample_weight: Any = None) -> Any:
        """Return an equivalent fitted decision tree of scikit-learn.

        Its input is the output of ``tree_.encode``, as float32 like all trees of
        scikit-learn, and it works with their tools: plots, SHAP, ONNX. A test of an
        interval or of categories becomes several nodes, with copies of the subtrees
        below. Thresholds are moved such that training rows stay on their side as
        float32; a warning is issued if two values are equal as float32, so that no such
        threshold exists. scikit-learn refuses values beyond 3.4e38.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows, such as the training rows, from which the weights of the nodes are
            computed. By default they are taken from `tree_`, and copies of a node share
            its weight: the sides of an interval evenly, sets by their size.
        sample_weight : array-like of shape (n_samples,), default=None
            The weights of the rows of X.

        Returns
        -------
        model : DecisionTreeClassifier or DecisionTreeRegressor
            If a leaf predicts a class other than the most probable one, because of
            costs of errors or `smoothing`, its `predict_proba` is 1 for that class. The
            impurity of a regression tree excludes the variance within leaves, which
            `tree_` does not contain.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import OptimalTreeClassifier
        >>> iris = load_iris()
        >>> clf = OptimalTreeClassifier(max_depth=2).fit(iris.data, iris.target)
        >>> model = clf.to_sklearn()
        >>> model, int((model.predict(iris.data) != iris.target).sum())
        (DecisionTreeClassifier(), 6)
        """
        check_is_fitted(self)
        codes = None if X is None else self.tree_.encode(X)
        ties = getattr(getattr(self, "binarizer_", None), "_ties", None)
        return to_sklearn(self.tree_, codes, sample_weight, ties)

    def rules_frame(self) -> Any:
        """Return the rules of the leaves as a data frame of pandas.

        Returns
        -------
        rules : DataFrame
            A row for each leaf, by its node number as `apply` gives it: the rule in
            words, its prediction, its support (training weight) and share of all. In
            classification also the weight of each class, and the weight misclassified
            as error.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import OptimalTreeClassifier
        >>> iris = load_iris(as_frame=True)
        >>> clf = OptimalTreeClassifier(max_depth=1).fit(iris.data, iris.target)
        >>> rules = clf.rules_frame()[["rule", "prediction", "support", "error"]]
        >>> print(rules.to_string(index=False))
                            rule  prediction  support  error
        petal length (cm) <= 2.4           0       50      0
         petal length (cm) > 2.4           1      100     50
        """
        check_is_fitted(self)
        return self.tree_.rules_frame()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the tree, its proof and the trees of other sizes to a JSON file.

        `Model.load` and the command line can read it.

        Parameters
        ----------
        path : str or path-like
            The file, which is written atomically.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from murtree import Model, OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = OptimalTreeClassifier(max_depth=2).fit(X, y)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "model.json"
        ...     clf.save(path)
        ...     Model.load(path)
        Model(n_nodes=2, depth=2, status='optimal', sizes=1)
        """
        Model.of(self).save(path)

    def report(
        self,
        path: str | os.PathLike[str] | None = None,
        *,
        X: Any = None,
        y: Any = None,
        sample_weight: Any = None,
        target: str | None = None,
        title: str | None = None,
    ) -> str | None:
        """Write the tree, its proof and the trees of other sizes as an HTML page.

        With ``frontier=True`` it has a slider over the best trees of all sizes.

        Parameters
        ----------
        path : str or path-like, default=None
            The file, which is written atomically. None returns the page instead.
        X : array-like of shape (n_samples, n_features), default=None
            Rows not used in training, to report the error of each size on them.
        y : array-like of shape (n_samples,), default=None
            Their labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Their weights.
        target : str, default=None
            Name of the target, shown on the page.
        title : str, default=None
            Title of the page; by default it names the target.

        Returns
        -------
        html : str or None
            The page if no path is given.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X[::2], y[::2])
        >>> page = clf.report(X=X[1::2], y=y[1::2], target="species")
        >>> "<h1>Decision tree for species</h1>" in page
        True
        """
        model = Model.of(self, target=target)
        if (X is None) is not (y is None):
            raise ValueError(
                "The 'X' and 'y' parameters of report must be given together. Got "
                f"{'y' if X is None else 'X'} alone instead."
            )
        if X is not None:
            model = model.validated(X, y, sample_weight)
        return model.report(path, title=title)


class ProbabilityMixin(TreeMethodsMixin):
    """Mixin for classifiers with a `tree_`."""

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class for each row.

        It is the share of the class in the training weight of the row's leaf, unless
        `smoothing` is given.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen during `fit`.

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
        >>> clf.set_params(smoothing="laplace").fit([[1.0]] * 4, list("aaab"))
        OptimalTreeClassifier(max_depth=0, smoothing='laplace')
        >>> clf.predict_proba([[1.0]]).round(2)
        array([[0.67, 0.33]])
        """
        codes = self._codes(X)
        return self.tree_._predict_proba(codes)

    def predict_log_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the logarithm of `predict_proba`; -inf for a probability of zero.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen during `fit`.

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
