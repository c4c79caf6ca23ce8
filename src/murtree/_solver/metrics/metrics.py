"""Metrics of the binary confusion matrix that are monotone in its errors.

More false positives or false negatives never improve a metric, so the best tree is on
the Pareto front of both. Metrics are compared exactly: merits are fractions, and roots
are taken only for reported values.

Division by zero is handled as in scikit-learn: F-beta and Matthews are 0, and the
balanced accuracy is the recall of the class that occurs. The geometric mean of the
recalls is 0 if a class does not occur.

Matthews' coefficient is monotone where it is positive: with P and N the weights of the
classes it is (P N - P fp - N fn) / sqrt(P N x (P + N - x)), x = P - fn + fp, and where
the numerator is positive, an additional error decreases it faster than the root. A
single leaf has a coefficient of 0, so negative values are never optimal.
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.fixed_point import weight_of
from murtree._input.parameters import ParameterValueError, check_number

Merit = Fraction | float
Score = Callable[[Any, Any, Any, Any], float]

NAMES = ("f1", "fbeta", "gmean", "matthews")
# For two classes the balanced accuracy is a metric; for more it is a sum of costs.
ALL_NAMES = ("balanced_accuracy", *NAMES)
ONE_SIDED = ("f1", "fbeta")  # metrics that depend on which class is positive

# Callables are checked for this many values of fp and of fn before any search.
_GRID = 9
# Tolerance for rounding: relative increase of a score with more errors.
_SLACK = 1e-9


@dataclass(frozen=True)
class Classes:
    """The training weight of each class, in a common unit."""

    negatives: int
    positives: int


class Metric(ABC):
    """A score of a binary confusion matrix."""

    @abstractmethod
    def merit(self, classes: Classes, fp: int, fn: int) -> Merit:
        """Return a number that is greater for better trees."""

    def loss(self, merit: Merit) -> float:
        """Return the objective, to be minimised, of a tree with this merit."""
        return float(1 - merit)

    def in_units(self, unit: Fraction) -> "Metric":
        """Return the metric for errors in units; ratios do not depend on the unit."""
        del unit
        return self


class FBeta(Metric):
    """Weighted harmonic mean of precision and recall, computed exactly."""

    def __init__(self, beta: float) -> None:
        # The decimal value: 0.1 is a tenth, not the nearest binary fraction.
        self.beta_squared = Fraction(repr(beta)) ** 2

    def merit(self, classes: Classes, fp: Merit, fn: Merit) -> Fraction:
        """Return the score; errors may be fractions."""
        weight = 1 + self.beta_squared
        below = weight * classes.positives - Fraction(fn) + Fraction(fp)
        if classes.positives == 0 or below == 0:
            return Fraction(0)
        return weight * (classes.positives - Fraction(fn)) / below


class BalancedAccuracy(Metric):
    """Mean of the recalls of the two classes."""

    def merit(self, classes: Classes, fp: Merit, fn: Merit) -> Fraction:
        """Return the mean; errors may be fractions."""
        recalls = [
            1 - Fraction(wrong) / weight
            for wrong, weight in ((fp, classes.negatives), (fn, classes.positives))
            if weight > 0
        ]
        return sum(recalls, Fraction(0)) / len(recalls)


class GMean(Metric):
    """Geometric mean of the recalls of the two classes."""

    def merit(self, classes: Classes, fp: int, fn: int) -> Fraction:
        """Return the square of the mean."""
        whole = classes.negatives * classes.positives
        if whole == 0:
            return Fraction(0)
        return Fraction((classes.negatives - fp) * (classes.positives - fn), whole)

    def loss(self, merit: Merit) -> float:
        """Return 1 - mean."""
        return 1.0 - math.sqrt(merit)


class Matthews(Metric):
    """Matthews' correlation coefficient."""

    def merit(self, classes: Classes, fp: int, fn: int) -> Fraction:
        """Return the square of the coefficient, with its sign."""
        n0, n1 = classes.negatives, classes.positives
        predicted = n1 - fn + fp
        below = n0 * n1 * predicted * (n0 + n1 - predicted)
        if below == 0:
            return Fraction(0)
        above = n0 * n1 - n1 * fp - n0 * fn
        return Fraction(above * abs(above), below)

    def loss(self, merit: Merit) -> float:
        """Return 1 - coefficient."""
        return 1.0 - math.copysign(math.sqrt(abs(float(merit))), merit)


