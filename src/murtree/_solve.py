"""The border between Python and the compiled core: arrays in, a checked result out.

The only file that imports `murtree._core`.
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from murtree._core import Solver as CoreSolver
from murtree._errors import (
    check_bool,
    check_choice,
    check_int,
    check_sample_weight,
    check_time_limit,
)
from murtree._input import as_binary, check_size, encode_labels
from murtree._tree import NO_THRESHOLD, Tree

MAX_DEPTH = 20
SWITCHES = (
    "deduplicate",
    "merge_rows",
    "cache",
    "similarity_bound",
    "refined_bound",
    "node_selection",
    "sibling_bound",
    "first_tree",
    "deepening",
)


@dataclass(frozen=True)
class Result:
    """The answer to one question to a `Solver`.

    Parameters
    ----------
    tree : Tree or None
        The best tree found; None if none is within `upper_bound`.
    objective : int or None
        The training weight that the tree misclassifies; None without a tree.
    lower_bound : int
        No tree within the limits misclassifies less than this.
    status : {"optimal", "time_limit", "infeasible"}
        "optimal": `objective` equals `lower_bound`. "time_limit": the best tree so far,
        with a valid bound. "infeasible": no tree is within `upper_bound`.
    stats : dict
        What the search did: the kernel, subproblems, cache entries and so on.

    Examples
    --------
    >>> from murtree import Solver
    >>> result = Solver([[0], [1], [1]], [0, 1, 0]).solve(max_depth=1)
    >>> result.objective, result.lower_bound, result.status, result.gap
    (1, 1, 'optimal', 0.0)
    """

    tree: Tree | None
    objective: int | None
    lower_bound: int
    status: str
    stats: dict[str, Any] = field(repr=False)

    @property
    def gap(self) -> float:
        """``(objective - lower_bound) / max(objective, 1)``; inf without a tree."""
        if self.objective is None:
            return math.inf
        return (self.objective - self.lower_bound) / max(self.objective, 1)


class Solver:
    """Find provably best decision trees on 0/1 data.

    One solver answers many questions about the same data.

    Parameters
    ----------
    X : array-like of shape (n_samples, n_features)
        Features: bool, or numbers that are 0 or 1.
    y : array-like of shape (n_samples,)
        Labels: all str, all int or all bool.
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative whole numbers; a weight counts as that many copies of its row.
    deduplicate : bool, default=True
        Drop columns that are constant, or equal to another one or to its complement.
    merge_rows : bool, default=True
        Merge rows with equal features into weighted ones, and bound every subset by
        the equal rows of different classes.
    cache : {"dataset", "none"}, default="dataset"
        Remember subproblems by their rows (paper, Section "Caching of Optimal Subtrees
        (Memoisation)").
    similarity_bound : bool, default=True
        Bound subproblems by similar ones solved before (Section "Similarity-Based Lower
        Bounding"): parts of one node bound each other.
    refined_bound : bool, default=True
        Bound a node without a tree within its upper bound by the bounds of its children
        (Section "Storing Subtrees and Lower Bounds in the Cache", RLB).
    node_selection : {"dynamic", "post-order"}, default="dynamic"
        Which child comes first: the one that promises more errors, or always the left
        one (Section "Node Selection Strategy").
    sibling_bound : bool, default=True
        Take the lower bound of a child that is not solved yet off the upper bound of
        its sibling (Section "Main Algorithm Description", Algorithm 3).
    first_tree : bool, default=True
        Start from a quick good tree as upper bound: greedy, with the depth-two
        algorithm as look-ahead.
    deepening : bool, default=True
        Solve each subproblem at smaller depths first, to bound and order the deeper
        search (Section "Anytime Behaviour" names the idea).

    Attributes
    ----------
    classes_ : ndarray
        The distinct labels, sorted.
    n_features_in_ : int
        The number of columns of `X`.

    Notes
    -----
    Each switch changes the time, never the objective: they are there to be measured and
    tested. "Paper" is Demirović et al., MurTree, JMLR 23, 2022.

    Examples
    --------
    >>> from murtree import Solver
    >>> X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0]]
    >>> solver = Solver(X, ["no", "yes", "yes", "no"])
    >>> solver.solve(max_depth=2).objective
    0
    >>> solver.solve(max_depth=2, max_num_nodes=2).objective
    1
    """

    def __init__(
        self,
        X: Any,
        y: Any,
        sample_weight: Any = None,
        *,
        deduplicate: bool = True,
        merge_rows: bool = True,
        cache: str = "dataset",
        similarity_bound: bool = True,
        refined_bound: bool = True,
        node_selection: str = "dynamic",
        sibling_bound: bool = True,
        first_tree: bool = True,
        deepening: bool = True,
    ) -> None:
        flags = {
            "deduplicate": deduplicate,
            "merge_rows": merge_rows,
            "similarity_bound": similarity_bound,
            "refined_bound": refined_bound,
            "sibling_bound": sibling_bound,
            "first_tree": first_tree,
            "deepening": deepening,
        }
        for name, flag in flags.items():
            check_bool(flag, name, "Solver")
        check_choice(cache, "cache", "Solver", ("dataset", "none"))
        check_choice(
            node_selection, "node_selection", "Solver", ("dynamic", "post-order")
        )
        bits = as_binary(X)
        if bits.shape[0] < 2:
            raise ValueError(
                f"Found array with {bits.shape[0]} sample(s) (shape={bits.shape}) "
                "while a minimum of 2 is required by Solver."
            )
        if bits.shape[1] < 1:
            raise ValueError(
                f"Found array with 0 feature(s) (shape={bits.shape}) while a minimum "
                "of 1 is required by Solver."
            )
        self.classes_, codes = encode_labels(y, bits.shape[0])
        self.n_features_in_ = bits.shape[1]
        check_size(bits.shape[1], self.classes_.size)
        weight = check_sample_weight(sample_weight, bits.shape[0])
        self._total_weight = int(weight.sum())
        self._core = CoreSolver(
            X=bits,
            y=codes,
            weight=weight,
            n_classes=self.classes_.size,
            cache=cache,
            dynamic_order=node_selection == "dynamic",
            depth_two=True,
            feature_order="auto",
            random_state=0,
            frequency_counts="auto",
            **{name: bool(flag) for name, flag in flags.items()},
        )

    def solve(
        self,
        max_depth: int,
        max_num_nodes: int | None = None,
        *,
        upper_bound: int | None = None,
        time_limit: float | None = None,
    ) -> Result:
        """Find the tree with the least misclassified weight within the limits.

        Parameters
        ----------
        max_depth : int
            The most tests a row may meet, 0 to 20.
        max_num_nodes : int, default=None
            The most branching nodes; None means as many as the depth allows.
        upper_bound : int, default=None
            Look only for trees that misclassify at most this weight.
        time_limit : float, default=None
            Seconds after which to return the best tree so far; None means no limit.

        Returns
        -------
        result : Result
            The tree with its objective, lower bound, status and statistics.

        Examples
        --------
        >>> from murtree import Solver
        >>> solver = Solver([[0, 1], [1, 1], [1, 0]], [0, 0, 1])
        >>> solver.solve(max_depth=1).tree.predict([[0, 0], [0, 1]])
        array([1, 0])
        >>> solver.solve(max_depth=0, upper_bound=0).status
        'infeasible'
        """
        owner = "Solver.solve"
        depth = check_int(max_depth, "max_depth", owner, 0, MAX_DEPTH)
        nodes = 2**depth - 1
        if max_num_nodes is not None:
            asked = check_int(max_num_nodes, "max_num_nodes", owner, 0, None)
            nodes = min(nodes, asked)
        bound = -1
        if upper_bound is not None:
            asked = check_int(upper_bound, "upper_bound", owner, 0, None)
            bound = min(asked, self._total_weight)
        seconds = check_time_limit(time_limit, owner)
        found = self._core.solve(
            max_depth=depth,
            first_num_nodes=nodes,
            last_num_nodes=nodes,
            price_of_error=1,
            price_of_node=0,
            min_samples_leaf=1,
            upper_bound=bound,
            time_limit=seconds,
            memory_limit=0,
            anytime=seconds < math.inf,
            returns_on_interrupt=False,
            callback=None,
        )
        return self._result(found["answers"][0], found["stats"])

    def _result(self, answer: dict[str, Any], stats: dict[str, Any]) -> Result:
        tree = None
        if "feature" in answer:
            feature = answer["feature"]
            tree = Tree(
                children_left=answer["children_left"],
                children_right=answer["children_right"],
                feature=feature,
                threshold=np.where(feature >= 0, 0.5, NO_THRESHOLD),
                value=answer["value"],
                classes=self.classes_,
                n_features=self.n_features_in_,
            )
        return Result(
            tree=tree,
            objective=None if tree is None else answer["misclassified"],
            lower_bound=answer["lower_bound"],
            status=answer["status"],
            stats=stats,
        )
