"""What goes together with a metric of two classes, and what would do nothing."""

from typing import Any

from murtree._metrics import NAMES, has_positive

_WITHOUT_METRICS = (  # parameters that costs which add up are needed for
    ("cost_complexity", 0.0),
    ("feature_costs", None),
    ("fewest_nodes", False),
    ("frontier", False),
    ("max_distinct_features", None),
    ("partial_tree", None),
)


def check_together(estimator: Any, owner: str, *, is_metric: bool) -> None:
    """Refuse what a metric cannot be combined with, and what has no use."""
    objective = estimator.objective
    is_fbeta = isinstance(objective, str) and objective == "fbeta"
    if not is_fbeta and estimator.beta != 1.0:
        raise ValueError(
            f"The 'beta' parameter of {owner} must be 1.0 unless "
            f"objective='fbeta'. Got {estimator.beta!r} instead."
        )
    if is_metric:
        _check_alone(estimator, owner)
    elif estimator.pareto_front:
        raise ValueError(
            f"The 'pareto_front' parameter of {owner} must be False with "
            f"objective={objective!r}. Got True instead: give one of "
            f"{list(NAMES)} or a callable as 'objective'; all have one front."
        )
    is_used = has_positive(objective) or estimator.pareto_front
    if estimator.pos_label is not None and not is_used:
        raise ValueError(
            f"The 'pos_label' parameter of {owner} must be None with "
            f"objective={objective!r}, for which no class is positive. Got "
            f"{estimator.pos_label!r} instead."
        )


def _check_alone(estimator: Any, owner: str) -> None:
    for name, default in _WITHOUT_METRICS:
        value = getattr(estimator, name)
        is_default = value is None if default is None else value == default
        if not is_default:
            raise ValueError(
                f"The {name!r} parameter of {owner} must be {default!r} with "
                f"objective={estimator.objective!r}. Got {value!r} instead."
            )
