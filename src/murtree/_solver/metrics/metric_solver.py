"""Optimal trees for nonlinear metrics on binary data with two classes.

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
from murtree._input.arrays import as_binary, check_sample_weight, encode_labels
from murtree._input.whole_numbers import (
    MAX_EXACT,
    rounded,
    weight_of,
)
from murtree._solver.metrics.linear_search import (
    BinaryData,
    LinearRequest,
    LinearSearch,
)
from murtree._solver.metrics.metrics import (
    BalancedAccuracy,
    CallableMetric,
    FBeta,
    Metric,
    best_loss_beyond,
    check_metric,
    positive_code,
)
from murtree._solver.objectives.problem import PackedBits
from murtree._solver.pareto import ParetoFront, ParetoPoint
from murtree._solver.request import (
    Callback,
    RunLimits,
    TreeLimits,
    check_limits,
    forwarded,
    until_end,
)
from murtree._solver.result import Progress, Result
from murtree._solver.solver import Solver
from murtree._solver.switches import check_options
from murtree._solver.table_hash import table_seed
from murtree._solver.units import choose_limits
from murtree._tree.layout import NO_THRESHOLD
from murtree._tree.tree import Tree


class MetricSolver:
    """Find provably best trees for F1 and other metrics of two classes, on 0/1 data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features: bool, or numbers that are 0 or 1.
    y : array-like of shape (n_samples,)
        Labels of exactly two classes: all str, all int or all bool.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative numbers; a weight of k counts as k copies of its row. Weights
        without a common unit are rounded to 2**-52 of their sum.
    pos_label : str, int or bool, default=None
        The positive class; None means the second of the two in sorted order.
    solver_options : dict, default=None
        Switches of the `Solver` used for F-beta and the balanced accuracy.

    Attributes
    ----------
    classes_ : ndarray
        The two labels, sorted.
    n_features_in_ : int
        The number of columns of `X`.

    Examples
    --------
    >>> from murtree import MetricSolver
    >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> solver = MetricSolver(X, ["no", "yes", "yes", "yes", "no"])
    >>> result = solver.solve("f1", max_depth=2)
    >>> 1 - result.objective, result.status
    (0.8571428571428572, 'optimal')
    >>> result.tree.predict([[0, 0], [1, 1]])
    array(['yes', 'no'], dtype='<U3')

    With "no" as the positive class the best F1 is different:

    >>> solver = MetricSolver(X, ["no", "yes", "yes", "yes", "no"], pos_label="no")
    >>> round(1 - solver.solve("f1", max_depth=2).objective, 4)
    0.8
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        pos_label: Any = None,
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self._options = check_options(solver_options, "MetricSolver")
        base = Solver(X, y, sample_weight, **self._options)
        bits = as_binary(X)
        self.classes_, codes = encode_labels(y, bits.shape[0])
        self.n_features_in_ = base.n_features_in_
        if self.classes_.size != 2:
            kind = "multiclass" if self.classes_.size > 2 else "one class"
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{kind}: y must have two classes. Got {self.classes_.size} instead."
            )
        self._facts = base._facts
        weight = check_sample_weight(sample_weight, bits.shape[0])
        whole = rounded(weight, MAX_EXACT)
        is_swapped = positive_code(pos_label, self.classes_, "MetricSolver") == 0
        self._data = BinaryData(
            PackedBits(bits),
            1 - codes if is_swapped else codes,
            whole.numbers,
            whole.unit,
            self.classes_,
            is_swapped,
        )

    def solve(
        self,
        objective: str | Callable[[int, int, int, int], float],
        max_depth: int | None,
        max_num_nodes: int | None = None,
        *,
        beta: float = 1.0,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
    ) -> Result:
        """Find the best tree for a metric within the limits.

        Parameters
        ----------
        objective : str or callable
            "f1", "fbeta", "matthews", "gmean" (geometric mean of the recalls),
            "balanced_accuracy", or a callable of (tn, fp, fn, tp) that returns a score,
            greater being better, and that never increases with false positives or false
            negatives; this is checked on a grid and wherever the score is evaluated.
        max_depth : int or None
            The maximum depth, 0 to 20; None, with a `max_num_nodes` of at most 255,
            means no limit.
        max_num_nodes : int, default=None
            The maximum number of branching nodes; None means no limit but the depth.
        beta : float, default=1.0
            The weight of recall against precision in "fbeta".
        min_samples_leaf, min_weight_fraction_leaf, time_limit, memory_limit
            As for `Solver.solve`.
        callback, on_interrupt
            As for `Solver.solve`.

        Returns
        -------
        result : Result
            The tree, with labels at its leaves. The objective is 1 - metric, or
            the negative score of a callable.

        Examples
        --------
        >>> from murtree import MetricSolver
        >>> solver = MetricSolver([[0, 1], [0, 0], [1, 1], [1, 0]], [0, 0, 0, 1])
        >>> round(solver.solve("matthews", max_depth=1).objective, 4)
        0.4226
        >>> solver.solve(lambda tn, fp, fn, tp: -2 * fp - fn, max_depth=1).objective
        1.0
        """
        owner = "MetricSolver.solve"
        metric = check_metric(objective, beta, owner)
        tree_limits, run_limits = check_limits(
            owner,
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        return until_end(
            callback, lambda: self._find(owner, metric, tree_limits, run_limits)
        )

    def pareto_front(
        self,
        max_depth: int | None,
        max_num_nodes: int | None = None,
        *,
        min_samples_leaf: int = 1,
        min_weight_fraction_leaf: float = 0.0,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
    ) -> ParetoFront:
        """Find all optimal trade-offs between false positives and false negatives.

        Parameters
        ----------
        max_depth : int or None
            The maximum depth, 0 to 20; None, with a `max_num_nodes` of at most 255,
            means no limit.
        max_num_nodes : int, default=None
            The maximum number of branching nodes; None means no limit but the depth.
        min_samples_leaf, min_weight_fraction_leaf, time_limit, memory_limit
            As for `Solver.solve`.
        callback, on_interrupt
            As for `Solver.solve`; `callback` receives the time and the share done.

        Returns
        -------
        front : ParetoFront
            Each point with a tree; no tree within the limits improves one error of a
            point without increasing the other.

        Examples
        --------
        >>> from murtree import MetricSolver
        >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
        >>> front = MetricSolver(X, [0, 1, 1, 1, 0]).pareto_front(max_depth=1)
        >>> [(point.fp, point.fn, point.tree.n_nodes) for point in front]
        [(0, 3, 0), (1, 1, 1), (2, 0, 0)]
        """
        owner = "MetricSolver.pareto_front"
        tree_limits, run_limits = check_limits(
            owner,
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        return until_end(
            callback, lambda: self._find_front(owner, tree_limits, run_limits)
        )

    @cached_property
    def _fronts(self) -> FrontSolver:  # created on first use: F-beta does not need it
        data = self._data
        rows: dict[str, Any] = {
            "X": data.bits.unpacked(),
            "y": data.codes,
            "weight": data.weight,
        }
        return FrontSolver(**rows, seed=table_seed(rows))

    # Estimators call these two methods, so that error messages name the estimator.
    def _find(
        self, owner: str, metric: Metric, tree_limits: TreeLimits, run_limits: RunLimits
    ) -> Result:
        choose_limits(tree_limits, self._facts, owner)  # raises if limits are too large
        if not isinstance(metric, FBeta | BalancedAccuracy):
            return self._find_front(owner, tree_limits, run_limits, metric)._best(
                metric
            )
        request = LinearRequest(owner, metric, tree_limits, run_limits, self._options)
        search = LinearSearch(self._data, request)
        result = search.solve()
        if result is not None:
            return result
        front = self._find_front(owner, tree_limits, search.rest, metric)
        return search.or_better(front._best(metric))

    def _find_front(
        self,
        owner: str,
        tree_limits: TreeLimits,
        run_limits: RunLimits,
        metric: Metric | None = None,
    ) -> ParetoFront:
        limits = choose_limits(tree_limits, self._facts, owner)
        data = self._data
        if metric is not None:
            metric = metric.in_units(data.unit)
        if isinstance(metric, CallableMetric):  # raise before the search
            metric.check_monotone(data.unit_classes)
        found = self._fronts.solve(
            max_depth=limits.depth,
            max_num_nodes=limits.nodes,
            min_samples_leaf=run_limits.min_samples_leaf,
            min_weight_leaf=data.leaf_weights.least(
                run_limits.min_weight_fraction_leaf
            ),
            time_limit=run_limits.seconds,
            memory_limit=run_limits.memory,
            returns_on_interrupt=run_limits.returns_on_interrupt,
            callback=self._watch(run_limits, metric),
        )
        points = [
            ParetoPoint(
                weight_of(int(fp), data.unit), weight_of(int(fn), data.unit), tree
            )
            for fp, fn, tree in zip(
                found["fp"], found["fn"], self._trees(found), strict=True
            )
        ]
        return ParetoFront(
            points,
            weight_of(data.unit_classes.negatives, data.unit),
            weight_of(data.unit_classes.positives, data.unit),
            found["status"],
            pos_label=data.pos_label,
            unavoidable=weight_of(found["stats"]["unavoidable"], data.unit),
            unit=data.unit,
            stats=found["stats"],
        )

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
                n_features=self.n_features_in_,
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
