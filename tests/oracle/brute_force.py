"""The independent judge: plain recursion over every tree, without the core.

`best_errors` and similar functions try every feature at every node and every way to
distribute the nodes; they differ in the cost of a leaf. `recount` and similar functions
evaluate a tree row by row. All are written to be obviously correct. Real numbers are
exact: `Fraction`.
"""

import math
from fractions import Fraction
from functools import cache


class LeastSizes:
    """Minimum rows, and minimum share of the total weight, of a leaf below the root.

    Used instead of a number of rows. The share times the total is a product of floats,
    in the greatest unit of which all weights are multiples; everything else is exact.
    The weight of a row is its last entry.
    """

    def __init__(self, n_rows, share, weight):
        self.n_rows, self.share = n_rows, share
        present = [as_meant(w) for w in weight if w > 0]
        unit = Fraction(
            math.gcd(*[w.numerator for w in present]),
            math.lcm(*[w.denominator for w in present]),
        )
        total = int(sum(present) / unit)
        product = Fraction(share * total) if total < 2**53 else Fraction(share) * total
        self.weight = product * unit

    def __repr__(self):
        return f"{self.n_rows} rows and {self.share} of the weight"

    def allow(self, rows):
        if len(rows) < self.n_rows:
            return False
        return not self.share or sum(as_meant(row[-1]) for row in rows) >= self.weight

    @property
    def parameters(self):
        """Return the minima as parameters of a solver."""
        return {
            "min_samples_leaf": self.n_rows,
            "min_weight_fraction_leaf": self.share,
        }


@cache
def as_meant(weight):
    """Return a weight exactly: as the simple fraction that rounds to it, if any."""
    simple = Fraction(weight).limit_denominator(1000)
    return simple if float(simple) == float(weight) else Fraction(weight)


def may_be_leaves(rows, size):
    """Whether rows are enough for a leaf; `size` is their number or LeastSizes."""
    return size.allow(rows) if isinstance(size, LeastSizes) else len(rows) >= size


def check_leaves(tree, X, weight, size):
    """Assert that every leaf below the root of a tree is large enough."""
    leaves = {}
    for x, w in zip(X, weight, strict=True):
        if w > 0:
            leaves.setdefault(leaf_of(tree, x), []).append((x, w))
    if tree.n_nodes:
        assert len(leaves) == tree.n_nodes + 1
        assert all(may_be_leaves(rows, size) for rows in leaves.values())


def best_errors(X, y, weight, depth, min_samples_leaf=1):
    """Return [e_0, e_1, ...]: the least misclassified weight with at most m nodes.

    A leaf below the root has at least `min_samples_leaf` rows; rows of weight zero do
    not count.
    """
    rows = [row for row in zip(X, y, weight, strict=True) if row[2] > 0]
    return best_by_nodes(rows, leaf_error, [0] * len(X[0]), depth, min_samples_leaf)


def best_costs(X, costs, depth, min_samples_leaf=1, feature_costs=None, *, weight=None):
    """Return the least total cost with at most 0, 1, 2, ... nodes.

    `costs` has one list per row: the cost of each label. A test of column f costs
    ``feature_costs[f]``. Weights are used only for the sizes of leaves.
    """
    rows = [
        (x, [Fraction(cost) for cost in row], w)
        for x, row, w in zip(X, costs, weight or [1] * len(X), strict=True)
    ]
    prices = [Fraction(cost) for cost in feature_costs or [0] * len(X[0])]
    return best_by_nodes(rows, least_label_cost, prices, depth, min_samples_leaf)


def best_squares(data, depth, min_samples_leaf=1, feature_costs=None):
    """Return the least weighted sum of squared errors with at most 0, 1, ... nodes.

    `data` is (X, targets, weight).
    """
    X, rows = data[0], exact_rows(*data)
    prices = [Fraction(cost) for cost in feature_costs or [0] * len(X[0])]
    return best_by_nodes(rows, squared_error, prices, depth, min_samples_leaf)


