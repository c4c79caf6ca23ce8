"""Thresholds that the outcomes speak for: those of a greedy tree, and its rivals.

With the thresholds of scikit-learn's greedy tree among the candidates that tree is one
of those that are compared, so the best one is no worse on the training rows. Others are
those of greedy trees that look at its errors, and the best thresholds of every column
at each of its nodes, by what they gain. Of classes all is computed from counts, so that
it depends on the rows as a set, not on their order, and a weight of k counts as k
copies; of targets that holds but for rounding.
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

Boundary = tuple[int, int]  # a column, and how many of its distinct values are below
Ints = npt.NDArray[np.intp]

# Bins times classes of a column among which rivals are looked for. At the root they
# are nearly always all, so that the best stump is found.
MOST_CELLS, MOST_ROOT_CELLS = 512, 1_000_000
# Trees that follow the greedy one, and rows times columns of all of them: a second.
MOST_ROUNDS, MOST_FITTED = 10, 3_000_000
TOGETHER = 1_000_000  # rows times columns that are dealt with at once
OTHERS = 8  # for each node that a tree may have: more are no better than quantiles
LEAST_GAIN = 1e-9  # of all that can be gained; what is less is but rounding


class Ranked(NamedTuple):
    """A table of which only the order within each column is known."""

    ranks: npt.NDArray[np.float32]  # NaN where a value is missing
    weights: list[Floats]  # of each distinct value, by column


class Targets(NamedTuple):
    """What a greedy tree predicts."""

    outcomes: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    is_regression: bool


def ranked(table: Floats, distinct: list[Floats], weight: npt.NDArray[Any]) -> Ranked:
    """Replace values by their place among the distinct ones of their column."""
    # Ranks give the same trees, and none is lost when scikit-learn rounds to float32.
    # By columns, as all that follows goes through it.
    ranks = np.full(table.shape, np.nan, dtype=np.float32, order="F")
    weights = []
    for place, numbers in enumerate(distinct):
        values = table[:, place]
        known = np.argsort(values)[: np.count_nonzero(~np.isnan(values))]  # NaN last
        ordered = values[known]
        found = np.zeros(known.size, dtype=np.intp)
        np.cumsum(ordered[1:] != ordered[:-1], out=found[1:])
        ranks[known, place] = found
        weights.append(_summed(found, weight[known], numbers.size))
    return Ranked(ranks, weights)


class Binned(NamedTuple):
    """Columns by bins of neighbouring values; all have as many, in the same rows."""

    places: list[int]
    edges: Ints  # the boundaries between them, by column
    bins: Ints  # of each row, by column
    is_known: npt.NDArray[np.bool_]  # by row


class Rows(NamedTuple):
    """The rows at the nodes of one level."""

    is_inner: npt.NDArray[np.bool_]  # others have reached a leaf above
    nodes: Ints  # numbered from 0


class Useful(NamedTuple):
    """Boundaries that the outcomes speak for, the best first."""

    of_tree: list[Boundary]
    others: list[Boundary]


def useful_boundaries(table: Ranked, targets: Targets, depth: int) -> Useful:
    """Return the boundaries of the greedy tree, by level, and others by their gain.

    The others are in turn those of trees that follow it and of its rivals.

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
    followers = _followers(model, table, targets, depth)
    rivals = _rivals(model.tree_, table, targets)
    distinct = dict.fromkeys(of_tree)
    others = dict.fromkeys(b for b in in_turn(followers, *rivals) if b not in distinct)
    return Useful([*distinct], [*others][: OTHERS * (2**depth - 1)])


def in_turn(*orders: Iterable[Boundary]) -> Iterator[Boundary]:
    """Yield the first of each order, then the second of each, and so on."""
    for turn in zip_longest(*orders):
        yield from (boundary for boundary in turn if boundary is not None)


def _by_gain(gains: dict[Boundary, float]) -> list[Boundary]:
    """Return the greatest gain first; sums of squares depend on the order of rows."""
    return sorted(gains, key=lambda boundary: (-round(gains[boundary], 9), boundary))


def rounded(targets: Floats) -> Floats:
    """Return targets within -1 to 1 in 30 bits, so that sums of them are exact.

    Then they do not depend on the order of the rows.
    """
    return np.round(targets * 2.0**30) / 2.0**30


def _boundary_at(tree: Any, node: int, table: Ranked) -> list[Boundary]:
    """Return the boundary of a test, if it has one."""
    place, threshold = int(tree.feature[node]), tree.threshold[node]
    # A test for missing values alone has no threshold; float32 may round ranks up.
    is_one = np.isfinite(threshold) and threshold < table.weights[place].size - 1
    return [(place, int(threshold))] if is_one else []


