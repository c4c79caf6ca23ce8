"""Candidate thresholds from greedy trees, chosen by their gain on the targets.

If the candidates include the thresholds of scikit-learn's greedy tree, the optimal tree
is at least as good on the training data. Further candidates come from greedy trees that
fit its errors, and from the best thresholds of every column at each of its nodes. For
classes the result is computed from counts, so that it does not depend on the order of
the rows, and a weight of k equals k copies; for regression this holds up to rounding.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from itertools import zip_longest
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.thresholds.between import Floats
from murtree._table.thresholds.halving import halving_order
from murtree._table.thresholds.ranks import MISSING, Ranked, Ranks
from murtree._table.thresholds.stump import (
    LEAST_GAIN,
    GreedyTree,
    Targets,
    n_parts,
    stump_of,
    sum_of_squares,
    weight_sums,
)

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


class Binned(NamedTuple):
    """Columns with the same number of bins of neighbouring values."""

    indices: list[int]
    edges: Ints  # boundaries between bins, by column
    bins: Ints  # bin of each row, by column
    is_known: npt.NDArray[np.bool_] | None  # by row; None: no values are missing


class Rows(NamedTuple):
    """The rows at the nodes of one level."""

    nodes: Ints  # numbered from 0; -1 for rows in leaves above
    n_nodes: int


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
    >>> ranks = np.array([[0, 0, 1, 1, 2, 2], [0, 1, 0, 1, 0, 1]], dtype=np.int32).T
    >>> table = Ranked(ranks, [np.full(3, 2.0), np.full(2, 3.0)])
    >>> targets = Targets(np.array([0, 0, 1, 1, 1, 0]), np.ones(6), False)
    >>> useful_boundaries(table, targets, 2)
    Useful(of_tree=[(0, 0), (0, 1)], others=[(1, 0)])
    """
    tree = _greedy_tree(table, targets, depth)
    of_tree = [
        boundary
        for nodes in _inner_nodes(tree)
        for node in nodes
        for boundary in _boundary_at(tree, node, table)
    ]
    residual = _residual_boundaries(tree, table, targets, depth)
    alternatives = _alternatives(tree, table, targets)
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


def _boundary_at(tree: GreedyTree, node: int, table: Ranked) -> list[Boundary]:
    """Return the boundary of a test as a list, empty if it has none."""
    index, threshold = int(tree.feature[node]), tree.threshold[node]
    # A test for missing values has no threshold; float32 may round large ranks up.
    is_one = np.isfinite(threshold) and threshold < table.weights[index].size - 1
    return [(index, int(threshold))] if is_one else []


