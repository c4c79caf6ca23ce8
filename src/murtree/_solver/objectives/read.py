"""Check the user's data and objective, and create the problem for the core."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import (
    as_binary,
    as_real_array,
    as_targets,
    check_sample_weight,
    check_size,
    encode_labels,
)
from murtree._input.bit_columns import BitColumns
from murtree._input.fixed_point import MAX_EXACT, as_written, sums_by, whole_numbers
from murtree._input.parameters import check_objective
from murtree._solver.objectives.absolute_error import Medians
from murtree._solver.objectives.classification import Labels, Matrix, label_problem
from murtree._solver.objectives.problem import Prices, Problem, Rows
from murtree._solver.objectives.squared_error import Targets
from murtree._table.ranked_rows import RankedRows

CLASS_OBJECTIVES = ("accuracy", "balanced_accuracy")
REGRESSION = ("squared_error", "absolute_error")


class ErrorCosts(tuple[Fraction, ...]):
    """The exact cost of an error in each class: an objective for a subset of the rows.

    Needed for the balanced accuracy, whose costs depend on the weights of all rows.
    """

    __slots__ = ()


def read_problem(
    X: Any,
    y: Any,
    sample_weight: Any,
    objective: Any,
    feature_costs: Any,
    *,
    shares: npt.NDArray[np.float64] | None = None,
) -> Problem:
    """Return the problem for the user's binary data and objective, all checked.

    `shares` are those of the classes in each row, where `y` is not all of it.
    """
    if not isinstance(objective, ErrorCosts):
        check_objective(objective, "Solver", (*CLASS_OBJECTIVES, *REGRESSION))
    if isinstance(objective, str) and objective in REGRESSION:
        bits = as_binary(_read_bits(X))
        targets = as_targets(y, bits.shape[0])
        check_size(bits.shape[1], 2)
        weight = check_sample_weight(sample_weight, bits.shape[0])
        prices = check_feature_costs(feature_costs, bits.shape[1], "Solver")
        kind = Targets if objective == "squared_error" else Medians
        return kind(bits, targets, weight, prices)
    labels = replace(read_labels(X, y, sample_weight), shares=shares)
    prices = None
    if feature_costs is not None:
        prices = check_feature_costs(feature_costs, labels.bits.shape[1], "Solver")
    n_classes = labels.classes.size
    error_costs, matrix = None, None
    if isinstance(objective, ErrorCosts):
        error_costs = list(objective)
    elif not isinstance(objective, str):
        error_costs, matrix = read_costs(objective, n_classes)
    elif objective == "balanced_accuracy":
        error_costs = balanced_costs(labels.codes, labels.weight, n_classes, shares)
    return label_problem(
        replace(labels, prices=prices, error_costs=error_costs, matrix=matrix)
    )


def read_labels(X: Any, y: Any, sample_weight: Any) -> Labels:
    """Return the user's binary rows with their classes and weights, all checked."""
    bits: Rows = X if isinstance(X, RankedRows) else _read_bits(X)
    classes, codes = encode_labels(y, bits.shape[0])
    n_features = 0 if isinstance(bits, RankedRows) else bits.shape[1]
    check_size(n_features, classes.size)
    weight = check_sample_weight(sample_weight, bits.shape[0])
    return Labels(bits, codes, weight, classes)


def _read_bits(X: Any) -> npt.NDArray[np.uint8] | BitColumns:
    bits = X if isinstance(X, BitColumns) else as_binary(X)
    for count, what, least in zip(
        bits.shape, ("sample", "feature"), (2, 1), strict=True
    ):
        if count < least:
            raise ValueError(
                f"Found array with {count} {what}(s) (shape={bits.shape}) while a "
                f"minimum of {least} is required by Solver."
            )
    return bits


def read_costs(
    objective: Any, n_classes: int
) -> tuple[list[Fraction] | None, Matrix | None]:
    """Return the cost of an error in each class, or else the whole matrix."""
    costs = as_real_array(objective, "A matrix of costs")
    if costs.shape != (n_classes, n_classes):
        raise ValueError(
            "A matrix of costs as 'objective' must have a row and a column for each "
            f"class, in sorted order, shape {(n_classes, n_classes)}. Got "
            f"{costs.shape} instead."
        )
    if (costs < 0).any():
        raise ValueError(
            "A matrix of costs as 'objective' must be non-negative. Got "
            f"{costs.min()} instead."
        )
    matrix = [[as_written(cost) for cost in row] for row in costs.tolist()]
    errors = []
    for true, row in enumerate(matrix):
        wrong = {cost for label, cost in enumerate(row) if label != true}
        if row[true] != 0 or len(wrong) != 1:
            return None, matrix
        errors.append(wrong.pop())
    return errors, None


def balanced_costs(
    codes: npt.NDArray[np.int32],
    weight: npt.NDArray[Any],
    n_classes: int,
    shares: npt.NDArray[np.float64] | None = None,
) -> list[Fraction]:
    """Return the cost of an error in each class, such that their sum is at most one.

    The errors of each class sum to the same cost, as in the balanced accuracy. Classes
    without weight do not count.
    """
    if shares is None:
        by_class = class_weights(codes, weight, n_classes)
    else:
        by_class = [Fraction(total) for total in (weight @ shares).tolist()]
    n_present = sum(1 for total in by_class if total)
    costs = [1 / (n_present * total) if total else None for total in by_class]
    anything = next(cost for cost in costs if cost is not None)
    return [anything if cost is None else cost for cost in costs]


def class_weights(
    codes: npt.NDArray[np.int32], weight: npt.NDArray[Any], n_classes: int
) -> list[Fraction]:
    """Return the weight of each class, exactly if the weights are exact."""
    whole = whole_numbers(weight, MAX_EXACT)
    if whole is None:
        sums = sums_by(codes.astype(np.int64), weight, n_classes)
        return [Fraction(total) for total in sums.tolist()]
    counts = np.bincount(codes, weights=whole.numbers, minlength=n_classes)
    return [int(count) * whole.unit for count in counts.tolist()]


def check_feature_costs(
    costs: Any, n_features: int, owner: str, names: Sequence[str] = ()
) -> Prices:
    """Return the cost of a test of each column; None if all are free.

    A dict or a series gives costs by name; other columns are free.
    """
    if costs is None:
        return None
    by_name = dict(costs) if isinstance(costs, Mapping) else _labelled(costs)
    if by_name is not None:
        unknown = [name for name in by_name if name not in names]
        if unknown:
            raise ValueError(
                f"The 'feature_costs' parameter of {owner} must have names of columns "
                f"as keys. Got {unknown[0]!r} instead."
            )
        costs = [by_name.get(name, 0.0) for name in names]
    prices = as_real_array(costs, f"The 'feature_costs' parameter of {owner}")
    if prices.shape != (n_features,):
        raise ValueError(
            f"The 'feature_costs' parameter of {owner} must have a number for each of "
            f"the {n_features} features. Got shape {prices.shape} instead."
        )
    if (prices < 0).any():
        raise ValueError(
            f"The 'feature_costs' parameter of {owner} must be non-negative. Got "
            f"{prices.min()} instead."
        )
    return prices if prices.any() else None


def _labelled(costs: Any) -> dict[Any, Any] | None:
    """Return a series as a dict by label; None if its labels are numbers."""
    if not (hasattr(costs, "index") and hasattr(costs, "items")):
        return None
    labelled = dict(costs.items())
    return labelled if any(isinstance(label, str) for label in labelled) else None
