"""Time of a search that consists of several requests."""

import time
from dataclasses import replace

from murtree._solver.request import RunLimits

SHORTEST = 1e-6  # seconds; ends a search at once, with a valid bound
REPORT_EVERY = 0.1  # seconds


class Clock:
    """Time used and time left since the first request."""

    def __init__(self, run_limits: RunLimits) -> None:
        self._start = self._last_report = time.perf_counter()
        self.deadline = self._start + run_limits.seconds

    @property
    def seconds(self) -> float:
        """The seconds since the start."""
        return time.perf_counter() - self._start

    def share(self, deadline: float, parts: int) -> float:
        """Return the deadline of the next of several parts that share the time."""
        now = time.perf_counter()
        return now + (deadline - now) / parts

    def is_over(self, deadline: float) -> bool:
        """Return whether a deadline has passed."""
        return time.perf_counter() >= deadline

    def is_due(self) -> bool:
        """Return whether the callback is due; it is called every 0.1 s."""
        now = time.perf_counter()
        due = now >= self._last_report + REPORT_EVERY
        self._last_report = now if due else self._last_report
        return due

    def until(self, deadline: float, run_limits: RunLimits) -> RunLimits:
        """Return run limits with the time left until a deadline."""
        left = deadline - time.perf_counter()
        return replace(run_limits, seconds=max(left, SHORTEST))
