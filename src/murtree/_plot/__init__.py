"""Plots of trees, frontiers and Pareto fronts with matplotlib.

Matplotlib is an optional dependency and slow to import, so it is imported by the first
plot. The other modules of this package import it at the top.
"""

from collections.abc import Callable, Sequence
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from murtree._input.parameters import check_choice

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plot_tree(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    class_names: Sequence[str] | None = None,
    orientation: str = "auto",
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw a tree with matplotlib.

    A branching node shows its test, its training weight and a bar with the share of
    each class; rows for which the test holds go left, to "yes" (with leaves on the
    right: up). A leaf shows its class and the misclassified part of its weight; its
    colour is that of the class, more saturated the purer it is. In regression a leaf
    shows its value, with a colour scale over all values. The width of an edge is
    proportional to its training weight.

    Parameters
    ----------
    decision_tree : estimator, Tree or Result
        A fitted estimator, possibly the last step of a pipeline, a tree, or a result or
        point of a front with a tree.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of the data frame the estimator was
        fitted on, those from the steps of a pipeline, or x0, x1 and so on.
    class_names : sequence of str, default=None
        The names of the classes in their sorted order; by default the labels.
    orientation : {"auto", "down", "right"}, default="auto"
        Direction of the leaves. "auto" is "down" if that fits on a page (7 by 7.5
        inches) or on `ax`, else the direction that can be drawn larger.
    ax : matplotlib Axes, default=None
        Axes to draw on; None clears and uses the current axes, as in scikit-learn.
        Without a current figure a new one is created, as large as the tree needs.

    Returns
    -------
    ax : matplotlib Axes
        The axes that were drawn on. Texts are scaled with them, so that they fit.

    Notes
    -----
    Names of more than 44 characters are shortened in the middle, as far as they stay
    distinct; tests of more than six categories list five. Classes that no leaf predicts
    are grey in the bars. Colours of up to ten classes are safe for the colour-blind.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws without a window
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, plot_tree
    >>> iris = load_iris(as_frame=True)
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> ax = plot_tree(clf, class_names=iris.target_names)
    >>> [text.get_text() for text in ax.texts][:4]
    ['yes', 'no', 'petal length (cm) <= 2.4', 'n = 150']
    >>> ax.figure.savefig("tree.pdf")  # doctest: +SKIP
    """
    _need_matplotlib("plot_tree")
    from murtree._plot.tree import draw_tree  # noqa: PLC0415
    from murtree._tree.resolve import shown_tree_of  # noqa: PLC0415

    tree = shown_tree_of(decision_tree, "plot_tree", feature_names)
    check_choice(orientation, "orientation", "plot_tree", ("auto", "down", "right"))
    return draw_tree(tree, class_names, orientation, ax)


def plot_frontier(
    frontier: Any,
    *,
    X: Any = None,
    y: Any = None,
    sample_weight: Any = None,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the error against the number of nodes, also on other data if given.

    Filled markers are trees that are proven optimal. Open markers are not; a thin line
    connects them to the lower bound of their size.

    Parameters
    ----------
    frontier : Frontier or estimator
        A frontier, or an estimator fitted with ``frontier=True``.
    X : array-like of shape (n_samples, n_features), default=None
        Rows not used in training, as for `predict`.
    y : array-like of shape (n_samples,), default=None
        Labels or targets of these rows. With `X` and `y` both curves are errors per
        unit of weight: the misclassified share or, in regression, the mean error.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of these rows.
    ax : matplotlib Axes, default=None
        Axes to draw on; None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws without a window
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, plot_frontier
    >>> X, y = load_iris(return_X_y=True)
    >>> clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X[::2], y[::2])
    >>> ax = plot_frontier(clf, X=X[1::2], y=y[1::2])
    >>> ax.get_xlabel(), ax.get_ylabel()
    ('nodes, at most', 'misclassified share')
    """
    _need_matplotlib("plot_frontier")
    from murtree._plot.curves import draw_frontier  # noqa: PLC0415

    return draw_frontier(frontier, X, y, sample_weight, ax)


def plot_pareto_front(
    front: Any,
    *,
    objective: str | Callable[[int, int, int, int], float] | None = None,
    beta: float = 1.0,
    ax: "Axes | None" = None,
) -> "Axes":
    """Draw the optimal trade-offs between false positives and false negatives.

    No tree within the limits is below the steps. Open markers mean that the search
    ended early, so that better trade-offs may exist.

    Parameters
    ----------
    front : ParetoFront or estimator
        A front, or a classifier fitted with ``pareto_front=True``.
    objective : str or callable, default=None
        Mark the best point for this metric, as in `ParetoFront.best`. None marks the
        point chosen by an estimator, and no point of a `ParetoFront`.
    beta : float, default=1.0
        The weight of recall against precision in "fbeta".
    ax : matplotlib Axes, default=None
        Axes to draw on; None creates a figure.

    Returns
    -------
    ax : matplotlib Axes
        The axes that were drawn on.

    Examples
    --------
    >>> import matplotlib
    >>> matplotlib.use("Agg")  # draws without a window
    >>> from murtree import MetricSolver, plot_pareto_front
    >>> X = [[0, 0], [0, 0], [0, 1], [1, 0], [1, 1]]
    >>> front = MetricSolver(X, [0, 1, 1, 1, 0]).pareto_front(max_depth=2)
    >>> ax = plot_pareto_front(front, objective="f1")
    >>> ax.get_xlabel()
    'false positives (0 taken for 1)'
    """
    _need_matplotlib("plot_pareto_front")
    from murtree._plot.curves import draw_pareto_front  # noqa: PLC0415

    return draw_pareto_front(front, objective, beta, ax)


def _need_matplotlib(owner: str) -> None:
    if find_spec("matplotlib") is None:
        raise ImportError(f"{owner} needs matplotlib: install it (the extra 'plot')")
