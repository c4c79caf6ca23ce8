"""Draw the nodes and edges of a sketch; one unit of the axes is one point."""

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.backend_bases import RendererBase
from matplotlib.patches import FancyBboxPatch, PathPatch, Rectangle
from matplotlib.path import Path
from matplotlib.patheffects import withStroke
from matplotlib.text import Text
from matplotlib.transforms import Bbox

from murtree._plot.axes import DARK, GREY, PALE, tint
from murtree._plot.sketch import BAR, LINE_GAP, MARGIN, PAD, Sketch
from murtree._plot.text import Label
from murtree._tree.colours import class_colours
from murtree._tree.nodes import children_of

WIDEST_EDGE = 14.0  # for the whole training weight
CORNER = 2.5
EDGES, BOXES, TEXTS = 1, 2, 3  # z-order


class FittedText(Text):
    """A line of text with a size in units of its axes, so that it fits its box.

    Parameters
    ----------
    x, y : float
        The centre of its baseline.
    line : str
        The text.
    label : Label
        The label that contains the line.
    **kwargs : dict
        Further properties of `Text`.
    """

    def __init__(
        self, x: float, y: float, line: str, *, label: Label, **kwargs: Any
    ) -> None:
        super().__init__(
            x,
            y,
            line,
            fontweight="bold" if label.bold else "normal",
            horizontalalignment="center",
            verticalalignment="baseline",
            parse_math=False,  # dollar signs in names are not formulas
            usetex=False,
            **kwargs,
        )
        self._label = label

    def draw(self, renderer: RendererBase, *args: Any, **kwargs: Any) -> None:
        """Draw the text, scaled to the axes."""
        self._fit(renderer)
        super().draw(renderer, *args, **kwargs)

    def get_window_extent(
        self, renderer: RendererBase | None = None, dpi: float | None = None
    ) -> Bbox:
        """Return the bounding box in pixels, scaled to the axes."""
        if renderer is not None:
            self._fit(renderer)
        return super().get_window_extent(renderer, dpi)

    def _fit(self, renderer: RendererBase) -> None:
        if self.axes is None:
            return
        (left, _), (right, _) = self.axes.transData.transform([(0, 0), (1, 0)])
        per_unit = abs(right - left)
        per_point = float(np.asarray(renderer.points_to_pixels(1.0)))
        self.set_fontsize(self._label.size * per_unit / per_point)
        # Small characters are too wide, because pixels are integers.
        allowed = self._label.width * per_unit
        for _ in range(8):
            width = super().get_window_extent(renderer).width
            if width <= allowed + 1:
                break
            self.set_fontsize(self.get_fontsize() * min(allowed / width, 0.97))


