"""Compare tree sizes over all folds, small depths first.

All folds finish a search before the next one begins, so that an interrupted comparison
is still complete for the searches before.
"""

import itertools
import threading
from collections.abc import Callable, Generator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from typing import NamedTuple

import numpy as np
import sklearn
from joblib import effective_n_jobs

from murtree._estimators.cv.fold import Fold, Split, Study, Taught
from murtree._estimators.cv.select import Candidate, FoldResult, Settings

KEPT = 2**28  # bytes of folds that are kept from depth to depth


class Stage(NamedTuple):
    """The searches that all folds finish before the next ones begin."""

    name: str  # such as "at depth 3"
    kept: str  # what an interrupt keeps: of the stages before; '' if there are none
    n_before: int  # searches of the stages before
    n_searches: int


# Called with the searches done, the total number, and the stage of the next searches.
Tell = Callable[[int, int, Stage], None]


class Comparison(NamedTuple):
    """The sizes that were compared, and the results of each fold."""

    grid: list[Candidate]
    folds: list[FoldResult]
    was_interrupted: bool
    # The mean over the folds; None if there is no forest, or with a scorer.
    forest_score: float | None


def compare(
    study: Study,
    splits: list[Split],
    grid: list[Candidate],
    n_jobs: int | None,
    tell: Tell | None = None,
) -> Comparison:
    """Return the comparison of all sizes, in the order of their searches.

    After Ctrl-C it contains the searches that all folds have finished, if there are any
    and if the estimator has ``on_interrupt="return"``.
    """
    by_search = itertools.groupby(grid, key=lambda size: size.search)
    levels = [list(candidates) for _, candidates in by_search]
    n_folds, done = len(splits), list[FoldResult]()

    def report(n_all: int) -> None:
        if tell is not None:
            number = min(len(done) // n_folds, len(levels) - 1)
            tell(len(done), n_all, _stage(levels, number, n_folds))

    families = {level[0].settings for level in levels}
    is_kept = len(levels) > len(families) and study.is_same_for_all_depths
    searches = _Searches(study, splits, room=KEPT if is_kept else 0)
    try:
        with closing(searches.run(levels, effective_n_jobs(n_jobs))) as results:
            for found in results:
                done.append(found)
                report(len(levels) * n_folds)
    except KeyboardInterrupt:
        if study.estimator.on_interrupt != "return" or len(done) < n_folds:
            raise
        report(len(done))  # the last one
    n_levels = len(done) // n_folds
    return Comparison(
        grid=[candidate for level in levels[:n_levels] for candidate in level],
        folds=[
            FoldResult.joined(done[number : n_levels * n_folds : n_folds])
            for number in range(n_folds)
        ],
        was_interrupted=n_levels < len(levels),
        forest_score=searches.forest_score,
    )


def _stage(levels: list[list[Candidate]], number: int, n_folds: int) -> Stage:
    """Return the stage of the searches of a level."""
    settings, depth = levels[number][-1].search
    if not settings:
        name, kept = f"at depth {depth}", "size of the depths before"
    elif dict(settings)["teacher"] is None:
        name, kept = "for observed targets", ""
    else:
        name, kept = "for targets of a forest", "size for observed targets"
    return Stage(name, kept if number else "", number * n_folds, n_folds)


class _Searches:
    """The searches of all folds; prepared folds are kept while they fit in memory."""

    def __init__(self, study: Study, splits: list[Split], room: int) -> None:
        self._study = study
        self._splits = splits
        self._room = room
        self._kept: dict[tuple[int, Settings], Fold] = {}
        self._taught: dict[int, Taught] = {}  # by fold
        self._given_up = threading.Event()
        self._config = sklearn.get_config()  # configuration is local to a thread

    def run(
        self, levels: list[list[Candidate]], n_threads: int
    ) -> Generator[FoldResult]:
        """Yield the results of all folds, one level after the other."""
        tasks = [
            partial(self._search, number, level)
            for level in levels
            for number in range(len(self._splits))
        ]
        if n_threads == 1:
            for task in tasks:
                yield task()
            return
        pool = ThreadPoolExecutor(n_threads)
        try:
            for future in [pool.submit(task) for task in tasks]:
                yield future.result()
        finally:
            self._given_up.set()  # only the main thread receives signals
            pool.shutdown(cancel_futures=True)  # wait before the interpreter can exit

    def _search(self, number: int, level: list[Candidate]) -> FoldResult:
        settings, depth = level[-1].search
        with sklearn.config_context(**self._config):
            fold = self._kept.get((number, settings))
            if fold is None:
                split, taught = self._splits[number], self._teaching(number)
                fold = Fold.of(self._study, split, depth, settings, taught)
                if fold.n_bytes <= self._room:
                    self._room -= fold.n_bytes
                    self._kept[number, settings] = fold
            return fold.compare(level, self._given_up.is_set)

    @property
    def forest_score(self) -> float | None:
        """The mean score of the forests on the test rows, if they have scores."""
        # In the order of the folds and as the means of trees, to which it is compared.
        scores = [self._taught[number].score for number in sorted(self._taught)]
        known = [score for score in scores if score is not None]
        return float(np.average(known)) if known else None

    def _teaching(self, number: int) -> Taught | None:
        """Return the forest of a fold, which is fitted once for all its searches."""
        if not self._study.has_forest:
            return None
        if number not in self._taught:  # two threads may fit it: it is the same
            self._taught[number] = self._study.teach(self._splits[number])
        return self._taught[number]
