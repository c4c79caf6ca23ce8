"""Best trees for nonlinear metrics of two classes, on 0/1 data.

The second and last file that imports `murtree._core`. F-beta and the balanced error are
a few questions to the plain solver (see `_linear`); other metrics are read off the
Pareto front of false positives and false negatives.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._core import FrontSolver
from murtree._errors import MAX_TOTAL_WEIGHT, check_sample_weight
from murtree._input import as_binary, encode_labels
from murtree._linear import (
    Challenge,
    balanced_merit_at,
    better_than,
    least_balanced,
    most_beyond,
)
from murtree._metrics import (
    BalancedError,
    CallableMetric,
    Classes,
    FBeta,
    Metric,
    best_loss_beyond,
    check_metric,
)
from murtree._pareto import ParetoFront, ParetoPoint
from murtree._question import (
    Asked,
    Callback,
    Manners,
    check_asked,
    check_manners,
    choose_limits,
)
from murtree._result import Progress, Result, gap_between
from murtree._solve import Solver
from murtree._tree import NO_CHILD, NO_FEATURE, NO_LABEL, NO_THRESHOLD, Tree

_SHORTEST = 1e-6  # seconds: a question whose time is up ends at once, with a bound


@dataclass(frozen=True)
class _Found:
    """A labelled tree with its errors."""

    tree: Tree
    fp: int
    fn: int


class MetricSolver:
    """Find provably best trees for F1 and other metrics of two classes, on 0/1 data.

    The second of the two classes, in sorted order, is the positive one.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features: bool, or numbers that are 0 or 1.
    y : array-like of shape (n_samples,)
        Labels of exactly two classes: all str, all int or all bool.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative whole numbers; a weight counts as that many copies of its row.
    solver_options : dict, default=None
        Switches of the `Solver` that F-beta and the balanced error are found with.

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
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        solver_options: dict[str, Any] | None = None,
    ) -> None:
        self._options = solver_options or {}
        base = Solver(X, y, sample_weight, **self._options)
        self.classes_ = base.classes_
        self.n_features_in_ = base.n_features_in_
        if self.classes_.size != 2:
            kind = "multiclass" if self.classes_.size > 2 else "one class"
            raise ValueError(
                "Only binary classification is supported. The type of the target is "
                f"{kind}: y must have two classes. Got {self.classes_.size} instead."
            )
        self._facts = base._facts
        self._bits = as_binary(X)
        self._codes = encode_labels(y, self._bits.shape[0])[1]
        weight = check_sample_weight(sample_weight, self._bits.shape[0])
        self._unit = int(np.gcd.reduce(weight))  # so that equal weights change nothing
        self._weight = weight // self._unit
        by_class = [int(self._weight[self._codes == k].sum()) for k in (0, 1)]
        self._classes = Classes(*by_class)  # in units
        self._fronts = FrontSolver(self._bits, self._codes, self._weight)

    def solve(
        self,
        objective: str | Callable[[int, int, int, int], float],
        max_depth: int | None,
        max_num_nodes: int | None = None,
        *,
        beta: float = 1.0,
        min_samples_leaf: int = 1,
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
            "balanced_error", or a callable of (tn, fp, fn, tp) that returns a score,
            greater being better, and that never rises with false positives or false
            negatives; this is checked on a grid and wherever the score is asked.
        max_depth : int or None
            The most tests a row may meet, 0 to 20; None, with a `max_num_nodes` of at
            most 255, means no limit.
        max_num_nodes : int, default=None
            The most branching nodes; None means as many as the depth allows.
        beta : float, default=1.0
            The weight of recall against precision in "fbeta".
        min_samples_leaf, time_limit, memory_limit, callback, on_interrupt
            As for `Solver.solve`.

        Returns
        -------
        result : Result
            The tree, with labels at its leaves. The objective is 1 - metric, the
            balanced error itself, or the negative score of a callable.

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
        asked = check_asked(owner, max_depth=max_depth, max_num_nodes=max_num_nodes)
        manners = check_manners(
            owner,
            min_samples_leaf=min_samples_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        return self._find(owner, metric, asked, manners)

    def pareto_front(
        self,
        max_depth: int | None,
        max_num_nodes: int | None = None,
        *,
        min_samples_leaf: int = 1,
        time_limit: float | None = None,
        memory_limit: int | str | None = None,
        callback: Callback | None = None,
        on_interrupt: str = "raise",
    ) -> ParetoFront:
        """Find all best trades between false positives and false negatives.

        Parameters
        ----------
        max_depth : int or None
            The most tests a row may meet, 0 to 20; None, with a `max_num_nodes` of at
            most 255, means no limit.
        max_num_nodes : int, default=None
            The most branching nodes; None means as many as the depth allows.
        min_samples_leaf, time_limit, memory_limit, callback, on_interrupt
            As for `Solver.solve`; a `callback` is told the time and the share done.

        Returns
        -------
        front : ParetoFront
            Every point that no tree within the limits betters in both errors, with a
            tree.

        Examples
        --------
        >>> from murtree import MetricSolver
        >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
        >>> front = MetricSolver(X, [0, 1, 1, 1, 0]).pareto_front(max_depth=1)
        >>> [(point.fp, point.fn, point.tree.n_nodes) for point in front]
        [(0, 3, 0), (1, 1, 1), (2, 0, 0)]
        """
        owner = "MetricSolver.pareto_front"
        asked = check_asked(owner, max_depth=max_depth, max_num_nodes=max_num_nodes)
        manners = check_manners(
            owner,
            min_samples_leaf=min_samples_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        return self._find_front(owner, asked, manners)

    # The estimator asks by these two, so that messages name the estimator.
    def _find(
        self, owner: str, metric: Metric, asked: Asked, manners: Manners
    ) -> Result:
        choose_limits(asked, self._facts, owner)  # refuses what is too much
        if isinstance(metric, CallableMetric):
            metric.check_monotone(self._whole_classes)
        if not isinstance(metric, FBeta | BalancedError):
            return self._find_front(owner, asked, manners, metric)._best(metric)
        search = LinearSearch(self, owner, metric, asked, manners)
        result = search.solve()
        if result is None:  # prices beyond the plain solver
            return self._find_front(owner, asked, manners, metric)._best(metric)
        return result

    def _find_front(
        self, owner: str, asked: Asked, manners: Manners, metric: Metric | None = None
    ) -> ParetoFront:
        limits = choose_limits(asked, self._facts, owner)
        found = self._fronts.solve(
            max_depth=limits.depth,
            max_num_nodes=limits.nodes,
            min_samples_leaf=manners.min_samples_leaf,
            time_limit=manners.seconds,
            memory_limit=manners.memory,
            returns_on_interrupt=manners.returns_on_interrupt,
            callback=self._watch(manners, metric),
        )
        unit, classes = self._unit, self._whole_classes
        points = [
            ParetoPoint(int(fp) * unit, int(fn) * unit, tree)
            for fp, fn, tree in zip(
                found["fp"], found["fn"], self._trees(found), strict=True
            )
        ]
        return ParetoFront(
            points,
            classes.negatives,
            classes.positives,
            found["status"],
            unavoidable=found["stats"]["unavoidable"] * unit,
            stats=found["stats"],
        )

    @property
    def _whole_classes(self) -> Classes:
        return Classes(
            self._classes.negatives * self._unit, self._classes.positives * self._unit
        )

    def _trees(self, found: dict[str, Any]) -> list[Tree]:
        starts = found["starts"].tolist()
        arrays = {
            name: found[name]
            for name in ("children_left", "children_right", "feature", "label")
        }
        arrays["threshold"] = np.where(arrays["feature"] >= 0, 0.5, NO_THRESHOLD)
        arrays["value"] = found["value"] * self._unit
        return [
            Tree(
                **{name: array[first:last] for name, array in arrays.items()},
                classes=self.classes_,
                n_features=self.n_features_in_,
            )
            for first, last in pairwise(starts)
        ]

    def _watch(
        self, manners: Manners, metric: Metric | None
    ) -> Callable[[float, float], bool] | None:
        callback = manners.callback
        if callback is None:
            return None
        least = -math.inf
        if metric is not None:
            least = best_loss_beyond(metric, self._whole_classes, 0)

        def tell(seconds: float, share: float) -> bool:
            return _ask(
                callback, Progress(seconds, None, least, math.inf, share, None), manners
            )

        return tell

    def _leaf(self, label: int) -> _Found:
        n0, n1 = self._classes.negatives, self._classes.positives
        tree = Tree(
            children_left=np.array([NO_CHILD], dtype=np.int32),
            children_right=np.array([NO_CHILD], dtype=np.int32),
            feature=np.array([NO_FEATURE], dtype=np.int32),
            threshold=np.array([NO_THRESHOLD]),
            value=np.array([[n0, n1]], dtype=np.int64) * self._unit,
            classes=self.classes_,
            n_features=self.n_features_in_,
            label=np.array([label], dtype=np.int32),
        )
        return _Found(tree, n0 if label == 1 else 0, 0 if label == 1 else n1)


def _ask(callback: Callback, progress: Progress, manners: Manners) -> bool:
    try:
        return bool(callback(progress))
    except KeyboardInterrupt:  # Ctrl-C came while the callback ran
        if manners.returns_on_interrupt:
            return True
        raise


class LinearSearch:
    """One search for the best F-beta or balanced error, by the plain solver."""

    def __init__(
        self,
        solver: MetricSolver,
        owner: str,
        metric: FBeta | BalancedError,
        asked: Asked,
        manners: Manners,
    ) -> None:
        self._solver = solver
        self._owner = owner
        self._metric = metric
        self._asked = asked
        self._manners = manners
        self._classes = solver._classes
        self._start = time.perf_counter()
        self._stats: dict[str, Any] = {}
        self._questions = 0
        self._best = solver._leaf(1 if self._classes.positives > 0 else 0)
        self._bound = metric.merit(self._classes, 0, 0)  # no tree has more merit

    def solve(self) -> Result | None:
        """Return the best tree; None if the prices are beyond the plain solver."""
        if 0 in (self._classes.negatives, self._classes.positives):
            return self._result("optimal")  # one class: the leaf has no error
        metric = self._metric
        while True:
            if isinstance(metric, BalancedError):
                challenge = least_balanced(self._classes)
            else:
                challenge = better_than(metric, self._merit, self._classes)
                if challenge.limit < 0:  # no error at all
                    return self._result("optimal")
            if challenge.total(self._classes) >= MAX_TOTAL_WEIGHT:
                return None
            merit = self._merit
            found = self._challenge(challenge)
            is_proven = found.status == "infeasible"
            if isinstance(metric, BalancedError):
                is_proven = found.status == "optimal"
            if is_proven:
                return self._result("optimal")
            if found.status in ("time_limit", "interrupted"):
                return self._result(found.status)
            if self._merit <= merit:
                raise RuntimeError("internal error: a better tree is not better")

    @property
    def _merit(self) -> Fraction:
        return self._metric.merit(self._classes, self._best.fp, self._best.fn)

    def _challenge(self, challenge: Challenge) -> Result:
        prices = np.array([challenge.price_fp, challenge.price_fn], dtype=np.int64)
        solver = self._solver
        weight = solver._weight * prices[solver._codes]
        plain = Solver(solver._bits, solver._codes, weight, **solver._options)
        spent = time.perf_counter() - self._start
        manners = replace(
            self._manners,
            seconds=max(self._manners.seconds - spent, _SHORTEST),
            callback=self._watch(challenge, spent),
        )
        found = plain._find(self._owner, self._asked, manners, challenge.limit)
        self._questions += 1
        self._stats = found.stats
        self._learn(found.tree, found.lower_bound, challenge)
        return found

    def _learn(
        self, tree: Tree | None, lower_bound: float, challenge: Challenge
    ) -> None:
        """Take over a better tree, and a better bound on the merit of all trees."""
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
        """Return a tree on weights times prices as one on the weights themselves."""
        prices = np.array([challenge.price_fp, challenge.price_fn], dtype=np.int64)
        is_leaf = tree.feature < 0
        heaviest = np.argmax(tree.value, axis=1)
        label = np.where(is_leaf, heaviest, NO_LABEL).astype(np.int32)
        value: npt.NDArray[np.int64] = tree.value // prices
        fp, fn = (int(value[label == 1 - k, k].sum()) for k in (0, 1))
        unit = self._solver._unit
        classes = self._solver.classes_
        whole = replace(tree, value=value * unit, label=label, classes=classes)
        return _Found(whole, fp, fn)

    def _watch(self, challenge: Challenge, before: float) -> Callback | None:
        callback = self._manners.callback
        if callback is None:
            return None

        def tell(progress: Progress) -> bool:
            self._learn(progress.tree, progress.lower_bound, challenge)
            objective, lower_bound = self._losses()
            told = Progress(
                seconds=before + progress.seconds,
                objective=objective,
                lower_bound=lower_bound,
                gap=gap_between(objective, lower_bound),
                share=progress.share,
                tree=self._best.tree,
            )
            return _ask(callback, told, self._manners)

        return tell

    def _losses(self) -> tuple[float, float]:
        objective = self._metric.loss(self._merit)
        # Rounded towards the safe side.
        lower_bound = math.nextafter(self._metric.loss(self._bound), -math.inf)
        return objective, max(min(objective, lower_bound), 0.0)

    def _result(self, status: str) -> Result:
        objective, lower_bound = self._losses()
        if status == "optimal" or self._bound == self._merit:
            status, lower_bound = "optimal", objective
        stats = self._stats | {
            "questions": self._questions,
            "seconds": time.perf_counter() - self._start,
        }
        return Result(self._best.tree, objective, lower_bound, status, stats)
