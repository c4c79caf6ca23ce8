"""HTML of trees, proofs and tables for notebooks, with all names escaped."""

import math
import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import numpy as np
import pandas as pd
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.tree_strategies import NASTY, columns, trees
from sklearn.base import BaseEstimator
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from murtree import (
    Column,
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Predicate,
    Solver,
    TimeLimitWarning,
    Tree,
)
from murtree._table.predicate_text import printable
from murtree._tree.colours import class_colours, value_colour
from murtree._tree.html import MOST_NODES, escaped, steps_html, table_html, tree_html

TAGS = {"b", "details", "div", "i", "li", "span", "style", "summary", "ul"}
HOSTILE = (*NASTY, "<img src=x onerror=alert(1)>", '"><script>alert(1)</script>')
iris_X, iris_y = load_iris(return_X_y=True, as_frame=True)


class Reader(HTMLParser):
    """Parser that requires closed elements and keeps the text of every line."""

    def __init__(self, text):
        super().__init__()
        self.open, self.tags, self.attributes, self.lines = [], set(), [], []
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.open.append((tag, dict(attrs).get("class")))
        self.tags.add(tag)
        self.attributes += [name for name, _ in attrs]
        if self.open[-1] == ("span", "murtree-line"):
            self.lines.append("")

    def handle_endtag(self, tag):
        assert self.open.pop()[0] == tag

    def handle_data(self, data):
        if ("span", "murtree-line") in self.open:
            self.lines[-1] += data


def says(text):
    """Return the text as a browser shows it."""
    shown = re.sub("<style>.*?</style>|<[^>]+>", " ", text, flags=re.DOTALL)
    return " ".join(unescape(shown).split())


def chain(n_levels):
    """Return a tree that continues at each right child."""
    size = 2 * n_levels + 1
    inner = np.arange(0, size - 1, 2)
    left, right = np.full(size, -1, np.int32), np.full(size, -1, np.int32)
    left[inner], right[inner] = inner + 1, inner + 2
    feature = np.where(left >= 0, 0, -2).astype(np.int32)
    value = np.ones((size, 2), dtype=np.int64)
    return Tree(left, right, feature, np.full(size, 0.5), value, np.array([0, 1]), 1)


def full_tree(depth):
    left, right = [], []

    def grow(levels):
        node = len(left)
        left.append(-1)
        right.append(-1)
        if levels:
            left[node], right[node] = grow(levels - 1), grow(levels - 1)
        return node

    grow(depth)
    size = len(left)
    feature = np.where(np.array(left) >= 0, 0, -2).astype(np.int32)
    arrays = np.array(left, np.int32), np.array(right, np.int32), feature
    value = np.ones((size, 2), dtype=np.int64)
    return Tree(*arrays, np.full(size, 0.5), value, np.array([0, 1]), 1)


def leaf_lines(tree):
    """Return the expected texts of the leaves, in order."""
    found = []
    for node in np.flatnonzero(tree.feature < 0).tolist():
        weight = tree.node_weight[node]
        if tree.classes is None:
            unit = "row" if weight == 1 else "rows"
            found.append((float(tree.estimates[node, 0]), f"{weight:.0f} {unit}"))
        else:
            label = tree.labels[node]
            wrong = weight - tree.value[node, label]
            name = printable(str(tree.classes[label]))
            found.append((name, f"{wrong} of {weight} wrong"))
    return found


def test_a_tree_is_a_nested_list():
    tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
    bar = '<span class="murtree-bar" role="img" title="{0}" aria-label="{0}" '
    bar += 'style="background:linear-gradient(90deg,{1})"></span> '
    assert tree_html(tree) == (
        '<ul class="murtree-list"><li class="murtree-item"><details open>'
        '<summary class="murtree-sum"><span class="murtree-line">'
        + bar.format("a: 1, b: 2", "#0072B2 0.0% 33.3%,#E69F00 33.3% 100.0%")
        + '<span>x0 = no? <span class="murtree-count">3 rows</span></span></span>'
        '</summary><ul class="murtree-list"><li class="murtree-item">'
        '<span class="murtree-line"><i class="murtree-side">yes</i> '
        + bar.format("a: 1", "#0072B2 0.0% 100.0%")
        + '<span><b>a</b> <span class="murtree-count">0 of 1 wrong</span></span>'
        '</span></li><li class="murtree-item"><span class="murtree-line">'
        '<i class="murtree-side">no</i> '
        + bar.format("b: 2", "#E69F00 0.0% 100.0%")
        + '<span><b>b</b> <span class="murtree-count">0 of 2 wrong</span></span>'
        "</span></li></ul></details></li></ul>"
    )


