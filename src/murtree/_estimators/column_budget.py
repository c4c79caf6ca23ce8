"""Number of boolean columns that the "auto" binarizer creates.

A rough model of the search time that is the same on every machine: time grows with the
number of 64-bit words of rows and with the columns to the power of the depth. The
candidates depend only on the data, the objective and the limits on the tree, never on a
time limit. benchmarks/calibrate_columns.py measures the constants.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._estimators.checked_parameters import Parameters
from murtree._input.whole_numbers import MAX_EXACT, whole_numbers
from murtree._solver.objectives.class_weight import balanced_in_whole
from murtree._solver.request import TreeLimits

USUAL_SECONDS = 1.0  # target
OVERHEAD = 8  # words of rows that take as long as a call of the depth-two algorithm
# Seconds for a word of rows and the columns to the power of the depth, by depth.
SECONDS = (1e-9, 1e-9, 1e-9, 3e-11, 1e-11, 1.6e-12, 1e-13)
# Slowdown of sums of costs or squares compared to counts of errors (measured at depth
# three), and of minimum leaf sizes, which disable some bounds (3 to 13).
SUMMED, SIZED = 12.0, 6.0
CLASSES = 3  # with more classes the time grows in proportion
FEWEST, MOST = 24, 2000
UNLIMITED_DEPTH = 4  # assumed depth of a tree without a limit on its depth
MOST_CELLS = 50_000_000  # rows times columns up to which all roots are scanned
MOST_STEPS = 5e9  # roots times rows times columns of the table: about six seconds
MOST_NESTED = 30_000
# Minimum number of thresholds per column, if that takes at most so many seconds.
USUAL_THRESHOLDS, PATIENCE = 12, 4.0


def affordable_columns(
    parameters: Parameters,
    y: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    *,
    n_rows: int,
    n_columns: int,
    n_labels: int,
) -> int:
    """Return the number of boolean columns to create from the columns of a table.

    `weight` is that of the search; `n_rows` counts rows with weight, and `n_labels`
    distinct labels or targets. If the search can
    scan the thresholds of a column in order, it takes far more of them.
    """
    limits = parameters.request.tree_limits
    depth = min(max(deepest(limits) or UNLIMITED_DEPTH, 2), len(SECONDS) - 1)
    cost = _effort(parameters, n_labels) * SECONDS[depth] * (n_rows / 64 + OVERHEAD)
    usual = (USUAL_SECONDS / cost) ** (1 / depth)
    patient = (PATIENCE / cost) ** (1 / depth)
    columns = min(max(usual, FEWEST), MOST)
    columns = max(columns, min(USUAL_THRESHOLDS * n_columns, patient))
    if weight_by_rank(parameters, limits, y, weight) is not None:
        steps = MOST_STEPS / (n_rows * n_columns)
        columns = max(columns, min(MOST_CELLS / n_rows, steps, MOST_NESTED))
    return int(columns)


def deepest(limits: TreeLimits) -> int | None:
    """Return the maximum depth of trees within the limits, if there is one."""
    given = [limit for limit in (limits.depth, limits.nodes) if limit is not None]
    return min(given, default=None)


def weight_by_rank(
    parameters: Parameters,
    limits: TreeLimits,
    y: npt.NDArray[Any],
    weight: npt.NDArray[Any],
) -> npt.NDArray[np.int64] | None:
    """Return the cost of an error on each row if thresholds can be scanned in order.

    This needs a tree of depth two and errors that are multiples of a common unit.
    Return None if the search must count pairs of columns.
    """
    depth = deepest(limits)
    is_shallow = depth is not None and depth <= 2
    is_balanced = str(parameters.objective) == "balanced_accuracy"
    is_plain = not _is_sized(parameters) and not parameters.is_constrained
    is_plain = is_plain and parameters.feature_costs is None
    is_plain = is_plain and (parameters.counts_errors or is_balanced)
    whole = whole_numbers(weight, MAX_EXACT) if is_shallow and is_plain else None
    if whole is None:
        return None
    if is_balanced:
        return balanced_in_whole(y, whole.numbers)
    return whole.numbers.astype(np.int64)


def _effort(parameters: Parameters, n_labels: int) -> float:
    """Return the slowdown compared to a search that counts errors."""
    effort = SIZED if _is_sized(parameters) else 1.0
    if str(parameters.objective) == "absolute_error":
        return effort * n_labels  # every target is a label
    if not parameters.counts_errors:
        return effort * SUMMED
    return effort * max(n_labels / CLASSES, 1.0)


def _is_sized(parameters: Parameters) -> bool:
    """Return whether leaves have a minimum size."""
    limits = parameters.request.run_limits
    return limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0
