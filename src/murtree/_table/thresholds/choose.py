"""Choice of candidate thresholds for all columns of a table, by strategy."""

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, repeat
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import distinct_labels
from murtree._input.fixed_point import MAX_EXACT, whole_numbers
from murtree._table.columns import Column, limits_of
from murtree._table.thresholds.between import between
from murtree._table.thresholds.greedy import (
    Boundary,
    Useful,
    in_turn,
    rounded,
    useful_boundaries,
)
from murtree._table.thresholds.halving import halving_order
from murtree._table.thresholds.mdlp import mdlp
from murtree._table.thresholds.numeric import (
    checked,
    every,
    forest_guess,
    quantile,
    readable_moment,
    readable_span,
    uniform,
)
from murtree._table.thresholds.ranks import ranked
from murtree._table.thresholds.stump import Targets

Thresholds = npt.NDArray[np.float64]
Codes = npt.NDArray[np.float64]
_TIMES = ("datetime", "duration", "time")
COMPARED = ("number", "ordered", "datetime", "duration", "time")  # have thresholds


class Choice(NamedTuple):
    """The parameters of the choice of thresholds."""

    strategy: Any
    n_thresholds: int
    max_columns: int
    is_regression: bool  # whether y is targets, not classes
    n_others: int = 0  # tests that need no threshold
    greedy_depth: int = 0  # of the greedy trees whose thresholds "auto" includes
    greedy_weight: Any = None  # cost of an error in each row
    needs_columns: bool = False  # whether the search of an estimator needs them


def choose_thresholds(
    choice: Choice,
    columns: tuple[Column, ...],
    codes: Codes,
    distinct: list[Codes],
    *,
    y: Any,
    weight: npt.NDArray[Any],
) -> list[Thresholds]:
    """Return the thresholds of each column: none for categories, 0.5 for booleans.

    `distinct` has the sorted distinct values of each column.
    """
    strategy = choice.strategy
    own: dict[int, Thresholds] = {}
    if not isinstance(strategy, str):
        own, strategy = own_thresholds(strategy, columns), "quantile"
    whole = whole_numbers(weight, MAX_EXACT)  # equal weights become ones
    units = weight if whole is None else whole.numbers
    given = None  # thresholds chosen for all columns together
    if strategy == "exact":
        _check_number(choice, columns, distinct)
    elif strategy == "auto":
        given = automatic(choice, columns, codes, distinct, y=y, weight=units)
    elif strategy == "tree":
        given = _guessed(choice, codes, y, weight)
    labels = _classes(choice, y) if strategy == "mdlp" else None
    chosen = []
    for index, (column, values) in enumerate(zip(columns, codes.T, strict=True)):
        known = ~np.isnan(values)
        if index in own:
            chosen.append(own[index])
            continue
        if column.kind not in COMPARED or not known.any():
            found = np.array([0.5] if column.kind == "boolean" else [])
        elif given is not None:
            found = given[index]
        else:
            some = None if labels is None else labels[known]
            choose = _CHOOSERS[strategy]
            # MDLP depends on the total weight, quantiles only on shares of it.
            weights = (weight if strategy == "mdlp" else units)[known]
            found = choose(values[known], weights, some, choice.n_thresholds)
        if column.kind in _TIMES:
            found = _readable(column, found, values[known])
        chosen.append(found)
    return chosen


_CHOOSERS: dict[str, Callable[[Codes, Any, Any, int], Thresholds]] = {
    "quantile": lambda values, weight, _, n: quantile(values, weight, n),
    "uniform": lambda values, _, __, n: uniform(values, n),
    "mdlp": lambda values, weight, labels, _: mdlp(values, weight, labels),
    "exact": lambda values, _, __, ___: every(values),
}


def number_of_all(
    columns: tuple[Column, ...], distinct: list[Codes], n_others: int
) -> int:
    """Return the number of columns that all thresholds make, with other tests."""
    return n_others + sum(
        max(values.size - 1, 0) * (1 + column.has_missing)
        for column, values in zip(columns, distinct, strict=True)
        if column.kind in COMPARED
    )


def _check_number(
    choice: Choice, columns: tuple[Column, ...], distinct: list[Codes]
) -> None:
    """Raise an error if "exact" would make more columns than the limit."""
    n_columns = number_of_all(columns, distinct, choice.n_others)
    most = choice.max_columns
    if n_columns <= most:
        return
    if choice.needs_columns:
        raise ValueError(
            "With this objective or limit every test needs a column. All thresholds "
            f"make {n_columns:,} columns, and the maximum is {most:,}. Use "
            'binarizer="auto" (--binarizer auto) for candidate thresholds, or fewer '
            'rows or columns, or, in Python, TableBinarizer(strategy="exact", '
            f"max_columns={n_columns}), which takes time and memory."
        )
    raise ValueError(
        f"TableBinarizer with strategy='exact' must make at most max_columns={most} "
        f"columns. Got {n_columns} instead: use 'quantile' or 'tree' with "
        "n_thresholds, or fewer rows or columns, or a larger max_columns, which takes "
        "time and memory."
    )


