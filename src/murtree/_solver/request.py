"""A question to the solver: its limits checked, and in the core's terms."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import ParamSpec, TypeVar

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
from murtree._solver.units import Measure, Units, choose_units

MAX_DEPTH = 20  # that a user may ask for; deeper only where few nodes can be of use
MAX_LEVELS = 255  # of the core
MAX_NUM_NODES = 2**20 - 1  # of the core
MAX_SIZES = 255  # of a frontier, without the leaf
ON_INTERRUPT = ("raise", "return")
# What a search gets when its time was spent before it: seconds, and a share of these.
LEAST_TIME, LEAST_SHARE = 0.05, 0.1

Callback = Callable[[Progress], object]
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True)
class Facts:
    """What is known of the data without a search."""

    n_samples: int
    n_features: int  # that are left after the reductions
    n_rows: int  # left likewise; no tree has use for so many nodes
    measure: Measure
    unavoidable: int  # what every tree costs, in the core's units
    avoidable: int  # what a leaf costs more, and another tree may not


@dataclass(frozen=True)
class Asked:
    """What the user asks for; None: no limit."""

    depth: int | None
    nodes: int | None
    penalty: float = 0.0
    fewest_nodes: bool = False


@dataclass(frozen=True)
class Limits:
    """Depth and nodes as the core takes them, and the units of the costs."""

    depth: int
    nodes: int
    units: Units


@dataclass(frozen=True)
class Manners:
    """What else a search keeps to, and when it ends."""

    min_samples_leaf: int
    min_weight_fraction_leaf: float
    seconds: float
    memory: int  # bytes; 0: the core's default
    callback: Callback | None
    returns_on_interrupt: bool
    # Asked a few times a second: whether nobody wants the answer any more.
    is_given_up: Callable[[], bool] | None = None

    @property
    def time_limit(self) -> float | None:
        """The seconds as users give them."""
        return self.seconds if self.seconds < math.inf else None

    def after(self, spent: float) -> "Manners":
        """Return these with what is left of the time, enough for a first tree."""
        least = min(max(LEAST_TIME, LEAST_SHARE * spent), self.seconds)
        return replace(self, seconds=max(self.seconds - spent, least))

    @property
    def is_watched(self) -> bool:
        """Whether someone may look at the bound before the proof is complete."""
        is_limited = self.seconds < math.inf or self.returns_on_interrupt
        return is_limited or self.callback is not None


def check_asked(
    owner: str,
    *,
    max_depth: int | None,
    max_num_nodes: int | None,
    cost_complexity: float = 0.0,
    fewest_nodes: bool = False,
    frontier: bool = False,
) -> Asked:
    """Return the sizes asked for; refuse what is wrong whatever the data."""
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
    return Asked(depth, nodes, penalty, fewest)


def check_manners(
    owner: str,
    *,
    min_samples_leaf: int,
    min_weight_fraction_leaf: float,
    time_limit: float | None,
    memory_limit: int | str | None,
    callback: Callback | None,
    on_interrupt: str,
) -> Manners:
    """Return what a search keeps to, or say what is wrong with it."""
    size = check_int(min_samples_leaf, "min_samples_leaf", owner, 1, None)
    fraction = "min_weight_fraction_leaf"
    share = check_number(min_weight_fraction_leaf, fraction, owner, most=0.5)
    seconds = check_time_limit(time_limit, owner)
    memory = check_memory_limit(memory_limit, owner)
    check_callback(callback, owner)
    check_choice(on_interrupt, "on_interrupt", owner, ON_INTERRUPT)
    more_rows_than_any = 2**40
    size = min(size, more_rows_than_any)
    return Manners(size, share, seconds, memory, callback, on_interrupt == "return")


def forwarded(
    manners: Manners, translate: Callable[P, Progress]
) -> Callable[P, bool] | None:
    """Return a callback that gives the user's own what `translate` makes of news.

    None if the user has none. Ctrl-C while it runs stops the search where that returns
    the best tree so far.
    """
    callback = manners.callback
    if callback is None:
        return None

    def forward(*news: P.args, **more: P.kwargs) -> bool:
        try:
            return bool(callback(translate(*news, **more)))
        except KeyboardInterrupt:
            if manners.returns_on_interrupt:
                return True
            raise

    return forward


def until_end(callback: Callback | None, search: Callable[[], R]) -> R:
    """Run a search; a callback that has a method `search_ended` is told its result.

    It is told None if an exception ended the search.
    """
    try:
        found = search()
    except BaseException:
        tell_end(callback, None)
        raise
    tell_end(callback, found)
    return found


def tell_end(callback: Callback | None, found: object) -> None:
    """Tell a callback how a search ended, if it wants to know."""
    ended = getattr(callback, "search_ended", None)
    if ended is not None:
        ended(found)


def choose_limits(asked: Asked, facts: Facts, owner: str) -> Limits:
    """Return the limits in the core's terms, or say why this data is too much."""
    depth = MAX_LEVELS if asked.depth is None else asked.depth
    nodes = min(MAX_NUM_NODES, 2**depth - 1)
    if asked.nodes is not None:
        nodes = min(nodes, asked.nodes)
    useful = min(nodes, facts.n_rows - 1)
    units = choose_units(
        facts.measure, asked.penalty, useful if asked.fewest_nodes else None
    )
    if asked.depth is None:
        paying = units.useful_nodes(facts.avoidable)
        if min(useful, useful if paying is None else paying) > MAX_LEVELS:
            _refuse_levels(asked, facts, units, owner)
        depth = min(nodes, MAX_LEVELS)
    return Limits(depth, nodes, units)


def _refuse_levels(asked: Asked, facts: Facts, units: Units, owner: str) -> None:
    if asked.penalty == 0.0:
        raise ParameterValueError(
            "max_num_nodes",
            owner,
            f"must be an int in the range [0, {MAX_LEVELS}] with max_depth=None and "
            f"without a 'cost_complexity'. Got {asked.nodes!r} instead.",
        )
    # One node more than there may be must cost at least what a leaf does.
    price = facts.avoidable * facts.measure.unit / (MAX_LEVELS + 1) + units.unit
    least = float(price) / facts.measure.total
    digits = 2 - math.floor(math.log10(least))
    least = math.ceil(least * 10**digits) / 10**digits
    raise ParameterValueError(
        "cost_complexity",
        owner,
        f"must be at least {least:.3g} on this data with max_depth=None, for a tree "
        f"may have {MAX_LEVELS} levels at most (or give a 'max_depth', or a "
        f"'max_num_nodes' of at most {MAX_LEVELS}). Got {asked.penalty!r} instead.",
    )
