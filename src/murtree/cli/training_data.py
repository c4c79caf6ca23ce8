"""From a file to what `fit` takes: features, target, weights, rows of validation."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._model.model import Model
from murtree._table.columns import Column, learn_columns
from murtree._table.predicate_text import number_text
from murtree.cli.format import count
from murtree.cli.odd_columns import refuse_infinity, text_notes
from murtree.cli.output import Output
from murtree.cli.tables import FileError, Table, read_table, split_target
from murtree.cli.tables.error import listed, meant, shown
from murtree.cli.tables.table import target_among

MANY_CLASSES = 50  # whole numbers of which more are hardly classes
_EXACT = 2**53  # up to here float64 tells whole numbers apart
_WORDS = "missing_words"  # among the settings of a model
_MOST_CLASSES = 6  # that the summary names


@dataclass(frozen=True)
class DataOptions:
    """What to read, and how; named as the options are."""

    data: Path
    target: str | None
    ignore: list[str] | None
    columns: list[str] | None
    weight_column: str | None
    format: str | None
    separator: str | None
    sample: int | None
    missing: list[str] | None
    drop_missing_target: bool
    validation: Path | None
    validation_share: float
    seed: int
    regression: bool | None


@dataclass(frozen=True)
class Rows:
    """Features, target and weights."""

    X: Any
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any] | None = None

    def __getitem__(self, places: npt.NDArray[np.int64]) -> "Rows":
        weight = None if self.weight is None else self.weight[places]
        frame = self.X.iloc[places].reset_index(drop=True)
        return Rows(frame, self.y[places], weight)


@dataclass(frozen=True)
class TrainingData:
    """All that a fit needs of a file."""

    train: Rows
    target: str
    source: str
    is_regression: bool
    missing: tuple[str, ...] = ()  # words for it, beside the usual ones
    validation: Rows | None = None


def read_training(options: DataOptions, output: Output) -> TrainingData:
    """Read the rows to train on, and those of validation, and check the target."""
    if options.validation is not None and options.validation_share:
        raise FileError("give --validation or --validation-share, not both.")
    if not 0.0 <= options.validation_share < 1.0:
        raise FileError(
            "--validation-share must be a number in the range [0, 1). Got "
            f"{options.validation_share:g} instead."
        )
    if options.seed < 0:
        raise FileError(f"--seed must not be negative. Got {options.seed} instead.")
    table = _read(options)
    table = replace(table, frame=table.frame.drop(columns=options.ignore or []))
    for note in (*table.notes, *text_notes(table)):
        output.note(note)
    target = options.target or table.default_target
    assert target is not None  # the names were checked
    rows = _split(table, target, options)
    refuse_infinity(table, rows.X.columns)
    is_regression = options.regression is True
    labels = _targets(rows.y, target, table.source, options.regression)
    words = tuple(dict.fromkeys(options.missing or ()))
    rows = replace(rows, y=labels)
    data = TrainingData(rows, target, table.source, is_regression, words)
    if options.validation is not None:
        return replace(data, validation=_read_validation(data, options))
    if options.validation_share:
        return _held_out(data, options, output)
    return data


def _read(options: DataOptions) -> Table:
    names = None
    if options.columns:
        named = [*options.columns, options.target, options.weight_column]
        names = {name for name in named if name is not None}
    return read_table(
        options.data,
        format=options.format,
        separator=options.separator,
        names=names,
        missing=options.missing or (),
        sample=options.sample,
        random_state=options.seed,
        check_names=partial(_check_names, options),
    )


def _check_names(
    options: DataOptions, known: Sequence[str], source: str, default: str | None
) -> None:
    """Refuse names that the file does not have, before its rows are read."""
    target = target_among(known, source, options.target or default)
    weights = [] if options.weight_column is None else [options.weight_column]
    for option, names in (
        ("--ignore", options.ignore or ()),
        ("--weight-column", weights),
    ):
        for name in names:
            if name not in known:
                raise FileError(
                    f"{option}: no column {shown(name)} in {source}"
                    f"{meant(name, known) or '.'} Columns: {listed(known)}"
                )
    _check_used(options, target)


def _check_used(options: DataOptions, target: str) -> None:
    """Refuse to leave out a column that another option names."""
    used = {"--target": target, "--weight-column": options.weight_column}
    for option, name in used.items():
        if name is not None and name in (options.ignore or ()):
            raise FileError(
                f"{option} and --ignore name the same column {shown(name)}."
            )


def _split(table: Table, target: str, options: DataOptions) -> Rows:
    X, y = split_target(table, target, drop_missing=options.drop_missing_target)
    name = options.weight_column
    if name is None:
        return Rows(X, y)
    if name not in X.columns:
        raise FileError(f"--weight-column must not be the target {shown(name)}.")
    weight = _weights(X.pop(name), table.source)
    if not len(X.columns):
        raise FileError(f"{table.source} must have columns beside target and weights.")
    return Rows(X, y, weight)


def _weights(series: Any, source: str) -> npt.NDArray[np.float64]:
    """Return a column of weights, each a number by which a row can count."""
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


def _targets(
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


def _read_validation(data: TrainingData, options: DataOptions) -> Rows:
    """Read other rows as those of training are known."""
    assert options.validation is not None
    columns, _ = learn_columns(data.train.X)
    return read_labelled(
        options.validation,
        columns,
        _target_column(data),
        missing=data.missing,
        separator=options.separator,
        weight_column=options.weight_column,
        is_regression=data.is_regression,
    )


def _target_column(data: TrainingData) -> Column:
    y = data.train.y
    if y.dtype.kind == "O":
        return Column(data.target, "category", tuple(sorted(set(y.tolist()))))
    return Column(data.target, "boolean" if y.dtype.kind == "b" else "number")


def read_labelled(
    path: Path,
    columns: tuple[Column, ...],
    target: Column,
    *,
    missing: Sequence[str] = (),
    separator: str | None = None,
    weight_column: str | None = None,
    is_regression: bool,
) -> Rows:
    """Read rows with their target as a model knows both."""
    weights = () if weight_column is None else (Column(weight_column),)
    wanted = (*columns, target, *weights)
    table = read_table(path, columns=wanted, missing=missing, separator=separator)
    X, y = split_target(table, target.name)
    weight = None
    if weight_column is not None:
        weight = _weights(X.pop(weight_column), table.source)
    if is_regression and not np.isfinite(y).all():
        row = int(np.argmin(np.isfinite(y)))
        raise FileError(
            f"{table.where(row)}: the target {shown(target.name)} must be a finite "
            f"number. Got {y[row]:g} instead."
        )
    if y.dtype.kind == "f" and not is_regression:
        y = _whole_targets(y, target.name, table)
    return Rows(X, y, weight)


def _whole_targets(
    y: npt.NDArray[np.float64], name: str, table: Table
) -> npt.NDArray[np.int64]:
    """Return classes as whole numbers, which no cut makes of others."""
    is_exact = _are_exact(y)
    if not is_exact.all():
        row = int(np.argmin(is_exact))
        raise FileError(
            f"{table.where(row)}: the target {shown(name)} must be a whole number (of "
            f"a class), as in training. Got {y[row]:g} instead."
        )
    return y.astype(np.int64)


def with_missing_words(model: Model, words: Sequence[str]) -> Model:
    """Return a model that keeps the words for missing values for other files."""
    if not words:
        return model
    return replace(model, settings=model.settings | {_WORDS: list(words)})


def missing_words(model: Model, more: Sequence[str] | None = None) -> list[str]:
    """Return the words for missing values that a model keeps, and more of them."""
    kept = model.settings.get(_WORDS, [])
    if not isinstance(kept, list) or not all(isinstance(word, str) for word in kept):
        raise FileError(
            f"the model is damaged: its setting {_WORDS!r} must be a list of text."
        )
    return [*kept, *(more or ())]


def validate_with(model: Model, path: Path, missing: list[str] | None) -> Model:
    """Return a model with its errors on the rows of a file."""
    tree = model.tree
    if model.target is None:
        raise FileError("the model does not name its target: --validation needs one.")
    kind, categories = "number", ()
    if tree.classes is not None and tree.classes.dtype.kind in "UO":
        kind, categories = "category", tuple(tree.classes.tolist())
    elif tree.classes is not None and tree.classes.dtype.kind == "b":
        kind = "boolean"
    rows = read_labelled(
        path,
        tree.known_columns,
        Column(model.target, kind, categories),
        missing=missing_words(model, missing),
        is_regression=tree.classes is None,
    )
    return model.validated(rows.X, rows.y, rows.weight)


def _held_out(data: TrainingData, options: DataOptions, output: Output) -> TrainingData:
    """Keep a random share of the rows for validation, of each class alike."""
    from sklearn.model_selection import train_test_split  # slow

    rows = data.train
    n_validation = round(options.validation_share * rows.y.size)
    if not 0 < n_validation < rows.y.size:
        raise FileError(
            f"--validation-share leaves no rows for training or validation: there are "
            f"{count(rows.y.size, 'row')}."
        )
    strata = None
    if not data.is_regression:
        counts = Counter(rows.y.tolist()).values()
        if min(counts) >= 2 and len(counts) <= min(n_validation, rows.y.size // 2):
            strata = rows.y.astype(str)
        else:
            output.note("classes are too small to be in validation by their share.")
    train, validation = train_test_split(
        np.arange(rows.y.size),
        test_size=n_validation,
        random_state=options.seed,
        stratify=strata,
    )
    train, validation = np.sort(train), np.sort(validation)
    if not data.is_regression and len(set(rows.y[train].tolist())) == 1:
        raise FileError("--validation-share leaves one class only for training.")
    kept = replace(data, train=rows[train], validation=rows[validation])
    for part in (kept.train, kept.validation):
        if part is not None and part.weight is not None and not part.weight.any():
            raise FileError("--validation-share leaves rows of weight 0 only.")
    return kept


def summary_lines(data: TrainingData) -> list[str]:
    """Return the data in words: rows, columns, missing values, classes."""
    X, y = data.train.X, data.train.y
    n_missing = int(X.isna().to_numpy().sum())
    missing = (
        "no missing values" if not n_missing else count(n_missing, "missing value")
    )
    kept = ""
    if data.validation is not None:
        kept = f" and {data.validation.y.size:,} for validation"
    return [
        f"{data.source}: {count(len(X), 'row')}{kept}, "
        f"{count(len(X.columns), 'column')}, {missing}",
        f"target {shown(data.target)}: {_target_words(y, data.is_regression)}",
    ]


def _target_words(y: npt.NDArray[Any], is_regression: bool) -> str:
    if is_regression:
        least, most, mean = map(number_text, (y.min(), y.max(), y.mean()))
        return f"{least} to {most}, mean {mean}"
    counts = {str(label): n for label, n in Counter(y.tolist()).items()}
    order = sorted(counts, key=lambda label: (-counts[label], label))[:_MOST_CLASSES]
    some = ", ".join(f"{shown(label)[1:-1]}: {counts[label]:,}" for label in order)
    more = len(counts) - len(order)
    return f"{some}, and {count(more, 'more class', 'more classes')}" if more else some
