"""Convert objectives and limits to integers of the core, and back.

The core minimises ``price_of_error * cost + price_of_node * nodes`` in integers, where
the cost is a number of misclassified rows or a sum in its own units (`Measure`).
A real penalty is a fixed-point number: a node costs ``floor`` of its price in units.
Rounded down, a cost in units never exceeds the true one, so lower bounds stay valid; an
optimum in units is a true optimum to within one unit per node.

Counts of errors are small numbers. With a penalty an error of weight one is S units
(`scale`), a power of two. Sums already use all bits of the core.

To find the fewest nodes among the best trees, everything is multiplied by M (`spread`),
a power of two greater than any useful number of nodes, and a node costs one unit more.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from murtree._input.parameters import ParameterValueError
from murtree._solver.request import Request, TreeLimits

MAX_LEVELS = 255  # limit of the core
MAX_NUM_NODES = 2**20 - 1  # limit of the core
# Costs up to MANY leave room for sums in the core. The scale is the largest that keeps
# costs below FEW, where they are cheap to store, but it is at least LEAST_SCALE.
_FEW, _MANY = 2**30, 2**47
_LEAST_SCALE = 2**10
_LARGEST_SUM = 2**36
# Far more than the rounding error of sums of real numbers.
_ROUNDING = Fraction(1, 2**44)


@dataclass(frozen=True)
class Measure:
    """Relation between costs of the core and objectives of the user.

    An objective is ``offset + unit * cost``: exactly, or for sums of rounded real
    numbers (``is_exact=False``) to within `slack` and floating-point rounding.
    """

    unit: Fraction  # the objective of a cost of one
    total: float  # the objective of which cost_complexity is a fraction
    most: int  # the cost of a leaf of all rows, and of a useful tree, is at most this
    is_whole: bool = False  # objectives are numbers of errors
    is_counted: bool = True  # costs are small, not sums that use all bits
    is_exact: bool = True
    offset: Fraction = Fraction(0)
    slack: Fraction = Fraction(0)
    step: int = 1  # the price of a node is a multiple of it

    @property
    def rounding(self) -> Fraction:
        """An upper bound on the rounding error of an objective; 0 for integers."""
        return Fraction(0) if self.is_whole else _ROUNDING * Fraction(self.total)


@dataclass(frozen=True)
class Units:
    """Prices of a request in units, and conversion in both directions."""

    measure: Measure
    cost_complexity: float
    price_of_error: int
    price_of_node: int
    spread: int

    @property
    def has_penalty(self) -> bool:
        """Whether nodes have a cost."""
        return self.cost_complexity > 0

    @property
    def unit(self) -> Fraction:
        """The objective of one unit, without the tie-breaking cost of nodes."""
        return self.measure.unit * self.spread / self.price_of_error

    def objective(self, cost: float, n_nodes: int) -> float:
        """Return the objective of a tree from its cost without nodes."""
        if not self.has_penalty:
            return cost
        return cost + self.cost_complexity * (self.measure.total * n_nodes)

    def lower_bound(self, cost: int) -> float:
        """Return the bound on objectives for a bound on the core's costs."""
        measure = self.measure
        least = measure.offset + cost // self.spread * self.unit
        if measure.is_whole and not self.has_penalty:
            return max(math.ceil(least), 0)
        if not measure.is_exact:
            least -= measure.slack + measure.rounding
        return float(max(least, Fraction(0)))

    def upper_bound(self, objective: float) -> int:
        """Return the largest cost of a tree with at most this objective."""
        measure = self.measure
        most = measure.most * self.price_of_error // self.spread
        if objective >= math.inf:
            largest = most
        else:
            above = Fraction(objective) - measure.offset
            above += measure.slack + measure.rounding
            largest = min(max(math.floor(above / self.unit), 0), most)
        return largest * self.spread + self.spread - 1

    def useful_nodes(self, avoidable: int) -> int | None:
        """Return the largest number of nodes that can pay off, given avoidable costs.

        Return None if nodes are free.
        """
        if self.price_of_node == 0:
            return None
        return max(avoidable * self.price_of_error - 1, 0) // self.price_of_node


@dataclass(frozen=True)
class DataFacts:
    """Properties of the data that are known without a search."""

    n_rows: int  # after the reductions; more nodes than rows are never useful
    measure: Measure
    avoidable: int  # the cost of a single leaf beyond that of every tree, in the core


@dataclass(frozen=True)
class Limits:
    """Depth and nodes as the core takes them, and the units of the costs."""

    depth: int
    nodes: int
    units: Units


