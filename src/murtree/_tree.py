"""A decision tree as flat arrays in scikit-learn's layout.

The last thing the search makes and the first thing prediction needs. It relies on
NumPy alone, so that a saved tree can be used without the compiled core.
"""

import math
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

NO_CHILD = -1
NO_FEATURE = -2
NO_THRESHOLD = -2.0

_FORMAT = "murtree.tree"
# Version 1 has no "label", no real numbers in "value", and is always of classes.
_VERSIONS = (1, 2)


@dataclass(frozen=True, eq=False)
class Tree:
    """A decision tree: node 0 is the root, nodes are stored depth first.

    A row goes left at a branching node when ``X[row, feature] <= threshold``; on 0/1
    data the threshold is 0.5, so left means that the feature is 0.

    Parameters
    ----------
    children_left, children_right : ndarray of int32
        The two children of each node; -1 at leaves.
    feature : ndarray of int32
        The column tested at each node; -2 at leaves.
    threshold : ndarray of float64
        The threshold at each node; -2.0 at leaves.
    value : ndarray of shape (number of nodes and leaves, n_classes)
        The training weight of each class at each node: int64, or float64 where weights
        are no whole numbers. In regression one column: the mean or median of nodes.
    classes : ndarray of shape (n_classes,) or None
        The labels, sorted; None in regression.
    n_features : int
        How many columns the data to predict must have.
    label : ndarray of int32, default=None
        What each node predicts, as a position in `classes`; None means the heaviest
        class. With unequal costs of errors it may be another one.
    weight : ndarray of float64, default=None
        In regression the training weight of each node; `value` has no room for it.

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

    def __post_init__(self) -> None:
        for field in fields(self):
            array = getattr(self, field.name)
            if isinstance(array, np.ndarray):
                frozen = array.view()
                frozen.flags.writeable = False
                object.__setattr__(self, field.name, frozen)

    def __repr__(self) -> str:
        return f"Tree(n_nodes={self.n_nodes}, depth={self.depth})"

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
        """The most tests any row meets; a lone leaf has depth 0."""
        return int(self._node_depths().max())

    @property
    def misclassified(self) -> float:
        """The training weight that the tree misclassifies; a float if weights are."""
        wrong = self.value.copy()
        np.put_along_axis(wrong, self.labels[:, np.newaxis], 0, axis=1)
        leaves = wrong[self.feature < 0]
        is_real = leaves.dtype.kind == "f"
        return math.fsum(leaves.ravel()) if is_real else int(leaves.sum())

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """What each node predicts, as a position in `classes`."""
        self._known_classes()
        if self.label is not None:
            return self.label.astype(np.int64)
        return np.asarray(np.argmax(self.value, axis=1), dtype=np.int64)

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the leaf, as a node number, that each row reaches."""
        return self._leaves(_as_numbers(X, self.n_features))

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the label of each row's leaf, or its value in regression."""
        leaves = self.apply(X)
        if self.classes is None:
            return np.asarray(self.value[leaves, 0])
        return np.asarray(self.classes[self.labels[leaves]])

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the share of each class in the training weight of each row's leaf."""
        self._known_classes()
        share = self.value / self.value.sum(axis=1, keepdims=True)
        return np.asarray(share[self.apply(X)])

    def decision_path(self, X: npt.ArrayLike) -> "csr_matrix":
        """Return a sparse matrix: one where a row of X passes a node (column)."""
        # Imported here, so that a saved tree predicts with NumPy alone.
        from scipy.sparse import csr_matrix  # noqa: PLC0415

        paths: list[list[int]] = [[0]] * self.feature.size
        for node in np.flatnonzero(self.feature >= 0):
            for child in (self.children_left[node], self.children_right[node]):
                paths[child] = [*paths[node], int(child)]
        ends = np.cumsum([0, *map(len, paths)])
        nodes = np.concatenate(paths)
        shape = (self.feature.size, self.feature.size)
        ones = np.ones(nodes.size, dtype=np.int64)
        return csr_matrix((ones, nodes, ends), shape=shape)[self.apply(X)]

    def to_dict(self) -> dict[str, Any]:
        """Return the tree as plain lists and numbers, ready for JSON.

        Examples
        --------
        >>> import json
        >>> from murtree import Solver, Tree
        >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
        >>> text = json.dumps(tree.to_dict())
        >>> Tree.from_dict(json.loads(text)).predict([[0], [1]])
        array([5, 7])
        """
        classes = self.classes
        saved = {
            "format": _FORMAT,
            "version": 1,
            "n_features": self.n_features,
            "classes": None if classes is None else classes.tolist(),
            "classes_dtype": None if classes is None else classes.dtype.str,
            "children_left": self.children_left.tolist(),
            "children_right": self.children_right.tolist(),
            "feature": self.feature.tolist(),
            "threshold": self.threshold.tolist(),
            "value": self.value.tolist(),
        }
        for entry in ("label", "weight"):
            array = getattr(self, entry)
            if array is not None:
                saved[entry] = array.tolist()
        # What version 1 can hold stays readable for those who know no other.
        if "label" in saved or classes is None or self.value.dtype.kind == "f":
            saved["version"] = 2
        return saved

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Tree":
        """Return the tree that `to_dict` wrote; a damaged one is refused."""
        return _checked(cls, data)

    def _known_classes(self) -> npt.NDArray[Any]:
        if self.classes is None:
            raise TypeError("A regression tree has no classes, and no share of each.")
        return self.classes

    def _node_depths(self) -> npt.NDArray[np.int64]:
        depths = np.zeros(self.feature.size, dtype=np.int64)
        for node in np.flatnonzero(self.feature >= 0):
            depths[self.children_left[node]] = depths[node] + 1
            depths[self.children_right[node]] = depths[node] + 1
        return depths

    def _leaves(self, X: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        node = np.zeros(X.shape[0], dtype=np.int64)
        rows = np.arange(X.shape[0])
        while True:
            here = node[rows]
            branching = self.feature[here] >= 0
            rows, here = rows[branching], here[branching]
            if not rows.size:
                return node
            go_left = X[rows, self.feature[here]] <= self.threshold[here]
            node[rows] = np.where(
                go_left, self.children_left[here], self.children_right[here]
            )


def _as_numbers(X: npt.ArrayLike, n_features: int) -> npt.NDArray[Any]:
    array = np.asarray(X)
    if array.dtype.kind == "O":
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"X must hold numbers. Got an array of {array.dtype} instead.")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead.")
    if array.shape[1] != n_features:
        raise ValueError(
            f"X has {array.shape[1]} features, but this tree is expecting "
            f"{n_features} features as input."
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError("Input X contains NaN.")
    return array


def _require(holds: object, entry: str, must: str, got: object) -> None:
    if not holds:
        raise ValueError(
            f"The {entry!r} entry of a saved tree must be {must}. Got {got!r} instead."
        )


def _checked(cls: type[Tree], data: dict[str, Any]) -> Tree:
    if not isinstance(data, dict):
        raise TypeError(f"A saved tree must be a dict. Got {type(data)} instead.")
    _require(data.get("format") == _FORMAT, "format", repr(_FORMAT), data.get("format"))
    version = data.get("version")
    _require(version in _VERSIONS, "version", "1 or 2", version)
    n_features = data.get("n_features")
    _require(
        type(n_features) is int and 0 < n_features < 2**31,
        "n_features",
        "a positive int",
        n_features,
    )
    is_regression = version == 2 and data.get("classes", ()) is None
    tree = cls(
        children_left=_numbers(data, "children_left", np.int32),
        children_right=_numbers(data, "children_right", np.int32),
        feature=_numbers(data, "feature", np.int32),
        threshold=_numbers(data, "threshold", np.float64),
        value=_checked_value(data, is_regression),
        classes=None if is_regression else _checked_classes(data),
        n_features=n_features,  # type: ignore[arg-type]
        label=None if data.get("label") is None else _numbers(data, "label", np.int32),
        weight=_numbers(data, "weight", np.float64) if is_regression else None,
    )
    _check_nodes(tree)
    _check_values(tree)
    return tree


def _checked_value(data: dict[str, Any], is_regression: bool) -> npt.NDArray[Any]:
    """Return whole numbers as such: the weights of a classification tree may be."""
    if data["version"] == 1:
        return np.asarray(_numbers(data, "value", np.int64, ndim=2))
    value = np.asarray(_numbers(data, "value", np.float64, ndim=2))
    if is_regression or np.asarray(data["value"]).dtype.kind == "f":
        return value
    return np.asarray(_numbers(data, "value", np.int64, ndim=2))


def _numbers(data: dict[str, Any], entry: str, dtype: Any, ndim: int = 1) -> Any:
    kinds = "if" if dtype is np.float64 else "i"
    try:
        array = np.asarray(data[entry])
        good = array.dtype.kind in kinds and array.ndim == ndim and array.size > 0
        converted = array.astype(dtype) if good else array
        good = good and np.array_equal(converted, array)
    except (KeyError, TypeError, ValueError, OverflowError):
        good = False
    _require(
        good, entry, f"a list of {np.dtype(dtype)} numbers ({ndim}D)", data.get(entry)
    )
    return converted


def _checked_classes(data: dict[str, Any]) -> npt.NDArray[Any]:
    labels, name = data.get("classes"), data.get("classes_dtype")
    must = "a list of distinct labels of the dtype in 'classes_dtype'"
    try:
        dtype = np.dtype(name) if isinstance(name, str) else np.dtype("V")
        _require(dtype.kind in "biufUO", "classes_dtype", "a dtype of labels", name)
        classes = np.array(labels, dtype=dtype)
        same = isinstance(labels, list) and classes.tolist() == labels
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"The 'classes' entry of a saved tree must be {must}: {error}"
        ) from None
    plain = dtype.kind != "O" or all(isinstance(label, str) for label in classes)
    distinct = same and plain and len(set(classes.tolist())) == classes.size > 0
    _require(distinct and classes.ndim == 1, "classes", must, labels)
    return classes


