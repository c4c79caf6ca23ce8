"""Sketches: the texts, sizes and positions of the nodes of a tree.

Several sketches are made, for both orientations and several line widths; the one that
can be drawn largest is plotted.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from murtree._plot.layout import Floats, Layout, Sizes, place_nodes
from murtree._plot.text import (
    SMALL_SIZE,
    WORD_LIMIT,
    Label,
    Ruler,
    short_names,
    texts_of_tests,
)
from murtree._table.predicate_text import grouped, number_text, short_numbers
from murtree._tree.leaf_text import LeafWords
from murtree._tree.nodes import leaves_of
from murtree._tree.tree import Tree

PAD = 4.0  # points between a box and its text; all other lengths are points as well
LINE_GAP = 3.0  # between the parts of a node
BAR = 4.0  # height of the bar with the class shares
MARGIN = 5.0  # around the tree
GAP_DOWN, GAP_RIGHT = (9.0, 36.0), (6.0, 46.0)  # between nodes: across, along
LINE_WIDTHS = (150.0, 115.0, 90.0, 70.0)  # to try
NO_LIMIT = 1e9


@dataclass(frozen=True)
class NodeTexts:
    """The texts of the nodes of a tree: the main text, and a smaller one."""

    main: list[str]
    detail: list[str]


@dataclass(frozen=True)
class Sketch:
    """A tree with sizes and positions, in points."""

    tree: Tree
    goes_down: bool
    main: list[Label]
    detail: list[Label]
    box_width: Floats
    box_height: Floats
    answers: tuple[Label, Label]  # yes, no
    layout: Layout

    @property
    def size(self) -> tuple[float, float]:
        """The width and the height of the sketch."""
        across, along = self.layout.size_across, self.layout.size_along
        width, height = (across, along) if self.goes_down else (along, across)
        return width + 2 * MARGIN, height + 2 * MARGIN

    def scale(self, width: float, height: float, most: float = 1.0) -> float:
        """Return the largest scale at which the sketch fits on a page."""
        own_width, own_height = self.size
        return min(width / own_width, height / own_height, most)

    def stretched(self, width: float, height: float) -> "Sketch":
        """Return the sketch with larger distances, if the page has room."""
        room = (width - 2 * MARGIN, height - 2 * MARGIN)
        across, along = room if self.goes_down else room[::-1]
        return replace(self, layout=self.layout.stretched(across, along))


def node_texts(tree: Tree, class_names: Sequence[object] | None) -> NodeTexts:
    """Return the texts of all nodes."""
    tests = texts_of_tests(tree)
    weights = [number_text(weight) for weight in tree.node_weight.tolist()]
    is_whole = tree.node_weight.dtype.kind in "iu" or tree.classes is None
    sign = "n = " if is_whole else "weight "
    detail = [sign + weight for weight in weights]
    if tree.classes is None:
        main = [*map(grouped, short_numbers(tree.estimates[:, 0]))]
    else:
        names = tree.classes if class_names is None else class_names
        short = short_names(list(names), WORD_LIMIT)
        leaves = LeafWords(tree)
        main = [short[label] for label in tree.labels.tolist()]
        for node in leaves_of(tree):
            detail[node] = leaves.support(node)
    for node, text in tests.items():
        main[node] = text
    return NodeTexts(main, detail)


def best_sketch(
    tree: Tree, texts: NodeTexts, orientation: str, width: float, height: float
) -> Sketch:
    """Return the sketch that can be drawn largest; on ties the first."""
    ruler = Ruler()
    sketches = [
        _sketch(tree, texts, ruler, goes_down, line_width)
        for goes_down in (True, False)
        if orientation in ("auto", "down" if goes_down else "right")
        for line_width in LINE_WIDTHS
    ]
    return max(sketches, key=lambda sketch: sketch.scale(width, height))


def _sketch(
    tree: Tree, texts: NodeTexts, ruler: Ruler, goes_down: bool, line_width: float
) -> Sketch:
    is_leaf = (tree.feature < 0).tolist()
    main = [
        ruler.label(text, line_width, bold=bold)
        for text, bold in zip(texts.main, is_leaf, strict=True)
    ]
    detail = [ruler.label(text, NO_LIMIT, size=SMALL_SIZE) for text in texts.detail]
    yes, no = (ruler.label(text, NO_LIMIT, size=SMALL_SIZE) for text in ("yes", "no"))
    width, height = _boxes(tree, main, detail)
    sizes = _sizes(tree, width, height, detail, goes_down)
    least = yes.width if goes_down else yes.height
    sizes = replace(sizes, across=np.maximum(sizes.across, least))
    layout = place_nodes(tree, sizes)
    return Sketch(tree, goes_down, main, detail, width, height, (yes, no), layout)


def _boxes(tree: Tree, main: list[Label], detail: list[Label]) -> tuple[Floats, Floats]:
    """Return the sizes of the boxes: as small as possible, equal for all leaves."""
    width = np.array([label.width for label in main])
    height = np.array([label.height for label in main])
    is_leaf = tree.feature < 0
    width[is_leaf], height[is_leaf] = width[is_leaf].max(), height[is_leaf].max()
    for node in np.flatnonzero(~is_leaf):
        width[node] = max(width[node], detail[node].width)
        height[node] += LINE_GAP + detail[node].height
        height[node] += 0 if tree.classes is None else LINE_GAP + BAR
    return width + 2 * PAD, height + 2 * PAD


def _sizes(
    tree: Tree, width: Floats, height: Floats, detail: list[Label], goes_down: bool
) -> Sizes:
    """Return the sizes of nodes: leaves have their details below or next to them."""
    is_leaf = tree.feature < 0
    wide = np.where(is_leaf, [label.width for label in detail], 0.0)
    high = np.where(is_leaf, [label.height for label in detail], 0.0)
    if goes_down:
        along = height + np.where(is_leaf, LINE_GAP + high, 0.0)
        return Sizes(np.maximum(width, wide), along, along, *GAP_DOWN)
    reach = width + np.where(is_leaf, LINE_GAP + wide, 0.0)
    return Sizes(np.maximum(height, high), width, reach, *GAP_RIGHT)
