"""Problems of every objective, for the solver on floats and the judge on fractions.

A problem has its data and its objective as a user gives them, and for the judge its
rows, the cost of a leaf, the price of each column and the cost of a given tree.
"""

from fractions import Fraction

import pytest
from hypothesis import reject
from hypothesis import strategies as st
from oracle.brute_force import (
    absolute_error,
    best_by_nodes,
    check_leaves,
    check_optimal,
    costs_by_row,
    errors_as_costs,
    exact_rows,
    gini,
    leaf_error,
    leaf_of,
    least_label_cost,
    log_loss,
    recount_costs,
    recount_impurities,
    recount_squares,
    squared_error,
    sum_tolerance,
)
from oracle.strategies import (
    cost_matrices,
    feature_prices,
    real_instances,
    target_instances,
)
from sklearn.metrics import balanced_accuracy_score

from murtree import Solver

UNDERFLOW = Fraction(1e-300)
IMPURITIES = {"gini": gini, "log_loss": log_loss}


class Problem:
    """Data as (X, y, weight) with an objective, and prices of columns if given."""

    def __init__(self, data, objective, prices=None):
        self.data = self.X, self.y, self.weight = data
        self.options = {"objective": objective, "feature_costs": prices}
        self.prices = [Fraction(price) for price in prices or [0] * len(self.X[0])]

    def solver(self, **switched):
        weight = [float(w) if isinstance(w, Fraction) else w for w in self.weight]
        try:
            return Solver(self.X, self.y, weight, **self.options, **switched)
        except ValueError as error:
            if "orders of magnitude" not in str(error):
                raise
            return reject()

    def best(self, depth, size=1):
        """Return the least costs with at most 0, 1, ... nodes."""
        return best_by_nodes(self.rows, self.leaf_cost, self.prices, depth, size)

    def check(self, result, least, nodes, size=1, price=0):
        """Assert that a result is optimal if nodes cost `price`, and within limits."""
        cost = self.recount(result.tree) + price * result.tree.n_nodes
        check_optimal(result, cost, least, self.tolerance(nodes, price))
        assert result.tree.n_nodes <= nodes
        check_leaves(result.tree, self.X, self.weight, size)


class Costs(Problem):
    """A matrix of costs; labels are in the order of its rows."""

    leaf_cost = staticmethod(least_label_cost)

    def __init__(self, data, objective, matrix, prices=None):
        super().__init__(data, objective, prices)
        names = sorted(set(self.y))
        codes = [names.index(label) for label in self.y]
        costs = costs_by_row(codes, self.weight, matrix)
        rows = zip(self.X, costs, self.weight, strict=True)
        self.rows = [row for row in rows if row[2] > 0]
        self.costs = [costs for _, costs, _ in self.rows]
        self.total = sum(map(max, self.costs))

    def recount(self, tree):
        return recount_costs(tree, [x for x, *_ in self.rows], self.costs, self.prices)

    def tolerance(self, nodes, price):
        more = self.total / 2**26 if price else 0
        prices = self.options["feature_costs"]
        return sum_tolerance(self.costs, nodes, prices) + more


class Errors(Costs):
    """The misclassified weight."""

    def __init__(self, data):
        super().__init__(data, "accuracy", errors_as_costs(len(set(data[1]))))

    def check(self, result, least, nodes, size=1, price=0):
        super().check(result, least, nodes, size, price)
        difference = Fraction(result.misclassified) - self.recount(result.tree)
        assert abs(difference) <= self.tolerance(nodes, price)


class Balanced(Costs):
    """One minus the balanced accuracy."""

    def __init__(self, data, prices=None):
        names = sorted(set(data[1]))
        pairs = list(zip(*data[1:], strict=True))
        totals = [sum(Fraction(w) for y, w in pairs if y == name) for name in names]
        n_present = sum(total > 0 for total in totals)
        matrix = [
            [cost / (n_present * total) if total else Fraction(0) for cost in row]
            for row, total in zip(errors_as_costs(len(names)), totals, strict=True)
        ]
        super().__init__(data, "balanced_accuracy", matrix, prices)
        self.n_present = n_present

    def is_plain(self, price):
        return not price and self.options["feature_costs"] is None

    def tolerance(self, nodes, price):
        return super().tolerance(0 if self.is_plain(price) else nodes, price)

    def check(self, result, least, nodes, size=1, price=0):
        super().check(result, least, nodes, size, price)
        if self.n_present > 1 and self.is_plain(price):
            rows = [row for row in zip(*self.data, strict=True) if row[2] > 0]
            X, y, weight = zip(*rows, strict=True)
            weight = list(map(float, weight))
            predicted = result.tree.predict(X)
            score = balanced_accuracy_score(y, predicted, sample_weight=weight)
            assert result.objective == pytest.approx(1 - score, abs=1e-9)


