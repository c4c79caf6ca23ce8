"""Requests to the compiled core about one problem, in the user's units.

`Solver` and the estimators share it. Limits are checked before, and every tree that
comes back is recounted on the data.
"""

import hashlib
import math
import threading
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._core import Solver as CoreSolver
from murtree._solver.frontier import Frontier, with_best_trees
from murtree._solver.leaf_sizes import LeafWeights, LeastSizes, least_sizes
from murtree._solver.objectives.problem import Problem
from murtree._solver.ranked_core import OneLeaf, RankedCore
from murtree._solver.request import Request, RunLimits, forwarded
from murtree._solver.result import Progress, Result, gap_between
from murtree._solver.switches import Switches
from murtree._solver.units import DataFacts, Limits, Units, choose_limits
from murtree._table.ranked_rows import RankedRows
from murtree._tree.tree import Tree

SEED_BYTES = 32  # as the core expects

CORES: dict[str, Callable[..., CoreSolver]] = {
    "counted": CoreSolver,
    "costs": CoreSolver.of_costs,
    "targets": CoreSolver.of_targets,
    "classes": CoreSolver.of_classes,
}


class Engine:
    """A problem in the core, which reuses the results of earlier requests.

    `leaf_weights` limit the size of leaves if they differ from the weights of the
    objective. Penalties are fractions of `total`, by default of that of the problem.
    """

    def __init__(
        self,
        problem: Problem,
        switches: Switches,
        *,
        leaf_weights: LeafWeights | None = None,
        total: float | None = None,
    ) -> None:
        self.problem, self._total = problem, total
        self._given_leaf_weights = leaf_weights
        data, problem.data = problem.data, {}
        if isinstance(data["X"], RankedRows):
            self._core: Any = RankedCore(**data)
        else:
            core = CORES[problem.kind]
            self._core = core(**data, switches=switches.core, seed=table_seed(data))
        self._active_threads: set[int] = set()  # threads inside the core

    def find(self, request: Request, upper_bound: float | None = None) -> Result:
        """Return the best tree within the limits."""
        limits = choose_limits(request, self._facts)
        bound = -1 if upper_bound is None else limits.units.upper_bound(upper_bound)
        return self._search(limits, limits.nodes, bound, request.run_limits)[0]

    def find_all(self, request: Request) -> Frontier:
        """Return the best tree of each size."""
        # Each size is a separate request; a penalty on nodes is applied afterwards.
        free = replace(request.tree_limits, penalty=0.0)
        limits = choose_limits(request._replace(tree_limits=free), self._facts)
        results = self._search(limits, 0, -1, request.run_limits)
        best = with_best_trees(results, fewest_nodes=free.fewest_nodes)
        return Frontier(best, self._facts.measure.total)

    @cached_property
    def _leaf_weights(self) -> LeafWeights:
        return self._given_leaf_weights or LeafWeights.of(self.problem.weight)

    def _least_sizes(self, run_limits: RunLimits) -> LeastSizes:
        share = run_limits.min_weight_fraction_leaf
        if share == 0.0:
            return LeastSizes(run_limits.min_samples_leaf)
        sizes = least_sizes(run_limits.min_samples_leaf, share, self._leaf_weights)
        if sizes.weight == 0:
            return sizes
        return sizes._replace(weights=self.problem.kept(sizes.weights))

    def _search(
        self,
        limits: Limits,
        first_num_nodes: int,
        upper_bound: int,
        run_limits: RunLimits,
    ) -> list[Result]:
        units, least = limits.units, self._least_sizes(run_limits)
        found = self._call_core(
            max_depth=limits.depth,
            first_num_nodes=first_num_nodes,
            last_num_nodes=limits.nodes,
            price_of_error=units.price_of_error,
            price_of_node=units.price_of_node,
            min_samples_leaf=least.n_rows,
            min_weight_leaf=least.weight,
            leaf_weight=least.weights,
            upper_bound=upper_bound,
            time_limit=run_limits.seconds,
            memory_limit=run_limits.memory,
            anytime=_is_watched(run_limits),
            returns_on_interrupt=run_limits.returns_on_interrupt,
            callback=self._watch(run_limits, units),
        )
        stats: dict[str, Any] = found["stats"]
        return [self._result(answer, units, stats) for answer in found["answers"]]

    def _call_core(self, **request: Any) -> dict[str, Any]:
        """Call the core, one thread at a time."""
        thread = threading.get_ident()
        if thread in self._active_threads:
            raise RuntimeError(
                "A callback must not call the solver that calls it: the solver waits "
                "for the callback. Use another Solver, or this one after the search."
            )
        self._active_threads.add(thread)
        try:
            answer: dict[str, Any] = self._core.solve(**request)
            return answer
        finally:
            self._active_threads.remove(thread)

    def _watch(
        self, run_limits: RunLimits, units: Units
    ) -> Callable[[dict[str, Any]], bool] | None:
        """Return a function for the core that calls the user's callback."""
        if run_limits.callback is None and run_limits.is_given_up is None:
            return None

        def progress_of(state: dict[str, Any]) -> Progress:
            tree, objective = self._recount(state, units)
            lower_bound = units.lower_bound(state["lower_bound"])
            if objective is not None:
                lower_bound = min(lower_bound, objective)
            return Progress(
                seconds=state["seconds"],
                objective=objective,
                lower_bound=lower_bound,
                gap=gap_between(
                    objective, lower_bound, counts_errors=units.measure.is_whole
                ),
                share=state["share_done"],
                tree=tree,
                time_limit=run_limits.time_limit,
            )

        forward = forwarded(run_limits, progress_of)
        is_given_up = run_limits.is_given_up
        if is_given_up is None:
            return forward
        return lambda state: is_given_up() or (forward is not None and forward(state))

    def _result(
        self, answer: dict[str, Any], units: Units, stats: dict[str, Any]
    ) -> Result:
        (tree, objective), status = self._recount(answer, units), answer["status"]
        lower_bound = units.lower_bound(answer["lower_bound"])
        if objective is not None:
            is_proven = status == "optimal"
            lower_bound = objective if is_proven else min(lower_bound, objective)
        is_whole = units.measure.is_whole
        return Result(tree, objective, lower_bound, status, stats, is_whole)

    def _recount(
        self, found: dict[str, Any], units: Units
    ) -> tuple[Tree | None, float | None]:
        if "feature" not in found:
            return None, None
        tree, cost = self.problem.recount(found)
        return tree, units.objective(cost, tree.n_nodes)

    @cached_property
    def _facts(self) -> DataFacts:
        leaf = self._one_leaf()
        measure = self.problem.measure(leaf.cost)
        if self._total is not None:
            measure = replace(measure, total=self._total)
        return DataFacts(
            n_rows=max(1, min(self.problem.n_rows, leaf.n_rows)),
            measure=measure,
            avoidable=leaf.cost - leaf.unavoidable,
        )

    def _one_leaf(self) -> OneLeaf:
        """Return the costs of all rows in one leaf, as the core counts them."""
        if isinstance(self._core, RankedCore):
            return self._core.one_leaf
        leaf = self._call_core(
            max_depth=0,
            first_num_nodes=0,
            last_num_nodes=0,
            price_of_error=1,
            price_of_node=0,
            min_samples_leaf=1,
            min_weight_leaf=0,
            leaf_weight=LeastSizes(1).weights,
            upper_bound=-1,
            time_limit=math.inf,
            memory_limit=0,
            anytime=False,
            returns_on_interrupt=False,
            callback=None,
        )
        stats, answer = leaf["stats"], leaf["answers"][0]
        is_counted = self.problem.kind == "counted"
        cost = answer["misclassified" if is_counted else "cost"]
        return OneLeaf(stats["reduced_rows"], cost, stats["unavoidable"])