def choose_units(
    measure: Measure, cost_complexity: float, most_nodes: int | None
) -> Units:
    """Return the finest units that fit.

    `most_nodes` is the largest useful number of nodes if the fewest nodes are wanted;
    otherwise None.
    """
    spread = 1 if most_nodes is None else 1 << most_nodes.bit_length()
    multiplier = 1
    if cost_complexity > 0 and measure.is_counted:
        divisor = _divisor(measure)
        multiplier = divisor * _scale(measure.most * divisor * spread)
        if measure.most * multiplier * spread > _MANY:
            multiplier = _scale(measure.most * spread)
    largest = max(measure.most, 0 if measure.is_counted else _LARGEST_SUM)
    if spread * multiplier > 1 and largest * multiplier * spread > _MANY:
        _refuse(measure, multiplier * spread, largest)
    # The core's price is the true one rounded down, so that bounds stay valid, or one
    # unit more than the cost of any leaf. At that price no split can pay off, in the
    # core or in truth, and a higher price changes nothing. Both limits are in units of
    # the core, in which rounding may make a leaf cost more than the total.
    unit = measure.unit / multiplier
    exact = Fraction(cost_complexity) * Fraction(measure.total) / unit
    price = min(exact // measure.step * measure.step, measure.most * multiplier + 1)
    if cost_complexity > 0 and not measure.total:
        price = 1  # a leaf costs nothing, and no split pays off
    tie = 0 if most_nodes is None else 1
    return Units(
        measure,
        cost_complexity,
        price_of_error=multiplier * spread,
        price_of_node=price * spread + tie,
        spread=spread,
    )


def _divisor(measure: Measure) -> int:
    """Return the common divisor of integer weights."""
    return measure.unit.numerator if measure.unit.denominator == 1 else 1


def _scale(total: int) -> int:
    room = _FEW // total
    return max(_LEAST_SCALE, 1 << max(room.bit_length() - 1, 0))


def _refuse(measure: Measure, multiplier: int, largest: int) -> None:
    if measure.is_counted:
        divisor = _divisor(measure)
        raise ValueError(
            "The sum of sample_weight must be at most "
            f"{_MANY * divisor // multiplier} with this 'cost_complexity' and "
            f"'fewest_nodes'. Got {measure.most * divisor} instead."
        )
    raise ValueError(
        "With 'fewest_nodes' and costs or targets that are real numbers a tree must "
        f"have less than {_MANY // largest} nodes: give a smaller 'max_depth' or "
        "'max_num_nodes'."
    )


def most_nodes(tree_limits: TreeLimits) -> int:
    """Return the largest number of nodes within the limits and those of the core."""
    depth = MAX_LEVELS if tree_limits.depth is None else tree_limits.depth
    nodes = min(MAX_NUM_NODES, (1 << depth) - 1)
    return nodes if tree_limits.nodes is None else min(nodes, tree_limits.nodes)


def choose_limits(request: Request, facts: DataFacts) -> Limits:
    """Return the limits in units of the core; raise if the data is too large."""
    tree_limits = request.tree_limits
    depth, nodes = tree_limits.depth, most_nodes(tree_limits)
    useful = min(nodes, facts.n_rows - 1)
    units = choose_units(
        facts.measure, tree_limits.penalty, useful if tree_limits.fewest_nodes else None
    )
    if depth is None:
        paying = units.useful_nodes(facts.avoidable)
        if min(useful, useful if paying is None else paying) > MAX_LEVELS:
            if tree_limits.penalty == 0.0:
                refuse_nodes(request)
            _refuse_penalty(request, facts, units)
        depth = min(nodes, MAX_LEVELS)
    return Limits(depth, nodes, units)


def refuse_nodes(request: Request) -> None:
    """Raise for a number of nodes that allows too many levels."""
    raise ParameterValueError(
        "max_num_nodes",
        request.owner,
        f"must be an int in the range [0, {MAX_LEVELS}] with max_depth=None and "
        f"without a 'cost_complexity'. Got {request.tree_limits.nodes!r} instead.",
    )


def _refuse_penalty(request: Request, facts: DataFacts, units: Units) -> None:
    # One node more than allowed must cost at least as much as a leaf.
    price = facts.avoidable * facts.measure.unit / (MAX_LEVELS + 1) + units.unit
    least = float(price) / facts.measure.total
    digits = 2 - math.floor(math.log10(least))
    least = math.ceil(least * 10**digits) / 10**digits
    raise ParameterValueError(
        "cost_complexity",
        request.owner,
        f"must be at least {least:.3g} on this data with max_depth=None, for a tree "
        f"may have {MAX_LEVELS} levels at most (or give a 'max_depth', or a "
        f"'max_num_nodes' of at most {MAX_LEVELS}). Got "
        f"{request.tree_limits.penalty!r} instead.",
    )
