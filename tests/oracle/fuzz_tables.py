"""Random tables through `OptimalTreeClassifier`, by ranks, for `fuzz_judge`.

The judge gets the raw cells: it shares neither the thresholds nor the ranks. It checks
the optimum, that predictions have the reported objective, and the limits on the tree.
"""

import warnings
from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pandas as pd
from oracle.brute_force import (
    LeastSizes,
    as_meant,
    best_penalised,
    errors_as_costs,
    may_be_leaves,
    resolution,
    sum_tolerance,
)
from oracle.ranked import Ranked, judge
from oracle.raw_tables import random_column, series_of, tests_of

from murtree import OptimalTreeClassifier, TableBinarizer
from murtree._estimators import prepare


def fitted(table, y, weight, *, by_ranks=True, **parameters):
    """Return a classifier fitted by the search over ranks, or over 0/1 columns."""
    with patch.object(prepare, "are_ranked", lambda *_: by_ranks):
        clf = OptimalTreeClassifier(**parameters).fit(table, y, weight)
    assert ("stump_scans" in clf.search_stats_) == by_ranks
    return clf


def fitted_both(table, y, weight, **parameters):
    """Return classifiers fitted by the search over ranks, and over 0/1 columns."""
    return [
        fitted(table, y, weight, by_ranks=way, **parameters) for way in (True, False)
    ]


