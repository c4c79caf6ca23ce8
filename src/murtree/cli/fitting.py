"""Make an estimator from options, and fit it with progress."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from murtree._model.model import Model
from murtree._solver.metrics.metrics import NAMES, ONE_SIDED
from murtree._solver.request import MAX_SIZES
from murtree.cli.model_files import with_missing_words
from murtree.cli.options import SearchOptions
from murtree.cli.output import path_text
from murtree.cli.progress import Display
from murtree.cli.tables import FileError
from murtree.cli.tables.error import listed, meant, shown
from murtree.cli.tables.kinds import NUMBER
from murtree.cli.training_data import TrainingData

_ERRORS = ("squared_error", "absolute_error")


def can_have_all_sizes(options: SearchOptions) -> bool:
    """Return whether one search can find the trees of all sizes."""
    depth, nodes = options.max_depth, options.max_nodes
    largest = math.inf if depth is None else 2**depth - 1
    if nodes is not None:
        largest = min(largest, nodes)
    return largest <= MAX_SIZES and options.objective not in NAMES


def make_estimator(options: SearchOptions, data: TrainingData) -> Any:
    """Return an estimator with these options, not fitted; refuse invalid options."""
    estimator = _estimator(options, data)
    estimator._check_parameters()  # before anything is printed
    return estimator


def _estimator(options: SearchOptions, data: TrainingData) -> Any:
    from murtree._estimators.classifier import (
        OptimalTreeClassifier,  # slow: with scikit-learn
    )
    from murtree._estimators.regressor import OptimalTreeRegressor

    shared: dict[str, Any] = {
        "max_depth": options.max_depth,
        "max_num_nodes": options.max_nodes,
        "min_samples_leaf": options.min_samples_leaf,
        "min_weight_fraction_leaf": options.min_weight_fraction_leaf,
        "cost_complexity": options.cost_complexity,
        "fewest_nodes": options.fewest_nodes,
        "frontier": options.frontier,
        "teacher": options.teacher,
        "time_limit": options.time_limit,
        "memory_limit": _bytes(options.memory_limit),
        "forbidden_features": _forbidden(options.forbid, data),
        "smoothing": options.smoothing,
        "binarizer": _binarizer(options),
        "on_interrupt": "return",
    }
    objective = options.objective
    if (objective in _ERRORS) > data.is_regression:
        raise FileError(f"--objective {objective} needs --regression.")
    if options.beta != 1.0 and objective != "fbeta":
        raise FileError("--beta is for --objective fbeta.")
    if not data.is_regression:
        return OptimalTreeClassifier(
            objective=objective or "accuracy",
            pos_label=_positive(options.positive, objective or "accuracy", data),
            beta=options.beta,
            class_weight=parse_class_weight(
                options.class_weight, data.train.y.tolist()
            ),
            **shared,
        )
    if objective not in (None, *_ERRORS):
        raise FileError(
            f"with --regression --objective must be squared_error or absolute_error. "
            f"Got {objective} instead."
        )
    if options.class_weight is not None:
        raise FileError("--class-weight is for classes, not for --regression.")
    if options.positive is not None:
        raise FileError("--positive is for classes, not for --regression.")
    return OptimalTreeRegressor(objective=objective or "squared_error", **shared)


def _binarizer(options: SearchOptions) -> Any:
    """Return the name of a strategy, or a binarizer with other parameters, checked."""
    from murtree._table.binarizer import TableBinarizer

    binarizer = TableBinarizer(
        strategy=options.binarizer, max_categories=options.max_categories
    )
    binarizer._check_parameters()
    is_plain = options.max_categories == TableBinarizer().max_categories
    return options.binarizer if is_plain else binarizer


def _positive(name: str | None, objective: str, data: TrainingData) -> Any:
    """Return the label of a class that is given as text."""
    if name is None:
        return None
    if objective not in ONE_SIDED:
        raise FileError(
            f"--positive is for --objective {' and '.join(ONE_SIDED)}: for {objective} "
            "no class is positive."
        )
    labels = np.unique(data.train.y).tolist()
    for label in labels:
        if _is_text_of(label, name):
            return label
    names = [str(label) for label in labels]
    raise FileError(
        f"--positive: no class {shown(name)} in the target {shown(data.target)}"
        f"{meant(name, names) or '.'} Classes: {listed(names)}"
    )


def _is_text_of(label: Any, text: str) -> bool:
    """Return whether a text means a label: true is True, and +1.0 is 1."""
    if isinstance(label, bool):
        return text.lower() == str(label).lower()
    if isinstance(label, str):
        return text == label
    return bool(NUMBER.fullmatch(text)) and bool(float(text) == label)


def positive_line(estimator: Any, data: TrainingData) -> list[str]:
    """Return a line about the positive class, if the objective has one."""
    if data.is_regression or estimator.objective not in ONE_SIDED:
        return []
    names = [str(label) for label in np.unique(data.train.y).tolist()]
    if len(names) != 2:  # the fit refuses that
        return []
    if estimator.pos_label is not None:
        return [f"positive class: {shown(estimator.pos_label)}"]
    other, positive = names
    hint = f"for the other: --positive {path_text(other)}"
    return [f"positive class: {shown(positive)} (the second in order); {hint}"]


def _bytes(limit: str | None) -> str | int | None:
    """Return a memory limit; a number without a unit means bytes."""
    is_number = limit is not None and limit.isascii() and limit.isdigit()
    return int(limit or 0) if is_number else limit


def _forbidden(names: list[str] | None, data: TrainingData) -> list[str] | None:
    known = list(data.train.X.columns)
    for name in names or ():
        if name not in known:
            raise FileError(f"--forbid: no column {_unknown(name, known)}")
    return names or None


def parse_class_weight(
    text: str | None, y: Iterable[Any]
) -> dict[Any, float] | str | None:
    """Return the weights of a text such as "yes=5,no=1", by label.

    Examples
    --------
    >>> parse_class_weight("1=5,0=0.5", [0, 1, 1])
    {1: 5.0, 0: 0.5}
    """
    if text is None or text == "balanced":
        return text
    labels = {str(label): label for label in y}
    weights = {}
    for part in text.split(","):
        name, equals, number = part.rpartition("=")
        label = name.strip()
        try:
            weight = float(number) if equals else -1.0
        except ValueError:
            weight = -1.0
        if not weight >= 0.0:
            raise FileError(
                "--class-weight must be balanced, or as in 'yes=5,no=1'. Got "
                f"{shown(text)} instead."
            )
        if label not in labels:
            raise FileError(f"--class-weight: no class {_unknown(label, labels)}")
        weights[labels[label]] = weight
    return weights


def _unknown(name: str, known: Iterable[str]) -> str:
    names = list(known)
    return f"{shown(name)}{meant(name, names) or f'. There are: {listed(names)}'}"


def fit_model(estimator: Any, data: TrainingData, display: Display) -> Model:
    """Fit an estimator with progress; return its model with validation errors."""
    if hasattr(estimator, "_tell"):  # a comparison of sizes
        estimator._tell = display
    elif display.is_shown:
        estimator.set_params(callback=display)
    with display.live:
        estimator.fit(data.train.X, data.train.y, data.train.weight)
    model = with_missing_words(Model.of(estimator, target=data.target), data.missing)
    if data.validation is None:
        return model
    other = data.validation
    return model.validated(other.X, other.y, other.weight)
