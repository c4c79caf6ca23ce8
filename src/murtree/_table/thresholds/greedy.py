"""Candidate thresholds from greedy trees, chosen by their gain on the targets.

If the candidates include the thresholds of scikit-learn's greedy tree, the optimal tree
is at least as good on the training data. Further candidates come from greedy trees that
fit its errors, and from the best thresholds of every column at each of its nodes. For
classes the result is computed from counts, so that it does not depend on the order of
the rows, and a weight of k equals k copies; for regression this holds up to rounding.
"""

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats
from murtree._table.thresholds.halving import halving_order

Boundary = tuple[int, int]  # column, and index of the distinct value just below
Ints = npt.NDArray[np.intp]

# Maximum of bins times classes of a column in the search for alternative splits. At the
# root nearly all columns stay below it, so that the best stump is found.
MOST_CELLS, MOST_ROOT_CELLS = 512, 1_000_000
# Maximum number of trees fitted to errors, and of rows times columns of all of them,
# which takes about a second.
MOST_ROUNDS, MOST_FITTED = 10, 3_000_000
TOGETHER = 1_000_000  # rows times columns that are processed at once
OTHERS = 8  # per possible node: more are no better than quantiles
LEAST_GAIN = 1e-9  # relative to the largest possible gain; less is rounding error


class Ranked(NamedTuple):
    """A table of ranks: each value as its index among the distinct ones."""

    ranks: npt.NDArray[np.float32]  # NaN where a value is missing
    weights: list[Floats]  # of each distinct value, by column


class Targets(NamedTuple):
    """Targets and weights for fitting a greedy tree."""

    outcomes: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    is_regression: bool


def ranked(table: Floats, distinct: list[Floats], weight: npt.NDArray[Any]) -> Ranked:
    """Replace values by their index among the distinct values of their column."""
    # Ranks give the same trees, and stay distinct when scikit-learn casts to float32.
    # Stored by column, which is the order of all later accesses.
    ranks = np.full(table.shape, np.nan, dtype=np.float32, order="F")
    weights = []
    for index, numbers in enumerate(distinct):
        values = table[:, index]
        known = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # NaN last
        ordered = values[known]
        found = np.zeros(known.size, dtype=np.intp)
        np.cumsum(ordered[1:] != ordered[:-1], out=found[1:])
        ranks[known, index] = found
        weights.append(_summed(found, weight[known], numbers.size))
    return Ranked(ranks, weights)


class Binned(NamedTuple):
    """Columns with the same number of bins of neighbouring values."""

    indices: list[int]
    edges: Ints  # boundaries between bins, by column
    bins: Ints  # bin of each row, by column
    is_known: npt.NDArray[np.bool_]  # whether the value is not missing, by row


class Rows(NamedTuple):
    """The rows at the nodes of one level."""

    is_inner: npt.NDArray[np.bool_]  # False for rows in leaves above
    nodes: Ints  # numbered from 0


class Useful(NamedTuple):
    """Boundaries with a large gain, the best first."""

    of_tree: list[Boundary]
    others: list[Boundary]


def useful_boundaries(table: Ranked, targets: Targets, depth: int) -> Useful:
    """Return the boundaries of the greedy tree, by level, and others by their gain.

    The others alternate between trees fitted to its errors and alternative splits.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.greedy import Ranked, Targets, useful_boundaries
    >>> ranks = np.array([[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]], dtype=np.float32).T
    >>> table = Ranked(ranks, [np.full(3, 2.0), np.full(2, 3.0)])
    >>> targets = Targets(np.array([0, 0, 1, 1, 1, 0]), np.ones(6), False)
    >>> useful_boundaries(table, targets, 2)
    Useful(of_tree=[(0, 0), (0, 1)], others=[(1, 0)])
    """
    model = _greedy_tree(table.ranks, targets, depth)
    of_tree = [
        boundary
        for nodes in _levels(model.tree_, table.ranks)
        for node in np.unique(nodes[nodes >= 0]).tolist()
        for boundary in _boundary_at(model.tree_, node, table)
    ]
    residual = _residual_boundaries(model, table, targets, depth)
    alternatives = _alternatives(model.tree_, table, targets)
    distinct = dict.fromkeys(of_tree)
    others = dict.fromkeys(
        b for b in in_turn(residual, *alternatives) if b not in distinct
    )
    return Useful([*distinct], [*others][: OTHERS * (2**depth - 1)])


def in_turn(*orders: Iterable[Boundary]) -> Iterator[Boundary]:
    """Yield the first of each order, then the second of each, and so on."""
    for turn in zip_longest(*orders):
        yield from (boundary for boundary in turn if boundary is not None)


def _by_gain(gains: dict[Boundary, float]) -> list[Boundary]:
    """Return boundaries by decreasing gain, rounded to be independent of row order."""
    return sorted(gains, key=lambda boundary: (-round(gains[boundary], 9), boundary))


