"""Check the columns, targets and weights of rows with labels."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._model.model import Model
from murtree._table.columns import Column
from murtree._table.text_columns import long_number, look_of, plain_numbers
from murtree.cli.model_files import missing_words
from murtree.cli.output import count, path_text
from murtree.cli.tables import FileError, Table, read_table
from murtree.cli.tables.error import listed, shown
from murtree.cli.tables.table import target_among

MANY_CLASSES = 50  # more distinct whole numbers are probably not classes
_FEW = 20  # texts of a column to look at first
_EXACT = 2**53  # float64 is exact for whole numbers up to here


@dataclass(frozen=True)
class Rows:
    """Features, target and weights."""

    X: Any
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any] | None = None

    def __getitem__(self, indices: npt.NDArray[np.int64]) -> "Rows":
        weight = None if self.weight is None else self.weight[indices]
        frame = self.X.iloc[indices].reset_index(drop=True)
        return Rows(frame, self.y[indices], weight)


def split_target(
    table: Table, target: str | None = None, *, drop_missing: bool = False
) -> tuple[Any, npt.NDArray[Any]]:
    r"""Return the features, and the target as an array.

    Parameters
    ----------
    table : Table
        A result of `read_table`.
    target : str, default=None
        The name of the target; None means the default of the format, if any.
    drop_missing : bool, default=False
        Whether to leave out rows without a target; by default they are refused.

    Returns
    -------
    X : DataFrame
        All other columns.
    y : ndarray
        The target: numbers, booleans or text.

    Raises
    ------
    FileError
        If there is no such column, if targets are missing, or no column is left.

    Examples
    --------
    >>> import io
    >>> table = read_table("-", stdin=io.BytesIO(b"age,churn\n41,yes\n30,no\n"))
    >>> X, y = split_target(table, "churn")
    >>> y
    array(['yes', 'no'], dtype=object)
    >>> split_target(table, "chrun")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    murtree.cli.tables.error.FileError: no column 'chrun' in ...: did you mean ...
    """
    frame, source = table.frame, table.source
    known = list(frame.columns)
    name = target_among(known, source, target or table.default_target)
    if len(known) == 1:
        raise FileError(f"{source} must have columns besides the target {shown(name)}.")
    absent = np.flatnonzero(frame[name].isna())
    if absent.size == len(frame):
        raise FileError(f"the target {shown(name)} is missing in all of {source}.")
    if absent.size and not drop_missing:
        rows = "1 row has" if absent.size == 1 else f"{absent.size:,} rows have"
        raise FileError(
            f"{rows} no target {shown(name)}, the first: {table.where(int(absent[0]))}."
            " Leave such rows out with --drop-missing-target."
        )
    if absent.size:
        frame = frame[frame[name].notna()].reset_index(drop=True)
    return frame.drop(columns=name), _target_array(frame[name])


def _target_array(series: Any) -> npt.NDArray[Any]:
    kind = getattr(series.dtype, "kind", "O")
    if kind in "biu" and not hasattr(series.dtype, "categories"):
        return np.asarray(series.to_numpy(dtype=np.bool_ if kind == "b" else np.int64))
    if kind == "f":
        return np.asarray(series.to_numpy(dtype=np.float64))
    return np.asarray(series, dtype=object)


def pop_weights(X: Any, name: str, source: str) -> npt.NDArray[np.float64]:
    """Remove the column of weights from a table, check it and return it."""
    if name not in X.columns:
        raise FileError(f"--weight-column must not be the target {shown(name)}.")
    series = X.pop(name)
    what = f"--weight-column: {shown(series.name)} of {source} must hold"
    if series.dtype.kind not in "biuf" or series.isna().any():
        raise FileError(f"{what} a number in each row.")
    weight = np.asarray(series.to_numpy(dtype=np.float64))
    wrong = weight[~((weight >= 0.0) & np.isfinite(weight))]
    if wrong.size:
        raise FileError(
            f"{what} finite numbers that are not negative. Got {wrong[0]:g}, for "
            "example."
        )
    if not weight.any():
        raise FileError(f"{what} a number above 0. All of them are 0.")
    if not len(X.columns):
        raise FileError(f"{source} must have columns besides target and weights.")
    return weight


def text_notes(table: Table) -> list[str]:
    """Return notes about text columns that were probably meant as numbers or dates."""
    return [note for name in table.frame if (note := _note(name, table))]


def _rounded(number: str) -> str:
    """Return a long whole number in a notation that is read as a number."""
    sign, digits = ("-" if number.startswith("-") else ""), number.lstrip("+-")
    return f"{sign}{digits[0]}.{digits[1:7]}e{len(digits) - 1}"


def _note(name: str, table: Table) -> str:
    column = table.frame[name]
    if getattr(column.dtype, "kind", "O") not in "OU" or hasattr(column, "cat"):
        return ""
    texts = [text for text in column.dropna().unique() if isinstance(text, str)]
    begin = f"column {shown(name)} of {table.source} is read as text, but"
    long = long_number(texts)
    if long is not None:
        advice = f"write them with an exponent ({_rounded(long)})"
        if table.lines is None:  # Parquet has types
            advice = "store them as doubles"
        return (
            f"{begin} holds whole numbers beyond 2**53 ({shown(long)}). Each is kept "
            "as a category. If they identify rows, leave them out with --ignore "
            f"{path_text(name)}; if they are quantities, {advice}."
        )
    found = look_of(texts[:_FEW]) and look_of(texts)
    if found is None:
        is_noted = name in table.with_text
        return "" if is_noted else _note_of_numbers(begin, texts, table)
    look, example = found
    advice = f"write them like {look.instead}"
    if table.lines is None:  # Parquet has types
        advice = f"store them as {'dates' if look.what == 'dates' else 'numbers'}"
    return (
        f"{begin} looks like {look.what} ({shown(example)}). To get "
        f"thresholds, {advice}."
    )


def _note_of_numbers(begin: str, texts: list[str], table: Table) -> str:
    """Return a note about a text column that holds plain numbers, if it does."""
    found = plain_numbers(texts[:_FEW], 0) and plain_numbers(texts)
    if found is None:
        return ""
    example, others = found
    begin = f"{begin} looks like numbers ({shown(example)})"
    if table.lines is None or not others:  # Parquet has types
        return f"{begin}. To get thresholds, store them as numbers."
    return (
        f"{begin} except for {listed(others)}. If these mean missing values, give each "
        "with --missing."
    )


def refuse_infinity(table: Table, features: Iterable[str]) -> None:
    """Refuse infinite numbers, with the option that makes them missing values."""
    for name in features:
        column = table.frame[name]
        is_infinite = column.dtype.kind == "f" and np.isinf(column.to_numpy())
        if np.any(is_infinite):
            word = table.infinite.get(name)
            advice = "remove it"
            if word is not None:
                between = "=" if word.startswith("-") else " "
                advice = f"add --missing{between}{path_text(word)}"
            raise FileError(
                f"{table.where(int(np.argmax(is_infinite)))}: column {shown(name)} "
                f"must hold finite numbers. Got {word or 'infinity'} instead. If it "
                f"means a missing value, {advice}."
            )


def targets_of(
    y: npt.NDArray[Any], name: str, source: str, regression: bool | None
) -> npt.NDArray[Any]:
    """Return targets for classification or regression; refuse unsuitable targets."""
    what = f"the target {shown(name)} of {source}"
    is_number = y.dtype.kind in "iuf"
    if regression:
        if not is_number:
            raise FileError(
                f"{what} must hold numbers with --regression. Got {shown(y[0])}, for "
                "example."
            )
        return y.astype(np.float64)
    n_distinct = len(set(y.tolist()))
    if n_distinct == 1:
        raise FileError(
            f"{what} has one class only, {shown(y[0])}: there is nothing to tell apart."
        )
    if y.dtype.kind == "f":
        if (y != np.floor(y)).any():
            raise FileError(
                f"{what} holds {n_distinct:,} distinct numbers with decimals: predict "
                "them with --regression, or make classes of them."
            )
        if not _are_exact(y).all():
            raise FileError(
                f"{what} must hold classes that are text, or whole numbers up to "
                f"2**53. Got {y[abs(y).argmax()]:g}, for example."
            )
        y = y.astype(np.int64)
    if y.dtype.kind in "iu" and n_distinct > MANY_CLASSES and regression is None:
        raise FileError(
            f"{what} holds {n_distinct:,} distinct whole numbers: predict them with "
            "--regression, or give --classification to take each as a class."
        )
    if y.dtype.kind == "O" and not all(isinstance(label, str) for label in set(y)):
        raise FileError(
            f"{what} must hold text, numbers or booleans. Got {shown(y[0])}, for "
            "example."
        )
    if y.dtype.kind == "O" and n_distinct > max(MANY_CLASSES, y.size // 2):
        raise FileError(
            f"{what} holds {n_distinct:,} distinct texts in {count(y.size, 'row')}: is "
            "it an identifier? A class needs several rows to learn from."
        )
    return y


def _are_exact(y: npt.NDArray[np.float64]) -> npt.NDArray[np.bool_]:
    """Return which numbers are whole and exact in float64."""
    return np.asarray((y == np.floor(y)) & (abs(y) <= _EXACT))


def read_labelled(
    path: Path,
    columns: tuple[Column, ...],
    target: str,
    classes: npt.NDArray[Any] | None,
    *,
    missing: Sequence[str] = (),
    separator: str | None = None,
    weight_column: str | None = None,
) -> Rows:
    """Read labelled rows with the columns of a model; no classes: regression."""
    weights = () if weight_column is None else (Column(weight_column),)
    wanted = (*columns, _target_column(target, classes), *weights)
    table = read_table(path, columns=wanted, missing=missing, separator=separator)
    X, y = split_target(table, target)
    weight = None
    if weight_column is not None:
        weight = pop_weights(X, weight_column, table.source)
    if y.dtype.kind != "f":
        return Rows(X, y, weight)
    is_right, what = np.isfinite(y), "a finite number"
    if classes is not None:
        is_right, what = _are_exact(y), "a whole number (of a class), as in training"
    if not is_right.all():
        row = int(np.argmin(is_right))
        raise FileError(
            f"{table.where(row)}: the target {shown(target)} must be {what}. Got "
            f"{y[row]:g} instead."
        )
    return Rows(X, y if classes is None else y.astype(np.int64), weight)


def _target_column(name: str, classes: npt.NDArray[Any] | None) -> Column:
    if classes is None or classes.dtype.kind not in "bOU":
        return Column(name)
    if classes.dtype.kind == "b":
        return Column(name, "boolean")
    return Column(name, "category", tuple(sorted(set(classes.tolist()))))


def validate_with(model: Model, path: Path, missing: list[str] | None) -> Model:
    """Return a model with its errors on the rows of a file."""
    tree = model.tree
    if model.target is None:
        raise FileError("the model does not name its target: --validation needs one.")
    rows = read_labelled(
        path,
        tree.known_columns,
        model.target,
        tree.classes,
        missing=missing_words(model, missing),
    )
    return model.validated(rows.X, rows.y, rows.weight)
