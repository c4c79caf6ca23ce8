"""Check all parameters of an estimator before any work."""

from dataclasses import dataclass
from typing import Any

from murtree._estimators.teacher import WITHOUT_TEACHER
from murtree._input.parameters import (
    ParameterError,
    ParameterValueError,
    check_bool,
    check_choice,
    check_int,
    check_number,
    check_objective,
)
from murtree._model.proof import TEACHERS
from murtree._solver.metrics.metrics import (
    NAMES,
    CallableMetric,
    FBeta,
    Metric,
    check_metric,
)
from murtree._solver.objectives.impurity import IMPURITIES
from murtree._solver.objectives.read import CLASS_OBJECTIVES, REGRESSION
from murtree._solver.request import Request, check_limits
from murtree._solver.switches import Switches, read_switches
from murtree._table.binarizer import STRATEGIES, TableBinarizer
from murtree._table.unknown import UNKNOWNS
from murtree._tree.smoothing import LAPLACE

_CONSTRAINTS = ("max_distinct_features", "partial_tree")
_LIMITS = (
    "max_depth",
    "max_num_nodes",
    "cost_complexity",
    "fewest_nodes",
    "frontier",
    "min_samples_leaf",
    "min_weight_fraction_leaf",
    "time_limit",
    "memory_limit",
    "callback",
    "on_interrupt",
)
_WITHOUT_METRICS = (  # parameters that need additive costs
    ("cost_complexity", 0.0),
    ("feature_costs", None),
    ("fewest_nodes", False),
    ("frontier", False),
    ("max_distinct_features", None),
    ("partial_tree", None),
)


@dataclass(frozen=True)
class Parameters:
    """Checked parameters of a fit; those that depend on the data are not checked."""

    request: Request  # for all of the data
    objective: Any
    metric: Metric | None  # None: additive costs
    pos_label: Any  # None also if the objective has no positive class
    class_weight: dict[Any, float] | str | None
    teacher: str | None  # whose targets are those of the tree
    frontier: bool
    pareto_front: bool
    feature_costs: Any
    forbidden_features: Any
    max_distinct_features: int | None
    partial_tree: dict[str, Any] | None
    binarizer: str | TableBinarizer | None
    handle_unknown: str
    smoothing: float | str | None  # None also for a weight of zero
    switches: Switches
    is_regression: bool
    is_constrained: bool  # whether there are constraints other than sizes
    counts_errors: bool  # whether objectives are numbers of errors
    is_impurity: bool  # whether objectives are impurities


def check_parameters(estimator: Any, *, is_regression: bool) -> Parameters:
    """Return the checked parameters of an estimator."""
    owner, objective = type(estimator).__name__, estimator.objective
    _check_kinds(estimator, owner)
    smoothing = _checked_smoothing(estimator, owner, is_regression=is_regression)
    metric = None if is_regression else metric_of(estimator)
    if metric is not None:
        _refuse_with_metric(estimator, owner)
    constraints = [k for k in _CONSTRAINTS if getattr(estimator, k) is not None]
    limits = {name: getattr(estimator, name) for name in _LIMITS}
    request = check_limits(owner, **limits)
    check_choice(estimator.handle_unknown, "handle_unknown", owner, UNKNOWNS)
    if constraints:
        _refuse_with_constraint(estimator, owner, constraints[0])
    if is_regression:
        check_choice(objective, "objective", owner, REGRESSION)
    else:
        check_bool(estimator.pareto_front, "pareto_front", owner)
        if metric is None:
            names = (*CLASS_OBJECTIVES, *IMPURITIES, *NAMES)
            check_objective(objective, owner, names)
            if estimator.pareto_front:
                _refuse_front(estimator, owner)
        check_number(estimator.beta, "beta", owner, is_positive=True)
    if estimator.teacher is not None:
        _check_teacher(estimator, owner, metric)
    has_front = not is_regression and bool(estimator.pareto_front)
    has_positive = has_front or isinstance(metric, FBeta | CallableMetric)
    return Parameters(
        request=request,
        objective=objective,
        metric=metric,
        pos_label=estimator.pos_label if has_positive else None,
        class_weight=None if is_regression else estimator.class_weight,
        teacher=estimator.teacher,
        frontier=bool(estimator.frontier),
        pareto_front=has_front,
        feature_costs=estimator.feature_costs,
        forbidden_features=estimator.forbidden_features,
        max_distinct_features=estimator.max_distinct_features,
        partial_tree=estimator.partial_tree,
        binarizer=estimator.binarizer,
        handle_unknown=estimator.handle_unknown,
        smoothing=smoothing,
        switches=read_switches(estimator.solver_options, owner),
        is_regression=is_regression,
        is_constrained=bool(constraints),
        counts_errors=str(objective) == "accuracy" and estimator.teacher is None,
        is_impurity=str(objective) in IMPURITIES,
    )


