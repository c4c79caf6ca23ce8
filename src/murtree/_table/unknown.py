"""Warnings and errors about categories that were not seen during fit.

Without an error, `encode` treats them as missing values.
"""

import warnings
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column

UNKNOWNS = ("missing", "error")  # values of handle_unknown
_MOST_SHOWN = 3


def warn_or_refuse(
    column: Column, values: npt.NDArray[Any], rows: npt.NDArray[np.int64]
) -> None:
    """Raise an error if the column was fitted with it, else warn."""
    (refuse if column.refuses_unknown else warn)(column, values, rows)


def warn(column: Column, values: npt.NDArray[Any], rows: npt.NDArray[np.int64]) -> None:
    """Warn that unknown categories are treated as missing values."""
    found = list(dict.fromkeys(values[rows].tolist()))
    shown = ", ".join(map(repr, found[:_MOST_SHOWN]))
    more = f" and {len(found) - _MOST_SHOWN} more" * (len(found) > _MOST_SHOWN)
    warnings.warn(
        f"Column {column.name!r} holds categories that fit did not see, in "
        f"{rows.size:,} of {values.size:,} rows: {shown}{more}. They are treated as "
        "missing values.",
        UserWarning,
        stacklevel=2,
    )


def refuse(
    column: Column, values: npt.NDArray[Any], rows: npt.NDArray[np.int64]
) -> None:
    """Raise an error about the first unknown category."""
    raise ValueError(
        f"Column {column.name!r} must hold categories that fit saw. Got "
        f"{values[rows[0]]!r} in row {rows[0]}. With handle_unknown='missing' it would "
        "be treated as a missing value."
    )
