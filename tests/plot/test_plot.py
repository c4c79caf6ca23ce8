"""Plots of trees: the layout fits, and the texts match the trees."""

import itertools

import matplotlib
import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.patches import PathPatch, Rectangle
from oracle.tree_strategies import stump
from plot.drawn_trees import (
    LONG,
    boxes,
    check_room,
    is_within,
    random_tree,
    texts,
)
from sklearn.datasets import load_iris
from sklearn.exceptions import NotFittedError
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

import murtree
from murtree import (
    Column,
    MetricSolver,
    OptimalTreeClassifier,
    Predicate,
    Solver,
    plot_frontier,
    plot_pareto_front,
    plot_tree,
)
from murtree._plot.layout import Sizes, place_nodes
from murtree._plot.text import Ruler, short_names
from murtree._tree.colours import class_colours

matplotlib.use("Agg")
import matplotlib.pyplot as plt


@settings(max_examples=12, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    depth=st.integers(0, 5),
    n_classes=st.sampled_from([0, 1, 2, 7]),
    orientation=st.sampled_from(["auto", "down", "right"]),
)
@example(seed=1, depth=5, n_classes=7, orientation="right")
def test_nothing_overlaps(seed, depth, n_classes, orientation):
    tree = random_tree(seed, depth, n_classes)
    check_room(plot_tree(tree, orientation=orientation))
    plt.close("all")


def test_nothing_overlaps_with_32_leaves():
    ax = plot_tree(random_tree(0, 5, stop=0))
    assert len(boxes(ax)) == 63
    check_room(ax)
    assert max(ax.figure.get_size_inches()) < 15
    ax = plot_tree(random_tree(0, 5, stop=0), orientation="down")
    check_room(ax)


@settings(max_examples=8, deadline=None)
@given(
    seed=st.integers(0, 2**32),
    depth=st.integers(0, 4),
    size=st.tuples(st.floats(3, 12), st.floats(3, 12)),
)
def test_nothing_overlaps_on_given_axes(seed, depth, size):
    figure = Figure(figsize=size, dpi=150)
    FigureCanvasAgg(figure)
    ax = figure.subplots()
    assert plot_tree(random_tree(seed, depth), ax=ax) is ax
    check_room(ax)


def test_small_text_fits_despite_whole_pixels():
    figure = Figure(figsize=(6, 4), dpi=72)
    canvas = FigureCanvasAgg(figure)
    tree = random_tree(0, 4, 2, ("illicit illness",), stop=0)
    ax = plot_tree(tree, ax=figure.subplots())
    check_room(ax)
    unit = ax.transData.transform([1, 0])[0] - ax.transData.transform([0, 0])[0]
    for text in ax.texts:
        width = text.get_window_extent(canvas.get_renderer()).width
        assert width <= text._label.width * unit + 1


@settings(max_examples=100, deadline=None)
@given(st.integers(0, 2**32), st.integers(0, 6), st.booleans())
def test_nodes_of_any_size_do_not_overlap(seed, depth, is_stretched):
    tree = random_tree(seed, depth)
    rng = np.random.default_rng(seed)
    across, along, more = rng.uniform(1, 50, (3, tree.feature.size))
    reach = np.where(tree.feature < 0, along + 3 * more, along)
    layout = place_nodes(tree, Sizes(across, along, reach, 2.0, 5.0))
    assert (layout.across >= across / 2 - 1e-6).all()
    assert (layout.across + across / 2).max() <= layout.size_across + 1e-6
    assert (layout.along + reach).max() <= layout.size_along + 1e-6
    if is_stretched:
        wide, deep = layout.size_across + 300, layout.size_along + 200
        layout = layout.stretched(wide, deep)
        assert layout.size_across <= wide + 1e-6
        assert layout.size_along <= deep + 1e-6
    for a, b in itertools.combinations(range(tree.feature.size), 2):
        apart = abs(layout.across[a] - layout.across[b]) - (across[a] + across[b]) / 2
        first, second = sorted((a, b), key=lambda node: layout.along[node])
        after = layout.along[second] - layout.along[first] - reach[first]
        assert apart >= 2 - 1e-6 or after >= 2 - 1e-6


def test_plot_shows_the_tests_and_leaves():
    iris = load_iris()
    clf = OptimalTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    names = iris.feature_names
    ax = plot_tree(clf, feature_names=names, class_names=iris.target_names)
    assert texts(ax) == [
        "yes",
        "no",
        "petal length (cm) <= 2.4",
        "n = 150",
        "setosa",
        "0 of 50 wrong",
        "versicolor",
        "50 of 100 wrong",
    ]
    assert not ax.axison