@settings(max_examples=100, deadline=None)
@given(data=st.data())
def test_any_tree_is_shown_completely(data):
    tree = data.draw(columns().flatmap(trees))
    read = Reader(tree._repr_html_())
    assert read.tags <= TAGS
    assert not [name for name in read.attributes if name.startswith("on")]
    assert len(read.lines) == tree.feature.size
    leaves = [
        line
        for line, feature in zip(read.lines, tree.feature.tolist(), strict=True)
        if feature < 0
    ]
    for line, (prediction, support) in zip(leaves, leaf_lines(tree), strict=True):
        assert line.endswith(f" {support}")
        leaf = re.sub("^(?:no|yes) ", "", line.removesuffix(f" {support}")).lstrip()
        if tree.classes is None:
            assert float(leaf.replace(",", "")) == pytest.approx(
                prediction, rel=1e-5, abs=0.0
            )
        else:
            assert leaf == prediction.lstrip()


@pytest.mark.parametrize("name", HOSTILE)
def test_names_are_never_taken_for_html(name):
    column = Column(name, "category", (name, "other"), has_missing=True)
    tree = Solver([[0], [1], [1]], [0, 1, 1]).solve(max_depth=1).tree
    tests = (Predicate(0, members=(0,), missing=True), None, None)
    classes = np.array([name, "z"])
    hostile = replace(tree, columns=(column,), predicates=tests, classes=classes)
    read = Reader(hostile._repr_html_())
    assert read.tags <= TAGS
    assert set(read.attributes) <= {
        *("aria-label", "class", "open", "role", "style", "title")
    }
    assert read.lines[0].startswith(f" {printable(name)} = ")
    assert read.lines[0].endswith(" or missing? 3 rows")
    assert read.lines[1] == f"yes  {printable(name)} 0 of 1 wrong"


def test_large_trees_are_folded():
    assert full_tree(5)._repr_html_().count("<details open>") == 31
    assert "<details>" not in full_tree(5)._repr_html_()
    text = full_tree(6)._repr_html_()
    assert text.count("<details open>") == 7
    assert text.count("<details>") == 63 - 7


def test_omitted_nodes_of_huge_trees_are_counted():
    tree = full_tree(11)
    assert tree.feature.size > MOST_NODES
    text = tree._repr_html_()
    assert len(Reader(text).lines) <= MOST_NODES
    hidden = re.findall("… and (\\d+) leaves below it", text)
    shown = len(re.findall("of 2 wrong", text))
    assert sum(map(int, hidden)) + shown == tree.n_leaves
    assert len(text) < 2e6


def test_deep_trees_are_indented_less():
    text = chain(255)._repr_html_()
    assert len(Reader(text).lines) == 511
    assert text.count("murtree-list murtree-deep") == 255 - 9


def test_values_are_on_a_scale():
    tree = full_tree(1)
    value = np.array([[0.0], [-1e308], [1e308]])
    tree = replace(tree, value=value, classes=None, weight=np.array([2.0, 1.5, 0.5]))
    text = tree._repr_html_()
    assert "linear-gradient(90deg,#F4FBC0 0.0%,transparent 0)" in text
    assert "linear-gradient(90deg,#2A9EC1 100.0%,transparent 0)" in text
    assert says(text).endswith("yes -1e+308 weight 1.5 no 1e+308 weight 0.5")
    same = replace(tree, value=np.ones((3, 1)))._repr_html_()
    assert same.count("#F4FBC0 0.0%") == 2


def test_a_node_without_weight_has_an_empty_bar():
    tree = full_tree(1)
    value = np.array([[1.5, 0.0], [1.5, 0.0], [0.0, 0.0]])
    text = replace(tree, value=value)._repr_html_()
    assert text.count('title="" aria-label="" style="background:none"') == 1
    assert "0 of 1.5 wrong" in text


