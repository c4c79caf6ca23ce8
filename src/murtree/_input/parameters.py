"""Validation of parameters.

Invalid values raise ``ValueError`` or ``TypeError`` before any work starts, with
messages in the style of scikit-learn.
"""

import math
import re
from collections.abc import Collection
from numbers import Integral, Real
from typing import Any, TypeVar

import numpy as np

C = TypeVar("C")

_MEMORY = re.compile(r"(\d+(?:\.\d+)?)\s*(b|[kmgt]i?b)", re.IGNORECASE | re.ASCII)
_MEMORY_UNITS = {"b": 1} | {
    prefix + kind: base**power
    for power, prefix in enumerate("kmgt", start=1)
    for kind, base in (("b", 1000), ("ib", 1024))
}


class ParameterError(Exception):
    """Base class of the errors for invalid parameters.

    Parameters
    ----------
    parameter : str
        The name of the parameter.
    owner : str
        The class or function that has the parameter.
    requirement : str
        The requirement and the given value, as text.

    Examples
    --------
    >>> str(ParameterValueError("max_depth", "Solver", "must be an int. Got -1."))
    "The 'max_depth' parameter of Solver must be an int. Got -1."
    """

    def __init__(self, parameter: str, owner: str, requirement: str) -> None:
        super().__init__(parameter, owner, requirement)  # pickle needs all arguments
        self.parameter = parameter
        self.owner = owner
        self.requirement = requirement

    def __str__(self) -> str:
        return f"The {self.parameter!r} parameter of {self.owner} {self.requirement}"


class ParameterValueError(ParameterError, ValueError):
    """A parameter has an invalid value."""


class ParameterTypeError(ParameterError, TypeError):
    """A parameter has an invalid type."""


def check_int(value: object, name: str, owner: str, low: int, high: int | None) -> int:
    """Return `value` as an int in [low, high]; None as `high` means no upper limit."""
    right = "inf)" if high is None else f"{high}]"
    requirement = f"must be an int in the range [{low}, {right}. Got {value!r} instead."
    if isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise ParameterTypeError(name, owner, requirement)
    number = int(value)
    if number < low or (high is not None and number > high):
        raise ParameterValueError(name, owner, requirement)
    return number


def check_bound(value: object, name: str, owner: str) -> float | None:
    """Return a non-negative bound; integers of any size stay exact.

    None and infinity mean that there is no bound and give None.
    """
    if value is None or (isinstance(value, Real) and value == math.inf):
        return None
    is_bool = isinstance(value, bool | np.bool_)
    if not is_bool and isinstance(value, Integral) and int(value) >= 0:
        return int(value)
    return check_number(value, name, owner)


def check_bool(value: object, name: str, owner: str) -> bool:
    """Return `value` as a bool if it is one."""
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


def check_number(
    value: object,
    name: str,
    owner: str,
    most: float = math.inf,
    *,
    is_positive: bool = False,
) -> float:
    """Return `value` as a finite float in [0, most], or in (0, most]."""
    left = "(" if is_positive else "["
    right = "inf)" if most == math.inf else f"{most}]"
    requirement = (
        f"must be a number in the range {left}0.0, {right}. Got {value!r} instead."
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise ParameterTypeError(name, owner, requirement)
    try:
        number = float(value)
    except OverflowError:  # an int too large for a float
        number = math.inf
    is_low = number <= 0.0 if is_positive else not number >= 0.0
    if is_low or not number < math.inf or number > most:
        raise ParameterValueError(name, owner, requirement)
    return number


def check_objective(objective: Any, owner: str, names: tuple[str, ...]) -> None:
    """Raise if an objective is neither a cost matrix nor one of the names."""
    is_name = isinstance(objective, str)
    if (is_name and objective not in names) or (
        not is_name
        and not isinstance(objective, list | tuple | np.ndarray)
        and not hasattr(objective, "__array__")
    ):
        callables = " or a callable of (tn, fp, fn, tp)" if "f1" in names else ""
        raise ValueError(
            f"The 'objective' parameter of {owner} must be a str among "
            f"{sorted(names)} or a matrix of costs{callables}. Got {objective!r} "
            "instead."
        )


def check_callback(value: C, owner: str) -> C:
    """Return `value` if it is callable or None."""
    if value is not None and not callable(value):
        requirement = f"must be callable or None. Got {value!r} instead."
        raise ParameterTypeError("callback", owner, requirement)
    return value


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
    """Return a time limit in seconds; None gives infinity."""
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
