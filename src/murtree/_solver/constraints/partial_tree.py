"""Complete a partial tree optimally.

The open leaves below fixed tests have no rows in common, so each is a separate request
to a solver. Without a limit on the total number of nodes their optima add up. With a
limit each open leaf has a frontier, the best tree for every number of nodes, and the
nodes are allocated optimally by a min-plus convolution. If only the column of a node is
given, each of its tests is tried and the best is kept for each number of nodes.

Lower bounds are combined in the same way as costs, which gives a bound for the tree.
"""

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np

from murtree._solver.clock import Clock
from murtree._solver.constraints.fixed_tests import FixedTest
from murtree._solver.constraints.subproblems import (
    NOTHING,
    Plan,
    Planned,
    Rows,
    Training,
    exact_node_price,
    penalised,
    plan_of,
)
from murtree._solver.request import (
    MAX_SIZES,
    Callback,
    Request,
    TreeLimits,
    forwarded,
)
from murtree._solver.result import Progress, Result
from murtree._table.predicates import Predicate, resolved


@dataclass(frozen=True)
class _Option:
    """A tree for some rows with its cost and a lower bound on the cost of any tree."""

    cost: float  # inf: no tree was found
    bound: float  # inf: no tree satisfies the upper bound
    plan: Plan = None


# The best option for at most 0, 1, 2, ... nodes that are not fixed. Without a limit on
# the number of nodes there is one option, and its cost includes penalties.
_Curve = list[_Option]


class NoRowsError(ValueError):
    """A fixed test leaves too few rows on one side."""


