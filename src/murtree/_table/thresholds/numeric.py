"""Strategies for numeric thresholds: all, quantiles, uniform, and from boosted trees.

A threshold t between the neighbouring values low and high satisfies low <= t < high and
is always finite. Values must not contain NaN, weights are positive, and a weight of k
counts as k copies of its row.
"""

import datetime
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import as_real_array
from murtree._table.thresholds.between import (
    Floats,
    between,
    distinguishable,
    midpoints,
)
from murtree._table.thresholds.halving import halving_order

# The reference model of `forest_guess` has 40 rounds of trees of depth 3. If rows times
# columns times trees exceeds this limit, about a second of work, it has fewer rounds
# with larger steps, and then fewer rows.
_MOST_CELLS = 3_000_000
_MOST_ROUNDS, _FEWEST_ROUNDS, _FEWEST_ROWS = 40, 10, 500
_TOTAL_STEP = 4.0  # learning rate times rounds
_LEAST_SHARE = 1e-9  # of the total gain; less is rounding error

_DAY = 86_400
_EPOCH = datetime.date(1970, 1, 1).toordinal()
_FIRST_DAY = datetime.date(1, 1, 1).toordinal() - _EPOCH
_LAST_DAY = datetime.date(9998, 12, 31).toordinal() - _EPOCH  # the next year must exist


def every(values: Floats) -> Floats:
    """Return a threshold between each two neighbouring distinct values.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.numeric import every
    >>> every(np.array([3.0, 1.0, 2.0, 2.0, 10.0]))
    array([1.5, 2.5, 6. ])
    """
    distinct = np.unique(distinguishable(values))
    return between(distinct[:-1], distinct[1:])


def quantile(values: Floats, weight: npt.NDArray[Any], n_thresholds: int) -> Floats:
    """Return thresholds at quantiles, in the order of `halving_order`.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.numeric import quantile
    >>> quantile(np.arange(100.0), np.ones(100), 3)
    array([24.5, 49.5, 74.5])
    """
    distinct, inverse = np.unique(distinguishable(values), return_inverse=True)
    weights = np.bincount(inverse, weights=weight).astype(np.float64)
    chosen = np.sort(halving_order(weights, n_thresholds))
    return between(distinct[chosen], distinct[chosen + 1])


def uniform(values: Floats, n_thresholds: int) -> Floats:
    """Return equally spaced thresholds between the smallest and largest finite value.

    Thresholds are not moved, so round steps stay round. Among equivalent thresholds,
    between the same two neighbouring values, the one nearest to their midpoint is kept.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.numeric import uniform
    >>> uniform(np.array([0.0, 1.2, 2.5, 7.9, 10.0]), 4)
    array([2., 6., 8.])
    """
    distinct = np.unique(values[np.isfinite(values)])
    if distinct.size < 2:
        return np.empty(0)
    share = np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
    # Two products, because the difference could overflow.
    spaced = distinct[0] * share[::-1] + distinct[-1] * share
    n_below = np.searchsorted(distinct, spaced, side="right")
    separates = (n_below > 0) & (n_below < distinct.size)
    spaced, n_below = spaced[separates], n_below[separates]
    middle = midpoints(distinct[n_below - 1], distinct[n_below])
    order = np.lexsort([spaced, np.abs(spaced / 2 - middle / 2), n_below])
    _, first = np.unique(n_below[order], return_index=True)
    return np.take(spaced, order[first])


