"""Frontiers: the best tree of every size, and the best tree for any penalty."""

import math
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import groupby
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from murtree._input.parameters import check_number
from murtree._solver.result import Result
from murtree._tree.html import block, fold, proof_html, steps_html, table_html
from murtree._tree.tree import Tree

SHORT = 32  # sizes in a notebook table; larger tables are folded


class Frontier(Sequence[Result]):
    """The best tree of each size: with at most 0, 1, 2, ... branching nodes.

    A sequence: ``frontier[m]`` is the `Result` for at most m branching nodes, and
    ``len(frontier) - 1`` the largest such number. A tree may have fewer nodes than
    allowed.

    Parameters
    ----------
    results : sequence of Result
        The result for each limit on the number of nodes, starting at 0.
    total_weight : int or float
        The unit of ``cost_complexity``: the training weight, or for other objectives
        their largest value.

    Examples
    --------
    >>> from murtree import Solver
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    >>> frontier = Solver(X, [0, 1, 1, 0, 0]).frontier(max_depth=2)
    >>> frontier
    Frontier(nodes=0..3, misclassified=2..0, status='optimal')
    >>> frontier.misclassified
    array([2, 2, 1, 0])
    >>> frontier[2].tree.n_nodes
    2
    >>> frontier.best(cost_complexity=0.05).objective
    0.75
    """

    def __init__(self, results: Sequence[Result], total_weight: float) -> None:
        self._results = tuple(results)
        self._trees = tuple(map(_tree_of, self._results))
        self._total_weight = total_weight

    def __len__(self) -> int:
        return len(self._results)

    @overload
    def __getitem__(self, index: int) -> Result: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Result, ...]: ...

    def __getitem__(self, index: int | slice) -> Result | tuple[Result, ...]:
        return self._results[index]

    def __repr__(self) -> str:
        what = "misclassified" if self[0].counts_errors else "objective"
        first, last = self.objectives[[0, -1]]
        return (
            f"Frontier(nodes=0..{len(self) - 1}, {what}={first:.7g}..{last:.7g}, "
            f"status={self.status!r})"
        )

    def _repr_html_(self) -> str:
        what = "misclassified" if self[0].counts_errors else "objective"
        text = f"The best trees with at most 0 to {len(self) - 1} nodes."
        proven = sum(result.status == "optimal" for result in self)
        if proven < len(self):
            text += f" {proven} of {len(self)} are proven optimal."
        gap = max(result.gap for result in self)
        table = table_html(("at most", "nodes", what, "proof"), self._rows())
        return block(
            proof_html(self.status, gap, text),
            steps_html(self.objectives.tolist(), f"{what} by the number of nodes"),
            table if len(self) <= SHORT else fold("All sizes", table),
        )

    def _rows(self) -> list[tuple[str, ...]]:
        """Return one row for each distinct tree."""
        sizes = [
            (
                str(tree.n_nodes),
                f"{result.objective:.7g}",
                "optimal" if result.status == "optimal" else f"gap {result.gap:.1%}",
            )
            for result, tree in zip(self, self._trees, strict=True)
        ]
        rows = []
        for same, group in groupby(enumerate(sizes), key=lambda pair: pair[1]):
            limits = [limit for limit, _ in group]
            first, last = limits[0], limits[-1]
            rows.append((f"{first}" if first == last else f"{first} to {last}", *same))
        return rows

    @property
    def total_weight(self) -> float:
        """The unit of ``cost_complexity``: the training weight or its equivalent."""
        return self._total_weight

    @property
    def misclassified(self) -> npt.NDArray[Any]:
        """The misclassified weight of the tree for each limit on the nodes."""
        return np.array([tree.misclassified for tree in self._trees])

    @property
    def objectives(self) -> npt.NDArray[Any]:
        """The objective of the tree for each limit on the nodes."""
        return np.array([result.objective for result in self])

    @property
    def lower_bounds(self) -> npt.NDArray[Any]:
        """The lower bound on the objective for each limit on the nodes."""
        return np.array([result.lower_bound for result in self])

    @property
    def n_nodes(self) -> npt.NDArray[np.int64]:
        """The actual number of nodes of the tree for each limit."""
        return np.array([tree.n_nodes for tree in self._trees], dtype=np.int64)

    @property
    def status(self) -> str:
        """The status: "optimal" if every tree is, else why the search ended."""
        others = [result.status for result in self if result.status != "optimal"]
        return others[0] if others else "optimal"

    @property
    def stats(self) -> dict[str, Any]:
        """Statistics of the search."""
        return self[-1].stats

    @property
    def breakpoints(self) -> tuple[tuple[float, int], ...]:
        """The penalties at which the best tree changes.

        Pairs ``(cost_complexity, n_nodes)`` in descending order of ``cost_complexity``:
        the best tree has ``n_nodes`` nodes from just below this penalty down to the
        next pair. Above the first pair the best tree is a leaf. At a breakpoint both
        trees are equally good. Exact if every tree of the frontier is proven optimal.

        Examples
        --------
        >>> from murtree import Solver
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> frontier = Solver(X, [0, 1, 1, 0, 0]).frontier(max_depth=2)
        >>> [(round(c, 4), n) for c, n in frontier.breakpoints]
        [(0.1333, 3)]
        """
        found: list[tuple[float, int]] = []
        points = dict(zip(self.n_nodes.tolist(), self._costs(), strict=True))
        nodes, cost = 0, points[0]
        while True:
            # Follow the steepest slope; on ties the longest one.
            slopes = [
                ((cost - other) / (n - nodes), n)
                for n, other in points.items()
                if n > nodes and other < cost
            ]
            if not slopes:
                return tuple(found)
            slope, nodes = max(slopes)
            cost = points[nodes]
            found.append((float(slope / Fraction(self._total_weight)), nodes))

    def best(self, cost_complexity: float = 0.0) -> Result:
        """Return the best tree for a penalty, without another search.

        Parameters
        ----------
        cost_complexity : float, default=0.0
            The penalty for a branching node, as a fraction of the total weight.

        Returns
        -------
        result : Result
            The tree that minimises
            ``objective + cost_complexity * total_weight * nodes``; on ties the one with
            the fewest nodes. Status and bound refer to that objective.

        Examples
        --------
        >>> from murtree import Solver
        >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
        >>> frontier = Solver(X, [0, 1, 1, 0, 0]).frontier(max_depth=2)
        >>> [frontier.best(c).tree.n_nodes for c in (0.0, 0.1, 0.2)]
        [3, 3, 0]
        """
        penalty = check_number(cost_complexity, "cost_complexity", "Frontier.best")
        return self._best(penalty)

    def _best(self, penalty: float, *, fewest_nodes: bool = False) -> Result:
        """Return the best tree; with `fewest_nodes` its size must be proven as well."""
        price = Fraction(penalty) * Fraction(self._total_weight)  # exact, for ties
        costs = [
            cost + price * tree.n_nodes
            for cost, tree in zip(self._costs(), self._trees, strict=True)
        ]
        best = costs.index(min(costs))
        # Trees with exactly m nodes cannot cost less than the bound for at most m.
        bounds = [Fraction(r.lower_bound) + price * m for m, r in enumerate(self)]
        least, smaller = min(bounds), bounds[: self._trees[best].n_nodes]
        objective = self._in_units(costs[best], penalty)
        is_smallest = all(bound > costs[best] for bound in smaller)
        status, lower_bound = "optimal", objective
        if least < costs[best] or (fewest_nodes and not is_smallest):
            status = self.status
            lower_bound = min(self._in_units(least, penalty), objective)
        return replace(
            self[best], objective=objective, lower_bound=lower_bound, status=status
        )

    def _costs(self) -> list[Fraction]:
        """Return the exact objectives."""
        return [Fraction(objective) for objective in self.objectives.tolist()]

    def _in_units(self, cost: Fraction, penalty: float) -> float:
        is_real = penalty > 0 or not self[0].counts_errors
        return float(cost) if is_real else int(cost)


