"""Plots of frontiers and Pareto fronts."""

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from murtree._model.from_estimator import loss_of, settings_of, training_losses
from murtree._model.losses import NAMES, mean_losses
from murtree._plot.axes import DARK, FIRST, SECOND, check_axes, new_axes
from murtree._plot.text import WORD_LIMIT, short_names
from murtree._solver.frontier import Frontier
from murtree._solver.pareto import ParetoFront
from murtree._tree.tree import Tree

Floats = npt.NDArray[np.float64]
MARKERS = 60  # with more of them in a row markers are small

MOST_MARKS = 100  # points of a front that are distinguishable


class _Curve(NamedTuple):
    """The errors of a frontier for each number of nodes, and their name."""

    errors: Floats
    bounds: Floats | None  # None if they are not comparable with the errors
    others: Floats | None  # on rows not used in training
    name: str


def draw_frontier(
    frontier: Any, X: Any, y: Any, sample_weight: Any, ax: Axes | None
) -> Axes:
    """Draw the errors for each number of nodes, in training and on other rows."""
    owner = "plot_frontier"
    check_axes(ax, owner)
    found, estimator = _part(frontier, "frontier", Frontier, owner)
    if isinstance(frontier, Pipeline) and X is not None and len(frontier) > 1:
        X = frontier[:-1].transform(X)  # the input of the last step
    curve = _curve(found, estimator, X, y, sample_weight)
    ax = new_axes() if ax is None else ax
    nodes = np.arange(len(found))
    proven = np.array([result.status == "optimal" for result in found])
    name = "training" if curve.others is not None else None
    ax.step(nodes, curve.errors, where="post", color=FIRST, label=name)
    _mark(ax, nodes, curve.errors, proven, ("o", FIRST))
    if curve.bounds is not None and not proven.all():
        open_ones = nodes[~proven]
        bounds, errors = curve.bounds[~proven], curve.errors[~proven]
        ax.vlines(open_ones, bounds, errors, color=FIRST, linewidth=0.8)
    if curve.others is not None:
        (line,) = ax.step(nodes, curve.others, where="post", label="validation")
        line.set(color=SECOND, linestyle="--")
        _mark(ax, nodes, curve.others, np.ones_like(proven), ("s", SECOND))
    ax.set(xlabel="nodes, at most", ylabel=curve.name)
    ax.set_ylim(bottom=0)
    ax.xaxis.set_major_locator(MaxNLocator(integer=True))
    _explain(ax, not proven.all(), "not proven optimal", curve.others is not None)
    return ax


def draw_pareto_front(
    front: Any,
    objective: str | Callable[[int, int, int, int], float] | None,
    beta: float,
    ax: Axes | None,
) -> Axes:
    """Draw false negatives against false positives, with the best point."""
    owner = "plot_pareto_front"
    check_axes(ax, owner)
    found, estimator = _part(front, "pareto_front", ParetoFront, owner)
    chosen: Tree | None = None if estimator is None else estimator.tree_
    if objective is not None:
        chosen = found.best(objective, beta=beta).tree
    ax = new_axes() if ax is None else ax
    is_proven = np.full(len(found), found.status == "optimal")
    ax.step(found.fp, found.fn, where="post", color=FIRST)
    if len(found) <= MOST_MARKS or not is_proven.all():
        _mark(ax, found.fp, found.fn, is_proven, ("o", FIRST))
    classes = _classes(found[0].tree).tolist()
    code = classes.index(found.pos_label)
    if chosen is not None:
        name = _name_of(objective or getattr(estimator, "objective", None))
        ax.plot(*_errors_of(chosen, code), "*", color=SECOND, markersize=15, label=name)
    names = short_names(classes, WORD_LIMIT)
    negative, positive = names[1 - code], names[code]
    ax.set(
        xlabel=f"false positives ({negative} taken for {positive})",
        ylabel=f"false negatives ({positive} taken for {negative})",
    )
    ax.margins(0.06)
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_major_locator(MaxNLocator(integer=True))
    _explain(ax, not is_proven.all(), "not proven best", chosen is not None)
    return ax


