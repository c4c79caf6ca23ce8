"""What murtree says when a limit is reached or when input is not as it must be.

Users' mistakes are caught here, once, before any work starts, as ``ValueError`` or
``TypeError`` in scikit-learn's words: *what* must be *how*, got *what*.
"""

import math
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.exceptions import ConvergenceWarning

# Up to here the core's sums and bounds are exact (its cache keeps a bound in 54 bits),
# and so are sums in float64.
MAX_TOTAL_WEIGHT = 2**53


class TimeLimitWarning(ConvergenceWarning):
    """The time limit ended the search before the tree was proven optimal.

    The tree is the best one found, and its lower bound is valid.

    Examples
    --------
    >>> import warnings
    >>> from murtree import TimeLimitWarning
    >>> warnings.simplefilter("error", TimeLimitWarning)  # insist on a proof
    """


def check_int(value: object, name: str, owner: str, low: int, high: int | None) -> int:
    """Return `value` as an int in [low, high], or say why it is none."""
    right = "inf)" if high is None else f"{high}]"
    message = (
        f"The {name!r} parameter of {owner} must be an int in the range "
        f"[{low}, {right}. Got {value!r} instead."
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(message)
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ValueError(message)
    return number


def check_bool(value: object, name: str, owner: str) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        raise TypeError(
            f"The {name!r} parameter of {owner} must be a bool. Got {value!r} instead."
        )
    return bool(value)


def check_choice(value: object, name: str, owner: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of the strings in `choices`."""
    if not isinstance(value, str) or value not in choices:
        raise ValueError(
            f"The {name!r} parameter of {owner} must be a str among "
            f"{sorted(choices)}. Got {value!r} instead."
        )
    return value


def check_time_limit(value: object, owner: str) -> float:
    """Return a time limit in seconds; None means there is none."""
    if value is None:
        return math.inf
    message = (
        f"The 'time_limit' parameter of {owner} must be a number of seconds in the "
        f"range (0.0, inf] or None. Got {value!r} instead."
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(message)
    if not float(value) > 0.0:
        raise ValueError(message)
    return float(value)


def check_sample_weight(sample_weight: Any, n_samples: int) -> npt.NDArray[np.int64]:
    """Return one integer weight for each row; None means one each."""
    if sample_weight is None:
        return np.ones(n_samples, dtype=np.int64)
    weight = np.asarray(sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_samples, weight)
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D array."
        )
    if weight.shape[0] != n_samples:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_samples,)}!"
        )
    weight = _integer_valued(weight)
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight must be non-negative. Got {weight.min()} instead."
        )
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    # In floating point the sum cannot wrap, and it is exact below 2**53.
    if float(weight.sum(dtype=np.float64)) >= MAX_TOTAL_WEIGHT:
        raise ValueError("The sum of sample_weight must be less than 2**53.")
    return weight


def _integer_valued(weight: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
    if weight.dtype.kind == "O":
        try:
            weight = weight.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"sample_weight must hold numbers: {error}") from None
    if weight.dtype.kind not in "biuf":
        raise TypeError(
            f"sample_weight must hold numbers. Got an array of {weight.dtype} instead."
        )
    if weight.dtype.kind == "f":
        if not np.isfinite(weight).all():
            raise ValueError("Input sample_weight contains NaN or infinity.")
        faults = np.flatnonzero(weight != np.floor(weight))
        if faults.size:
            raise ValueError(
                "sample_weight must hold whole numbers (scale and round others, as in "
                "np.round(1000 * sample_weight)). Got "
                f"{weight[faults[0]]} at position {faults[0]}."
            )
    if weight.size and abs(float(weight.max())) >= MAX_TOTAL_WEIGHT:
        raise ValueError("The sum of sample_weight must be less than 2**53.")
    return weight.astype(np.int64)
