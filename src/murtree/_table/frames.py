"""Validation of tables, and conversion of their columns to NumPy arrays.

Tables are NumPy arrays, lists, sparse matrices, or data frames of pandas or polars,
neither of which is imported here.
"""

import sys
from collections import Counter
from dataclasses import dataclass
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from murtree._input.arrays import check_container


class RawColumn(NamedTuple):
    """An input column: numbers, booleans, times, or objects with None for missing."""

    values: npt.NDArray[Any]
    categories: tuple[Any, ...] | None = None  # declared, such as pandas' categoricals
    is_ordered: bool = False
    has_zone: bool = False  # whether datetimes have a time zone


@dataclass(frozen=True)
class ArrayTable:
    """A minimal data frame of NumPy arrays, which avoids the import of pandas."""

    raw: dict[str, RawColumn]
    dtypes = ()  # makes `is_frame` true

    @property
    def columns(self) -> list[str]:
        """The column names."""
        return list(self.raw)

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and columns."""
        return next(iter(self.raw.values())).values.size, len(self.raw)


def is_frame(X: Any) -> bool:
    """Return whether X is a data frame, whose columns have their own types."""
    return hasattr(X, "columns") and hasattr(X, "dtypes") and len(X.shape) == 2


def raw_columns(X: Any) -> list[RawColumn]:
    """Return the columns of a two-dimensional table.

    Examples
    --------
    >>> [column.values.dtype.kind for column in raw_columns(np.zeros((3, 2)))]
    ['f', 'f']
    """
    if isinstance(X, ArrayTable):
        return list(X.raw.values())
    if is_frame(X):
        refuse_repeated_names(X.columns)
        if hasattr(X, "iloc"):
            return [_from_pandas(X.iloc[:, index]) for index in range(X.shape[1])]
        return [_from_polars(X[name]) for name in X.columns]
    if hasattr(X, "tocsc"):
        by_column = X.tocsc()
        return [
            RawColumn(by_column[:, [index]].toarray().ravel())
            for index in range(X.shape[1])
        ]
    array = np.asarray(X)
    if array.dtype.kind in "US":
        array = array.astype(object)
    return [RawColumn(array[:, index]) for index in range(array.shape[1])]


def refuse_repeated_names(names: Any) -> None:
    """Raise an error if column names are not distinct."""
    repeated = [name for name, times in Counter(names).items() if times > 1]
    if repeated:
        raise ValueError(
            f"The columns of X must have distinct names. Got {repeated[0]!r} more than "
            "once."
        )


def _from_pandas(series: Any) -> RawColumn:
    dtype = series.dtype
    if hasattr(dtype, "categories"):
        values = np.array(series.astype(object), dtype=object)
        values[np.asarray(series.isna())] = None
        return RawColumn(values, tuple(dtype.categories), bool(dtype.ordered))
    kind = getattr(dtype, "kind", "O")
    if kind in "iuf" and not isinstance(dtype, np.dtype):  # nullable or Arrow types
        numbers = series.to_numpy(dtype=np.float64, na_value=np.nan)
        if kind == "f" or not _are_large(numbers):
            return RawColumn(numbers)
        kind = "O"
    if kind == "M":  # time zones are converted to UTC
        has_zone = getattr(dtype, "tz", None) is not None or "tz=" in str(dtype)
        # In their own unit: others would round or overflow silently.
        if str(dtype).startswith("date32"):  # Arrow does not convert missing ones
            series = series.astype(object).where(series.notna(), None)
        values = series.to_numpy(dtype=f"datetime64[{_unit_of(dtype)}]")
        return RawColumn(values, has_zone=has_zone)
    if kind in "biufm" and not series.isna().any():
        return RawColumn(series.to_numpy(dtype=_plain_dtype(kind, dtype)))
    if kind in "fm":
        return RawColumn(series.to_numpy())
    values = np.array(series, dtype=object)
    values[np.asarray(series.isna())] = None
    return RawColumn(values)


def _unit_of(dtype: Any) -> str:
    """Return the unit of pandas' datetimes, such as "ns"."""
    if isinstance(dtype, np.dtype):
        return np.datetime_data(dtype)[0]
    arrow = getattr(dtype, "pyarrow_dtype", dtype)
    return str(getattr(arrow, "unit", "us"))


def _plain_dtype(kind: str, dtype: Any) -> Any:
    return np.bool_ if kind == "b" else dtype


