"""How long a fit will take and how much memory, said beforehand.

The search is run at growing depths while that is quick. Its work, counted in calls of
the depth-two algorithm, then grows from level to level by a factor that is itself
foretold by the last one. The constants come from the paper's sets: see
benchmarks/calibrate_estimate.py, which prints them.
"""

import math
import time
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from murtree._binarize import TableBinarizer
from murtree._classifier import OptimalTreeClassifier
from murtree._errors import check_int, check_memory_limit
from murtree._question import MAX_DEPTH, Asked
from murtree._solve import Solver, check_options

BUDGET = 0.2  # seconds for all probes together
DEFAULT_CACHE = 48 << 20  # bytes, of the core

# The logarithm of the growth of time from depth two to three: a + b * log(features).
FIRST_GROWTH = (-0.16, 0.27)
# From there on to the next level: a + b * that of the calls up to the last one.
NEXT_GROWTH = (0.4, 0.5)
# Standard deviation of the logarithm of time after one, two, three levels, and for each
# level more.
SPREADS = (1.0, 1.46, 1.46)
MORE_SPREAD = 0.5
REPEATED_SPREAD = 0.3  # of the same search, done again
SLACK = 0.005  # seconds that a busy machine may take away at any time
# How often the interval holds, by levels foretold: rounded down from 0.99 of 183
# searches done again, and on sets held out 0.92 of 77, 0.91 of 35 and 8 of 8. Beyond
# three levels it was not measured.
COVERAGE = (0.95, 0.9, 0.9, 0.9)
UNMEASURED_COVERAGE = 0.5
NINE_IN_TEN = 1.645  # standard deviations to either side


@dataclass(frozen=True)
class CostEstimate:
    """What a fit is expected to cost.

    Parameters
    ----------
    seconds : float
        The time of the fit: half of all fits should take longer.
    seconds_low, seconds_high : float
        Nine of ten fits should lie between these.
    memory_bytes : int
        The memory that the fit needs beside `X`.
    confidence : float
        How often the interval was right on the paper's sets; 0.5 where it was not
        measured.
    text : str
        All this in words.

    Examples
    --------
    >>> from murtree import CostEstimate
    >>> estimate = CostEstimate(2.0, 0.5, 8.0, 10**7, 0.9, "about 2 s")
    >>> print(estimate)
    about 2 s
    """

    seconds: float
    seconds_low: float
    seconds_high: float
    memory_bytes: int
    confidence: float
    text: str = field(repr=False)

    def __str__(self) -> str:
        return self.text


class Level(NamedTuple):
    """What the search took up to a depth, all depths before included."""

    depth: int
    seconds: float
    calls: int
    cache_bytes: int
    is_last: bool  # deeper trees are no better, and cost no more to prove


class Forecast(NamedTuple):
    """What a depth is expected to take."""

    seconds: float
    spread: float  # standard deviation of the logarithm of the seconds
    n_levels: int  # not measured, but foretold
    cache_bytes: int

    @property
    def interval(self) -> tuple[float, float]:
        """The seconds between which nine of ten searches should lie."""
        factor = math.exp(min(NINE_IN_TEN * self.spread, 600.0))
        return max(self.seconds - SLACK, 0.0) / factor, self.seconds * factor + SLACK


def estimate_cost(
    X: Any,
    y: Any,
    max_depth: int = 4,
    *,
    sample_weight: Any = None,
    binarizer: str | TableBinarizer | None = "auto",
    memory_limit: int | str | None = None,
    solver_options: dict[str, Any] | None = None,
) -> CostEstimate:
    """Say roughly how long a fit of `OptimalTreeClassifier` takes, without doing it.

    It binarizes the data and searches for 0.4 seconds at most. The answer is for trees
    as large as the depth allows, without a penalty or a least size of leaves.

    Parameters
    ----------
    X : array-like, data frame or sparse matrix of shape (n_samples, n_features)
        As for `OptimalTreeClassifier`.
    y : array-like of shape (n_samples,)
        Labels: all str, all int or all bool.
    max_depth : int, default=4
        The depth to be asked for, 0 to 20.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative numbers.
    binarizer : str, TableBinarizer or None, default="auto"
        As for `OptimalTreeClassifier`.
    memory_limit : int or str, default=None
        As for `OptimalTreeClassifier`.
    solver_options : dict, default=None
        As for `OptimalTreeClassifier`.

    Returns
    -------
    estimate : CostEstimate
        Time with an interval, memory, and how far to trust them.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import estimate_cost
    >>> X, y = load_iris(return_X_y=True)
    >>> estimate = estimate_cost(X, y, max_depth=3)
    >>> estimate.seconds_low <= estimate.seconds <= estimate.seconds_high < 60
    True
    """
    owner = "estimate_cost"
    depth = check_int(max_depth, "max_depth", owner, 0, MAX_DEPTH)
    memory = check_memory_limit(memory_limit, owner)
    estimator = OptimalTreeClassifier(
        max_depth=depth, binarizer=binarizer, solver_options=solver_options
    )
    estimator._check_binarizer(owner)
    check_options(solver_options, owner)
    start = time.perf_counter()
    prepared = estimator._prepare(X, y, sample_weight)
    _, manners = estimator._check_parameters()
    prepared, _ = estimator._narrowed(prepared, Asked(depth, None), manners)
    solver = estimator._solver(prepared)
    preparation = time.perf_counter() - start
    levels = probe(solver, depth, memory)
    forecast = foretell(levels, solver._facts.n_features, depth)
    if forecast.n_levels == 0:  # so quick that it can be done
        fresh = estimator._solver(prepared)
        forecast = forecast._replace(seconds=seconds_of(fresh, depth, memory))
    cache = min(forecast.cache_bytes, memory or DEFAULT_CACHE)
    confidence = (*COVERAGE, *[UNMEASURED_COVERAGE] * MAX_DEPTH)[forecast.n_levels]
    low, high = forecast.interval
    estimate = CostEstimate(
        seconds=preparation + forecast.seconds,
        seconds_low=preparation + low,
        seconds_high=preparation + high,
        memory_bytes=_search_memory(solver, depth, cache),
        confidence=confidence,
        text="",
    )
    return replace(estimate, text=_in_words(estimate, depth, forecast.n_levels))


