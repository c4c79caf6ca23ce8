"""The judge of constraints: plain recursion over every tree that satisfies them.

Tables contain small integers. A test is a pair (column, threshold): true above it. All
boundaries between values are tests, as with ``TableBinarizer(strategy="exact")``. Also
contains helpers shared by the tests of constraints.
"""

import math
from fractions import Fraction
from itertools import combinations, pairwise

from hypothesis import settings
from hypothesis import strategies as st
from oracle.brute_force import best_by_nodes, leaf_error, may_be_leaves
from oracle.strategies import thorough

from murtree import OptimalTreeClassifier, TableBinarizer

SETTINGS = settings(thorough, max_examples=40)
EXACT = TableBinarizer(strategy="exact")


def boundaries(table, weight):
    """Return all tests of a table: midpoints between neighbouring values."""
    tests = []
    for column in range(len(table[0])):
        pairs = zip(table, weight, strict=True)
        values = sorted({row[column] for row, w in pairs if w > 0})
        for low, high in pairwise(values):
            tests.append((column, (low + high) / 2))
    return tests


class Judge:
    """Brute-force solver for given rows, leaf costs and tests."""

    def __init__(self, table, rest, leaf_cost, weight, prices=None):
        """`rest` holds the other data of each row, as `leaf_cost` expects it."""
        self.tests = boundaries(table, weight)
        self.leaf_cost = leaf_cost
        self.prices = [Fraction(p) for p in prices or [0] * len(table[0])]
        self.n_columns = len(table[0])
        # First the results of the tests, then the values themselves, for fixed tests.
        self.rows = [
            ([int(row[c] > t) for c, t in self.tests] + list(row), *other)
            for row, other, w in zip(table, rest, weight, strict=True)
            if w > 0
        ]

    def best(self, depth, size=1, columns=None):
        """Return the least cost with at most 0, 1, ... nodes on some columns."""
        return self._below(self.rows, depth, size, columns)

    def best_of_few(self, depth, most, size=1, top=None):
        """Return the same for the best set of at most this many columns."""
        sets = combinations(range(self.n_columns), min(most, self.n_columns))
        found = [self.completed(top, depth, size, set(few)) for few in sets]
        return [min(costs) for costs in zip(*found, strict=True)]

    def completed(self, top, depth, size=1, columns=None, rows=None):
        """Return the least cost of trees with a given top; inf if there are none."""
        rows = self.rows if rows is None else rows
        if top is None:
            return self._below(rows, depth, size, columns)
        best = [math.inf] * 2**depth
        column = top["feature"]
        if depth == 0 or (columns is not None and column not in columns):
            return best
        thresholds = [t for c, t in self.tests if c == column]
        if top.get("threshold") is not None:
            thresholds = [top["threshold"]]
        for threshold in thresholds:
            index = len(self.tests) + column
            sides = [
                [row for row in rows if (row[0][index] > threshold) == answer]
                for answer in (False, True)
            ]
            if not all(may_be_leaves(rows, size) for rows in sides):
                continue
            left, right = (
                self.completed(top.get(name), depth - 1, size, columns, some)
                for name, some in zip(("left", "right"), sides, strict=True)
            )
            for a, cost_left in enumerate(left):
                for b, cost_right in enumerate(right):
                    cost = cost_left + cost_right + self.prices[column]
                    best[1 + a + b] = min(best[1 + a + b], cost)
        return best

    def _below(self, rows, depth, size, columns):
        kept = [
            k
            for k, (column, _) in enumerate(self.tests)
            if columns is None or column in columns
        ]
        prices = [self.prices[self.tests[k][0]] for k in kept]
        rows = [([row[0][k] for k in kept], *row[1:]) for row in rows]
        return best_by_nodes(rows, self.leaf_cost, prices, depth, size)


def least(costs, nodes, price=0):
    """Return the least cost with at most this many nodes, each with a price."""
    return min(
        cost + (Fraction(price) * used if price else 0)
        for used, cost in enumerate(costs[: nodes + 1])
    )


def judge_of_errors(table, labels, weight):
    rest = list(zip(labels, weight, strict=True))
    return Judge(table, rest, leaf_error, weight)


# --- data, and trees on it ----------------------------------------------------------


@st.composite
def tables(draw, max_columns=3, max_rows=9, weights=(0, 1, 2, 3)):
    """Draw a table of small integers, labels and weights."""
    n_columns = draw(st.integers(1, max_columns))
    n_rows = draw(st.one_of(st.integers(5, max_rows), st.integers(2, max_rows)))
    row = st.lists(st.integers(0, 2), min_size=n_columns, max_size=n_columns)
    table = draw(st.lists(row, min_size=n_rows, max_size=n_rows))
    labels = st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)
    kind = draw(st.sampled_from([st.just(1), st.sampled_from(weights)]))
    weight = st.lists(kind, min_size=n_rows, max_size=n_rows).filter(any)
    return table, draw(labels), draw(weight)


@st.composite
def tops(draw, n_columns, levels):
    """Draw a partial tree with its own thresholds, or only columns."""
    top = {"feature": draw(st.integers(0, n_columns - 1))}
    threshold = draw(st.sampled_from([None, 0.5, 1.25, 1.5]))
    if threshold is not None:
        top["threshold"] = threshold
    for side in ("left", "right"):
        if levels > 1 and draw(st.booleans()):
            top[side] = draw(tops(n_columns, levels - 1))
    return top


def fit(data, estimator=OptimalTreeClassifier, **parameters):
    table, y, weight = data
    parameters = {"binarizer": EXACT} | parameters
    return estimator(**parameters).fit(table, y, sample_weight=weight)


def columns_of(fitted):
    feature = fitted.tree_.feature
    return set(feature[feature >= 0].tolist())


def follows(tree, top, node=0):
    """Whether a tree contains the fixed tests at their positions."""
    if top is None:
        return True
    if tree.feature[node] != top["feature"]:
        return False
    wanted = top.get("threshold")
    if wanted is not None and tree.threshold[node] != wanted:
        return False
    return follows(tree, top.get("left"), tree.children_left[node]) and follows(
        tree, top.get("right"), tree.children_right[node]
    )


REFUSALS = (
    "row(s)",
    "of the weight",
    "column with a test",
    "max_num_nodes=",
    "max_distinct_features=",
)


def fit_or_refused(data, estimator=OptimalTreeClassifier, **parameters):
    """Return None if no tree satisfies the constraints, which must be reported."""
    try:
        return fit(data, estimator, **parameters)
    except ValueError as error:
        if not any(text in str(error) for text in REFUSALS):
            raise
        return None