class Squares(Problem):
    """Squared errors, which the solver rounds relative to that of a leaf."""

    leaf_cost = staticmethod(squared_error)

    def __init__(self, data, prices=None):
        super().__init__(data, "squared_error", prices)
        self.rows = exact_rows(*data)
        self.total = squared_error(self.rows)

    def recount(self, tree):
        return recount_squares(tree, self.data, self.prices)

    def tolerance(self, nodes, price):
        times = 1 if self.options["feature_costs"] is None else 4
        return self.total * times / 10**9 + UNDERFLOW


class Impurities(Problem):
    """Gini impurity or log loss, rounded relative to that of a leaf of all rows."""

    def __init__(self, data, objective, prices=None):
        super().__init__(data, objective, prices)
        self.leaf_cost = IMPURITIES[objective]
        self.rows = exact_rows(*data)
        weight = [w for _, _, w in self.rows]
        self.total = sum(weight)
        self.root = Fraction(self.leaf_cost(self.rows))
        # The relative rounding error of a weight, and of a sum in float64.
        self.rounding = self.total / min(weight) / 2**51 + Fraction(1, 2**44)

    def recount(self, tree):
        exact = recount_impurities(tree, self.rows, self.leaf_cost, self.prices)
        return Fraction(exact)

    def best(self, depth, size=1):
        return list(map(Fraction, super().best(depth, size)))

    def tolerance(self, nodes, price):
        times = 1 if self.options["feature_costs"] is None else 8
        root = self.root + Fraction(sum(self.prices)) / 2**8
        units = (2 * nodes + 2) * times / Fraction(2**36 - 2**12)
        return root * (units + self.rounding) + price * nodes / 2**40


class ErrorsThenGini(Problem):
    """Errors first, then the Gini impurity; weights are integers.

    As one number: an error is twice the total weight, more than any impurity.
    """

    def __init__(self, data, prices=None):
        super().__init__(data, "accuracy_then_gini", prices)
        self.rows = exact_rows(*data)
        self.total = sum(w for _, _, w in self.rows)
        self.root = Fraction(gini(self.rows))

    def leaf_cost(self, rows):
        return 2 * self.total * leaf_error(rows) + gini(rows)

    def recount(self, tree):
        return Fraction(recount_impurities(tree, self.rows, self.leaf_cost))

    def check(self, result, least, nodes, size=1, price=0):
        error = 2 * self.total
        cost = self.recount(result.tree)
        errors = recount_impurities(result.tree, self.rows, leaf_error)
        assert result.status == "optimal"
        assert result.objective == result.lower_bound
        assert result.gap == 0.0
        objective = errors + price * result.tree.n_nodes
        assert abs(Fraction(result.objective) - objective) <= objective / 2**50
        # Impurities are rounded at each leaf, and prices to parts of an error; they
        # decide between trees with equal errors in these parts.
        most_errors = max(leaf_error(self.rows), 1)
        in_steps = max(2**10 * most_errors, 2**20)
        resolution = self.root * (2 * nodes + 4) * in_steps / 2**41
        if price:
            resolution += error * Fraction(nodes, 2**10) + self.root
        assert abs(cost + error * price * result.tree.n_nodes - least) <= resolution
        assert result.tree.n_nodes <= nodes
        check_leaves(result.tree, self.X, self.weight, size)


class Distances(Problem):
    """Absolute errors, rounded by 2**-33 of the largest possible in each row."""

    leaf_cost = staticmethod(absolute_error)

    def __init__(self, data):
        super().__init__(data, "absolute_error")
        self.rows = exact_rows(*data)
        self.total = absolute_error(self.rows)

    def recount(self, tree):
        """Return the exact error of the tree's own values."""
        return sum(
            w * abs(t - Fraction(float(tree.value[leaf_of(tree, x), 0])))
            for x, t, w in self.rows
        )

    def tolerance(self, nodes, price):
        targets = [t for _, t, _ in self.rows]
        worst = (max(targets) - min(targets)) * sum(map(Fraction, self.weight))
        return worst * (len(self.weight) + 8) / 2**33 + UNDERFLOW


@st.composite
def problems(draw, kind):
    """Draw a problem with real weights; "prices" are squares with prices of columns."""
    if kind in ("squared_error", "prices"):
        problem = Squares(draw(target_instances()))
        if kind == "squared_error":
            return problem
        largest = min(float(problem.total) / 3, 1e300)
        prices = draw(feature_prices(len(problem.X[0]), largest))
        return Squares(problem.data, prices)
    if kind == "absolute_error":
        return Distances(draw(target_instances()))
    data = draw(real_instances())
    if kind in IMPURITIES:
        largest = float(sum(map(Fraction, data[2]))) / 8
        return Impurities(data, kind, draw(feature_prices(len(data[0][0]), largest)))
    if kind != "costs":
        return (Errors if kind == "weights" else Balanced)(data)
    n_classes = len(set(data[1]))
    matrix = draw(cost_matrices(n_classes))
    if draw(st.sampled_from([True, False, False])):
        matrix = errors_as_costs(n_classes)
    largest = float(Costs(data, matrix, matrix).total) / 4
    return Costs(data, matrix, matrix, draw(feature_prices(len(data[0][0]), largest)))