def test_current_axes_are_the_default():
    tree = random_tree(3, 3)
    own = plot_tree(tree)  # there is no figure yet
    assert plt.get_fignums() == [own.figure.number]
    _, (first, second) = plt.subplots(1, 2, figsize=(12, 5))
    assert plot_tree(tree) is second
    n_texts = len(second.texts)
    assert plot_tree(tree) is second  # cleared, as scikit-learn does
    assert len(second.texts) == n_texts
    plt.sca(first)
    assert plot_tree(tree) is first
    check_room(second)


def test_wide_axes_are_used():
    tree = random_tree(3, 3, stop=0)
    for size in ((8, 4), (16, 8)):
        figure = plt.figure(figsize=size)
        ax = plot_tree(tree)
        figure.draw_without_rendering()
        frames = [box.get_window_extent() for box in boxes(ax)]
        wide = max(box.x1 for box in frames) - min(box.x0 for box in frames)
        assert wide > 0.7 * ax.get_window_extent().width


def test_plot_of_a_regression_tree_shows_values():
    tree = stump([[3.0], [1.5], [4.25]], classes=None, weight=np.array([9.0, 4.0, 5.0]))
    assert texts(plot_tree(tree)) == [
        *("yes", "no", "x0 = no", "n = 9"),
        *("1.5", "n = 4", "4.25", "n = 5"),
    ]


def test_real_weights_and_labels_of_costs():
    label = np.array([1, 1, 0], dtype=np.int32)
    tree = stump([[2.5, 1.25], [2.0, 0.75], [0.5, 0.5]], label=label)
    shown = texts(plot_tree(tree))
    assert shown[2:] == [
        *("x0 = no", "weight 3.75"),
        *("1", "2 of 2.75 wrong", "0", "0.5 of 1 wrong"),
    ]


def test_tests_of_categories_and_missing_values():
    categories = tuple(f"kind {k}" for k in range(9))
    column = Column("colour", "category", categories, has_missing=True)
    value = [[4, 4], [4, 0], [0, 4]]
    for members, words in (
        ((1,), "colour = kind 1 (missing: no)"),
        ((0, 2), "colour in {kind 0, kind 2} (missing: no)"),
        (
            range(7),
            "colour in {kind 0, kind 1, kind 2, kind 3, kind 4, and 2 more} or missing",
        ),
    ):
        test = Predicate(0, members=tuple(members), missing=len(members) > 2)
        tree = stump(value, columns=(column,), predicates=(test, None, None))
        shown = " ".join(texts(plot_tree(tree))[2:])
        assert shown.startswith(f"{words} n = 8 ")


def test_whatever_has_a_tree_can_be_drawn():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1]], [0, 1, 1, 1]
    result = Solver(X, y).solve(max_depth=2)
    clf = OptimalTreeClassifier(max_depth=2, binarizer=None).fit(X, y)
    pipeline = make_pipeline(FunctionTransformer(), clf)
    point = MetricSolver(X, y).pareto_front(max_depth=2)[0]
    for thing in (result, result.tree, clf, pipeline, point):
        assert len(boxes(plot_tree(thing))) == 5


def test_purer_leaves_are_stronger_in_colour():
    tree = stump([[60, 60, 0], [50, 10, 0], [30, 30, 0]])
    _, pure, mixed = boxes(plot_tree(tree))
    assert sum(pure.get_facecolor()) < sum(mixed.get_facecolor())
    tree = stump([[60, 60], [60, 0], [0, 60]])
    _, first, second = boxes(plot_tree(tree))
    assert first.get_facecolor() != second.get_facecolor()


def test_the_bar_has_the_shares_of_the_classes():
    tree = stump([[10, 20, 70], [10, 0, 10], [0, 20, 60]])
    bars = boxes(plot_tree(tree), Rectangle)
    widths = np.array([bar.get_width() for bar in bars])
    np.testing.assert_allclose(widths / widths.sum(), [0.1, 0.2, 0.7])
    grey = matplotlib.colors.to_rgba("#DADADA")
    is_grey = [bar.get_facecolor() == grey for bar in bars]
    assert is_grey == [False, True, False]  # no leaf predicts the second class


def test_edges_are_as_wide_as_their_weight():
    tree = stump([[30, 10], [25, 5], [5, 5]])
    edges = boxes(plot_tree(tree), PathPatch)
    ends = [edge.get_path().vertices[[5, 6], 0] for edge in edges]
    widths = [end - begin for begin, end in ends]
    assert widths[0] / widths[1] == pytest.approx(3)


