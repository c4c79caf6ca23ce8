"""Node impurities and feature importances.

As in scikit-learn, impurity is the Gini impurity for classes and the variance for
targets. A tree stores the mean of each node but not its variance. The variance of the
leaf means below a node is known, and it suffices for importances.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


Floats = npt.NDArray[np.float64]


def shares_of(value: npt.NDArray[Any]) -> Floats:
    """Return the class weights of each node as shares of their sum."""
    return np.asarray(value / value.sum(axis=1, keepdims=True), dtype=np.float64)


def gini(shares: Floats) -> Floats:
    """Return the Gini impurity of class shares, one row per node."""
    return np.asarray(1.0 - np.square(shares).sum(axis=1))


def spread(
    left: Sequence[int] | npt.NDArray[Any],
    right: Sequence[int] | npt.NDArray[Any],
    mean: Floats,
    weight: Floats,
) -> Floats:
    """Return the variance of the leaf means below each node; 0 for leaves.

    Children have larger indices than their parents; -1 means no child.
    """
    impurity = np.zeros(mean.size)
    for node in range(mean.size - 1, -1, -1):
        a, b = left[node], right[node]
        if a < 0:
            continue
        total = weight[a] + weight[b]
        between = (weight[a] / total) * (weight[b] / total) * (mean[a] - mean[b]) ** 2
        within = (weight[a] * impurity[a] + weight[b] * impurity[b]) / total
        impurity[node] = within + between
    return impurity


def importances(tree: "Tree") -> Floats:
    """Return the impurity decrease due to each column, normalized to sum to one."""
    weight = np.asarray(tree.node_weight, dtype=np.float64)
    left, right = tree.children_left, tree.children_right
    if tree.classes is None:
        scale = np.abs(tree.value).max() or 1.0  # so that squares do not overflow
        impurity = spread(left, right, tree.value[:, 0] / scale, weight)
    else:
        impurity = gini(shares_of(tree.value))
    mass = weight * impurity
    inner = np.flatnonzero(tree.feature >= 0)
    gain = mass[inner] - mass[left[inner]] - mass[right[inner]]
    totals = np.bincount(tree.feature[inner], gain, minlength=tree.n_features)
    whole = totals.sum()
    return np.asarray(totals / whole if whole > 0.0 else totals, dtype=np.float64)
