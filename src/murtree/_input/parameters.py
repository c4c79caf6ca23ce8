"""What murtree says when input is not as it must be.

Users' mistakes are caught here, once, before any work starts, as ``ValueError`` or
``TypeError`` in scikit-learn's words: *what* must be *how*, got *what*.
"""

import math
import re
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any

import numpy as np
import numpy.typing as npt

# Up to here the core's sums and bounds are exact (its cache keeps a bound in 54 bits),
# and so are sums in float64.
MAX_TOTAL_WEIGHT = 2**53

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(b|[kmgt]i?b)", re.IGNORECASE | re.ASCII)
_MEMORY_UNITS = {"b": 1} | {
    letter + kind: base**power
    for power, letter in enumerate("kmgt", start=1)
    for kind, base in (("b", 1000), ("ib", 1024))
}


class ParameterError(Exception):
    """A parameter is not as it must be.

    Parameters
    ----------
    parameter : str
        Its name.
    owner : str
        The class or function that has it.
    requirement : str
        What it must be, and what was given instead.

    Examples
    --------
    >>> str(ParameterValueError("max_depth", "Solver", "must be an int. Got -1."))
    "The 'max_depth' parameter of Solver must be an int. Got -1."
    """

    def __init__(self, parameter: str, owner: str, requirement: str) -> None:
        super().__init__(parameter, owner, requirement)  # all of them, for pickle
        self.parameter = parameter
        self.owner = owner
        self.requirement = requirement

    def __str__(self) -> str:
        return f"The {self.parameter!r} parameter of {self.owner} {self.requirement}"


class ParameterValueError(ParameterError, ValueError):
    """A parameter has a value that it must not have."""


class ParameterTypeError(ParameterError, TypeError):
    """A parameter has a type that it must not have."""


def check_int(value: object, name: str, owner: str, low: int, high: int | None) -> int:
    """Return `value` as an int in [low, high], or say why it is none."""
    right = "inf)" if high is None else f"{high}]"
    requirement = f"must be an int in the range [{low}, {right}. Got {value!r} instead."
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise ParameterTypeError(name, owner, requirement)
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ParameterValueError(name, owner, requirement)
    return number


def check_bound(value: object, name: str, owner: str) -> float | None:
    """Return a number that is not negative; a whole one as an int, however large.

    None for None and infinity: there is no bound.
    """
    if value is None or (isinstance(value, Real) and value == math.inf):
        return None
    is_bool = isinstance(value, bool | np.bool_)
    if not is_bool and isinstance(value, Integral) and int(value) >= 0:
        return int(value)
    return check_number(value, name, owner)


def refuse_lazy(data: object, name: str) -> None:
    """Refuse a query of polars, which is no table yet."""
    if type(data).__name__ == "LazyFrame":
        raise TypeError(
            f"{name} must be a table or an array in memory. Got a LazyFrame instead: "
            "pass what its method collect() returns."
        )


def check_bool(value: object, name: str, owner: str) -> bool:
    """Return `value` if it is True or False."""
    if not isinstance(value, bool | np.bool_):
        requirement = f"must be a bool. Got {value!r} instead."
        raise ParameterTypeError(name, owner, requirement)
    return bool(value)


def check_choice(value: object, name: str, owner: str, choices: Collection[str]) -> str:
    """Return `value` if it is one of the strings in `choices`."""
    if not isinstance(value, str) or value not in choices:
        requirement = f"must be a str among {sorted(choices)}. Got {value!r} instead."
        raise ParameterValueError(name, owner, requirement)
    return value


def check_number(value: object, name: str, owner: str, most: float = math.inf) -> float:
    """Return `value` as a finite number from 0 to `most`."""
    numbers = "[0.0, inf)" if most == math.inf else f"[0.0, {most}]"
    requirement = f"must be a number in the range {numbers}. Got {value!r} instead."
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ParameterTypeError(name, owner, requirement)
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        number = math.inf
    if not (0.0 <= number < math.inf and number <= most):
        raise ParameterValueError(name, owner, requirement)
    return number


def check_callback(value: object, owner: str) -> None:
    """Refuse what cannot be called and is not None."""
    if value is not None and not callable(value):
        requirement = f"must be callable or None. Got {value!r} instead."
        raise ParameterTypeError("callback", owner, requirement)


def check_memory_limit(value: object, owner: str) -> int:
    """Return a memory limit in bytes; None gives 0, the core's default."""
    if value is None:
        return 0
    problem = (
        "memory_limit",
        owner,
        "must be a positive int (bytes), a str such as '64MB', '4GB' or '512MiB', or "
        f"None. Got {value!r} instead.",
    )
    if isinstance(value, str):
        match = _MEMORY.fullmatch(value.strip())
        if match is None:
            raise ParameterValueError(*problem)
        size = int(float(match[1]) * _MEMORY_UNITS[match[2].lower()])
    elif isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise ParameterTypeError(*problem)
    else:
        size = int(value)
    if size <= 0:
        raise ParameterValueError(*problem)
    return min(size, 2**62)


def check_time_limit(value: object, owner: str) -> float:
    """Return a time limit in seconds; None means there is none."""
    if value is None:
        return math.inf
    problem = (
        "time_limit",
        owner,
        "must be a number of seconds in the range (0.0, inf] or None. Got "
        f"{value!r} instead.",
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ParameterTypeError(*problem)
    if not float(value) > 0.0:
        raise ParameterValueError(*problem)
    return float(value)


def check_sample_weight(sample_weight: Any, n_samples: int) -> npt.NDArray[Any]:
    """Return one weight for each row, int64 or float64; None means one each."""
    refuse_lazy(sample_weight, "sample_weight")
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
    weight = _real_valued(weight)
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


def _real_valued(weight: npt.NDArray[Any]) -> npt.NDArray[Any]:
    weight = _as_numbers(weight, "sample_weight")
    if weight.dtype.kind == "f" and not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if weight.size and abs(float(weight.max())) >= MAX_TOTAL_WEIGHT:
        raise ValueError("The sum of sample_weight must be less than 2**53.")
    if weight.dtype.kind == "f" and (weight != np.floor(weight)).any():
        return weight.astype(np.float64)
    return weight.astype(np.int64)


def as_real_array(values: Any, what: str) -> npt.NDArray[np.float64]:
    """Return finite numbers as an array, or say what is wrong with `what`."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} must hold numbers: {error}") from None
    array = _as_numbers(array, what).astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must hold finite numbers. Got NaN or infinity.")
    return array


def _as_numbers(array: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{what} must hold numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{what} must hold numbers. Got an array of {array.dtype} instead."
        )
    return array
