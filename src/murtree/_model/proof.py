"""Proofs: the objective of a tree and the bound for all other trees."""

import math
from dataclasses import dataclass

from murtree._solver.result import gap_between
from murtree._table.coverage import Coverage
from murtree._table.predicate_text import number_text
from murtree._tree.html import block, proof_html
from murtree._tree.leaf_text import nearly_whole

STATUSES = ("optimal", "time_limit", "interrupted")
TEACHERS = ("forest",)  # whose predictions a tree may be fitted to
IN_REGRESSION = ("squared error", "absolute error")  # measures


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
    teacher : {"forest"}, default=None
        Whose predictions the tree was fitted to; None means the observed targets.

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
    teacher: str | None = None

    @property
    def is_complete(self) -> bool:
        """Whether the tree is proven optimal."""
        return self.status == "optimal"

    @property
    def gap(self) -> float:
        """The distance between bound and objective, as `Result.gap`."""
        counts_errors = self.measure == "misclassified" and self.teacher is None
        return gap_between(
            self.objective, self.lower_bound, counts_errors=counts_errors
        )

    @property
    def result(self) -> str:
        """The objective as text, with the targets if they are a teacher's."""
        cost = self._cost_text(self.objective)
        if self.teacher is None:
            return cost
        if self.measure in IN_REGRESSION:
            return f"{cost} to the predictions of a random forest"
        if self.measure == "errors and penalties":
            return f"{cost}, by the predictions of a random forest"
        return f"{cost} in expectation, by the class probabilities of a random forest"

    @property
    def line(self) -> str:
        """The proof as text."""
        verdict = "Proven" if self.is_complete else "Not proven"
        found = f"{verdict} optimal: {self.result}."
        has_more = len(self.limits) > 1 and self.coverage is not None
        limits = ", ".join(self.limits) + ("," if has_more else "")
        tests = "" if self.coverage is None else self.coverage.trees
        trees = " ".join(filter(None, ["No tree", limits, tests]))
        if self.is_complete:
            return f"{found} {trees} does better."
        bound = f"{self._bound_text()}{self._gap_text()}"
        return f"{found} {trees} can be better than {bound}. {self._cause()}"

    def _repr_html_(self) -> str:
        return block(self._html())

    def _html(self) -> str:
        line = self.line.removeprefix("Proven optimal: ")
        covers = "" if self.coverage is None else f" {self.coverage}"
        return proof_html(self.status, self.gap, line + covers)

    def _cost_text(self, objective: float) -> str:
        if self.measure == "misclassified":
            total = nearly_whole(self.total_weight)
            weight = "weight " if self.is_weighted else ""
            errors = number_text(objective)
            if self.teacher is not None:
                errors = f"{objective:,.1f}"
            return f"{weight}{errors} of {total} misclassified"
        sign = " =" if self.measure.startswith("1 - ") else ""
        whole = f"{self.measure}{sign} {number_text(objective)}"
        mean = self._in_unit(objective)
        return f"{mean} ({whole})" if mean else whole

    def _in_unit(self, objective: float) -> str:
        """Return a mean as text: an error in the unit of the target, or an impurity."""
        if not self.total_weight or objective < 0:
            return ""
        mean = objective / self.total_weight
        if self.measure == "squared error":
            return f"RMSE {number_text(math.sqrt(mean))}"
        if self.measure in ("Gini impurity", "log loss"):
            return f"mean {self.measure} {number_text(mean)}"
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
