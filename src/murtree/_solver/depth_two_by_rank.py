"""Find the thresholds that optimal trees of depth two can use.

Thresholds of one column are nested. The core scans the roots in their order
(cpp/search/nested.hpp), because counting all pairs of thresholds would take too long.
It returns the tests of a best tree for each number of nodes. The usual search on these
columns alone has the same optimum, for any penalty on nodes.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._core import nested_depth_two
from murtree._input.arrays import encode_labels
from murtree._input.bit_columns import BitColumns
from murtree._solver.request import Callback, RunLimits
from murtree._solver.result import Progress, Result
from murtree._table.predicates import Predicate, as_slice, nested_groups


class Narrowed(NamedTuple):
    """Columns, and the reason the search for them ended."""

    bits: npt.NDArray[Any] | BitColumns  # columns that no best tree needs are set to 0
    ended: str = ""  # "time_limit" or "interrupted": better trees may exist
    seconds: float = 0.0


def only_useful(
    bits: npt.NDArray[np.uint8],
    predicates: Sequence[Predicate],
    y: npt.NDArray[Any],
    weight: npt.NDArray[np.int64],
    run_limits: RunLimits,
) -> Narrowed:
    """Return the data with all columns zeroed that no best tree of depth two needs.

    `weight` is the cost of an error on each row.
    """
    groups = nested_groups(predicates)
    present = weight > 0
    ranks = [
        bits[:, as_slice(indices)].sum(axis=1, dtype=np.uint32) for indices in groups
    ]
    classes, codes = encode_labels(y, y.size)
    found = nested_depth_two(
        ranks=np.ascontiguousarray(np.array(ranks)[:, present]),
        n_thresholds=np.array([len(indices) for indices in groups], dtype=np.uint32),
        labels=codes[present],
        weights=weight[present],
        n_classes=classes.size,
        time_limit=run_limits.seconds,
        returns_on_interrupt=run_limits.returns_on_interrupt,
        wants_to_stop=_core_callback(run_limits.callback),
    )
    tests = zip(found["columns"].tolist(), found["thresholds"].tolist(), strict=True)
    useful = sorted({groups[group][threshold] for group, threshold in tests})
    kept = np.zeros_like(bits)
    kept[:, useful] = bits[:, useful]
    return Narrowed(kept, found["ended"], found["seconds"])


def _core_callback(callback: Callback | None) -> Callable[[float], bool] | None:
    """Return a callback for the core; there is no tree to report yet."""
    if callback is None:
        return None
    return lambda seconds: bool(
        callback(Progress(seconds, None, 0, math.inf, share=0.0, tree=None))
    )


def unproven(result: Result, ended: str, *, fewest_nodes: bool) -> Result:
    """Return a result that is the best on some columns only as not proven.

    A tree without errors is always optimal. A smaller one may exist on other columns,
    though, unless the tree is a single leaf.
    """
    is_least = result.objective == 0
    is_smallest = result.tree is not None and result.tree.n_nodes <= 1
    if not ended or (is_least and (is_smallest or not fewest_nodes)):
        return result
    return replace(result, status=ended, lower_bound=0)
