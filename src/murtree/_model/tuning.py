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
    ('0.9533', '0.3333')
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
    def teachers(self) -> tuple[str | None, ...]:
        """Whose predictions trees were fitted to; None for the observed targets."""
        return tuple(dict.fromkeys(size.teacher for size in self.sizes))

    @property
    def by_nodes(self) -> dict[int, dict[str | None, TunedSize]]:
        """The sizes by number of nodes, then by teacher, if numbers were compared."""
        found: dict[int, dict[str | None, TunedSize]] = {}
        for size in self.sizes:
            found.setdefault(size.max_num_nodes or 0, {})[size.teacher] = size
        return found

    @property
    def is_smoothed(self) -> bool:
        """Whether scores that a forest smooths decide."""
        return self.best.smoothed_score is not None

    @property
    def baseline(self) -> float | None:
        """The mean score of a tree without a test; None if it was not compared."""
        single = [size.mean_score for size in self.sizes if size.max_num_nodes == 0]
        return single[0] if single else None


def family_names(loss: str) -> dict[str | None, str]:
    """Return the name of the trees of each teacher; None is the observed targets."""
    observed = "labels" if loss == "misclassified" else "targets"
    return {None: observed, "forest": "forest"}


def explained(tuning: Tuning, loss: str) -> list[str]:
    """Return sentences about the families of trees, and the score that decides."""
    if not tuning.has_families:
        return []
    is_class = loss == "misclassified"
    observed = family_names(loss)[None]
    texts = [f"{observed}: trees fitted to the observed {observed}."]
    if "forest" in tuning.teachers:
        what = "class probabilities" if is_class else "predictions"
        texts.append(f"forest: trees fitted to the {what} of a random forest.")
    if tuning.is_smoothed:
        how = "a label left out counts with its probability, by a forest of"
        if not is_class:
            how = "targets left out are averaged with the predictions of a forest of"
        texts.append(
            f"smoothed: {tuning.scoring}, but {how} the other rows. It decides, since "
            "it is less noisy."
        )
    return texts


def score_text(score: float) -> str:
    """Return a score with four decimals, or fewer if it is large.

    Examples
    --------
    >>> score_text(0.9389), score_text(-12345.678)
    ('0.9389', '-12,345.7')
    """
    return f"{score:.4f}" if abs(score) < 100 else number_text(score)
