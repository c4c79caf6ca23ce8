"""Checked limits of a request: those of the trees and those of the search."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import NamedTuple, ParamSpec, TypeVar

from murtree._input.parameters import (
    ParameterValueError,
    check_bool,
    check_callback,
    check_choice,
    check_int,
    check_memory_limit,
    check_number,
    check_time_limit,
)
from murtree._solver.result import Progress

MAX_DEPTH = 20  # for users; deeper only if few nodes can be useful
MAX_SIZES = 255  # largest number of nodes in a frontier
MORE_ROWS_THAN_ANY = 2**40
ON_INTERRUPT = ("raise", "return")
# Time of a search that starts after its limit: seconds, and a fraction of the limit.
LEAST_TIME, LEAST_SHARE = 0.05, 0.1

Callback = Callable[[Progress], object]
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class TreeLimits:
    """Limits on the size of a tree, and the penalty of a node; None means no limit."""

    depth: int | None
    nodes: int | None
    penalty: float = 0.0
    fewest_nodes: bool = False


@dataclass(frozen=True)
class RunLimits:
    """Minimum leaf sizes, and the conditions that end a search."""

    min_samples_leaf: int
    min_weight_fraction_leaf: float
    seconds: float
    memory: int  # bytes; 0: the core's default
    callback: Callback | None
    returns_on_interrupt: bool
    # Called a few times a second; returns whether the result is no longer needed.
    is_given_up: Callable[[], bool] | None = None

    @property
    def time_limit(self) -> float | None:
        """The time limit as users give it; None means no limit."""
        return self.seconds if self.seconds < math.inf else None

    def after(self, spent: float) -> "RunLimits":
        """Return limits with the remaining time, but enough for a first tree."""
        least = min(max(LEAST_TIME, LEAST_SHARE * spent), self.seconds)
        return replace(self, seconds=max(self.seconds - spent, least))


class Request(NamedTuple):
    """The limits of a request, and the class or function that errors name."""

    owner: str
    tree_limits: TreeLimits
    run_limits: RunLimits

    def after(self, spent: float) -> "Request":
        """Return the request with the remaining time."""
        return self._replace(run_limits=self.run_limits.after(spent))


def check_limits(
    owner: str,
    *,
    max_depth: int | None,
    max_num_nodes: int | None,
    min_samples_leaf: int,
    min_weight_fraction_leaf: float,
    time_limit: float | None,
    memory_limit: int | str | None,
    callback: Callback | None,
    on_interrupt: str,
    cost_complexity: float = 0.0,
    fewest_nodes: bool = False,
    frontier: bool = False,
) -> Request:
    """Return the request with these limits; raise for values invalid on any data."""
    frontier = check_bool(frontier, "frontier", owner)
    fewest = check_bool(fewest_nodes, "fewest_nodes", owner)
    penalty = check_number(cost_complexity, "cost_complexity", owner)
    depth = nodes = None
    if max_num_nodes is not None:
        nodes = check_int(max_num_nodes, "max_num_nodes", owner, 0, None)
    if max_depth is not None:
        depth = check_int(max_depth, "max_depth", owner, 0, MAX_DEPTH)
    elif nodes is None and (penalty == 0.0 or frontier):
        penalised = "" if frontier else " or a 'cost_complexity' above 0"
        raise ParameterValueError(
            "max_depth",
            owner,
            f"must be an int in the range [0, {MAX_DEPTH}] unless there is a "
            f"'max_num_nodes'{penalised}. Got None instead.",
        )
    by_depth = math.inf if depth is None else 2**depth - 1
    if frontier and min(by_depth, math.inf if nodes is None else nodes) > MAX_SIZES:
        raise ParameterValueError(
            "max_num_nodes",
            owner,
            f"must be an int in the range [0, {MAX_SIZES}] for a frontier with "
            f"max_depth={max_depth!r}: it has a tree for each number of nodes. "
            f"Got {max_num_nodes!r} instead.",
        )
    size = check_int(min_samples_leaf, "min_samples_leaf", owner, 1, None)
    fraction = "min_weight_fraction_leaf"
    run_limits = RunLimits(
        min_samples_leaf=min(size, MORE_ROWS_THAN_ANY),
        min_weight_fraction_leaf=check_number(
            min_weight_fraction_leaf, fraction, owner, most=0.5
        ),
        seconds=check_time_limit(time_limit, owner),
        memory=check_memory_limit(memory_limit, owner),
        callback=check_callback(callback, owner),
        returns_on_interrupt=check_choice(
            on_interrupt, "on_interrupt", owner, ON_INTERRUPT
        )
        == "return",
    )
    return Request(owner, TreeLimits(depth, nodes, penalty, fewest), run_limits)


def forwarded(
    run_limits: RunLimits, translate: Callable[P, Progress]
) -> Callable[P, bool] | None:
    """Return a callback that passes the result of `translate` to the user's callback.

    Return None if the user has no callback. Ctrl-C during the callback stops the search
    if the search is to return the best tree so far.
    """
    callback = run_limits.callback
    if callback is None:
        return None

    def forward(*news: P.args, **more: P.kwargs) -> bool:
        try:
            return bool(callback(translate(*news, **more)))
        except KeyboardInterrupt:
            if run_limits.returns_on_interrupt:
                return True
            raise

    return forward


def until_end(
    callback: Callback | None,
    search: Callable[[], R],
    result_of: Callable[[R], object] | None = None,
) -> R:
    """Run a search, and pass its result to the `search_ended` method of a callback.

    The callback gets None if the search raised an exception.
    """
    ended = getattr(callback, "search_ended", None)
    result = None
    try:
        found = search()
        result = found if result_of is None else result_of(found)
    finally:
        if ended is not None:
            ended(result)
    return found
