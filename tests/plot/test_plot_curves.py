"""Plots of frontiers and Pareto fronts match their data."""

from dataclasses import replace

import matplotlib
import numpy as np
import pytest
from sklearn.datasets import load_diabetes, load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from murtree import (
    Frontier,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    ParetoFront,
    plot_frontier,
    plot_pareto_front,
)

matplotlib.use("Agg")
import matplotlib.pyplot as plt

# --- frontiers ------------------------------------------------------------------------


@pytest.fixture(scope="module")
def iris_frontier():
    X, y = load_iris(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=2, frontier=True, binarizer="quantile")
    return clf.fit(X[::2], y[::2])


def curves(ax):
    """Return the drawn steps as lists of heights."""
    return [
        line.get_ydata().tolist() for line in ax.lines if line.get_linestyle() != "None"
    ]


def test_frontier_descends_with_the_nodes(iris_frontier):
    frontier = iris_frontier.frontier_
    for given_one in (frontier, iris_frontier):
        ax = plot_frontier(given_one)
        assert curves(ax) == [frontier.misclassified.tolist()]
        assert ax.get_ylabel() == "misclassified weight"
        assert ax.get_legend() is None


def test_a_frontier_on_other_rows(iris_frontier):
    X, y = load_iris(return_X_y=True)
    X, y = X[1::2], y[1::2]
    ax = plot_frontier(iris_frontier, X=X, y=y)
    training, validation = curves(ax)
    frontier = iris_frontier.frontier_
    np.testing.assert_allclose(training, frontier.misclassified / 75)
    wrong = [np.mean(result.tree.predict(X) != y) for result in frontier]
    np.testing.assert_allclose(validation, wrong)
    weight = np.where(y == 0, 3.0, 0.0)
    ax = plot_frontier(frontier, X=X, y=y, sample_weight=weight)
    wrong = [np.mean((result.tree.predict(X) != y)[y == 0]) for result in frontier]
    np.testing.assert_allclose(curves(ax)[1], wrong)
    names = [text.get_text() for text in ax.get_legend().get_texts()]
    assert names == ["training", "validation"]


def test_rows_go_through_the_pipeline_of_a_frontier(iris_frontier):
    X, y = load_iris(return_X_y=True)
    turned = make_pipeline(FunctionTransformer(lambda X: X[:, ::-1]), iris_frontier)
    expected = curves(plot_frontier(iris_frontier, X=X, y=y))
    assert curves(plot_frontier(turned, X=X[:, ::-1], y=y)) == expected
    alone = make_pipeline(iris_frontier)
    assert curves(plot_frontier(alone, X=X, y=y)) == expected


