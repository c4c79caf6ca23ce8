"""Read the rows for training and validation from files."""

from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import learn_columns
from murtree._table.predicate_text import number_text
from murtree.cli.labelled_rows import (
    Rows,
    pop_weights,
    read_labelled,
    refuse_infinity,
    split_target,
    targets_of,
    text_notes,
)
from murtree.cli.options import SearchOptions
from murtree.cli.output import Output, count
from murtree.cli.tables import FileError, Table, read_table
from murtree.cli.tables.error import shown
from murtree.cli.tables.table import Roles

_MOST_CLASSES = 6  # in the summary


@dataclass(frozen=True)
class TrainingData:
    """The data for a fit."""

    train: Rows
    target: str
    source: str
    is_regression: bool
    missing: tuple[str, ...] = ()  # words for missing values, besides the usual ones
    validation: Rows | None = None


def read_training(options: SearchOptions, output: Output) -> TrainingData:
    """Read the rows, and check the target."""
    _check(options)
    table = _read(options)
    table = replace(table, frame=table.frame.drop(columns=options.ignore or []))
    for note in (*table.notes, *text_notes(table)):
        output.note(note)
    target = options.target or table.default_target
    assert target is not None  # the names were checked
    X, y = split_target(table, target, drop_missing=options.drop_missing_target)
    weight = None
    if options.weight_column is not None:
        weight = pop_weights(X, options.weight_column, table.source)
    refuse_infinity(table, X.columns)
    labels = targets_of(y, target, table.source, options.regression)
    data = TrainingData(
        Rows(X, labels, weight),
        target,
        table.source,
        is_regression=options.regression is True,
        missing=tuple(dict.fromkeys(options.missing or ())),
    )
    if options.validation is not None:
        return replace(data, validation=_validation(data, options, options.validation))
    if options.validation_share:
        return _held_out(data, options, output)
    return data


def _check(options: SearchOptions) -> None:
    """Refuse options that are invalid for any data."""
    if options.validation is not None and options.validation_share:
        raise FileError("give --validation or --validation-share, not both.")
    if not 0.0 <= options.validation_share < 1.0:
        raise FileError(
            "--validation-share must be a number in the range [0, 1). Got "
            f"{options.validation_share:g} instead."
        )
    if options.seed < 0:
        raise FileError(f"--seed must not be negative. Got {options.seed} instead.")


def _read(options: SearchOptions) -> Table:
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
        roles=Roles(options.target, options.weight_column, options.ignore or ()),
    )


def _validation(data: TrainingData, options: SearchOptions, path: Path) -> Rows:
    columns, _ = learn_columns(data.train.X)
    return read_labelled(
        path,
        columns,
        data.target,
        None if data.is_regression else data.train.y,
        missing=data.missing,
        separator=options.separator,
        weight_column=options.weight_column,
    )


def _held_out(
    data: TrainingData, options: SearchOptions, output: Output
) -> TrainingData:
    """Hold out a random share of the rows for validation, stratified by class."""
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


def summary(data: TrainingData) -> str:
    """Return two lines about the data: rows, columns, missing values, classes."""
    X = data.train.X
    target = _target_text(data.train.y, data.is_regression)
    missing = count(int(X.isna().to_numpy().sum()), "missing value")
    kept = ""
    if data.validation is not None:
        kept = f" and {data.validation.y.size:,} for validation"
    return (
        f"{data.source}: {count(len(X), 'row')}{kept}, "
        f"{count(len(X.columns), 'column')}, {missing}\n"
        f"target {shown(data.target)}: {target}"
    )


def _target_text(y: npt.NDArray[Any], is_regression: bool) -> str:
    if is_regression:
        least, most, mean = map(number_text, (y.min(), y.max(), y.mean()))
        return f"{least} to {most}, mean {mean}"
    counts = {str(label): n for label, n in Counter(y.tolist()).items()}
    order = sorted(counts, key=lambda label: (-counts[label], label))[:_MOST_CLASSES]
    some = ", ".join(f"{shown(label)[1:-1]}: {counts[label]:,}" for label in order)
    more = len(counts) - len(order)
    return f"{some}, and {count(more, 'more class', 'more classes')}" if more else some