class Pen:
    """Draws a sketch on axes.

    Parameters
    ----------
    ax : Axes
        Axes to draw on.
    sketch : Sketch
        The sketch to draw.
    """

    def __init__(self, ax: Axes, sketch: Sketch) -> None:
        self._ax = ax
        self._sketch = sketch
        tree = sketch.tree
        self._is_classifier = tree.classes is not None
        if self._is_classifier:
            colours = class_colours(tree.value.shape[1])
            shown = set(tree.labels[tree.feature < 0].tolist())
            self._colours = [
                tint(colour, 1.0) if index in shown else PALE
                for index, colour in enumerate(colours)
            ]

    def leaf(self, node: int, colour: Any) -> None:
        """Draw a leaf: its box, and the details below or next to it."""
        sketch = self._sketch
        left, top, width, height = self._box(node)
        self._frame(left, top, width, height, colour)
        self._write(sketch.main[node], left + width / 2, top + height / 2)
        detail = sketch.detail[node]
        if sketch.goes_down:
            below = top + height + LINE_GAP + detail.height / 2
            self._write(detail, left + width / 2, below, colour=DARK)
        else:
            centre = left + width + LINE_GAP + detail.width / 2
            self._write(detail, centre, top + height / 2, colour=DARK)

    def branching(self, node: int) -> None:
        """Draw a branching node with its test, its weight and its edges."""
        self._edges(node)
        left, top, width, height = self._box(node)
        self._frame(left, top, width, height, "white")
        middle, y = left + width / 2, top + PAD
        for label, colour in (
            (self._sketch.main[node], "black"),
            (self._sketch.detail[node], GREY),
        ):
            self._write(label, middle, y + label.height / 2, colour=colour)
            y += label.height + LINE_GAP
        if self._is_classifier:
            self._shares(node, left + PAD, y, width - 2 * PAD)

    def _box(self, node: int) -> tuple[float, float, float, float]:
        """Return left, top, width and height of the box of a node."""
        sketch = self._sketch
        width, height = float(sketch.box_width[node]), float(sketch.box_height[node])
        x, y = self._at(sketch.layout.across[node], sketch.layout.along[node])
        if sketch.goes_down:
            return x - width / 2, y, width, height
        return x, y - height / 2, width, height

    def _at(self, across: float, along: float) -> tuple[float, float]:
        x, y = (across, along) if self._sketch.goes_down else (along, across)
        return float(x) + MARGIN, float(y) + MARGIN

    def _frame(
        self, left: float, top: float, width: float, height: float, colour: Any
    ) -> None:
        # Matplotlib draws rounded corners outside of the given box.
        inner = (left + CORNER, top + CORNER), width - 2 * CORNER, height - 2 * CORNER
        frame = FancyBboxPatch(
            *inner,
            boxstyle=f"round,pad={CORNER}",
            facecolor=colour,
            edgecolor=GREY,
            linewidth=0.6,
            zorder=BOXES,
        )
        self._ax.add_patch(frame)

    def _write(
        self,
        label: Label,
        x: float,
        y: float,
        *,
        colour: str = "black",
        has_halo: bool = False,
    ) -> None:
        # One artist per line: matplotlib's line spacing is not constant.
        base = y - label.height / 2 + label.ascent
        for index, line in enumerate(label.lines):
            y = base + index * label.step
            text = FittedText(x, y, line, label=label, color=colour, zorder=TEXTS)
            if has_halo:  # for text on an edge
                text.set_path_effects([withStroke(linewidth=2.5, foreground="white")])
            self._ax.add_artist(text)

    def _shares(self, node: int, left: float, top: float, width: float) -> None:
        """Draw the share of each class as part of a bar."""
        weights = self._sketch.tree.value[node]
        ends = np.cumsum(weights) / max(weights.sum(), 1e-300) * width
        for begin, end, colour in zip([0, *ends], ends, self._colours, strict=False):
            if end > begin:
                part = Rectangle(
                    (left + begin, top), end - begin, BAR, color=colour, zorder=BOXES
                )
                part.set_linewidth(0)
                self._ax.add_patch(part)

    def _edges(self, node: int) -> None:
        """Draw the edges to the children, starting next to each other."""
        sketch, tree = self._sketch, self._sketch.tree
        weights = tree.node_weight / max(float(tree.node_weight[0]), 1e-300)
        children = children_of(tree, node)
        widths = [float(weights[child]) * WIDEST_EDGE for child in children]
        begin = float(sketch.layout.across[node]) - sum(widths) / 2
        for child, width, answer in zip(children, widths, sketch.answers, strict=True):
            self._edge(node, child, begin + width / 2, width)
            begin += width
            size = answer.height if sketch.goes_down else answer.width
            along = sketch.layout.along[child] - LINE_GAP - size / 2
            x, y = self._at(sketch.layout.across[child], along)
            self._write(answer, x, y, colour=DARK, has_halo=True)

    def _edge(self, node: int, child: int, begin: float, width: float) -> None:
        """Draw a band that leaves and arrives straight, with a bend in between."""
        layout = self._sketch.layout
        end = float(layout.across[child])
        label = max(
            answer.height if self._sketch.goes_down else answer.width
            for answer in self._sketch.answers
        )
        start, last = float(layout.along[node]), float(layout.along[child])
        bend, straight = float(layout.band_end[node]), last - label - 2 * LINE_GAP
        middle = (bend + straight) / 2
        half = width / 2
        there = [(begin - half, start), (begin - half, bend), (begin - half, middle)]
        there += [(end - half, middle), (end - half, straight), (end - half, last)]
        back = [(across + width, along) for across, along in reversed(there)]
        way = [Path.LINETO, Path.CURVE4, Path.CURVE4, Path.CURVE4, Path.LINETO]
        codes = [Path.MOVETO, *way, Path.LINETO, *way]
        path = Path([self._at(*point) for point in there + back], codes)
        band = PathPatch(path, color=PALE, linewidth=0.8, zorder=EDGES)
        self._ax.add_patch(band)