class PartialSearch:
    """Search that completes a partial tree on some of the columns."""

    def __init__(
        self,
        training: Training,
        request: Request,
        top: FixedTest,
        columns: frozenset[int] | None = None,
    ) -> None:
        self._training, self._request, self._top = training, request, top
        self._columns = columns
        self._run_limits = replace(request.run_limits, callback=self._watch())
        self._leaf_weights = training.leaf_weights
        self._clock = Clock(request.run_limits)
        self._budget = _open_nodes(request, top)
        self._penalty = request.tree_limits.penalty
        self._ended = ""  # why the search ended; empty if the tree is proven
        self._stats: dict[str, Any] = {}
        self._n_requests = 0

    def solve(self, upper_bound: float = math.inf) -> Result:
        """Return the best tree; None if no tree has at most this objective."""
        if self._budget is not None:
            upper_bound = math.inf  # not supported by frontiers
        try:
            curve = self._whole(upper_bound, self._clock.deadline)
        except KeyboardInterrupt:  # Ctrl-C came between two searches
            if not self._run_limits.returns_on_interrupt:
                raise
            self._ended = "interrupted"
            curve = self._whole(upper_bound, 0.0)  # any tree, without further search
        return self._result(*self._chosen(curve), upper_bound)

    def _whole(self, upper_bound: float, deadline: float) -> _Curve:
        rows = np.asarray(self._training.weight > 0)
        return self._best(self._top, self._top.path, rows, upper_bound, deadline)

    def _chosen(self, curve: _Curve) -> tuple[_Option, bool]:
        """Return the best option over all numbers of nodes, and if it is proven."""
        if self._budget is None:
            return curve[0], curve[0].bound >= curve[0].cost
        price = exact_node_price(self._penalty, self._training.measure.total)
        fixed = self._top.n_nodes
        costs = [Fraction(o.cost) + price * (fixed + m) for m, o in enumerate(curve)]
        bounds = [Fraction(o.bound) + price * (fixed + m) for m, o in enumerate(curve)]
        best, least = costs.index(min(costs)), min(bounds)
        chosen = replace(curve[best], bound=float(least))
        return chosen, least >= costs[best]

    def _result(self, best: _Option, is_proven: bool, upper_bound: float) -> Result:
        stats = self._stats | {
            "questions": self._n_requests,
            "seconds": self._clock.seconds,
        }
        ended, is_whole = self._ended or "time_limit", self._training.is_whole
        if best.cost == math.inf:
            status = "infeasible" if best.bound == math.inf else ended
            bound = min(best.bound, upper_bound)
            return Result(None, None, bound, status, stats, counts_errors=is_whole)
        tree, objective = self._training.filled(best.plan)
        total = self._training.measure.total
        objective = penalised(objective, self._penalty, total, tree.n_nodes)
        lower_bound = objective if is_proven else min(best.bound, objective)
        if isinstance(objective, int):
            lower_bound = int(lower_bound)
        status = "optimal" if is_proven else ended
        return Result(tree, objective, lower_bound, status, stats, is_whole)

    # --- the search -------------------------------------------------------------------

    def _best(
        self,
        node: FixedTest | None,
        path: str,
        rows: Rows,
        upper_bound: float,
        deadline: float,
    ) -> _Curve:
        if node is None:
            return self._open(path, rows, upper_bound, deadline)
        if node.predicate is not None:
            return self._split(node, node.predicate, rows, upper_bound, deadline)
        return self._tried(node, rows, upper_bound, deadline)

    def _split(
        self,
        node: FixedTest,
        predicate: Predicate,
        rows: Rows,
        upper_bound: float,
        deadline: float,
    ) -> _Curve:
        """Return the curve of a test with the best trees on both of its sides."""
        predicate, left_rows = self._with_missing_side(predicate, rows)
        sides = [f"{node.path}[{side!r}]" for side in ("left", "right")]
        self._check_rows(sides[0], rows & left_rows)
        self._check_rows(sides[1], rows & ~left_rows)
        price = self._price_of(replace(node, left=None, right=None))
        half = self._clock.share(deadline, 2)
        room = upper_bound - price
        left = self._best(node.left, sides[0], rows & left_rows, room, half)
        if self._budget is None:
            if left[0].cost == math.inf:
                return [_Option(math.inf, left[0].bound + price)]
            room -= left[0].bound
        right = self._best(node.right, sides[1], rows & ~left_rows, room, deadline)
        return _joined(predicate, left, right, price, self._budget)

    def _tried(
        self, node: FixedTest, rows: Rows, upper_bound: float, deadline: float
    ) -> _Curve:
        """Return the curve of the best test of a column, trying each of them."""
        tests = self._training.predicates
        tests = tuple(test for test in tests if test.column == node.column)
        best: _Curve = []
        refusals = [self._no_test(node)]
        for index, test in enumerate(tests):
            if best and (self._ended or self._clock.is_over(deadline)):
                return self._with_untried(best, node)
            share = self._clock.share(deadline, len(tests) - index)
            try:
                curve = self._split(node, test, rows, upper_bound, share)
            except NoRowsError as refusal:
                refusals.append(refusal)
                continue
            except KeyboardInterrupt:  # Ctrl-C came between two searches
                if not best or not self._run_limits.returns_on_interrupt:
                    raise
                self._ended = "interrupted"
                return self._with_untried(best, node)
            best = _merged(best, curve) if best else curve
            if self._budget is None:
                upper_bound = min(upper_bound, self._better_than(best[0].cost))
        if not best:
            raise refusals[-1]
        return best

    def _open(
        self, path: str, rows: Rows, upper_bound: float, deadline: float
    ) -> _Curve:
        """Return the curve of the best trees for the rows of an open leaf."""
        if upper_bound < 0:
            return [_Option(math.inf, math.inf)]
        if not self._ended and self._wants_to_stop():
            self._ended = "interrupted"
        engine = self._training.engine(self._columns, rows)
        request = self._request
        level = path.count("[")  # a path has one bracket per level
        depth = request.tree_limits.depth
        depth = None if depth is None else depth - level
        run_limits = self._run_limits
        if self._ended:
            run_limits, deadline = replace(run_limits, callback=None), 0.0
        penalty = self._penalty if self._budget is None else 0.0
        part = request._replace(
            tree_limits=TreeLimits(depth, self._budget, penalty),
            run_limits=self._clock.until(deadline, run_limits),
        )
        if self._budget is None:
            bound = None if upper_bound == math.inf else upper_bound
            found = [engine.find(part, bound)]
        else:
            found = list(engine.find_all(part))
        self._n_requests += 1
        self._stats = found[-1].stats
        return [self._option(result) for result in found]

    def _option(self, result: Result) -> _Option:
        if result.status == "interrupted":
            self._ended = "interrupted"
        if result.tree is None or result.objective is None:
            is_none = result.status == "infeasible"
            return _Option(math.inf, math.inf if is_none else result.lower_bound)
        plan = plan_of(result.tree, self._training.predicates)
        return _Option(result.objective, result.lower_bound, plan)

    def _with_untried(self, best: _Curve, node: FixedTest) -> _Curve:
        """Return a curve with its bounds extended to tests that were not tried."""
        untried = _Option(math.inf, self._price_of(node))
        return _merged(best, [untried] * len(best))

    # --- details ----------------------------------------------------------------------

    def _with_missing_side(
        self, predicate: Predicate, rows: Rows
    ) -> tuple[Predicate, Rows]:
        """Return a test with its side for missing values, and the rows on its left."""
        values = self._training.codes[:, predicate.column]
        if predicate.missing is None:
            yes, weight = predicate.holds(values), self._training.weight
            known = rows & ~np.isnan(values)
            left, right = weight[known & yes].sum(), weight[known & ~yes].sum()
            predicate = resolved(predicate, left >= right)
        return predicate, predicate.holds(values)

    def _price_of(self, node: FixedTest | None) -> float:
        """Return the cost of the fixed tests from a node down."""
        if node is None:
            return 0
        penalty = self._penalty if self._budget is None else 0.0
        price = self._training.price(node.column, penalty)
        return price + self._price_of(node.left) + self._price_of(node.right)

    def _check_rows(self, path: str, rows: Rows) -> None:
        n_rows, least = int(rows.sum()), self._run_limits.min_samples_leaf
        if n_rows < least:
            raise NoRowsError(
                f"The 'partial_tree' parameter of {self._request.owner} must leave at "
                f"least {least} row(s), the 'min_samples_leaf', on each side of "
                f"its tests. Got {n_rows} at {path} instead."
            )
        share, weights = self._run_limits.min_weight_fraction_leaf, self._leaf_weights
        weight = int(weights.numbers[rows].sum())
        if weight < weights.least(share):
            raise NoRowsError(
                f"The 'partial_tree' parameter of {self._request.owner} must leave at "
                f"least {share:g} of the weight, the 'min_weight_fraction_leaf', "
                f"on each side of its tests. Got {weight / weights.total:.3g} at "
                f"{path} instead."
            )

    def _no_test(self, node: FixedTest) -> ValueError:
        name = self._training.columns[node.column].name
        return NoRowsError(
            f"The 'partial_tree' parameter of {self._request.owner} must, at "
            f"{node.path}, name a column with a test. Got {name!r} instead: give a "
            "threshold, or another binarizer."
        )

    def _better_than(self, cost: float) -> float:
        """Return an upper bound that only better trees satisfy."""
        is_whole = self._training.is_whole and not self._penalty
        return cost - 1 if is_whole else cost

    def _wants_to_stop(self) -> bool:
        callback = self._run_limits.callback
        if callback is None or not self._clock.is_due():
            return False
        return bool(callback(NOTHING))

    def _watch(self) -> Callback | None:
        """Return a callback that reports the time: there is no whole tree yet."""
        limit = self._request.run_limits.time_limit

        def progress_of(_: Progress) -> Progress:
            self._clock.is_due()
            return replace(NOTHING, seconds=self._clock.seconds, time_limit=limit)

        return forwarded(self._request.run_limits, progress_of)


