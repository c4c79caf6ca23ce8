"""scikit-learn's callbacks (1.9 and newer), which learn how far a fit has come.

A fit is a task of `STEPS` subtasks, each for an equal part of the way. How far it has
come is the part of the gap that is closed, or the part of the time limit that is spent,
whichever is more. Where scikit-learn has no callbacks, nothing here does anything.
"""

import functools
import importlib.util
import math
from collections.abc import Callable
from typing import Any, Concatenate, ParamSpec, TypeVar

from murtree._solver.result import Progress

STEPS = 20

P = ParamSpec("P")
R = TypeVar("R")
S = TypeVar("S")


class _NoCallbacks:
    """For scikit-learn before 1.9."""


class _Callbacks:
    """scikit-learn's mixin, imported when it is used: it takes a while."""

    def set_callbacks(self, *callbacks: Any) -> Any:
        """Set callbacks of scikit-learn, such as its progress bar.

        Parameters
        ----------
        *callbacks : callbacks
            As `sklearn.callback` has them.

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


def with_callbacks(
    method: Callable[Concatenate[S, P], R],
) -> Callable[Concatenate[S, P], R]:
    """Tear down the callbacks of an estimator after a method, whatever happens."""

    @functools.wraps(method)
    def managed(self: S, /, *args: P.args, **kwargs: P.kwargs) -> R:
        if not has_callbacks(self):
            return method(self, *args, **kwargs)
        from sklearn.callback import with_callbacks as theirs  # noqa: PLC0415

        result: R = theirs(method)(self, *args, **kwargs)
        return result

    return managed


class FitReport:
    """Tells the callbacks of an estimator how its fit goes on."""

    def __init__(self, estimator: Any, data: dict[str, Any]) -> None:
        self._estimator = estimator
        self._data = data  # X, y and metadata, as the hooks take them
        self._step = 0
        self._context = estimator._init_callback_context(max_subtasks=STEPS)
        self._context.call_on_fit_task_begin(estimator=estimator, **data)

    def advance(
        self, progress: Progress, attributes: Callable[[], dict[str, Any]]
    ) -> bool:
        """Tell of the steps done since the last time; true if a callback wants to stop.

        `attributes` gives those of the estimator if its fit had ended here.
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
        """Tell that the fit is over."""
        self._context.call_on_fit_task_end(
            estimator=self._estimator,
            reconstruction_attributes=attributes,
            **self._data,
        )


def has_callbacks(estimator: object) -> bool:
    """Whether an estimator has callbacks of scikit-learn."""
    return bool(getattr(estimator, "_skl_callbacks", None))
