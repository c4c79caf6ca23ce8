"""Search for the best tree that tests a limited number of distinct table columns.

Branch and bound over sets of columns. Each node has included and excluded columns. Its
relaxation is the best tree over all columns that are not excluded. If that tree tests
few enough columns, it is optimal for the node. Otherwise let c1, c2, ... be columns
that the tree tests and that are not included. The children are the disjoint cases "no
c1", "c1 but no c2", and so on; the last child includes as many of these columns as the
limit allows and no other column, which makes it an ordinary search over few columns.
"""

import heapq
import math
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from murtree._solver.clock import SHORTEST, Clock
from murtree._solver.constraints.subproblems import NOTHING
from murtree._solver.request import Callback, RunLimits, forwarded
from murtree._solver.result import Progress, Result, gap_between
from murtree._tree.tree import Tree

# (columns, upper bound on the objective, run limits) -> best tree on these columns.
Relaxation = Callable[[frozenset[int], float, RunLimits], Result]


class _Node(NamedTuple):
    bound: float
    n_missing: int  # columns that can still be included; the fewest first
    number: int  # tie breaker: older nodes first
    included: frozenset[int]
    excluded: frozenset[int]


class DistinctSearch:
    """Branch and bound for the best tree with a limited number of columns."""

    def __init__(
        self,
        relax: Relaxation,
        n_columns: int,
        most: int,
        run_limits: RunLimits,
        *,
        included: frozenset[int] = frozenset(),
        is_whole: bool,
    ) -> None:
        self._relax, self._most, self._run_limits = relax, most, run_limits
        self._everything = frozenset(range(n_columns))
        self._is_whole = is_whole  # objectives are integers
        self._clock = Clock(run_limits)
        self._numbers = count()
        self._best: Result | None = None
        self._promising = included  # columns expected to give a good tree
        self._open: list[_Node] = []
        self._left_open = math.inf  # the least bound of nodes cut off by the time limit
        self._stats: dict[str, Any] = {}
        self._n_requests = 0
        self._push(0, included, frozenset())

    def solve(self) -> Result:
        """Return the best tree, proven optimal unless the search was stopped."""
        ended = ""
        while self._open and self._open[0].bound < self._limit and not ended:
            if self._n_requests and self._clock.is_over(self._clock.deadline):
                ended = "time_limit"
            elif self._process(heapq.heappop(self._open)) == "interrupted":
                ended = "interrupted"
        if self._best is None:  # stopped before the first tree: take any tree
            quick = replace(self._run_limits, seconds=SHORTEST, callback=None)
            self._best = self._relax(self._promising, math.inf, quick)
        return self._result(self._best, ended or "time_limit")

    def _process(self, node: _Node) -> str:
        """Process a node and return the reason it ended."""
        try:
            if self._clock.is_due() and self._wants_to_stop(node):
                heapq.heappush(self._open, node)
                return "interrupted"
            return self._relaxed(node)
        except KeyboardInterrupt:  # Ctrl-C came between two searches
            if not self._run_limits.returns_on_interrupt:
                raise
            heapq.heappush(self._open, node)
            return "interrupted"

    def _relaxed(self, node: _Node) -> str:
        """Solve the relaxation of a node; keep its tree, or branch on its columns."""
        is_last = len(node.included) == self._most
        columns = node.included if is_last else self._everything - node.excluded
        # Leave some time for trees that satisfy the limit.
        until = self._clock.share(self._clock.deadline, 1 if is_last else 2)
        run_limits = self._clock.until(until, self._run_limits)
        run_limits = replace(run_limits, callback=self._watch(node))
        goal = self._limit - 1 if self._is_whole else self._limit
        result = self._relax(columns, goal, run_limits)
        self._n_requests += 1
        self._stats = result.stats
        bound = max(node.bound, result.lower_bound)
        tree, objective = result.tree, result.objective
        if tree is not None and len(columns_by_weight(tree)) > self._most:
            self._branch(node, bound, tree)
            return result.status
        if objective is not None and objective < self._limit:
            self._best = result
        if result.status not in ("optimal", "infeasible"):
            self._left_open = min(self._left_open, bound)
        return result.status

    def _branch(self, node: _Node, bound: float, tree: Tree) -> None:
        room = self._most - len(node.included)
        others = [c for c in columns_by_weight(tree) if c not in node.included]
        included = node.included
        for column in others[:room]:
            self._push(bound, included, node.excluded | {column})
            included |= {column}
        self._push(bound, included, node.excluded)
        self._promising = included

    def _push(
        self, bound: float, included: frozenset[int], excluded: frozenset[int]
    ) -> None:
        room = self._most - len(included)
        node = _Node(bound, room, next(self._numbers), included, excluded)
        heapq.heappush(self._open, node)

    @property
    def _limit(self) -> float:
        """The value that the objective of a better tree must be below."""
        best = None if self._best is None else self._best.objective
        return math.inf if best is None else best

    def _lower_bound(self, *more: float) -> float:
        """Return a lower bound for all trees that satisfy the limit."""
        if self._open:
            more = (*more, self._open[0].bound)
        return min(self._limit, self._left_open, *more)

    def _result(self, best: Result, ended: str) -> Result:
        lower_bound = self._lower_bound()
        stats = self._stats | {
            "questions": self._n_requests,
            "seconds": self._clock.seconds,
        }
        is_proven = lower_bound == best.objective
        status = "optimal" if is_proven else ended
        return replace(best, lower_bound=lower_bound, status=status, stats=stats)

    def _wants_to_stop(self, node: _Node) -> bool:
        watch = self._watch(node)
        return watch is not None and bool(watch(NOTHING))

    def _watch(self, node: _Node) -> Callback | None:
        def progress_of(progress: Progress) -> Progress:
            self._clock.is_due()
            best = None if self._best is None else self._best.objective
            lower_bound = self._lower_bound(max(node.bound, progress.lower_bound))
            whole = self._best is not None and self._best.counts_errors
            return Progress(
                seconds=self._clock.seconds,
                objective=best,
                lower_bound=lower_bound,
                gap=gap_between(best, lower_bound, counts_errors=whole),
                share=0.0,  # unknown: the number of searches is not known in advance
                tree=None if self._best is None else self._best.tree,
                time_limit=self._run_limits.time_limit,
            )

        return forwarded(self._run_limits, progress_of)


def columns_by_weight(tree: Tree) -> list[int]:
    """Return the columns that a tree tests, sorted by decreasing weight."""
    weight: dict[int, float] = {}
    for column, here in zip(tree.feature.tolist(), tree.node_weight, strict=True):
        if column >= 0:
            weight[column] = weight.get(column, 0.0) + float(here)
    return sorted(weight, key=lambda column: -weight[column])
