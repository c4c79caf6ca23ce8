"""Search for the tree of a fit: choice of the solver, and fitted attributes."""

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple

from murtree._estimators.checked_parameters import Parameters
from murtree._estimators.prepare import Prepared
from murtree._estimators.sklearn_callbacks import FitReport
from murtree._input.arrays import as_binary
from murtree._solver.constraints.fixed_tests import (
    PartialTreeReader,
    forbidden_indices,
)
from murtree._solver.constraints.spec import constrained
from murtree._solver.constraints.subproblems import Training
from murtree._solver.engine import Engine
from murtree._solver.frontier import Frontier
from murtree._solver.metrics.binary_data import read_binary
from murtree._solver.metrics.metric_engine import MetricEngine
from murtree._solver.objectives.read import read_problem
from murtree._solver.pareto import ParetoFront
from murtree._solver.request import Callback, Request
from murtree._solver.result import Progress, Result


class Found(NamedTuple):
    """The best tree, with the frontier or Pareto front if requested."""

    result: Result
    status: str  # "optimal" if all trees are proven, else why the search ended
    frontier: Frontier | None = None
    pareto_front: ParetoFront | None = None


def find_tree(
    prepared: Prepared,
    parameters: Parameters,
    request: Request,
    report: FitReport | None,
) -> Found:
    """Return the best tree on the user's columns; report progress to callbacks."""
    callback = watch(prepared, parameters, report)
    run_limits = replace(request.run_limits, callback=callback)
    find = _find_plain
    if parameters.metric is not None:
        find = _find_by_metric
    elif parameters.is_constrained:
        find = _find_constrained
    elif parameters.frontier:
        find = _find_sizes
    return find(prepared, parameters, request._replace(run_limits=run_limits))


def _find_plain(prepared: Prepared, parameters: Parameters, request: Request) -> Found:
    engine, rest = _engine(prepared, parameters, request)
    result = engine.find(rest)
    return Found(prepared.result(result), result.status)


def _find_sizes(prepared: Prepared, parameters: Parameters, request: Request) -> Found:
    limits = request.tree_limits
    found = find_frontier(prepared, parameters, request)
    frontier = Frontier([*map(prepared.result, found)], found.total_weight)
    best = frontier._best(limits.penalty, fewest_nodes=limits.fewest_nodes)
    return Found(best, frontier.status, frontier=frontier)


def find_frontier(
    prepared: Prepared, parameters: Parameters, request: Request
) -> Frontier:
    """Return the best tree of each size, on the columns of the solver."""
    engine, rest = _engine(prepared, parameters, request)
    return engine.find_all(rest)


def _find_by_metric(
    prepared: Prepared, parameters: Parameters, request: Request
) -> Found:
    metric, start = parameters.metric, time.perf_counter()
    assert metric is not None
    data = read_binary(prepared.bits, prepared.y, prepared.weight, parameters.pos_label)
    engine = MetricEngine(data, parameters.switches)
    request = request.after(time.perf_counter() - start)
    if not parameters.pareto_front:
        result = engine.find(request, metric)
        return Found(prepared.result(result), result.status)
    front = engine.find_front(request, metric)._with_trees(prepared.tree)
    return Found(front._best(metric), front.status, pareto_front=front)


def _find_constrained(
    prepared: Prepared, parameters: Parameters, request: Request
) -> Found:
    training = Training(
        as_binary(prepared.bits),
        prepared.y,
        prepared.weight,
        prepared.codes,
        prepared.columns,
        tuple(prepared.tests),
        prepared.prices,
        parameters.objective,
        parameters.switches,
    )
    top = None
    if parameters.partial_tree is not None:
        owner, depth = request.owner, request.tree_limits.depth
        given = parameters.forbidden_features
        forbidden = forbidden_indices(given, prepared.columns, owner)
        reader = PartialTreeReader(prepared.columns, owner, depth, forbidden)
        top = reader.read(parameters.partial_tree)
    result = constrained(training, request, top, parameters.max_distinct_features)
    return Found(result, result.status)


def _engine(
    prepared: Prepared, parameters: Parameters, request: Request
) -> tuple[Engine, Request]:
    """Return an engine, and the request with the time left."""
    start = time.perf_counter()
    problem = read_problem(
        prepared.bits,
        prepared.y,
        prepared.weight,
        parameters.objective,
        prepared.feature_costs,
        shares=prepared.shares,
    )
    engine = Engine(problem, parameters.switches)
    return engine, request.after(time.perf_counter() - start)


def watch(
    prepared: Prepared, parameters: Parameters, report: FitReport | None
) -> Callback | None:
    """Return one callback that combines the user's and scikit-learn's."""
    callback = parameters.request.run_limits.callback
    if callback is None and report is None:
        return None

    def report_progress(progress: Progress) -> bool:
        if progress.tree is not None:
            progress = replace(progress, tree=prepared.tree(progress.tree))
        wants_to_stop = callback is not None and bool(callback(progress))
        if report is not None:
            so_far = Result(
                progress.tree,
                progress.objective,
                progress.lower_bound,
                "interrupted",
                stats={},
                counts_errors=parameters.counts_errors,
            )
            attributes: Callable[[], Any] = partial(fitted_attributes, so_far)
            wants_to_stop |= report.advance(progress, attributes)
        return wants_to_stop

    return report_progress


def fitted_attributes(result: Result) -> dict[str, Any]:
    """Return the fitted attributes that come from the search."""
    tree = result.tree
    assert tree is not None  # there is no upper bound
    classes = {} if tree.classes is None else {"classes_": tree.classes}
    return classes | {
        "tree_": tree,
        "status_": result.status,
        "objective_": result.objective,
        "lower_bound_": result.lower_bound,
        "gap_": result.gap,
        "n_nodes_": tree.n_nodes,
        "depth_": tree.depth,
        "search_stats_": result.stats,
    }
