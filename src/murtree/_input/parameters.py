"""What murtree says when input is not as it must be.

Users' mistakes are caught here, once, before any work starts, as ``ValueError`` or
``TypeError`` in scikit-learn's words: *what* must be *how*, got *what*.
"""

import math
import re
from collections.abc import Collection
from numbers import Integral, Real
from typing import TypeVar

import numpy as np

C = TypeVar("C")

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


def check_callback(value: C, owner: str) -> C:
    """Return `value` if it can be called or is None."""
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
