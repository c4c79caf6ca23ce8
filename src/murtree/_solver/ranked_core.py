"""The search over all cuts of ranked rows, as a core for `Engine`.

It takes the same requests and gives the same answers as the search over 0/1 columns;
`feature` is the index of a test. See cpp/thresholds.
"""

from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._core import RankedTable
from murtree._table.ranked_rows import RankedRows
from murtree._tree.layout import NO_CHILD, NO_FEATURE

# Bytes that the core takes for each row of each chain. RANKS: its rank and its place in
# the sorted order. WIDTHS: the width of its gap. SORTED: the sorted rows of the last
# level of a tree. LEVEL: the order, the ranks and the positions at each level above the
# last two. For lower bounds there may be a copy of up to half of the rows, without
# widths.
RANKS, WIDTHS, SORTED, LEVEL = 8, 8, 20, 20


class OneLeaf(NamedTuple):
    """A tree without a test: its cost, and the part of it that no tree can avoid."""

    n_rows: int
    cost: int
    unavoidable: int


class RankedCore:
    """A classification problem with ranked rows.

    Parameters
    ----------
    X : RankedRows
        The rows.
    y, weight : ndarrays, default=None
        The class of each row and the cost of an error, if rows are counted.
    n_classes : int, default=0
        The number of classes.
    costs : ndarray of shape (n_rows, n_labels), default=None
        The cost of each row and label otherwise.
    feature_costs : ndarray, default=None
        Must be empty: tests are free.
    """

    def __init__(
        self,
        *,
        X: RankedRows,
        y: npt.NDArray[np.int32] | None = None,
        weight: npt.NDArray[np.int64] | None = None,
        n_classes: int = 0,
        costs: npt.NDArray[np.int64] | None = None,
        feature_costs: npt.NDArray[np.int64] | None = None,
    ) -> None:
        assert feature_costs is None or not feature_costs.size
        self._kept: Any = slice(None)
        self._is_counted = costs is None
        if y is not None and weight is not None:
            present = weight > 0
            if not present.all():
                self._kept = present
            by_class = np.zeros((y.size, n_classes), dtype=np.int64)
            by_class[np.arange(y.size), y] = weight
            self._weights = by_class[self._kept]
            costs = self._weights.sum(axis=1, keepdims=True) - self._weights
        assert costs is not None
        self._rows, self._costs = X[self._kept], np.ascontiguousarray(costs)
        self._tables: dict[bytes, RankedTable] = {}

    def solve(
        self,
        *,
        leaf_weight: npt.NDArray[np.int64],
        min_weight_leaf: int,
        memory_limit: int,
        max_depth: int,
        anytime: bool,
        callback: Any,
        **request: Any,
    ) -> dict[str, Any]:
        """Return the answers to a request, with trees on the tests."""
        self._check_memory(memory_limit, max_depth, has_copy=anytime)

        def forward(state: dict[str, Any]) -> Any:
            return callback(self._with_tests(state))

        found: dict[str, Any] = self._table(leaf_weight, min_weight_leaf).solve(
            max_depth=max_depth,
            anytime=anytime,
            min_weight_leaf=min_weight_leaf,
            callback=None if callback is None else forward,
            **request,
        )
        found["answers"] = [self._with_tests(answer) for answer in found["answers"]]
        leaf = self.one_leaf
        found["stats"] |= {
            "reduced_rows": leaf.n_rows,
            "unavoidable": leaf.unavoidable,
        }
        return found

    @cached_property
    def one_leaf(self) -> OneLeaf:
        """The costs of all rows in one leaf."""
        cost, least = self._costs.sum(axis=0).min(), self._costs.min(axis=1).sum()
        return OneLeaf(self._costs.shape[0], int(cost), int(least))

    def _check_memory(self, limit: int, depth: int, *, has_copy: bool) -> None:
        """Raise an error if the search needs more bytes than allowed.

        It has no cache that could be smaller: its memory is that of the sorted rows.
        """
        n_chains, n_rows = self._rows.ranks.shape
        by_cell = RANKS + SORTED + LEVEL * max(depth - 2, 0)
        needed = n_chains * n_rows * by_cell + 16 * (self._costs.size + n_rows)
        if has_copy:
            needed += needed // 2
        needed += n_chains * n_rows * WIDTHS
        if 0 < limit < needed:
            raise ValueError(
                "The 'memory_limit' parameter must be at least "
                f"{-(-needed // 1_000_000)}MB to search all thresholds of this table. "
                f"Got {limit} bytes instead: choose fewer thresholds, for example with "
                "binarizer='quantile' (--binarizer quantile), or a higher limit."
            )

    def _table(self, leaf_weight: npt.NDArray[np.int64], least: int) -> RankedTable:
        weights = leaf_weight[self._kept] if least > 0 else leaf_weight[:0]
        key = weights.tobytes()
        table = self._tables.get(key)  # other threads may replace the dict
        if table is None:
            table = RankedTable(
                self._rows.ranks,
                self._costs,
                np.ascontiguousarray(weights),
                np.array([w.size for w in self._rows.widths], dtype=np.uint32),
                np.concatenate([*self._rows.widths, np.empty(0)]),
            )
            self._tables = {key: table}
        return table

    def _with_tests(self, found: dict[str, Any]) -> dict[str, Any]:
        """Return an answer with the indices of its tests, recounted on the rows."""
        if "test" not in found:
            return found
        chain, cut, test = found.pop("chain"), found.pop("cut"), found.pop("test")
        feature = np.full(test.size, NO_FEATURE, dtype=np.int32)
        for node in np.flatnonzero(test >= 0):
            k = test[node]
            feature[node] = self._rows.tests[chain[k]][cut[k] - 1]
        found["feature"] = feature
        numbers = self._weights if self._is_counted else self._costs
        sums, cost = self._at_nodes(found, (chain, cut, test), numbers)
        if self._is_counted:
            found["value"], found["misclassified"] = sums, cost
        else:
            found["cost"] = cost
        return found

    def _at_nodes(
        self,
        found: dict[str, Any],
        tests: tuple[npt.NDArray[Any], npt.NDArray[Any], npt.NDArray[Any]],
        numbers: npt.NDArray[np.int64],
    ) -> tuple[npt.NDArray[np.int64], int]:
        """Return the sums of numbers by node, and the least cost of the leaves."""
        left, right = found["children_left"], found["children_right"]
        sums = np.zeros((left.size, numbers.shape[1]), dtype=np.int64)
        chain, cut, test = tests
        rows = {0: np.arange(numbers.shape[0])}
        for node in range(left.size):  # parents come before their children
            here, k = rows.pop(node), test[node]
            if k < 0:
                sums[node] = numbers[here].sum(axis=0)
                continue
            is_left = self._rows.ranks[chain[k], here] < cut[k]
            rows[int(left[node])], rows[int(right[node])] = (
                here[is_left],
                here[~is_left],
            )
        is_leaf = left == NO_CHILD
        heaviest = sums if self._is_counted else -sums
        by_leaf = heaviest.max(axis=1)
        cost = (sums.sum(axis=1) if self._is_counted else 0) - by_leaf
        total = int(cost[is_leaf].sum())
        for node in np.flatnonzero(~is_leaf)[::-1]:
            sums[node] = sums[left[node]] + sums[right[node]]
        return sums, total
