"""What all problems have in common: data for the core, and answers recounted on it.

A problem is told to the core in one of three ways: rows are *counted* by class, each
row has a *cost* for every label, or rows have real *targets*. Its answers are checked
against the data, and objectives are recomputed from the user's own numbers.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import replace
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from murtree._input.whole_numbers import as_written, finest_shift, sums_by
from murtree._solver.units import Measure
from murtree._tree.layout import NO_CHILD, NO_FEATURE
from murtree._tree.tree import Tree

MAX_SUM = 2**34  # of costs in units: leaves room for the costs of features

Prices = npt.NDArray[np.float64] | None  # of a test of each column; None: all are free


class PackedBits:
    """A copy of 0/1 data, an eighth of its size: its owner may change the original."""

    def __init__(self, bits: npt.NDArray[np.uint8]) -> None:
        self.shape = bits.shape
        self._bytes = np.packbits(bits, axis=1)

    def unpacked(self) -> npt.NDArray[np.uint8]:
        """Return the data as it was."""
        return np.unpackbits(self._bytes, axis=1, count=self.shape[1])

    def leaves(self, tree: Tree) -> npt.NDArray[np.int64]:
        """Return the leaf of a tree on these columns that each row reaches."""
        tests = tree.feature >= 0
        used = np.unique(tree.feature[tests])
        if not used.size:
            return np.zeros(self.shape[0], dtype=np.int64)
        feature = tree.feature.copy()
        feature[tests] = np.searchsorted(used, feature[tests])
        columns = self._bytes[:, used // 8] >> (7 - used % 8).astype(np.uint8) & 1
        return replace(tree, feature=feature, n_features=used.size).apply(columns)


class Problem(ABC):
    """Data and objective, as the core takes them."""

    kind: ClassVar[str]  # "counted", "costs" or "targets"
    n_samples: int
    n_rows: int  # of positive weight
    n_features: int
    weight: npt.NDArray[Any]  # of all samples
    classes: npt.NDArray[Any] | None

    @abstractmethod
    def arguments(self) -> dict[str, Any]:
        """Return the data as arguments for the core."""

    @abstractmethod
    def measure(self, leaf_cost: int) -> Measure:
        """Return the unit of costs, given what the core says of a lone leaf."""

    @abstractmethod
    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree that the core found, and its objective on the data."""

    @abstractmethod
    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values on the data, and its objective.

        For trees that no search found; before the data is handed to the core.
        """

    @abstractmethod
    def kept(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return those of numbers for all samples whose rows the core has."""

    def _keep(self, bits: npt.NDArray[np.uint8]) -> None:
        """Keep rows for recounts as a packed copy, and as they are until the core."""
        self._given, self._bits = bits, PackedBits(bits)
        self.n_rows, self.n_features = bits.shape

    def _handed_over(self) -> npt.NDArray[np.uint8]:
        """Return the rows for the core."""
        given, self._given = self._given, np.empty((0, 0), dtype=np.uint8)
        return given


class RealTargets(Problem):
    """Rows with real targets; those of weight zero are absent."""

    classes = None

    def __init__(
        self,
        bits: npt.NDArray[np.uint8],
        targets: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
        prices: Prices,
    ) -> None:
        present = weight > 0
        keep: Any = slice(None) if present.all() else present
        self.weight, self._kept = weight, keep
        self._keep(bits[keep])
        self._weight, self._prices = weight[keep], prices
        self.n_samples = bits.shape[0]
        # With targets of at most one nothing overflows on the way.
        _, self._exponent = math.frexp(float(np.abs(targets[keep]).max()))
        self._targets = np.ldexp(targets[keep], -self._exponent)

    def kept(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return those of the rows with weight."""
        return np.ascontiguousarray(numbers[self._kept])


def exact_units(
    costs: npt.NDArray[np.int64],
) -> tuple[npt.NDArray[np.int64], int] | None:
    """Return whole costs of rows and labels, times a power of two; None: too large.

    No tree worth having costs more than a lone leaf, so that no row needs to; and the
    power leaves room for penalties between the whole numbers.
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
    """Return real costs, times a power of two, rounded down; capped like whole ones.

    Rounded down, a capped cost is still no less than a lone leaf's, whose own is a sum
    of numbers rounded down: a tree that pays it is never taken before the leaf.
    """
    leaf = min(math.fsum(column) for column in costs.T)
    capped = np.minimum(costs, leaf * (1 + 2**-20))
    largest = capped.max(axis=1)
    shift = finest_shift(largest, MAX_SUM) if largest.any() else 0
    return np.floor(np.ldexp(capped, shift)).astype(np.int64), shift


def whole_prices(prices: Prices, unit: Fraction, most: int) -> npt.NDArray[np.int64]:
    """Return the costs of features in units, rounded down; none if all are free.

    One that costs more than any tree worth having costs just that much.
    """
    if prices is None:
        return np.empty(0, dtype=np.int64)
    wholes = [int(as_written(price) / unit) for price in prices.tolist()]
    return np.array([min(whole, most + 1) for whole in wholes], dtype=np.int64)


def exact_tree_price(tree: Tree, prices: Prices) -> Fraction:
    """Return what the tests of a tree cost."""
    if prices is None:
        return Fraction(0)
    tests = tree.feature[tree.feature >= 0]
    return sum((as_written(price) for price in prices[tests].tolist()), Fraction(0))


def total_cost(tree: Tree, costs: npt.NDArray[np.float64], prices: Prices) -> float:
    """Return the sum of the costs at the leaves and of the tests."""
    spent = costs[tree.feature < 0]
    if prices is not None:
        spent = np.concatenate([spent, prices[tree.feature[tree.feature >= 0]]])
    return float(sums_by(np.zeros(spent.size, dtype=np.int64), spent, 1)[0])


def totals(tree: Tree, at_leaves: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Add up what is at the leaves towards the root; children stand after parents."""
    sums = at_leaves.copy()
    for node in np.flatnonzero(tree.feature >= 0)[::-1]:
        sums[node] = sums[tree.children_left[node]] + sums[tree.children_right[node]]
    return sums


def without(found: dict[str, Any], tests: set[int]) -> dict[str, Any]:
    """Return the shape of a tree with some of its branching nodes made leaves."""
    left, right = found["children_left"], found["children_right"]
    kept: list[int] = []
    below = [0]
    while below:  # depth first, as nodes are stored
        node = below.pop()
        kept.append(node)
        if found["feature"][node] >= 0 and node not in tests:
            below += [int(right[node]), int(left[node])]
    feature = found["feature"][kept].copy()
    feature[[k for k, node in enumerate(kept) if node in tests]] = NO_FEATURE
    place = {node: k for k, node in enumerate(kept)}
    shape: dict[str, Any] = {"feature": feature}
    for name, child in (("children_left", left), ("children_right", right)):
        to = [
            NO_CHILD if f < 0 else place[int(child[n])]
            for f, n in zip(feature, kept, strict=True)
        ]
        shape[name] = np.array(to, dtype=np.int32)
    return shape


def check_recount(recounted: float, found: int, tolerance: float) -> None:
    """Refuse an answer that the data does not bear out: never a silent wrong one."""
    if not abs(recounted - found) <= tolerance:
        raise RuntimeError(
            f"Internal error: the core says that a tree costs {found} units, but on "
            f"the data it costs {recounted}. Please report this."
        )
