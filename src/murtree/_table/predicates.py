"""Questions with a yes or a no about one column: what the boolean columns mean.

The paper calls the columns of its data predicates; here they are those of the user's
table, asked about the codes of `columns`. A row for which a test holds goes left, as
in scikit-learn, whose tests are all of the form ``x <= t``.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column


@dataclass(frozen=True)
class Predicate:
    """A test of one column: is its value in an interval, or one of some categories.

    Parameters
    ----------
    column : int
        The place of the column in the table.
    threshold : float, default=-inf
        Yes up to it: ``lower < value <= threshold``. With -inf no value is a yes, only
        a missing one is: the test asks whether the value is missing.
    lower : float, default=-inf
        Yes above it; -inf: no such limit.
    members : tuple of int, default=None
        The codes of the categories that are a yes; None for a test of numbers.
    missing : bool, default=None
        Whether a missing value is a yes. None: not known, for training had none.

    Examples
    --------
    >>> from murtree import Predicate
    >>> Predicate(0, threshold=1.5, missing=True).holds([1.0, 2.0, float("nan")])
    array([ True, False,  True])
    """

    column: int
    threshold: float = -math.inf
    lower: float = -math.inf
    members: tuple[int, ...] | None = None
    missing: bool | None = None

    @property
    def is_about_missing(self) -> bool:
        """Whether the test only asks if the value is missing."""
        return self.members is None and self.threshold == -math.inf

    @property
    def is_threshold(self) -> bool:
        """Whether one threshold says it all, but for missing values."""
        return self.members is None and self.lower == -math.inf < self.threshold

    def holds(self, values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return the answer for each value of the column, as codes.

        Parameters
        ----------
        values : array-like of shape (n_samples,)
            The codes of the column's values; NaN where they are missing.

        Returns
        -------
        answers : ndarray of bool of shape (n_samples,)
            True for yes: the row goes left.

        Examples
        --------
        >>> from murtree import Predicate
        >>> Predicate(0, members=(0, 2)).holds([0, 1, 2])
        array([ True, False,  True])
        """
        codes = np.asarray(values, dtype=np.float64)
        if self.members is not None:
            answers = np.isin(codes, self.members)
        else:  # NaN is in no interval
            answers = codes <= self.threshold
            if not self.is_threshold:
                answers &= codes > self.lower
        return np.asarray(answers | np.isnan(codes) if self.missing else answers)


def members_of(predicate: Predicate, column: Column) -> tuple[int, ...]:
    """Return the codes that are a yes, of a column of categories."""
    if predicate.members is not None:
        return predicate.members
    codes = np.arange(len(column.categories), dtype=np.float64)
    return tuple(np.flatnonzero(replace(predicate, missing=None).holds(codes)).tolist())


def as_slice(places: list[int]) -> slice | list[int]:
    """Return evenly spaced places as a slice: an index that copies nothing."""
    step = places[1] - places[0] if len(places) > 1 else 1
    evenly = range(places[0], places[-1] + 1, step)
    return slice(evenly.start, evenly.stop, step) if list(evenly) == places else places


def nested_groups(predicates: Sequence[Predicate]) -> list[list[int]]:
    """Return indices of predicates; each fails wherever the next in its group does."""
    groups: dict[Any, list[int]] = {}
    for index, predicate in enumerate(predicates):
        key: Any = index
        if predicate.is_threshold:
            key = (predicate.column, bool(predicate.missing))
        groups.setdefault(key, []).append(index)
    return list(groups.values())  # thresholds increase


def answers(
    predicates: Sequence[Predicate], codes: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return a column for each predicate: where it holds.

    Thresholds of a column are compared many at a time.
    """
    out = np.empty((codes.shape[0], len(predicates)), dtype=np.bool_)
    compared: dict[int, list[int]] = {}
    for k, predicate in enumerate(predicates):
        if predicate.is_threshold:
            compared.setdefault(predicate.column, []).append(k)
        else:
            out[:, k] = predicate.holds(codes[:, predicate.column])
    for column, group in compared.items():
        limits = np.array([predicates[k].threshold for k in group])
        values, index = codes[:, column], as_slice(group)
        if isinstance(index, slice):  # no copy of a table that may be large
            np.less_equal(values[:, np.newaxis], limits, out=out[:, index])
        else:
            out[:, index] = values[:, np.newaxis] <= limits
        with_missing = [k for k in group if predicates[k].missing]
        if with_missing:  # NaN is up to no limit
            rows = np.flatnonzero(np.isnan(values))
            out[rows[:, np.newaxis], with_missing] = True
    return out


def resolved(predicate: Predicate, left_is_heavier: Any) -> Predicate:
    """Say where missing values go that training did not have: with the most weight."""
    if predicate.missing is not None:
        return predicate
    return replace(predicate, missing=bool(left_is_heavier))


def threshold_of(predicate: Predicate) -> float:
    """Return what the array of thresholds of a tree holds for a predicate."""
    return math.nan if predicate.members is not None else predicate.threshold


def failures(
    predicates: Sequence[Predicate], codes: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return the columns of a solver: 1 where a predicate does not hold."""
    bits = answers(predicates, codes)
    np.logical_not(bits, out=bits)
    # Without any test the tree is a leaf, but a solver wants a column.
    return bits if predicates else np.zeros((codes.shape[0], 1), dtype=np.bool_)
