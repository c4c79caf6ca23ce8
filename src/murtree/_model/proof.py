"""Proofs: the objective of a tree and the bound for all other trees."""

import math
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from murtree._solver.metrics.metrics import ONE_SIDED, positive_code
from murtree._solver.result import gap_between
from murtree._table.coverage import Coverage
from murtree._table.predicate_text import category_text, number_text
from murtree._tree.html import block, proof_html

STATUSES = ("optimal", "time_limit", "interrupted")


@dataclass(frozen=True)
class Proof:
    """The objective of a tree, and a lower bound for all trees within the limits.

    Parameters
    ----------
    status : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal, or why the search ended before.
    objective : int or float
        The objective of the tree.
    lower_bound : int or float
        No tree within the limits has an objective below this.
    measure : str, default="misclassified"
        Description of the objective.
    total_weight : int or float, default=0
        The training weight.
    limits : tuple of str, default=()
        Descriptions of the limits on the trees to which the bound applies.
    seconds : float, default=None
        Duration of the search.
    time_limit : float, default=None
        The time limit of the search in seconds.
    is_weighted : bool, default=False
        Whether rows have weights, so that sums of weights are not numbers of rows.
    coverage : Coverage, default=None
        The tests to which the bound applies; None if not known.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import Model, OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Model.of(OptimalTreeClassifier(max_depth=2).fit(X, y))
    >>> print(model.proof.line)
    Proven optimal: 6 of 150 misclassified. No tree of depth at most 2 over all \
thresholds does better.
    >>> print(model.proof.coverage)
    Covers all 119 thresholds of 4 columns.
    """

    status: str
    objective: float
    lower_bound: float
    measure: str = "misclassified"
    total_weight: float = 0
    limits: tuple[str, ...] = ()
    seconds: float | None = None
    time_limit: float | None = None
    is_weighted: bool = False
    coverage: Coverage | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the tree is proven optimal."""
        return self.status == "optimal"

    @property
    def gap(self) -> float:
        """The distance between bound and objective, as `Result.gap`."""
        counts_errors = self.measure == "misclassified"
        return gap_between(
            self.objective, self.lower_bound, counts_errors=counts_errors
        )

    @property
    def result(self) -> str:
        """The objective as text."""
        return self._cost_text(self.objective)

    @property
    def line(self) -> str:
        """The proof as text."""
        has_more = len(self.limits) > 1 and self.coverage is not None
        limits = ", ".join(self.limits) + ("," if has_more else "")
        tests = "" if self.coverage is None else self.coverage.trees
        trees = " ".join(filter(None, ["No tree", limits, tests]))
        if self.is_complete:
            return f"Proven optimal: {self.result}. {trees} does better."
        return (
            f"Not proven optimal: {self.result}. {trees} can be better than "
            f"{self._bound_text()}{self._gap_text()}. {self._cause()}"
        )

    def _repr_html_(self) -> str:
        return block(self._html())

    def _html(self) -> str:
        line = self.line.removeprefix("Proven optimal: ")
        covers = "" if self.coverage is None else f" {self.coverage}"
        return proof_html(self.status, self.gap, line + covers)

    def _cost_text(self, objective: float) -> str:
        if self.measure == "misclassified":
            total = number_text(self.total_weight)
            weight = "weight " if self.is_weighted else ""
            return f"{weight}{number_text(objective)} of {total} misclassified"
        sign = " =" if self.measure.startswith("1 - ") else ""
        whole = f"{self.measure}{sign} {number_text(objective)}"
        mean = self._in_unit(objective)
        return f"{mean} ({whole})" if mean else whole

    def _in_unit(self, objective: float) -> str:
        """Return an error of regression as text, in the unit of the target."""
        if not self.total_weight or objective < 0:
            return ""
        mean = objective / self.total_weight
        if self.measure == "squared error":
            return f"RMSE {number_text(math.sqrt(mean))}"
        is_absolute = self.measure == "absolute error"
        return f"mean error {number_text(mean)}" if is_absolute else ""

    def _bound_text(self) -> str:
        return self._in_unit(self.lower_bound) or number_text(self.lower_bound)

    def _gap_text(self) -> str:
        return f" (gap {self.gap:.1%})" if math.isfinite(self.gap) else ""

    def _cause(self) -> str:
        if self.status == "interrupted":
            return "The search was stopped before its end."
        limit = "" if self.time_limit is None else f" of {self.time_limit:g} s"
        return f"The time limit{limit} ended the search."


def measure_of(settings: dict[str, Any], classes: npt.NDArray[Any] | None) -> str:
    """Return a description of the objective; `classes` is None in regression."""
    is_penalised = bool(settings.get("cost_complexity"))
    if is_penalised or settings.get("feature_costs") is not None:
        return "errors and penalties"
    if classes is None:
        return f"{settings.get('objective', 'squared_error')}".replace("_", " ")
    objective = settings.get("objective", "accuracy")
    if callable(objective):
        return "negative score"
    if not isinstance(objective, str):
        return "cost"
    if objective in ONE_SIDED:  # depends on the positive class
        beta = f" (beta {settings.get('beta', 1.0):g})" if objective == "fbeta" else ""
        return f"1 - {objective}{beta} of class {_positive(settings, classes)}"
    return {
        "accuracy": "misclassified",
        "balanced_accuracy": "1 - balanced accuracy",
    }.get(objective, f"1 - {objective}")


def _positive(settings: dict[str, Any], classes: npt.NDArray[Any]) -> str:
    code = positive_code(settings.get("pos_label"), classes, "the estimator")
    label = classes.tolist()[code]
    return category_text(label) if isinstance(label, str) else str(label)


def limits_of(settings: dict[str, Any]) -> tuple[str, ...]:
    """Return descriptions of the limits on trees for these parameters."""
    depth, nodes = settings.get("max_depth"), settings.get("max_num_nodes")
    leaf = settings.get("min_samples_leaf", 1)
    share = settings.get("min_weight_fraction_leaf", 0.0)
    columns = settings.get("max_distinct_features")
    forbidden = settings.get("forbidden_features")
    has_forbidden = forbidden is not None and len(forbidden) > 0
    descriptions = [
        (depth is not None, f"of depth at most {depth}"),
        (nodes is not None, nodes_limit(nodes or 0)),
        (leaf > 1, f"with at least {leaf} rows on each side of a test"),
        (share > 0, f"with at least {share:g} of the weight on each side of a test"),
        (columns is not None, f"with at most {columns} distinct columns"),
        (has_forbidden, "without the forbidden columns"),
        (settings.get("partial_tree") is not None, "with the given top"),
    ]
    return tuple(text for holds, text in descriptions if holds)


def nodes_limit(nodes: int) -> str:
    """Return a description of a limit on nodes, which excludes leaves."""
    return f"with at most {nodes:,} node" + ("s" if nodes != 1 else "")
