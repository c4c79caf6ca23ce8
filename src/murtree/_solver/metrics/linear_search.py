"""Search for the best F-beta or balanced accuracy with the plain solver."""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import MAX_TOTAL_WEIGHT
from murtree._solver.clock import Clock
from murtree._solver.engine import Engine
from murtree._solver.metrics.binary_data import BinaryData
from murtree._solver.metrics.dinkelbach import (
    Challenge,
    balanced_merit_at,
    better_than,
    least_balanced,
    most_beyond,
)
from murtree._solver.metrics.metrics import BalancedAccuracy, FBeta
from murtree._solver.objectives.classification import Labels, label_problem
from murtree._solver.request import Callback, Request, RunLimits, forwarded
from murtree._solver.result import Progress, Result, gap_between
from murtree._solver.switches import Switches
from murtree._tree.layout import NO_CHILD, NO_FEATURE, NO_THRESHOLD
from murtree._tree.tree import Tree


@dataclass(frozen=True)
class _Found:
    """A labelled tree with its errors, in units."""

    tree: Tree
    fp: int
    fn: int


def _leaf(data: BinaryData) -> _Found:
    """Return the leaf that predicts the positive class if it occurs."""
    classes = data.unit_classes
    label = 1 if classes.positives > 0 else 0
    value = np.array([[classes.negatives, classes.positives]], dtype=np.int64)
    tree = Tree(
        children_left=np.array([NO_CHILD], dtype=np.int32),
        children_right=np.array([NO_CHILD], dtype=np.int32),
        feature=np.array([NO_FEATURE], dtype=np.int32),
        threshold=np.array([NO_THRESHOLD]),
        n_features=data.bits.shape[1],
        **data.in_order(value, np.array([label])),
    )
    return _Found(tree, fp=classes.negatives if label == 1 else 0, fn=0)


