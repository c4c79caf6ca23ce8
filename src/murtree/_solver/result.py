"""Results of a search: the answer to a request, and its progress until then."""

import math
from dataclasses import dataclass, field
from typing import Any

from murtree._tree.html import block, proof_html, says, tree_html
from murtree._tree.tree import Tree


@dataclass(frozen=True)
class Result:
    """The answer to one request to a `Solver`.

    Parameters
    ----------
    tree : Tree or None
        The best tree found; None if no tree is within `upper_bound`.
    objective : int, float or None
        The objective of the tree: the misclassified training weight or the solver's
        `objective`, plus any penalty of its nodes. An int if it is a number of errors.
        None without a tree.
    lower_bound : int or float
        No tree within the limits has an objective below this.
    status : {"optimal", "time_limit", "interrupted", "infeasible"}
        "optimal": `objective` equals `lower_bound`. "time_limit" and "interrupted": the
        best tree so far, with a valid bound. "infeasible": no tree is within
        `upper_bound`.
    stats : dict
        Statistics of the search: the kernel, subproblems, cache entries and so on.
    counts_errors : bool, default=True
        Whether the objective is a number of errors, for which a gap of one is small.

    Examples
    --------
    >>> from murtree import Solver
    >>> result = Solver([[0], [1], [1]], [0, 1, 0]).solve(max_depth=1)
    >>> result.objective, result.lower_bound, result.status, result.gap
    (1, 1, 'optimal', 0.0)
    """

    tree: Tree | None
    objective: float | None
    lower_bound: float
    status: str
    stats: dict[str, Any] = field(repr=False)
    counts_errors: bool = field(default=True, repr=False)

    @property
    def gap(self) -> float:
        """The distance between bound and objective; inf without a tree.

        ``(objective - lower_bound) / max(objective, 1)`` where the objective is a
        number of errors, else ``(objective - lower_bound) / objective``; 0.0 where they
        are equal.
        """
        return gap_between(
            self.objective, self.lower_bound, counts_errors=self.counts_errors
        )

    @property
    def misclassified(self) -> float | None:
        """The training weight that the tree misclassifies.

        None without a tree, and in regression.
        """
        if self.tree is None or self.tree.classes is None:
            return None
        return self.tree.misclassified

    def _repr_html_(self) -> str:
        if self.tree is None:
            text = f"No tree has an objective below {self.lower_bound:.7g}."
            return block(says("no tree within the upper bound", text, is_good=False))
        text = f"Objective {self.objective:.7g}. No tree within the limits has "
        text += f"one below {self.lower_bound:.7g}."
        proof = proof_html(self.status, self.gap, text)
        return block(proof, tree_html(self.tree))


@dataclass(frozen=True)
class Progress:
    """The progress of a search, passed to a `callback`.

    Parameters
    ----------
    seconds : float
        Time since the search began.
    objective : int, float or None
        Objective of the best tree so far; None if there is none yet.
    lower_bound : int or float
        No tree within the limits has an objective below this.
    gap : float
        The distance between bound and objective, as `Result.gap`; inf without a tree.
    share : float
        The share of the search that is done, 0 to 1: the fraction of the features that
        were tried at the root with trees of the whole depth below. It never decreases,
        and the proof may be complete before it is 1. 0 if it is not known: with
        constraints or metrics that take many searches.
    tree : Tree or None
        The best tree so far, on the columns and in the units of the caller's data.
    time_limit : float, default=None
        The time limit in seconds; None without a limit.

    Examples
    --------
    >>> from murtree import Progress
    >>> def enough(progress: Progress) -> bool:
    ...     return progress.gap < 0.05  # True stops the search
    """

    seconds: float
    objective: float | None
    lower_bound: float
    gap: float
    share: float
    tree: Tree | None = field(repr=False)
    time_limit: float | None = None


def gap_between(
    objective: float | None, lower_bound: float, *, counts_errors: bool = True
) -> float:
    """Return the distance between a bound and an objective, relative to the latter."""
    if objective is None:
        return math.inf
    if objective == lower_bound:
        return 0.0
    size = max(objective, 1) if counts_errors else abs(objective)
    return (objective - lower_bound) / size if size else math.inf