class CallableMetric(Metric):
    """A user-defined score of (tn, fp, fn, tp), checked at each evaluation."""

    def __init__(self, score: Score, unit: Fraction = Fraction(1)) -> None:
        self.name = getattr(score, "__name__", type(score).__name__)
        self._score = score
        self._unit = unit
        self._seen: dict[tuple[Classes, int, int], float] = {}

    def merit(self, classes: Classes, fp: int, fn: int) -> float:
        """Return the score."""
        key = (classes, fp, fn)
        if key not in self._seen:
            self._seen[key] = self._evaluate(classes, fp, fn)
        return self._seen[key]

    def loss(self, merit: Merit) -> float:
        """Return the negative score."""
        return -float(merit)

    def in_units(self, unit: Fraction) -> "CallableMetric":
        """Return the metric for errors in units."""
        return CallableMetric(self._score, unit)

    def _evaluate(self, classes: Classes, fp: int, fn: int) -> float:
        counts = (classes.negatives - fp, fp, fn, classes.positives - fn)
        weights = [weight_of(count, self._unit) for count in counts]
        where = "(tn={}, fp={}, fn={}, tp={})".format(*weights)
        try:
            score: Any = self._score(*weights)
        except Exception as error:
            raise type(error)(
                f"The objective {self.name!r} must take (tn, fp, fn, tp) and return a "
                f"score. It failed at {where}: {error}"
            ) from error
        if isinstance(score, np.ndarray | np.generic) and score.ndim == 0:
            score = score.item()
        if isinstance(score, bool) or not isinstance(score, Real):
            raise TypeError(
                f"The objective {self.name!r} must return a number. Got {score!r} at "
                f"{where}."
            )
        if not math.isfinite(score):
            raise ValueError(
                f"The objective {self.name!r} must return a finite number. Got "
                f"{score!r} at {where}."
            )
        return float(score)

    def check_monotone(
        self, classes: Classes, points: Iterable[tuple[int, int]] = ()
    ) -> None:
        """Raise if the score increases with errors on a grid or at these points."""
        grid = [
            (fp, fn)
            for fp in _spread(classes.negatives)
            for fn in _spread(classes.positives)
        ]
        for point in [*grid, *points]:
            for other in grid:
                if point[0] <= other[0] and point[1] <= other[1]:
                    self._compare(classes, point, other)
                elif other[0] <= point[0] and other[1] <= point[1]:
                    self._compare(classes, other, point)

    def _compare(
        self, classes: Classes, fewer: tuple[int, int], more: tuple[int, int]
    ) -> None:
        better, worse = self.merit(classes, *fewer), self.merit(classes, *more)
        if worse > better + _SLACK * max(1.0, abs(better), abs(worse)):
            fp, fn, more_fp, more_fn = (
                weight_of(count, self._unit) for count in (*fewer, *more)
            )
            raise ValueError(
                f"The objective {self.name!r} must not rise with false positives or "
                f"false negatives. Got {better!r} at (fp={fp}, fn={fn}) but {worse!r} "
                f"at (fp={more_fp}, fn={more_fn})."
            )


_WITHOUT_BETA: dict[str, Callable[[], Metric]] = {
    "balanced_accuracy": BalancedAccuracy,
    "gmean": GMean,
    "matthews": Matthews,
}


def _spread(most: int) -> list[int]:
    return sorted({most * k // (_GRID - 1) for k in range(_GRID)})


def check_metric(objective: object, beta: object, owner: str) -> Metric:
    """Return the metric for a name or a callable."""
    if callable(objective):
        return CallableMetric(objective)
    if not isinstance(objective, str) or objective not in ALL_NAMES:
        raise ParameterValueError(
            "objective",
            owner,
            f"must be a str among {list(ALL_NAMES)} or a callable of (tn, fp, fn, tp). "
            f"Got {objective!r} instead.",
        )
    if objective == "fbeta":
        return FBeta(check_number(beta, "beta", owner, is_positive=True))
    return FBeta(1.0) if objective == "f1" else _WITHOUT_BETA[objective]()


def has_positive(objective: object) -> bool:
    """Return whether an objective depends on which class is positive."""
    if isinstance(objective, str):
        return objective in ONE_SIDED
    return callable(objective)


def positive_code(pos_label: Any, classes: npt.NDArray[Any], owner: str) -> int:
    """Return the index of the positive class; None means the second class."""
    if pos_label is None:
        return 1
    labels = classes.tolist()
    codes = {label: code for code, label in enumerate(labels)}
    try:
        code = codes.get(pos_label)
    except TypeError:  # not a label, such as a list
        code = None
    if code is None:
        requirement = (
            f"must be one of the classes {labels} or None. Got {pos_label!r} instead."
        )
        raise ParameterValueError("pos_label", owner, requirement)
    return code


def best_loss_beyond(metric: Metric, classes: Classes, unavoidable: int) -> float:
    """Return a lower bound on the loss of all trees, given the unavoidable errors.

    Every tree has fp + fn >= unavoidable. The line of points with that sum is divided
    into pieces; the ideal corner of a piece is no worse than any point beyond it.
    """
    least = max(0, unavoidable - classes.positives)
    most = min(unavoidable, classes.negatives)
    n_pieces = min(most - least + 1, 1024)
    cuts = [least + (most + 1 - least) * k // n_pieces for k in range(n_pieces + 1)]
    merits = [
        metric.merit(classes, low, unavoidable - (high - 1))
        for low, high in pairwise(cuts)
    ]
    return metric.loss(max(merits))
