"""How a search goes on, live on a terminal or line by line in a log."""

import math
import time
from typing import Self

from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from murtree._progress.forecast import Forecast, about_text, best_text, share_text
from murtree._solver.result import Progress
from murtree.cli.format import duration
from murtree.cli.output import Output

CHOOSING = "choosing thresholds"  # what an estimator does before its search
_EVERY = 1.0  # seconds between two lines of a log
_BAR = 24  # letters


class Watch:
    """Shows how far a search has come, and is its callback.

    Parameters
    ----------
    output : Output
        Where; on stderr.
    mode : {"auto", "live", "plain", "none"}
        "live" redraws a few lines; "plain" prints one a second; "auto" is live on a
        terminal and else nothing.
    what : str
        What is being done.
    limit : float, default=None
        The seconds that there are.
    before : str, default=None
        What is being done until the search first calls; None: the same.
    """

    def __init__(
        self,
        output: Output,
        mode: str,
        what: str,
        limit: float | None = None,
        *,
        before: str | None = None,
    ) -> None:
        if mode == "auto":
            mode = "live" if output.err.is_terminal and not output.quiet else "none"
        self._mode = mode
        self._err = output.err
        self._symbols = output.symbols
        self._what = what
        self._before = before
        self._limit = limit
        self._latest: Progress | None = None
        self._hint = ""  # what Ctrl-C would do
        self._first_depth = 0  # of a comparison
        self._n_per_depth = 0  # searches, once known
        self._depth_start = (0, 0.0)  # searches done before, and when it began
        self._end = math.inf  # of this depth; of all at the last: no other is known
        self._until = ""  # which of these
        self._forecast = Forecast()
        self._start = time.monotonic()
        self._told = self._start
        self._live: Live | None = None
        self._spinner = Spinner("dots" if "█" in self._symbols.full else "line")

    @property
    def is_shown(self) -> bool:
        """Whether anything is shown; if not, a search need not call."""
        return self._mode != "none"

    def __enter__(self) -> Self:
        self._start = self._told = time.monotonic()
        if self._mode == "live":
            self._live = Live(
                console=self._err,
                get_renderable=self._drawn,
                refresh_per_second=8,
                transient=True,
            )
            self._live.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._live is not None:
            self._live.stop()

    def __call__(self, progress: Progress) -> bool:
        """Take note of what the search tells; it is never to stop for that."""
        self._latest = progress
        self._forecast.add(progress)
        now = time.monotonic()
        if self._mode == "plain" and now - self._told >= _EVERY:
            self._told = now
            self._err.print(self._line(progress), soft_wrap=True)
        return False

    def compared(self, n_done: int, n_all: int, depth: int) -> None:
        """Take note of how many searches of a comparison are done."""
        self._what = f"{n_done} of {n_all} searches done, now at depth {depth}"
        self._first_depth = self._first_depth or depth
        if depth > self._first_depth:
            self._hint = "Ctrl-C keeps the best size of the depths before"
            self._foresee(n_done, n_all, depth)
        if n_done == n_all:
            self._end = math.inf
            self._what = "searching for the chosen size on all rows"
            self._hint = "Ctrl-C keeps the best tree so far"
        if self._mode == "plain":
            parts = (f"{self._elapsed()}: {self._what}", self._comparison_left())
            self._err.print(", ".join(filter(None, parts)), soft_wrap=True)

    def _foresee(self, n_done: int, n_all: int, depth: int) -> None:
        """Forecast the end of a depth: searches of one depth are much alike."""
        now = time.monotonic()
        self._n_per_depth = self._n_per_depth or n_done
        if n_done % self._n_per_depth == 0:  # a depth begins
            self._depth_start, self._end = (n_done, now), math.inf
            return
        n_before, since = self._depth_start
        n_left = self._n_per_depth - (n_done - n_before)
        is_last = n_left == n_all - n_done
        each = (now - since) / (n_done - n_before)
        self._end = now + each * (n_left + is_last)  # at last one on all rows
        self._until = "" if is_last else f" at depth {depth}"

    def _line(self, progress: Progress) -> str:
        parts = (self._how_far(progress), best_text(progress))
        elapsed = duration(time.monotonic() - self._start)
        return f"{elapsed}: {', '.join(filter(None, parts))}"

    def _how_far(self, progress: Progress) -> str:
        parts = (share_text(progress.share), self._forecast.left(progress))
        return ", ".join(filter(None, parts))

    def _comparison_left(self) -> str:
        left = self._end - time.monotonic()
        return about_text(max(left, 0.0)) + self._until if left < math.inf else ""

    def _elapsed(self) -> str:
        elapsed = duration(time.monotonic() - self._start)
        return elapsed if self._limit is None else f"{elapsed} of {self._limit:g} s"

    def _drawn(self) -> Table:
        """Return what is shown now."""
        progress = self._latest
        screen = Table.grid()
        what = (self._before if progress is None else None) or self._what
        self._spinner.update(text=Text(f"{what}: {self._elapsed()}"))
        screen.add_row(self._spinner)
        if progress is None:
            left = self._comparison_left()
            if left:
                screen.add_row(Text(f"  {left}"))
            if self._hint:
                screen.add_row(Text(f"  {self._hint}", style="dim"))
            return screen
        screen.add_row(Text(f"  {best_text(progress, 'best so far:')}"))
        bar = self._bar(progress.share) if progress.share > 0.0 else Text()
        how_far = Text(" ").join(filter(None, [bar, Text(self._how_far(progress))]))
        if how_far:
            screen.add_row(Text.assemble("  ", how_far))
        screen.add_row(Text("  Ctrl-C stops and keeps the best tree", style="dim"))
        return screen

    def _bar(self, share: float) -> Text:
        full = round(_BAR * share)
        bar = Text(self._symbols.full * full, style="cyan")
        bar.append(self._symbols.rest * (_BAR - full), style="dim")
        return bar
