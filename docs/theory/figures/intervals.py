"""Intervals of the root's threshold closing, on scikit-learn's breast cancer data."""

from itertools import pairwise

import numpy as np
from drawing import BLUE, GREEN, GREY, ORANGE, new_figure
from matplotlib.patheffects import withStroke
from sklearn.datasets import load_breast_cancer

data = load_breast_cancer()
sign = np.where(data.target == 1, 1, -1)
by_column = np.argsort(data.data, axis=0, kind="stable")


def least_errors(rows):
    """Return the errors of the best tree of depth one for some of the rows."""
    n, best = rows.sum(), 0
    for column, every in enumerate(by_column.T):
        order = every[rows[every]]
        values, sums = data.data[order, column], sign[order].cumsum()
        may_end = np.append(values[1:] != values[:-1], True)
        best = max(best, *(np.abs(sums) + np.abs(sums[-1] - sums))[may_end])
    return (n - best) // 2


class Root:
    """The positions of a column as the root, and the least errors of both sides."""

    def __init__(self, column):
        self.order = by_column[:, column]
        values = data.data[self.order, column]
        self.positions = np.flatnonzero(values[1:] != values[:-1]) + 1
        self.known = {0: (0, WHOLE), len(values): (WHOLE, 0)}

    def sides(self, position):
        """Return the least errors on the left and on the right."""
        if position not in self.known:
            is_left = np.zeros(len(self.order), bool)
            is_left[self.order[:position]] = True
            self.known[position] = least_errors(is_left), least_errors(~is_left)
        return self.known[position]

    def search(self, best):
        """Yield evaluated positions, and the errors of the best tree until then."""
        gaps = [(0, len(self.order))]
        while gaps:
            x, y = gaps.pop(0)
            (low_left, low_right), (high_left, high_right) = map(self.sides, (x, y))
            first = x + max(low_left + low_right - best, 0)
            last = y - max(high_left + high_right - best, 0)
            between = (self.positions > first) & (self.positions < last)
            bound = max(low_left + high_right, high_left + low_right - (y - x))
            if bound >= best or not between.any():
                continue
            inside = self.positions[between]
            middle = int(inside[np.abs(inside - inside[[0, -1]].mean()).argmin()])
            best = min(best, sum(self.sides(middle)))
            yield middle
            gaps += [(x, middle), (middle, y)]


WHOLE = least_errors(np.ones(len(sign), bool))
roots = [Root(column) for column in range(len(data.feature_names))]
BEST = 22  # errors of the best tree of depth two
names = list(data.feature_names)
shown = roots[names.index("worst smoothness")]
evaluated = list(shown.search(BEST))
all_errors = [sum(shown.sides(position)) for position in shown.positions]
assert min(all_errors) == BEST
counts = sorted((len(list(root.search(BEST))) for root in roots), reverse=True)

figure, (ax, bars) = new_figure(9.5, 4, columns=2, width_ratios=[2.2, 1])
ax.plot(shown.positions, all_errors, color=GREY, lw=0.9)
ax.axhline(BEST, color=ORANGE, lw=1.2)
ax.text(5, BEST - 0.6, "ub, the best tree", color=ORANGE, va="top")
known = sorted([0, len(sign), *evaluated])
for x, y in pairwise(known):
    (low_left, low_right), (high_left, high_right) = map(shown.sides, (x, y))
    bound = max(low_left + high_right, high_left + low_right - (y - x))
    assert bound >= BEST
    ax.plot([x, y], [bound, bound], color=GREEN, lw=2)
ax.text(35, 30.4, "bounds of\nthe intervals", color=GREEN, va="top")
for number, position in enumerate([0, len(sign), *evaluated], start=-1):
    errors = sum(shown.sides(position))
    spare = errors - BEST  # rows that a threshold may move by
    ends = np.clip([position - spare, position, position + spare], 0, len(sign))
    tops = errors - np.abs(ends - position)
    ax.fill_between(ends, tops, BEST, color=BLUE, alpha=0.25, lw=0)
    ax.plot(position, errors, "o", color=BLUE, ms=4.5, clip_on=False)
    if 0 < number <= 7:
        at = (position, errors)
        mark = ax.annotate(
            f"{number}", at, (0, 6), textcoords="offset points", ha="center", fontsize=9
        )
        mark.set_path_effects([withStroke(linewidth=3, foreground="white")])
of_all = f"{len(evaluated)} of {len(shown.positions)} positions"
ax.set(title=f"Root worst smoothness: {of_all}")
ax.set(xlabel="rows left of the threshold", ylabel="least errors V")
ax.set(xlim=(0, len(sign)), ylim=(18, 46))
bars.barh(range(len(counts)), counts, color=BLUE, height=0.7)
of_each = "positions evaluated,\nof 410 to 546 per column"
bars.set(title="All columns as the root", xlabel=of_each, ylabel="root column")
bars.set(yticks=[], xticks=[0, 5, 10], ylim=(len(counts) - 0.4, -0.6))