def _are_large(numbers: npt.NDArray[np.float64]) -> bool:
    """Return whether whole numbers may differ as integers and be equal as float64."""
    return bool((np.abs(numbers) >= 2**53).any())


def _from_polars(series: Any) -> RawColumn:
    dtype = series.dtype
    name = str(dtype)
    if dtype.is_numeric():
        polars = sys.modules["polars"]
        numbers = series.cast(polars.Float64).to_numpy()
        is_decimal = dtype.is_decimal() and series.n_unique() > np.unique(numbers).size
        if dtype.is_float() or not (is_decimal or _are_large(numbers)):
            return RawColumn(numbers)
    if name.startswith(("Date", "Duration")):
        has_zone = getattr(dtype, "time_zone", None) is not None
        return RawColumn(series.to_numpy(), has_zone=has_zone)
    if name.startswith("Enum"):
        declared = tuple(dtype.categories.to_list())
        return RawColumn(np.array(series.to_list(), dtype=object), declared)
    values = series.to_list()
    if name == "Boolean" and None not in values:
        return RawColumn(np.array(values, dtype=np.bool_))
    return RawColumn(np.array(values, dtype=object))


def as_table(X: Any) -> Any:
    """Return lists as an array, without converting numbers among text to text."""
    check_container(X, "X")
    if hasattr(X, "shape"):
        table = X
    else:
        table = np.asarray(X)
        table = np.asarray(X, dtype=object) if table.dtype.kind in "US" else table
    if len(table.shape) != 2:
        raise ValueError(f"Expected 2D array, got {len(table.shape)}D array instead.")
    return table


def as_numbers(X: Any, n_features: int) -> npt.NDArray[Any]:
    """Return numeric rows as an array; raise an error for other types and NaN."""
    check_container(X, "X")
    array = np.asarray(X)
    if array.dtype.kind == "O":
        array = array.astype(np.float64)
    if array.dtype.kind not in "biuf":
        raise TypeError(f"X must hold numbers. Got an array of {array.dtype} instead.")
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead.")
    if array.shape[1] != n_features:
        raise ValueError(
            f"X has {array.shape[1]} features, but this tree is expecting "
            f"{n_features} features as input."
        )
    if array.dtype.kind == "f" and np.isnan(array).any():
        raise ValueError("Input X contains NaN.")
    return array


class _Names:
    """The names of a polars frame, in the form that scikit-learn before 1.9 reads.

    It uses the ``__dataframe__`` protocol, which polars 2 no longer supports.
    """

    def __init__(self, frame: Any) -> None:
        self.shape = frame.shape
        self.names = list(frame.columns)

    def __dataframe__(self) -> Self:
        return self

    def column_names(self) -> list[str]:
        return self.names


def validate_table(owner: Any, X: Any, *, reset: bool, min_samples: int = 1) -> Any:
    """Return X as a data frame, array or sparse matrix, its shape and names checked.

    With `reset`, the number of features and their names are stored in the estimator
    `owner`; otherwise they must match the stored ones.
    """
    import sklearn  # noqa: PLC0415 (slow, and not needed by saved trees)
    from sklearn.utils.validation import validate_data  # noqa: PLC0415

    check_container(X, "X")
    if not is_frame(X):
        # Infinity is refused later, with the name of its column, as in data frames.
        return validate_data(
            owner,
            _without_mixing(X),
            reset=reset,
            dtype=None,
            accept_sparse="csc",
            ensure_all_finite=False,
            ensure_min_samples=min_samples,
        )
    refuse_repeated_names(X.columns)
    for count, what, least in (
        (X.shape[0], "sample", min_samples),
        (X.shape[1], "feature", 1),
    ):
        if count < least:
            raise ValueError(
                f"Found array with {count} {what}(s) (shape={tuple(X.shape)}) while a "
                f"minimum of {least} is required."
            )
    uses_protocol = sklearn.__version__.startswith(("1.6.", "1.7.", "1.8."))
    is_hidden = uses_protocol and not hasattr(X, "iloc")
    named = _Names(X) if is_hidden else X
    validate_data(owner, named, reset=reset, skip_check_array=True)
    return X


def _without_mixing(X: Any) -> Any:
    """Return mixed lists as object arrays; NumPy would convert numbers to text."""
    if isinstance(X, list | tuple) and np.asarray(X).dtype.kind in "US":
        return np.asarray(X, dtype=object)
    return X