def _residual_boundaries(
    tree: GreedyTree, table: Ranked, targets: Targets, depth: int
) -> list[Boundary]:
    """Return the boundaries of trees that are each fitted to the errors of the last.

    In classification, the weights of misclassified rows are doubled; in regression, the
    next tree fits the residuals. Large tables get few trees or none.
    """
    gains: dict[Boundary, float] = defaultdict(float)
    n_rounds = min(MOST_ROUNDS, MOST_FITTED // table.ranks.size)
    for _ in range(n_rounds):
        errors = _next_targets(tree, table, targets)
        if errors is None:
            break
        targets = errors
        tree = _greedy_tree(table, targets, depth)
        for node in np.flatnonzero(tree.feature >= 0).tolist():
            for boundary in _boundary_at(tree, node, table):
                gains[boundary] += float(tree.gain[node])
    return _by_gain(gains)


def _next_targets(tree: GreedyTree, table: Ranked, targets: Targets) -> Targets | None:
    """Return the targets of the next tree, or None if there are no errors left."""
    leaves = np.zeros(table.ranks.shape[0], dtype=np.intp)
    for inner in _inner_nodes(tree):
        leaves = _below(tree, inner, table.ranks, leaves)
    if targets.is_regression:
        errors = rounded(targets.outcomes - tree.value[leaves, 0])
        return targets._replace(outcomes=errors) if np.abs(errors).max() > 0 else None
    # Classes with equal weight in a leaf all count as correct, whatever their order.
    is_right = tree.value == tree.value.max(axis=1, keepdims=True)
    is_wrong = ~is_right[leaves, targets.outcomes]
    if not is_wrong.any():
        return None
    return targets._replace(weight=targets.weight * np.where(is_wrong, 2, 1))


def _alternatives(
    tree: GreedyTree, table: Ranked, targets: Targets
) -> list[list[Boundary]]:
    """Return the best boundary of each column at each node, by purity and by errors."""
    gains: dict[str, dict[Boundary, float]] = {
        by: defaultdict(float) for by in ("purity", "errors")
    }
    nodes = np.zeros(table.ranks.shape[0], dtype=np.intp)
    for level, inner in enumerate(levels := [*_inner_nodes(tree)]):
        if level:
            nodes = _below(tree, levels[level - 1], table.ranks, nodes)
        number_of = np.full(tree.feature.size, -1)
        number_of[inner] = np.arange(len(inner))
        rows = Rows(number_of[nodes], len(inner))
        for some in _binned(table, targets, MOST_CELLS if level else MOST_ROOT_CELLS):
            for by, boundary, gain in _best_at(rows, some, targets):
                gains[by][boundary] += gain
    return [_by_gain(some) for some in gains.values()]


def _greedy_tree(table: Ranked, targets: Targets, depth: int) -> GreedyTree:
    """Return the tree that scikit-learn would fit to the ranks."""
    stump = stump_of(table, targets) if depth == 1 else None
    return stump or _fitted_tree(table.ranks, targets, depth)


def _fitted_tree(ranks: Ranks, targets: Targets, depth: int) -> GreedyTree:
    # Imported here because it takes longer than the rest of murtree.
    from sklearn.tree import (  # noqa: PLC0415
        DecisionTreeClassifier,
        DecisionTreeRegressor,
    )

    kind = DecisionTreeRegressor if targets.is_regression else DecisionTreeClassifier
    model = kind(max_depth=depth, random_state=0)
    # Ranks give the same trees as values, and stay distinct in float32.
    table = ranks.astype(np.float32)
    table[ranks == MISSING] = np.nan
    tree = model.fit(table, targets.outcomes, sample_weight=targets.weight).tree_
    loss = tree.impurity * tree.weighted_n_node_samples
    below = loss[tree.children_left] + loss[tree.children_right]  # arbitrary at leaves
    return GreedyTree(
        tree.feature,
        tree.threshold,
        tree.children_left,
        tree.children_right,
        tree.missing_go_to_left > 0,
        (loss - below) / (loss[0] or 1.0),
        tree.value[:, 0],
    )


def _inner_nodes(tree: GreedyTree) -> Iterator[list[int]]:
    """Yield the inner nodes of each level, from left to right."""
    level = [0]
    while inner := [node for node in level if tree.feature[node] >= 0]:
        yield inner
        level = [side[node] for node in inner for side in (tree.left, tree.right)]


def _below(tree: GreedyTree, inner: list[int], ranks: Ranks, nodes: Ints) -> Ints:
    """Return the node of each row one level below some inner nodes."""
    below = nodes.copy()
    for node in inner:
        rows = np.flatnonzero(nodes == node)
        values = ranks[rows, tree.feature[node]]
        is_left = values <= tree.threshold[node]
        is_left[values == MISSING] = tree.missing_goes_left[node]
        below[rows] = np.where(is_left, tree.left[node], tree.right[node])
    return below


def _binned(table: Ranked, targets: Targets, most_cells: int) -> Iterator[Binned]:
    """Yield columns divided into bins, whose edges are the boundaries to evaluate.

    Columns with equally many values, such as columns of 0 and 1, are grouped.
    """
    most = max(most_cells // n_parts(targets), 16) - 1
    n_edges = np.array([weights.size - 1 for weights in table.weights])
    is_plain = (table.ranks.min(axis=0) > MISSING) & (n_edges <= most)
    n_rows = table.ranks.shape[0]
    step = max(TOGETHER // n_rows, 1)
    for number in np.unique(n_edges[is_plain & (n_edges > 0)]).tolist():
        alike = np.flatnonzero(is_plain & (n_edges == number))
        for start in range(0, alike.size, step):
            indices = alike[start : start + step]
            bins = table.ranks[:, indices].T.astype(np.intp)
            edges = np.broadcast_to(np.arange(number), (indices.size, number))
            yield Binned(indices.tolist(), edges, bins, None)
    for index in np.flatnonzero(~is_plain & (n_edges > 0)).tolist():
        yield _binned_alone(index, table.ranks[:, index], table.weights[index], most)


def _binned_alone(index: int, ranks: Ranks, weights: Floats, most: int) -> Binned:
    """Return a single column in bins, with missing values or too many boundaries."""
    n_edges = weights.size - 1
    if n_edges <= most:
        edges = np.arange(n_edges)
    else:
        edges = np.sort(halving_order(weights, most))
    bins = np.searchsorted(edges, np.arange(weights.size))  # bin of each distinct value
    of_rows = bins.take(ranks, mode="clip")
    return Binned([index], edges[np.newaxis], of_rows[np.newaxis], ranks != MISSING)


def _best_at(
    rows: Rows, columns: Binned, targets: Targets
) -> Iterator[tuple[str, Boundary, float]]:
    """Yield the best boundary of each column at each node, and its gain.

    Gains are decreases in Gini impurity or squared error ("purity") and, for classes,
    in the number of errors, with ties broken by purity.
    """
    used: Any = rows.nodes >= 0
    if columns.is_known is not None:
        used &= columns.is_known
    used = slice(None) if used.all() else np.flatnonzero(used)
    bins, nodes = columns.bins[:, used], rows.nodes[used]
    if not nodes.size:
        return
    n_columns, n_edges = columns.edges.shape
    shape = (n_columns, rows.n_nodes, n_edges + 1)
    cells = (np.arange(n_columns)[:, np.newaxis] * shape[1] + nodes) * shape[2] + bins
    total, parts = weight_sums(cells, shape, used, targets)
    n_left, left = np.cumsum(total, axis=-1), np.cumsum(parts, axis=-1)
    n_right, right = n_left[..., -1:] - n_left, left[..., -1:] - left
    squares = sum_of_squares(left, n_left)
    purity = squares + sum_of_squares(right, n_right) - squares[..., -1:]
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
