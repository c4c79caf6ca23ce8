"""How wrong trees are on rows, those of training or others, per unit of weight."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._errors import check_sample_weight
from murtree._objective import check_feature_costs
from murtree._tree import Tree

Floats = npt.NDArray[np.float64]

LOSSES: dict[str, Any] = {  # of one row
    "misclassified": np.not_equal,
    "squared_error": lambda a, b: (a - b) ** 2,
    "absolute_error": lambda a, b: abs(a - b),
}
NAMES = {  # of their mean
    "misclassified": "misclassified share",
    "squared_error": "mean squared error",
    "absolute_error": "mean absolute error",
}


def loss_of(tree: Tree, settings: dict[str, Any]) -> str:
    """Return how an estimator with these parameters measures the error of a row."""
    if tree.classes is not None:
        return "misclassified"
    return str(settings.get("objective", "squared_error"))


def mean_losses(
    trees: Sequence[Tree], X: Any, y: Any, sample_weight: Any, loss: str
) -> Floats:
    """Return the mean loss of each tree on some rows; all trees have one table."""
    truth = np.asarray(y)
    codes = trees[-1].encode(X)  # the largest: it warns of all columns that matter
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


def training_losses(
    trees: Sequence[Tree], objectives: Any, feature_costs: Any = None
) -> Floats:
    """Return the mean loss of each tree on the rows that it was fitted to.

    `objectives` are without a penalty for nodes; in classification trees know it all.
    """
    total = float(trees[0].node_weight[0])
    if trees[0].classes is not None:
        return np.array([tree.misclassified for tree in trees]) / total
    prices = prices_of_tests(trees, feature_costs)
    return np.asarray((np.asarray(objectives) - prices) / total)


def prices_of_tests(trees: Sequence[Tree], feature_costs: Any) -> Floats:
    """Return what the tests of each tree cost: part of its objective, but no error."""
    if feature_costs is None:
        return np.zeros(len(trees))
    names = [column.name for column in trees[0].known_columns]
    by_column = check_feature_costs(feature_costs, len(names), "the estimator", names)
    if by_column is None:
        return np.zeros(len(trees))
    return np.array(
        [by_column[tree.feature[tree.feature >= 0]].sum() for tree in trees]
    )
