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
Ranks = npt.NDArray[np.int32]

# Maximum of bins times classes of a column in the search for alternative splits. At the
# root nearly all columns stay below it, so that the best stump is found.
MOST_CELLS, MOST_ROOT_CELLS = 512, 1_000_000
# Maximum number of trees fitted to errors, and of rows times columns of all of them,
# which takes about a second.
MOST_ROUNDS, MOST_FITTED = 10, 3_000_000
MOST_EXACT = 2**22  # weight up to which sums of targets, of 30 bits, are exact
TOGETHER = 1_000_000  # rows times columns that are processed at once
OTHERS = 8  # per possible node: more are no better than quantiles
LEAST_GAIN = 1e-9  # relative to the largest possible gain; less is rounding error


MISSING = -1  # the rank of a missing value


class Ranked(NamedTuple):
    """A table of ranks: each value as its index among the distinct ones."""

    ranks: Ranks  # stored by column, which is the order of all accesses
    weights: list[Floats]  # of each distinct value, by column


class Targets(NamedTuple):
    """Targets and weights for fitting a greedy tree."""

    outcomes: npt.NDArray[Any]
    weight: npt.NDArray[Any]
    is_regression: bool


class Tree(NamedTuple):
    """A greedy tree, as arrays in scikit-learn's layout."""

    feature: Ints  # negative at leaves
    threshold: Floats  # of ranks; infinite if only missing values go right
    left: Ints
    right: Ints
    missing_goes_left: npt.NDArray[np.bool_]
    gain: Floats  # of each test, relative to the loss of the root
    value: Floats  # by node: class weights or shares, or the mean target


def ranked(table: list[Floats], distinct: list[Floats], weight: Any) -> Ranked:
    """Replace values by their index among the distinct values of their column."""
    shape = (table[0].size, len(table))
    ranks = np.empty(shape, dtype=np.int32, order="F")
    weights = []
    for index, numbers in enumerate(distinct):
        ranks[:, index] = found = _ranks(table[index], numbers)
        weights.append(_summed(found + 1, weight, numbers.size + 1)[1:])
    return Ranked(ranks, weights)


def _ranks(values: Floats, distinct: Floats) -> Ranks:
    """Return the index of each value among the distinct ones, or `MISSING`.

    Usually a function that increases with the values, a scaled difference rounded down,
    maps distinct values to distinct cells of a small table: as with integers and short
    decimals. The table then has the ranks, without sorting the rows.
    """
    is_missing = np.isnan(values)
    if distinct.size < 2:
        return np.where(is_missing, np.int32(MISSING), np.int32(0))
    with np.errstate(over="ignore", divide="ignore", invalid="ignore"):
        scale = 1.0 / np.diff(distinct).min()
        cells = (distinct - distinct[0]) * scale
    if cells[-1] < 4 * values.size and (np.diff(whole := cells.astype(np.intp)) > 0).all():
        rank_of = np.full(whole[-1] + 2, MISSING, dtype=np.int32)
        rank_of[whole] = np.arange(distinct.size)
        of_rows = np.where(is_missing, whole[-1] + 1.0, (values - distinct[0]) * scale)
        return rank_of[of_rows.astype(np.intp)]
    order = np.argsort(values)[: values.size - np.count_nonzero(is_missing)]  # NaN last
    ordered = values[order]
    ranks = np.full(values.size, MISSING, dtype=np.int32)
    ranks[order] = np.cumsum(np.append(False, ordered[1:] != ordered[:-1]))
    return ranks


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


def _boundary_at(tree: Tree, node: int, table: Ranked) -> list[Boundary]:
    """Return the boundary of a test as a list, empty if it has none."""
    index, threshold = int(tree.feature[node]), tree.threshold[node]
    # A test for missing values has no threshold; float32 may round large ranks up.
    is_one = np.isfinite(threshold) and threshold < table.weights[index].size - 1
    return [(index, int(threshold))] if is_one else []


