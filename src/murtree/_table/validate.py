"""Tables as users give them, checked in scikit-learn's way, whatever they hold."""

from typing import Any, Self

import numpy as np
import sklearn
from sklearn.utils.validation import validate_data

from murtree._input.arrays import refuse_lazy
from murtree._table.frames import is_frame, refuse_repeated_names

_ASKS_BY_PROTOCOL = sklearn.__version__.startswith(("1.6.", "1.7.", "1.8."))


class _Names:
    """The names of a polars frame, as scikit-learn before 1.9 asks for them.

    That is by a protocol which polars 2 has no more: all names would be lost.
    """

    def __init__(self, frame: Any) -> None:
        self.shape = frame.shape
        self.names = list(frame.columns)

    def __dataframe__(self) -> Self:
        return self

    def column_names(self) -> list[str]:
        return self.names


def validate_table(owner: Any, X: Any, *, reset: bool, min_samples: int = 1) -> Any:
    """Return a data frame, an array or a sparse matrix, its shape and names checked.

    With `reset` the estimator `owner` learns the number of features and their names,
    else they must be those.
    """
    refuse_lazy(X, "X")
    if not is_frame(X):
        return validate_data(
            owner,
            _without_mixing(X),
            reset=reset,
            dtype=None,
            accept_sparse="csc",
            ensure_all_finite="allow-nan",
            ensure_min_samples=min_samples,
        )
    refuse_repeated_names(X.columns)
    for count, what, least in (
        (X.shape[0], "sample", min_samples),
        (X.shape[1], "feature", 1),
    ):
        if count < least:
            raise ValueError(
                f"Found array with {count} {what}(s) (shape={tuple(X.shape)}) while a "
                f"minimum of {least} is required."
            )
    is_hidden = _ASKS_BY_PROTOCOL and not hasattr(X, "iloc")
    named = _Names(X) if is_hidden else X
    validate_data(owner, named, reset=reset, skip_check_array=True)
    return X


def _without_mixing(X: Any) -> Any:
    """Return lists of numbers and text as objects: NumPy would make all of it text."""
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        return np.asarray(X, dtype=object)
    return X
