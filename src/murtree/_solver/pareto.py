"""Pareto fronts of false positives and false negatives, with a tree for each point."""

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from murtree._input.fixed_point import weight_of
from murtree._solver.metrics.metrics import (
    CallableMetric,
    Classes,
    Metric,
    best_loss_beyond,
    check_metric,
)
from murtree._solver.result import Result
from murtree._tree.tree import Tree


@dataclass(frozen=True)
class ParetoPoint:
    """A point of a Pareto front: no tree within the limits is better in both errors.

    Parameters
    ----------
    fp : int or float
        The weight of false positives: negative rows predicted as positive.
    fn : int or float
        The weight of false negatives: positive rows predicted as negative.
    tree : Tree
        A tree with these errors. Its leaves predict `Tree.label`.

    Examples
    --------
    >>> from murtree import MetricSolver
    >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> front = MetricSolver(X, [0, 1, 1, 1, 0]).pareto_front(max_depth=1)
    >>> front[0]
    ParetoPoint(fp=0, fn=3)
    """

    fp: float
    fn: float
    tree: Tree = field(repr=False)


class ParetoFront(Sequence[ParetoPoint]):
    """All optimal trade-offs between false positives and false negatives.

    A sequence of `ParetoPoint` with ascending false positives. With integer weights it
    has at most ``min(negatives, positives) + 1`` points, since both errors are integers
    and one strictly decreases while the other increases.

    Parameters
    ----------
    points : sequence of ParetoPoint
        The points, false positives ascending, false negatives strictly descending.
    negatives, positives : int or float
        The training weight of the negative and of the positive class.
    status : {"optimal", "time_limit", "interrupted"}
        "optimal": the front is complete. Otherwise why the search ended; every point
        has a tree, but better points may exist.
    pos_label : str, int or bool, default=None
        The positive class; None means the second of the two in sorted order.
    unavoidable : int or float, default=0
        Errors that no tree avoids: rows with equal features and different labels.
    unit : Fraction, default=1
        The common unit of all weights.
    stats : dict, default=None
        Statistics of the search.

    Examples
    --------
    >>> from murtree import MetricSolver
    >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> front = MetricSolver(X, [0, 1, 1, 1, 0]).pareto_front(max_depth=2)
    >>> front
    ParetoFront(2 points, status='optimal')
    >>> front.fp, front.fn
    (array([0, 1]), array([1, 0]))
    >>> front[1].tree.predict([[0, 0], [1, 1]])
    array([1, 0])
    >>> front.best("f1").objective
    0.14285714285714285
    """

    def __init__(
        self,
        points: Sequence[ParetoPoint],
        negatives: float,
        positives: float,
        status: str,
        *,
        pos_label: Any = None,
        unavoidable: float = 0,
        unit: Fraction = Fraction(1),
        stats: dict[str, Any] | None = None,
    ) -> None:
        self._points = tuple(points)
        self._unit = unit
        self._classes = Classes(*self._units(negatives, positives))
        self._unavoidable, _ = self._units(unavoidable, 0)
        self._pos_label = pos_label
        self.status = status
        self.stats = {} if stats is None else stats

    def __len__(self) -> int:
        return len(self._points)

    @overload
    def __getitem__(self, index: int) -> ParetoPoint: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[ParetoPoint, ...]: ...

    def __getitem__(self, index: int | slice) -> ParetoPoint | tuple[ParetoPoint, ...]:
        return self._points[index]

    def __repr__(self) -> str:
        points = "1 point" if len(self) == 1 else f"{len(self)} points"
        return f"ParetoFront({points}, status={self.status!r})"

    @property
    def negatives(self) -> float:
        """The training weight of the negative class."""
        return weight_of(self._classes.negatives, self._unit)

    @property
    def pos_label(self) -> Any:
        """The positive class."""
        if self._pos_label is not None:
            return self._pos_label
        classes = self[0].tree.classes
        assert classes is not None  # trees of a front are classifiers
        return classes.tolist()[1]

    @property
    def positives(self) -> float:
        """The training weight of the positive class."""
        return weight_of(self._classes.positives, self._unit)

    @property
    def fp(self) -> npt.NDArray[Any]:
        """The false positives of each point, ascending."""
        return np.array([point.fp for point in self])

    @property
    def fn(self) -> npt.NDArray[Any]:
        """The false negatives of each point, strictly descending."""
        return np.array([point.fn for point in self])

    def best(
        self,
        objective: str | Callable[[int, int, int, int], float] = "f1",
        *,
        beta: float = 1.0,
    ) -> Result:
        """Return the best tree for a metric, without another search.

        Parameters
        ----------
        objective : str or callable, default="f1"
            "f1", "fbeta", "matthews", "gmean", "balanced_accuracy", or a callable of
            (tn, fp, fn, tp) that returns a score, greater being better, and that never
            increases with false positives or false negatives.
        beta : float, default=1.0
            The weight of recall against precision in "fbeta".

        Returns
        -------
        result : Result
            The tree; on ties the smallest one. Its objective is 1 - metric,
            or the negative score of a callable.

        Examples
        --------
        >>> from murtree import MetricSolver
        >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
        >>> front = MetricSolver(X, [0, 1, 1, 1, 0]).pareto_front(max_depth=2)
        >>> front.best(lambda tn, fp, fn, tp: -fp - 5 * fn).objective
        1.0
        """
        return self._best(check_metric(objective, beta, "ParetoFront.best"))

    def _best(self, metric: Metric) -> Result:
        metric = metric.in_units(self._unit)
        classes, points = self._classes, [self._units(p.fp, p.fn) for p in self]
        if isinstance(metric, CallableMetric):
            metric.check_monotone(classes, points)
        merits = [metric.merit(classes, fp, fn) for fp, fn in points]
        most = max(merits)
        best = [p.tree for p, merit in zip(self, merits, strict=True) if merit == most]
        objective = lower_bound = metric.loss(most)
        if self.status != "optimal":
            least = best_loss_beyond(metric, classes, self._unavoidable)
            lower_bound = min(objective, least)
        # A tree that meets the bound is optimal even if the front is incomplete.
        status = "optimal" if lower_bound == objective else self.status
        tree = min(best, key=lambda tree: tree.n_nodes)
        return Result(
            tree,
            objective,
            lower_bound,
            status,
            self.stats,
            counts_errors=False,
        )

    def _units(self, fp: float, fn: float) -> tuple[int, int]:
        """Return weights of errors as integer multiples of the unit."""
        return round(Fraction(fp) / self._unit), round(Fraction(fn) / self._unit)

    def _with_trees(self, change: Callable[[Tree], Tree]) -> "ParetoFront":
        changed = copy.copy(self)
        changed._points = tuple(
            replace(point, tree=change(point.tree)) for point in self
        )
        return changed
