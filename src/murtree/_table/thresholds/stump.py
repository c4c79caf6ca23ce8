"""The greedy tree of depth one, computed from counts, without scikit-learn."""

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats
from murtree._table.thresholds.ranks import Ranked, sums_by_cell

Ints = npt.NDArray[np.intp]

LEAST_GAIN = 1e-9  # relative to the largest possible gain; less is rounding error
_MOST_EXACT = 2**22  # weight up to which sums of targets, of 30 bits, are exact


class Targets(NamedTuple):
    """Targets and weights for fitting a greedy tree."""

    outcomes: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    is_regression: bool


class GreedyTree(NamedTuple):
    """A greedy tree, as arrays in scikit-learn's layout."""

    feature: Ints  # negative at leaves
    threshold: Floats  # of ranks; infinite if only missing values go right
    left: Ints
    right: Ints
    missing_goes_left: npt.NDArray[np.bool_]
    gain: Floats  # of each test, relative to the loss of the root
    value: Floats  # by node: class weights or shares, or the mean target


def stump_of(table: Ranked, targets: Targets) -> GreedyTree | None:
    """Return scikit-learn's tree of depth one, from counts; None if it is not certain.

    scikit-learn takes the best split of all columns, by the same sum of squares, with
    missing values on either side or alone on the right. For whole weights the sums of
    both are exact, so the results differ only by the rounding of a few operations. If a
    split is better than all others by more than that, scikit-learn takes it too.
    Otherwise its choice depends on a random order of the columns.
    """
    weight = np.asarray(targets.weight, dtype=np.float64)
    n = float(weight.sum())
    is_exact = ((weight > 0) & (weight == np.floor(weight))).all()
    if not is_exact or (targets.is_regression and n > _MOST_EXACT):
        return None
    root = weight_sums(np.zeros(weight.size, dtype=np.intp), (1,), slice(None), targets)
    of_root = float(sum_of_squares(root[1], root[0])[0])
    splits = [
        split
        for index in range(len(table.weights))
        for split in _splits(table, index, targets)
    ]
    splits.sort(key=lambda split: -split.squares)
    others = [split.squares for split in splits[1:2]]
    second = max([of_root, *others, *(split.second for split in splits[:1])])
    if not splits or splits[0].squares - second <= LEAST_GAIN * n:
        return None
    best, before = splits[0], n
    if targets.is_regression:
        before = float((weight * targets.outcomes**2).sum())
    value = np.column_stack([root[1], best.left, root[1][:, 0] - best.left])
    if targets.is_regression:
        value = value / [root[0][0], best.n_left, n - best.n_left]
    return GreedyTree(
        feature=np.array([best.column, -2, -2]),
        threshold=np.array([best.threshold, -2.0, -2.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        missing_goes_left=np.array([best.missing_goes_left, False, False]),
        gain=np.array([(best.squares - of_root) / (before - of_root), 0.0, 0.0]),
        value=value.T,
    )


class _Split(NamedTuple):
    """The best split of a column at the root."""

    column: int
    threshold: float  # infinite: only missing values go right
    missing_goes_left: bool
    squares: float
    second: float  # the squares of the next best split
    n_left: float
    left: Floats


def _splits(table: Ranked, index: int, targets: Targets) -> Iterator[_Split]:
    """Yield the best split of a column, with missing values right and then left."""
    size = table.weights[index].size
    cells = table.ranks[:, index] + 1  # the first cell is for missing values
    total, parts = weight_sums(cells, (size + 1,), slice(None), targets)
    n_all, whole = total.sum(), parts.sum(axis=1, keepdims=True)
    for side in (False, True) if total[0] else (False,):
        n_left, left = np.cumsum(total[1:]), np.cumsum(parts[:, 1:], axis=1)
        if side:
            n_left, left = n_left + total[0], left + parts[:, :1]
        squares = sum_of_squares(left, n_left) + sum_of_squares(
            whole - left, n_all - n_left
        )
        squares[n_left == n_all] = -math.inf  # no split
        best = int(squares.argmax()) if size else 0
        if not size or squares[best] == -math.inf:
            continue
        most, squares[best] = float(squares[best]), -math.inf
        yield _Split(
            index,
            math.inf if best == size - 1 else best + 0.5,
            side,
            most,
            float(squares.max()),
            float(n_left[best]),
            left[:, best],
        )


def n_parts(targets: Targets) -> int:
    """Return the number of classes; 1 for targets."""
    return 1 if targets.is_regression else int(targets.outcomes.max()) + 1


def weight_sums(
    cells: npt.NDArray[Any], shape: tuple[int, ...], rows: Any, targets: Targets
) -> tuple[Floats, Floats]:
    """Return the weight of each cell, and its class weights or weighted sum of targets.

    `cells` has the cell of each row, by column.
    """
    weight = np.asarray(targets.weight, dtype=np.float64)[rows]
    outcomes = targets.outcomes[rows]
    size = math.prod(shape)
    if targets.is_regression:
        total = sums_by_cell(cells, weight, size)
        sums = sums_by_cell(cells, weight * outcomes, size)
        return total.reshape(shape), sums.reshape(1, *shape)
    n_classes = n_parts(targets)
    counts = sums_by_cell(outcomes * size + cells, weight, size * n_classes)
    parts = counts.reshape(n_classes, *shape)
    return parts.sum(axis=0), parts


def sum_of_squares(parts: Floats, total: Floats) -> Floats:
    """Return the sum of squares over the weight, which increases with purity."""
    squares: Floats = (parts**2).sum(axis=0)
    return np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
