"""A callback that shows how a search goes on, in a notebook or in a terminal."""

import html
import importlib
import math
import shutil
import sys
import threading
import time
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Protocol, Self

from murtree._input.parameters import check_bool
from murtree._progress.forecast import Forecast, best_text, cost_text, share_text
from murtree._solver.frontier import Frontier
from murtree._solver.result import Progress

SHOW_AFTER = 0.5  # seconds: what is quicker needs no bar
SHOW_EVERY = 0.2
WIDTH, NARROWEST = 20, 5  # letters of the bar in a terminal

_ENDS = {
    "optimal": "proven optimal",
    "time_limit": "time limit reached",
    "interrupted": "interrupted",
    "infeasible": "no tree within the upper bound",
}


class ProgressBar:
    """A progress bar, to be given as `callback` to any search.

    In a notebook it is one output that changes in place; in a terminal one line on
    standard error; elsewhere, as in a log, nothing. The bar shows how much of the
    search is done; beside it stand the time, the objective of the best tree so far,
    what is proven of all others and, after some seconds, about how long the search will
    go on. A search that takes less than half a second shows nothing.

    Interrupting the kernel, or Ctrl-C, ends the search. With ``on_interrupt="return"``
    the best tree so far is kept.

    Parameters
    ----------
    file : file-like, default=None
        Where to write lines instead, whether a terminal or not.
    disable : bool, default=False
        Whether to show nothing at all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, ProgressBar
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2, callback=ProgressBar())
    >>> clf.fit(X, y).status_  # at once, without a bar
    'optimal'

    To stop a search as well, let a subclass do so:

    >>> class UntilFivePercent(ProgressBar):
    ...     def __call__(self, progress):
    ...         super().__call__(progress)
    ...         return progress.gap < 0.05
    >>> clf.set_params(callback=UntilFivePercent()).fit(X, y).status_
    'optimal'
    """

    _start: float | None  # of a search, by the clock; None between searches
    _next: float  # when to show more
    _screen: "_Screen | None"  # once something was shown
    _forecast: Forecast

    def __init__(self, *, file: Any = None, disable: bool = False) -> None:
        if file is not None and not callable(getattr(file, "write", None)):
            raise TypeError(
                "The 'file' parameter of ProgressBar must be a file to write text to, "
                f"or None. Got {file!r} instead."
            )
        self.file = file
        self.disable = check_bool(disable, "disable", "ProgressBar")
        self._lock = threading.Lock()  # folds may be searched side by side
        self._begin()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __call__(self, progress: Progress) -> bool:
        """Show how far a search has come; it goes on."""
        with self._lock:
            now = time.monotonic()
            if self._start is None:
                self._start = now - progress.seconds
            seconds = now - self._start
            self._forecast.add(progress)
            if seconds >= SHOW_AFTER and now >= self._next and not self.disable:
                self._next = now + SHOW_EVERY
                self._state = self._running(progress, seconds)
                self._show()
        return False

    def search_ended(self, result: Any) -> None:
        """Show how a search ended; every search calls this at its end.

        Parameters
        ----------
        result : Result, Frontier, ParetoFront or None
            What it found; None if an exception ended it.

        Examples
        --------
        >>> from murtree import ProgressBar
        >>> class Quiet(ProgressBar):
        ...     def search_ended(self, result):
        ...         super().search_ended(result)
        ...         self.last_status = result and result.status
        >>> from murtree import Solver
        >>> bar = Quiet()
        >>> _ = Solver([[0], [1]], [0, 1]).solve(max_depth=1, callback=bar)
        >>> bar.last_status
        'optimal'
        """
        with self._lock:
            if self._screen is not None and self._start is not None:
                seconds = time.monotonic() - self._start
                self._state = _ended(result, self._state, seconds)
                self._show(is_last=True)
            self._begin()

    def close(self) -> None:
        """Leave the bar as it is; a later search begins a new one.

        Examples
        --------
        >>> from murtree import ProgressBar
        >>> with ProgressBar() as bar:  # closes it at the end, whatever happens
        ...     pass
        """
        self.search_ended(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    def __sklearn_clone__(self) -> Self:
        return self  # clones of an estimator share the bar

    def __getstate__(self) -> dict[str, Any]:
        public = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        return public | {"file": None}  # open files cannot be copied

    def __setstate__(self, state: dict[str, Any]) -> None:
        ProgressBar.__init__(self)
        self.__dict__.update(state)

    def _begin(self) -> None:
        self._start = None
        self._next = 0.0
        self._screen = None
        self._state = _State(0.0, "")
        self._forecast = Forecast()

    def _running(self, progress: Progress, seconds: float) -> "_State":
        parts = [
            share_text(progress.share),
            _time_text(seconds),
            self._forecast.left(progress),
            best_text(progress),
        ]
        return _State(progress.share, ", ".join(filter(None, parts)))

    def _show(self, *, is_last: bool = False) -> None:
        if self._screen is None:
            self._screen = _screen_for(self.file)
        if self._screen is None:
            return
        try:
            self._screen.show(self._state)
            if is_last:
                self._screen.leave()
        except (OSError, ValueError):  # closed, or full: no search ends for that
            self._screen = None
            self._next = math.inf


@dataclass(frozen=True)
class _State:
    """What a bar shows."""

    share: float
    told: str

    def line(self, width: float) -> str:
        """Return the bar and its words as plain text; a narrow line has less bar."""
        room = int(min(width - len("[] ") - len(self.told), WIDTH))
        if room < NARROWEST:
            return self.told[: int(width)]
        done = math.floor(self.share * room)
        return f"[{'#' * done}{'-' * (room - done)}] {self.told}"

    @property
    def html(self) -> str:
        """The same for a notebook."""
        paint = f"linear-gradient(90deg,#009E73 {self.share:.1%},transparent 0)"
        return (
            '<div style="font:13px/1.5 system-ui,sans-serif"><span role="progressbar" '
            'aria-valuemin="0" aria-valuemax="100" '
            f'aria-valuenow="{100 * self.share:.0f}" style="display:inline-block;'
            "width:14em;height:.65em;margin:0 .6em 0 1px;border-radius:2px;"
            f'box-shadow:0 0 0 1px rgba(128,128,128,.5);background:{paint}"></span> '
            f"{html.escape(self.told)}</div>"
        )


def _ended(result: Any, before: _State, seconds: float) -> _State:
    if result is None:  # what it was at last is all that is known
        return _State(before.share, f"ended: {before.told}")
    found: Any = result[-1] if isinstance(result, Frontier) else result
    told = f"{_ENDS[result.status]} after {_time_text(seconds)}"
    if getattr(found, "objective", None) is not None:  # neither a front nor no tree
        told += f": {cost_text(found.objective, found.lower_bound)}"
    is_done = result.status in ("optimal", "infeasible")
    return _State(1.0 if is_done else before.share, told)


def _time_text(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"


class _Screen(Protocol):
    """Where a bar is shown."""

    def show(self, state: _State) -> None:
        """Show this instead of what was there before."""

    def leave(self) -> None:
        """Let what is there stay."""


class _Line:
    """A line of a terminal or of a file."""

    def __init__(self, file: Any) -> None:
        self._file = file
        self._length = 0

    def show(self, state: _State) -> None:
        line = state.line(shutil.get_terminal_size().columns - 1)
        self._file.write("\r" + line.ljust(self._length))
        self._file.flush()
        self._length = len(line)

    def leave(self) -> None:
        self._file.write("\n")
        self._file.flush()


class _Output:
    """An output of a notebook."""

    def __init__(self) -> None:
        self._display: Any = importlib.import_module("IPython.display").display
        self._handle: Any = None

    def show(self, state: _State) -> None:
        bundle = {"text/plain": state.line(math.inf), "text/html": state.html}
        if self._handle is None:
            self._handle = self._display(bundle, raw=True, display_id=True)
        else:
            self._handle.update(bundle, raw=True)

    def leave(self) -> None:
        self._handle = None


def _screen_for(file: Any) -> _Screen | None:
    """Return where to show a bar; None where nobody would see it."""
    if file is not None:
        return _Line(file)
    if _is_notebook():
        return _Output()
    terminal = sys.stderr
    return _Line(terminal) if terminal is not None and terminal.isatty() else None


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    kinds = {kind.__name__ for kind in type(shell).__mro__}
    return shell is not None and "TerminalInteractiveShell" not in kinds
