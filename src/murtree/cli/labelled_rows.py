"""Targets and weights of rows, as training takes them and as a model knows them."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._model.model import Model
from murtree._table.columns import Column
from murtree.cli.format import count
from murtree.cli.model_files import missing_words
from murtree.cli.tables import FileError, read_table, split_target
from murtree.cli.tables.error import shown

MANY_CLASSES = 50  # whole numbers of which more are hardly classes
_EXACT = 2**53  # up to here float64 tells whole numbers apart


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


def weights_of(series: Any, source: str) -> npt.NDArray[np.float64]:
    """Return a column of weights, or say what is wrong with it."""
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
    return weight


def targets_of(
    y: npt.NDArray[Any], name: str, source: str, regression: bool | None
) -> npt.NDArray[Any]:
    """Return targets of the kind that was asked for, or say what to ask for."""
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
    """Return which numbers are whole, and such that float64 tells them apart."""
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
    """Read rows with their target as a model knows both; no classes: numbers."""
    weights = () if weight_column is None else (Column(weight_column),)
    wanted = (*columns, _target_column(target, classes), *weights)
    table = read_table(path, columns=wanted, missing=missing, separator=separator)
    X, y = split_target(table, target)
    weight = None
    if weight_column is not None:
        weight = weights_of(X.pop(weight_column), table.source)
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
