"""How mixed the nodes of a tree are, and how much each column unmixes them.

As scikit-learn defines it: Gini impurity for classes, variance for targets. A tree
keeps the mean of each node but not its variance; what the means below a node add to it
is known, and that is all that importances need.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


Floats = npt.NDArray[np.float64]


def shares_of(value: npt.NDArray[Any]) -> Floats:
    """Return class weights as shares of each node."""
    return np.asarray(value / value.sum(axis=1, keepdims=True), dtype=np.float64)


def gini(shares: Floats) -> Floats:
    """Return the Gini impurity of shares of classes, one row a node."""
    return np.asarray(1.0 - np.square(shares).sum(axis=1))


def spread(
    left: Sequence[int] | npt.NDArray[Any],
    right: Sequence[int] | npt.NDArray[Any],
    mean: Floats,
    weight: Floats,
) -> Floats:
    """Return the variance of the leaf means below each node; leaves have none.

    Children stand behind their parents; -1 for none.
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
    """Return how much each column lessens impurity, as shares that sum to one."""
    weight = np.asarray(tree.node_weight, dtype=np.float64)
    left, right = tree.children_left, tree.children_right
    if tree.classes is None:
        scale = np.abs(tree.value).max() or 1.0  # so that no square is too large
        impurity = spread(left, right, tree.value[:, 0] / scale, weight)
    else:
        impurity = gini(shares_of(tree.value))
    mass = weight * impurity
    inner = np.flatnonzero(tree.feature >= 0)
    gain = mass[inner] - mass[left[inner]] - mass[right[inner]]
    totals = np.bincount(tree.feature[inner], gain, minlength=tree.n_features)
    whole = totals.sum()
    return np.asarray(totals / whole if whole > 0.0 else totals, dtype=np.float64)
