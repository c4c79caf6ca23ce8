"""Detection of text columns that hold dates, numbers or row identifiers."""

import re
import warnings
from collections.abc import Collection
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column
from murtree._table.merged_values import in_python

FEW_ROWS, NAMES = 50, 0.9  # minimum rows; share of distinct texts in identifiers
_MOST = 0.9  # share of the distinct texts that must match a pattern
_EXACT = 2**53  # float64 represents integers up to here exactly
_NUMBER = r"[0-9]+(?:\.[0-9]*)?|\.[0-9]+"
_AMOUNT = r"[0-9]{1,3}(?:,[0-9]{3})+(?:\.[0-9]+)?|" + _NUMBER
_PLAIN = re.compile(rf"[+-]?(?:{_NUMBER})(?:e[+-]?[0-9]+)?", re.IGNORECASE)
_WHOLE = re.compile(r"[+-]?[0-9]+")
_WITH_ZEROS = re.compile(r"[+-]?0[0-9]+")  # such as a postcode
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


def plain_numbers(
    texts: Collection[str], most_codes: int = 20
) -> tuple[str, list[str]] | None:
    """Return an example and the other texts if distinct texts are mostly numbers.

    The result is None if all of them are whole numbers that are probably codes: at most
    `most_codes` distinct ones, or some with leading zeros or beyond 2**53.

    Examples
    --------
    >>> plain_numbers(["0.13", "-3", "1.257e-01"])
    ('0.13', [])
    >>> plain_numbers(["1", "2", "3"]) is None
    True
    """
    others = [text for text in texts if not _PLAIN.fullmatch(text.strip())]
    n_numbers = len(texts) - len(others)
    if not texts or n_numbers < _MOST * len(texts):
        return None
    different = set(others)
    numbers = [text.strip() for text in texts if text not in different]
    if all(map(_WHOLE.fullmatch, numbers)):
        is_few, is_long = n_numbers <= most_codes, long_number(numbers) is not None
        if is_few or is_long or any(map(_WITH_ZEROS.fullmatch, numbers)):
            return None
    return numbers[0], others


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


def warn_of_texts(
    column: Column, values: npt.NDArray[np.float64], max_categories: int
) -> None:
    """Warn if a text column holds dates, numbers or row identifiers."""
    if column.kind != "category":
        return
    found = _about_numbers(column, max_categories) or _about_texts(column, values)
    if found is not None:
        warnings.warn(f"Column {column.name!r} {found}", UserWarning, stacklevel=2)


def _about_numbers(column: Column, max_categories: int) -> str | None:
    """Return what to do with a column of plain numbers, else None."""
    categories = [text for text in column.categories if isinstance(text, str)]
    found = plain_numbers(categories, max_categories)
    if found is None:
        return None
    example, others = found
    texts = in_python(column)
    numbers = f"{texts}.astype(float)"
    if others:  # they become missing values
        numbers = f"pandas.to_numeric({texts}, errors='coerce')"
    return (
        f"holds texts that look like numbers ({example!r}). To get thresholds, convert "
        f"it: {numbers}."
    )


def _about_texts(column: Column, values: npt.NDArray[np.float64]) -> str | None:
    """Return what to do with dates, amounts and identifiers, else None."""
    n_rows = int(np.count_nonzero(~np.isnan(values)))
    if n_rows < FEW_ROWS:
        return None
    found = look_of([str(category) for category in column.categories])
    if found is not None:
        look, example = found
        kind = "numbers"
        if look.what == "dates":
            kind = "dates, for example with pandas.to_datetime"
        return (
            f"holds texts that look like {look.what} ({example!r}). To get "
            f"thresholds, convert it to {kind}."
        )
    n_distinct = np.unique(values[~np.isnan(values)]).size
    if n_distinct < NAMES * n_rows:
        return None
    return (
        f"has {n_distinct:,} distinct texts in {n_rows:,} rows. If they identify rows, "
        "they do not generalize to others: leave the column out, or pass "
        f"forbidden_features=[{column.name!r}]."
    )
