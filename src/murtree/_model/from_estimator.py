"""Convert fitted estimators to the fields of a model."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._model.losses import Floats
from murtree._model.proof import Proof
from murtree._model.tuning import TunedSize, Tuning
from murtree._solver.metrics.metrics import ONE_SIDED, positive_code
from murtree._solver.objectives.impurity import ERRORS_FIRST
from murtree._solver.objectives.read import check_feature_costs
from murtree._table.predicate_text import category_text
from murtree._tree.smoothing import squared_shrinkage
from murtree._tree.tree import Tree

_PLAIN = (str, int, float, bool, type(None))
_NOT_SAVED = ("callback", "on_interrupt", "solver_options", "frontier", "pareto_front")


@dataclass(frozen=True)
class Size:
    """A tree of a model, for one limit on the number of nodes.

    Parameters
    ----------
    tree : Tree
        The best tree found.
    proof : Proof or None
        The proof for this size.
    train_error : float or None
        The mean error on the training rows: the misclassified share, or in regression
        the mean squared or absolute error; None if it is not known. If the tree was
        fitted to the predictions of a forest, these replace the observed targets.
    validation_error : float or None, default=None
        The mean error on validation rows.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import Model, OptimalTreeClassifier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X, y)
    >>> for size in Model.of(clf).sizes:
    ...     print(size.tree.n_nodes, round(size.train_error, 3), size.proof.status)
    0 0.667 optimal
    1 0.333 optimal
    2 0.04 optimal
    2 0.04 optimal
    """

    tree: Tree
    proof: Proof | None
    train_error: float | None
    validation_error: float | None = None


def proof_of(fitted: Any) -> Proof:
    """Return the proof of the tree of a fitted estimator."""
    settings, tree = settings_of(fitted), fitted.tree_
    return Proof(
        fitted.status_,
        fitted.objective_,
        fitted.lower_bound_,
        measure_of(settings, tree.classes),
        tree.node_weight[0].item(),
        limits_of(settings),
        fitted.search_stats_.get("seconds"),
        settings["time_limit"],
        getattr(fitted, "_is_weighted", False),
        fitted.coverage_,
        settings["teacher"],
    )


def sizes_of(fitted: Any, proof: Proof) -> tuple[tuple[Size, ...], int]:
    """Return the trees of all sizes searched, and the index of the chosen one."""
    tree, frontier = fitted.tree_, getattr(fitted, "frontier_", None)
    if frontier is None:
        return (Size(tree, proof, _train_error(fitted, tree)),), 0
    trees = [result.tree for result in frontier]
    chosen = next(k for k, each in enumerate(trees) if each is tree)
    settings = settings_of(fitted) | {"cost_complexity": 0.0}
    costs = settings["feature_costs"]
    errors = training_losses(trees, frontier.objectives, costs)
    plain = replace(
        proof,
        measure=measure_of(settings, tree.classes),
        seconds=None,  # there was one search for all sizes
    )
    limits = limits_of(settings | {"max_num_nodes": None})
    sizes = []
    for nodes, (result, error) in enumerate(zip(frontier, errors, strict=True)):
        proven = replace(
            plain,
            status=result.status,
            objective=result.objective,
            lower_bound=result.lower_bound,
            limits=(*limits, nodes_limit(nodes)),
        )
        sizes.append(Size(result.tree, proven, float(error)))
    return tuple(sizes), chosen


def _train_error(fitted: Any, tree: Tree) -> float | None:
    """Return the mean error on the training rows; None if it is not known."""
    settings = settings_of(fitted)
    if tree.classes is None and settings["cost_complexity"]:
        return None  # the unit of the penalty is not known here
    costs = settings["feature_costs"]
    return float(training_losses([tree], fitted.objective_, costs)[0])


def training_losses(
    trees: Sequence[Tree], objectives: Any, feature_costs: Any = None
) -> Floats:
    """Return the mean loss of each tree on its training rows.

    `objectives` exclude penalties of nodes; classification trees do not need them.
    """
    total = float(trees[0].node_weight[0])
    if trees[0].classes is not None:
        return np.array([tree.misclassified for tree in trees]) / total
    prices = prices_of_tests(trees, feature_costs)
    added = np.array([squared_shrinkage(tree) for tree in trees])
    return np.asarray((np.asarray(objectives) - prices) / total + added)


def prices_of_tests(trees: Sequence[Tree], feature_costs: Any) -> Floats:
    """Return the cost of the tests of each tree, the part that is not an error."""
    if feature_costs is None:
        return np.zeros(len(trees))
    names = [column.name for column in trees[0].known_columns]
    by_column = check_feature_costs(feature_costs, len(names), "the estimator", names)
    if by_column is None:
        return np.zeros(len(trees))
    return np.array(
        [by_column[tree.feature[tree.feature >= 0]].sum() for tree in trees]
    )


def settings_of(fitted: Any) -> dict[str, Any]:
    """Return the parameters used by fit, which may have been changed since."""
    settings: dict[str, Any] = fitted.get_params(deep=False)
    # Missing if scikit-learn's callbacks use an estimator during a fit.
    return settings | getattr(fitted, "_fitted_params", {})


def plain_settings(fitted: Any) -> dict[str, Any]:
    """Return the parameters that differ from their defaults, as JSON values."""
    defaults = type(fitted)().get_params(deep=False)
    given = settings_of(fitted)
    return {
        name: _plain(value)
        for name, value in given.items()
        if name not in _NOT_SAVED and not _is(value, defaults[name])
    }


def _is(value: Any, default: Any) -> bool:
    return value is default or (type(value) in _PLAIN and value == default)


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    is_endless = isinstance(value, float) and not math.isfinite(value)
    if type(value) in _PLAIN and not is_endless:
        return value
    return " ".join(repr(value).split())


def loss_of(tree: Tree, settings: dict[str, Any]) -> str:
    """Return the name of the loss for these parameters."""
    if tree.classes is not None:
        return "misclassified"
    return str(settings.get("objective", "squared_error"))


def tuning_of(given: Any) -> Tuning | None:
    """Return the sizes that a fitted CV estimator compared; None for others."""
    search = given.steps[-1][1] if hasattr(given, "steps") else given
    if not hasattr(search, "search_seconds_"):
        return None
    found = search.cv_results_
    scores = (
        found[f"{name}_score"] for name in ("mean_test", "std_test", "mean_train")
    )
    sizes = [
        TunedSize(
            params["max_depth"],
            params.get("max_num_nodes"),
            params.get("cost_complexity"),
            float(mean),
            float(spread),
            float(train),
            params.get("teacher"),
        )
        for params, mean, spread, train in zip(found["params"], *scores, strict=True)
    ]
    smoothed: list[float | None] = [None] * len(sizes)
    if getattr(search, "_decided_by", "") == "smoothed":
        smoothed = found["mean_smoothed_score"].tolist()
    sizes = [
        size if score is None else size._replace(smoothed_score=score)
        for size, score in zip(sizes, smoothed, strict=True)
    ]
    has_families = "param_teacher" in found
    best = int(search.best_index_)
    return Tuning(_name_of(search), search.n_splits_, tuple(sizes), best, has_families)


def _name_of(search: Any) -> str:
    scoring = search.scoring
    if scoring is None:
        return "r2" if search.tree_.classes is None else "accuracy"
    if isinstance(scoring, str):
        return scoring
    function = getattr(scoring, "_score_func", scoring)  # scorers of scikit-learn
    return str(getattr(function, "__name__", "score"))


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
        ERRORS_FIRST: "misclassified",
        "gini": "Gini impurity",
        "log_loss": "log loss",
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
