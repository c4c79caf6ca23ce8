"""Solve requests with constraints: a fixed top or a limit on distinct columns."""

import math
from dataclasses import replace

from murtree._solver.constraints.distinct_features import DistinctSearch
from murtree._solver.constraints.fixed_tests import FixedTest
from murtree._solver.constraints.partial_tree import PartialSearch
from murtree._solver.constraints.subproblems import Training
from murtree._solver.request import Request, RunLimits
from murtree._solver.result import Result

# Fixed tests are part of the objective; a larger penalty would hide the errors.
_LARGEST_PENALTY = 10**6


def constrained(
    training: Training, request: Request, top: FixedTest | None, most: int | None
) -> Result:
    """Return the best tree with a given top and a limited number of columns."""

    def relax(
        columns: frozenset[int] | None, upper_bound: float, run_limits: RunLimits
    ) -> Result:
        part = request._replace(run_limits=run_limits)
        if top is not None:
            return PartialSearch(training, part, top, columns).solve(upper_bound)
        return _free(training, part, columns, upper_bound)

    penalty = request.tree_limits.penalty
    if top is not None and penalty > _LARGEST_PENALTY:
        raise ValueError(
            f"The 'cost_complexity' parameter of {request.owner} must be at most "
            f"{_LARGEST_PENALTY} with 'partial_tree'. Got {penalty!r} "
            "instead: with 1 or more no additional test can pay off."
        )
    if most is None:
        return relax(None, math.inf, request.run_limits)
    included = frozenset() if top is None else top.columns
    if len(included) > most:
        raise ValueError(
            f"The 'partial_tree' parameter of {request.owner} must test at most "
            f"max_distinct_features={most} columns. Got {len(included)} instead."
        )
    return DistinctSearch(
        relax,
        len(training.columns),
        most,
        request.run_limits,
        included=included,
        is_whole=training.is_whole and not request.tree_limits.penalty,
    ).solve()


def _free(
    training: Training,
    request: Request,
    columns: frozenset[int] | None,
    upper_bound: float,
) -> Result:
    """Return the best tree on some columns, without further constraints."""
    bound = None if upper_bound == math.inf else upper_bound
    result = training.engine(columns).find(request, bound)
    if result.tree is None:
        return result
    tree = result.tree._with_columns(training.columns, training.predicates)
    return replace(result, tree=tree)
