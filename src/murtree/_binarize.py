"""From numeric columns to boolean ones: is a value above a threshold.

Thresholds stand midway between neighbouring values that occur, so no training row lies
on one. A weight counts as that many copies of its row.
"""

import math
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, OneToOneFeatureMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from murtree._errors import check_int, check_sample_weight
from murtree._fixed_point import MAX_EXACT, whole_numbers


class Binarizer(TransformerMixin, BaseEstimator):
    """Turn numeric columns into boolean columns ``value > threshold``.

    A column with at most ``n_thresholds + 1`` distinct values gets every threshold
    that separates two of them, so nothing is lost. Of the others, the thresholds
    nearest to equally spaced quantiles are taken; where quantiles share one, as in a
    column that is mostly zero, the places left over go to thresholds spread evenly
    over the other distinct values. A constant column gets none.

    Parameters
    ----------
    n_thresholds : int, default=8
        The most thresholds a column may get.

    Attributes
    ----------
    thresholds_ : list of ndarray of float64
        The thresholds of each input column, increasing.
    n_features_in_ : int
        The number of input columns.
    feature_names_in_ : ndarray of str
        The names of the input columns, if they have any.

    Examples
    --------
    >>> from murtree import Binarizer
    >>> binarizer = Binarizer().fit([[1.0, 7], [2.0, 7], [4.0, 9]])
    >>> binarizer.get_feature_names_out()
    array(['x0 > 1.5', 'x0 > 3', 'x1 > 8'], dtype=object)
    >>> binarizer.transform([[3.0, 10]])
    array([[ True, False,  True]])
    """

    def __init__(self, *, n_thresholds: int = 8) -> None:
        self.n_thresholds = n_thresholds

    def fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Choose the thresholds of each column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers.
        y : None
            Ignored.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative numbers; a weight of k counts as k copies.

        Returns
        -------
        self : Binarizer
            The fitted transformer.
        """
        n_thresholds = check_int(
            self.n_thresholds, "n_thresholds", type(self).__name__, 1, None
        )
        X = validate_data(self, X, dtype=np.float64)
        weight = check_sample_weight(sample_weight, X.shape[0])
        whole = whole_numbers(weight, MAX_EXACT)  # so that equal weights are ones
        weight = weight if whole is None else whole.numbers
        X, weight = X[weight > 0], weight[weight > 0]
        self.thresholds_ = [
            _quantile_thresholds(column, weight, n_thresholds) for column in X.T
        ]
        return self

    def transform(self, X: Any) -> npt.NDArray[np.bool_]:
        """Compare each value with the thresholds of its column.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers, in the columns that `fit` saw.

        Returns
        -------
        X_out : ndarray of bool of shape (n_samples, total number of thresholds)
            True where the value is above the threshold.
        """
        check_is_fitted(self)
        X = validate_data(self, X, dtype=np.float64, reset=False)
        out = np.empty((X.shape[0], sum(map(len, self.thresholds_))), dtype=np.bool_)
        start = 0
        for values, thresholds in zip(X.T, self.thresholds_, strict=True):
            end = start + len(thresholds)
            np.greater(values[:, np.newaxis], thresholds, out=out[:, start:end])
            start = end
        return out

    def get_feature_names_out(self, input_features: Any = None) -> npt.NDArray[Any]:
        """Return a readable name for each output column, such as ``age > 41.5``.

        Parameters
        ----------
        input_features : array-like of str, default=None
            Names of the input columns; by default those `fit` saw, or x0, x1 and so on.

        Returns
        -------
        names : ndarray of object
            The names.
        """
        check_is_fitted(self)
        # The mixin's method checks and completes the names of the input columns.
        names = OneToOneFeatureMixin.get_feature_names_out(self, input_features)
        return np.array(
            [
                f"{name} > {number}"
                for name, thresholds in zip(names, self.thresholds_, strict=True)
                for number in short_numbers(thresholds)
            ],
            dtype=object,
        )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.transformer_tags.preserves_dtype = []  # bool comes out, whatever went in
        return tags

    def _output_columns(self) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.float64]]:
        """Return the input column and the threshold behind each output column."""
        lengths = [len(thresholds) for thresholds in self.thresholds_]
        columns = np.repeat(np.arange(len(lengths), dtype=np.int32), lengths)
        return columns, np.concatenate(self.thresholds_)


def _quantile_thresholds(
    values: npt.NDArray[np.float64], weight: npt.NDArray[Any], n_thresholds: int
) -> npt.NDArray[np.float64]:
    distinct, inverse = np.unique(values, return_inverse=True)
    low, high = distinct[:-1], distinct[1:]
    if low.size > n_thresholds:
        # The weight below each candidate, beside the weight each quantile asks for.
        below = np.cumsum(np.bincount(inverse, weights=weight), dtype=np.float64)
        wanted = below[-1] * np.arange(1, n_thresholds + 1) / (n_thresholds + 1)
        chosen = _fill_up(_nearest(below[:-1], wanted), low.size, n_thresholds)
        low, high = low[chosen], high[chosen]
    # Halves cannot overflow. A middle that rounds up onto `high` would send it left.
    middle = low / 2 + high / 2
    return np.where((low <= middle) & (middle < high), middle, low)


def _nearest(
    increasing: npt.NDArray[np.float64], wanted: npt.NDArray[np.float64]
) -> npt.NDArray[np.intp]:
    """Return the distinct positions in `increasing` nearest to the `wanted` numbers."""
    after = np.clip(np.searchsorted(increasing, wanted), 1, increasing.size - 1)
    nearer_before = wanted - increasing[after - 1] <= increasing[after] - wanted
    return np.unique(after - nearer_before)


def _fill_up(
    chosen: npt.NDArray[np.intp], n_candidates: int, n_wanted: int
) -> npt.NDArray[np.intp]:
    """Add evenly spaced positions that are not chosen yet, up to the number wanted."""
    others = np.setdiff1d(np.arange(n_candidates), chosen)
    missing = n_wanted - chosen.size
    spread = (np.arange(missing) + 0.5) * others.size / max(missing, 1)
    return np.sort(np.concatenate([chosen, others[spread.astype(np.intp)]]))


def short_numbers(numbers: npt.NDArray[np.float64]) -> list[str]:
    """Write numbers with six digits, or with more to show decimals and differences."""
    distinct = np.unique(numbers)
    largest = float(np.abs(distinct).max(initial=1.0))
    least = min(max(6, math.floor(math.log10(largest)) + 3), 17)
    for digits in range(least, 18):
        texts = {number: f"{number:.{digits}g}" for number in distinct.tolist()}
        if len(set(texts.values())) == len(texts):
            break
    return [texts[number] for number in numbers.tolist()]
