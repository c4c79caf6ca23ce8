"""The mean difference of each method to tuned greedy trees, for each score."""

import numpy as np
from shared import colour_of, compare, drawing, gains_of, page

names = {
    method: name
    for method, name in page.NAMES.items()
    if method != page.REFERENCE and len(gains_of("accuracy", method)[0]) > 1
}
figure, axes = drawing.new_figure(10, 1.2 + 0.3 * len(names), columns=4)
for ax, (score, title) in zip(axes, page.SCORE_NAMES.items(), strict=True):
    for place, method in enumerate(names):
        gains, _ = gains_of(score, method)
        if len(gains) > 1:
            half = compare.interval(gains)
            colour = colour_of(method)
            ax.errorbar(np.mean(gains), place, xerr=half, fmt="o", color=colour, ms=5)
    ax.axvline(0, color=drawing.GREY, lw=1)
    ax.set(title=title[:1].upper() + title[1:], ylim=(len(names) - 0.5, -0.5))
    ax.set_yticks(range(len(names)), list(names.values()) if ax is axes[0] else [])
    ax.grid(axis="x", color=drawing.PALE, lw=0.6)
    ax.set_axisbelow(True)
    ax.tick_params(left=False)
    ax.spines["left"].set_visible(False)
text = "points, method minus tuned CART of depth 4; right is better"
figure.supxlabel(text, fontsize=10)
