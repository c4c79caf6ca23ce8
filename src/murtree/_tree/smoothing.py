"""Estimates of nodes, moved towards those of all training rows.

With few rows in a leaf, shares and means are unreliable: two of two rows do not mean a
probability of one. "laplace" is the rule of succession of Laplace (Essai philosophique
sur les probabilités, 1814): one row more of each class. A number is the m of the
m-estimate of Cestnik (Estimating probabilities: a crucial task in machine learning,
ECAI 1990): as many rows more with the shares, or the mean, of all training rows.
"""

from typing import TYPE_CHECKING

import numpy as np

from murtree._tree.impurity import Floats, shares_of

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


LAPLACE = "laplace"


def estimates(tree: "Tree") -> Floats:
    """Return class probabilities, or the value in regression, of each node."""
    own = tree.value if tree.classes is None else shares_of(tree.value)
    if not tree.smoothing:
        return own
    prior, extra = own[0], tree.smoothing
    if extra == LAPLACE:
        n_classes = own.shape[1]
        prior, extra = np.full(n_classes, 1.0 / n_classes), n_classes
    weight = np.asarray(tree.node_weight, dtype=np.float64)[:, np.newaxis]
    total = weight + float(extra)
    mixed = weight / total * own + float(extra) / total * prior
    return np.where(own == prior, own, mixed)  # without an error of rounding


def squared_shrinkage(tree: "Tree") -> float:
    """Return the mean squared error that smoothing adds on the training rows."""
    leaves = tree.feature < 0
    moved = tree.estimates[leaves, 0] - tree.value[leaves, 0]
    return float(np.average(np.square(moved), weights=tree.node_weight[leaves]))
