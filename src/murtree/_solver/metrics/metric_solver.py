"""Optimal trees for nonlinear metrics; most of this module documents `MetricSolver`."""

from collections.abc import Callable
from typing import Any

from murtree._solver.metrics.binary_data import read_binary
from murtree._solver.metrics.metric_engine import MetricEngine
from murtree._solver.metrics.metrics import check_metric
from murtree._solver.pareto import ParetoFront
from murtree._solver.request import Callback, check_limits, until_end
from murtree._solver.result import Result
from murtree._solver.switches import read_switches


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
        switches = read_switches(solver_options, "MetricSolver")
        data = read_binary(X, y, sample_weight, pos_label)
        self.classes_, self.n_features_in_ = data.classes, data.bits.shape[1]
        self._engine = MetricEngine(data, switches)

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
        request = check_limits(
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
        return until_end(callback, lambda: self._engine.find(request, metric))

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
        request = check_limits(
            "MetricSolver.pareto_front",
            max_depth=max_depth,
            max_num_nodes=max_num_nodes,
            min_samples_leaf=min_samples_leaf,
            min_weight_fraction_leaf=min_weight_fraction_leaf,
            time_limit=time_limit,
            memory_limit=memory_limit,
            callback=callback,
            on_interrupt=on_interrupt,
        )
        return until_end(callback, lambda: self._engine.find_front(request))
