"""Sizes to compare, their results, and the choice of the best."""

from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from murtree._solver.frontier import Frontier
from murtree._solver.result import Result

Settings = tuple[tuple[str, Any], ...]  # parameters of an estimator by name


class Candidate(NamedTuple):
    """A size to try; either `max_num_nodes` or `cost_complexity` is None."""

    max_depth: int
    max_num_nodes: int | None = None
    cost_complexity: float | None = None
    settings: Settings = ()  # other parameters than the size
    searched_depth: int | None = None  # of the search that finds it; None: `max_depth`

    @property
    def params(self) -> dict[str, Any]:
        """The parameters of an estimator of this size."""
        size = {
            "max_depth": self.max_depth,
            "max_num_nodes": self.max_num_nodes,
            "cost_complexity": self.cost_complexity,
        }
        given = {name: value for name, value in size.items() if value is not None}
        return given | dict(self.settings)

    @property
    def search(self) -> tuple[Settings, int]:
        """The parameters and the depth of the search that finds it."""
        # Every frontier contains the single leaf: it needs no separate search.
        return self.settings, self.searched_depth or max(self.max_depth, 1)

    def pick(
        self, frontier: Frontier, price: float, *, fewest_nodes: bool = False
    ) -> Result:
        """Return the result of this size from the frontier of its depth.

        `price` is the penalty of a node if the size is tuned. With `fewest_nodes` the
        result is proven only if no smaller tree is as good.
        """
        if self.max_num_nodes is not None:
            if price == 0.0:
                return frontier[self.max_num_nodes]
            small = frontier[: self.max_num_nodes + 1]
            frontier = Frontier(list(small), frontier.total_weight)
        else:
            assert self.cost_complexity is not None
            price = self.cost_complexity
        return frontier._best(price, fewest_nodes=fewest_nodes)


class FoldResult(NamedTuple):
    """The trees of one fold in the order of the candidates, and its searches."""

    test_scores: list[float]
    train_scores: list[float]
    smoothed_scores: list[float]  # empty if there is no forest
    n_nodes: list[int]
    statuses: list[str]
    frontier_statuses: list[str]
    seconds: float  # of all searches

    @classmethod
    def joined(cls, parts: list["FoldResult"]) -> "FoldResult":
        """Return the results of all depths of a fold as one."""
        *lists, seconds = zip(*parts, strict=True)
        return cls._make([*([*chain(*column)] for column in lists), sum(seconds)])


def sizes(max_depth: int, max_num_nodes: int) -> list[Candidate]:
    """Return a single leaf, then all depths with their possible numbers of nodes."""
    return [Candidate(0, 0)] + [
        Candidate(depth, nodes)
        for depth in range(1, max_depth + 1)
        for nodes in range(depth, min(max_num_nodes, 2**depth - 1) + 1)
    ]


def sizes_of_families(
    families: list[Settings], max_depth: int, max_num_nodes: int
) -> list[Candidate]:
    """Return a single leaf, then all numbers of nodes for each family of trees.

    One search of the largest depth finds all trees of a family.
    """
    return [Candidate(0, 0, None, families[0], max_depth)] + [
        Candidate(min(nodes, max_depth), nodes, None, family, max_depth)
        for family in families
        for nodes in range(1, min(max_num_nodes, 2**max_depth - 1) + 1)
    ]


def penalties(frontier: Frontier) -> list[float]:
    """Return one penalty per range with a constant best tree, in descending order."""
    breaks = [penalty for penalty, _ in frontier.breakpoints]
    if not breaks:
        return [0.0]
    middles = np.sqrt(breaks[:-1]) * np.sqrt(breaks[1:])
    return [10 * breaks[0], *middles.tolist(), 0.0]


def cv_results(grid: list[Candidate], folds: list[FoldResult]) -> dict[str, Any]:
    """Return scores and sizes of all candidates, with the keys of GridSearchCV."""
    params = [candidate.params for candidate in grid]
    results: dict[str, Any] = {"params": params}
    for name in params[0]:
        results[f"param_{name}"] = np.array([chosen[name] for chosen in params])
    for part in ("test", "train", "smoothed"):
        scores = np.array([getattr(fold, f"{part}_scores") for fold in folds]).T
        if not scores.size:
            continue  # there is no forest
        _check_scores(scores)
        for number, column in enumerate(scores.T):
            results[f"split{number}_{part}_score"] = column
        results[f"mean_{part}_score"] = means = np.average(scores, axis=1)
        results[f"std_{part}_score"] = np.std(scores, axis=1)
        if part == "test":
            better = (means > means[:, np.newaxis]).sum(axis=1)
            results["rank_test_score"] = (better + 1).astype(np.int32)
    results["mean_n_nodes"] = np.mean([fold.n_nodes for fold in folds], axis=0)
    is_open = [[status != "optimal" for status in fold.statuses] for fold in folds]
    results["n_unproven"] = np.sum(is_open, axis=0)
    return results


def _check_scores(scores: npt.NDArray[np.float64]) -> None:
    if not np.isfinite(scores).all():
        _, fold = np.argwhere(~np.isfinite(scores))[0]
        raise ValueError(
            "The scores of all trees must be finite numbers to be compared. Got "
            f"{scores[:, fold].min()} in fold {fold}: are its rows too few?"
        )


def by_split(results: dict[str, Any], part: str) -> npt.NDArray[np.float64]:
    """Return the scores with one column per fold."""
    columns: list[npt.NDArray[np.float64]] = []
    while f"split{len(columns)}_{part}_score" in results:
        columns.append(results[f"split{len(columns)}_{part}_score"])
    return np.column_stack(columns)


def deciding_scores(results: dict[str, Any], forest_score: float | None) -> str:
    """Return which scores decide: those of the test rows, or the smoothed ones.

    Scores that rely on a forest count if it predicts no worse than the best tree.
    """
    is_smoothed = "mean_smoothed_score" in results and forest_score is not None
    if is_smoothed and forest_score >= results["mean_test_score"].max():
        return "smoothed"
    return "test"


def choose(results: dict[str, Any], part: str, *, one_standard_error: bool) -> int:
    """Return the index of the best size, or of the smallest that is nearly as good.

    `part` is the name of the scores that decide.
    """
    means = results[f"mean_{part}_score"]
    best = int(np.argmax(means))
    if not one_standard_error:
        return best
    scores = by_split(results, part)[best]
    error = np.std(scores, ddof=1) / np.sqrt(scores.size)
    near = np.flatnonzero(means >= means[best] - error)
    limits = "param_max_num_nodes"
    nodes = results[limits if limits in results else "mean_n_nodes"]
    order = np.lexsort((results["param_max_depth"][near], nodes[near]))
    return int(near[order[0]])
