"""Forecast of the remaining time of a search from the share that is done."""

import math
from bisect import bisect_left

from murtree._progress.text import about_left, at_most_left
from murtree._solver.result import Progress

LEAST_SECONDS, LEAST_SHARE = 3.0, 0.05  # earlier forecasts are unreliable
_SLOW, _QUICK = 0.4, 0.1  # smoothing for later and earlier ends, per time so far
_FASTEST = 3.0  # maximum power of time by which the share grows


class Forecast:
    """Forecast of the end of a search.

    Results from one root save work at the next ones, so searches speed up: the share
    done grows like a power of time. The power is estimated from the growth since half
    the time. The forecast is smoothed, so that it does not jump.
    """

    def __init__(self) -> None:
        self._seconds = [0.0]
        self._shares = [0.0]
        self._end: float | None = None  # in seconds from the start
        self._is_steady = True

    def add(self, progress: Progress) -> None:
        """Update the forecast."""
        seconds, share = progress.seconds, progress.share
        before, last = self._seconds[-1], self._shares[-1]
        if share < last or seconds < before:  # one of several searches
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
            self._end = max(self._end, math.sqrt(seconds * seen))  # not in the past

    def left(self, progress: Progress) -> str:
        """Return the time left as text; '' if it is not known."""
        left, limit = math.inf, math.inf
        if self._end is not None and self._is_steady:
            left = max(self._end - progress.seconds, 0.0)
        if progress.time_limit is not None:
            limit = max(progress.time_limit - progress.seconds, 0.0)
        if limit < math.inf and limit <= left:
            return at_most_left(limit)
        return "" if left == math.inf else about_left(left)

    def _expected(self, seconds: float, share: float) -> float | None:
        """Return the end of the search at its current rate."""
        if seconds < LEAST_SECONDS or share < LEAST_SHARE:
            return None
        earlier = self._shares[bisect_left(self._seconds, seconds / 2)]
        if earlier == 0.0:
            return None
        power = min(max(math.log2(share / earlier), 1.0), _FASTEST)
        return float(seconds * share ** (-1.0 / power))
