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


def check_number(value: object, name: str, owner: str, most: float = math.inf) -> float:
    """Return `value` as a finite number from 0 to `most`."""
    numbers = "[0.0, inf)" if most == math.inf else f"[0.0, {most}]"
    message = (
        f"The {name!r} parameter of {owner} must be a number in the range {numbers}. "
        f"Got {value!r} instead."
    )
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(message)
    try:
        number = float(value)
    except OverflowError:  # a whole number beyond all floats
        number = math.inf
    if not (0.0 <= number < math.inf and number <= most):
        raise ValueError(message)
    return number


def check_callback(value: C, owner: str) -> C:
    """Return `value` if it can be called or is None."""
    if value is not None and not callable(value):
        raise TypeError(
            f"The 'callback' parameter of {owner} must be callable or None. "
            f"Got {value!r} instead."
        )
    return value


def check_memory_limit(value: object, owner: str) -> int:
    """Return a memory limit in bytes; None gives 0, the core's default."""
    if value is None:
        return 0
    message = (
        f"The 'memory_limit' parameter of {owner} must be a positive int (bytes), a "
        f"str such as '64MB', '4GB' or '512MiB', or None. Got {value!r} instead."
    )
    if isinstance(value, str):
        match = _MEMORY.fullmatch(value.strip())
        if match is None:
            raise ValueError(message)
        size = int(float(match[1]) * _MEMORY_UNITS[match[2].lower()])
    elif isinstance(value, bool | np.bool_) or not isinstance(value, Integral):
        raise TypeError(message)
    else:
        size = int(value)
    if size <= 0:
        raise ValueError(message)
    return min(size, 2**62)


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
