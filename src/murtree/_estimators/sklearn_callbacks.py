"""Support for scikit-learn's callbacks (1.9 and newer).

A fit is a task of `STEPS` equal subtasks. Its progress is the part of the gap that is
closed or the part of the time limit that is spent, whichever is more. With older
versions of scikit-learn this module has no effect.
"""

import importlib.util
import math
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

from murtree._solver.result import Progress

STEPS = 20

P = ParamSpec("P")
R = TypeVar("R")


class _NoCallbacks:
    """Placeholder for scikit-learn before 1.9."""


class _Callbacks:
    """scikit-learn's mixin, imported on first use because it is slow."""

    def set_callbacks(self, *callbacks: Any) -> Any:
        """Set callbacks of scikit-learn, such as its progress bar.

        Parameters
        ----------
        *callbacks : callbacks
            Objects from `sklearn.callback`.

        Returns
        -------
        self : estimator
            The estimator itself.

        Examples
        --------
        >>> from sklearn.callback import ProgressBar  # scikit-learn 1.9
        >>> from murtree import OptimalTreeClassifier
        >>> clf = OptimalTreeClassifier().set_callbacks(ProgressBar())
        """
        from sklearn.callback import CallbackSupportMixin  # noqa: PLC0415

        return CallbackSupportMixin.set_callbacks(self, *callbacks)

    def _init_callback_context(self, **task: Any) -> Any:
        from sklearn.callback import CallbackSupportMixin  # noqa: PLC0415

        return CallbackSupportMixin._init_callback_context(self, **task)


HAS_CALLBACKS = importlib.util.find_spec("sklearn.callback") is not None
CallbackMixin: Any = _Callbacks if HAS_CALLBACKS else _NoCallbacks


def with_callbacks(method: Callable[P, R]) -> Callable[P, R]:
    """Return a method that tears down the callbacks of its estimator at the end."""
    from sklearn.callback import with_callbacks as theirs  # noqa: PLC0415

    managed: Callable[P, R] = theirs(method)
    return managed


class FitReport:
    """Reports the progress of a fit to the callbacks of its estimator."""

    def __init__(self, estimator: Any, X: Any, y: Any, sample_weight: Any) -> None:
        metadata = None if sample_weight is None else {"sample_weight": sample_weight}
        self._estimator = estimator
        self._data = data = {"X": X, "y": y, "metadata": metadata}
        self._step = 0
        self._context = estimator._init_callback_context(max_subtasks=STEPS)
        self._context.call_on_fit_task_begin(estimator=estimator, **data)

    def advance(
        self, progress: Progress, attributes: Callable[[], dict[str, Any]]
    ) -> bool:
        """Report new steps to the callbacks; return whether one wants to stop.

        `attributes` returns the fitted attributes for the current best tree.
        """
        limit = math.inf if progress.time_limit is None else progress.time_limit
        done = max(1.0 - progress.gap, progress.seconds / limit)
        reached = min(int(done * STEPS), STEPS - 1) if progress.tree else 0
        wants_to_stop = False
        while self._step < reached:
            self._step += 1
            context = self._context.subcontext(task_name="search")
            context.call_on_fit_task_begin(estimator=self._estimator, **self._data)
            wants_to_stop |= context.call_on_fit_task_end(
                estimator=self._estimator,
                reconstruction_attributes=attributes,
                **self._data,
            )
        return wants_to_stop

    def end(self, attributes: dict[str, Any]) -> None:
        """Report that the fit is over."""
        self._context.call_on_fit_task_end(
            estimator=self._estimator,
            reconstruction_attributes=attributes,
            **self._data,
        )
