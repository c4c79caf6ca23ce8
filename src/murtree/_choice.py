"""Thresholds for the columns of a table, by the strategy a user names."""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._columns import Column, limits_of
from murtree._fixed_point import MAX_EXACT, whole_numbers
from murtree._greedy import greedy_thresholds
from murtree._mdlp import mdlp
from murtree._thresholds import (
    checked,
    every,
    forest_guess,
    quantile,
    readable_moment,
    readable_span,
    uniform,
)

Thresholds = npt.NDArray[np.float64]
Codes = npt.NDArray[np.float64]
COMPARED = ("number", "ordered", "datetime", "duration", "time")  # have thresholds


class Choice(NamedTuple):
    """What the user asks for."""

    strategy: Any
    n_thresholds: int
    max_columns: int
    is_regression: bool  # whether y is targets, not classes
    n_others: int = 0  # columns that need no threshold
    greedy_depth: int = 0  # of a greedy tree whose thresholds "auto" takes as well
    greedy_weight: Any = None  # what errors cost by row


def choose_thresholds(
    choice: Choice,
    columns: tuple[Column, ...],
    codes: Codes,
    y: Any,
    weight: npt.NDArray[Any],
) -> list[Thresholds]:
    """Return the thresholds of each column; categories have none, booleans one half."""
    strategy = choice.strategy
    own: dict[int, Thresholds] = {}
    if not isinstance(strategy, str):
        own, strategy = _own_thresholds(strategy, columns), "quantile"
    if strategy in ("exact", "auto"):
        strategy, choice = _fitting(strategy, choice, columns, codes)
    more = _more(choice, strategy, columns, codes, y)
    whole = whole_numbers(weight, MAX_EXACT)  # so that equal weights are ones
    units = weight if whole is None else whole.numbers
    guessed = None
    if strategy == "tree":
        guessed = _guessed(choice, codes, y, weight)
    labels = _classes(choice, y) if strategy == "mdlp" else None
    chosen = []
    for place, (column, values) in enumerate(zip(columns, codes.T, strict=True)):
        known = ~np.isnan(values)
        if place in own:
            found = own[place]
        elif column.kind == "boolean":
            found = np.array([0.5])
        elif column.kind not in COMPARED or not known.any():
            found = np.empty(0)
        elif guessed is not None:
            found = _readable(column, guessed[place], values[known])
        else:
            some = None if labels is None else labels[known]
            choose = _CHOOSERS[strategy]
            # MDLP asks how many rows there are, quantiles only for shares of them.
            weights = (weight if strategy == "mdlp" else units)[known]
            found = choose(values[known], weights, some, choice.n_thresholds)
            found = np.union1d(found, more[place])
            found = _readable(column, found, values[known])
        chosen.append(found)
    return chosen


_CHOOSERS: dict[str, Callable[[Codes, Any, Any, int], Thresholds]] = {
    "quantile": lambda values, weight, _, n: quantile(values, weight, n),
    "uniform": lambda values, _, __, n: uniform(values, n),
    "mdlp": lambda values, weight, labels, _: mdlp(values, weight, labels),
    "exact": lambda values, _, __, ___: every(values),
}


def _more(
    choice: Choice,
    strategy: str,
    columns: tuple[Column, ...],
    codes: Codes,
    y: Any,
) -> list[Thresholds]:
    """Return thresholds beside the quantiles of "auto", of each column."""
    is_auto = isinstance(choice.strategy, str) and choice.strategy == "auto"
    if not (is_auto and strategy == "quantile" and choice.greedy_depth):
        return [np.empty(0)] * len(columns)
    is_compared = np.array([column.kind in COMPARED for column in columns])
    table = np.where(is_compared, codes, 0.0)
    depth, is_regression = choice.greedy_depth, choice.is_regression
    return greedy_thresholds(table, y, choice.greedy_weight, depth, is_regression)