def metric_of(estimator: Any) -> Metric | None:
    """Return the metric of the objective; None if costs are additive."""
    objective = estimator.objective
    is_named = isinstance(objective, str) and objective in NAMES
    if not (is_named or callable(objective)):
        return None
    return check_metric(objective, estimator.beta, type(estimator).__name__)


def _check_kinds(estimator: Any, owner: str) -> None:
    """Raise if the binarizer or the class weights have the wrong type."""
    binarizer = estimator.binarizer
    is_name = isinstance(binarizer, str) and binarizer in STRATEGIES
    if not (binarizer is None or isinstance(binarizer, TableBinarizer) or is_name):
        raise ValueError(
            f"The 'binarizer' parameter of {owner} must be one of {STRATEGIES}, a "
            f"TableBinarizer or None. Got {binarizer!r} instead."
        )
    weight = getattr(estimator, "class_weight", None)  # classifiers only
    is_name = isinstance(weight, str) and weight == "balanced"
    if not (weight is None or isinstance(weight, dict) or is_name):
        raise ValueError(
            f"The 'class_weight' parameter of {owner} must be a dict, 'balanced' "
            f"or None. Got {weight!r} instead."
        )


def _check_teacher(estimator: Any, owner: str, metric: Metric | None) -> None:
    """Raise for an unknown teacher, and for parameters that it does not go with."""
    teacher = estimator.teacher
    requirement = ""
    if teacher not in TEACHERS:
        requirement = "must be 'forest' or None"
    refused = [f"{name!r}" for name in _CONSTRAINTS if getattr(estimator, name)]
    if metric is not None or str(estimator.objective) in WITHOUT_TEACHER:
        refused.append(f"objective={estimator.objective!r}")
    if refused:
        requirement = requirement or f"must be None with {refused[0]}"
    if requirement:
        got = f"Got {teacher!r} instead."
        raise ParameterValueError("teacher", owner, f"{requirement}. {got}")


def _checked_smoothing(
    estimator: Any, owner: str, *, is_regression: bool
) -> float | str | None:
    """Return the smoothing of the estimates of nodes, None if there is none."""
    given, objective = estimator.smoothing, estimator.objective
    if given is None:
        return None
    if isinstance(given, str) and given == LAPLACE and not is_regression:
        return LAPLACE
    rule = "" if is_regression else f", {LAPLACE!r}"
    try:
        weight = check_number(given, "smoothing", owner)
    except ParameterError as error:
        kind = ParameterValueError if isinstance(given, str) else type(error)
        requirement = (
            f"must be a number in the range [0.0, inf){rule} or None. Got {given!r} "
            "instead."
        )
        raise kind("smoothing", owner, requirement) from None
    if weight and is_regression and objective == "absolute_error":
        raise ParameterValueError(
            "smoothing",
            owner,
            f"must be None or 0 with objective={objective!r}. Got {given!r} instead: "
            "only means are smoothed, not medians.",
        )
    return weight or None


def _refuse_front(estimator: Any, owner: str) -> None:
    """Raise for a Pareto front without a binary metric."""
    raise ValueError(
        f"The 'pareto_front' parameter of {owner} must be False with "
        f"objective={estimator.objective!r}. Got True instead: give one of "
        f"{list(NAMES)} or a callable as 'objective'; all have one front."
    )


def _refuse_with_metric(estimator: Any, owner: str) -> None:
    """Raise for parameters that cannot be combined with a metric.

    Ignoring them would give a different tree than requested. `beta` and `pos_label`
    have no effect on other objectives and are always allowed, for parameter grids.
    """
    for name, default in _WITHOUT_METRICS:
        value = getattr(estimator, name)
        is_default = value is None if default is None else value == default
        if not is_default:
            raise ParameterValueError(
                name,
                owner,
                f"must be {default!r} with objective={estimator.objective!r}. Got "
                f"{value!r} instead.",
            )


def _refuse_with_constraint(estimator: Any, owner: str, constraint: str) -> None:
    """Raise for parameters that cannot be combined with a constraint."""
    most = estimator.max_distinct_features
    if most is not None:
        check_int(most, "max_distinct_features", owner, 1, None)
    for name in ("frontier", "fewest_nodes"):
        value = getattr(estimator, name)
        if value:
            raise ValueError(
                f"The {name!r} parameter of {owner} must be False with {constraint!r}. "
                f"Got {value!r} instead."
            )
