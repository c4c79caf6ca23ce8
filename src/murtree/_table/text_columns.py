"""Detection of text columns that hold dates, numbers or row identifiers."""

import re
import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column

FEW_ROWS, NAMES = 50, 0.9  # minimum rows; share of distinct texts in identifiers
_MOST = 0.9  # share of the distinct texts that must match a pattern
_EXACT = 2**53  # float64 represents integers up to here exactly
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_AMOUNT = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|" + _NUMBER
_GROUPED = r"[0-9]{1,3}(?:[.'\s\u00a0\u202f][0-9]{3})+"
_MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
_CLOCK = r"(?:[T ,]+[0-9]{1,2}:[0-9]{2}.*)?"
_DATES = (
    r"[0-9]{1,2}([/.-])[0-9]{1,2}\1[0-9]{4}",
    r"[0-9]{4}([/.-])[0-9]{1,2}\2[0-9]{1,2}",
    r"[0-9]{1,2}/[0-9]{1,2}/[0-9]{2}",
    rf"[0-9]{{1,2}}[ -]{_MONTH}[ -](?:[0-9]{{2}}|[0-9]{{4}})",
    rf"{_MONTH} [0-9]{{1,2}},? [0-9]{{4}}",
)


class Look(NamedTuple):
    """A pattern of texts, its name, and how such values should be written."""

    what: str
    pattern: re.Pattern[str]
    mark: re.Pattern[str]  # at least one text must contain it
    instead: str


def _look(what: str, pattern: str, mark: str, instead: str) -> Look:
    flags = re.IGNORECASE | re.ASCII
    return Look(what, re.compile(pattern, flags), re.compile(mark, flags), instead)


LOOKS = (
    _look("dates", f"(?:{'|'.join(_DATES)}){_CLOCK}", "", "2024-01-31"),
    _look("percentages", rf"[+-]?(?:{_NUMBER})\s*%", "%", "0.7, without the sign"),
    _look(
        "amounts",
        rf"[+-]?\(?[$€£¥]?\s?[+-]?(?:{_AMOUNT})\s?[$€£¥]?\)?",
        "[$€£¥,]",
        "103829.74, without signs and commas",
    ),
    _look(
        "numbers with a decimal comma",
        rf"[+-]?[$€£¥]?\s?[+-]?(?:{_GROUPED}|[0-9]+)(?:,[0-9]+)?\s?[$€£¥%]?",
        # Three digits after a comma are ambiguous.
        r"\b0,[0-9]|[0-9],(?:[0-9]{1,2}|[0-9]{4,})(?![0-9])|[.\s'][0-9]{3},[0-9]",
        "1234.5, with a point and without other signs",
    ),
)


def look_of(texts: Collection[str]) -> tuple[Look, str] | None:
    """Return the pattern that distinct texts match and an example, or None.

    Examples
    --------
    >>> look, example = look_of(["$103,829.74", "$7", "$12.50"])
    >>> look.what, example
    ('amounts', '$103,829.74')
    >>> look_of(["red", "blue"]) is None
    True
    """
    for look in LOOKS:
        alike = [text for text in texts if look.pattern.fullmatch(text.strip())]
        example = next(filter(look.mark.search, alike), None)
        if example is not None and len(alike) >= _MOST * len(texts):
            return look, example
    return None


def long_number(texts: Collection[str]) -> str | None:
    """Return an integer beyond 2**53 if all texts are integers, else None.

    Examples
    --------
    >>> long_number(["12345678901234567890", "7"])
    '12345678901234567890'
    """
    if not all(re.fullmatch(r"[+-]?(?:0|[1-9][0-9]*)", text) for text in texts):
        return None
    longest = max(texts, key=len, default="")
    # Python does not parse integers with thousands of digits.
    return longest if len(longest) > 25 or abs(int(longest or 0)) > _EXACT else None


def warn_of_texts(column: Column, values: npt.NDArray[np.float64]) -> None:
    """Warn if a text column holds dates, numbers or row identifiers."""
    n_rows = int(np.count_nonzero(~np.isnan(values)))
    if column.kind != "category" or n_rows < FEW_ROWS:
        return
    found = look_of([str(category) for category in column.categories])
    if found is not None:
        look, example = found
        as_dates = "dates, as pandas.to_datetime makes them"
        kind = as_dates if look.what == "dates" else "numbers"
        warnings.warn(
            f"Column {column.name!r} holds texts that look like {look.what} "
            f"({example!r}). To get thresholds, give it as {kind}.",
            UserWarning,
            stacklevel=2,
        )
        return
    n_distinct = np.unique(values[~np.isnan(values)]).size
    if n_distinct >= NAMES * n_rows:
        warnings.warn(
            f"Column {column.name!r} has {n_distinct:,} distinct texts in {n_rows:,} "
            "rows. If they identify rows, they do not generalize to others: leave the "
            f"column out, or pass forbidden_features=[{column.name!r}].",
            UserWarning,
            stacklevel=2,
        )
