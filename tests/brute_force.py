"""The independent judge: plain recursion over every tree, nothing shared with the core.

`best_errors` tries every feature at every node and every way to share the nodes.
`recount` walks a tree row by row. Both are written to be obviously right.
"""


def best_errors(X, y, weight, depth):
    """Return [e_0, e_1, ...]: the least misclassified weight with at most m nodes."""
    rows = list(zip(X, y, weight, strict=True))
    return errors_of(rows, len(X[0]), depth)


def leaf_error(rows):
    totals = {}
    for _, label, weight in rows:
        totals[label] = totals.get(label, 0) + weight
    return sum(totals.values()) - max(totals.values(), default=0)


def errors_of(rows, n_features, depth):
    leaf = leaf_error(rows)
    best = [leaf] * 2**depth
    if depth == 0 or leaf == 0:
        return best
    for feature in range(n_features):
        left = errors_of([r for r in rows if not r[0][feature]], n_features, depth - 1)
        right = errors_of([r for r in rows if r[0][feature]], n_features, depth - 1)
        for nodes_left, errors_left in enumerate(left):
            for nodes_right, errors_right in enumerate(right):
                nodes = 1 + nodes_left + nodes_right
                best[nodes] = min(best[nodes], errors_left + errors_right)
    return best


def recount(tree, X, y, weight):
    """Return the weight a tree misclassifies, row by row."""
    wrong = 0
    for x, label, w in zip(X, y, weight, strict=True):
        node = 0
        while tree.children_left[node] != -1:
            one = x[tree.feature[node]] == 1
            node = (tree.children_right if one else tree.children_left)[node]
        heaviest = max(range(len(tree.classes)), key=lambda k: tree.value[node][k])
        if tree.classes[heaviest] != label:
            wrong += w
    return wrong


def check_result(result, data, depth, nodes, expected):
    """Assert that a result is optimal, within limits, and that its tree is honest."""
    X, y, weight = data
    assert result.status == "optimal"
    assert result.objective == result.lower_bound == expected
    assert result.tree.depth <= depth
    assert result.tree.n_nodes <= nodes
    assert recount(result.tree, X, y, weight) == expected