def _followers(
    model: Any, table: Ranked, targets: Targets, depth: int
) -> list[Boundary]:
    """Return the boundaries of trees each of which attends to the errors of the last.

    Misclassified rows weigh twice as much for the next tree; of targets the errors are
    fitted. On large tables there are few trees or none.
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
    """Return what the next tree is to fit, None if there is nothing left."""
    if targets.is_regression:
        errors = rounded(targets.outcomes - model.predict(table.ranks))
        return targets._replace(outcomes=errors) if np.abs(errors).max() > 0 else None
    # Of classes that are as heavy in a leaf each is right, whatever their order.
    shares = model.predict_proba(table.ranks)
    own = shares[np.arange(targets.outcomes.size), targets.outcomes]
    is_wrong = own < shares.max(axis=1)
    if not is_wrong.any():
        return None
    return targets._replace(weight=targets.weight * np.where(is_wrong, 2, 1))


def _rivals(tree: Any, table: Ranked, targets: Targets) -> list[list[Boundary]]:
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
    # Imported here, because it takes longer than all of murtree.
    from sklearn.tree import (  # noqa: PLC0415
        DecisionTreeClassifier,
        DecisionTreeRegressor,
    )

    kind = DecisionTreeRegressor if targets.is_regression else DecisionTreeClassifier
    model = kind(max_depth=depth, random_state=0)
    return model.fit(ranks, targets.outcomes, sample_weight=targets.weight)


def _levels(tree: Any, ranks: npt.NDArray[np.float32]) -> Iterator[Ints]:
    """Yield the node of each row, level by level; -1 where it has reached a leaf."""
    every = np.arange(ranks.shape[0])
    nodes = np.zeros(ranks.shape[0], dtype=np.intp)
    while (is_inner := tree.feature[nodes] >= 0).any():
        yield np.where(is_inner, nodes, -1)
        values = ranks[every, tree.feature[nodes]]  # at a leaf any
        is_left = values <= tree.threshold[nodes]
        is_left |= np.isnan(values) & (tree.missing_go_to_left[nodes] > 0)
        below = np.where(is_left, tree.children_left[nodes], tree.children_right[nodes])
        nodes = np.where(is_inner, below, nodes)


def _binned(table: Ranked, targets: Targets, most_cells: int) -> Iterator[Binned]:
    """Put columns into bins between which the best boundary is looked for.

    Many that are alike, such as columns of 0 and 1, are dealt with together.
    """
    most = max(most_cells // _n_parts(targets), 16) - 1
    n_edges = np.array([weights.size - 1 for weights in table.weights])
    is_plain = ~np.isnan(table.ranks).any(axis=0) & (n_edges <= most)
    n_rows = table.ranks.shape[0]
    every, step = np.ones(n_rows, dtype=np.bool_), max(TOGETHER // n_rows, 1)
    for number in np.unique(n_edges[is_plain & (n_edges > 0)]).tolist():
        alike = np.flatnonzero(is_plain & (n_edges == number))
        for start in range(0, alike.size, step):
            places = alike[start : start + step]
            bins = table.ranks[:, places].T.astype(np.intp)
            edges = np.broadcast_to(np.arange(number), (places.size, number))
            yield Binned(places.tolist(), edges, bins, every)
    for place in np.flatnonzero(~is_plain & (n_edges > 0)).tolist():
        yield _binned_alone(place, table.ranks[:, place], table.weights[place], most)


def _binned_alone(
    place: int, ranks: npt.NDArray[np.float32], weights: Floats, most: int
) -> Binned:
    """Put a column into bins, with missing values or more boundaries than wanted."""
    n_edges = weights.size - 1
    if n_edges <= most:
        edges = np.arange(n_edges)
    else:
        edges = np.sort(halving_order(weights, most))
    is_known = ~np.isnan(ranks)
    rows = np.where(is_known, ranks, 0.0).astype(np.intp)
    bins = np.searchsorted(edges, np.arange(weights.size))  # of each distinct value
    of_rows = bins.take(rows, mode="clip")
    return Binned([place], edges[np.newaxis], of_rows[np.newaxis], is_known)


def _n_parts(targets: Targets) -> int:
    return 1 if targets.is_regression else int(targets.outcomes.max()) + 1


def _best_at(
    rows: Rows, columns: Binned, targets: Targets
) -> Iterator[tuple[str, Boundary, float]]:
    """Yield the boundary of each column that gains most at each node, and its gain.

    By purity, the fall of the Gini impurity or of the squared error; and of classes by
    the fall of errors, where of equally good ones the purest counts.
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
        right_ones = most + right.max(axis=0) - most[..., -1:]
        gains["errors"] = right_ones + LEAST_GAIN * purity
    is_split = (n_left > 0) & (n_right > 0)
    least = 2 * LEAST_GAIN * n_left[..., -1]
    for by, of_all in gains.items():
        gain = np.where(is_split, of_all, 0.0)[..., :-1]
        best, most = gain.argmax(axis=-1), gain.max(axis=-1)
        for column, node in np.argwhere(most > least).tolist():
            edge = int(columns.edges[column, best[column, node]])
            yield by, (columns.places[column], edge), float(most[column, node])


def _sums(
    cells: Ints, shape: tuple[int, ...], rows: Ints, targets: Targets
) -> tuple[Floats, Floats]:
    """Return the weight of each cell, and by class or, of targets, its weighted sum.

    `cells` has those of the rows, by column.
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


def _summed(places: Ints, weight: npt.NDArray[Any], size: int) -> Floats:
    """Return the sum of the weights at each place, which has one or more columns."""
    weights = np.broadcast_to(weight, places.shape).ravel()
    return np.bincount(places.ravel(), weights, size).astype(np.float64)


def _squares(parts: Floats, total: Floats) -> Floats:
    """Return the sum of squares by weight, which is the larger the purer a part is."""
    squares: Floats = (parts**2).sum(axis=0)
    return np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