class LinearSearch:
    """Search for the best F-beta or balanced accuracy with the plain solver."""

    def __init__(
        self,
        data: BinaryData,
        metric: FBeta | BalancedAccuracy,
        request: Request,
        switches: Switches,
    ) -> None:
        self._data, self._metric = data, metric
        self._request, self._switches = request, switches
        self._run_limits = request.run_limits
        self._classes = data.unit_classes
        self._clock = Clock(request.run_limits)
        self._stats: dict[str, Any] = {}
        self._n_requests = 0
        self._best = _leaf(data)
        # Upper bound on the merit of any tree.
        self._bound = self._metric.merit(self._classes, 0, 0)

    def solve(self) -> Result | None:
        """Return the best tree; None if a Pareto front is faster."""
        if 0 in (self._classes.negatives, self._classes.positives):
            return self._result("optimal")  # one class: the leaf has no error
        metric = self._metric
        while True:
            if isinstance(metric, BalancedAccuracy):
                challenge = least_balanced(self._classes)
            else:
                challenge = better_than(metric, self._merit, self._classes)
                if challenge.limit < 0:  # the tree has no errors
                    return self._result("optimal")
            if self._is_too_heavy(challenge):
                return None
            merit = self._merit
            found = self._challenge(challenge)
            is_proven = found.status == "infeasible"
            if isinstance(metric, BalancedAccuracy):
                is_proven = found.status == "optimal"
            if is_proven:
                return self._result("optimal")
            if found.status in ("time_limit", "interrupted"):
                return self._result(found.status)
            if self._merit <= merit:
                raise RuntimeError("internal error: a better tree is not better")

    def _is_too_heavy(self, challenge: Challenge) -> bool:
        total = challenge.total(self._classes)
        depth = self._request.tree_limits.depth
        is_shallow = depth is not None and depth <= 4
        # Beyond 32 bits the plain solver is slow, and shallow fronts are faster: with
        # weights up to 1,000, magic04 at depth 3 took 1.1 s (front: 0.5 s) and
        # german-credit at depth 4 took 26 s (front: 8 s).
        return total >= MAX_TOTAL_WEIGHT or (is_shallow and total >= 2**31)

    @property
    def rest(self) -> RunLimits:
        """The run limits with the time that is left."""
        return self._clock.until(self._clock.deadline, self._run_limits)

    def or_better(self, other: Result) -> Result:
        """Return a result of the same request with the better tree and bound."""
        objective, lower_bound = self._losses()
        assert other.objective is not None
        if other.status == "optimal":
            return other
        lower_bound = max(lower_bound, other.lower_bound)
        if objective >= other.objective:
            return replace(other, lower_bound=min(lower_bound, other.objective))
        return replace(
            other,
            tree=self._best.tree,
            objective=objective,
            lower_bound=min(lower_bound, objective),
        )

    @property
    def _merit(self) -> Fraction:
        return self._metric.merit(self._classes, self._best.fp, self._best.fn)

    def _challenge(self, challenge: Challenge) -> Result:
        prices = np.array([challenge.price_fp, challenge.price_fn], dtype=np.int64)
        data = self._data
        weight = data.weight * prices[data.codes]
        problem = label_problem(
            Labels(data.bits.unpacked(), data.codes, weight, np.arange(2))
        )
        plain = Engine(problem, self._switches, leaf_weights=data.leaf_weights)
        callback = self._watch(challenge, self._clock.seconds)
        run_limits = replace(self.rest, callback=callback)
        request = self._request._replace(run_limits=run_limits)
        found = plain.find(request, challenge.limit)
        self._n_requests += 1
        self._stats = found.stats
        self._learn(found.tree, found.lower_bound, challenge)
        return found

    def _learn(
        self, tree: Tree | None, lower_bound: float, challenge: Challenge
    ) -> None:
        """Update the best tree and the bound on the merit of all trees."""
        if tree is not None:
            found = self._labelled(tree, challenge)
            if self._metric.merit(self._classes, found.fp, found.fn) > self._merit:
                self._best = found
        if isinstance(self._metric, FBeta):
            bound = most_beyond(self._metric, challenge, lower_bound, self._classes)
        else:
            bound = balanced_merit_at(challenge, lower_bound, self._classes)
        self._bound = max(min(self._bound, bound), self._merit)

    def _labelled(self, tree: Tree, challenge: Challenge) -> _Found:
        """Return a tree for the weighted prices with its values for the weights."""
        prices = np.array([challenge.price_fp, challenge.price_fn], dtype=np.int64)
        value: npt.NDArray[np.int64] = tree.value // prices
        is_leaf = tree.feature < 0
        dearest, heaviest = np.argmax(tree.value, axis=1), np.argmax(value, axis=1)
        label = np.where(is_leaf, dearest, heaviest)
        fp, fn = (int(value[is_leaf & (label == 1 - k), k].sum()) for k in (0, 1))
        return _Found(replace(tree, **self._data.in_order(value, label)), fp, fn)

    def _watch(self, challenge: Challenge, before: float) -> Callback | None:
        def progress_of(progress: Progress) -> Progress:
            self._learn(progress.tree, progress.lower_bound, challenge)
            objective, lower_bound = self._losses()
            return Progress(
                seconds=before + progress.seconds,
                objective=objective,
                lower_bound=lower_bound,
                gap=gap_between(objective, lower_bound, counts_errors=False),
                share=0.0,  # unknown: the number of searches is not known in advance
                tree=self._best.tree,
                time_limit=self._run_limits.time_limit,
            )

        return forwarded(self._run_limits, progress_of)

    def _losses(self) -> tuple[float, float]:
        objective = self._metric.loss(self._merit)
        # Round to the safe side.
        lower_bound = math.nextafter(self._metric.loss(self._bound), -math.inf)
        return objective, max(min(objective, lower_bound), 0.0)

    def _result(self, status: str) -> Result:
        objective, lower_bound = self._losses()
        if status == "optimal" or self._bound == self._merit:
            status, lower_bound = "optimal", objective
        stats = self._stats | {
            "questions": self._n_requests,
            "seconds": self._clock.seconds,
        }
        return Result(
            self._best.tree, objective, lower_bound, status, stats, counts_errors=False
        )