def rounded(targets: Floats) -> Floats:
    """Round targets in [-1, 1] to 30 bits.

    Sums are then exact and independent of the order of the rows.
    """
    return np.round(targets * 2.0**30) / 2.0**30


def _boundary_at(tree: Any, node: int, table: Ranked) -> list[Boundary]:
    """Return the boundary of a test as a list, empty if it has none."""
    index, threshold = int(tree.feature[node]), tree.threshold[node]
    # A test for missing values has no threshold; float32 may round large ranks up.
    is_one = np.isfinite(threshold) and threshold < table.weights[index].size - 1
    return [(index, int(threshold))] if is_one else []


def _residual_boundaries(
    model: Any, table: Ranked, targets: Targets, depth: int
) -> list[Boundary]:
    """Return the boundaries of trees that are each fitted to the errors of the last.

    In classification, the weights of misclassified rows are doubled; in regression, the
    next tree fits the residuals. Large tables get few trees or none.
    """
    gains: dict[Boundary, float] = defaultdict(float)
    n_rounds = min(MOST_ROUNDS, MOST_FITTED // table.ranks.size)
    for _ in range(n_rounds):
        errors = _next_targets(model, table, targets)
        if errors is None:
            break
        targets = errors
        model = _greedy_tree(table.ranks, targets, depth)
        tree = model.tree_
        loss = tree.impurity * tree.weighted_n_node_samples
        for node in np.flatnonzero(tree.feature >= 0).tolist():
            below = loss[[tree.children_left[node], tree.children_right[node]]]
            for boundary in _boundary_at(tree, node, table):
                gains[boundary] += float((loss[node] - below.sum()) / loss[0])
    return _by_gain(gains)


def _next_targets(model: Any, table: Ranked, targets: Targets) -> Targets | None:
    """Return the targets of the next tree, or None if there are no errors left."""
    if targets.is_regression:
        errors = rounded(targets.outcomes - model.predict(table.ranks))
        return targets._replace(outcomes=errors) if np.abs(errors).max() > 0 else None
    # Classes with equal weight in a leaf all count as correct, whatever their order.
    shares = model.predict_proba(table.ranks)
    own = shares[np.arange(targets.outcomes.size), targets.outcomes]
    is_wrong = own < shares.max(axis=1)
    if not is_wrong.any():
        return None
    return targets._replace(weight=targets.weight * np.where(is_wrong, 2, 1))


def _alternatives(tree: Any, table: Ranked, targets: Targets) -> list[list[Boundary]]:
    """Return the best boundary of each column at each node, by purity and by errors."""
    gains: dict[str, dict[Boundary, float]] = {
        by: defaultdict(float) for by in ("purity", "errors")
    }
    for level, nodes in enumerate(_levels(tree, table.ranks)):
        used, numbers = np.unique(nodes, return_inverse=True)
        rows = Rows(nodes >= 0, numbers - (used[0] < 0))
        for some in _binned(table, targets, MOST_CELLS if level else MOST_ROOT_CELLS):
            for by, boundary, gain in _best_at(rows, some, targets):
                gains[by][boundary] += gain
    return [_by_gain(some) for some in gains.values()]


def _greedy_tree(ranks: npt.NDArray[np.float32], targets: Targets, depth: int) -> Any:
    # Imported here because it takes longer than the rest of murtree.
    from sklearn.tree import (  # noqa: PLC0415
        DecisionTreeClassifier,
        DecisionTreeRegressor,
    )

    kind = DecisionTreeRegressor if targets.is_regression else DecisionTreeClassifier
    model = kind(max_depth=depth, random_state=0)
    return model.fit(ranks, targets.outcomes, sample_weight=targets.weight)


def _levels(tree: Any, ranks: npt.NDArray[np.float32]) -> Iterator[Ints]:
    """Yield the node of each row at each level; -1 where it has reached a leaf."""
    every = np.arange(ranks.shape[0])
    nodes = np.zeros(ranks.shape[0], dtype=np.intp)
    while (is_inner := tree.feature[nodes] >= 0).any():
        yield np.where(is_inner, nodes, -1)
        values = ranks[every, tree.feature[nodes]]  # arbitrary at leaves
        is_left = values <= tree.threshold[nodes]
        is_left |= np.isnan(values) & (tree.missing_go_to_left[nodes] > 0)
        below = np.where(is_left, tree.children_left[nodes], tree.children_right[nodes])
        nodes = np.where(is_inner, below, nodes)


def _binned(table: Ranked, targets: Targets, most_cells: int) -> Iterator[Binned]:
    """Yield columns divided into bins, whose edges are the boundaries to evaluate.

    Columns with equally many values, such as columns of 0 and 1, are grouped.
    """
    most = max(most_cells // _n_parts(targets), 16) - 1
    n_edges = np.array([weights.size - 1 for weights in table.weights])
    is_plain = ~np.isnan(table.ranks).any(axis=0) & (n_edges <= most)
    n_rows = table.ranks.shape[0]
    every, step = np.ones(n_rows, dtype=np.bool_), max(TOGETHER // n_rows, 1)
    for number in np.unique(n_edges[is_plain & (n_edges > 0)]).tolist():
        alike = np.flatnonzero(is_plain & (n_edges == number))
        for start in range(0, alike.size, step):
            indices = alike[start : start + step]
            bins = table.ranks[:, indices].T.astype(np.intp)
            edges = np.broadcast_to(np.arange(number), (indices.size, number))
            yield Binned(indices.tolist(), edges, bins, every)
    for index in np.flatnonzero(~is_plain & (n_edges > 0)).tolist():
        yield _binned_alone(index, table.ranks[:, index], table.weights[index], most)


def _binned_alone(
    index: int, ranks: npt.NDArray[np.float32], weights: Floats, most: int
) -> Binned:
    """Return a single column in bins, with missing values or too many boundaries."""
    n_edges = weights.size - 1
    if n_edges <= most:
        edges = np.arange(n_edges)
    else:
        edges = np.sort(halving_order(weights, most))
    is_known = ~np.isnan(ranks)
    rows = np.where(is_known, ranks, 0.0).astype(np.intp)
    bins = np.searchsorted(edges, np.arange(weights.size))  # bin of each distinct value
    of_rows = bins.take(rows, mode="clip")
    return Binned([index], edges[np.newaxis], of_rows[np.newaxis], is_known)


def _n_parts(targets: Targets) -> int:
    return 1 if targets.is_regression else int(targets.outcomes.max()) + 1


def _best_at(
    rows: Rows, columns: Binned, targets: Targets
) -> Iterator[tuple[str, Boundary, float]]:
    """Yield the best boundary of each column at each node, and its gain.

    Gains are decreases in Gini impurity or squared error ("purity") and, for classes,
    in the number of errors, with ties broken by purity.
    """
    used = np.flatnonzero(rows.is_inner & columns.is_known)
    if not used.size:
        return
    n_columns, n_edges = columns.edges.shape
    shape = (n_columns, int(rows.nodes.max()) + 1, n_edges + 1)
    nodes = np.arange(n_columns)[:, np.newaxis] * shape[1] + rows.nodes[used]
    cells = nodes * shape[2] + columns.bins[:, used]
    total, parts = _sums(cells, shape, used, targets)
    n_left, left = np.cumsum(total, axis=-1), np.cumsum(parts, axis=-1)
    n_right, right = n_left[..., -1:] - n_left, left[..., -1:] - left
    squares = _squares(left, n_left)
    purity = squares + _squares(right, n_right) - squares[..., -1:]
    gains = {"purity": purity}
    if not targets.is_regression:
        most = left.max(axis=0)
        correct = most + right.max(axis=0) - most[..., -1:]
        gains["errors"] = correct + LEAST_GAIN * purity
    is_split = (n_left > 0) & (n_right > 0)
    least = 2 * LEAST_GAIN * n_left[..., -1]
    for by, of_all in gains.items():
        gain = np.where(is_split, of_all, 0.0)[..., :-1]
        best, most = gain.argmax(axis=-1), gain.max(axis=-1)
        for column, node in np.argwhere(most > least).tolist():
            edge = int(columns.edges[column, best[column, node]])
            yield by, (columns.indices[column], edge), float(most[column, node])


def _sums(
    cells: Ints, shape: tuple[int, ...], rows: Ints, targets: Targets
) -> tuple[Floats, Floats]:
    """Return the weight of each cell, and its class weights or weighted sum of targets.

    `cells` has the cell of each row, by column.
    """
    weight = np.asarray(targets.weight, dtype=np.float64)[rows]
    outcomes = targets.outcomes[rows]
    size = math.prod(shape)
    if targets.is_regression:
        total = _summed(cells, weight, size)
        sums = _summed(cells, weight * outcomes, size)
        return total.reshape(shape), sums.reshape(1, *shape)
    n_classes = _n_parts(targets)
    counts = _summed(outcomes * size + cells, weight, size * n_classes)
    parts = counts.reshape(n_classes, *shape)
    return parts.sum(axis=0), parts


def _summed(cells: Ints, weight: npt.NDArray[Any], size: int) -> Floats:
    """Return the sum of the weights in each cell, for one or more columns of cells."""
    weights = np.broadcast_to(weight, cells.shape).ravel()
    return np.bincount(cells.ravel(), weights, size).astype(np.float64)


def _squares(parts: Floats, total: Floats) -> Floats:
    """Return the sum of squares over the weight, which increases with purity."""
    squares: Floats = (parts**2).sum(axis=0)
    return np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
