"""Class weights: given by the user, or balanced."""

from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.utils.class_weight import compute_class_weight

from murtree._input.arrays import as_real_array, encode_labels
from murtree._solver.objectives.read import class_weights

Shares = npt.NDArray[np.float64] | None  # of each class in a row; None: one class only


def weighted_by_class(
    y: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    class_weight: dict[Any, float] | str,
    shares: Shares = None,
) -> tuple[npt.NDArray[Any], Shares]:
    """Return row weights multiplied by their class weights, or balanced.

    A row with shares of several classes has the mean of their weights.
    """
    classes, codes = encode_labels(y, y.size)
    factors = _factors(classes, codes, y, weight, class_weight)
    if shares is None:
        return np.asarray(weight * factors[codes]), None
    by_class = shares * factors
    mean = by_class.sum(axis=1, keepdims=True)
    shares = np.divide(by_class, mean, out=shares.copy(), where=mean > 0)
    return np.asarray(weight * mean[:, 0]), shares


def _factors(
    classes: npt.NDArray[Any],
    codes: npt.NDArray[np.int32],
    y: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    class_weight: dict[Any, float] | str,
) -> npt.NDArray[np.float64]:
    if isinstance(class_weight, dict):
        factors = compute_class_weight(class_weight, classes=classes, y=y)
        factors = as_real_array(factors, "class_weight")
        if (factors < 0).any():
            raise ValueError(
                f"class_weight must be non-negative. Got {factors.min()} instead."
            )
        return factors
    # Classes whose rows all have weight zero are absent.
    by_class = class_weights(codes, weight, classes.size)
    mean = sum(by_class) / sum(1 for total in by_class if total)
    shares = [float(mean / total) if total else 0.0 for total in by_class]
    return np.array(shares)
