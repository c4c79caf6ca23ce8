"""Classification problems: rows are counted for small integer costs, else summed."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import as_binary
from murtree._input.bit_columns import BitColumns
from murtree._input.fixed_point import (
    MAX_EXACT,
    FixedPoint,
    common_unit,
    sums_by,
    times_unit,
    whole_numbers,
)
from murtree._solver.objectives.problem import (
    MAX_SUM,
    Prices,
    Problem,
    Rows,
    SummedRows,
    check_recount,
    exact_tree_price,
    exact_units,
    leaves_of,
    nearest_units,
    total_cost,
    totals,
    whole_prices,
)
from murtree._solver.units import Measure
from murtree._table.ranked_rows import RankedRows
from murtree._tree.tree import Tree

MAX_COSTS = 2**28  # rows times labels: 2 GB
# Counting weights takes time proportional to their bits; up to about eight bits it is
# faster than sums. Above the second limit counts do not fit vector lanes.
FEW_BITS = 8
LIGHT = 2**30

Matrix = list[list[Fraction]]


@dataclass(frozen=True, eq=False)
class Labels:
    """Rows with classes and weights, and the costs of errors."""

    bits: Rows
    codes: npt.NDArray[np.int32]
    weight: npt.NDArray[Any]  # int64 or float64, non-negative
    classes: npt.NDArray[Any]
    prices: Prices = None
    error_costs: list[Fraction] | None = None  # per class; None: every error costs 1
    matrix: Matrix | None = None  # by true class and label, if costs depend on both
    shares: npt.NDArray[np.float64] | None = None  # of each class in a row, if several

    @property
    def full_matrix(self) -> Matrix:
        """The cost of each label in each class."""
        if self.matrix is not None:
            return self.matrix
        costs = self.error_costs or [Fraction(1)] * self.classes.size
        nothing = Fraction(0)
        return [
            [nothing if true == label else cost for label in range(len(costs))]
            for true, cost in enumerate(costs)
        ]


def label_problem(labels: Labels) -> Problem:
    """Return a classification problem in the form that is cheapest for the core."""
    if labels.matrix is None and labels.prices is None and labels.shares is None:
        weight = whole_numbers(labels.weight, MAX_EXACT)
        if weight is not None:
            return _counted(labels, weight) or SummedLabels(labels)
    return SummedLabels(labels)


def _counted(labels: Labels, weight: FixedPoint) -> Problem | None:
    """Return a problem with counted rows; None if sums of costs are faster.

    Integers too large for sums are always counted, because counts are exact.
    """
    if labels.error_costs is None:
        is_exact = weight.is_exact or labels.weight.dtype.kind == "i"
        is_heavy = is_exact and weight.numbers.sum() > MAX_SUM
        counts = is_heavy or _is_light(weight.numbers)
        return CountedLabels(labels, weight) if counts else None
    unit = common_unit(labels.error_costs)
    multiples = [int(cost / unit) for cost in labels.error_costs]
    if not 0 < min(multiples) <= max(multiples) < LIGHT:
        return None  # rows of weight zero would not count towards leaf sizes
    by_row = np.array(multiples, dtype=np.int64)[labels.codes]
    if float(by_row.max()) * float(weight.numbers.max()) >= LIGHT:
        return None
    if not _is_light(by_row * weight.numbers):
        return None
    return CountedLabels(labels, weight, multiples, unit)


def _is_light(weight: npt.NDArray[np.int64]) -> bool:
    bits = np.bitwise_count(weight)
    return bool(weight.sum() < LIGHT and bits.sum() <= FEW_BITS * weight.size)


class CountedLabels(Problem):
    """Problem with small integer costs: the core counts rows by class."""

    kind = "counted"

    def __init__(
        self,
        labels: Labels,
        weight: FixedPoint,
        multiples: list[int] | None = None,
        unit: Fraction = Fraction(1),
    ) -> None:
        self.classes, self.weight = labels.classes, labels.weight
        self.n_features = labels.bits.shape[1]
        self.n_rows = int(np.count_nonzero(labels.weight))
        self._weight = weight
        self._unit = unit * weight.unit
        self._multiples = None if multiples is None else np.array(multiples)
        numbers, bits = weight.numbers, labels.bits
        if self._multiples is not None:
            numbers = numbers * self._multiples[labels.codes]
        self._most = int(numbers.sum())
        self.data = {
            "X": bits.words if isinstance(bits, BitColumns) else bits,
            "y": labels.codes,
            "weight": numbers,
            "n_classes": labels.classes.size,
        }

    def kept(self, numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
        """Return all numbers: the core drops rows without weight itself."""
        return numbers

    def measure(self, leaf_cost: int) -> Measure:  # noqa: ARG002
        """Return the unit: that of the weights times that of the costs."""
        total = self._most * self._unit
        return Measure(
            unit=self._unit,
            total=int(total) if total.denominator == 1 else float(total),
            most=self._most,
            is_whole=self._counts_errors,
            is_exact=self._weight.is_exact,
        )

    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree with the user's weights at its nodes."""
        counts, label = found["value"], None
        heaviest = np.argmax(counts, axis=1)
        wrong = counts.copy()
        np.put_along_axis(wrong, heaviest[:, np.newaxis], 0, axis=1)
        errors = int(wrong[found["feature"] < 0].sum())
        if self._multiples is not None:
            label, counts = heaviest.astype(np.int32), counts // self._multiples
        value = times_unit(counts, self._weight.unit)
        objective = errors * self._unit
        tree = Tree._on_bits(found, self, value, label=label)
        return tree, int(objective) if self._counts_errors else float(objective)

    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values and its objective."""
        given, size = self.data, found["feature"].size
        n_classes: int = given["n_classes"]
        bare = Tree._on_bits(found, self, np.zeros((size, n_classes)))
        cells = bare.apply(given["X"]) * n_classes + given["y"]
        counts = np.zeros(size * n_classes, dtype=np.int64)
        np.add.at(counts, cells, given["weight"])
        value = totals(bare, counts.reshape(size, n_classes))
        return self.recount({**found, "value": value})

    @property
    def _counts_errors(self) -> bool:
        return self._multiples is None and self._unit.denominator == 1


class SummedLabels(SummedRows):
    """Problem with a cost for each row and label: the core adds them up."""

    kind = "costs"

    def __init__(self, labels: Labels) -> None:
        bits = labels.bits
        rows = bits if isinstance(bits, RankedRows) else as_binary(bits)
        super().__init__(rows, labels.weight, labels.prices)
        self.classes, self._codes = labels.classes, labels.codes[self._kept]
        check_room(self.n_rows, labels.classes.size)
        matrix = labels.full_matrix
        self._matrix = np.array(matrix, dtype=np.float64)
        self._shares = None if labels.shares is None else labels.shares[self._kept]
        if self._shares is not None:
            self._by_class = self._weight[:, np.newaxis] * self._shares
            self._costs, shift = nearest_units(self._by_class @ self._matrix)
            self._unit, self._is_exact = Fraction(2) ** -shift, False
        else:
            self._costs, self._unit, self._is_exact = _costs_in_units(
                self._weight, self._codes, matrix
            )
        self._most = int(self._costs.max(axis=1).sum())
        self._whole_prices = whole_prices(self._prices, self._unit, self._most)
        self.data |= {"costs": self._costs, "feature_costs": self._whole_prices}
        self._counts_errors = (
            labels.matrix is None
            and labels.error_costs is None
            and labels.prices is None
            and labels.shares is None
            and labels.weight.dtype.kind == "i"
        )

    def measure(self, leaf_cost: int) -> Measure:  # noqa: ARG002
        """Return the unit of costs; penalties are fractions of the largest cost."""
        by_class = self._matrix.max(axis=1)
        if self._shares is None:
            worst = by_class[self._codes] * self._weight
        else:
            worst = self._by_class @ by_class
        return Measure(
            unit=self._unit,
            total=float(sums_by(np.zeros(worst.size, np.int64), worst, 1)[0]),
            most=self._most,
            is_whole=self._counts_errors,
            is_counted=False,
            is_exact=self._is_exact,
        )

    def recount(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return the tree with the label of least cost at each node."""
        return self.filled(found)

    def filled(self, found: dict[str, Any]) -> tuple[Tree, float]:
        """Return a tree of any shape with its values and its objective."""
        size, n_classes = found["feature"].size, self._matrix.shape[0]
        bare = Tree._on_bits(found, self, np.zeros((size, n_classes)))
        leaves = leaves_of(self._bits, bare)
        cost = self._check(found, bare, leaves)
        value = totals(bare, self._class_weights(leaves, size))
        costs = self._label_costs(value)
        label = np.argmin(costs, axis=1).astype(np.int32)
        is_expected = self._shares is not None
        tree = Tree._on_bits(found, self, value, label=label, is_expected=is_expected)
        if self._counts_errors:
            return tree, int(cost * self._unit)
        if self._is_exact:
            return tree, float(cost * self._unit + exact_tree_price(tree, self._prices))
        return tree, total_cost(tree, costs.min(axis=1), self._prices)

    def _class_weights(
        self, leaves: npt.NDArray[np.int64], size: int
    ) -> npt.NDArray[Any]:
        """Return the weight of each class at each leaf."""
        n_classes = self._matrix.shape[0]
        if self._shares is not None:
            columns = [sums_by(leaves, column, size) for column in self._by_class.T]
            return np.column_stack(columns)
        cells = leaves * n_classes + self._codes
        sums = sums_by(cells, self._weight, size * n_classes).reshape(size, n_classes)
        return sums if self._weight.dtype.kind == "f" else sums.astype(np.int64)

    def _label_costs(self, value: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
        """Return the cost of each label at each node."""
        size, n_classes = value.shape
        products = value[:, :, np.newaxis] * self._matrix  # node, true class, label
        cells = np.arange(size * n_classes).reshape(size, 1, n_classes)
        by_cell = np.broadcast_to(cells, products.shape).ravel()
        return sums_by(by_cell, products.ravel(), cells.size).reshape(value.shape)

    def _check(
        self, found: dict[str, Any], tree: Tree, leaves: npt.NDArray[np.int64]
    ) -> int:
        """Return the cost of the leaves; compare the core's tree with the data."""
        size = tree.feature.size
        sums = [np.bincount(leaves, costs, minlength=size) for costs in self._costs.T]
        cost = int(np.min(sums, axis=0).sum())
        price = 0
        if self._prices is not None:
            price = int(self._whole_prices[tree.feature[tree.feature >= 0]].sum())
        if "cost" in found:
            check_recount(cost + price, found["cost"], tolerance=0)
        return cost


def check_room(n_rows: int, n_classes: int) -> None:
    if n_rows * n_classes > MAX_COSTS:
        raise ValueError(
            "The rows times the classes must be at most "
            f"{MAX_COSTS} where errors have costs or real weights. Got {n_rows} rows "
            f"and {n_classes} classes."
        )


def _costs_in_units(
    weight: npt.NDArray[Any], codes: npt.NDArray[np.int32], matrix: Matrix
) -> tuple[npt.NDArray[np.int64], Fraction, bool]:
    """Return the cost of each row and label in units, the unit, and if it is exact."""
    unit = common_unit(cost for row in matrix for cost in row)
    multiples = np.array([[int(cost / unit) for cost in row] for row in matrix], object)
    whole = whole_numbers(weight, MAX_EXACT)
    if whole is not None and multiples.max() * int(whole.numbers.sum()) <= MAX_EXACT:
        products = multiples.astype(np.int64)[codes] * whole.numbers[:, np.newaxis]
        exact = exact_units(products)
        if exact is not None:
            costs, shift = exact
            return costs, unit * whole.unit / 2**shift, whole.is_exact
    reals = np.array(matrix, dtype=np.float64)[codes] * weight[:, np.newaxis]
    costs, shift = nearest_units(reals)
    return costs, Fraction(2) ** -shift, False
