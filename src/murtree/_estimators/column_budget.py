"""Number of boolean columns that the "auto" binarizer creates, or all thresholds.

A rough model of the search time that is the same on every machine: time grows with the
number of 64-bit words of rows and with the columns to the power of the depth. The
candidates depend only on the data, the objective and the limits on the tree, never on a
time limit or the order of rows. benchmarks/calibrate_columns.py measures the constants,
and benchmarks/all_thresholds.py those of the search over all thresholds.
"""

import math
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

USUAL_SECONDS = 1.0  # that a search over candidates should take
OVERHEAD = 8  # words of rows that take as long as a call of the depth-two algorithm
# By depth: seconds per word of rows, and per combination of so many columns.
SECONDS = (1e-9, 1e-9, 1e-9, 3e-11, 1e-11, 1.6e-12, 1e-13)
# How many times longer a search takes with sums of costs or squares instead of counts
# of errors (measured at depth three), and with minimum leaf sizes, which disable some
# bounds (measured: 3 to 13).
SUMMED, SIZED = 12.0, 6.0
LOGARITHMS = 4.0  # how many times longer with log loss than with other sums (measured)
# With more classes the time grows in proportion: for errors, and for impurities.
CLASSES, IMPURE_CLASSES = 3, 4
FEWEST, MOST = 24, 2000  # boolean columns
UNLIMITED_DEPTH = 4  # assumed depth of a tree without a limit on its depth
DEEPEST_RANKED = 3  # maximum depth of a search over all thresholds by default
# At depth two all thresholds are searched if the squared rows times the columns and the
# rows times the squared columns, are at most so many. A column with missing values
# counts as several, a category as a part of one. A search then takes at most two or
# three seconds, with any noise in the labels (benchmarks/NOTES.md).
MOST_PAIRS_OF_ROWS, MOST_STEPS = 1e12, 1e8
PER_MISSING, PER_CATEGORY = 2.0, 1 / 3
# With weights or costs the time grows with the square of the values in the table. There
# are at most so many, by whether only weights differ, and whether two labels occur.
MOST_WEIGHTED = {
    (True, True): 250_000,
    (True, False): 100_000,
    (False, True): 120_000,
    (False, False): 40_000,
}
# So it does with minimum leaf sizes that exclude the best trees without them; with both
# there are fewer.
MOST_SIZED, SIZED_SHARE = 200_000, 1 / 4
# At depth three they are searched if the rows times this power of the chains are at
# most so many: seconds if a third of the labels is noise, and a small part of a second
# for most tables. Few chains count as so many, since the time grows faster with rows.
MOST_RANKED, POWER_OF_CHAINS, FEWEST_CHAINS = 1e5, 1.25, 5
# There are fewer by these factors with weights, with weights or costs of more than two
# labels, and with minimum leaf sizes.
WEIGHTED, MANY_COSTS, SIZED_CHAINS = 8.0, 50.0, 75.0
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
    n_categories: int  # that have a test, of all columns
    n_compared: int  # columns that do not hold categories
    n_missing: int  # columns with missing values
    n_labels: int  # distinct labels or targets
    is_weighted: bool  # whether the weights of rows differ

    @classmethod
    def of(
        cls,
        columns: Sequence[Column],
        codes: npt.NDArray[np.float64],
        weight: npt.NDArray[Any],
        *,
        n_labels: int,
        max_categories: int,
    ) -> "TableSize":
        """Return the size of the rows with weight."""
        if not (present := weight > 0).all():
            codes, weight = codes[present], weight[present]
        sizes = [len(c.categories) for c in columns if c.kind == "category"]
        return cls(
            n_rows=weight.size,
            n_columns=len(columns),
            n_categories=sum(min(size, max_categories) for size in sizes),
            n_compared=len(columns) - len(sizes),
            n_missing=int(np.isnan(codes).any(axis=0).sum()),
            n_labels=n_labels,
            is_weighted=weight.size > 0 and bool(weight.min() < weight.max()),
        )

    @property
    def n_chains(self) -> int:
        """The number of sets of nested tests, roughly."""
        return self.n_compared + self.n_categories + self.n_missing

    @property
    def width(self) -> float:
        """The number of columns that take as long in a search of depth two."""
        more = PER_MISSING * self.n_missing + PER_CATEGORY * self.n_categories
        return self.n_compared + more


class Budget(NamedTuple):
    """What a search should handle in seconds."""

    n_tests: int  # boolean columns
    takes_all: bool  # whether a search over ranks can take all thresholds


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

    That is always so at depth one, at depth two for up to some hundred thousand rows,
    and at depth three for a few thousand.
    """
    depth = _depth(parameters)
    if depth > DEEPEST_RANKED or not takes_ranks(parameters):
        return False
    if depth < SHALLOW:  # quicker than a choice of candidates
        return True
    if depth == DEEPEST_RANKED:
        return _ranked_steps(parameters, size) <= MOST_RANKED
    n_rows, width = size.n_rows, size.width
    is_quick = n_rows**2 * width <= MOST_PAIRS_OF_ROWS
    is_quick &= n_rows * width**2 <= MOST_STEPS
    return is_quick and n_rows * width <= _most_values(parameters, size)


def _most_values(parameters: Parameters, size: TableSize) -> float:
    """Return how many values of a table take seconds at depth two."""
    most = MOST_SIZED if _is_sized(parameters) else math.inf
    if size.is_weighted or not parameters.counts_errors:
        weighted = MOST_WEIGHTED[parameters.counts_errors, size.n_labels <= 2]
        most = weighted * SIZED_SHARE if _is_sized(parameters) else weighted
    return most


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
        and not parameters.is_impurity
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
    is_meant = binarizer._takes_all
    if binarizer._is_exact:
        is_meant = binarizer.max_columns is None
    return is_meant and binarizer.encoding == "thresholds" and takes_ranks(parameters)


def adds_costs(parameters: Parameters) -> bool:
    """Return whether a search may need rows with costs, or parts of the table."""
    is_plain = parameters.metric is None and not parameters.is_constrained
    return not (is_plain and parameters.counts_errors)


def _effort(parameters: Parameters, n_labels: int) -> float:
    """Return the slowdown compared to a search that counts errors."""
    effort = SIZED if _is_sized(parameters) else 1.0
    if str(parameters.objective) == "absolute_error":
        return effort * n_labels  # every target is a label
    if parameters.is_impurity:
        effort *= max(n_labels / IMPURE_CLASSES, 1.0)
        if str(parameters.objective) == "log_loss":
            effort *= LOGARITHMS
    if not parameters.counts_errors:
        return effort * SUMMED
    return effort * max(n_labels / CLASSES, 1.0)


def _is_sized(parameters: Parameters) -> bool:
    """Return whether leaves have a minimum size."""
    limits = parameters.request.run_limits
    return limits.min_samples_leaf > 1 or limits.min_weight_fraction_leaf > 0
