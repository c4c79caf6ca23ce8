"""Validation and conversion of features, labels, targets and sample weights."""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

MAX_FEATURES = 2**24 - 3  # the core's cache stores a feature in 24 bits
MAX_CLASSES = 2**16 - 2  # and a class in 16 bits
# Sums below this are exact in the core (its cache stores a bound in 54 bits) and in
# float64.
MAX_TOTAL_WEIGHT = 2**53


def check_container(data: object, name: str) -> None:
    """Raise an error for containers that NumPy reads, but not as the user means them.

    A polars LazyFrame holds no data yet, and a conversion drops the mask of an array.
    """
    if type(data).__name__ == "LazyFrame":
        raise TypeError(
            f"{name} must be a table or an array in memory. Got a LazyFrame instead: "
            "call its method collect() first."
        )
    if isinstance(data, np.ndarray) and hasattr(data, "mask"):
        remedy = "leave out the masked rows and pass its attribute data"
        if name == "X":
            remedy = "make missing values of the masked ones"
            remedy += " with X.astype(float).filled(numpy.nan)"
        raise TypeError(
            f"{name} must be an array without a mask. Got a masked array instead: "
            f"{remedy}."
        )


def check_size(n_features: int, n_classes: int) -> None:
    """Raise an error if there are more features or classes than the core supports."""
    if n_features > MAX_FEATURES:
        raise ValueError(
            f"X must have at most {MAX_FEATURES} features. Got {n_features} instead."
        )
    if n_classes > MAX_CLASSES:
        raise ValueError(
            f"y must have at most {MAX_CLASSES} classes. Got {n_classes} instead."
        )


def as_binary(X: Any) -> npt.NDArray[np.uint8]:
    """Return 0/1 data as a C-contiguous uint8 matrix, copied only if necessary."""
    check_container(X, "X")
    array = np.asarray(X)
    if array.dtype.kind == "O":
        array = _object_to_float(array)
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"X must hold only 0 and 1. Got an array of {array.dtype} instead."
        )
    if array.ndim != 2:
        raise ValueError(f"Expected 2D array, got {array.ndim}D array instead.")
    if array.dtype == np.bool_:
        bits = np.ascontiguousarray(array).view(np.uint8)
        # A bool array that views other bytes may store True as any non-zero byte.
        return bits if not bits.size or bits.max() <= 1 else (bits != 0).view(np.uint8)
    # NaN fails this test too; min and max are faster than elementwise comparisons.
    if array.size and not (array.min() >= 0 and array.max() <= 1):
        _refuse_values(array)
    bits = np.ascontiguousarray(array, dtype=np.uint8)
    if array.dtype.kind == "f" and not np.array_equal(bits, array):
        _refuse_values(array)
    return bits


def _object_to_float(array: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    if array.ndim == 0 and hasattr(array.item(), "tocsr"):
        raise TypeError("Sparse data was passed, but dense data is required.")
    try:
        return array.astype(np.float64)
    except (TypeError, ValueError) as error:
        raise ValueError(f"X must hold only 0 and 1: {error}") from None


def _refuse_values(array: npt.NDArray[Any]) -> None:
    if array.dtype.kind == "f":
        if np.isnan(array).any():
            raise ValueError("Input X contains NaN.")
        if np.isinf(array).any():
            raise ValueError("Input X contains infinity.")
    row, column = np.argwhere((array != 0) & (array != 1))[0]
    raise ValueError(
        f"X must hold only 0 and 1. Got {array[row, column]} in row {row}, "
        f"column {column}."
    )


def encode_labels(
    y: Any, n_samples: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.int32]]:
    """Return the sorted distinct labels and the index of each row's label."""
    labels = as_labels(y)
    _check_one_per_row(labels, n_samples)
    if labels.dtype.kind == "f":
        _check_whole(labels)
    classes, codes = distinct_labels(labels)
    return classes, codes.astype(np.int32)


