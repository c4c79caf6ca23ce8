"""Searches for metrics and Pareto fronts on binary data with two classes.

F-beta and the balanced accuracy need a few requests to the plain solver (see
`dinkelbach`); other metrics use the Pareto front of false positives and false
negatives.
"""

import math
from collections.abc import Callable
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from murtree._core import FrontSolver
from murtree._input.fixed_point import weight_of
from murtree._solver.engine import table_seed
from murtree._solver.metrics.binary_data import BinaryData
from murtree._solver.metrics.linear_search import LinearSearch
from murtree._solver.metrics.metrics import (
    BalancedAccuracy,
    CallableMetric,
    FBeta,
    Metric,
    best_loss_beyond,
)
from murtree._solver.pareto import ParetoFront, ParetoPoint
from murtree._solver.request import Request, RunLimits, forwarded
from murtree._solver.result import Progress, Result
from murtree._solver.switches import Switches
from murtree._solver.units import MAX_LEVELS, most_nodes, refuse_nodes
from murtree._tree.layout import NO_THRESHOLD
from murtree._tree.tree import Tree


class MetricEngine:
    """Binary data, for requests of `MetricSolver` and of the estimators."""

    def __init__(self, data: BinaryData, switches: Switches) -> None:
        self._data, self._switches = data, switches

    @cached_property
    def _fronts(self) -> FrontSolver:  # created on first use: F-beta does not need it
        data = self._data
        rows: dict[str, Any] = {
            "X": data.bits.unpacked(),
            "y": data.codes,
            "weight": data.weight,
        }
        return FrontSolver(**rows, seed=table_seed(rows))

    def find(self, request: Request, metric: Metric) -> Result:
        """Return the best tree for a metric."""
        self._limits(request)  # raises if they are too large
        if not isinstance(metric, FBeta | BalancedAccuracy):
            return self.find_front(request, metric)._best(metric)
        search = LinearSearch(self._data, metric, request, self._switches)
        result = search.solve()
        if result is not None:
            return result
        rest = request._replace(run_limits=search.rest)
        return search.or_better(self.find_front(rest, metric)._best(metric))

    def find_front(self, request: Request, metric: Metric | None = None) -> ParetoFront:
        """Return the Pareto front; `metric` is for reports of the progress."""
        (depth, nodes), run_limits = self._limits(request), request.run_limits
        data = self._data
        if metric is not None:
            metric = metric.in_units(data.unit)
        if isinstance(metric, CallableMetric):  # raise before the search
            metric.check_monotone(data.unit_classes)
        found = self._fronts.solve(
            max_depth=depth,
            max_num_nodes=nodes,
            min_samples_leaf=run_limits.min_samples_leaf,
            min_weight_leaf=data.leaf_weights.least(
                run_limits.min_weight_fraction_leaf
            ),
            time_limit=run_limits.seconds,
            memory_limit=run_limits.memory,
            returns_on_interrupt=run_limits.returns_on_interrupt,
            callback=self._watch(run_limits, metric),
        )

        def weight(count: Any) -> float:
            return weight_of(int(count), data.unit)

        fp, fn = map(weight, found["fp"]), map(weight, found["fn"])
        return ParetoFront(
            list(map(ParetoPoint, fp, fn, self._trees(found))),
            weight(data.unit_classes.negatives),
            weight(data.unit_classes.positives),
            found["status"],
            pos_label=data.pos_label,
            unavoidable=weight(found["stats"]["unavoidable"]),
            unit=data.unit,
            stats=found["stats"],
        )

    def _limits(self, request: Request) -> tuple[int, int]:
        """Return the limits on depth and nodes for the core."""
        depth, nodes = request.tree_limits.depth, most_nodes(request.tree_limits)
        if depth is not None:
            return depth, nodes
        # More nodes than rows are never useful.
        if nodes > MAX_LEVELS and self._data.n_distinct - 1 > MAX_LEVELS:
            refuse_nodes(request)
        return min(nodes, MAX_LEVELS), nodes

    def _trees(self, found: dict[str, Any]) -> list[Tree]:
        starts = found["starts"].tolist()
        arrays = {
            name: found[name] for name in ("children_left", "children_right", "feature")
        }
        arrays["threshold"] = np.where(arrays["feature"] >= 0, 0.5, NO_THRESHOLD)
        heaviest = np.argmax(found["value"], axis=1)  # for branching nodes
        labels = np.where(found["label"] >= 0, found["label"], heaviest)
        arrays |= self._data.in_order(found["value"], labels)
        classes = arrays.pop("classes")
        return [
            Tree(
                **{name: array[first:last] for name, array in arrays.items()},
                classes=classes,
                n_features=self._data.bits.shape[1],
            )
            for first, last in pairwise(starts)
        ]

    def _watch(
        self, run_limits: RunLimits, metric: Metric | None
    ) -> Callable[[float, float], bool] | None:
        least = -math.inf
        if metric is not None:
            least = best_loss_beyond(metric, self._data.unit_classes, 0)

        def progress_of(seconds: float, share: float) -> Progress:
            limit = run_limits.time_limit
            return Progress(seconds, None, least, math.inf, share, None, limit)

        return forwarded(run_limits, progress_of)
