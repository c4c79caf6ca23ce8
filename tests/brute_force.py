"""The independent judge: plain recursion over every tree, nothing shared with the core.

`best_errors` tries every feature at every node and every way to share the nodes.
`recount` walks a tree row by row. Both are written to be obviously right.
"""

from fractions import Fraction


def best_errors(X, y, weight, depth, min_samples_leaf=1):
    """Return [e_0, e_1, ...]: the least misclassified weight with at most m nodes.

    A leaf other than a lone root has at least `min_samples_leaf` rows; rows of weight
    zero do not count.
    """
    rows = [row for row in zip(X, y, weight, strict=True) if row[2] > 0]
    return errors_of(rows, len(X[0]), depth, min_samples_leaf)


def leaf_error(rows):
    totals = {}
    for _, label, weight in rows:
        totals[label] = totals.get(label, 0) + weight
    return sum(totals.values()) - max(totals.values(), default=0)


def errors_of(rows, n_features, depth, size):
    leaf = leaf_error(rows)
    best = [leaf] * 2**depth
    if depth == 0 or leaf == 0:
        return best
    for feature in range(n_features):
        zeros = [row for row in rows if not row[0][feature]]
        ones = [row for row in rows if row[0][feature]]
        if min(len(zeros), len(ones)) < size:
            continue  # some leaf below would be too small
        left = errors_of(zeros, n_features, depth - 1, size)
        right = errors_of(ones, n_features, depth - 1, size)
        for nodes_left, errors_left in enumerate(left):
            for nodes_right, errors_right in enumerate(right):
                nodes = 1 + nodes_left + nodes_right
                best[nodes] = min(best[nodes], errors_left + errors_right)
    return best


def full_depth(X):
    """Return a depth that no tree has use for more of: every path tests each column."""
    return len(X[0])


def best_sparse(errors, weight, cost_complexity):
    """Return the least penalised objective, exactly, and the fewest nodes that give it.

    `errors` is what `best_errors` returns.
    """
    price = Fraction(cost_complexity) * sum(weight)
    return min((wrong + price * nodes, nodes) for nodes, wrong in enumerate(errors))


def recount(tree, X, y, weight):
    """Return the weight a tree misclassifies, row by row."""
    wrong = 0
    for x, label, w in zip(X, y, weight, strict=True):
        node = leaf_of(tree, x)
        heaviest = max(range(len(tree.classes)), key=lambda k: tree.value[node][k])
        if tree.classes[heaviest] != label:
            wrong += w
    return wrong


def leaf_of(tree, x):
    node = 0
    while tree.children_left[node] != -1:
        one = x[tree.feature[node]] == 1
        node = (tree.children_right if one else tree.children_left)[node]
    return node


def smallest_leaf(tree, X, weight):
    """Return the rows in the leaf with the fewest, not counting weight zero."""
    rows = {}
    for x, w in zip(X, weight, strict=True):
        leaf = leaf_of(tree, x)
        rows[leaf] = rows.get(leaf, 0) + (w > 0)
    return min(rows.values())


def check_tree(result, data, depth, nodes, min_samples_leaf):
    """Assert that a result's tree is within limits, and that it tells the truth."""
    X, y, weight = data
    assert result.tree.depth <= depth
    assert result.tree.n_nodes <= nodes
    assert recount(result.tree, X, y, weight) == result.misclassified
    if result.tree.n_nodes:
        assert smallest_leaf(result.tree, X, weight) >= min_samples_leaf


def check_result(result, data, depth, nodes, expected, *, min_samples_leaf=1):
    """Assert that a result is optimal, within limits, and that its tree is honest."""
    assert result.status == "optimal"
    assert result.objective == result.lower_bound == expected
    assert result.misclassified == expected
    check_tree(result, data, depth, nodes, min_samples_leaf)


def check_sparse(result, data, errors, cost_complexity, *, depth, min_samples_leaf=1):
    """Assert that a penalised result is optimal, to within the stated resolution.

    `errors` are the judge's for every number of nodes that is allowed.
    """
    total_weight = sum(data[2])
    least, _ = best_sparse(errors, data[2], cost_complexity)
    cost, _ = best_sparse([result.misclassified], data[2], cost_complexity)
    cost += Fraction(cost_complexity) * total_weight * result.tree.n_nodes
    assert result.status == "optimal"
    assert result.objective == result.lower_bound
    assert abs(cost - Fraction(result.objective)) <= cost / 2**40  # as a float
    assert least <= cost <= least + resolution(total_weight) * len(errors)
    check_tree(result, data, depth, len(errors) - 1, min_samples_leaf)