@pytest.mark.parametrize("objective", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("feature_costs", [None, [5.0] * 10])
def test_a_frontier_of_regression(objective, feature_costs):
    X, y = load_diabetes(return_X_y=True)
    X, y = X[:60], np.round(y[:60], -1)
    reg = OptimalTreeRegressor(
        max_depth=2,
        frontier=True,
        objective=objective,
        binarizer="quantile",
        feature_costs=feature_costs,
    ).fit(X, y)
    assert curves(plot_frontier(reg)) == [reg.frontier_.objectives.tolist()]
    ax = plot_frontier(reg, X=X, y=y)
    training, validation = curves(ax)  # on the same rows
    np.testing.assert_allclose(training, validation, rtol=1e-6)
    assert ax.get_ylabel() == f"mean {objective.replace('_', ' ')}"
    with pytest.raises(ValueError, match="must be the fitted estimator where X and y"):
        plot_frontier(reg.frontier_, X=X, y=y)


def test_a_frontier_of_another_objective():
    X, y = load_iris(return_X_y=True)
    clf = OptimalTreeClassifier(
        max_depth=1, frontier=True, objective="balanced_accuracy"
    )
    clf.fit(X, y)
    ax = plot_frontier(clf)
    assert ax.get_ylabel() == "objective"
    assert curves(ax) == [clf.frontier_.objectives.tolist()]
    ax = plot_frontier(clf, X=X, y=y)
    np.testing.assert_allclose(*curves(ax))


def test_unproven_trees_have_open_markers(iris_frontier):
    results = list(iris_frontier.frontier_)
    results[2] = replace(results[2], status="time_limit", lower_bound=1)
    ax = plot_frontier(Frontier(results, 75))
    open_ones = [
        line.get_xydata().tolist()
        for line in ax.lines
        if line.get_markerfacecolor() == "white" and len(line.get_xdata())
    ]
    assert open_ones == [[[2, results[2].objective]]]
    (bounds,) = ax.collections
    assert bounds.get_segments()[0].tolist() == [[2, 1], [2, results[2].objective]]
    assert ax.get_legend().get_texts()[-1].get_text() == "not proven optimal"


# --- Pareto fronts --------------------------------------------------------------------


@pytest.fixture(scope="module")
def two_classes():
    rng = np.random.default_rng(0)
    X = rng.random((60, 5)) < 0.5
    y = np.where((X[:, 0] & X[:, 1]) ^ (rng.random(60) < 0.2), "sick", "healthy")
    return OptimalTreeClassifier(
        max_depth=2, objective="f1", pareto_front=True, binarizer=None
    ).fit(X, y)


def stars(ax):
    return [line for line in ax.lines if line.get_marker() == "*"]


def test_a_pareto_front_with_the_chosen_point(two_classes):
    front = two_classes.pareto_front_
    ax = plot_pareto_front(two_classes)
    drawn = ax.lines[0].get_xydata().tolist()
    assert drawn == [[point.fp, point.fn] for point in front]
    (star,) = stars(ax)
    (fp, fn) = star.get_xydata()[0]
    (chosen,) = [point for point in front if point.tree is two_classes.tree_]
    assert (fp, fn) == (chosen.fp, chosen.fn)
    assert star.get_label() == "best f1"
    assert ax.get_xlabel() == "false positives (healthy taken for sick)"
    assert ax.get_ylabel() == "false negatives (sick taken for healthy)"


def test_a_pareto_front_with_the_best_for_a_metric(two_classes):
    front = two_classes.pareto_front_
    assert not stars(plot_pareto_front(front))

    def few_alarms(tn, fp, fn, tp):
        return -1000 * fp - fn

    (star,) = stars(plot_pareto_front(front, objective=few_alarms))
    assert star.get_xydata().tolist() == [[front[0].fp, front[0].fn]]
    assert star.get_label() == "best few_alarms"
    (star,) = stars(plot_pareto_front(two_classes, objective="fbeta", beta=100))
    assert star.get_xydata().tolist() == [[front[-1].fp, front[-1].fn]]
    (star,) = stars(plot_pareto_front(front, objective=lambda tn, fp, fn, tp: -fp - fn))
    assert star.get_label() == "best score"


def test_incomplete_front_has_open_markers(two_classes):
    front = two_classes.pareto_front_
    early = ParetoFront(list(front), front.negatives, front.positives, "time_limit")
    ax = plot_pareto_front(early)
    faces = {line.get_markerfacecolor() for line in ax.lines if len(line.get_xdata())}
    assert "white" in faces
    assert ax.get_legend().get_texts()[0].get_text() == "not proven best"
    assert plot_pareto_front(front).get_legend() is None


# --- bad input ------------------------------------------------------------------------


def test_bad_input_of_curves(iris_frontier, two_classes):
    X, y = load_iris(return_X_y=True)
    with pytest.raises(TypeError, match="must be a Frontier, or an estimator that was"):
        plot_frontier(two_classes)
    with pytest.raises(TypeError, match="must be a ParetoFront, or an estimator that"):
        plot_pareto_front(iris_frontier)
    with pytest.raises(NotFittedError):
        plot_frontier(OptimalTreeClassifier(frontier=True))
    for wrong in ({"X": X}, {"y": y}, {"sample_weight": y}):
        with pytest.raises(ValueError, match="X and y must be given to plot_frontier"):
            plot_frontier(iris_frontier, **wrong)
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        plot_frontier(iris_frontier, X=X, y=y[1:])
    with pytest.raises(ValueError, match="features"):
        plot_frontier(iris_frontier, X=X[:, :2], y=y)
    for plot, thing in (
        (plot_frontier, iris_frontier),
        (plot_pareto_front, two_classes),
    ):
        with pytest.raises(TypeError, match=f"'ax' parameter of {plot.__name__}"):
            plot(thing, ax=1)
    with pytest.raises(ValueError, match="objective"):
        plot_pareto_front(two_classes, objective="accuracy")
    assert not plt.get_fignums()
