"""Errors of trees: on rows with labels, and for display."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import check_sample_weight
from murtree._tree.smoothing import squared_shrinkage
from murtree._tree.tree import Tree

Floats = npt.NDArray[np.float64]

LOSSES: dict[str, Any] = {  # per row
    "misclassified": np.not_equal,
    "squared_error": lambda a, b: (a - b) ** 2,
    "absolute_error": lambda a, b: abs(a - b),
}
NAMES = {  # of the mean loss
    "misclassified": "misclassified share",
    "squared_error": "mean squared error",
    "absolute_error": "mean absolute error",
}
EXPECTED = {  # how to read the errors of a tree with a teacher, by loss
    "misclassified": "Errors and counts of classes are expected ones, by the class "
    "probabilities of a random forest.",
    "squared_error": "Training errors are those to the predictions of a random forest.",
}
# For display: the root of the mean squared error has the unit of the target.
SHOWN_NAMES = NAMES | {"squared_error": "root mean squared error"}


def shown_error(error: float | None, loss: str) -> float | None:
    """Return a mean error for display, in the unit of the target."""
    is_squared = loss == "squared_error" and error is not None
    return math.sqrt(max(error, 0.0)) if is_squared and error is not None else error


def r_squared(error: float | None, spread: float | None) -> float | None:
    """Return the fraction of the variance that trees with this error explain."""
    if error is None or not spread:
        return None
    return 1.0 - error / spread


def training_spread(tree: Tree, error: float | None) -> float | None:
    """Return the variance of the training targets, computed from a tree of means.

    It is the variance within leaves, which is the mean squared `error` of the tree
    without what smoothing adds to it, plus the variance between leaves.
    """
    if error is None or tree.classes is not None:
        return None
    leaves = tree.feature < 0
    apart = (tree.value[leaves, 0] - tree.value[0, 0]) ** 2
    between = float(np.average(apart, weights=tree.node_weight[leaves]))
    return error - squared_shrinkage(tree) + between


def spread_of(y: Any, sample_weight: Any = None) -> float:
    """Return the variance of targets."""
    targets = np.asarray(y, dtype=np.float64)
    weight = check_sample_weight(sample_weight, targets.size)
    mean = np.average(targets, weights=weight)
    return float(np.average((targets - mean) ** 2, weights=weight))


def mean_losses(
    trees: Sequence[Tree], X: Any, y: Any, sample_weight: Any, loss: str
) -> Floats:
    """Return the mean loss of each tree on some rows; all trees have one table."""
    truth = np.asarray(y)
    codes = trees[-1].encode(X)  # the largest tree: warns about all tested columns
    if codes.shape[0] != truth.size:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"{[codes.shape[0], truth.size]}"
        )
    weight = check_sample_weight(sample_weight, truth.size)
    loss_of_rows = LOSSES[loss]
    return np.array(
        [
            np.average(loss_of_rows(tree._predict(codes), truth), weights=weight)
            for tree in trees
        ]
    )
