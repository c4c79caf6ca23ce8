"""Positions of the nodes of a drawn tree, without overlaps.

There are two directions, independent of the orientation: *along* is from the root to
the leaves, *across* from the first leaf to the last. Each level has its own band along.
Leaves have equal room across; a branching node is centred between its children.
"""

from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from murtree._tree.nodes import children_of, depths
from murtree._tree.tree import Tree

Floats = npt.NDArray[np.float64]


MOST_STRETCH = 3.0  # with larger distances nodes no longer look connected


@dataclass(frozen=True)
class Layout:
    """The position of each node, in points, starting at 0, 0."""

    level: npt.NDArray[np.int64]
    across: Floats  # the centre of each node
    along: Floats  # the start of each node
    band_end: Floats  # the end of each node's band
    size_across: float
    size_along: float

    def stretched(self, room_across: float, room_along: float) -> "Layout":
        """Return a layout with larger distances, if there is room."""
        span = float(np.ptp(self.across))
        factor = 1 + (room_across - self.size_across) / max(span, 1.0)
        factor = min(max(factor, 1.0), MOST_STRETCH) if span else 1.0
        n_gaps = int(self.level.max())
        extra = max(room_along - self.size_along, 0.0) / max(n_gaps, 1)
        extra = min(extra, self.size_along / max(n_gaps, 1) * (MOST_STRETCH - 1))
        first = float(self.across.min())
        return replace(
            self,
            across=(self.across - first) * factor + first,
            along=self.along + extra * self.level,
            band_end=self.band_end + extra * self.level,
            size_across=self.size_across + span * (factor - 1),
            size_along=self.size_along + extra * n_gaps,
        )


@dataclass(frozen=True)
class Sizes:
    """The size of each node and the distances between nodes, in points."""

    across: Floats
    along: Floats
    reach: Floats  # along, including parts that may extend into later levels
    gap_across: float
    gap_along: float


def place_nodes(tree: Tree, sizes: Sizes) -> Layout:
    """Return the layout of nodes with these sizes."""
    units, levels = _units(tree), depths(tree.children_left, tree.children_right)
    bands = np.zeros(int(levels.max()) + 1)
    np.maximum.at(bands, levels, sizes.along)
    ends = np.cumsum(bands + sizes.gap_along) - sizes.gap_along
    starts = ends - bands
    # Parts that extend into later levels need room there as well.
    reached = [
        (node, level)
        for node, last in enumerate(starts[levels] + sizes.reach)
        for level in range(levels[node], levels.max() + 1)
        if level == levels[node] or starts[level] < last + sizes.gap_across
    ]
    nodes, met = np.array(reached).T
    slot = _slot(units[nodes], met, sizes.across[nodes] + sizes.gap_across)
    centres = units * slot
    first = float((centres - sizes.across / 2).min())
    return Layout(
        level=levels,
        across=centres - first,
        along=starts[levels],
        band_end=ends[levels],
        size_across=float((centres + sizes.across / 2).max()) - first,
        size_along=float((starts[levels] + np.maximum(sizes.reach, sizes.along)).max()),
    )


def _units(tree: Tree) -> Floats:
    """Return the position of each node across, in leaves."""
    is_leaf = tree.feature < 0
    units = np.zeros(is_leaf.size)
    units[is_leaf] = np.arange(np.count_nonzero(is_leaf))
    for node in np.flatnonzero(~is_leaf)[::-1]:  # children come after their parents
        units[node] = units[[*children_of(tree, node)]].mean()
    return units


def _slot(units: Floats, levels: npt.NDArray[np.int64], room: Floats) -> float:
    """Return the minimum room per leaf at which nodes of a level do not overlap."""
    order = np.lexsort((units, levels))
    here, there = order[:-1], order[1:]
    same = levels[here] == levels[there]
    here, there = here[same], there[same]
    needed = (room[here] + room[there]) / 2 / (units[there] - units[here])
    return float(needed.max(initial=0.0))