def probe(
    solver: Solver, max_depth: int, memory: int = 0, budget: float = BUDGET
) -> list[Level]:
    """Search at depths 1, 2, ... while the next one has a chance within the budget."""
    facts = solver._facts
    n_features = facts.n_features
    unavoidable = float(facts.unavoidable * facts.measure.unit)
    levels = [Level(0, 0.0, 0, 0, is_last=False)]
    start = time.perf_counter()
    while levels[-1].depth < max_depth and not levels[-1].is_last:
        depth = levels[-1].depth + 1
        left = budget - (time.perf_counter() - start)
        at_best = foretell(levels, n_features, depth).seconds / math.exp(SPREADS[0])
        if left <= 0 or (depth > 3 and at_best - levels[-1].seconds > left):
            break
        began = time.perf_counter()
        result = solver.solve(depth, time_limit=left, memory_limit=memory or None)
        if result.status != "optimal":
            break
        levels.append(
            Level(
                depth,
                levels[-1].seconds + time.perf_counter() - began,
                levels[-1].calls + result.stats["depth_two_calls"],
                result.stats["cache_bytes"],
                is_last=result.lower_bound <= unavoidable,
            )
        )
    return levels


def seconds_of(solver: Solver, max_depth: int, memory: int = 0) -> float:
    """Return how long a search takes, but no longer than the budget."""
    start = time.perf_counter()
    solver.solve(max_depth, time_limit=BUDGET, memory_limit=memory or None)
    return time.perf_counter() - start


def foretell(levels: list[Level], n_features: int, max_depth: int) -> Forecast:
    """Say what a depth will take, from what smaller depths took."""
    last = levels[-1]
    if last.is_last or last.depth >= max_depth:
        return Forecast(last.seconds, REPEATED_SPREAD, 0, last.cache_bytes)
    n_foretold = max_depth - last.depth
    growth = _last_growth(levels, n_features)
    total = 0.0
    for depth in range(last.depth, max_depth):
        if depth >= 3:
            growth = max(NEXT_GROWTH[0] + NEXT_GROWTH[1] * growth, 0.0)
        total += growth
    seconds = max(last.seconds, 1e-4 if last.depth > 1 else BUDGET)
    more = max(n_foretold - len(SPREADS), 0)
    spread = SPREADS[min(n_foretold, len(SPREADS)) - 1] + MORE_SPREAD * more
    factor = math.exp(min(total, 600.0))
    # The cache doubles when it is full, and then holds the old and the new.
    cache = min(2 * max(last.cache_bytes, 2048) * factor, 2.0**62)
    return Forecast(seconds * factor, spread, n_foretold, int(cache))


def _last_growth(levels: list[Level], n_features: int) -> float:
    """Return the logarithm of the growth up to the last level, or from there on."""
    if levels[-1].depth < 3:
        a, b = FIRST_GROWTH
        return a + b * math.log(max(n_features, 1))
    before, last = levels[-2].calls, levels[-1].calls
    return math.log(max(last, 1) / max(before, 1))


def _search_memory(solver: Solver, depth: int, cache_bytes: int) -> int:
    """Return bytes of the 0/1 table, the core's copies, its work space and cache."""
    facts, n_columns = solver._facts, solver.n_features_in_
    table = facts.n_samples * (n_columns + n_columns // 8 + 24)
    rows = facts.n_rows * (facts.n_features // 8 + 32)
    pairs = 12 * (facts.n_features + 32) * (facts.n_features + 32)
    n_levels = min(max(depth - 1, 1), 8)
    return table + rows + n_levels * (rows + pairs + (1 << 19)) + cache_bytes


def _in_words(estimate: CostEstimate, depth: int, n_foretold: int) -> str:
    how = f"measured up to depth {depth - n_foretold}"
    if n_foretold:
        how += f", foretold for {n_foretold} more"
    low, high = _duration(estimate.seconds_low), _duration(estimate.seconds_high)
    return (
        f"about {_duration(estimate.seconds)} (between {low} and {high} with a "
        f"confidence of {estimate.confidence:.0%}) and "
        f"{_short(estimate.memory_bytes / 1e6)} MB; {how}"
    )


def _duration(seconds: float) -> str:
    units = (("years", 31_557_600), ("days", 86_400), ("h", 3600), ("min", 60))
    for unit, length in units:
        if seconds >= 2 * length:
            return f"{_short(seconds / length)} {unit}"
    return f"{_short(seconds)} s" if seconds >= 1 else f"{_short(seconds * 1000)} ms"


def _short(number: float) -> str:
    """Write two digits, and no exponent unless the number is beyond all counting."""
    rounded = float(f"{number:.2g}")
    return f"{rounded:.0f}" if 10 <= rounded < 1e6 else f"{rounded:g}"