def _is_watched(run_limits: RunLimits) -> bool:
    """Return whether the bound may be read before the proof is complete."""
    is_limited = run_limits.seconds < math.inf or run_limits.returns_on_interrupt
    return is_limited or run_limits.callback is not None


def table_seed(arguments: dict[str, Any]) -> bytes:
    """Return a cryptographic hash of the data for the core.

    The core identifies a set of rows by the exclusive or of the keys of its rows. If
    keys did not depend on the data, one could construct a table in which different sets
    collide (see cpp/data/keys.hpp).
    """
    digest = hashlib.blake2b(digest_size=SEED_BYTES, person=b"murtree rows")
    for name, value in arguments.items():
        if isinstance(value, np.ndarray):
            content = _content(value)  # the header has its size, as a separator
            header = f"{name} {value.dtype.str} {value.shape} {content.size}:"
            digest.update(header.encode())
            digest.update(content.data)
        else:
            digest.update(f"{name} {value!r}:".encode())
    return digest.digest()


def _content(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return the values of an array that identify it for a given shape and dtype."""
    if array.dtype == np.uint8:  # binary data
        return np.packbits(array)
    if array.size and (array == array.flat[0]).all():  # common for weights
        return array.reshape(-1)[:1]
    return np.ascontiguousarray(array)
