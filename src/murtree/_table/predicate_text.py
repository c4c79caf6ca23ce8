"""Tests in words: ``age <= 41.5 or missing``, ``colour in {blue, red}``."""

import datetime
import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from murtree._table.columns import Column
from murtree._table.predicates import Predicate, members_of

_WHOLE = re.compile(r"-?[1-9]\d*")
_PLAIN = re.compile(r"\w(?:[\w .:/+-]*\w)?")


class Words:
    """What the tests of some predicates say, with numbers as exact as they are tested.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the table.
    predicates : iterable of Predicate
        All predicates that will be asked for.
    decimals : int, default=None
        Digits after the point; None means as many as it takes.
    """

    def __init__(
        self,
        columns: Sequence[Column],
        predicates: Iterable[Predicate],
        decimals: int | None = None,
    ) -> None:
        self._columns = columns
        limits: dict[int, set[float]] = {}
        for predicate in predicates:
            pair = {predicate.threshold, predicate.lower}
            limits.setdefault(predicate.column, set()).update(pair)
        self._texts = {
            place: _limit_texts(columns[place], found, decimals)
            for place, found in limits.items()
        }

    def yes(self, predicate: Predicate) -> str:
        """Say what holds for the rows that go left."""
        column = self._columns[predicate.column]
        return self._with_missing(column, predicate, self._said(predicate, True), True)

    def no(self, predicate: Predicate) -> str:
        """Say what holds for the rows that go right."""
        column = self._columns[predicate.column]
        said = self._said(predicate, False)
        return self._with_missing(column, predicate, said, False)

    def interval(self, place: int, low: float, high: float) -> str:
        """Say that a value is above `low` and up to `high`: limits of predicates."""
        column = self._columns[place]
        name = printable(column.name)
        if low == -math.inf and _is_flag(column, high):
            return f"{name} = no"
        if high == math.inf and _is_flag(column, low):
            return f"{name} = yes"
        texts = self._texts[place]
        if low == -math.inf:
            return f"{name} <= {texts[high]}"
        if high == math.inf:
            return f"{name} > {texts[low]}"
        return f"{texts[low]} < {name} <= {texts[high]}"

    def membership(self, place: int, codes: Sequence[int], answer: bool) -> str:
        """Say that a value is, or is not, one of some categories."""
        column = self._columns[place]
        name = printable(column.name)
        texts = [category_text(column.categories[code]) for code in codes]
        if len(texts) == 1:
            return f"{name} {'=' if answer else '!='} {texts[0]}"
        return f"{name} {'in' if answer else 'not in'} {{{', '.join(texts)}}}"

    def _with_missing(
        self, column: Column, predicate: Predicate, said: str, answer: bool
    ) -> str:
        goes_here = column.has_missing and predicate.missing is answer
        adds = goes_here and not predicate.is_about_missing
        return f"{said} or missing" if adds else said

    def _said(self, predicate: Predicate, answer: bool) -> str:
        column = self._columns[predicate.column]
        name = printable(column.name)
        if predicate.is_about_missing:
            return f"{name} is missing" if answer else f"{name} is not missing"
        if predicate.members is not None:
            members = members_of(predicate, column)
            return self.membership(predicate.column, members, answer)
        low, high = predicate.lower, predicate.threshold
        if answer:
            return self.interval(predicate.column, low, high)
        if low == -math.inf:
            return self.interval(predicate.column, high, math.inf)
        below = self.interval(predicate.column, -math.inf, low)
        return f"{below} or > {self._texts[predicate.column][high]}"


def _is_flag(column: Column, threshold: float) -> bool:
    """Whether a threshold is between no (0) and yes (1)."""
    return (column.kind == "boolean" or column.is_binary) and 0.0 <= threshold < 1.0


def few_members(columns: Sequence[Column], predicate: Predicate, most: int) -> str:
    """Say a test of many categories: the first ones, and how many more there are."""
    assert predicate.members is not None
    column = columns[predicate.column]
    first = predicate.members[: most - 1]
    rest = f"and {len(predicate.members) - len(first)} more"
    column = replace(column, categories=(*column.categories, rest))
    few = replace(predicate, column=0, members=(*first, len(column.categories) - 1))
    return Words([column], [few]).yes(few)


def category_text(category: object) -> str:
    """Write a category bare where that is clear, else in quotes."""
    text = str(category)
    return text if _PLAIN.fullmatch(text) and text != "missing" else repr(text)


def printable(name: str) -> str:
    """Write a name without line breaks, escape codes and the like."""
    return "".join(
        letter if letter.isprintable() else letter.encode("unicode_escape").decode()
        for letter in str(name)
    )


def _limit_texts(
    column: Column, limits: set[float], decimals: int | None
) -> dict[float, str]:
    finite = sorted(limit for limit in limits if math.isfinite(limit))
    if column.kind == "ordered":
        texts = [
            category_text(column.categories[math.floor(limit)]) for limit in finite
        ]
    elif column.kind == "datetime":
        texts = [moment_text(limit) for limit in finite]
    elif column.kind in ("duration", "time"):
        texts = [span_text(limit, column.kind) for limit in finite]
    elif decimals is not None:
        texts = [f"{limit:.{decimals}f}" for limit in finite]
    else:
        texts = [exact_number(limit) for limit in finite]
    return dict(zip(finite, texts, strict=True)) | {math.inf: "inf"}


def moment_text(seconds: float) -> str:
    """Write seconds since 1970 as a date, with the time of day if there is one."""
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return f"{seconds:.17g} s"
    if moment.time() == datetime.time():
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")


def span_text(seconds: float, kind: str) -> str:
    """Write seconds as a time of the day, or as days and a time."""
    days, rest = divmod(abs(seconds), 86400)
    whole = math.floor(rest)
    clock = f"{whole // 3600:02}:{whole // 60 % 60:02}:{whole % 60:02}"
    if rest > whole:
        clock += f"{rest - whole:.6f}"[1:].rstrip("0")
    if kind == "time":
        return clock
    sign = "-" if seconds < 0 else ""
    unit = "day" if days == 1 else "days"
    return f"{sign}{days:.0f} {unit}" + (f" {clock}" if rest else "")


def exact_number(number: float) -> str:
    """Write a number with the fewest digits that still give this very float."""
    return repr(number).removesuffix(".0")


def short_numbers(numbers: Any) -> list[str]:
    """Write numbers with six digits, or with more to show decimals and differences."""
    distinct = np.unique(numbers)
    largest = float(np.abs(distinct).max(initial=1.0))
    least = min(max(6, math.floor(math.log10(largest)) + 3), 17)
    texts: dict[float, str] = {}
    for digits in range(least, 18):
        texts = {number: f"{number:.{digits}g}" for number in distinct.tolist()}
        if len(set(texts.values())) == len(texts):
            break
    return [texts[number] for number in numbers.tolist()]


def grouped(text: str) -> str:
    """Write a number with commas between thousands.

    Examples
    --------
    >>> grouped("-1234567.25"), grouped("1.5e+20"), grouped("999")
    ('-1,234,567.25', '1.5e+20', '999')
    """
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}" if _WHOLE.fullmatch(whole) else text


def number_text(number: float) -> str:
    """Write a number as people read it: 12,345 or 0.012346."""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:,.6g}" if abs(number) < 1e6 else f"{number:,.1f}"
