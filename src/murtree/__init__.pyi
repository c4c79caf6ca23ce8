"""Public names and the modules that define them, read by `__init__.py`."""

from murtree import datasets
from murtree._estimators.classifier import OptimalTreeClassifier
from murtree._estimators.cv.estimators import (
    OptimalTreeClassifierCV,
    OptimalTreeRegressorCV,
)
from murtree._estimators.regressor import OptimalTreeRegressor
from murtree._export import (
    export_c,
    export_graphviz,
    export_onnx,
    export_python,
    export_sql,
    export_text,
)
from murtree._model.from_estimator import Size
from murtree._model.model import Model
from murtree._model.proof import Proof
from murtree._plot import plot_frontier, plot_pareto_front, plot_tree
from murtree._progress.bar import ProgressBar
from murtree._solver.frontier import Frontier
from murtree._solver.metrics.metric_solver import MetricSolver
from murtree._solver.pareto import ParetoFront, ParetoPoint
from murtree._solver.result import Progress, Result
from murtree._solver.solver import Solver
from murtree._solver.warnings import NotProvenWarning, TimeLimitWarning
from murtree._table.binarizer import TableBinarizer
from murtree._table.columns import Column
from murtree._table.coverage import Candidates, Coverage
from murtree._table.predicates import Predicate
from murtree._tree.tree import Tree
from murtree._version import __version__ as __version__

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
