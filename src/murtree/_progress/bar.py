"""A callback that shows the progress of a search, in a notebook or a terminal."""

import math
import threading
import time
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Self

from murtree._input.parameters import ParameterTypeError, check_bool
from murtree._progress.observer import SearchObserver
from murtree._progress.text import duration
from murtree._solver.result import Progress

if TYPE_CHECKING:
    from murtree._progress.drawing import Drawing

SHOW_AFTER = 0.5  # seconds; shorter searches show no bar
SHOW_EVERY = 0.2


class ProgressBar:
    """A progress bar, to be given as `callback` to any search.

    It is an output that is updated in a notebook, a line on standard error in a
    terminal, and nothing elsewhere, such as in a log. It shows the share of the search
    that is done, the time, the objective of the best tree so far, the proven bound for
    all trees and, after some seconds, the estimated time left. Searches of less than
    half a second show nothing. It needs rich (the extra ``progress``).

    Interrupting the kernel, or Ctrl-C, ends the search. With ``on_interrupt="return"``
    the best tree so far is kept.

    Parameters
    ----------
    file : file-like, default=None
        Where to write plain lines instead, one per second.
    disable : bool, default=False
        Whether to show nothing at all.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, ProgressBar
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2, callback=ProgressBar())
    >>> clf.fit(X, y).status_  # too fast for a bar
    'optimal'

    A subclass can also stop the search:

    >>> class UntilFivePercent(ProgressBar):
    ...     def __call__(self, progress):
    ...         super().__call__(progress)
    ...         return progress.gap < 0.05
    >>> clf.set_params(callback=UntilFivePercent()).fit(X, y).status_
    'optimal'
    """

    _start: float | None  # start time of a search; None between searches
    _next: float  # time of the next update
    _drawing: "Drawing | None"  # created with the first output
    _observer: SearchObserver

    def __init__(self, *, file: Any = None, disable: bool = False) -> None:
        if file is not None and not callable(getattr(file, "write", None)):
            requirement = (
                f"must be a file to write text to, or None. Got {file!r} instead."
            )
            raise ParameterTypeError("file", "ProgressBar", requirement)
        if find_spec("rich") is None:
            raise ImportError(
                "ProgressBar needs rich: install it (the extra 'progress')"
            )
        self.file = file
        self.disable = check_bool(disable, "disable", "ProgressBar")
        self._lock = threading.Lock()  # folds may be searched in several threads
        self._begin()

    def __repr__(self) -> str:
        return f"{type(self).__name__}()"

    def __call__(self, progress: Progress) -> bool:
        """Show the progress of a search; never stop it."""
        with self._lock:
            now = time.monotonic()
            if self._start is None:
                self._start = now - progress.seconds
            self._observer.add(progress)
            is_due = now - self._start >= SHOW_AFTER and now >= self._next
            if is_due and not self.disable:
                self._next = now + (
                    SHOW_EVERY if self.file is None else self._observer.every
                )
                self._text = f"{duration(now - self._start)}: {self._observer.line}"
                self._show()
        return False

    def search_ended(self, result: Any) -> None:
        """Show the result of a search; called at the end of every search.

        Parameters
        ----------
        result : Result, Frontier, ParetoFront or None
            The result; None if an exception ended the search.

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
            if self._drawing is not None and self._start is not None:
                elapsed = duration(time.monotonic() - self._start)
                self._observer.end(result, elapsed)
                self._text = self._observer.line
                self._show(is_last=True)
            self._begin()

    def close(self) -> None:
        """Finish the bar; a later search begins a new one.

        Examples
        --------
        >>> from murtree import ProgressBar
        >>> with ProgressBar() as bar:  # closes it at the end
        ...     pass
        """
        self.search_ended(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __sklearn_clone__(self) -> Self:
        return self  # clones of an estimator share the bar

    def __getstate__(self) -> dict[str, Any]:
        public = {k: v for k, v in vars(self).items() if not k.startswith("_")}
        return public | {"file": None}  # open files cannot be pickled

    def __setstate__(self, state: dict[str, Any]) -> None:
        ProgressBar.__init__(self)
        self.__dict__.update(state)

    def _begin(self) -> None:
        self._start = None
        self._next = 0.0
        self._drawing = None
        self._text = ""
        self._observer = SearchObserver()

    def _state(self) -> tuple[float, str]:
        return self._observer.seen.share, self._text

    def _show(self, *, is_last: bool = False) -> None:
        from murtree._progress.drawing import drawing_for  # noqa: PLC0415

        try:
            if self._drawing is None:
                self._drawing = drawing_for(self.file, self._state)
            if self._drawing is not None:
                self._drawing.refresh()
                if is_last:
                    self._drawing.stop()
        except (OSError, ValueError):  # a closed file or a full disk must not stop fit
            self._drawing = None
            self._next = math.inf
