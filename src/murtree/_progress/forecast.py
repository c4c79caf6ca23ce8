"""How long a search will still take, and how far it is, in plain words."""

import math
from bisect import bisect_left
from collections.abc import Callable

from murtree._solver.result import Progress
from murtree._table.predicate_text import number_text

LEAST_SECONDS, LEAST_SHARE = 3.0, 0.05  # before that a forecast is a guess
_SLOW, _QUICK = 0.4, 0.1  # of the time so far: to follow what takes longer, or less
_FASTEST = 3.0  # power of the time by which the share done may seem to grow


class Forecast:
    """Says how long a search will take, from the share of it that is done.

    What one root teaches saves work at the next ones, so that searches speed up: the
    share done grows like a power of the time, which is taken from its growth since half
    the time. The forecast follows slowly, so that it does not jump.
    """

    def __init__(self) -> None:
        self._seconds = [0.0]
        self._shares = [0.0]
        self._end: float | None = None  # in seconds from the start
        self._is_steady = True

    def add(self, progress: Progress) -> None:
        """Take note of how far the search is."""
        seconds, share = progress.seconds, progress.share
        before, last = self._seconds[-1], self._shares[-1]
        if share < last or seconds < before:  # one of several searches: no telling
            self._is_steady = False
        if not self._is_steady:
            return
        self._seconds.append(seconds)
        self._shares.append(share)
        seen = self._expected(seconds, share)
        if seen is None or self._end is None:
            self._end = seen
        elif seconds > before:
            lag = seconds * (_SLOW if seen > self._end else _QUICK)
            weight = 1.0 - math.exp((before - seconds) / lag)
            self._end *= (seen / self._end) ** weight
            self._end = max(self._end, math.sqrt(seconds * seen))  # never overdue

    def left(self, progress: Progress) -> str:
        """Say how long the search will go on; nothing where nobody can tell."""
        left, limit = math.inf, math.inf
        if self._end is not None and self._is_steady:
            left = max(self._end - progress.seconds, 0.0)
        if progress.time_limit is not None:
            limit = max(progress.time_limit - progress.seconds, 0.0)
        if limit < math.inf and limit <= left:
            return f"at most {_rounded(limit, math.ceil)} left"
        return "" if left == math.inf else about_text(left)

    def _expected(self, seconds: float, share: float) -> float | None:
        """Return when all is done if it goes on like this."""
        if seconds < LEAST_SECONDS or share < LEAST_SHARE:
            return None
        earlier = self._shares[bisect_left(self._seconds, seconds / 2)]
        if earlier == 0.0:
            return None
        power = min(max(math.log2(share / earlier), 1.0), _FASTEST)
        return float(seconds * share ** (-1.0 / power))


def best_text(progress: Progress, best: str = "best") -> str:
    """Say what the best tree so far costs, and what is proven of all others.

    Examples
    --------
    >>> best_text(Progress(8.0, 12, 7, 0.42, share=0.41, tree=None))
    'best 12 errors (proven: at least 7)'
    """
    if progress.objective is None:
        return "no tree yet"
    return f"{best} {cost_text(progress.objective, progress.lower_bound)}"


def cost_text(objective: float, lower_bound: float) -> str:
    """Say what a tree costs, and what is proven of all others.

    Examples
    --------
    >>> cost_text(1, 0), cost_text(0.25, 0.125), cost_text(12, 12)
    ('1 error', '0.25 (proven: at least 0.125)', '12 errors')
    """
    cost = number_text(objective)
    if isinstance(objective, int):  # other objectives have other units
        cost += " error" if objective == 1 else " errors"
    is_known = 0 < lower_bound < objective
    return f"{cost} (proven: at least {number_text(lower_bound)})" if is_known else cost


def share_text(share: float) -> str:
    """Say how much of a search is done; nothing where that is not known.

    Examples
    --------
    >>> share_text(0.418), share_text(0.0)
    ('41%', '')
    """
    return f"{math.floor(100 * share)}%" if share > 0.0 else ""


def about_text(seconds: float) -> str:
    """Say how long something will take.

    Examples
    --------
    >>> about_text(0.2), about_text(13.0), about_text(150.0), about_text(9000.0)
    ('about 1 s left', 'about 15 s left', 'about 2:30 min left', 'about 2 h left')
    """
    return f"about {_rounded(seconds, round)} left"


def _rounded(seconds: float, rounding: Callable[[float], int]) -> str:
    """Write a time with one or two digits: more would promise too much."""
    for most, step in ((10, 1), (60, 5), (600, 10), (7200, 60)):
        whole = max(rounding(seconds / step), 1) * step
        if whole < most:
            break
    else:
        return f"{max(rounding(seconds / 3600), 2)} h"
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if step == 60 else f"{whole // 60}:{whole % 60:02} min"
