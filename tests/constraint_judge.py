"""The judge of constraints: plain recursion over every tree that keeps to them.

Tables hold small whole numbers. A test is a pair (column, threshold): yes above it. All
boundaries between values are tests, as with ``Binarizer(strategy="exact")``.
"""

import math
from fractions import Fraction
from itertools import combinations, pairwise

from brute_force import best_by_nodes


def boundaries(table, weight):
    """Return all tests of a table: halfway between neighbouring values."""
    tests = []
    for column in range(len(table[0])):
        pairs = zip(table, weight, strict=True)
        values = sorted({row[column] for row, w in pairs if w > 0})
        for low, high in pairwise(values):
            tests.append((column, (low + high) / 2))
    return tests


class Judge:
    """Knows the rows, what a leaf costs, and what the tests are."""

    def __init__(self, table, rest, leaf_cost, weight, prices=None):
        """`rest` has what a row is beside its values, as `leaf_cost` wants it."""
        self.tests = boundaries(table, weight)
        self.leaf_cost = leaf_cost
        self.prices = [Fraction(p) for p in prices or [0] * len(table[0])]
        self.n_columns = len(table[0])
        # Answers first, for the tests, then the values themselves, for fixed tests.
        self.rows = [
            ([int(row[c] > t) for c, t in self.tests] + list(row), *other)
            for row, other, w in zip(table, rest, weight, strict=True)
            if w > 0
        ]

    def best(self, depth, size=1, columns=None):
        """Return the least cost with at most 0, 1, ... nodes on some columns."""
        return self._below(self.rows, depth, size, columns)

    def best_of_few(self, depth, most, size=1, top=None):
        """Return the same for the best set of at most so many columns."""
        sets = combinations(range(self.n_columns), min(most, self.n_columns))
        found = [self.completed(top, depth, size, set(few)) for few in sets]
        return [min(costs) for costs in zip(*found, strict=True)]

    def completed(self, top, depth, size=1, columns=None, rows=None):
        """Return the least cost of trees with a given top; inf where there is none."""
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
            place = len(self.tests) + column
            sides = [
                [row for row in rows if (row[0][place] > threshold) == answer]
                for answer in (False, True)
            ]
            if min(map(len, sides)) < size:
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
    """Return the least cost with at most so many nodes, each at a price."""
    return min(
        cost + (Fraction(price) * used if price else 0)
        for used, cost in enumerate(costs[: nodes + 1])
    )
