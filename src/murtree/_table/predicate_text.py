"""Tests as text: ``age <= 41.5 or missing``, ``colour in {blue, red}``."""

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
    """Texts of predicates, with exact thresholds by default.

    Parameters
    ----------
    columns : sequence of Column
        The columns of the table.
    predicates : iterable of Predicate
        The predicates whose texts are needed.
    decimals : int, default=None
        Number of decimals of thresholds; None writes them exactly.
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
            index: _limit_texts(columns[index], found, decimals)
            for index, found in limits.items()
        }

    def yes(self, predicate: Predicate) -> str:
        """Return the condition of the rows that go left."""
        column = self._columns[predicate.column]
        text = self._condition(predicate, True)
        return self._with_missing(column, predicate, text, True)

    def no(self, predicate: Predicate) -> str:
        """Return the condition of the rows that go right."""
        column = self._columns[predicate.column]
        text = self._condition(predicate, False)
        return self._with_missing(column, predicate, text, False)

    def interval(self, index: int, low: float, high: float) -> str:
        """Return the condition ``low < value <= high``; limits may be infinite."""
        column = self._columns[index]
        name = printable(column.name)
        if low == -math.inf and _is_flag(column, high):
            return f"{name} = no"
        if high == math.inf and _is_flag(column, low):
            return f"{name} = yes"
        texts = self._texts[index]
        if low == -math.inf:
            return f"{name} <= {texts[high]}"
        if high == math.inf:
            return f"{name} > {texts[low]}"
        return f"{texts[low]} < {name} <= {texts[high]}"

    def membership(self, index: int, codes: Sequence[int], answer: bool) -> str:
        """Return the condition that a value is, or is not, one of some categories."""
        column = self._columns[index]
        name = printable(column.name)
        texts = [category_text(column.categories[code]) for code in codes]
        if len(texts) == 1:
            return f"{name} {'=' if answer else '!='} {texts[0]}"
        return f"{name} {'in' if answer else 'not in'} {{{', '.join(texts)}}}"

    def _with_missing(
        self, column: Column, predicate: Predicate, text: str, answer: bool
    ) -> str:
        goes_here = column.has_missing and predicate.missing is answer
        adds = goes_here and not predicate.is_about_missing
        return f"{text} or missing" if adds else text

    def _condition(self, predicate: Predicate, answer: bool) -> str:
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
    """Return whether a threshold separates no (0) from yes (1)."""
    return (column.kind == "boolean" or column.is_binary) and 0.0 <= threshold < 1.0


def few_members(columns: Sequence[Column], predicate: Predicate, most: int) -> str:
    """Return the text of a test with only the first of its many categories."""
    assert predicate.members is not None
    column = columns[predicate.column]
    first = predicate.members[: most - 1]
    rest = f"and {len(predicate.members) - len(first)} more"
    column = replace(column, categories=(*column.categories, rest))
    few = replace(predicate, column=0, members=(*first, len(column.categories) - 1))
    return Words([column], [few]).yes(few)


def category_text(category: object) -> str:
    """Return a category as text, in quotes unless it is a plain word or number."""
    text = str(category)
    return text if _PLAIN.fullmatch(text) and text != "missing" else repr(text)


def printable(name: str) -> str:
    """Return a name with unprintable characters escaped."""
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode()
        for char in str(name)
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
    """Return seconds since 1970 as a date, with a time of day unless midnight."""
    try:
        moment = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=seconds)
    except OverflowError:
        return f"{seconds:.17g} s"
    if moment.time() == datetime.time():
        return moment.date().isoformat()
    return moment.isoformat(sep=" ")


def span_text(seconds: float, kind: str) -> str:
    """Return seconds as a time of day, or as days and a time."""
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
    """Return the shortest decimal that is read back as the same float."""
    return repr(number).removesuffix(".0")


def short_numbers(numbers: Any) -> list[str]:
    """Return numbers with six digits, or with more if needed to distinguish them."""
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
    """Return the text of a number with commas between thousands.

    Examples
    --------
    >>> grouped("-1234567.25"), grouped("1.5e+20"), grouped("999")
    ('-1,234,567.25', '1.5e+20', '999')
    """
    whole, point, rest = text.partition(".")
    return f"{int(whole):,}{point}{rest}" if _WHOLE.fullmatch(whole) else text


def number_text(number: float) -> str:
    """Return a number in a short readable form: 12,345 or 0.012346."""
    if float(number).is_integer() and abs(number) < 1e15:
        return f"{int(number):,}"
    return f"{number:,.6g}" if abs(number) < 1e6 else f"{number:,.1f}"