class TableCase:
    """A table, parameters of the classifier, and the costs of each row by label."""

    def __init__(self, seed):
        self.rng = rng = np.random.default_rng([seed, 7])
        n_rows = int(rng.integers(2, 15))
        self.columns = []
        for _ in range(rng.integers(1, 5)):
            self.columns.append(random_column(rng, n_rows, self.columns))
        self.depth = int(rng.choice([1, 2, 2, 3, 3, 4] if n_rows < 12 else [2, 3]))
        n_labels = int(rng.choice([2, 2, 3, 4, 5]))
        self.y = rng.integers(0, n_labels, n_rows)
        self.names = sorted(set(self.y.tolist()))
        self.weight = [
            None,
            None,
            rng.integers(1, 6, n_rows),
            rng.integers(0, 3, n_rows) + (np.arange(n_rows) == 0),
            rng.integers(1, 30, n_rows) / 10,
            rng.exponential(1.0, n_rows) * 10.0 ** rng.integers(-6, 6),
        ][rng.integers(6)]
        given = [1] * n_rows if self.weight is None else self.weight.tolist()
        self.given = [as_meant(w) for w in given]
        self.parameters = {"max_depth": self.depth}
        self.choose_costs()
        self.choose_limits()

    def choose_costs(self):
        """Choose the objective and the weights of the classes."""
        rng, names, k = self.rng, self.names, len(self.names)
        factors = dict.fromkeys(names, Fraction(1))
        matrix, kind = errors_as_costs(k), rng.integers(6)
        if kind == 0:
            factors = {name: Fraction(int(rng.integers(4))) for name in names}
            factors[int(self.y[0])] += 1  # not all are zero
            self.parameters["class_weight"] = {
                name: float(factor) for name, factor in factors.items()
            }
        elif kind in (1, 2) and k > 1:
            totals = {
                name: sum(
                    w for y, w in zip(self.y, self.given, strict=True) if y == name
                )
                for name in names
            }
            n_present = sum(total > 0 for total in totals.values())
            mean = sum(totals.values()) / n_present
            if kind == 2:
                mean = Fraction(1, n_present)
                self.parameters["objective"] = "balanced_accuracy"
            else:
                self.parameters["class_weight"] = "balanced"
            factors = {
                name: mean / t if t else Fraction(0) for name, t in totals.items()
            }
        elif kind == 3:
            matrix = rng.choice([0, 1, 2, 5, 0.25], (k, k))
            if rng.random() < 0.7:
                np.fill_diagonal(matrix, 0)
            matrix = matrix.tolist()
            self.parameters["objective"] = matrix
        self.counts = kind != 3
        self.is_whole = kind in (0, 4, 5) and np.asarray(self.weight).dtype.kind in "iO"
        pairs = list(zip(self.y.tolist(), self.given, strict=True))
        self.effective = [w * factors[y] for y, w in pairs]
        self.costs = [
            [w * Fraction(cost) for cost in matrix[names.index(y)]]
            for y, w in zip(self.y.tolist(), self.effective, strict=True)
        ]
        self.total = sum(self.effective if self.counts else map(max, self.costs))

    def choose_limits(self):
        """Choose the limits on the tree, and the price of a node."""
        rng, more = self.rng, self.parameters
        self.nodes = 2**self.depth - 1
        if rng.random() < 0.3:
            self.nodes = more["max_num_nodes"] = int(rng.integers(self.nodes + 1))
            if self.nodes <= 3 and rng.random() < 0.5:
                more["max_depth"], self.depth = None, self.nodes
        self.penalty = float(rng.choice([0, 0, 0, 0.02, 0.1, 0.3]) * rng.random())
        self.price = Fraction(self.penalty) * self.total
        if self.penalty:
            more["cost_complexity"] = self.penalty
        n_least, share = int(rng.choice([1, 1, 1, 2, 3])), 0.0
        if more.get("class_weight") != "balanced" and "objective" not in more:
            share = float(rng.choice([0, 0, 0, 0.1, 0.3]))
        self.size = LeastSizes(n_least, share, self.effective)
        more |= self.size.parameters
        more["fewest_nodes"] = bool(rng.random() < 0.3)
        more["frontier"] = bool(rng.random() < 0.1)
        own = TableBinarizer(strategy="exact")
        more["binarizer"] = own if rng.random() < 0.2 else "exact"

    def table(self):
        """Return a frame, or an array if all columns are plain numbers."""
        frame = pd.DataFrame(
            {f"c{k}": series_of(column) for k, column in enumerate(self.columns)}
        )
        kinds = {getattr(dtype, "kind", "O") for dtype in frame.dtypes}
        is_plain = kinds <= {"f"} and len(set(frame.dtypes)) == 1
        return frame.to_numpy() if is_plain and self.rng.random() < 0.5 else frame

    def expected(self):
        """Return the number of tests, and the least costs by number of nodes."""
        rows = [row for row, w in enumerate(self.given) if w > 0]
        by_column = [tests_of(column, rows) for column in self.columns]
        kept = [k for k, row in enumerate(rows) if self.effective[row] > 0]
        present = [rows[k] for k in kept]
        tests = sorted({test for tests in by_column for test in tests})
        ranks = [[int(test[k]) for k in kept] for test in tests]
        data = Ranked(
            np.array(ranks, dtype=int).reshape(len(tests), len(present)),
            np.array([self.costs[row] for row in present], dtype=object),
            np.array([self.effective[row] for row in present], dtype=object),
        )
        unit = Fraction(1)
        for cost in data.costs.ravel():
            unit = Fraction(1, np.lcm(unit.denominator, cost.denominator, dtype=object))
        data = data._replace(costs=data.costs / unit)
        least = judge(
            data,
            min_samples_leaf=self.size.n_rows,
            min_weight_leaf=self.size.weight,
        )
        by_nodes = [least(self.depth, nodes) * unit for nodes in range(self.nodes + 1)]
        return sum(map(len, by_column)), by_nodes

    def check(self):
        table = self.table()
        clf = fitted(table, self.y, self.weight, **self.parameters)
        n_tests, by_nodes = self.expected()
        assert clf.status_ == "optimal"
        assert clf.coverage_.n_tests == n_tests, (clf.coverage_, n_tests)
        self.check_tree(clf, table)
        tolerance = self.tolerance()
        found = Fraction(clf.objective_)
        least = best_penalised(by_nodes, self.price)
        assert clf.objective_ == clf.lower_bound_
        assert abs(found - least) <= tolerance, (float(found), float(least))
        if self.parameters["frontier"]:
            for result, expected in zip(clf.frontier_, by_nodes, strict=True):
                assert abs(Fraction(result.objective) - expected) <= tolerance
        if self.parameters["fewest_nodes"] and self.is_whole and not self.penalty:
            assert clf.n_nodes_ == by_nodes.index(least)

    def tolerance(self):
        if self.is_whole and not self.penalty:
            return 0
        tolerance = sum_tolerance(self.costs or [[0]], self.nodes)
        tolerance += 2 * self.total / 2**44
        if self.penalty:
            tolerance += self.total / 2**26
        if self.penalty and self.is_whole:
            tolerance += resolution(int(self.total)) * (self.nodes + 1)
        return tolerance

    def check_tree(self, clf, table):
        """Check that predictions have the reported objective, and the limits."""
        assert clf.n_nodes_ <= self.nodes
        assert clf.depth_ <= self.depth
        cost = self.price * clf.n_nodes_
        for row, label in enumerate(clf.predict(table).tolist()):
            if self.effective[row] > 0:
                cost += self.costs[row][self.names.index(label)]
        assert abs(cost - Fraction(clf.objective_)) <= self.tolerance()
        leaves = {}
        for row, leaf in enumerate(clf.apply(table).tolist()):
            if self.effective[row] > 0:
                leaves.setdefault(leaf, []).append((self.effective[row],))
        if clf.n_nodes_:
            assert len(leaves) == clf.n_nodes_ + 1
            assert all(may_be_leaves(rows, self.size) for rows in leaves.values())


def check_table(seed):
    """Compare one random table with the judge."""
    case = TableCase(seed)
    try:
        with warnings.catch_warnings():  # scikit-learn adds up the values of a table
            warnings.filterwarnings("ignore", "invalid value encountered in reduce")
            case.check()
    except Exception as error:
        raise AssertionError(f"table, {case.parameters}: {error!r}") from error
