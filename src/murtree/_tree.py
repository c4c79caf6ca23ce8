"""A decision tree as flat arrays in scikit-learn's layout.

The last thing the search makes and the first thing prediction needs. It relies on
NumPy alone, so that a saved tree can be used without the compiled core.
"""

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
_VERSION = 1  # leaves say their heaviest class
_LABELLED = 2  # leaves say what "label" tells


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
    value : ndarray of int64 of shape (number of nodes and leaves, n_classes)
        The training weight of each class at each node.
    classes : ndarray of shape (n_classes,)
        The labels, sorted.
    n_features : int
        How many columns the data to predict must have.
    label : ndarray of int32, default=None
        What each node predicts, as a position in `classes`; None means the heaviest
        class. For other objectives than accuracy it may be another one.

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
    value: npt.NDArray[np.int64]
    classes: npt.NDArray[Any]
    n_features: int
    label: npt.NDArray[np.int32] | None = None

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
    def misclassified(self) -> int:
        """The training weight that the tree misclassifies."""
        leaves = np.flatnonzero(self.feature < 0)
        right = self.value[leaves, self.labels[leaves]]
        return int(self.value[leaves].sum() - right.sum())

    @property
    def labels(self) -> npt.NDArray[np.int64]:
        """What each node predicts, as a position in `classes`."""
        if self.label is not None:
            return self.label.astype(np.int64)
        return np.asarray(np.argmax(self.value, axis=1), dtype=np.int64)

    def apply(self, X: npt.ArrayLike) -> npt.NDArray[np.int64]:
        """Return the leaf, as a node number, that each row reaches."""
        return self._leaves(_as_numbers(X, self.n_features))

    def predict(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """Return the label of each row: what its leaf says."""
        return np.asarray(self.classes[self.labels[self.apply(X)]])

    def predict_proba(self, X: npt.ArrayLike) -> npt.NDArray[np.float64]:
        """Return the share of each class in the training weight of each row's leaf."""
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
        labelled: dict[str, Any] = {}
        if self.label is not None:
            labelled["label"] = self.label.tolist()
        return {
            "format": _FORMAT,
            "version": _LABELLED if labelled else _VERSION,
            "n_features": self.n_features,
            "classes": self.classes.tolist(),
            "classes_dtype": self.classes.dtype.str,
            "children_left": self.children_left.tolist(),
            "children_right": self.children_right.tolist(),
            "feature": self.feature.tolist(),
            "threshold": self.threshold.tolist(),
            "value": self.value.tolist(),
            **labelled,
        }

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> "Tree":
        """Return the tree that `to_dict` wrote; a damaged one is refused."""
        return _checked(cls, data)

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
    _require(version in (_VERSION, _LABELLED), "version", "1 or 2", version)
    n_features = data.get("n_features")
    _require(
        type(n_features) is int and 0 < n_features < 2**31,
        "n_features",
        "a positive int",
        n_features,
    )
    left = _numbers(data, "children_left", np.int32)
    tree = cls(
        children_left=left,
        children_right=_numbers(data, "children_right", np.int32),
        feature=_numbers(data, "feature", np.int32),
        threshold=_numbers(data, "threshold", np.float64),
        value=_numbers(data, "value", np.int64, ndim=2),
        classes=_checked_classes(data),
        n_features=n_features,  # type: ignore[arg-type]
        label=_numbers(data, "label", np.int32) if version == _LABELLED else None,
    )
    _check_nodes(tree)
    _check_labels(tree)
    return tree


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
    columns, n_classes = tree.value.shape[1], tree.classes.size
    _require(columns == n_classes, "value", f"{n_classes} numbers a node", columns)
    positive = (tree.value >= 0) & (tree.value.sum(axis=1, keepdims=True) > 0)
    must = "non-negative with a positive sum in each row"
    _require(positive.all(), "value", must, tree.value.tolist())
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


def _check_labels(tree: Tree) -> None:
    if tree.label is None:
        return
    size = tree.feature.size
    good = tree.label.size == size and (tree.label >= 0).all()
    good = good and (tree.label < tree.classes.size).all()
    _require(good, "label", f"{size} positions in 'classes'", tree.label.tolist())
