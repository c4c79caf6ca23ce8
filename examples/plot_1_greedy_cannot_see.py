"""
A pattern that greedy trees cannot see
======================================

A greedy tree chooses, at each node, the test with the largest immediate gain. On a
chessboard no single test helps: after any first split, both sides are as mixed as
before. Only several tests together separate the classes, and a search over whole trees
finds them.
"""

# %%
# A board of four by four squares with 600 points, some of them with the wrong colour.

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
# Both trees have depth four. That is enough for the whole board: two tests to find the
# quarter of the board, and two within it.

greedy = DecisionTreeClassifier(max_depth=4, random_state=0).fit(X, y)
optimal = OptimalTreeClassifier(max_depth=4).fit(X, y)

trees = {"Greedy": greedy, "Optimal": optimal}
errors = {name: int((tree.predict(X) != y).sum()) for name, tree in trees.items()}
print(errors)
print(f"lower bound {optimal.lower_bound_}: {optimal.status_}")

# %%
# The greedy tree cuts the board into strips and reaches its depth limit. The optimal
# tree splits at the middle lines first, although they gain nothing on their own.

COLOURS = ListedColormap(["#0072B2", "#E69F00"])
ticks = np.linspace(0, 4, 400)
board = np.array([[x0, x1] for x1 in ticks for x0 in ticks])

figure, axes = plt.subplots(1, 2, figsize=(9, 4.7), layout="constrained")
for ax, (name, tree) in zip(axes, trees.items(), strict=True):
    predicted = (tree.predict(board) == "orange").reshape(400, 400)
    ax.imshow(predicted, COLOURS, origin="lower", extent=(0, 4, 0, 4), alpha=0.3)
    ax.scatter(*X.T, c=is_orange, cmap=COLOURS, s=9)
    ax.set(title=f"{name}: {errors[name]} errors", xticks=range(5), yticks=range(5))
plt.show()

# %%
# The optimal tree, with its sixteen leaves:

ax = plot_tree(optimal, feature_names=["across", "along"])
plt.show()
