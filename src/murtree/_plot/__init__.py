"""Pictures of trees, frontiers and Pareto fronts, drawn with matplotlib.

Matplotlib is an extra, and slow to import: it is asked for only when a plot is. What
draws is in the other modules named after plots, which import it as any other package.
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

    A branching node asks its test; rows for which it holds go left, to "yes" (with
    leaves on the right, up). It tells its training weight, and a bar the share of each
    class in it. A leaf tells its class, how much of its weight it gets wrong, and has
    the colour of its class, the stronger the purer it is. In regression a leaf tells
    its value and has a colour on a scale of all values. Edges are as wide as the
    training weight that takes them.

    Parameters
    ----------
    decision_tree : estimator, Tree or Result
        A fitted estimator, also as the last step of a pipeline, a tree, or a result or
        point of a front that has one.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of the data frame the estimator was
        fitted on, those that the steps of a pipeline give, or x0, x1 and so on.
    class_names : sequence of str, default=None
        The names of the classes in their sorted order; by default the labels.
    orientation : {"auto", "down", "right"}, default="auto"
        Where the leaves are. "auto" is "down" where that fits on a page (7 by 7.5
        inches) or on `ax`, else what can be drawn larger there.
    ax : matplotlib Axes, default=None
        Where to draw; None clears and takes the current axes, as scikit-learn does.
        Without a current figure a new one is as large as the tree needs.

    Returns
    -------
    ax : matplotlib Axes
        What was drawn on. Texts grow and shrink with it, so that they always fit.

    Notes
    -----
    Names of more than 44 letters are shortened in the middle, as far as they stay
    distinct; tests of more than six categories name five. A class that no leaf predicts
    is grey in the bars. Colours of up to ten classes are safe for the colour-blind.

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
    """Draw how the error falls with the number of nodes, and on other data if given.

    Filled markers are trees that are proven optimal; open ones are not, and a thin line
    leads to what no tree of this size can better.

    Parameters
    ----------
    frontier : Frontier or estimator
        A frontier, or an estimator fitted with ``frontier=True``.
    X : array-like of shape (n_samples, n_features), default=None
        Rows that training did not see, in the units of the user, as for `predict`.
    y : array-like of shape (n_samples,), default=None
        Their labels or targets. With `X` and `y` both curves are errors per unit of
        weight: the misclassified share or, in regression, the mean error.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights of these rows.
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        What was drawn on.

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
    """Draw the best trades between false positives and false negatives.

    No tree within the limits is below the steps. Open markers say that the search ended
    early, so that better trades may exist.

    Parameters
    ----------
    front : ParetoFront or estimator
        A front, or a classifier fitted with ``pareto_front=True``.
    objective : str or callable, default=None
        Mark the best point for this metric, as `ParetoFront.best` finds it. None marks
        the point that the estimator chose, and none of a front alone.
    beta : float, default=1.0
        The weight of recall against precision in "fbeta".
    ax : matplotlib Axes, default=None
        Where to draw; None makes a figure.

    Returns
    -------
    ax : matplotlib Axes
        What was drawn on.

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
