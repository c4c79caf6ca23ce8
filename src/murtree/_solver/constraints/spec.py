"""What a tree may look like beside its size: a given top, few distinct columns."""

import math
from dataclasses import replace
from typing import Any

from murtree._input.parameters import check_int
from murtree._solver.constraints.distinct_features import DistinctSearch
from murtree._solver.constraints.fixed_tests import FixedTest
from murtree._solver.constraints.partial_tree import PartialSearch
from murtree._solver.constraints.subproblems import Request, Training, in_users_units
from murtree._solver.request import RunLimits
from murtree._solver.result import Result

CONSTRAINTS = ("max_distinct_features", "partial_tree")
# The price of fixed tests is part of the objective, next to which errors must count.
_LARGEST_PENALTY = 10**6


def check_constraints(
    owner: str, max_distinct_features: Any, partial_tree: Any, others: dict[str, Any]
) -> bool:
    """Return whether there are any; refuse what they do not go together with.

    `others` are parameters that must not be set to anything that is true.
    """
    if max_distinct_features is not None:
        check_int(max_distinct_features, "max_distinct_features", owner, 1, None)
    given = dict(zip(CONSTRAINTS, (max_distinct_features, partial_tree), strict=True))
    named = [name for name, value in given.items() if value is not None]
    for name, value in others.items():
        if named and value:
            raise ValueError(
                f"The {name!r} parameter of {owner} must be False with {named[0]!r}. "
                f"Got {value!r} instead."
            )
    return bool(named)


def constrained(
    training: Training, request: Request, top: FixedTest | None, most: int | None
) -> Result:
    """Return the best tree with a given top, and with at most so many columns."""

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
            "instead: from 1 on no test pays beside the given ones."
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
    owner, tree_limits, run_limits = request
    bound = None if upper_bound == math.inf else upper_bound
    result = training.solver(columns)._find(owner, tree_limits, run_limits, bound)
    if result.tree is None:
        return result
    tree = in_users_units(result.tree, training.columns, training.predicates)
    return replace(result, tree=tree)
