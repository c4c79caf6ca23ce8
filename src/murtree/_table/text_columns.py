"""Columns of text that should have another type: dates, amounts, names of rows."""

import re
import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column

FEW_ROWS, NAMES = 50, 0.9  # from so many rows on; the share of distinct texts
_MOST = 0.9  # of the distinct texts must look alike
_EXACT = 2**53  # up to here float64 tells whole numbers apart
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
    """What texts look like, and how numbers or dates would be written."""

    what: str
    pattern: re.Pattern[str]
    mark: re.Pattern[str]  # without it a text is a plain number, or a code
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
        # Of three digits after a comma nobody can tell what they are.
        r"\b0,[0-9]|[0-9],(?:[0-9]{1,2}|[0-9]{4,})(?![0-9])|[.\s'][0-9]{3},[0-9]",
        "1234.5, with a point and without other signs",
    ),
)


def look_of(texts: Collection[str]) -> tuple[Look, str] | None:
    """Return what distinct texts look like and one of them; None if like nothing.

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
    """Return a whole number beyond 2**53 if all texts are whole numbers, and one is.

    Examples
    --------
    >>> long_number(["12345678901234567890", "7"])
    '12345678901234567890'
    """
    if not all(re.fullmatch(r"[+-]?(?:0|[1-9][0-9]*)", text) for text in texts):
        return None
    longest = max(texts, key=len, default="")
    # Python refuses to read thousands of digits.
    return longest if len(longest) > 25 or abs(int(longest or 0)) > _EXACT else None


def warn_of_texts(column: Column, values: npt.NDArray[np.float64]) -> None:
    """Warn of dates and numbers given as text, and of text that names rows."""
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
            "rows. If they are names or numbers of rows, they say nothing about "
            "others: leave the column out, or say "
            f"forbidden_features=[{column.name!r}].",
            UserWarning,
            stacklevel=2,
        )
