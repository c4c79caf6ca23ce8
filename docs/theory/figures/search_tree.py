"""The first level of a search at depth four: each pixel as the root, and its fate."""

from collections import Counter

from drawing import (
    BLUE,
    GREEN,
    GREY,
    ORANGE,
    PALE,
    X,
    least_errors,
    new_figure,
    parts,
    y,
)
from matplotlib.patches import Patch

from murtree import Solver

DEPTH = 4
rows = parts()
shallow = {part: least_errors(where, DEPTH - 2) for part, where in rows.items()}
pixels = sorted(range(X.shape[1]), key=lambda f: shallow[f, 0] + shallow[f, 1])
before = min(shallow[f, 0] + shallow[f, 1] for f in pixels)  # at depth three
best, solved, tried = before, {}, []


def bound(part):
    """Return what similar parts and the parent say of a part."""
    where, sibling = rows[part], rows[part[0], 1 - part[1]]
    known = [cost - (rows[other] & ~where).sum() for other, cost in solved.items()]
    return max(0, before - sibling.sum(), *known)


def leaf(part):
    """Return the errors of a lone leaf."""
    return min((y[rows[part]] == label).sum() for label in (0, 1))


for pixel in pixels:
    first, second = sorted([(pixel, 0), (pixel, 1)], key=leaf, reverse=True)
    costs, fate = [bound(first), bound(second)], "bounds"
    if sum(costs) < best:
        solved[first] = least_errors(rows[first], DEPTH - 1)
        costs, fate = [solved[first], bound(second)], "one part"
    if sum(costs) < best:
        solved[second] = least_errors(rows[second], DEPTH - 1)
        costs, fate = [solved[first], solved[second]], "both parts"
        best = min(best, sum(costs))
    tried.append((costs, fate, best))
assert best == Solver(X, y).solve(max_depth=DEPTH).objective

colours = {"both parts": BLUE, "one part": ORANGE, "bounds": GREEN}
figure, ax = new_figure(9, 4)
for column, (costs, fate, _) in enumerate(tried):
    ax.bar(column, costs[0], color=colours[fate], width=0.8)
    second_colour = colours[fate] if fate == "both parts" else PALE
    ax.bar(column, costs[1], bottom=costs[0], color=second_colour, width=0.8, alpha=0.6)
incumbents = [before, *(best for *_, best in tried)]
places = [-0.5, *range(len(tried))]
ax.step(places, incumbents, where="post", color="black", lw=1.6)
ax.text(len(tried) - 0.3, best, f"{best}", va="center")
counts = Counter(fate for _, fate, _ in tried)
words = {
    "both parts": "both parts solved",
    "one part": "one part solved, with too many errors already",
    "bounds": "bounds alone: nothing solved",
}
keys = [
    Patch(color=colours[fate], label=f"{counts[fate]}  {text}")
    for fate, text in words.items()
]
keys.append(Patch(color="black", label="best tree so far"))
ax.legend(handles=keys, frameon=False, loc="upper left", ncols=2, fontsize=9)
ax.set(xlabel="pixels as the root, in the order they are tried", ylabel="errors")
ax.set(xticks=[], xlim=(-0.7, len(tried) + 1), ylim=(0, 265))
ax.tick_params(colors=GREY)
