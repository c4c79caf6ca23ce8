"""The judge of confusion matrices: Pareto fronts and metrics, by brute force.

A point is the (false positives, false negatives) of a tree. Labels are 0 and 1.
"""

from oracle.brute_force import leaf_of, may_be_leaves


def fronts(X, y, weight, depth, min_samples_leaf=1):
    """Return [F_0, F_1, ...]: the front of (fp, fn) of all trees with at most m nodes.

    Labels are 0 and 1. A front is a list of points, fp ascending.
    """
    rows = [row for row in zip(X, y, weight, strict=True) if row[2] > 0]
    found = points_of(rows, len(X[0]), depth, min_samples_leaf)
    return [not_dominated(points) for points in found]


def points_of(rows, n_features, depth, size):
    """Return the points of trees for each number of nodes, less the dominated ones."""
    n0 = sum(weight for _, label, weight in rows if label == 0)
    n1 = sum(weight for _, label, weight in rows if label == 1)
    found = [{(0, n1), (n0, 0)} for _ in range(2**depth)]
    if depth == 0:
        return found
    for feature in range(n_features):
        zeros = [row for row in rows if not row[0][feature]]
        ones = [row for row in rows if row[0][feature]]
        if not (may_be_leaves(zeros, size) and may_be_leaves(ones, size)):
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
        predicted = tree.label[leaf_of(tree, x)]
        fp += w * (predicted == 1 and label == 0)
        fn += w * (predicted == 0 and label == 1)
    return fp, fn


def all_points(rows, n_features, depth):
    """Return the (fp, fn) of every tree, including dominated ones."""
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
    """Return the loss of each metric by its textbook formula, with 0/0 = 0."""

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
        "balanced_accuracy": sum(rates) / len(rates),
    }


def class_weights(y, weight):
    n1 = sum(w for label, w in zip(y, weight, strict=True) if label == 1)
    return sum(weight) - n1, n1


def losses_of(data, points, beta):
    """Return the losses of all metrics at each point."""
    n0, n1 = class_weights(data[1], data[2])
    return [metric_losses(n0 - fp, fp, fn, n1 - fn, beta) for fp, fn in points]


def points(front):
    """Return the points of a front of the library."""
    return [(point.fp, point.fn) for point in front]
