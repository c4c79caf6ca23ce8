"""Score against size: both relative to tuned greedy trees of depth four."""

import numpy as np
from shared import colour_of, compare, drawing, gains_of, page

PANELS = {"accuracy": "Accuracy", "r2": "R²"}
SHAPES = dict(zip(page.NAMES, "os^-vDPXH8psh<>d", strict=True))  # of a forest a line

figure, axes = drawing.new_figure(10, 4, columns=2)
for ax, (score, title) in zip(axes, PANELS.items(), strict=True):
    for method, name in page.NAMES.items():
        gains, pairs = gains_of(score, method)
        if not gains:
            continue
        ratio, look = compare.leaves_ratio(pairs), {"color": colour_of(method)}
        if ratio is None:
            ax.axhline(np.mean(gains), lw=1.2, ls="--", label=name, **look)
        else:
            shape = SHAPES[method]
            ax.plot(ratio, np.mean(gains), shape, ms=8, mec="w", label=name, **look)
    ax.set_xscale("log")
    ax.set(title=title, xlabel="leaves, as a multiple of tuned CART's")
    ax.margins(0.12)
    ax.set_xticks([0.5, 1, 2, 4])
    ax.xaxis.set_minor_locator(drawing.plt.NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")
    ax.grid(color=drawing.PALE, lw=0.6)
    ax.set_axisbelow(True)
axes[0].set_ylabel("points, method minus tuned CART")
handles, labels = axes[0].get_legend_handles_labels()
figure.legend(handles, labels, loc="outside right center", frameon=False, fontsize=9)