def resolution(total_weight):
    """Return the error of a node's price, in errors, as the documentation states it."""
    scale = 1024
    while 2 * scale * total_weight <= 2**30:
        scale *= 2
    return Fraction(1, scale)


def fronts(X, y, weight, depth, min_samples_leaf=1):
    """Return [F_0, F_1, ...]: the front of (fp, fn) of all trees with at most m nodes.

    Labels are 0 and 1. A front is a list of points, fp ascending.
    """
    rows = [row for row in zip(X, y, weight, strict=True) if row[2] > 0]
    found = points_of(rows, len(X[0]), depth, min_samples_leaf)
    return [not_dominated(points) for points in found]


def points_of(rows, n_features, depth, size):
    """Return for each number of nodes the points of trees, all that may matter."""
    n0 = sum(weight for _, label, weight in rows if label == 0)
    n1 = sum(weight for _, label, weight in rows if label == 1)
    found = [{(0, n1), (n0, 0)} for _ in range(2**depth)]
    if depth == 0:
        return found
    for feature in range(n_features):
        zeros = [row for row in rows if not row[0][feature]]
        ones = [row for row in rows if row[0][feature]]
        if min(len(zeros), len(ones)) < size:
            continue
        left = points_of(zeros, n_features, depth - 1, size)
        right = points_of(ones, n_features, depth - 1, size)
        for nodes_left, points_left in enumerate(left):
            for nodes_right, points_right in enumerate(right):
                for nodes in range(1 + nodes_left + nodes_right, 2**depth):
                    found[nodes] |= sums(points_left, points_right)
    return [set(not_dominated(points)) for points in found]


def sums(points, others):
    return {(a + c, b + d) for a, b in points for c, d in others}


def not_dominated(points):
    kept = []
    for fp, fn in sorted(points):
        if not kept or fn < kept[-1][1]:
            kept.append((fp, fn))
    return kept


def confusion(tree, X, y, weight):
    """Return (fp, fn) of a labelled tree, row by row; labels are 0 and 1."""
    fp = fn = 0
    for x, label, w in zip(X, y, weight, strict=True):
        said = tree.label[leaf_of(tree, x)]
        fp += w * (said == 1 and label == 0)
        fn += w * (said == 0 and label == 1)
    return fp, fn


def all_points(rows, n_features, depth):
    """Return (fp, fn) of every tree, also of those that no metric can want."""
    n0 = sum(weight for _, label, weight in rows if label == 0)
    n1 = sum(weight for _, label, weight in rows if label == 1)
    found = {(0, n1), (n0, 0)}
    if depth == 0:
        return found
    for feature in range(n_features):
        zeros = [row for row in rows if not row[0][feature]]
        ones = [row for row in rows if row[0][feature]]
        if zeros and ones:
            found |= sums(
                all_points(zeros, n_features, depth - 1),
                all_points(ones, n_features, depth - 1),
            )
    return found


def metric_losses(tn, fp, fn, tp, beta=1.0):
    """Return the loss of each metric by the formulas of the books, 0/0 being 0."""

    def ratio(a, b):
        return a / b if b else 0.0

    recalls = ratio(tp, tp + fn), ratio(tn, tn + fp)
    root = ((tp + fp) * (tp + fn) * (tn + fp) * (tn + fn)) ** 0.5
    above = (1 + beta**2) * tp
    rates = [wrong / all_ for wrong, all_ in ((fp, tn + fp), (fn, tp + fn)) if all_]
    return {
        "f1": 1 - ratio(2 * tp, 2 * tp + fp + fn),
        "fbeta": 1 - ratio(above, above + beta**2 * fn + fp),
        "matthews": 1 - ratio(tp * tn - fp * fn, root),
        "gmean": 1 - (recalls[0] * recalls[1]) ** 0.5,
        "balanced_error": sum(rates) / len(rates),
    }
