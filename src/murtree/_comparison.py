"""A comparison of sizes over all folds, small depths first.

All folds are done with a depth before the next one begins, so that a comparison that is
interrupted leaves a whole one of smaller depths to choose from.
"""

import itertools
import threading
from collections.abc import Callable
from typing import NamedTuple

from sklearn.utils.parallel import Parallel, delayed

from murtree._folds import Candidate, Fold, FoldResult, Split, Study

# Told how many searches of how many are done, and the depth of the next ones.
Tell = Callable[[int, int, int], None]


class Comparison(NamedTuple):
    """The sizes that were compared, and what each fold says of them."""

    grid: list[Candidate]
    folds: list[FoldResult]
    was_interrupted: bool


def compare(
    study: Study,
    splits: list[Split],
    grid: list[Candidate],
    n_jobs: int | None,
    tell: Tell | None = None,
) -> Comparison:
    """Compare sizes, small depths first.

    After Ctrl-C those of the depths that all folds are done with count, if there are
    any and if the estimator is to return something.
    """
    by_depth = itertools.groupby(grid, key=lambda candidate: candidate.max_depth)
    levels = [list(candidates) for _, candidates in by_depth]
    in_threads = {"n_jobs": n_jobs, "prefer": "threads"}
    folds = Parallel(**in_threads)(delayed(Fold.of)(study, split) for split in splits)
    given_up = threading.Event()  # signals reach the main thread alone
    searches = Parallel(**in_threads, return_as="generator")(
        delayed(fold.compare)(level, given_up.is_set)
        for level in levels
        for fold in folds
    )
    n_all, done = len(levels) * len(folds), list[FoldResult]()

    def tell_of(n_all: int) -> None:
        if tell is not None:
            level = levels[min(len(done) // len(folds), len(levels) - 1)]
            tell(len(done), n_all, level[0].max_depth)

    try:
        for found in searches:
            done.append(found)
            tell_of(n_all)
    except KeyboardInterrupt:
        if study.estimator.on_interrupt != "return" or len(done) < len(folds):
            raise
        tell_of(len(done))  # there will be no more
    finally:
        given_up.set()
    n_levels = len(done) // len(folds)
    return Comparison(
        grid=[candidate for level in levels[:n_levels] for candidate in level],
        folds=[
            FoldResult.joined(done[number : n_levels * len(folds) : len(folds)])
            for number in range(len(folds))
        ],
        was_interrupted=n_levels < len(levels),
    )
