"""Plots of trees."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes

from murtree._plot.axes import check_axes, current_axes, new_axes, tint
from murtree._plot.pen import Pen
from murtree._plot.sketch import Sketch, best_sketch, node_texts
from murtree._tree.colours import class_colours, value_colour
from murtree._tree.nodes import leaves_of
from murtree._tree.tree import Tree

PAGE = (504.0, 540.0)  # points; text area of a page, which new figures should fit
LEAST_FIGURE = (150.0, 60.0)
MOST_FIGURE = 7200.0  # points; larger trees are scaled down
LARGEST = 2.0  # maximum scale, for axes with room: 18-point text


def draw_tree(
    tree: Tree, class_names: Sequence[str] | None, orientation: str, ax: Axes | None
) -> Axes:
    """Draw a tree as large as possible, on `ax` or in a figure of its own size."""
    check_axes(ax, "plot_tree")
    _check_class_names(tree, class_names)
    texts = node_texts(tree, class_names)
    ax = current_axes() if ax is None else ax
    page = PAGE if ax is None else _size_of(ax)
    sketch = best_sketch(tree, texts, orientation, *page)
    if ax is None:
        width, height = np.clip(sketch.size, LEAST_FIGURE, MOST_FIGURE).tolist()
        ax = new_axes((width, height))
        page = (width, height)
        scale = sketch.scale(*page)
    else:
        scale = sketch.scale(*page, most=LARGEST)
        sketch = sketch.stretched(page[0] / scale, page[1] / scale)
    _set_scale(ax, sketch, page, scale)
    pen = Pen(ax, sketch)
    colours = _leaf_colours(tree)
    for node in range(tree.feature.size):
        if tree.feature[node] >= 0:
            pen.branching(node)
        else:
            pen.leaf(node, colours[node])
    return ax


def _check_class_names(tree: Tree, names: Sequence[str] | None) -> None:
    if names is None:
        return
    if tree.classes is None:
        raise ValueError(
            "The 'class_names' parameter of plot_tree must be None for a regression "
            f"tree. Got {names!r} instead."
        )
    if len(names) != tree.classes.size:
        raise ValueError(
            f"class_names must contain {tree.classes.size} elements, got {len(names)}."
        )


def _size_of(ax: Axes) -> tuple[float, float]:
    box = ax.get_window_extent()
    per_point = ax.figure.dpi / 72
    return box.width / per_point, box.height / per_point


def _set_scale(
    ax: Axes, sketch: Sketch, page: tuple[float, float], scale: float
) -> None:
    """Set the scale of the axes, in points per unit."""
    width, height = sketch.size
    spare_width, spare_height = page[0] / scale - width, page[1] / scale - height
    ax.set_xlim(-spare_width / 2, width + spare_width / 2)
    ax.set_ylim(height + spare_height / 2, -spare_height / 2)  # the root is on top
    ax.set_aspect("equal")
    ax.set_axis_off()


def _leaf_colours(tree: Tree) -> dict[int, Any]:
    leaves = leaves_of(tree)
    if tree.classes is None:
        values = tree.estimates[leaves, 0].tolist()
        low, high = min(values), max(values)
        colours = [value_colour(value, low, high) for value in values]
        return dict(zip(leaves, colours, strict=True))
    colours = class_colours(tree.classes.size)
    by_chance = 1 / max(tree.classes.size, 2)
    found = {}
    for node in leaves:
        label = tree.labels[node]
        purity = _share(tree.value[node, label], tree.value[node].sum())
        strength = max(purity - by_chance, 0.0) / (1 - by_chance)
        found[node] = tint(colours[label], strength)
    return found


def _share(part: float, whole: float) -> float:
    return float(part / whole) if whole > 0 else 0.0