def automatic(
    choice: Choice,
    columns: tuple[Column, ...],
    codes: Codes,
    distinct: list[Codes],
    *,
    y: Any,
    weight: npt.NDArray[Any],
) -> list[Thresholds]:
    """Return all thresholds if they fit `max_columns`, else the first ones in an order.

    The order is: thresholds of a greedy tree, others with a large gain (both only if
    `greedy_depth` is set), the median of each column, the quartiles of each column, and
    so on. So a larger limit only adds candidates.
    """
    is_compared = np.array([column.kind in COMPARED for column in columns])
    distinct = [
        values if has_order else values[:0]
        for values, has_order in zip(distinct, is_compared.tolist(), strict=True)
    ]
    n_tests = [1 + column.has_missing for column in columns]  # per threshold
    room = choice.max_columns - choice.n_others
    if number_of_all(columns, distinct, 0) <= room:
        return _between_all(distinct, [np.arange(d.size - 1) for d in distinct])
    constant = np.zeros(codes.shape[0])
    pairs = zip(codes.T, is_compared.tolist(), strict=True)
    values = [some if has_order else constant for some, has_order in pairs]
    table = ranked(values, distinct, weight)
    useful = Useful([], [])
    if choice.greedy_depth and y is not None:
        useful = useful_boundaries(table, _targets(choice, y), choice.greedy_depth)
    room = max(room, sum(n_tests[index] for index, _ in useful.of_tree))
    chosen: list[set[int]] = [set() for _ in columns]
    for index, boundary in chain(*useful, _quantiles(table.weights, room)):
        if boundary not in chosen[index]:
            room -= n_tests[index]
            if room < 0:
                break
            chosen[index].add(boundary)
    lower = [np.array(sorted(some), dtype=np.intp) for some in chosen]
    return _between_all(distinct, lower)


def _between_all(
    distinct: list[Thresholds], lower: list[npt.NDArray[np.intp]]
) -> list[Thresholds]:
    """Return thresholds directly above the distinct values at indices `lower`."""
    pairs = [(d[k], d[k + 1]) for d, k in zip(distinct, lower, strict=True)]
    low, high = (np.concatenate(some) for some in zip(*pairs, strict=True))
    ends = np.cumsum([k.size for k in lower])
    return np.split(between(low, high), ends[:-1])


def _quantiles(weights: list[Thresholds], most: int) -> Iterator[Boundary]:
    """Yield the first boundary of each column, then the second of each, and so on."""
    orders = (halving_order(some, most).tolist() for some in weights)
    return in_turn(*(zip(repeat(index), some) for index, some in enumerate(orders)))


def _targets(choice: Choice, y: Any) -> Targets:
    """Return the targets of a greedy tree: class codes, or numbers in [-1, 1]."""
    weight, is_regression = choice.greedy_weight, choice.is_regression
    if not is_regression:
        return Targets(_classes(choice, y), weight, is_regression)
    halves = y.astype(np.float64) / 2  # so that differences are finite
    centred = halves - (halves.min() / 2 + halves.max() / 2)
    within = rounded(centred / (np.abs(centred).max() or 1.0))
    return Targets(within, weight, is_regression)


def own_thresholds(given: Any, columns: tuple[Column, ...]) -> dict[int, Thresholds]:
    """Return the user's thresholds by column index."""
    if isinstance(given, Mapping):
        entries = {_column_index(key, columns): some for key, some in given.items()}
    elif len(given) == len(columns):
        entries = {index: some for index, some in enumerate(given) if some is not None}
    else:
        raise ValueError(
            "The 'strategy' parameter of TableBinarizer, as a sequence, must have "
            f"thresholds or None for each of {len(columns)} columns. Got {len(given)} "
            "instead."
        )
    own = {}
    for index, some in entries.items():
        column = columns[index]
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
        own[index] = checked(limits_of(column, some), column.name)
    return own


def _column_index(key: Any, columns: tuple[Column, ...]) -> int:
    names = [column.name for column in columns]
    if isinstance(key, str) and key in names:
        return names.index(key)
    if isinstance(key, int | np.integer) and 0 <= key < len(columns):
        return int(key)
    raise ValueError(
        "The 'strategy' parameter of TableBinarizer, as a dict, must have names or "
        f"indices of columns as keys. Got {key!r} instead."
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
    return distinct_labels(np.asarray(y))[1].astype(np.int64)


def strategies_of(strategy: Any, columns: tuple[Column, ...]) -> list[str]:
    """Return the strategy that is used for each column."""
    if isinstance(strategy, str):
        return [strategy] * len(columns)
    own = own_thresholds(strategy, columns)  # other columns use quantiles
    return ["given" if k in own else "quantile" for k in range(len(columns))]


def has_fractions(y: Any) -> bool:
    """Return whether y has fractional numbers and thus cannot hold classes."""
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


def thresholds_between(kind: str, low: Thresholds, high: Thresholds) -> Thresholds:
    """Return a threshold in each gap between values; those of times are round."""
    if kind not in _TIMES:
        return between(low, high)
    round_one = readable_moment if kind == "datetime" else readable_span
    pairs = zip(low.tolist(), high.tolist(), strict=True)
    return np.array([round_one(*pair) for pair in pairs], dtype=np.float64)


def _readable(column: Column, found: Thresholds, values: Codes) -> Thresholds:
    """Replace thresholds of times by round ones between the same values."""
    if not found.size:
        return found
    ordered = np.unique(values)
    after = np.searchsorted(ordered, found, side="right")
    return thresholds_between(column.kind, ordered[after - 1], ordered[after])