def distinct_labels(
    labels: npt.NDArray[Any],
) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Return `np.unique` of labels with ``return_inverse=True``, but faster.

    Examples
    --------
    >>> distinct_labels(np.array(["b", "a", "b"], dtype=object))
    (array(['a', 'b'], dtype=object), array([1, 0, 1]))
    """
    if labels.dtype.kind in "bi" and labels.ndim == 1 and labels.size:
        low, high = int(labels.min()), int(labels.max())
        if high - low < 4 * labels.size:
            return _encode_small(labels, low)
    if not is_text(labels):
        return np.unique(labels, return_inverse=True)
    cells = labels.tolist()
    classes = sorted(set(cells))
    code_of = {label: code for code, label in enumerate(classes)}.__getitem__
    codes = np.fromiter(map(code_of, cells), np.intp, len(cells))
    return np.array(classes, dtype=object), codes


def is_text(labels: npt.NDArray[Any]) -> bool:
    """Return whether a one-dimensional object array contains only strings."""
    is_object = labels.dtype.kind == "O" and labels.ndim == 1
    return is_object and set(map(type, labels.tolist())) == {str}


def as_labels(y: Any) -> npt.NDArray[Any]:
    """Return labels as an array: all str, all int or all bool, with none missing.

    Nullable integers stay integers: NumPy or scikit-learn would convert them to floats,
    which makes 2**53 and 2**53 + 1 the same class.
    """
    check_container(y, "y")
    if hasattr(y, "iloc") and np.ndim(y) == 2 and y.shape[1] == 1:
        return as_labels(y.iloc[:, 0])[:, np.newaxis]
    is_missing = _missing(y)
    if is_missing.any():
        raise ValueError(
            "y must have a label in every row. Got a missing one in row "
            f"{int(is_missing.argmax())}."
        )
    check_label_kinds(y)
    dtype = getattr(y, "dtype", None)
    kind = getattr(dtype, "kind", "O")
    if hasattr(y, "to_numpy") and not isinstance(dtype, np.dtype) and kind in "biu":
        return np.asarray(y.to_numpy(dtype={"b": "?", "i": "i8", "u": "u8"}[kind]))
    labels = np.asarray(y)
    begins_with_text = labels.size > 0 and isinstance(labels.flat[0], str)
    if labels.dtype.kind != "O" or begins_with_text:
        return labels
    plain = np.array(labels.tolist())
    return plain if plain.dtype.kind in "biu" else labels


def _missing(y: Any) -> npt.NDArray[np.bool_]:
    """Return a mask of missing labels; NaN in numeric arrays is checked elsewhere."""
    if hasattr(y, "isna") or hasattr(y, "is_null"):  # pandas, polars
        return np.asarray(y.isna() if hasattr(y, "isna") else y.is_null())
    objects = np.asarray(y)
    if objects.dtype.kind != "O" or objects.ndim != 1 or is_text(objects):
        return np.zeros(1, dtype=np.bool_)
    return np.array([_is_none(label) for label in objects.tolist()], dtype=np.bool_)


def _is_none(label: object) -> bool:
    is_nan = isinstance(label, float) and math.isnan(label)
    return label is None or is_nan or type(label).__name__ in ("NAType", "NaTType")


def as_targets(y: Any, n_samples: int) -> npt.NDArray[np.float64]:
    """Return the regression targets as float64, one per row."""
    check_container(y, "y")
    if y is None:
        raise ValueError("y should be a 1d array, got None instead.")
    targets = np.asarray(y)
    _check_one_per_row(targets, n_samples)
    if targets.dtype.kind == "f" and not np.isfinite(targets).all():
        raise ValueError("Input y contains NaN or infinity.")
    return as_real_array(targets, "y")


def _check_one_per_row(y: npt.NDArray[Any], n_samples: int) -> None:
    if y.ndim != 1:
        raise ValueError(
            f"y should be a 1d array, got an array of shape {y.shape} instead."
        )
    if y.size != n_samples:
        raise ValueError(
            "Found input variables with inconsistent numbers of samples: "
            f"[{n_samples}, {y.size}]"
        )


def _encode_small(
    labels: npt.NDArray[Any], low: int
) -> tuple[npt.NDArray[Any], npt.NDArray[np.intp]]:
    """Encode integers from a small range without sorting."""
    offsets = labels.astype(np.int64) - low
    occurs = np.bincount(offsets) > 0
    classes = (np.flatnonzero(occurs) + low).astype(labels.dtype)
    return classes, (np.cumsum(occurs) - 1)[offsets]


def _check_whole(labels: npt.NDArray[Any]) -> None:
    if not np.isfinite(labels).all():
        raise ValueError("Input y contains NaN or infinity.")
    if (labels != np.floor(labels)).any():
        raise ValueError(
            "Unknown label type: continuous. Labels must be str, int or bool; got "
            "fractional numbers."
        )


def check_label_kinds(y: Any) -> None:
    """Raise an error for labels of mixed types, which NumPy would convert to str."""
    if isinstance(y, np.ndarray) and y.dtype.kind in "biufU":
        return
    if y is None:
        raise ValueError("y should be a 1d array, got None instead.")
    labels = np.asarray(y)
    if labels.dtype.kind == "c":
        raise ValueError("Complex data not supported: y must hold str, int or bool.")
    if labels.dtype.kind not in "biufUO":
        raise TypeError(
            f"Labels must be str, int or bool. Got an array of {labels.dtype} instead."
        )
    if hasattr(y, "dtype") and labels.dtype.kind != "O":
        return
    objects = np.asarray(y, dtype=object) if labels.ndim == 1 else labels
    kinds = sorted(set(map(_label_kind, set(map(type, objects.ravel().tolist())))))
    if len(kinds) > 1:
        raise TypeError(
            "Labels must be of one type: all str, all int or all bool. "
            f"Got {' and '.join(kinds)} instead."
        )


def _label_kind(kind: type) -> str:
    if issubclass(kind, str):
        return "str"
    if issubclass(kind, bool | np.bool_):
        return "bool"
    if issubclass(kind, int | float | np.integer | np.floating):
        return "number"
    return kind.__name__


def check_sample_weight(sample_weight: Any, n_samples: int) -> npt.NDArray[Any]:
    """Return one weight per row as int64 or float64; None means 1 for each row."""
    check_container(sample_weight, "sample_weight")
    if sample_weight is None:
        return np.ones(n_samples, dtype=np.int64)
    weight = np.asarray(sample_weight)
    if weight.ndim == 0:
        weight = np.full(n_samples, weight)
    if weight.ndim != 1:
        raise ValueError(
            f"Sample weights must be 1D array or scalar, got {weight.ndim}D array."
        )
    if weight.shape[0] != n_samples:
        raise ValueError(
            f"sample_weight.shape == {weight.shape}, expected {(n_samples,)}!"
        )
    weight = _real_valued(weight)
    if (weight < 0).any():
        raise ValueError(
            f"sample_weight must be non-negative. Got {weight.min()} instead."
        )
    if not weight.any():
        raise ValueError("Sample weights must contain at least one non-zero number.")
    # A sum in float64 cannot overflow, and it is exact below 2**53.
    if float(weight.sum(dtype=np.float64)) >= MAX_TOTAL_WEIGHT:
        raise ValueError("The sum of sample_weight must be less than 2**53.")
    return weight


def _real_valued(weight: npt.NDArray[Any]) -> npt.NDArray[Any]:
    weight = _as_numbers(weight, "sample_weight")
    if weight.dtype.kind == "f" and not np.isfinite(weight).all():
        raise ValueError("Input sample_weight contains NaN or infinity.")
    if weight.size and abs(float(weight.max())) >= MAX_TOTAL_WEIGHT:
        raise ValueError("The sum of sample_weight must be less than 2**53.")
    if weight.dtype.kind == "f" and (weight != np.floor(weight)).any():
        return weight.astype(np.float64)
    return weight.astype(np.int64)


def as_real_array(values: Any, what: str) -> npt.NDArray[np.float64]:
    """Return finite numbers as a float64 array; `what` names them in errors."""
    try:
        array = np.asarray(values)
    except ValueError as error:
        raise ValueError(f"{what} must hold numbers: {error}") from None
    array = _as_numbers(array, what).astype(np.float64)
    if not np.isfinite(array).all():
        raise ValueError(f"{what} must hold finite numbers. Got NaN or infinity.")
    return array


def _as_numbers(array: npt.NDArray[Any], what: str) -> npt.NDArray[Any]:
    if array.dtype.kind == "O":
        try:
            array = array.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise ValueError(f"{what} must hold numbers: {error}") from None
    if array.dtype.kind not in "biuf":
        raise TypeError(
            f"{what} must hold numbers. Got an array of {array.dtype} instead."
        )
    return array
