"""Decision trees as flat arrays in scikit-learn's layout.

This module needs only NumPy, so that saved trees work without the compiled core. It has
over 400 lines because nearly half of them document the public methods of `Tree`.
"""

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column, encode, plain_columns
from murtree._table.frames import as_numbers, as_table
from murtree._table.predicates import Predicate, resolved, threshold_of
from murtree._table.unknown import warn_or_refuse
from murtree._tree.html import block, tree_html
from murtree._tree.json_format import dump, load, parse
from murtree._tree.layout import NO_FEATURE, NO_THRESHOLD
from murtree._tree.nodes import depths, paths
from murtree._tree.rules import rules_frame
from murtree._tree.smoothing import estimates
from murtree._tree.to_sklearn import to_sklearn

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix


class OnBits(Protocol):
    """The 0/1 data of a search."""

    @property
    def classes(self) -> npt.NDArray[Any] | None: ...

    @property
    def n_features(self) -> int: ...


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree: node 0 is the root, nodes are stored depth first.

    A row goes left at a branching node if ``X[row, feature] <= threshold``; on 0/1 data
    the threshold is 0.5, so left means that the feature is 0. The tree of an estimator
    has the `columns` of the table and a `Predicate` at each branching node; rows for
    which it holds go left.

    Parameters
    ----------
    children_left, children_right : ndarray of int32
        The two children of each node; -1 at leaves.
    feature : ndarray of int32
        The column tested at each node; -2 at leaves.
    threshold : ndarray of float64
        The threshold at each node; -2.0 at leaves, NaN at tests of categories, -inf at
        tests for missing values.
    value : ndarray of shape (number of nodes and leaves, n_classes)
        The training weight of each class at each node: int64, or float64 if weights are
        not integers. In regression one column: the mean or median of each node. It does
        not include `smoothing`; see `estimates`.
    classes : ndarray of shape (n_classes,) or None
        The labels, sorted; None in regression.
    n_features : int
        Number of columns of the data.
    label : ndarray of int32, default=None
        The prediction of each node, as an index into `classes`; None means the class
        with the largest weight. With unequal costs of errors it may be another class.
    weight : ndarray of float64, default=None
        The training weight of each node in regression.
    predicates : tuple of Predicate or None, default=None
        The test of each node, None at leaves. By default the tests are given by
        `feature` and `threshold`, and missing values raise an error.
    columns : tuple of Column, default=None
        The columns of the user's table.
    smoothing : float or "laplace", default=None
        The `smoothing` of the estimator.
    is_expected : bool, default=False
        Whether `value` has sums of class probabilities, to which the tree was fitted,
        instead of the weights of observed labels.

    Examples
    --------
    >>> from murtree import Solver
    >>> X = [[0, 0], [0, 1], [1, 0], [1, 1]]
    >>> tree = Solver(X, ["a", "b", "b", "b"]).solve(max_depth=2).tree
    >>> tree.predict([[0, 0], [1, 0]])
    array(['a', 'b'], dtype='<U1')
    >>> tree.n_nodes, tree.n_leaves, tree.depth
    (2, 3, 2)
    """

    children_left: npt.NDArray[np.int32]
    children_right: npt.NDArray[np.int32]
    feature: npt.NDArray[np.int32]
    threshold: npt.NDArray[np.float64]
    value: npt.NDArray[Any]
    classes: npt.NDArray[Any] | None
    n_features: int
    label: npt.NDArray[np.int32] | None = None
    weight: npt.NDArray[np.float64] | None = None
    predicates: tuple[Predicate | None, ...] | None = None
    columns: tuple[Column, ...] | None = None
    smoothing: float | str | None = None
    is_expected: bool = False

    def __post_init__(self) -> None:
        for field in fields(self):
            array = getattr(self, field.name)
            if isinstance(array, np.ndarray):
                frozen = array.view()
                frozen.flags.writeable = False
                object.__setattr__(self, field.name, frozen)

    def __repr__(self) -> str:
        return f"Tree(n_nodes={self.n_nodes}, depth={self.depth})"

    def _repr_html_(self) -> str:
        return block(tree_html(self))

    @property
    def n_nodes(self) -> int:
        """The number of branching nodes."""
        return int(np.count_nonzero(self.feature >= 0))

    @property
    def n_leaves(self) -> int:
        """The number of leaves, always one more than the branching nodes."""
        return int(np.count_nonzero(self.feature < 0))

    @property
    def depth(self) -> int:
        """The maximum number of tests on a path; a single leaf has depth 0."""
        return int(depths(self.children_left, self.children_right).max())

    @property
    def misclassified(self) -> float:
        """The misclassified training weight; a float if weights are floats.

        If the tree was fitted to class probabilities, it is the expected weight.
        """
        wrong = self.value.copy()
        np.put_along_axis(wrong, self.labels[:, np.newaxis], 0, axis=1)
        leaves = wrong[self.feature < 0]
        is_real = leaves.dtype.kind == "f"
        return math.fsum(leaves.ravel()) if is_real else int(leaves.sum())

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """The prediction of each node, as an index into `classes`."""
        self._known_classes()
        if self.label is not None:
            return self.label.astype(np.int64)
        return np.asarray(np.argmax(self.value, axis=1), dtype=np.int64)

    @property
    def node_weight(self) -> npt.NDArray[Any]:
        """The training weight of each node."""
        return self.value.sum(axis=1) if self.weight is None else self.weight

    @property
    def estimates(self) -> npt.NDArray[np.float64]:
        """The class probabilities of each node, or its value in regression, smoothed.

        One row per node and one column per class; in regression one column.
        """
        return estimates(self)

    @property
    def known_columns(self) -> tuple[Column, ...]:
        """The columns of the table; by default binary columns x0, x1 and so on."""
        return self.columns or plain_columns(self.n_features)

    @classmethod
    def _on_bits(
        cls,
        found: Mapping[str, Any],
        data: OnBits,
        value: npt.NDArray[Any],
        **more: Any,
    ) -> "Tree":
        """Return a tree of the core on 0/1 data, with the given node values."""
        feature = found["feature"]
        return cls(
            children_left=found["children_left"],
            children_right=found["children_right"],
            feature=feature,
            threshold=np.where(feature >= 0, 0.5, NO_THRESHOLD),
            value=value,
            classes=data.classes,
            n_features=data.n_features,
            **more,
        )

    def _with_columns(
        self,
        columns: tuple[Column, ...],
        tests: Sequence[Predicate] | Mapping[int, Predicate],
    ) -> "Tree":
        """Return a tree of the solver as a tree on the columns of a table.

        `tests` has the test of each solver column. If training had no missing values,
        they go to the heavier side.
        """
        heavy = self.node_weight
        feature = np.full(self.feature.size, NO_FEATURE, dtype=np.int32)
        threshold = np.full(self.feature.size, NO_THRESHOLD)
        predicates: list[Predicate | None] = [None] * self.feature.size
        for node in np.flatnonzero(self.feature >= 0).tolist():
            left, right = self.children_left[node], self.children_right[node]
            test = tests[int(self.feature[node])]
            test = predicates[node] = resolved(test, heavy[left] >= heavy[right])
            feature[node], threshold[node] = test.column, threshold_of(test)
        return replace(
            self,
            feature=feature,
            threshold=threshold,
            n_features=len(columns),
            predicates=tuple(predicates),
            columns=columns,
        )

    def predicate(self, node: int) -> Predicate:
        """Return the test of a branching node.

        Examples
        --------
        >>> from murtree import Solver
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> tree.predicate(0).threshold
        0.5
        """
        if self.predicates is not None:
            predicate = self.predicates[node]
            assert predicate is not None  # only leaves have none
            return predicate
        return Predicate(int(self.feature[node]), float(self.threshold[node]))

    def encode(self, X: Any) -> npt.NDArray[Any]:
        """Return a table as the numeric codes that the tests use.

        Categories become their index among those of the column, times become seconds,
        and missing values NaN. Unknown categories also become NaN, with a warning, or
        raise an error after ``handle_unknown="error"``.

        Examples
        --------
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier(max_depth=1).fit([["x"], ["y"]], [0, 1])
        >>> clf.tree_.encode([["y"], [None]]).ravel()
        array([ 1., nan])
        """
        if self.columns is None:
            return as_numbers(X, self.n_features)
        tested = {*self.feature}
        return encode(
            as_table(X), self.columns, tested=tested, on_unknown=warn_or_refuse
        )

    def apply(self, X: Any) -> npt.NDArray[np.int64]:
        """Return the index of the leaf that each row reaches.

        Examples
        --------
        >>> from murtree import Solver
        >>> Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree.apply([[0], [1]])
        array([1, 2])
        """
        return self._apply(self.encode(X))

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row's leaf, or its value in regression.

        Examples
        --------
        >>> from murtree import Solver
        >>> Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree.predict([[1]])
        array([7])
        """
        return self._predict(self.encode(X))

    def _apply(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        leaves = np.zeros(codes.shape[0], dtype=np.int64)
        waiting = [(0, np.arange(codes.shape[0]))]
        while waiting:
            node, rows = waiting.pop()
            if self.feature[node] < 0:
                leaves[rows] = node
            elif rows.size:
                test = self.predicate(node)
                is_left = test.holds(codes[rows, test.column])
                waiting += [
                    (int(self.children_left[node]), rows[is_left]),
                    (int(self.children_right[node]), rows[~is_left]),
                ]
        return leaves

    def _predict(self, codes: npt.NDArray[Any]) -> npt.NDArray[Any]:
        leaves = self._apply(codes)
        if self.classes is None:
            return np.asarray(self.estimates[leaves, 0])
        return np.asarray(self.classes[self.labels[leaves]])

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the share of each class in the training weight of each row's leaf.

        If the tree is smoothed, these are its `estimates`.

        Examples
        --------
        >>> from murtree import Solver
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> tree.predict_proba([[1]])
        array([[0., 1.]])
        """
        return self._predict_proba(self.encode(X))

    def _predict_proba(self, codes: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        self._known_classes()
        return np.asarray(self.estimates[self._apply(codes)])

    def decision_path(self, X: Any) -> "csr_matrix":
        """Return a sparse indicator matrix of the nodes (columns) on each row's path.

        Examples
        --------
        >>> from murtree import Solver
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> tree.decision_path([[1]]).toarray()
        array([[1, 0, 1]])
        """
        return self._decision_path(self.encode(X))

    def _decision_path(self, codes: npt.NDArray[Any]) -> "csr_matrix":
        return paths(self)[self._apply(codes)]

    def to_sklearn(self, X: Any = None, *, sample_weight: Any = None) -> Any:
        """Return a fitted scikit-learn decision tree with the same predictions.

        Its input are the codes of `encode`, which scikit-learn casts to float32. It
        works with tools for scikit-learn's trees, such as plots, SHAP and ONNX. A test
        of an interval or of categories becomes several nodes, with copied subtrees.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features), default=None
            Rows, such as the training data, from which node weights are computed. By
            default the weights of this tree are used, divided among the copies of a
            node: evenly between the sides of an interval, and by the number of
            categories in sets. Thresholds are adjusted so that these rows stay on their
            side as float32, or a warning is issued; without X, large numbers near a
            threshold may change sides. scikit-learn refuses values beyond 3.4e38.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of the rows of X.

        Returns
        -------
        model : DecisionTreeClassifier or DecisionTreeRegressor
            The fitted tree. If costs of errors or smoothing make the label of a leaf
            differ from its most probable class, `predict_proba` gives that label 1. The
            impurity of a regression tree excludes the variance within leaves, which is
            not stored.

        Examples
        --------
        >>> from murtree import Solver
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> tree.to_sklearn().predict([[0], [1]])
        array([5, 7])
        """
        codes = None if X is None else self.encode(X)
        return to_sklearn(self, codes, sample_weight)

    def rules_frame(self) -> Any:
        """Return the rules of the leaves as a pandas data frame.

        Returns
        -------
        rules : DataFrame
            One row per leaf, indexed by node: the rule as text, the prediction, the
            support (training weight) and its share of the total. In classification also
            the weight of each class, and the misclassified weight as error.

        Examples
        --------
        >>> from murtree import Solver
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> rules = tree.rules_frame()[["rule", "prediction", "support", "error"]]
        >>> print(rules.to_string(index=False))
            rule  prediction  support  error
         x0 = no           5        1      0
        x0 = yes           7        2      0
        """
        return rules_frame(self)

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists and numbers, ready for JSON.

        Examples
        --------
        >>> import json
        >>> from murtree import Solver, Tree
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> Tree.from_dict(json.loads(json.dumps(tree.to_dict()))).predict([[1]])
        array([7])
        """
        return dump(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Tree":
        """Return the tree saved by `to_dict`; raise an error if it is damaged.

        Examples
        --------
        >>> from murtree import Solver, Tree
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> Tree.from_dict(tree.to_dict())
        Tree(n_nodes=1, depth=1)
        """
        return cls(**load(data))

    def to_json(self) -> str:
        """Return the tree as a JSON text, for `from_json` or any other program.

        Examples
        --------
        >>> from murtree import Solver, Tree
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> Tree.from_json(tree.to_json()).predict([[0], [1]])
        array([5, 7])
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Tree":
        """Return the tree saved by `to_json`, without executing any code.

        Examples
        --------
        >>> from murtree import Solver, Tree
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> Tree.from_json(tree.to_json())
        Tree(n_nodes=1, depth=1)
        """
        return cls.from_dict(parse(text))

    def _known_classes(self) -> npt.NDArray[Any]:
        if self.classes is None:
            raise TypeError(
                "A regression tree has no classes and no class probabilities."
            )
        return self.classes
