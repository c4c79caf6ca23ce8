"""What the figures share: the data, the colours, the plain look.

The data is the same in all of them: 1,797 handwritten digits of 8 by 8 pixels, inked or
not, and the question whether the digit is odd.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits

from murtree import Solver

BLUE, ORANGE, GREEN, GREY, PALE = "#0072B2", "#D55E00", "#009E73", "#707070", "#DADADA"

_digits = load_digits()
_inked = _digits.data > 7
PIXELS = np.flatnonzero(_inked.any(axis=0) & ~_inked.all(axis=0))  # those that vary
X = _inked[:, PIXELS].astype(np.int64)
y = _digits.target % 2


def new_figure(width, height, columns=1, **grid):
    """Return a figure and its axes, without frames that say nothing."""
    plt.rcParams.update({"font.size": 10, "axes.titlesize": 10.5})
    figure, axes = plt.subplots(
        1, columns, figsize=(width, height), layout="constrained", gridspec_kw=grid
    )
    for ax in np.atleast_1d(axes):
        ax.spines[["top", "right"]].set_visible(False)
    return figure, axes


def as_image(values):
    """Return a number for each pixel that varies as an image; NaN elsewhere."""
    image = np.full(64, np.nan)
    image[PIXELS] = values
    return image.reshape(8, 8)


def place(column):
    """Return the column and the row of a pixel in the image, to mark it."""
    row, across = divmod(int(PIXELS[column]), 8)
    return across, row


def parts():
    """Return the rows of all parts: of those without and with each pixel."""
    return {(f, side): X[:, f] == side for f in range(X.shape[1]) for side in (0, 1)}


def least_errors(rows, depth):
    """Return the errors of the best tree for some of the rows."""
    if rows.sum() < 2:
        return 0
    return Solver(X[rows], y[rows]).solve(depth).objective
