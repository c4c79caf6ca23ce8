"""What all plots share: the axes to draw on, and colours."""

from typing import Any

from matplotlib import colormaps
from matplotlib.axes import Axes
from matplotlib.colors import to_hex, to_rgb

# Okabe and Ito, Color Universal Design (2008), without black: for up to seven classes.
_SEVEN = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442"]
# Petroff, Accessible Color Sequences for Data Visualization (2021): for up to ten.
_TEN = ["#3F90DA", "#FFA90E", "#BD1F01", "#94A4A2", "#832DB6"]
_TEN += ["#A96B59", "#E76300", "#B9AC70", "#717581", "#92DADD"]
FIRST, SECOND = _SEVEN[0], _SEVEN[3]  # of two curves
PADDING = 0.04  # inches around the axes of a new figure
GREY, PALE, DARK = "#707070", "#DADADA", "#404040"


def check_axes(ax: Any, owner: str) -> None:
    """Refuse what cannot be drawn on."""
    if ax is not None and not isinstance(ax, Axes):
        raise TypeError(
            f"The 'ax' parameter of {owner} must be an Axes of matplotlib or None. "
            f"Got {ax!r} instead."
        )


def new_axes(size: tuple[float, float] | None = None) -> Axes:
    """Return the axes of a new figure, of a size in points if one is given.

    It is one of pyplot, so that a notebook shows it; a later title finds room.
    """
    # Not before: with axes of the user's own, pyplot and its windows are not needed.
    import matplotlib.pyplot as plt  # noqa: PLC0415

    if size is None:
        return plt.figure(layout="constrained").add_subplot()
    padded = (size[0] / 72 + 2 * PADDING, size[1] / 72 + 2 * PADDING)
    figure = plt.figure(figsize=padded, layout="constrained")
    figure.get_layout_engine().set(w_pad=PADDING, h_pad=PADDING)  # type: ignore[union-attr, call-arg]
    return figure.add_subplot()


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class; up to ten are safe for the colour-blind."""
    if n_classes <= len(_SEVEN):
        return _SEVEN[:n_classes]
    if n_classes <= len(_TEN):
        return _TEN[:n_classes]
    scale = colormaps["viridis"]
    return [to_hex(scale(place / (n_classes - 1))) for place in range(n_classes)]


def tint(colour: str, strength: float) -> tuple[float, float, float]:
    """Return a colour mixed with white: pale enough for black text at any strength."""
    share = 0.12 + 0.58 * strength
    red, green, blue = (1 - share * (1 - part) for part in to_rgb(colour))
    return red, green, blue
