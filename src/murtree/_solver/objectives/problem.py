"""Base of all problems: data for the core, and recounting of its results.

The core takes a problem in one of four forms: rows are *counted* by class, each row
has a *cost* for every label, or rows have real *targets*, or *classes* with weights.
Its results are checked against the data, and objectives are recomputed from the user's
numbers.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from murtree._input.bit_columns import BitColumns
from murtree._input.fixed_point import as_written, finest_shift, sums_by
from murtree._solver.units import Measure
from murtree._table.ranked_rows import RankedRows
from murtree._tree.layout import NO_CHILD, NO_FEATURE
from murtree._tree.tree import Tree

MAX_SUM = 2**34  # of costs in units; leaves room for the costs of features

Rows = npt.NDArray[np.uint8] | BitColumns | RankedRows  # the data of a problem
Prices = npt.NDArray[np.float64] | None  # cost of a test of each column; None: free


class PackedBits:
    """A packed copy of binary data, since the caller may modify the original."""

    def __init__(self, bits: npt.NDArray[np.uint8]) -> None:
        self.shape = bits.shape
        self._bytes = np.packbits(bits, axis=1)

    def unpacked(self) -> npt.NDArray[np.uint8]:
        """Return the data as one byte per value."""
        return np.unpackbits(self._bytes, axis=1, count=self.shape[1])

    def n_distinct(self, rows: npt.NDArray[np.bool_]) -> int:
        """Return how many of these rows differ."""
        return int(np.unique(self._bytes[rows], axis=0).shape[0])

    def bits(self, tests: npt.NDArray[Any]) -> npt.NDArray[np.uint8]:
        """Return a column for each of these tests."""
        columns = self._bytes[:, tests // 8] >> (7 - tests % 8).astype(np.uint8) & 1
        return columns.astype(np.uint8, copy=False)


def leaves_of(rows: PackedBits | RankedRows, tree: Tree) -> npt.NDArray[np.int64]:
    """Return the leaf that each row reaches in a tree."""
    tests = tree.feature >= 0
    used = np.unique(tree.feature[tests])
    if not used.size:
        return np.zeros(rows.shape[0], dtype=np.int64)
    feature = tree.feature.copy()
    feature[tests] = np.searchsorted(used, feature[tests])
    tree = replace(tree, feature=feature, n_features=used.size)
    return tree.apply(rows.bits(used))


class Problem(ABC):
    """Data and objective in the form that the core takes."""

    kind: ClassVar[str]  # "counted", "costs", "targets" or "classes"
    data: dict[str, Any]  # arguments of the core; empty once it has taken them
    n_rows: int  # of positive weight
    n_features: int
    weight: npt.NDArray[Any]  # of all samples
    classes: npt.NDArray[Any] | None

    @abstractmethod
    def measure(self, leaf_cost: int) -> Measure:
        """Return the unit of costs, given the core's cost of a single leaf."""

    @abstractmethod
    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree that the core found, and its objective on the data."""

    @abstractmethod
    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values and its objective.

        For trees not found by a search; only before the core has taken the data.
        """

    @abstractmethod
    def kept(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the numbers, one per sample, of the rows that the core has."""


class SummedRows(Problem):
    """Rows whose costs are added up; those of weight zero are dropped."""

    def __init__(
        self,
        bits: npt.NDArray[np.uint8] | RankedRows,
        weight: npt.NDArray[Any],
        prices: Prices,
    ) -> None:
        present = weight > 0
        self._kept: Any = slice(None) if present.all() else present
        self.weight, self._weight, self._prices = weight, weight[self._kept], prices
        self.data = {"X": bits[self._kept]}
        rows = self.data["X"]  # for recounts:
        self._bits: PackedBits | RankedRows = (
            rows if isinstance(rows, RankedRows) else PackedBits(rows)
        )
        self.n_rows, self.n_features = self._bits.shape

    def kept(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return the numbers of the rows with weight."""
        return np.ascontiguousarray(numbers[self._kept])


class RealTargets(SummedRows):
    """Rows with real targets."""

    classes = None

    def __init__(
        self,
        bits: npt.NDArray[np.uint8],
        targets: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
        prices: Prices,
    ) -> None:
        super().__init__(bits, weight, prices)
        targets = targets[self._kept]
        # Scale targets to at most one, so that nothing overflows.
        _, self._exponent = math.frexp(float(np.abs(targets).max()))
        self._targets = np.ldexp(targets, -self._exponent)
        self._to_fixed_point()

    @abstractmethod
    def _to_fixed_point(self) -> None:
        """Set the integers for the core, their unit and the objective of a leaf."""


def exact_units(
    costs: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], int] | None:
    """Return integer costs times a power of two, and that power; None if too large.

    A single leaf bounds the cost of every useful tree, so costs of rows are capped by
    it. The power leaves room for penalties between the integers.
    """
    capped = np.minimum(costs, costs.sum(axis=0).min() + 1)
    most = int(capped.max(axis=1).sum())
    if most > MAX_SUM:
        return None
    shift = (MAX_SUM // max(most, 1)).bit_length() - 1
    return capped << shift, shift


def nearest_units(
    costs: npt.NDArray[np.float64],
) -> tuple[npt.NDArray[np.int64], int]:
    """Return real costs times a power of two, rounded down, and that power.

    Costs are capped as in `exact_units`. Rounded down, a capped cost is still no less
    than that of a single leaf, which is a sum of rounded costs: a tree with such a
    cost is never preferred to the leaf.
    """
    leaf = min(math.fsum(column) for column in costs.T)
    capped = np.minimum(costs, leaf * (1 + 2**-20))
    largest = capped.max(axis=1)
    shift = finest_shift(largest, MAX_SUM) if largest.any() else 0
    return np.floor(np.ldexp(capped, shift)).astype(np.int64), shift


def whole_prices(prices: Prices, unit: Fraction, most: int) -> npt.NDArray[np.int64]:
    """Return the costs of features in units, rounded down; empty if all are free.

    Costs are capped at `most`, the cost of the most expensive useful tree.
    """
    if prices is None:
        return np.empty(0, dtype=np.int64)
    wholes = [int(as_written(price) / unit) for price in prices.tolist()]
    return np.array([min(whole, most + 1) for whole in wholes], dtype=np.int64)


def exact_tree_price(tree: Tree, prices: Prices) -> Fraction:
    """Return the exact cost of the tests of a tree."""
    if prices is None:
        return Fraction(0)
    tests = tree.feature[tree.feature >= 0]
    return sum((as_written(price) for price in prices[tests].tolist()), Fraction(0))


def total_cost(tree: Tree, costs: npt.NDArray[np.float64], prices: Prices) -> float:
    """Return the cost of the leaves plus the cost of the tests."""
    spent = costs[tree.feature < 0]
    if prices is not None:
        spent = np.concatenate([spent, prices[tree.feature[tree.feature >= 0]]])
    return float(sums_by(np.zeros(spent.size, dtype=np.int64), spent, 1)[0])


def totals(tree: Tree, at_leaves: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the sums of leaf values at all nodes; children follow their parents."""
    sums = at_leaves.copy()
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        sums[node] = sums[tree.children_left[node]] + sums[tree.children_right[node]]
    return sums


def without(found: dict[str, Any], tests: set[int]) -> dict[str, Any]:
    """Return the shape of a tree with some of its branching nodes made leaves."""
    left, right = found["children_left"], found["children_right"]
    kept: list[int] = []
    below = [0]
    while below:  # depth first, the order in which nodes are stored
        node = below.pop()
        kept.append(node)
        if found["feature"][node] >= 0 and node not in tests:
            below += [int(right[node]), int(left[node])]
    feature = found["feature"][kept].copy()
    feature[[k for k, node in enumerate(kept) if node in tests]] = NO_FEATURE
    index_of = {node: k for k, node in enumerate(kept)}
    shape: dict[str, Any] = {"feature": feature}
    for name, child in (("children_left", left), ("children_right", right)):
        to = [
            NO_CHILD if f < 0 else index_of[int(child[n])]
            for f, n in zip(feature, kept, strict=True)
        ]
        shape[name] = np.array(to, dtype=np.int32)
    return shape


def check_recount(recounted: float, found: int, tolerance: float) -> None:
    """Raise if the cost of a tree on the data differs from the core's cost."""
    if not abs(recounted - found) <= tolerance:
        raise RuntimeError(
            f"Internal error: the core reports a cost of {found} units for a tree, but "
            f"on the data it costs {recounted}. Please report this."
        )
