"""Provably optimal decision trees.

`OptimalTreeClassifier` and `OptimalTreeRegressor` are scikit-learn estimators for any
table; `Solver` answers questions about 0/1 data. They implement MurTree (Demirović et
al., JMLR 23, 2022).

Names are imported when they are first asked for: scikit-learn takes a second or more to
import, which the command line must not spend on its help.
"""

import importlib
import threading
from typing import TYPE_CHECKING, Any

from murtree._version import __version__ as __version__

if TYPE_CHECKING:
    from murtree import datasets
    from murtree._binarize import TableBinarizer
    from murtree._candidates import Candidates
    from murtree._classifier import OptimalTreeClassifier
    from murtree._columns import Column
    from murtree._coverage import Coverage
    from murtree._export import (
        export_c,
        export_graphviz,
        export_onnx,
        export_python,
        export_sql,
        export_text,
    )
    from murtree._fitted import Size
    from murtree._frontier import Frontier
    from murtree._metric_solve import MetricSolver
    from murtree._model import Model
    from murtree._pareto import ParetoFront, ParetoPoint
    from murtree._plot import plot_frontier, plot_pareto_front, plot_tree
    from murtree._predicates import Predicate
    from murtree._progress_bar import ProgressBar
    from murtree._proof import Proof
    from murtree._regressor import OptimalTreeRegressor
    from murtree._result import Progress, Result
    from murtree._solve import Solver
    from murtree._tree import Tree
    from murtree._tuning import OptimalTreeClassifierCV, OptimalTreeRegressorCV
    from murtree._warnings import NotProvenWarning, TimeLimitWarning

__all__ = [
    "Candidates",
    "Column",
    "Coverage",
    "Frontier",
    "MetricSolver",
    "Model",
    "NotProvenWarning",
    "OptimalTreeClassifier",
    "OptimalTreeClassifierCV",
    "OptimalTreeRegressor",
    "OptimalTreeRegressorCV",
    "ParetoFront",
    "ParetoPoint",
    "Predicate",
    "Progress",
    "ProgressBar",
    "Proof",
    "Result",
    "Size",
    "Solver",
    "TableBinarizer",
    "TimeLimitWarning",
    "Tree",
    "datasets",
    "export_c",
    "export_graphviz",
    "export_onnx",
    "export_python",
    "export_sql",
    "export_text",
    "plot_frontier",
    "plot_pareto_front",
    "plot_tree",
]

_HOMES = {
    "TableBinarizer": "_binarize",
    "Candidates": "_candidates",
    "Column": "_columns",
    "Coverage": "_coverage",
    "Frontier": "_frontier",
    "MetricSolver": "_metric_solve",
    "Model": "_model",
    "NotProvenWarning": "_warnings",
    "OptimalTreeClassifier": "_classifier",
    "OptimalTreeClassifierCV": "_tuning",
    "OptimalTreeRegressor": "_regressor",
    "OptimalTreeRegressorCV": "_tuning",
    "ParetoFront": "_pareto",
    "ParetoPoint": "_pareto",
    "Predicate": "_predicates",
    "Progress": "_result",
    "ProgressBar": "_progress_bar",
    "Proof": "_proof",
    "Result": "_result",
    "Size": "_fitted",
    "Solver": "_solve",
    "TimeLimitWarning": "_warnings",
    "Tree": "_tree",
    "export_c": "_export",
    "export_graphviz": "_export",
    "export_onnx": "_export",
    "export_python": "_export",
    "export_sql": "_export",
    "export_text": "_export",
    "plot_frontier": "_plot",
    "plot_pareto_front": "_plot",
    "plot_tree": "_plot",
}

_importing = threading.RLock()

if not TYPE_CHECKING:  # which would then believe in names that are not there

    def __getattr__(name: str) -> Any:
        """Import a public name, and keep it."""
        if name not in __all__:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        # One at a time: threads that import scikit-learn from several ends at once
        # find it half there.
        with _importing:
            if name in _HOMES:
                home = importlib.import_module(f"murtree.{_HOMES[name]}")
                globals()[name] = getattr(home, name)
            else:  # a module
                globals()[name] = importlib.import_module(f"murtree.{name}")
        return globals()[name]

    def __dir__() -> list[str]:
        """List the public names, imported or not."""
        return sorted({*globals(), *__all__})