def _part(given: Any, name: str, kind: type, owner: str) -> tuple[Any, Any]:
    """Return a frontier or front, and the estimator it belongs to, if given."""
    estimator = given[-1] if isinstance(given, Pipeline) else given
    if isinstance(given, kind):
        return given, None
    if hasattr(estimator, "get_params"):
        check_is_fitted(estimator)
        found = getattr(estimator, f"{name}_", None)
        if isinstance(found, kind):
            return found, estimator
    parameter = "front" if name == "pareto_front" else name
    raise TypeError(
        f"The {parameter!r} parameter of {owner} must be a {kind.__name__}, or an "
        f"estimator that was fitted with {name}=True. Got {given!r} instead."
    )


def _mark(
    ax: Axes,
    x: npt.NDArray[Any],
    y: npt.NDArray[Any],
    proven: npt.NDArray[np.bool_],
    style: tuple[str, str],
) -> None:
    """Draw markers of a shape and colour; open ones are not proven."""
    shape, colour = style
    size = 5.0 if x.size <= MARKERS else 2.5
    for chosen, face in ((proven, colour), (~proven, "white")):
        points = ax.plot(x[chosen], y[chosen], shape, color=colour)
        points[0].set(markerfacecolor=face, markersize=size, clip_on=False)


def _explain(ax: Axes, is_open: bool, what: str, has_names: bool) -> None:
    """Add a legend if it has entries."""
    if is_open:
        ax.plot([], [], "o", color=DARK, markerfacecolor="white", label=what)
    if is_open or has_names:
        ax.legend(frameon=False)


# --- frontiers ------------------------------------------------------------------------


def _curve(
    frontier: Frontier, estimator: Any, X: Any, y: Any, sample_weight: Any
) -> _Curve:
    if (X is None) != (y is None) or (X is None and sample_weight is not None):
        raise ValueError(
            "X and y must be given to plot_frontier together, and sample_weight only "
            "with them."
        )
    counts = frontier[0].counts_errors
    if X is None:
        name = "misclassified weight" if counts else "objective"
        return _Curve(frontier.objectives, frontier.lower_bounds, None, name)
    trees = [result.tree for result in frontier if result.tree is not None]
    loss = _loss(trees[0], estimator)
    others = mean_losses(trees, X, y, sample_weight, loss)
    costs = getattr(estimator, "feature_costs", None)
    errors = training_losses(trees, frontier.objectives, costs)
    # A bound on the objective bounds the errors if there are no other costs.
    is_plain = counts if trees[0].classes is not None else costs is None
    bounds = frontier.lower_bounds / float(trees[0].node_weight[0])
    return _Curve(errors, bounds if is_plain else None, others, NAMES[loss])


def _loss(tree: Tree, estimator: Any) -> str:
    """Return the name of the loss."""
    if tree.classes is not None:
        return "misclassified"
    if estimator is None:
        raise ValueError(
            "In regression the 'frontier' parameter of plot_frontier must be the "
            "fitted estimator where X and y are given: a Frontier does not know "
            "whether its errors are squared."
        )
    return loss_of(tree, settings_of(estimator))


# --- Pareto fronts --------------------------------------------------------------------


def _classes(tree: Tree) -> npt.NDArray[Any]:
    assert tree.classes is not None  # trees of a front are classifiers
    return tree.classes


def _errors_of(tree: Tree, positive: int) -> tuple[float, float]:
    """Return the false positives and false negatives of a tree in training."""
    leaves, negative = tree.feature < 0, 1 - positive
    value, labels = tree.value[leaves], tree.labels[leaves]
    false_positives = value[labels == positive, negative].sum()
    return false_positives, value[labels == negative, positive].sum()


def _name_of(objective: Any) -> str:
    if isinstance(objective, str):
        return f"best {objective}"
    name = getattr(objective, "__name__", "score")
    return "best score" if name == "<lambda>" else f"best {name}"
