"""Scores of the sizes that a cross-validation compared."""

from dataclasses import dataclass
from typing import NamedTuple

from murtree._table.predicate_text import number_text

GUESSES = {  # prediction of a tree without a test, by loss
    "misclassified": "the majority",
    "squared_error": "the mean",
    "absolute_error": "the median",
}


class TunedSize(NamedTuple):
    """A size that was compared; either `max_num_nodes` or `cost_complexity` is None."""

    max_depth: int
    max_num_nodes: int | None
    cost_complexity: float | None
    mean_score: float  # on the test rows
    std_score: float  # over the folds
    train_score: float
    teacher: str | None = None  # whose predictions the tree is fitted to
    smoothed_score: float | None = None  # the mean that decides, if there is one

    @property
    def deciding_score(self) -> float:
        """The mean score by which sizes are compared."""
        smoothed = self.smoothed_score
        return self.mean_score if smoothed is None else smoothed


@dataclass(frozen=True)
class Tuning:
    """The sizes that a cross-validation compared, and their scores.

    Parameters
    ----------
    scoring : str
        The name of the score; higher is better.
    n_folds : int
        The number of folds that each score is a mean of.
    sizes : tuple of TunedSize
        The sizes, as in `cv_results_`.
    chosen : int
        The index of the chosen size.
    has_families : bool, default=False
        Whether trees fitted to the observed targets were compared with trees fitted to
        the predictions of a forest.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import Model, OptimalTreeClassifierCV
    >>> X, y = load_iris(return_X_y=True)
    >>> tuning = Model.of(OptimalTreeClassifierCV(max_depth=2).fit(X, y)).tuning
    >>> tuning.scoring, tuning.n_folds, len(tuning.sizes)
    ('accuracy', 5, 7)
    >>> score_text(tuning.best.mean_score), score_text(tuning.baseline)
    ('0.9267', '0.3333')
    """

    scoring: str
    n_folds: int
    sizes: tuple[TunedSize, ...]
    chosen: int
    has_families: bool = False

    @property
    def best(self) -> TunedSize:
        """The size that was chosen."""
        return self.sizes[self.chosen]

    @property
    def is_smoothed(self) -> bool:
        """Whether scores that a forest smooths decide."""
        return self.best.smoothed_score is not None

    @property
    def baseline(self) -> float | None:
        """The mean score of a tree without a test; None if it was not compared."""
        single = [size.mean_score for size in self.sizes if size.max_num_nodes == 0]
        return single[0] if single else None


def score_text(score: float) -> str:
    """Return a score with four decimals, or fewer if it is large.

    Examples
    --------
    >>> score_text(0.9389), score_text(-12345.678)
    ('0.9389', '-12,345.7')
    """
    return f"{score:.4f}" if abs(score) < 100 else number_text(score)