def _residual_boundaries(
    tree: Tree, table: Ranked, targets: Targets, depth: int
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


def _next_targets(tree: Tree, table: Ranked, targets: Targets) -> Targets | None:
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


def _alternatives(tree: Tree, table: Ranked, targets: Targets) -> list[list[Boundary]]:
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


def _greedy_tree(table: Ranked, targets: Targets, depth: int) -> Tree:
    """Return the tree that scikit-learn would fit to the ranks."""
    stump = _stump(table, targets) if depth == 1 else None
    return stump or _fitted_tree(table.ranks, targets, depth)


def _fitted_tree(ranks: Ranks, targets: Targets, depth: int) -> Tree:
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
    return Tree(
        tree.feature,
        tree.threshold,
        tree.children_left,
        tree.children_right,
        tree.missing_go_to_left > 0,
        (loss - below) / (loss[0] or 1.0),
        tree.value[:, 0],
    )


def _stump(table: Ranked, targets: Targets) -> Tree | None:
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
    if not is_exact or (targets.is_regression and n > MOST_EXACT):
        return None
    root = _sums(np.zeros(weight.size, dtype=np.intp), (1,), slice(None), targets)
    of_root = float(_squares(root[1], root[0])[0])
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
    return Tree(
        feature=np.array([best.index, -2, -2]),
        threshold=np.array([best.threshold, -2.0, -2.0]),
        left=np.array([1, -1, -1]),
        right=np.array([2, -1, -1]),
        missing_goes_left=np.array([best.missing_goes_left, False, False]),
        gain=np.array([(best.squares - of_root) / (before - of_root), 0.0, 0.0]),
        value=value.T,
    )


class _Split(NamedTuple):
    """The best split of a column at the root."""

    index: int
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
    total, parts = _sums(cells, (size + 1,), slice(None), targets)
    n_all, whole = total.sum(), parts.sum(axis=1, keepdims=True)
    for side in (False, True) if total[0] else (False,):
        n_left, left = np.cumsum(total[1:]), np.cumsum(parts[:, 1:], axis=1)
        if side:
            n_left, left = n_left + total[0], left + parts[:, :1]
        squares = _squares(left, n_left) + _squares(whole - left, n_all - n_left)
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


def _inner_nodes(tree: Tree) -> Iterator[list[int]]:
    """Yield the inner nodes of each level, from left to right."""
    level = [0]
    while inner := [node for node in level if tree.feature[node] >= 0]:
        yield inner
        level = [side[node] for node in inner for side in (tree.left, tree.right)]


def _below(tree: Tree, inner: list[int], ranks: Ranks, nodes: Ints) -> Ints:
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
    most = max(most_cells // _n_parts(targets), 16) - 1
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


def _binned_alone(
    index: int, ranks: Ranks, weights: Floats, most: int
) -> Binned:
    """Return a single column in bins, with missing values or too many boundaries."""
    n_edges = weights.size - 1
    if n_edges <= most:
        edges = np.arange(n_edges)
    else:
        edges = np.sort(halving_order(weights, most))
    bins = np.searchsorted(edges, np.arange(weights.size))  # bin of each distinct value
    of_rows = bins.take(ranks, mode="clip")
    return Binned([index], edges[np.newaxis], of_rows[np.newaxis], ranks != MISSING)


def _n_parts(targets: Targets) -> int:
    return 1 if targets.is_regression else int(targets.outcomes.max()) + 1


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
    cells: npt.NDArray[Any], shape: tuple[int, ...], rows: Any, targets: Targets
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


def _summed(cells: npt.NDArray[Any], weight: npt.NDArray[Any], size: int) -> Floats:
    """Return the sum of the weights in each cell, for one or more columns of cells."""
    weights = np.broadcast_to(weight, cells.shape).ravel()
    return np.bincount(cells.ravel(), weights, size).astype(np.float64)


def _squares(parts: Floats, total: Floats) -> Floats:
    """Return the sum of squares over the weight, which increases with purity."""
    squares: Floats = (parts**2).sum(axis=0)
    return np.divide(squares, total, out=np.zeros_like(total), where=total > 0)
