"""The similarity bound: no part lies below what one solved part says of it."""

import numpy as np
from drawing import BLUE, GREY, ORANGE, PALE, least_errors, new_figure, parts
from matplotlib.patches import Rectangle

DEPTH = 3
rows = parts()
cost = {part: least_errors(where, DEPTH) for part, where in rows.items()}
old = max(cost, key=cost.get)
lost = np.array([(rows[old] & ~where).sum() for where in rows.values()])
costs = np.array(list(cost.values()))
bound = np.maximum(cost[old] - lost, 0)
assert (costs >= bound).all()

figure, (sketch, ax) = new_figure(9, 3.7, columns=2, width_ratios=[1, 1.5])
sketch.set(xlim=(0, 10), ylim=(0, 8), title="What may be lost")
sketch.axis("off")
sketch.add_patch(Rectangle((0.5, 3), 6.5, 3.5, fc=ORANGE, alpha=0.25))
sketch.add_patch(Rectangle((2.5, 1.5), 7, 3.5, fc=BLUE, alpha=0.25))
sketch.text(0.7, 6.0, "old, solved: T(old)", color=ORANGE)
sketch.text(9.3, 1.8, "new: T(new) ≥ ?", color=BLUE, ha="right")
sketch.text(4.75, 4.0, "both", ha="center", va="center")
sketch.text(1.5, 4.0, "old\nonly", ha="center", va="center")
sketch.text(5, 0.4, "T(new) ≥ T(old) − |old only|", ha="center", weight="bold")

reach = np.array([0, cost[old]])
ax.fill_between(reach, cost[old] - reach, color=PALE, alpha=0.6)
ax.plot(reach, cost[old] - reach, color=ORANGE, lw=2)
near = lost <= 1.6 * cost[old]
ax.plot(lost[near], costs[near], "o", color=BLUE, ms=4.5)
ax.text(
    0.3 * cost[old], 0.25 * cost[old], "excluded by\nthe bound", color=GREY, ha="center"
)
ax.annotate(
    "T(old) − |old only|",
    (0.55 * cost[old], 0.45 * cost[old]),
    (0.75 * cost[old], 0.62 * cost[old]),
    color=ORANGE,
)
ax.set(xlabel="rows of the old part that the new one lacks", ylabel="least errors")
ax.set(title="One solved part and the others", xlim=(0, None), ylim=(0, None))