def test_colours_are_between_their_neighbours():
    assert class_colours(3) == ["#0072B2", "#E69F00", "#009E73"]
    assert class_colours(17)[::2] == [
        *("#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C"),
        *("#28AE80", "#5EC962", "#ADDC30", "#FDE725"),
    ]
    assert value_colour(0.5, 0.0, 1.0) == "#99D7B8"
    assert value_colour(1.0, 1.0, 1.0) == "#F4FBC0"


def test_result_shows_its_proof():
    X, y = [[0, 0], [0, 1], [1, 0], [1, 1], [1, 1]], [0, 1, 1, 0, 1]
    solver = Solver(X, y)
    text = says(solver.solve(max_depth=1)._repr_html_())
    expected = "proven optimal Objective 2. No tree within the limits has one below 2."
    assert text == f"{expected} 1 2 of 5 wrong"
    none = solver.solve(max_depth=1, upper_bound=0)
    expected = f"No tree has an objective below {none.lower_bound}."
    assert says(none._repr_html_()) == f"no tree within the upper bound {expected}"


@pytest.mark.parametrize(("bound", "badge"), [(10, "gap 37.5%"), (0, "gap 100.0%")])
def test_gap_is_not_shown_as_a_proof(bound, badge):
    result = Solver([[0], [1]], [0, 1]).solve(max_depth=1)
    open_one = replace(result, status="time_limit", objective=16, lower_bound=bound)
    text = open_one._repr_html_()
    expected = f"{badge} Objective 16. No tree within the limits has one below {bound}."
    assert says(text).startswith(expected)
    assert "murtree-badge murtree-open" in text
    endless = replace(open_one, objective=-1.0, lower_bound=-math.inf)
    text = replace(endless, counts_errors=False)._repr_html_()
    assert says(text).startswith("not proven Objective -1.")


def test_a_frontier_is_a_table():
    X = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 0], [1, 1, 1]]
    frontier = Solver(X, [0, 1, 1, 0, 0]).frontier(max_depth=2)
    text = frontier._repr_html_()
    assert says(text) == (
        "proven optimal The best trees with at most 0 to 3 nodes. at most nodes "
        "misclassified proof 0 to 1 0 2 optimal 2 2 1 optimal 3 3 0 optimal"
    )
    assert 'aria-label="misclassified by the number of nodes"' in text
    unproven = [replace(r, status="time_limit", lower_bound=0) for r in frontier[:2]]
    text = type(frontier)([*unproven, *frontier[2:]], 5)._repr_html_()
    assert "gap 100.0% The best" in says(text)
    assert "2 of 4 are proven optimal" in says(text)
    assert "<details" not in text
    long = type(frontier)([frontier[0]] * 40, 5)._repr_html_()
    assert "All sizes" in says(long)


def test_steps_go_from_edge_to_edge():
    points = re.search('points="([^"]+)"', steps_html([4, 2, 0], "errors"))[1]
    assert points == "2,2 60.67,2 60.67,18 119.3,18 119.3,34 178,34"
    assert 'points="2,34 178,34"' in steps_html([7], "errors")


def test_tables_and_texts_are_escaped():
    assert escaped('<a href="x">\n') == "&lt;a href=&quot;x&quot;&gt;\\n"
    assert "<b>" not in table_html(["<b>"], [["<b>"]])


def test_a_model_shows_its_sizes():
    clf = OptimalTreeClassifier(max_depth=2, frontier=True)
    model = Model.of(clf.fit(iris_X, iris_y))
    text = says(model._repr_html_())
    expected = f"{model.proof.line[16:]} {model.proof.coverage}"
    assert text.startswith(f"proven optimal {expected} petal length")
    assert "validation error" not in text
    assert text.endswith(
        "4 sizes at most nodes training error proof 0 0 0.6667 optimal 1 1 0.3333 "
        "optimal 2 2 0.04 optimal chosen 3 2 0.04 optimal"
    )
    text = says(model.validated(iris_X, iris_y)._repr_html_())
    assert "training error validation error proof 0 0 0.6667 0.6667 optimal" in text
    alone = Model.of(model.tree)._repr_html_()
    assert "murtree-badge" not in re.sub("<style>.*?</style>", "", alone)


