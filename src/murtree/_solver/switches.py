"""Switches of the core, which change the time but never the objective.

`Solver` documents them.
"""

from dataclasses import dataclass, field, fields
from typing import Any

from murtree._core import Switches as CoreSwitches
from murtree._input.parameters import (
    ParameterError,
    check_bool,
    check_choice,
    check_int,
)

CHOICES = {
    "cache": ("dataset", "branch", "none"),
    "frequency_counts": ("auto", "dense", "sparse", "incremental"),
    "node_selection": ("dynamic", "post-order"),
    "feature_order": ("auto", "in-order", "gini", "random"),
}


@dataclass(frozen=True, kw_only=True)
class Switches:
    """The switches of a `Solver`, checked."""

    deduplicate: bool = True
    merge_rows: bool = True
    cache: str = "dataset"
    similarity_bound: bool = True
    refined_bound: bool = True
    cluster_bound: bool = True
    frequency_counts: str = "auto"
    node_selection: str = "dynamic"
    feature_order: str = "auto"
    random_state: int | None = None
    sibling_bound: bool = True
    first_tree: bool = True
    deepening: bool = True
    depth_two: bool = True
    core: CoreSwitches = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        given = dict(vars(self))
        for name, value in given.items():
            checked: object = value
            if name in CHOICES:
                checked = str(check_choice(value, name, "Solver", CHOICES[name]))
            elif name != "random_state":
                checked = check_bool(value, name, "Solver")
            elif value is not None:
                checked = check_int(value, name, "Solver", 0, 2**32 - 1)
            given[name] = checked  # a Python scalar instead of a NumPy one
            object.__setattr__(self, name, checked)
        given["dynamic_order"] = given.pop("node_selection") == "dynamic"
        given["random_state"] = self.random_state or 0
        object.__setattr__(self, "core", CoreSwitches(**given))


NAMES = tuple(each.name for each in fields(Switches) if each.init)


def read_switches(options: dict[str, Any] | None, owner: str) -> Switches:
    """Return the switches given by name as `solver_options`, checked."""
    if options is not None and not isinstance(options, dict):
        raise TypeError(
            f"The 'solver_options' parameter of {owner} must be a dict or None. "
            f"Got {options!r} instead."
        )
    unknown = sorted(map(str, set(options or ()) - set(NAMES)))
    if unknown:
        raise ValueError(
            f"The 'solver_options' parameter of {owner} must have its keys among "
            f"{list(NAMES)}. Got {unknown} instead."
        )
    try:
        return Switches(**(options or {}))
    except ParameterError as error:
        valid = f"must hold valid options: {error.parameter!r} {error.requirement}"
        raise type(error)("solver_options", owner, valid) from None
