"""Provably optimal decision trees.

`OptimalTreeClassifier` and `OptimalTreeRegressor` are scikit-learn estimators for any
numeric table; `Solver` answers questions about 0/1 data. They implement MurTree
(Demirović et al., JMLR 23, 2022).
"""

from murtree import datasets
from murtree._binarize import Binarizer
from murtree._classifier import OptimalTreeClassifier
from murtree._columns import Column
from murtree._errors import NotProvenWarning, TimeLimitWarning
from murtree._estimate import CostEstimate, estimate_cost
from murtree._export import (
    export_c,
    export_graphviz,
    export_onnx,
    export_python,
    export_sql,
    export_text,
)
from murtree._frontier import Frontier
from murtree._metric_solve import MetricSolver
from murtree._model import Model, Size
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

__version__ = "0.1.0"

__all__ = [
    "Binarizer",
    "Column",
    "CostEstimate",
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
    "TimeLimitWarning",
    "Tree",
    "datasets",
    "estimate_cost",
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