def with_best_trees(
    results: Sequence[Result], *, fewest_nodes: bool = False
) -> list[Result]:
    """Return for each limit the best of all trees that satisfy it.

    An interrupted search has spent more time on some limits than on others. Proven
    results are kept: another tree can only be better by rounding. A tree that meets
    the bound of another limit is proven, unless it must also have the fewest nodes.
    """
    return [
        result
        if result.status == "optimal"
        else _bettered(result, nodes, results, fewest_nodes)
        for nodes, result in enumerate(results)
    ]


def _bettered(
    result: Result, nodes: int, others: Sequence[Result], fewest_nodes: bool
) -> Result:
    trees = ((other.tree, other) for other in others)
    fitting = [other for tree, other in trees if tree and tree.n_nodes <= nodes]
    best = min([result, *fitting], key=_objective)
    if best.objective is None or _objective(best) >= _objective(result):
        return result
    is_proven = best.objective <= result.lower_bound and not fewest_nodes
    return replace(
        result,
        tree=best.tree,
        objective=best.objective,
        lower_bound=min(result.lower_bound, best.objective),
        status="optimal" if is_proven else result.status,
    )


def _objective(result: Result) -> float:
    return math.inf if result.objective is None else result.objective


def _tree_of(result: Result) -> Tree:
    if result.tree is None:
        raise ValueError(
            "Every result of a frontier must have a tree. Got None instead."
        )
    return result.tree