def test_a_proof_is_its_line_behind_a_badge():
    X, y = load_diabetes(return_X_y=True)
    reg = OptimalTreeRegressor(max_depth=5, time_limit=0.1)
    with pytest.warns(TimeLimitWarning):
        reg.fit(X, y)
    proof = Model.of(reg).proof
    shown = says(proof._repr_html_())
    assert shown == f"gap {proof.gap:.1%} {proof.line} {proof.coverage}"


@pytest.mark.parametrize("depth", [1, 2])
def test_fitted_estimators_show_proof_tree_and_diagram(depth):
    clf = OptimalTreeClassifier(max_depth=depth).fit(iris_X, iris_y)
    text = clf._repr_html_()
    expected = Model.of(clf).proof.line.removeprefix("Proven optimal: ")
    expected += f" {clf.coverage_}"
    assert says(text).startswith(f"proven optimal {expected} petal length (cm) <= 2.4?")
    ours, diagram = text.split("OptimalTreeClassifier: parameters</summary>")
    assert tree_html(clf.tree_) in ours
    assert "sk-top-container" in diagram
    assert ours.endswith('<details class="murtree-fold"><summary class="murtree-sum">')
    assert clf._repr_mimebundle_()["text/html"].startswith(ours)
    assert clf._repr_mimebundle_()["text/plain"] == repr(clf)


def test_the_proof_uses_the_parameters_of_the_fit():
    clf = OptimalTreeClassifier(max_depth=1).fit(iris_X, iris_y)
    line, saved = Model.of(clf).proof.line, Model.of(clf).to_json()
    clf.set_params(max_depth=7, min_samples_leaf="none", cost_complexity=0.5)
    assert "of depth at most 1" in line
    assert Model.of(clf).proof.line == line
    assert Model.of(clf).to_json() == saved
    assert line.removeprefix("Proven optimal: ") in says(clf._repr_html_())


def without_numbers(text):
    """Return HTML without the ids that scikit-learn numbers."""
    return re.sub(r"sk-(container|estimator)-id-\d+", "", text)


@pytest.mark.parametrize("estimator", [OptimalTreeClassifier, OptimalTreeClassifierCV])
def test_unfitted_estimators_look_like_scikit_learns(estimator):
    new = estimator(max_depth=2)
    theirs = without_numbers(BaseEstimator._repr_html_inner(new))
    assert without_numbers(new._repr_html_()) == theirs
    assert without_numbers(new._repr_mimebundle_()["text/html"]) == theirs


def test_text_is_shown_on_request():
    clf = OptimalTreeClassifier(max_depth=1).fit(iris_X, iris_y)
    with sklearn.config_context(display="text"):
        assert not hasattr(clf, "_repr_html_")
        assert clf._repr_mimebundle_() == {"text/plain": repr(clf)}
    assert hasattr(clf, "_repr_html_")


def test_diagrams_that_contain_an_estimator_stay_diagrams():
    pipe = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=1))
    pipe.fit(iris_X, iris_y)
    grid = GridSearchCV(OptimalTreeClassifier(max_depth=1), {"max_depth": [1]}, cv=2)
    for estimator in (pipe, grid.fit(iris_X, iris_y)):
        text = estimator._repr_html_()
        assert "OptimalTreeClassifier" in text
        assert "murtree-badge" not in text


def test_the_chosen_size_is_shown():
    search = OptimalTreeClassifierCV(max_depth=1, cv=3, strategy="all")
    search.fit(iris_X, iris_y)
    text = says(search._repr_html_())
    assert (
        "Chosen by cross-validation in 3 folds: max_depth=1, max_num_nodes=1, with a "
        f"mean score of {search.best_score_:.4g}. petal length"
    ) in text
    assert "OptimalTreeClassifierCV: parameters" in text


def test_categories_and_missing_values_are_shown():
    colour = pd.Categorical(["red", "green", "blue", None] * 5)
    y = np.array([1, 0, 0, 1] * 5)
    clf = OptimalTreeClassifier(max_depth=1).fit(pd.DataFrame({"colour": colour}), y)
    text = says(clf._repr_html_())
    assert "colour" in text
    assert "missing? 20 rows" in text