def forest_guess(
    table: Floats,
    outcomes: npt.NDArray[Any],
    weight: npt.NDArray[Any],
    n_thresholds: int,
    is_regression: bool,
) -> list[Floats]:
    """Return the thresholds of each column that boosted trees use most.

    "Threshold guessing" of H. McTavish, C. Zhong, R. Achermann, I. Karimalis, J. Chen,
    C. Rudin and M. Seltzer, "Fast Sparse Decision Tree Optimization via Reference
    Ensembles", AAAI 2022. Each column gets its thresholds with the largest total gain
    over all trees; ties go to the lower one. Columns that no tree uses get none. Large
    tables are subsampled (so weights are only roughly equivalent to copies) and use
    fewer trees.

    Parameters
    ----------
    table : ndarray of float64 of shape (n_samples, n_features)
        The columns; NaN is replaced by the (weighted, lower) median of its column.
    outcomes : ndarray of shape (n_samples,)
        Class codes, or the targets of a regression.
    weight : ndarray of shape (n_samples,)
        Positive weights.
    n_thresholds : int
        Maximum number of thresholds per column.
    is_regression : bool
        Whether the outcomes are targets.

    Returns
    -------
    thresholds : list of ndarray of float64
        The thresholds of each column, increasing.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree._table.thresholds.numeric import forest_guess
    >>> table = np.column_stack([np.arange(8.0), np.zeros(8)])
    >>> classes = np.array([0, 0, 0, 1, 1, 1, 1, 1])
    >>> forest_guess(table, classes, np.ones(8), 4, is_regression=False)
    [array([2.5]), array([], dtype=float64)]
    """
    columns = [distinguishable(column) for column in table.T]
    distinct = [np.unique(column[~np.isnan(column)]) for column in columns]
    if not columns or (outcomes == outcomes[0]).all():
        return [np.empty(0) for _ in distinct]
    n_classes = 2 if is_regression else np.unique(outcomes).size
    cells = len(columns) * (1 if n_classes == 2 else n_classes)  # per row and round
    rows = _sample(outcomes, max(_MOST_CELLS // (cells * _FEWEST_ROUNDS), _FEWEST_ROWS))
    n_rounds = _MOST_CELLS // (cells * rows.size)
    n_rounds = min(max(n_rounds, _FEWEST_ROUNDS), _MOST_ROUNDS)
    model = _boosted_trees(n_rounds, is_regression)
    outcomes, weight = outcomes[rows], weight[rows]
    if is_regression:
        outcomes = outcomes / np.abs(outcomes).max()  # so that squares are finite
    # Ranks give the same trees, and stay distinct when scikit-learn casts to float32.
    ranks = [
        _ranks(column[rows], numbers, weight)
        for column, numbers in zip(columns, distinct, strict=True)
    ]
    model.fit(np.column_stack(ranks), outcomes, sample_weight=weight)
    gains: list[dict[int, float]] = [{} for _ in distinct]
    for fitted in model.estimators_.ravel():
        _add_gains(fitted.tree_, gains)
    least = _LEAST_SHARE * sum(sum(gain.values()) for gain in gains)
    return [
        _of_most_gain(numbers, gain, least, n_thresholds)
        for numbers, gain in zip(distinct, gains, strict=True)
    ]


def _sample(outcomes: npt.NDArray[Any], most: int) -> npt.NDArray[np.intp]:
    """Return at most `most` rows at even steps in the order of their outcomes.

    The first and the last are included, so that the outcomes differ if any do.
    """
    steps = np.linspace(0, outcomes.size - 1, min(outcomes.size, most))
    order = np.argsort(outcomes, kind="stable")
    return np.sort(order[steps.astype(np.intp)])


def _boosted_trees(n_rounds: int, is_regression: bool) -> Any:
    # Imported here because it takes longer than the rest of murtree.
    from sklearn.ensemble import (  # noqa: PLC0415
        GradientBoostingClassifier,
        GradientBoostingRegressor,
    )

    kind = GradientBoostingRegressor if is_regression else GradientBoostingClassifier
    return kind(
        n_estimators=n_rounds,
        learning_rate=_TOTAL_STEP / n_rounds,
        max_depth=3,
        random_state=0,
    )


def _ranks(
    column: Floats, distinct: Floats, weight: npt.NDArray[Any]
) -> npt.NDArray[np.float32]:
    """Return the index of each value among the distinct ones."""
    ranks = np.searchsorted(distinct, column)
    is_missing = np.isnan(column)
    if is_missing.all():
        ranks[:] = 0
    elif is_missing.any():
        below = np.cumsum(np.bincount(ranks[~is_missing], weight[~is_missing]))
        ranks[is_missing] = np.searchsorted(below, below[-1] / 2)
    return ranks.astype(np.float32)


def _add_gains(tree: Any, gains: list[dict[int, float]]) -> None:
    loss = tree.impurity * tree.weighted_n_node_samples
    inner = np.flatnonzero(tree.children_left >= 0)
    gain = (
        loss[inner] - loss[tree.children_left[inner]] - loss[tree.children_right[inner]]
    )
    # A threshold midway between ranks that are not neighbours may equal a rank.
    ranks = np.floor(tree.threshold[inner]).astype(np.intp)
    for column, rank, part in zip(
        tree.feature[inner].tolist(), ranks.tolist(), gain.tolist(), strict=True
    ):
        gains[column][rank] = gains[column].get(rank, 0.0) + part


def _of_most_gain(
    distinct: Floats, gain: dict[int, float], least: float, n_thresholds: int
) -> Floats:
    last = distinct.size - 2  # float32 may round ranks above 2**24 up
    useful = [rank for rank in gain if gain[rank] > least and rank <= last]
    best = sorted(useful, key=lambda rank: (-gain[rank], rank))
    chosen = np.array(sorted(best[:n_thresholds]), dtype=np.intp)
    return between(distinct[chosen], distinct[chosen + 1])


def checked(thresholds: Any, name: str) -> Floats:
    """Return a user's thresholds of a column; raise an error if they are invalid.

    Examples
    --------
    >>> from murtree._table.thresholds.numeric import checked
    >>> checked([18, 65], "age")
    array([18., 65.])
    """
    what = f"The thresholds of column {name!r}"
    try:
        numbers = as_real_array(thresholds, what)
    except OverflowError:  # an int too large for a float
        raise ValueError(
            f"{what} must hold finite numbers. Got {thresholds!r} instead."
        ) from None
    if numbers.ndim != 1:
        raise ValueError(f"{what} must be a list. Got {thresholds!r} instead.")
    wrong = np.flatnonzero(numbers[:-1] >= numbers[1:])
    if wrong.size:
        pair = numbers[wrong[0] : wrong[0] + 2].tolist()
        raise ValueError(f"{what} must be increasing. Got {pair} instead.")
    return numbers


def readable_moment(low: float, high: float) -> float:
    """Return the roundest datetime t with low <= t < high, in seconds since 1970 (UTC).

    It is the start of a year, else of a month, day, hour, minute or second, else the
    midpoint rounded to milliseconds or microseconds. Ties go to the one nearest to the
    midpoint.

    Examples
    --------
    >>> from murtree._table.thresholds.numeric import readable_moment
    >>> day = 86400.0
    >>> readable_moment(300 * day, 400 * day) / day  # 1 January 1971
    365.0
    """
    return _roundest(low, high, [_year_starts, _month_starts])


def readable_span(low: float, high: float) -> float:
    """Return the roundest time span t with low <= t < high, in seconds.

    It is a whole number of days, else of hours, minutes or seconds, else the midpoint
    rounded to milliseconds or microseconds. Ties go to the one nearest to the midpoint.

    Examples
    --------
    >>> from murtree._table.thresholds.numeric import readable_span
    >>> readable_span(3000.0, 9000.0) / 3600
    2.0
    """
    return _roundest(low, high, [])


def _roundest(
    low: float, high: float, around: list[Callable[[int], list[int]]]
) -> float:
    """Return the roundest number, trying the units of `around`, then days and so on."""
    if not (math.isfinite(low) and math.isfinite(high)):
        return float(midpoints(np.array([low]), np.array([high]))[0])
    middle = low / 2 + high / 2
    middle = middle if low <= middle < high else low
    day = math.floor(middle / _DAY)
    calendar = [starts(day) for starts in around if _FIRST_DAY <= day <= _LAST_DAY]
    clock = [
        [math.floor(middle / unit) * unit, math.floor(middle / unit) * unit + unit]
        for unit in (_DAY, 3600, 60, 1)
    ]
    # If neither the last point up to the midpoint nor the next one fits, none does.
    for points in [*calendar, *clock]:
        fitting = [float(point) for point in points if low <= float(point) < high]
        if fitting:
            return min(fitting, key=lambda point: abs(point - middle))
    fine = [
        round(middle, digits) for digits in (3, 6)
    ]  # the precision of printed times
    return next((point for point in fine if low <= point < high), low)


def _year_starts(day: int) -> list[int]:
    """Return the starts, in seconds, of the year of a day and of the next year."""
    year = datetime.date.fromordinal(day + _EPOCH).year
    return [_seconds(year, 1), _seconds(year + 1, 1)]


def _month_starts(day: int) -> list[int]:
    """Return the starts, in seconds, of the month of a day and of the next month."""
    date = datetime.date.fromordinal(day + _EPOCH)
    months = date.year * 12 + date.month  # January is 1, so this is the next month
    return [
        _seconds(date.year, date.month),
        _seconds(months // 12, months % 12 + 1),
    ]


def _seconds(year: int, month: int) -> int:
    return (datetime.date(year, month, 1).toordinal() - _EPOCH) * _DAY
