"""Predicates: tests of one column of a table, which become the solver's 0/1 columns.

They are evaluated on the codes of `columns`. Rows for which a test holds go left, as in
scikit-learn, whose tests have the form ``x <= t``.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.bit_columns import BitColumns
from murtree._table.columns import Column

# Rows, a multiple of 8; with a power of two the columns would compete for cache lines.
_BLOCK = 5_000


@dataclass(frozen=True)
class Predicate:
    """A test whether the value of a column is in an interval or a set of categories.

    Parameters
    ----------
    column : int
        Index of the column in the table.
    threshold : float, default=-inf
        Upper limit: the test holds if ``lower < value <= threshold``. With -inf it
        holds for missing values only.
    lower : float, default=-inf
        Lower limit, exclusive; -inf means no lower limit.
    members : tuple of int, default=None
        Codes of the categories for which the test holds; None for a numeric test.
    missing : bool, default=None
        Whether the test holds for missing values. None means undecided, because
        training had no missing values.

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
        """Whether the test holds for missing values only."""
        return self.members is None and self.threshold == -math.inf

    @property
    def is_threshold(self) -> bool:
        """Whether the test is ``value <= threshold``, apart from missing values."""
        return self.members is None and self.lower == -math.inf < self.threshold

    def holds(self, values: npt.ArrayLike) -> npt.NDArray[np.bool_]:
        """Return whether the test holds for each code of the column.

        Parameters
        ----------
        values : array-like of shape (n_samples,)
            Codes of the column's values; NaN where they are missing.

        Returns
        -------
        answers : ndarray of bool of shape (n_samples,)
            True where the test holds and the row goes left.

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
    """Return the codes of the categories for which a predicate holds."""
    if predicate.members is not None:
        return predicate.members
    codes = np.arange(len(column.categories), dtype=np.float64)
    return tuple(np.flatnonzero(replace(predicate, missing=None).holds(codes)).tolist())


def as_slice(indices: list[int]) -> slice | list[int]:
    """Return evenly spaced indices as a slice, which selects without a copy."""
    step = indices[1] - indices[0] if len(indices) > 1 else 1
    evenly = range(indices[0], indices[-1] + 1, step)
    is_even = list(evenly) == indices
    return slice(evenly.start, evenly.stop, step) if is_even else indices


def nested_groups(predicates: Sequence[Predicate]) -> list[list[int]]:
    """Group indices of predicates such that each one implies the next in its group."""
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
    """Return a matrix with a column for each predicate: where it holds."""
    out = np.empty((codes.shape[0], len(predicates)), dtype=np.bool_)
    for start, by_test in _blocks_of_answers(predicates, codes):
        out[start : start + _BLOCK] = by_test.T
    return out


def _blocks_of_answers(
    predicates: Sequence[Predicate], codes: npt.NDArray[np.float64]
) -> Iterator[tuple[int, npt.NDArray[np.bool_]]]:
    """Yield the first row of each block of rows, and the answers to each test.

    All thresholds of a column are compared at once, in blocks of rows that fit into the
    cache of the processor. The next block overwrites the answers.
    """
    limits = np.array([[predicate.threshold] for predicate in predicates])
    compared: dict[tuple[int, bool], list[int]] = {}
    for k, predicate in enumerate(predicates):
        if predicate.is_threshold:
            key = predicate.column, bool(predicate.missing)
            compared.setdefault(key, []).append(k)
    others = [k for k, test in enumerate(predicates) if not test.is_threshold]
    parts = np.empty((len(predicates), _BLOCK), dtype=np.bool_)
    for start in range(0, codes.shape[0], _BLOCK):
        block = codes[start : start + _BLOCK]
        by_test = parts[:, : block.shape[0]]
        for k in others:
            by_test[k] = predicates[k].holds(block[:, predicates[k].column])
        for (column, with_missing), group in compared.items():
            values = block[:, column]
            if with_missing:  # NaN is not less than a threshold, but -inf is
                values = np.where(np.isnan(values), -np.inf, values)
            by_test[as_slice(group)] = values <= limits[group]
        yield start, by_test


def resolved(predicate: Predicate, left_is_heavier: Any) -> Predicate:
    """Return the predicate with undecided missing values sent to the heavier side."""
    if predicate.missing is not None:
        return predicate
    return replace(predicate, missing=bool(left_is_heavier))


def threshold_of(predicate: Predicate) -> float:
    """Return the entry of a predicate in the threshold array of a tree."""
    return math.nan if predicate.members is not None else predicate.threshold


def failures(
    predicates: Sequence[Predicate], codes: npt.NDArray[np.float64]
) -> npt.NDArray[np.bool_]:
    """Return the columns of the solver: True where a predicate does not hold."""
    bits = answers(predicates, codes)
    np.logical_not(bits, out=bits)
    # The solver needs at least one column, even if the tree is a single leaf.
    return bits if predicates else np.zeros((codes.shape[0], 1), dtype=np.bool_)


def packed_failures(
    predicates: Sequence[Predicate], codes: npt.NDArray[np.float64]
) -> BitColumns:
    """Return `failures` with one bit per value."""
    n_rows, n_columns = codes.shape[0], max(len(predicates), 1)
    words = np.zeros((n_columns, -(-n_rows // 64)), dtype="<u8")
    packed = words.view(np.uint8)
    if predicates:
        for start, by_test in _blocks_of_answers(predicates, codes):
            np.logical_not(by_test, out=by_test)
            some = np.packbits(by_test, axis=1, bitorder="little")
            packed[:, start // 8 : start // 8 + some.shape[1]] = some
    return BitColumns(words.astype(np.uint64, copy=False), (n_rows, n_columns))