def _fitting(
    strategy: str, choice: Choice, columns: tuple[Column, ...], codes: Codes
) -> tuple[str, Choice]:
    """Return every boundary or the most quantiles that make no more than the limit."""
    compared = [
        (np.unique(values[~np.isnan(values)]).size - 1, 1 + column.has_missing)
        for column, values in zip(columns, codes.T, strict=True)
        if column.kind in COMPARED
    ]

    def n_columns(n_thresholds: int) -> int:
        compares = (max(min(n, n_thresholds), 0) * twice for n, twice in compared)
        return choice.n_others + sum(compares)

    largest = max((n for n, _ in compared), default=0)
    if n_columns(largest) <= choice.max_columns:
        return "exact", choice
    if strategy == "exact":
        raise ValueError(
            f"TableBinarizer with strategy='exact' must make at most max_columns="
            f"{choice.max_columns} columns. Got {n_columns(largest)} instead: use "
            "'quantile' or 'tree' with n_thresholds, or fewer rows, or raise "
            "max_columns and wait."
        )
    fewest, most = 1, largest
    while fewest < most:  # the largest number that fits
        middle = (fewest + most + 1) // 2
        if n_columns(middle) <= choice.max_columns:
            fewest = middle
        else:
            most = middle - 1
    return "quantile", choice._replace(n_thresholds=fewest)


def _own_thresholds(given: Any, columns: tuple[Column, ...]) -> dict[int, Thresholds]:
    """Return the user's thresholds by the place of their column."""
    if isinstance(given, Mapping):
        entries = {_place_of(key, columns): some for key, some in given.items()}
    elif len(given) == len(columns):
        entries = {place: some for place, some in enumerate(given) if some is not None}
    else:
        raise ValueError(
            "The 'strategy' parameter of TableBinarizer, as a sequence, must have "
            f"thresholds or None for each of {len(columns)} columns. Got {len(given)} "
            "instead."
        )
    own = {}
    for place, some in entries.items():
        column = columns[place]
        if column.kind not in COMPARED:
            raise ValueError(
                f"Column {column.name!r} must hold numbers or times to have "
                f"thresholds. Got a column of kind {column.kind!r} instead."
            )
        values = np.asarray(some)
        if values.ndim != 1:
            raise ValueError(
                f"The thresholds of column {column.name!r} must be a list. Got "
                f"{some!r} instead."
            )
        own[place] = checked(limits_of(column, some), column.name)
    return own


def _place_of(key: Any, columns: tuple[Column, ...]) -> int:
    names = [column.name for column in columns]
    if isinstance(key, str) and key in names:
        return names.index(key)
    if isinstance(key, int | np.integer) and 0 <= key < len(columns):
        return int(key)
    raise ValueError(
        "The 'strategy' parameter of TableBinarizer, as a dict, must have names or "
        f"places of columns as keys. Got {key!r} instead."
    )


def _classes(choice: Choice, y: Any) -> npt.NDArray[np.int64]:
    if y is None:
        raise ValueError(
            "TableBinarizer with strategy='mdlp' must be given classes as y. Got None "
            "instead."
        )
    if choice.is_regression:
        raise ValueError(
            "TableBinarizer with strategy='mdlp' must be given classes as y. Got real "
            "targets instead: use 'quantile' or 'tree'."
        )
    return np.unique(y, return_inverse=True)[1].astype(np.int64)


def has_fractions(y: Any) -> bool:
    """Whether there are numbers with a fraction, which classes never are."""
    return y is not None and y.dtype.kind == "f" and bool((y != np.floor(y)).any())


def _guessed(
    choice: Choice, codes: Codes, y: Any, weight: npt.NDArray[Any]
) -> list[Thresholds]:
    if y is None:
        raise ValueError(
            "TableBinarizer with strategy='tree' must be given y. Got None instead."
        )
    is_regression = choice.is_regression
    outcomes = y.astype(np.float64) if is_regression else _classes(choice, y)
    return forest_guess(codes, outcomes, weight, choice.n_thresholds, is_regression)


def _readable(column: Column, found: Thresholds, values: Codes) -> Thresholds:
    """Move thresholds of times to round ones between the same values."""
    if column.kind not in ("datetime", "duration", "time") or not found.size:
        return found
    round_one = readable_moment if column.kind == "datetime" else readable_span
    ordered = np.unique(values)
    after = np.searchsorted(ordered, found, side="right")
    return np.array([round_one(ordered[k - 1], ordered[k]) for k in after])
