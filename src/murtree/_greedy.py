"""Thresholds of scikit-learn's greedy tree, so that few others cannot lose to it.

Among the columns of the search they make the greedy tree one of the trees that are
compared: the best one is then no worse on the training rows.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._between import Floats, between


def greedy_thresholds(
    table: Floats,
    outcomes: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    depth: int,
    is_regression: bool,
) -> list[Floats]:
    """Return the thresholds of each column that the greedy tree of a depth uses.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._greedy import greedy_thresholds
    >>> table = np.column_stack([np.arange(8.0), np.zeros(8)])
    >>> classes = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    >>> greedy_thresholds(table, classes, np.ones(8), 2, is_regression=False)
    [array([2.5]), array([], dtype=float64)]
    """
    # Imported here, because it takes longer than all of murtree.
    from sklearn.tree import (  # noqa: PLC0415
        DecisionTreeClassifier,
        DecisionTreeRegressor,
    )

    distinct = [np.unique(column[~np.isnan(column)]) for column in table.T]
    # Ranks give the same tree, and none is lost when scikit-learn rounds to float32.
    ranks = np.full(table.shape, np.nan, dtype=np.float32)
    for place, numbers in enumerate(distinct):
        known = ~np.isnan(table[:, place])
        ranks[known, place] = np.searchsorted(numbers, table[known, place])
    kind = DecisionTreeRegressor if is_regression else DecisionTreeClassifier
    model = kind(max_depth=depth, random_state=0)
    tree = model.fit(ranks, outcomes, sample_weight=weight).tree_
    found = []
    for place, numbers in enumerate(distinct):
        limits = tree.threshold[tree.feature == place]
        # A test for missing values alone has no threshold; float32 may round ranks up.
        after = np.floor(limits[np.isfinite(limits)]).astype(np.intp)
        after = np.unique(after[after <= numbers.size - 2])
        found.append(between(numbers[after], numbers[after + 1]))
    return found
