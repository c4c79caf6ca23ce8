"""Binary data with two classes and integer weights, for metrics."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import as_binary
from murtree._input.fixed_point import MAX_EXACT, rounded, times_unit
from murtree._solver.leaf_sizes import LeafWeights
from murtree._solver.metrics.metrics import Classes, positive_code
from murtree._solver.objectives.problem import PackedBits
from murtree._solver.objectives.read import read_labels


@dataclass(frozen=True)
class BinaryData:
    """Binary data with two classes and weights in units."""

    bits: PackedBits
    codes: npt.NDArray[np.int32]  # 1: the positive class
    weight: npt.NDArray[np.int64]
    unit: Fraction
    classes: npt.NDArray[Any]  # sorted
    is_swapped: bool = False  # whether the positive class is the first one

    @property
    def unit_classes(self) -> Classes:
        """The weights of the two classes, in units."""
        negatives, positives = (
            int(self.weight[self.codes == code].sum()) for code in (0, 1)
        )
        return Classes(negatives, positives)

    @property
    def leaf_weights(self) -> LeafWeights:
        """The weights that limit the size of leaves."""
        return LeafWeights(self.weight, int(self.weight.sum()))

    @property
    def n_distinct(self) -> int:
        """How many rows with weight differ."""
        return self.bits.n_distinct(self.weight > 0)

    @property
    def pos_label(self) -> Any:
        """The positive class."""
        return self.classes.tolist()[0 if self.is_swapped else 1]

    def in_order(
        self, value: npt.NDArray[np.int64], label: npt.NDArray[Any]
    ) -> dict[str, Any]:
        """Return values and labels of nodes in the order of the sorted classes."""
        if self.is_swapped:
            value, label = np.ascontiguousarray(value[:, ::-1]), 1 - label
        return {
            "value": times_unit(value, self.unit),
            "label": label.astype(np.int32),
            "classes": self.classes,
        }


def read_binary(X: Any, y: Any, sample_weight: Any, pos_label: Any) -> BinaryData:
    """Return the user's 0/1 data with two classes, all checked."""
    labels = read_labels(X, y, sample_weight)
    n_classes = labels.classes.size
    if n_classes != 2:
        kind = "multiclass" if n_classes > 2 else "one class"
        raise ValueError(
            "Only binary classification is supported. The type of the target is "
            f"{kind}: y must have two classes. Got {n_classes} instead."
        )
    whole = rounded(labels.weight, MAX_EXACT)
    is_swapped = positive_code(pos_label, labels.classes, "MetricSolver") == 0
    return BinaryData(
        PackedBits(as_binary(labels.bits)),
        1 - labels.codes if is_swapped else labels.codes,
        whole.numbers,
        whole.unit,
        labels.classes,
        is_swapped,
    )
