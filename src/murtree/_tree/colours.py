"""Colours of classes and values, shared by plots and notebooks."""

from collections.abc import Sequence

# Okabe and Ito, Color Universal Design (2008), without black: for up to seven classes.
SEVEN = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#56B4E9", "#CC79A7", "#F0E442"]
# Petroff, Accessible Color Sequences for Data Visualization (2021): for up to ten.
_TEN = ["#3F90DA", "#FFA90E", "#BD1F01", "#94A4A2", "#832DB6"]
_TEN += ["#A96B59", "#E76300", "#B9AC70", "#717581", "#92DADD"]
# Nine evenly spaced colours of viridis (Smith and van der Walt, 2015).
_MANY = ["#440154", "#472D7B", "#3B528B", "#2C728E", "#21918C"]
_MANY += ["#28AE80", "#5EC962", "#ADDC30", "#FDE725"]
# The lighter part of YlGnBu (Brewer, ColorBrewer), for values in increasing order.
_VALUES = ["#F4FBC0", "#D5EFB3", "#99D7B8", "#57BEC1", "#2A9EC1"]


def class_colours(n_classes: int) -> list[str]:
    """Return a colour for each class; up to ten are colour-blind safe."""
    for colours in (SEVEN, _TEN):
        if n_classes <= len(colours):
            return list(colours[:n_classes])
    return [
        colour_between(_MANY, index / (n_classes - 1)) for index in range(n_classes)
    ]


def value_colour(value: float, low: float, high: float) -> str:
    """Return the colour of a value in the range from `low` to `high`."""
    return colour_between(_VALUES, share_between(value, low, high))


def share_between(value: float, low: float, high: float) -> float:
    """Return the relative position of a value between `low` (0) and `high` (1)."""
    # Halves, because the difference could overflow.
    half_range = high / 2 - low / 2
    return (value / 2 - low / 2) / half_range if half_range > 0 else 0.0


def colour_between(colours: Sequence[str], share: float) -> str:
    """Return the interpolated colour at `share` between the first and the last."""
    position = share * (len(colours) - 1)
    before = min(int(position), len(colours) - 2)
    weight = position - before
    pairs = zip(_parts(colours[before]), _parts(colours[before + 1]), strict=True)
    mixed = (round(low + weight * (high - low)) for low, high in pairs)
    return "#" + "".join(f"{part:02X}" for part in mixed)


def _parts(colour: str) -> list[int]:
    return [int(colour[start : start + 2], 16) for start in (1, 3, 5)]
