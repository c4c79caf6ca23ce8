"""Depth two from pair counts: all of them, those of one root, the best tree of each."""

import numpy as np
from drawing import ORANGE, X, as_image, new_figure, place, y
from matplotlib.patheffects import withStroke

from murtree import Solver

sign = np.where(y == 1, 1, -1)
pairs = X.T @ (sign[:, None] * X)
single, total = np.diag(pairs), sign.sum()


def margins(counts, of_part):
    """Return the best margin of each root's part, from its extreme pair counts."""
    highest, lowest = counts.max(axis=1), counts.min(axis=1)
    return np.maximum(2 * highest - of_part, of_part - 2 * lowest)


margin = margins(pairs, single) + margins(single[None, :] - pairs, total - single)
errors = (len(y) - margin) // 2
root = int(errors.argmin())
assert errors[root] == Solver(X, y).solve(max_depth=2).objective

figure, axes = new_figure(9, 3.5, columns=3)
limit = np.abs(pairs[root]).max()
odd_or_even = {"cmap": "RdBu_r", "vmin": -limit, "vmax": limit}
axes[0].imshow(pairs, **odd_or_even)
axes[0].axhline(root, color="black", lw=1.2)
axes[0].set(title=f"1. Pair counts, {len(pairs)} × {len(pairs)}")
axes[0].set(xticks=[], yticks=[root], yticklabels=["root"])
seen = axes[1].imshow(as_image(pairs[root]), **odd_or_even)
for child, mark in ((pairs[root].argmax(), "+"), (pairs[root].argmin(), "−")):
    shown = axes[1].text(*place(child), mark, ha="center", va="center", size=16)
    shown.set(weight="bold", path_effects=[withStroke(linewidth=3, foreground="white")])
axes[1].set(title="2. One row, as an image")
figure.colorbar(seen, ax=axes[1], location="bottom", label="odd minus even", shrink=0.9)
found = axes[2].imshow(as_image(errors), cmap="viridis_r")
axes[2].plot(*place(root), "s", mfc="none", mec=ORANGE, mew=2.5, ms=15)
axes[2].set(title="3. Best tree of each root")
figure.colorbar(found, ax=axes[2], location="bottom", label="errors", shrink=0.9)
for ax in axes[1:]:
    ax.set(xticks=[], yticks=[])
for ax in axes:
    ax.spines[:].set_visible(False)