def _check_nodes(tree: Tree) -> None:
    size = tree.feature.size
    for entry in ("children_left", "children_right", "threshold", "value"):
        length = getattr(tree, entry).shape[0]
        _require(length == size, entry, f"of length {size}, as 'feature'", length)
    inner = tree.feature >= 0
    largest, must = int(tree.feature.max()), f"less than n_features={tree.n_features}"
    _require(largest < tree.n_features, "feature", must, largest)
    for entry, blank in (
        ("feature", NO_FEATURE),
        ("children_left", NO_CHILD),
        ("children_right", NO_CHILD),
    ):
        at_leaves = getattr(tree, entry)[~inner]
        good = (at_leaves == blank).all()
        _require(good, entry, f"{blank} at every leaf", at_leaves.tolist())
    finite = np.isfinite(tree.threshold[inner]).all()
    _require(finite, "threshold", "finite", "NaN or infinity")
    # Each node but the root has one parent, and it stands before: no cycle, no orphan.
    nodes = np.flatnonzero(inner)
    children = np.concatenate([tree.children_left[nodes], tree.children_right[nodes]])
    once = np.array_equal(np.sort(children), np.arange(1, size))
    later = (children > np.concatenate([nodes, nodes])).all()
    must = "such that each node but the first has one parent, standing before it"
    _require(once and later, "children_left", must, tree.children_left.tolist())


def _check_values(tree: Tree) -> None:
    n_columns = 1 if tree.classes is None else tree.classes.size
    columns, size = tree.value.shape[1], tree.feature.size
    _require(columns == n_columns, "value", f"{n_columns} numbers a node", columns)
    _require(np.isfinite(tree.value).all(), "value", "finite", "NaN or infinity")
    if tree.weight is not None:
        good = tree.weight.size == size and (tree.weight > 0).all()
        good = good and np.isfinite(tree.weight).all()
        _require(good, "weight", f"{size} positive numbers", tree.weight.tolist())
    else:
        positive = (tree.value >= 0) & (tree.value.sum(axis=1, keepdims=True) > 0)
        must = "non-negative with a positive sum in each row"
        _require(positive.all(), "value", must, tree.value.tolist())
    if tree.label is not None:
        good = tree.label.size == size and (tree.label >= 0).all()
        good = good and (tree.label < n_columns).all()
        must = f"{size} positions in 'classes'"
        _require(good, "label", must, tree.label.tolist())
