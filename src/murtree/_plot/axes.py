"""Axes and colours of all plots."""

from typing import Any

from matplotlib.axes import Axes
from matplotlib.colors import to_rgb

from murtree._tree.colours import SEVEN

FIRST, SECOND = SEVEN[0], SEVEN[3]  # of two curves
PADDING = 0.04  # inches around the axes of a new figure
GREY, PALE, DARK = "#707070", "#DADADA", "#404040"


def check_axes(ax: Any, owner: str) -> None:
    """Raise if an object is not axes of matplotlib."""
    if ax is not None and not isinstance(ax, Axes):
        raise TypeError(
            f"The 'ax' parameter of {owner} must be an Axes of matplotlib or None. "
            f"Got {ax!r} instead."
        )


def current_axes() -> Axes | None:
    """Return the current axes, cleared; None if there is no figure."""
    # Imported here: pyplot and its windows are not needed with the user's own axes.
    import matplotlib.pyplot as plt  # noqa: PLC0415

    if not plt.get_fignums():
        return None
    ax = plt.gca()
    ax.clear()
    return ax


def new_axes(size: tuple[float, float] | None = None) -> Axes:
    """Return the axes of a new figure, of a size in points if one is given.

    The figure belongs to pyplot, so that notebooks show it; a later title has room.
    """
    import matplotlib.pyplot as plt  # noqa: PLC0415 - as above

    if size is None:
        return plt.figure(layout="constrained").add_subplot()
    padded = (size[0] / 72 + 2 * PADDING, size[1] / 72 + 2 * PADDING)
    figure = plt.figure(figsize=padded, layout="constrained")
    figure.get_layout_engine().set(w_pad=PADDING, h_pad=PADDING)  # type: ignore[union-attr, call-arg]
    return figure.add_subplot()


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """Return a colour mixed with white, light enough for black text."""
    share = 0.12 + 0.58 * strength
    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue
