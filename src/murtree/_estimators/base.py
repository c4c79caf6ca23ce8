"""Base class of the estimators.

A fit checks its parameters (`parameters`), converts the table to boolean columns
(`prepare`) and searches for a tree (`search`). Subclasses document the behaviour
specific to classification or regression.
"""

import warnings
from functools import partial
from operator import attrgetter
from typing import Any, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import is_regressor
from sklearn.utils.validation import check_is_fitted

from murtree._estimators.checked_parameters import Parameters, check_parameters
from murtree._estimators.prepare import encoded, prepare
from murtree._estimators.search import Found, find_tree, fitted_attributes
from murtree._estimators.sklearn_callbacks import (
    CallbackMixin,
    FitReport,
    with_callbacks,
)
from murtree._estimators.tree_methods import TreeMethodsMixin
from murtree._solver.frontier import Frontier
from murtree._solver.metrics.metrics import NAMES
from murtree._solver.pareto import ParetoFront
from murtree._solver.request import Callback, until_end
from murtree._solver.warnings import NotProvenWarning, TimeLimitWarning
from murtree._table.binarizer import TableBinarizer
from murtree._table.coverage import Coverage
from murtree._table.predicate_text import number_text
from murtree._tree.tree import Tree


class OptimalTree(TreeMethodsMixin, CallbackMixin):
    """Fitting of all estimators, which document and store the parameters.

    It stands before scikit-learn's mixins, because it completes their tags.
    """

    objective: Any
    binarizer: Any
    callback: Callback | None
    time_limit: float | None
    tree_: Tree
    frontier_: Frontier
    pareto_front_: ParetoFront
    binarizer_: TableBinarizer
    coverage_: Coverage
    n_features_in_: int
    status_: str
    objective_: float
    lower_bound_: float

    def _check_parameters(self) -> Parameters:
        return check_parameters(self, is_regression=is_regressor(self))

    def _fit_or_restore(self, X: Any, y: Any, sample_weight: Any) -> Self:
        before = dict(self.__dict__)
        try:
            found = self._fit(X, y, sample_weight)
            if found.status != "optimal":
                warn_not_proven(found, self.time_limit)
        except BaseException:  # including Ctrl-C: restore the earlier fit
            self.__dict__.clear()
            self.__dict__.update(before)
            raise
        return self

    def _fit(self, X: Any, y: Any, sample_weight: Any) -> Found:
        """Set the fitted attributes, and report to scikit-learn's callbacks if any."""
        find = OptimalTree._find
        if self._has_callbacks:
            find = with_callbacks(find)
        return find(self, X, y, sample_weight)

    def _find(self, X: Any, y: Any, sample_weight: Any) -> Found:
        parameters = self._check_parameters()
        prepared = prepare(self, parameters, X, y, sample_weight)
        for name in ("frontier_", "pareto_front_", "binarizer_"):  # of an earlier fit
            self.__dict__.pop(name, None)
        self.coverage_ = prepared.coverage
        self._is_weighted = bool((np.asarray(prepared.weight) != 1).any())
        if prepared.binarizer is not None:
            self.binarizer_ = prepared.binarizer
        report = None
        if self._has_callbacks:
            report = FitReport(self, X, y, sample_weight)
        request = parameters.request.after(prepared.seconds)
        search = partial(find_tree, prepared, parameters, request, report)
        found: Found = until_end(self.callback, search, attrgetter("result"))
        attributes = fitted_attributes(found.result)
        self.__dict__.update(attributes)
        if found.frontier is not None:
            self.frontier_ = found.frontier
        if found.pareto_front is not None:
            self.pareto_front_ = found.pareto_front
        self._fitted_params = self.get_params(deep=False)  # the proof refers to these
        if report is not None:
            report.end(attributes)
        return found

    @property
    def _has_callbacks(self) -> bool:
        """Whether there are callbacks of scikit-learn 1.9."""
        return bool(getattr(self, "_skl_callbacks", None))

    def _codes(self, X: Any) -> npt.NDArray[Any]:
        """Return the codes of a table, on which the tests are evaluated."""
        check_is_fitted(self)
        assert self.tree_.columns is not None
        return encoded(self, X, self.tree_.columns, set(self.tree_.feature.tolist()))

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        any_table = self.binarizer is not None
        tags.input_tags.allow_nan = any_table
        tags.input_tags.sparse = any_table
        tags.input_tags.string = any_table
        tags.input_tags.categorical = any_table
        is_metric = callable(self.objective) or str(self.objective) in NAMES
        if tags.classifier_tags is not None and is_metric:
            tags.classifier_tags.multi_class = False
        return tags


def warn_not_proven(found: Found, time_limit: float | None) -> None:
    """Warn if the search ended before a proof."""
    others = ""
    if found.frontier is not None:
        others = " Not every tree of the frontier is proven."
    elif found.pareto_front is not None:
        others = " Not every point of the Pareto front is proven."
    cause, category = "An interrupt", NotProvenWarning
    if found.status == "time_limit":
        cause, category = f"The time limit of {time_limit} s", TimeLimitWarning
    result = found.result
    assert result.objective is not None
    warnings.warn(
        f"{cause} ended the search: the tree has an objective of "
        f"{number_text(result.objective)}; no tree within the limits has one below "
        f"{number_text(result.lower_bound)}.{others}",
        category,
        stacklevel=4,
    )
