"""What does not go together with a metric of two classes."""

from typing import Any

from murtree._input.parameters import ParameterValueError
from murtree._solver.metrics.metrics import NAMES

_WITHOUT_METRICS = (  # parameters that costs which add up are needed for
    ("cost_complexity", 0.0),
    ("feature_costs", None),
    ("fewest_nodes", False),
    ("frontier", False),
    ("max_distinct_features", None),
    ("partial_tree", None),
)


def check_together(estimator: Any, owner: str, *, is_metric: bool) -> None:
    """Refuse what a metric cannot be combined with, and what it alone can do.

    To ignore these would be to answer another question. What has no use with an
    objective, `beta` and `pos_label`, may be given all the same: a grid has them all.
    """
    if is_metric:
        _check_alone(estimator, owner)
    elif estimator.pareto_front:
        raise ValueError(
            f"The 'pareto_front' parameter of {owner} must be False with "
            f"objective={estimator.objective!r}. Got True instead: give one of "
            f"{list(NAMES)} or a callable as 'objective'; all have one front."
        )


def _check_alone(estimator: Any, owner: str) -> None:
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
