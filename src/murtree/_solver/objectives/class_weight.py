"""Class weights: given by the user, or balanced."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight

from murtree._input.arrays import as_real_array, encode_labels
from murtree._solver.objectives.read import class_weights


def weighted_by_class(
    y: npt.NDArray[Any], weight: npt.NDArray[Any], class_weight: dict[Any, float] | str
) -> npt.NDArray[Any]:
    """Return row weights multiplied by their class weights, or balanced."""
    classes, codes = encode_labels(y, y.size)
    if isinstance(class_weight, dict):
        factors = compute_class_weight(class_weight, classes=classes, y=y)
        factors = as_real_array(factors, "class_weight")
        if (factors < 0).any():
            raise ValueError(
                f"class_weight must be non-negative. Got {factors.min()} instead."
            )
        return np.asarray(weight * factors[codes])
    # Classes whose rows all have weight zero are absent.
    by_class = class_weights(codes, weight, classes.size)
    mean = sum(by_class) / sum(1 for total in by_class if total)
    shares = [float(mean / total) if total else 0.0 for total in by_class]
    return np.asarray(weight * np.array(shares)[codes])
