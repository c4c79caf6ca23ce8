"""Conversion of trees to scikit-learn's decision trees.

scikit-learn only supports thresholds, so a test of an interval or of categories becomes
several nodes, with copies of the subtrees below. It casts data to float32, so
thresholds must separate the values after this cast.
"""

import math
import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column
from murtree._table.float32 import Floats, as_float32, float32_limit
from murtree._table.predicate_text import Words
from murtree._table.predicates import Predicate
from murtree._tree.impurity import gini, shares_of, spread
from murtree._tree.layout import NO_CHILD, NO_FEATURE, NO_THRESHOLD
from murtree._tree.nodes import children_of, depths

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


# Weight of a copy that no row reaches: tiny but positive, because SHAP divides by node
# weights.
_TINY_SHARE = 2.0**-70
_TIMES = ("datetime", "duration", "time")  # their thresholds often equal a value
_NO_VALUES = np.empty(0)
_LARGEST = float(np.finfo(np.float32).max)


class Pieces(NamedTuple):
    """The codes of a column divided into pieces on which a test is constant."""

    bounds: list[float]  # piece i holds codes above bound i - 1 and up to bound i
    answers: list[bool]
    shares: list[float]  # share of the rows with this answer


def pieces_of(predicate: Predicate, column: Column) -> Pieces:
    """Divide the codes of a column where the result of a test changes."""
    if predicate.members is None:
        bounds = [predicate.lower, predicate.threshold]
        if predicate.lower == -math.inf:
            return Pieces(bounds[1:], [True, False], [1.0, 1.0])
        return Pieces(bounds, [False, True, False], [0.5, 1.0, 0.5])
    chosen = set(predicate.members)
    # The first code is no category: missing values go there if all are members.
    answers = [False] + [code in chosen for code in range(len(column.categories))]
    starts = [0] + [
        code for code, (a, b) in enumerate(pairwise(answers), start=1) if a != b
    ]
    kept = [answers[start] for start in starts]
    sizes = [b - a for a, b in pairwise([*starts, len(answers)])]
    sizes[0] -= 1  # no row has this code
    totals = {
        answer: sum(s for s, a in zip(sizes, kept, strict=True) if a is answer)
        for answer in (False, True)
    }
    # If all categories are members, no row is in the other piece.
    shares = [
        max(size / totals[answer], _TINY_SHARE) if totals[answer] else 1.0
        for size, answer in zip(sizes, kept, strict=True)
    ]
    return Pieces([start - 1.5 for start in starts[1:]], kept, shares)


@dataclass
class _Node:
    """A node of scikit-learn's tree."""

    source: int  # the original node; -1 in the middle of a test
    share: float  # share of that node's rows
    left: int = NO_CHILD
    right: int = NO_CHILD
    feature: int = NO_FEATURE
    threshold: float = NO_THRESHOLD
    missing_left: bool = False


class _Expanded:
    """The nodes of scikit-learn's tree, parents before their children."""

    def __init__(self, tree: "Tree", values: Sequence[Floats]) -> None:
        self._tree = tree
        self._values = values  # values of each column that must stay on their side
        self.blurred: dict[int, float] = {}  # by column, a limit where some do not
        self._nodes: list[_Node] = []
        self._grow(0, 1.0)
        self.left, self.right = self.column("left"), self.column("right")
        self.source = self.column("source")

    def column(self, name: str) -> npt.NDArray[Any]:
        """Return a field of all nodes."""
        return np.array([getattr(node, name) for node in self._nodes])

    def _add(self, source: int, share: float) -> int:
        self._nodes.append(_Node(source, share))
        return len(self._nodes) - 1

    def _grow(self, node: int, share: float) -> int:
        if self._tree.feature[node] < 0:
            return self._add(node, share)
        test = self._tree.predicate(node)
        cut = pieces_of(test, self._tree.known_columns[test.column])
        here = self._split(node, test, cut, share)
        self._nodes[here].source = node
        return here

    def _split(self, node: int, test: Predicate, cut: Pieces, share: float) -> int:
        """Bisect the pieces down to single ones, which lead to the node's children."""
        if not cut.bounds:
            left, right = children_of(self._tree, node)
            child = left if cut.answers[0] else right
            return self._grow(child, share * cut.shares[0])
        here = self._add(-1, share)
        made = self._nodes[here]
        half = len(cut.bounds) // 2
        lower, upper = _halves(cut, half)
        made.feature = test.column
        made.threshold = self._limit(test.column, cut.bounds[half])
        # Missing values go to a piece with the same answer.
        made.missing_left = bool(test.missing) in lower.answers
        made.left = self._split(node, test, lower, share)
        made.right = self._split(node, test, upper, share)
        return here

    def _limit(self, index: int, bound: float) -> float:
        is_time = self._tree.known_columns[index].kind in _TIMES
        limit = float32_limit(bound, self._values[index], is_value=is_time)
        if not limit.is_sharp:
            self.blurred.setdefault(index, bound)
        return limit.value


def _halves(cut: Pieces, half: int) -> tuple[Pieces, Pieces]:
    end = half + 1
    return (
        Pieces(cut.bounds[:half], cut.answers[:end], cut.shares[:end]),
        Pieces(cut.bounds[end:], cut.answers[end:], cut.shares[end:]),
    )


