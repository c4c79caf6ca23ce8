"""Number of boolean columns that the "auto" binarizer creates, or all thresholds.

A rough model of the search time that is the same on every machine: time grows with the
number of 64-bit words of rows and with the columns to the power of the depth. The
candidates depend only on the data, the objective and the limits on the tree, never on a
time limit or the order of rows. benchmarks/calibrate_columns.py measures the constants,
and benchmarks/all_thresholds.py those of the search over all thresholds.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._estimators.checked_parameters import Parameters
from murtree._solver.request import TreeLimits
from murtree._solver.switches import Switches
from murtree._table.binarizer import TableBinarizer
from murtree._table.columns import Column
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
DEEPEST_RANKED = 3  # maximum depth of a search over all thresholds by default
# At depth two all thresholds are searched if the rows times the squared columns of the
# table are at most so many: a quarter of a second (benchmarks/NOTES.md).
MOST_STEPS = 1e8
PLAIN_LOOPS = 30.0  # slowdown of costs of more than two labels
MOST_THRESHOLDS = 500_000  # of all columns
# With minimum leaf sizes that exclude the best trees without them the time grows with
# the square of the values in the table: about two seconds for so many.
MOST_SIZED = 200_000
# At depth three they are searched if the rows times this power of the chains are at
# most so many: seconds if a third of the labels is noise, and a small part of a second
# for most tables. Few chains count as so many, since the time grows faster with rows.
MOST_RANKED, POWER_OF_CHAINS, FEWEST_CHAINS = 1e5, 1.25, 5
# There are fewer by these factors with weights, with weights or costs of more than two
# labels, and with minimum leaf sizes.
WEIGHTED, MANY_COSTS, SIZED_CHAINS = 8.0, 50.0, 75.0
UNLIMITED = 2**31 - 1
# With fewer tests, or few per chain, counting pairs of tests is faster. Many per chain
# are enough for one tree, and some up to depth two (benchmarks/NOTES.md).
FEWEST_RANKED, FEWEST_PER_CHAIN, MANY_PER_CHAIN = 1500, 8, 80
SHALLOW, FEWEST_SHALLOW = 2, 4
# Minimum number of thresholds per column, if that takes at most so many seconds.
USUAL_THRESHOLDS, PATIENCE = 12, 4.0


class TableSize(NamedTuple):
    """The numbers that the time of a search depends on."""

    n_rows: int  # with weight
    n_columns: int
    n_chains: int  # sets of nested tests: several for categories and missing values
    n_labels: int  # distinct labels or targets
    is_weighted: bool  # whether the weights of rows differ

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        codes: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
        n_labels: int,
    ) -> "TableSize":
        """Return the size of the rows with weight."""
        if not (present := weight > 0).all():
            codes, weight = codes[present], weight[present]
        n_chains = int(np.isnan(codes).any(axis=0).sum())
        n_chains += sum(max(len(column.categories), 1) for column in columns)
        is_weighted = weight.size > 0 and bool(weight.min() < weight.max())
        return cls(weight.size, len(columns), n_chains, n_labels, is_weighted)


class Budget(NamedTuple):
    """What a search should handle in seconds."""

    n_tests: int  # boolean columns
    takes_all: bool  # whether a search over ranks can take all thresholds

    @property
    def max_columns(self) -> int:
        """The maximum number of tests, for the binarizer."""
        return UNLIMITED if self.takes_all else self.n_tests


def budget_of(parameters: Parameters, size: TableSize) -> Budget:
    """Return what the default fit of a table should search."""
    takes_all = _takes_all_thresholds(parameters, size)
    return Budget(_affordable_columns(parameters, size), takes_all)


def _affordable_columns(parameters: Parameters, size: TableSize) -> int:
    """Return the number of boolean columns to create from the columns of a table."""
    depth = min(max(_depth(parameters), 2), len(SECONDS) - 1)
    words = size.n_rows / 64 + OVERHEAD
    cost = _effort(parameters, size.n_labels) * SECONDS[depth] * words
    usual = (USUAL_SECONDS / cost) ** (1 / depth)
    patient = (PATIENCE / cost) ** (1 / depth)
    columns = min(max(usual, FEWEST), MOST)
    return int(max(columns, min(USUAL_THRESHOLDS * size.n_columns, patient)))


def _takes_all_thresholds(parameters: Parameters, size: TableSize) -> bool:
    """Return whether a search over the ranks of all thresholds takes seconds at most.

    That is so up to depth two, unless there are very many, and for tables of a few
    thousand rows at depth three.
    """
    depth = _depth(parameters)
    if depth > DEEPEST_RANKED or not takes_ranks(parameters):
        return False
    if depth == DEEPEST_RANKED:
        return _ranked_steps(parameters, size) <= MOST_RANKED
    is_plain = size.n_labels > 2 and not parameters.counts_errors
    slowdown = PLAIN_LOOPS if is_plain else 1.0
    is_quick = size.n_rows * size.n_columns**2 * slowdown <= MOST_STEPS
    most = MOST_SIZED if _is_sized(parameters) else MOST_THRESHOLDS
    return is_quick and size.n_rows * size.n_columns <= most


def _ranked_steps(parameters: Parameters, size: TableSize) -> float:
    """Return the work at depth three, in terms of `MOST_RANKED`."""
    n_chains = max(size.n_chains, FEWEST_CHAINS)
    steps: float = size.n_rows * n_chains**POWER_OF_CHAINS
    if _is_sized(parameters):
        return steps * SIZED_CHAINS
    if not size.is_weighted and parameters.counts_errors:
        return steps
    return steps * (MANY_COSTS if size.n_labels > 2 else WEIGHTED)


def _depth(parameters: Parameters) -> int:
    """Return the depth of trees, or what is assumed without a limit."""
    return deepest(parameters.request.tree_limits) or UNLIMITED_DEPTH


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


def are_ranked(parameters: Parameters, rows: RankedRows) -> bool:
    """Return whether the search over ranks is the faster one."""
    n_tests, n_chains = rows.shape[1], len(rows.tests)
    per_chain = n_tests / max(n_chains, 1)
    if _depth(parameters) <= SHALLOW and parameters.counts_errors:
        return per_chain >= FEWEST_SHALLOW
    if per_chain >= MANY_PER_CHAIN and not parameters.frontier:
        return True
    return n_tests >= FEWEST_RANKED and per_chain >= FEWEST_PER_CHAIN


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