def best_absolute(data, depth, min_samples_leaf=1):
    """Return the least weighted sum of absolute errors with at most 0, 1, ... nodes."""
    X, rows = data[0], exact_rows(*data)
    return best_by_nodes(rows, absolute_error, [0] * len(X[0]), depth, min_samples_leaf)


def exact_rows(X, targets, weight):
    rows = zip(X, targets, weight, strict=True)
    return [(x, Fraction(t), Fraction(w)) for x, t, w in rows if w > 0]


def leaf_error(rows):
    totals = class_totals(rows)
    return sum(totals) - max(totals, default=0)


def least_label_cost(rows):
    return min(map(sum, zip(*[row[1] for row in rows], strict=True)), default=0)


def squared_error(rows):
    total = sum(w for _, _, w in rows)
    sum_of_targets = sum(w * t for _, t, w in rows)
    squares = sum(w * t * t for _, t, w in rows)
    return squares - sum_of_targets**2 / total if total else 0


def absolute_error(rows):
    """Return the error around a median, found among the targets."""
    return min(
        (sum(w * abs(t - middle) for _, t, w in rows) for _, middle, _ in rows),
        default=0,
    )


def class_totals(rows):
    """Return the total weight of each class, without the names of the classes."""
    totals = {}
    for _, label, weight in rows:
        totals[label] = totals.get(label, 0) + weight
    return list(totals.values())


def gini(rows):
    """Return the Brier score: the sum of w |e - p|^2, p the frequencies of classes."""
    totals = class_totals(rows)
    return sum(totals) - sum(n * n for n in totals) / Fraction(sum(totals) or 1)


def log_loss(rows):
    """Return the sum of - w ln p, as a float."""
    totals = class_totals(rows)
    return sum(float(n) * math.log(sum(totals) / Fraction(n)) for n in totals)


def best_by_nodes(rows, leaf_cost, feature_costs, depth, size):
    leaf = leaf_cost(rows)
    best = [leaf] * 2**depth
    if depth == 0 or leaf == 0:
        return best
    for feature, price in enumerate(feature_costs):
        zeros = [row for row in rows if not row[0][feature]]
        ones = [row for row in rows if row[0][feature]]
        if not (may_be_leaves(zeros, size) and may_be_leaves(ones, size)):
            continue  # some leaf would be too small
        left = best_by_nodes(zeros, leaf_cost, feature_costs, depth - 1, size)
        right = best_by_nodes(ones, leaf_cost, feature_costs, depth - 1, size)
        for nodes_left, cost_left in enumerate(left):
            for nodes_right, cost_right in enumerate(right):
                nodes = 1 + nodes_left + nodes_right
                best[nodes] = min(best[nodes], cost_left + cost_right + price)
    return best


def best_penalised(costs, price):
    """Return the exact least cost if each node costs `price`."""
    return min(cost + Fraction(price) * nodes for nodes, cost in enumerate(costs))


def full_depth(X):
    """Return a sufficient depth: every path tests each column once."""
    return len(X[0])


def best_sparse(errors, weight, cost_complexity):
    """Return the exact least penalised objective, and its fewest nodes.

    `errors` is the result of `best_errors`.
    """
    price = Fraction(cost_complexity) * sum(weight)
    return min((wrong + price * nodes, nodes) for nodes, wrong in enumerate(errors))


def recount(tree, X, y, weight):
    """Return the weight that a tree misclassifies, row by row."""
    wrong = 0
    for x, label, w in zip(X, y, weight, strict=True):
        node = leaf_of(tree, x)
        heaviest = max(range(len(tree.classes)), key=lambda k: tree.value[node][k])
        if tree.classes[heaviest] != label:
            wrong += w
    return wrong


def recount_costs(tree, X, costs, feature_costs=None):
    """Return the cost of a tree, row by row, including the price of its tests."""
    total = price_of_tests(tree, feature_costs)
    for x, row in zip(X, costs, strict=True):
        total += Fraction(row[tree.labels[leaf_of(tree, x)]])
    return total


