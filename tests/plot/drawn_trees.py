"""Trees to draw, and helpers that inspect the drawings."""

import itertools

import numpy as np
from matplotlib.patches import FancyBboxPatch

from murtree import Column, Tree

LONG = (
    "mean_corpuscular_haemoglobin_concentration",
    "number of inpatient admissions in the last twelve months",
    "estimatedglomerularfiltrationratemillilitresperminute",
    "systolic-blood-pressure-at-admission/standing",
    "$x$ of $\\frac{y}{z}$",
)
CLASSES = ("setosa", "type 2", "no", "a class with quite a long name", "E", "F", "G")


def random_tree(seed, depth, n_classes=7, names=LONG, stop=0.2):
    """Return a tree of random tests and weights; a regression tree without classes."""
    rng = np.random.default_rng(seed)
    left, right, feature, threshold, value = [], [], [], [], []

    def grow(depth, weight):
        node = len(left)
        for column, empty in zip(
            (left, right, feature, threshold, value), (-1, -1, -2, -2.0, 0), strict=True
        ):
            column.append(empty)
        if depth == 0 or rng.random() < stop:
            shares = rng.dirichlet(np.full(max(n_classes, 1), 0.3))
            value[node] = np.ceil(weight * shares).astype(int)
            return node
        feature[node] = int(rng.integers(len(names)))
        threshold[node] = float(np.round(rng.normal() * 100, 3))
        share = rng.uniform(0.1, 0.9)
        left[node] = grow(depth - 1, weight * share)
        right[node] = grow(depth - 1, weight * (1 - share))
        value[node] = value[left[node]] + value[right[node]]
        return node

    grow(depth, 30_000)
    weight = np.array(value)
    targets = rng.normal(size=(len(left), 1)) * 1e4
    return Tree(
        children_left=np.array(left, dtype=np.int32),
        children_right=np.array(right, dtype=np.int32),
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(threshold),
        value=weight if n_classes else targets,
        classes=np.array(CLASSES[:n_classes]) if n_classes else None,
        n_features=len(names),
        weight=None if n_classes else weight.sum(axis=1).astype(float),
        columns=tuple(map(Column, names)),
    )


def texts(ax):
    return [text.get_text() for text in ax.texts]


def boxes(ax, kind=FancyBboxPatch):
    return [patch for patch in ax.patches if isinstance(patch, kind)]


def meets(a, b, slack=1.0):
    """Whether two boxes overlap by more than a pixel."""
    return (
        min(a.x1, b.x1) - max(a.x0, b.x0) > slack
        and min(a.y1, b.y1) - max(a.y0, b.y0) > slack
    )


def is_within(inner, outer, slack=1.0):
    return (
        inner.x0 >= outer.x0 - slack
        and inner.y0 >= outer.y0 - slack
        and inner.x1 <= outer.x1 + slack
        and inner.y1 <= outer.y1 + slack
    )


def check_room(ax):
    """Check that texts and boxes do not overlap and are inside the figure."""
    figure = ax.figure
    figure.draw_without_rendering()
    renderer = figure.canvas.get_renderer()
    words = [text.get_window_extent(renderer) for text in ax.texts]
    frames = [box.get_window_extent(renderer) for box in boxes(ax)]
    for group in (words, frames):
        for a, b in itertools.combinations(group, 2):
            assert not meets(a, b)
    for word in words:
        assert is_within(word, figure.bbox)
        for frame in frames:
            assert is_within(word, frame) or not meets(word, frame)
    for frame in frames:
        assert is_within(frame, figure.bbox)