def _open_nodes(request: Request, top: FixedTest) -> int | None:
    """Return how many nodes may be added to the fixed ones; None means no limit."""
    depth, nodes = request.tree_limits.depth, request.tree_limits.nodes
    if nodes is None:
        return None
    if nodes < top.n_nodes:
        raise ValueError(
            f"The 'partial_tree' parameter of {request.owner} must have at most "
            f"max_num_nodes={nodes} tests. Got {top.n_nodes} instead."
        )
    most = math.inf if depth is None else top.most_open_nodes(depth)
    if nodes - top.n_nodes >= most:
        return None
    if nodes - top.n_nodes > MAX_SIZES:
        raise ValueError(
            f"The 'max_num_nodes' parameter of {request.owner} must be at most "
            f"{MAX_SIZES + top.n_nodes} with this 'partial_tree' and "
            f"max_depth={depth!r}. Got {nodes} instead."
        )
    return nodes - top.n_nodes


def _joined(
    predicate: Predicate,
    left: _Curve,
    right: _Curve,
    price: float,
    budget: int | None,
) -> _Curve:
    """Return the best allocation of nodes to two sides, for each number of nodes."""
    joined = []
    most = min(len(left) + len(right) - 2, math.inf if budget is None else budget)
    for nodes in range(int(most) + 1):
        first, last = max(0, nodes - len(right) + 1), min(nodes, len(left) - 1)
        ways = [(left[k], right[nodes - k]) for k in range(first, last + 1)]
        a, b = min(ways, key=lambda way: way[0].cost + way[1].cost)
        bound = min(a.bound + b.bound for a, b in ways)
        plan = Planned(predicate, a.plan, b.plan)
        joined.append(_Option(a.cost + b.cost + price, bound + price, plan))
    return joined


def _merged(curve: _Curve, other: _Curve) -> _Curve:
    """Return the better option for each number of nodes."""
    return [
        replace(a if a.cost <= b.cost else b, bound=min(a.bound, b.bound))
        for a, b in zip(curve, other, strict=True)
    ]
