"""Observers that describe the progress of a search as text, for all displays."""

import math
import time
from dataclasses import dataclass

from murtree._progress.forecast import Forecast
from murtree._progress.text import about_left, best_text, cost_text, share_text
from murtree._solver.frontier import Frontier
from murtree._solver.pareto import ParetoFront
from murtree._solver.result import Progress, Result

_ENDS = {
    "optimal": "proven optimal",
    "time_limit": "time limit reached",
    "interrupted": "interrupted",
    "infeasible": "no tree within the upper bound",
}


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


class ComparisonObserver:
    """Observer of a comparison of many searches, one depth after the other.

    Parameters
    ----------
    task : str
        The activity until the first search has ended.
    """

    every = 0.0

    def __init__(self, task: str) -> None:
        self._task = task
        self._hint = ""
        self._first_depth = 0
        self._n_per_depth = 0  # number of searches, once known
        self._depth_start = (0, 0.0)  # searches done before this depth, and its start
        self._end = math.inf  # of this depth; for the last depth, of the comparison
        self._until = ""  # the depth to which `_end` refers, as text

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

    def add(self, n_done: int, n_all: int, depth: int) -> None:
        """Record the number of searches done."""
        self._task = f"{n_done} of {n_all} searches done, now at depth {depth}"
        self._first_depth = self._first_depth or depth
        if depth > self._first_depth:
            self._hint = "Ctrl-C keeps the best size of the depths before"
            self._forecast(n_done, n_all, depth)
        if n_done == n_all:
            self._end = math.inf
            self._task = "searching for the chosen size on all rows"
            self._hint = "Ctrl-C keeps the best tree so far"

    def _forecast(self, n_done: int, n_all: int, depth: int) -> None:
        """Forecast the end of a depth, whose searches take similar times."""
        now = time.monotonic()
        self._n_per_depth = self._n_per_depth or n_done
        if n_done % self._n_per_depth == 0:  # a depth begins
            self._depth_start, self._end = (n_done, now), math.inf
            return
        n_before, since = self._depth_start
        n_left = self._n_per_depth - (n_done - n_before)
        is_last = n_left == n_all - n_done
        each = (now - since) / (n_done - n_before)
        self._end = now + each * (n_left + is_last)  # plus a final fit on all rows
        self._until = "" if is_last else f" at depth {depth}"
