"""
Optimal against greedy at the same depth
========================================

This example compares greedy and optimal trees of the same depth, on their training rows
and on unseen rows.
"""

# %%
# The breast-cancer data: 569 tumours, 30 measurements. It is split in half six times:
# one half for training, the other one for testing.
#
# There are two optimal trees. By default the tree has as many thresholds as the search
# can handle in about a second; ``binarizer="mdlp"`` uses only thresholds at which the
# classes change: dozens instead of hundreds or thousands.

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from murtree import OptimalTreeClassifier

X, y = load_breast_cancer(return_X_y=True)
DEPTHS, SPLITS = (1, 2, 3, 4), 6


def trees_of(depth):
    """Return the trees to compare."""
    return {
        "greedy": DecisionTreeClassifier(max_depth=depth, random_state=0),
        "optimal": OptimalTreeClassifier(max_depth=depth),
        "optimal, MDLP": OptimalTreeClassifier(max_depth=depth, binarizer="mdlp"),
    }


def error_rates(seed):
    """Return the errors in percent, by depth, tree, and rows: old or new."""
    X_fit, X_new, y_fit, y_new = train_test_split(
        X, y, test_size=0.5, random_state=seed, stratify=y
    )
    return [
        [
            [100 - 100 * tree.score(X_fit, y_fit), 100 - 100 * tree.score(X_new, y_new)]
            for tree in trees_of(depth).values()
            if tree.fit(X_fit, y_fit)
        ]
        for depth in DEPTHS
    ]


rates = np.array([error_rates(seed) for seed in range(SPLITS)])

# %%
# The band around a line is one standard error of the mean over the splits.

COLOURS = ["#707070", "#0072B2", "#D55E00"]
mean, spread = rates.mean(axis=0), rates.std(axis=0, ddof=1) / np.sqrt(SPLITS)

figure, axes = plt.subplots(1, 2, figsize=(9, 4), layout="constrained", sharey=True)
for rows, title in enumerate(["Training rows", "New rows"]):
    ax = axes[rows]
    for tree, name in enumerate(trees_of(1)):
        colour = COLOURS[tree]
        line, width = mean[:, tree, rows], spread[:, tree, rows]
        ax.plot(DEPTHS, line, "o-", color=colour, label=name)
        ax.fill_between(DEPTHS, line - width, line + width, color=colour, alpha=0.15)
    ax.set(title=title, xlabel="depth", xticks=DEPTHS)
    ax.spines[["top", "right"]].set_visible(False)
axes[0].set(ylabel="errors, %", ylim=(0, None))
axes[0].legend(frameon=False)
plt.show()

# %%
# In training no tree of the same depth on the same thresholds can be better, and from
# depth two on the difference is large: by default an optimal tree of depth three makes
# fewer errors than a greedy one of depth four.

for depth, by_tree in zip(DEPTHS, mean, strict=True):
    for name, (fit, new) in zip(trees_of(depth), by_tree, strict=True):
        print(f"depth {depth}, {name + ':':15} {fit:.1f}% → {new:.1f}% on new rows")

# %%
# The proof does not extend to new rows. With thousands of thresholds, the optimal tree
# is about as good there as the greedy one. With few, well-chosen thresholds it is
# better at depth two and three. At depth four all trees overfit. So an optimal tree
# should be *small*, with a size chosen by cross-validation: see
# :ref:`sphx_glr_auto_examples_plot_3_choosing_the_size.py`.
