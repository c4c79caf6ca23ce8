"""Observers that describe the progress of a search, and forecast its end."""

import math
import time
from bisect import bisect_left
from dataclasses import dataclass
from typing import Protocol

from murtree._progress.text import (
    about_left,
    at_most_left,
    best_text,
    cost_text,
    share_text,
)
from murtree._solver.frontier import Frontier
from murtree._solver.pareto import ParetoFront
from murtree._solver.result import Progress, Result

LEAST_SECONDS, LEAST_SHARE = 3.0, 0.05  # earlier forecasts are unreliable
_SLOW, _QUICK = 0.4, 0.1  # smoothing for later and earlier ends, per time so far
_FASTEST = 3.0  # maximum power of time by which the share grows

_ENDS = {
    "optimal": "proven optimal",
    "time_limit": "time limit reached",
    "interrupted": "interrupted",
    "infeasible": "no tree within the upper bound",
}


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


@dataclass
class Observed:
    """Texts for displays; '' and 0 if there is nothing to show."""

    task: str  # the current activity
    best: str = ""  # the best tree so far
    share: float = 0.0  # of the work that is done
    left: str = ""  # the time left
    hint: str = ""  # the effect of Ctrl-C

    @property
    def how_far(self) -> str:
        """The share and the time left, for display next to a bar."""
        return ", ".join(filter(None, (share_text(self.share), self.left)))


class SearchObserver:
    """Observer of a search, for use in its callback.

    Parameters
    ----------
    task : str, default="searching"
        The activity during the search.
    before : str, default=""
        The activity before the first call; '' means `task`.
    """

    every = 1.0  # seconds between two lines of a log

    def __init__(self, task: str = "searching", *, before: str = "") -> None:
        self._task = task
        self._forecast = Forecast()
        self.seen = Observed(before or task)
        self.line = self.seen.task  # for a log

    def add(self, progress: Progress) -> None:
        """Record the progress of the search."""
        self._forecast.add(progress)
        self.seen = Observed(
            self._task,
            best=best_text(progress, "best so far:"),
            share=progress.share,
            left=self._forecast.left(progress),
            hint="Ctrl-C stops and keeps the best tree",
        )
        self.line = ", ".join(filter(None, (self.seen.how_far, best_text(progress))))

    def end(self, found: Result | Frontier | ParetoFront | None, elapsed: str) -> None:
        """Record the result of the search; None if it raised an exception."""
        if found is None:  # keep the last state
            self.line = f"ended: {self.line}"
            return
        if found.status in ("optimal", "infeasible"):
            self.seen.share = 1.0
        self.line = f"{_ENDS[found.status]} after {elapsed}"
        if isinstance(found, Frontier):
            found = found[-1]
        if isinstance(found, Result) and found.objective is not None:
            self.line += f": {cost_text(found.objective, found.lower_bound)}"


class Stage(Protocol):
    """A part of the searches of a comparison, with properties of a named tuple."""

    @property
    def name(self) -> str: ...

    @property
    def kept(self) -> str: ...

    @property
    def n_before(self) -> int: ...

    @property
    def n_searches(self) -> int: ...


class ComparisonObserver:
    """Observer of a comparison of many searches, one stage after the other.

    A stage has the searches of a depth, or of a family of trees, in all folds.

    Parameters
    ----------
    task : str
        The activity until the first search has ended.
    """

    every = 0.0

    def __init__(self, task: str) -> None:
        self._task = task
        self._hint = ""
        self._start = time.monotonic()  # of this stage
        self._end = math.inf  # of this stage; for the last stage, of the comparison
        self._until = ""  # the stage to which `_end` refers, as text

    @property
    def seen(self) -> Observed:
        """The current texts; the time left decreases between two searches."""
        left = self._end - time.monotonic()
        text = about_left(max(left, 0.0)) + self._until if left < math.inf else ""
        return Observed(self._task, left=text, hint=self._hint)

    @property
    def line(self) -> str:
        """The current texts as one line, for a log."""
        return ", ".join(filter(None, (self._task, self.seen.left)))

    def add(self, n_done: int, n_all: int, stage: Stage) -> None:
        """Record the number of searches done."""
        self._task = f"{n_done} of {n_all} searches done, now {stage.name}"
        self._hint = f"Ctrl-C keeps the best {stage.kept}" if stage.kept else ""
        self._forecast(n_done, n_all, stage)
        if n_done == n_all:
            self._end = math.inf
            self._task = "searching for the chosen size on all rows"
            self._hint = "Ctrl-C keeps the best tree so far"

    def _forecast(self, n_done: int, n_all: int, stage: Stage) -> None:
        """Forecast the end of a stage, whose searches take similar times."""
        now = time.monotonic()
        n_of_stage = n_done - stage.n_before
        if n_of_stage == 0:  # it begins
            self._start, self._end = now, math.inf
            return
        n_left = stage.n_searches - n_of_stage
        is_last = n_left == n_all - n_done
        each = (now - self._start) / n_of_stage
        self._end = now + each * (n_left + is_last)  # plus a final fit on all rows
        self._until = "" if is_last else f" {stage.name}"