def recount_squares(tree, data, feature_costs=None):
    """Return the squared errors around exact means, with the price of the tests.

    The predictions of the tree must equal these means up to rounding.
    """
    leaves = {}
    for row in exact_rows(*data):
        leaves.setdefault(leaf_of(tree, row[0]), []).append(row)
    for leaf, rows in leaves.items():
        total = sum(w for _, _, w in rows)
        mean = sum(w * t for _, t, w in rows) / total
        largest = max(abs(t) for _, t, _ in rows)
        assert abs(Fraction(tree.value[leaf][0]) - mean) <= largest / 2**45
        assert abs(Fraction(tree.weight[leaf]) - total) <= total / 2**45
    squares = sum(map(squared_error, leaves.values()))
    return squares + price_of_tests(tree, feature_costs)


def recount_impurities(tree, rows, leaf_cost, feature_costs=None):
    """Return the cost of the leaves of a tree, with the price of the tests.

    `rows` are those of `exact_rows`; the tree must have their class weights.
    """
    leaves = {}
    for row in rows:
        leaves.setdefault(leaf_of(tree, row[0]), []).append(row)
    for leaf, own in leaves.items():
        for label, value in zip(tree.classes, tree.value[leaf], strict=True):
            total = sum(w for _, name, w in own if name == label)
            assert abs(Fraction(value) - total) <= total / 2**45
    return sum(map(leaf_cost, leaves.values())) + price_of_tests(tree, feature_costs)


def price_of_tests(tree, feature_costs):
    if feature_costs is None:
        return Fraction(0)
    return sum((Fraction(feature_costs[f]) for f in tree.feature if f >= 0), Fraction())


def leaf_of(tree, x):
    node = 0
    while tree.children_left[node] != -1:
        one = x[tree.feature[node]] == 1
        node = (tree.children_right if one else tree.children_left)[node]
    return node


def check_tree(result, data, depth, nodes, min_samples_leaf):
    """Assert that a result's tree is within the limits and has the reported errors."""
    X, y, weight = data
    assert result.tree.depth <= depth
    assert result.tree.n_nodes <= nodes
    assert recount(result.tree, X, y, weight) == result.misclassified
    check_leaves(result.tree, X, weight, min_samples_leaf)


def check_result(result, data, depth, nodes, expected, *, min_samples_leaf=1):
    """Assert that a result is optimal, within the limits, and correctly reported."""
    assert result.status == "optimal"
    assert result.objective == result.lower_bound == expected
    assert result.misclassified == expected
    check_tree(result, data, depth, nodes, min_samples_leaf)


def check_sparse(result, data, errors, cost_complexity, *, depth, min_samples_leaf=1):
    """Assert that a penalised result is optimal to within the stated resolution.

    `errors` are those of the judge for every allowed number of nodes.
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
    """Return the documented rounding error of a node's price, in errors."""
    scale = 1024
    while 2 * scale * total_weight <= 2**30:
        scale *= 2
    return Fraction(1, scale)


def costs_by_row(y, weight, matrix):
    """Return the cost of each label in each row; `y` indexes the rows of the matrix.

    Floats are interpreted as the decimals they are written as.
    """
    exact = [[as_written(cost) for cost in row] for row in matrix]
    return [
        [as_written(w) * cost for cost in exact[label]]
        for label, w in zip(y, weight, strict=True)
    ]


def as_written(number):
    return number if isinstance(number, Fraction) else Fraction(repr(number))


def errors_as_costs(n_classes):
    return [[int(i != j) for j in range(n_classes)] for i in range(n_classes)]


def check_optimal(result, cost, least, tolerance):
    """Assert that a tree with the exact cost `cost` is optimal and reported as such."""
    assert result.status == "optimal"
    assert result.objective == result.lower_bound
    assert result.gap == 0.0
    assert abs(Fraction(result.objective) - cost) <= tolerance
    assert least - tolerance <= cost <= least + tolerance


def sum_tolerance(costs, nodes, feature_costs=None):
    """Return the documented resolution: each row and node is rounded by one unit."""
    worst = sum(max(row) for row in costs)
    n_prices = nodes * (1 if feature_costs is None else 2)
    return worst * (len(costs) + n_prices + 1) / 2**33
