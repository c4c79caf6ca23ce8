"""Progress display on stderr: live on a terminal, or line by line in a log."""

import time
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from rich.console import Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.text import Text

from murtree._progress.drawing import bar_with_text
from murtree._progress.observer import ComparisonObserver, Observed, SearchObserver
from murtree._progress.text import duration
from murtree.cli.output import Output


class Display:
    """Show the progress of an observer, `with display.live`.

    The display is also the callback of the search.

    Parameters
    ----------
    output : Output
        The streams of the command; progress goes to stderr.
    mode : {"auto", "live", "plain", "none"}
        "live" redraws a few lines; "plain" prints a line per second; "auto" is "live"
        on a terminal and "none" elsewhere.
    observer : SearchObserver or ComparisonObserver
        The source of the progress.
    limit : float, default=None
        The time limit in seconds.
    """

    def __init__(
        self,
        output: Output,
        mode: str,
        observer: SearchObserver | ComparisonObserver,
        limit: float | None = None,
    ) -> None:
        if mode == "auto":
            mode = "live" if output.err.is_terminal and not output.quiet else "none"
        self._mode = mode
        self.is_shown = mode != "none"  # if not, a search need not call back
        self._err = output.err
        self._observer: Any = observer
        self._limit = limit
        self._spinner = Spinner("line" if output.err.options.ascii_only else "dots")
        self._start = self._shown = time.monotonic()
        self.live: AbstractContextManager[object] = nullcontext()  # while it is shown
        if mode == "live":
            self.live = Live(
                console=output.err,
                get_renderable=self._drawn,
                refresh_per_second=8,
                transient=True,
            )

    def __call__(self, *news: Any) -> bool:
        """Record news; return False, so that the search goes on."""
        self._observer.add(*news)
        now = time.monotonic()
        if self._mode == "plain" and now - self._shown >= self._observer.every:
            self._shown = now
            self._err.print(f"{self._elapsed()}: {self._observer.line}", soft_wrap=True)
        return False

    def _elapsed(self) -> str:
        return duration(time.monotonic() - self._start)

    def _drawn(self) -> Group:
        """Return the lines for a terminal."""
        seen: Observed = self._observer.seen
        limit = "" if self._limit is None else f" of {self._limit:g} s"
        self._spinner.update(text=Text(f"{seen.task}: {self._elapsed()}{limit}"))
        how_far: RenderableType = seen.how_far and Text(seen.how_far)
        if seen.share > 0.0:
            how_far = bar_with_text(seen.share, seen.how_far)
        details = (Text(seen.best), how_far, Text(seen.hint, style="dim"))
        shown = [Padding(detail, (0, 0, 0, 2)) for detail in details if detail]
        return Group(self._spinner, *shown)
