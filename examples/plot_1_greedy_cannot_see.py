"""
A pattern that greedy trees cannot see
======================================

A greedy tree takes, at each node, the test that helps most at once. A chessboard has no
such test: whatever line one draws first, both sides are as mixed as before. Several
tests together tell all, and a search that looks at whole trees finds them.
"""

# %%
# A board of four by four squares and 600 points on it, some of them on the wrong
# colour.

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.colors import ListedColormap
from sklearn.tree import DecisionTreeClassifier

from murtree import OptimalTreeClassifier, plot_tree

rng = np.random.default_rng(0)
X = rng.uniform(0, 4, (600, 2))
is_flipped = rng.random(600) < 0.05
is_orange = (X.astype(int).sum(axis=1) % 2 == 1) ^ is_flipped
y = np.where(is_orange, "orange", "blue")
print(f"{is_flipped.sum()} points are on the wrong colour")

# %%
# Both trees may ask four questions in a row. That is enough for the whole board: two
# to find the quarter of the board, and two within it.

greedy = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
optimal = OptimalTreeClassifier(max_depth=4).fit(X, y)

trees = {"Greedy": greedy, "Optimal": optimal}
errors = {name: int((tree.predict(X) != y).sum()) for name, tree in trees.items()}
print(errors)
print(f"lower bound {optimal.lower_bound_}: {optimal.status_}")

# %%
# The greedy tree cuts the board into strips and runs out of questions. The optimal
# one draws the middle lines first, though they gain nothing on their own.

COLOURS = ListedColormap(["#0072B2", "#E69F00"])
ticks = np.linspace(0, 4, 400)
board = np.array([[x0, x1] for x1 in ticks for x0 in ticks])

figure, axes = plt.subplots(1, 2, figsize=(9, 4.7), layout="constrained")
for ax, (name, tree) in zip(axes, trees.items(), strict=True):
    says_orange = (tree.predict(board) == "orange").reshape(400, 400)
    ax.imshow(says_orange, COLOURS, origin="lower", extent=(0, 4, 0, 4), alpha=0.3)
    ax.scatter(*X.T, c=is_orange, cmap=COLOURS, s=9)
    ax.set(title=f"{name}: {errors[name]} errors", xticks=range(5), yticks=range(5))
plt.show()

# %%
# The tree itself, with its sixteen leaves:

ax = plot_tree(optimal, feature_names=["across", "along"])
plt.show()