def test_regression_leaves_are_on_a_scale():
    weight = np.ones(3)
    tree = stump([[0.0], [-5.0], [5.0]], classes=None, weight=weight)
    _, low, high = boxes(plot_tree(tree))
    assert sum(low.get_facecolor()) > sum(high.get_facecolor())
    tree = stump([[0.0], [0.0], [0.0]], classes=None, weight=weight)
    assert len(boxes(plot_tree(tree))) == 3


@pytest.mark.parametrize("n_classes", [1, 2, 7, 8, 10, 11, 40])
def test_colours_of_classes_are_distinct(n_classes):
    assert len(set(class_colours(n_classes))) == n_classes


def test_text_grows_with_the_axes():
    ax = plot_tree(random_tree(3, 3))
    check_room(ax)
    before = ax.texts[0].get_fontsize()
    ax.figure.set_size_inches(2 * ax.figure.get_size_inches())
    check_room(ax)
    assert ax.texts[0].get_fontsize() == pytest.approx(2 * before, rel=0.02)


def test_title_does_not_overlap():
    ax = plot_tree(random_tree(3, 2))
    title = ax.set_title("A title")
    check_room(ax)
    renderer = ax.figure.canvas.get_renderer()
    assert is_within(title.get_window_extent(renderer), ax.figure.bbox)
    assert plot_tree(random_tree(3, 2)).get_title() == ""


@pytest.mark.parametrize("kind", ["pdf", "svg", "png"])
def test_it_can_be_saved(kind, tmp_path):
    path = tmp_path / f"tree.{kind}"
    plot_tree(random_tree(3, 3)).figure.savefig(path, bbox_inches="tight")
    assert path.stat().st_size > 1000


def test_given_axes_need_no_pyplot():
    figure = Figure()
    plot_tree(random_tree(3, 3), ax=figure.subplots())
    assert not plt.get_fignums()


@settings(max_examples=50, deadline=None)
@given(st.lists(st.text("ab _-", max_size=60), unique=True), st.integers(5, 30))
def test_short_names_stay_distinct(names, limit):
    short = short_names(names, limit)
    assert len(set(short)) == len(names)
    assert max(map(len, short), default=0) <= 2 * limit + 5
    assert all(a == b for a, b in zip(names, short, strict=True) if len(a) <= limit)


def test_names_are_shortened_between_words():
    assert short_names(LONG[1:2], 44) == ["number of inpatient … last twelve months"]
    assert short_names(["a\nb" * 10], 11) == ["a\\nba…ba\\nb"]


@settings(max_examples=50, deadline=None)
@given(st.text("ab_-/ >=0.5{},", min_size=1, max_size=60), st.floats(20, 200))
def test_lines_are_as_wide_as_they_may_be(text, width):
    label = Ruler().label(text, width)
    assert label.width <= width
    assert "".join(label.lines).replace(" ", "") == text.replace(" ", "")


def test_numbers_stay_with_their_sign():
    lines = Ruler().label("mean_corpuscular_volume > 0.25", 60).lines
    assert lines == ("mean_", "corpuscular_", "volume", "> 0.25")


def test_bad_input_of_trees():
    tree = stump([[2, 2], [2, 0], [0, 2]])
    with pytest.raises(TypeError, match="'decision_tree' parameter of plot_tree"):
        plot_tree("tree")
    with pytest.raises(NotFittedError):
        plot_tree(OptimalTreeClassifier())
    with pytest.raises(
        ValueError, match="feature_names must contain 1 elements, got 2"
    ):
        plot_tree(tree, feature_names=["a", "b"])
    with pytest.raises(ValueError, match="class_names must contain 2 elements, got 1"):
        plot_tree(tree, class_names=["a"])
    with pytest.raises(ValueError, match="'orientation' parameter of plot_tree"):
        plot_tree(tree, orientation="left")
    with pytest.raises(TypeError, match="'ax' parameter of plot_tree must be an Axes"):
        plot_tree(tree, ax=Figure())
    weight = np.ones(3)
    values = stump([[1.0], [0.0], [2.0]], classes=None, weight=weight)
    with pytest.raises(ValueError, match="must be None for a regression tree"):
        plot_tree(values, class_names=["a"])
    assert not plt.get_fignums()


@pytest.mark.parametrize("plot", [plot_tree, plot_frontier, plot_pareto_front])
def test_without_matplotlib_the_extra_is_named(plot, monkeypatch):
    monkeypatch.setattr(murtree._plot, "find_spec", lambda name: None)
    message = rf"{plot.__name__} needs matplotlib: install it \(the extra 'plot'\)"
    with pytest.raises(ImportError, match=message):
        plot(None)
