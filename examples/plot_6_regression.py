"""
A regression tree for diabetes
==============================

Numeric targets instead of classes: 442 patients, ten measurements, and the progression
of the disease after one year. A leaf predicts the mean of its patients, and the tree
has the smallest squared error of all trees of its size.
"""

# %%
# Optimal and greedy
# ------------------
# The share of the variance explained by trees of depth three, by their number of nodes.
# One frontier has all optimal trees. In scikit-learn ``max_leaf_nodes`` is the number
# of nodes plus one.

import matplotlib.pyplot as plt
from sklearn.datasets import load_diabetes
from sklearn.tree import DecisionTreeRegressor

from murtree import OptimalTreeRegressor, OptimalTreeRegressorCV, plot_tree

data = load_diabetes(as_frame=True, scaled=False)
X, y = data.data, data.target

sizes = OptimalTreeRegressor(max_depth=3, frontier=True).fit(X, y)
n_nodes = range(1, 8)
optimal = [
    1 - sizes.frontier_[n].objective / sizes.frontier_[0].objective for n in n_nodes
]
greedy = [
    DecisionTreeRegressor(max_depth=3, max_leaf_nodes=n + 1, random_state=0)
    .fit(X, y)
    .score(X, y)
    for n in n_nodes
]

figure, ax = plt.subplots(figsize=(7, 4), layout="constrained")
ax.plot(n_nodes, optimal, "o-", color="#0072B2", label="optimal")
ax.plot(n_nodes, greedy, "o-", color="#707070", label="greedy")
ax.set(xlabel="nodes", ylabel="R² in training", xticks=n_nodes)
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False)
plt.show()

# %%
# The greedy tree is good on this data, which only the comparison with the optimal tree
# can show: the distance between the lines is the largest possible improvement.

gain = max(best - other for best, other in zip(optimal, greedy, strict=True))
print(f"at most {gain:.3f} of R²; all sizes {sizes.frontier_.status}")

# %%
# How large?
# ----------
# Cross-validation chooses the number of nodes:

chosen = OptimalTreeRegressorCV(max_depth=3, one_standard_error=True).fit(X, y)
print(chosen.best_params_, f"R² on left-out rows {chosen.best_score_:.2f}")

ax = plot_tree(chosen)
plt.show()

# %%
# The logarithm of triglycerides (``s5``) and the body-mass index are the most important
# features.
#
# Medians instead of means
# ------------------------
# With ``objective="absolute_error"`` leaves predict medians, which are robust to
# outliers. Targets are integers here, so the proof is exact.

robust = OptimalTreeRegressor(max_depth=2, objective="absolute_error").fit(X, y)
print(f"mean distance {robust.objective_ / len(y):.1f}, {robust.status_}")