def to_sklearn(
    tree: "Tree",
    codes: npt.NDArray[Any] | None = None,
    sample_weight: Any = None,
    ties: Sequence[Floats] | None = None,
) -> Any:
    """Return a fitted scikit-learn tree; see `Tree.to_sklearn`.

    With `codes`, node weights are computed from these rows. `ties` are further values
    of each column that must stay on their side of thresholds.
    """
    # Imported here because it is slow and rarely needed.
    from sklearn.tree import (  # noqa: PLC0415
        DecisionTreeClassifier,
        DecisionTreeRegressor,
    )

    from murtree._input.arrays import check_sample_weight  # noqa: PLC0415

    if codes is None and sample_weight is not None:
        raise ValueError(
            "The 'sample_weight' parameter of to_sklearn must be None without X."
        )
    values = [_NO_VALUES] * tree.n_features if ties is None else list(ties)
    if codes is not None:
        values = [np.append(*pair) for pair in zip(values, codes.T, strict=True)]
    nodes = _Expanded(tree, values)
    for index, limit in nodes.blurred.items():
        _warn_of_ties(tree.known_columns[index], limit)
    weight = _shared_weight(nodes, tree)
    count = np.rint(weight)
    if codes is not None:
        made = _made(tree, nodes, count, weight)
        heavy = check_sample_weight(sample_weight, codes.shape[0])
        count, weight = _recounted(made, codes, heavy, weight)
    is_regression = tree.classes is None
    model = DecisionTreeRegressor() if is_regression else DecisionTreeClassifier()
    model.tree_ = _made(tree, nodes, count, weight)
    model.n_features_in_ = model.max_features_ = tree.n_features
    model.n_outputs_ = 1
    if all(column.is_named for column in tree.known_columns):
        names = [column.name for column in tree.known_columns]
        model.feature_names_in_ = np.array(names, dtype=object)
    if tree.classes is not None:
        model.classes_ = np.array(tree.classes)
        model.n_classes_ = tree.classes.size
    return model


def _warn_of_ties(column: Column, limit: float) -> None:
    test = Predicate(0, limit)
    what = f"on both sides of the test {Words([column], [test]).yes(test)!r}"
    message = (
        f"scikit-learn casts data to float32, where values {what} are equal: its tree "
        "cannot separate them, and some predictions differ."
    )
    if abs(limit) > _LARGEST:
        message = (
            "scikit-learn casts data to float32 and refuses values beyond 3.4e38, "
            f"which are {what}: its tree cannot predict them. Divide the column by a "
            "constant and fit again."
        )
    warnings.warn(message, UserWarning, stacklevel=4)


def _shared_weight(nodes: _Expanded, tree: "Tree") -> Floats:
    """Return node weights, dividing the weight of a node among its copies."""
    weight: Floats = np.asarray(tree.node_weight, dtype=np.float64)[nodes.source]
    weight *= nodes.column("share")
    for node in np.flatnonzero(nodes.source < 0)[::-1]:
        weight[node] = weight[nodes.left[node]] + weight[nodes.right[node]]
    return weight


def _recounted(
    made: Any, codes: npt.NDArray[Any], sample_weight: npt.NDArray[Any], shared: Floats
) -> tuple[Floats, Floats]:
    path = made.decision_path(as_float32(codes))
    count = np.asarray(path.sum(axis=0), dtype=np.float64).ravel()
    weight = np.asarray(path.T @ sample_weight, dtype=np.float64)
    return count, np.where(weight > 0.0, weight, shared * _TINY_SHARE)


def _filled(tree: "Tree", nodes: _Expanded, weight: Floats) -> tuple[Floats, Floats]:
    """Return values and impurities; smoothing does not affect impurities."""
    is_regression = tree.classes is None
    own = _averaged(
        tree.value if is_regression else shares_of(tree.value), nodes, weight
    )
    value = _averaged(tree.estimates, nodes, weight)
    if not is_regression:
        return _with_labels(tree, nodes, value), gini(own)
    with np.errstate(over="ignore", invalid="ignore"):  # for huge values
        return value, spread(nodes.left, nodes.right, own[:, 0], weight)


def _averaged(own: npt.NDArray[Any], nodes: _Expanded, weight: Floats) -> Floats:
    """Return a value for each node; nodes within a test average their children."""
    value: Floats = own[nodes.source].astype(np.float64)
    for node in np.flatnonzero(nodes.source < 0)[::-1]:
        a, b = nodes.left[node], nodes.right[node]
        part = weight[a] / (weight[a] + weight[b])
        value[node] = part * value[a] + (1.0 - part) * value[b]
    return value


def _with_labels(tree: "Tree", nodes: _Expanded, value: Floats) -> Floats:
    """Return values with share 1 for leaf labels that do not have the largest."""
    labels = tree.labels[nodes.source]
    other = (nodes.left < 0) & (np.argmax(value, axis=1) != labels)
    value[other] = np.eye(value.shape[1])[labels[other]]
    return value


def _made(tree: "Tree", nodes: _Expanded, count: Floats, weight: Floats) -> Any:
    """Return the nodes in the layout of the installed scikit-learn."""
    from sklearn.tree import _tree as theirs  # noqa: PLC0415

    value, impurity = _filled(tree, nodes, weight)
    table = np.zeros(weight.size, dtype=theirs.NODE_DTYPE)
    table["left_child"] = nodes.left
    table["right_child"] = nodes.right
    table["feature"] = nodes.column("feature")
    table["threshold"] = nodes.column("threshold")
    table["missing_go_to_left"] = nodes.column("missing_left")
    table["impurity"] = impurity
    table["n_node_samples"] = count.astype(np.int64)
    table["weighted_n_node_samples"] = weight
    n_classes = np.array([value.shape[1]], dtype=np.intp)
    made = theirs.Tree(tree.n_features, n_classes, 1)
    made.__setstate__(
        {
            "max_depth": int(depths(nodes.left, nodes.right).max()),
            "node_count": table.size,
            "nodes": table,
            "values": np.ascontiguousarray(value[:, np.newaxis, :]),
        }
    )
    return made
