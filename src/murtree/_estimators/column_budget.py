"""Number of boolean columns that the "auto" binarizer creates.

A rough model of the search time that is the same on every machine: time grows with the
number of 64-bit words of rows and with the columns to the power of the depth. The
candidates depend only on the data, the objective and the limits on the tree, never on a
time limit. benchmarks/calibrate_columns.py measures the constants.
"""

from murtree._estimators.checked_parameters import Parameters
from murtree._solver.request import TreeLimits
from murtree._solver.switches import Switches
from murtree._table.binarizer import TableBinarizer
from murtree._table.ranked_rows import RankedRows

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
# At depth two all thresholds are searched if the rows times the squared columns of the
# table are at most so many: a quarter of a second (benchmarks/NOTES.md).
MOST_STEPS = 1e8
PLAIN_LOOPS = 30.0  # slowdown of costs of more than two labels
MOST_THRESHOLDS = 500_000  # of all columns
# With minimum leaf sizes, which disable most bounds, the time grows with the square of
# the values in the table: about a second for so many.
MOST_SIZED = 40_000
UNLIMITED = 2**31 - 1
# With fewer tests, or few per column, counting pairs of tests is faster.
FEWEST_RANKED, FEWEST_PER_CHAIN = 1500, 8
# Minimum number of thresholds per column, if that takes at most so many seconds.
USUAL_THRESHOLDS, PATIENCE = 12, 4.0


def affordable_columns(
    parameters: Parameters,
    *,
    n_rows: int,
    n_columns: int,
    n_labels: int,
) -> int:
    """Return the number of boolean columns to create from the columns of a table.

    `n_rows` counts rows with weight, and `n_labels` distinct labels or targets. A
    search over ranks takes all thresholds at depth two, unless there are too many.
    """
    limits = parameters.request.tree_limits
    depth = min(max(deepest(limits) or UNLIMITED_DEPTH, 2), len(SECONDS) - 1)
    cost = _effort(parameters, n_labels) * SECONDS[depth] * (n_rows / 64 + OVERHEAD)
    usual = (USUAL_SECONDS / cost) ** (1 / depth)
    patient = (PATIENCE / cost) ** (1 / depth)
    columns = min(max(usual, FEWEST), MOST)
    columns = max(columns, min(USUAL_THRESHOLDS * n_columns, patient))
    if depth <= 2 and takes_ranks(parameters):
        is_plain = n_labels > 2 and not parameters.counts_errors
        slowdown = PLAIN_LOOPS if is_plain else 1.0
        is_quick = n_rows * n_columns**2 * slowdown <= MOST_STEPS
        most = MOST_SIZED if _is_sized(parameters) else MOST_THRESHOLDS
        if is_quick and n_rows * n_columns <= most:
            return UNLIMITED
    return int(columns)


def deepest(limits: TreeLimits) -> int | None:
    """Return the maximum depth of trees within the limits, if there is one."""
    given = [limit for limit in (limits.depth, limits.nodes) if limit is not None]
    return min(given, default=None)


def takes_ranks(parameters: Parameters) -> bool:
    """Return whether the search over all thresholds can take the objective and limits.

    It adds up costs of errors; all other searches need a column for each test.
    """
    return (
        not parameters.is_regression
        and parameters.metric is None
        and parameters.feature_costs is None
        and not parameters.is_constrained
        and parameters.switches == Switches()
    )


def are_ranked(rows: RankedRows) -> bool:
    """Return whether the search over ranks is the faster one."""
    n_tests, n_chains = rows.shape[1], len(rows.tests)
    return n_tests >= max(FEWEST_RANKED, FEWEST_PER_CHAIN * n_chains)


def takes_every_test(parameters: Parameters, binarizer: TableBinarizer) -> bool:
    """Return whether all thresholds are searched, without a column for each."""
    is_exact = isinstance(binarizer.strategy, str) and binarizer.strategy == "exact"
    takes_all = binarizer.max_columns is None and is_exact
    takes_all |= binarizer._is_auto and binarizer.max_columns == UNLIMITED
    return takes_all and binarizer.encoding == "thresholds" and takes_ranks(parameters)


def adds_costs(parameters: Parameters) -> bool:
    """Return whether a search may need rows with costs, or parts of the table."""
    is_plain = parameters.metric is None and not parameters.is_constrained
    return not (is_plain and parameters.counts_errors)


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
