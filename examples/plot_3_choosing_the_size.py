"""
Choosing the size on the frontier
=================================

One fit gives the best tree of *every* size. Choose a size from the curve, or by
cross-validation.
"""

# %%
# One search for all sizes
# ------------------------
# ``frontier=True`` finds the best tree with at most 0, 1, 2, … branching nodes, each
# with its own proof. `plot_frontier` draws their training errors and, given other rows,
# their validation errors.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from murtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    plot_frontier,
    plot_tree,
)

data = load_breast_cancer(as_frame=True)
y = data.target_names[data.target]
X_fit, X_new, y_fit, y_new = train_test_split(
    data.data, y, test_size=0.4, random_state=1, stratify=y
)

sizes = OptimalTreeClassifier(max_depth=4, frontier=True, binarizer="mdlp")
sizes.fit(X_fit, y_fit)
print(sizes.frontier_)

ax = plot_frontier(sizes, X=X_new, y=y_new)
ax.set_title("The best tree of every size")
plt.show()

# %%
# The training error never increases with the number of nodes. The validation error soon
# stops falling.
#
# Every price at once
# -------------------
# A price on nodes is another way to choose a size. The same frontier covers all prices:
# ``breakpoints`` are the prices at which the best tree changes.

for price, n_nodes in sizes.frontier_.breakpoints:
    print(f"below {price:.4f} of the rows a node: {n_nodes} nodes")

# %%
# By cross-validation
# -------------------
# `OptimalTreeClassifierCV` computes such a curve in each fold. With
# ``one_standard_error`` it chooses the smallest tree that is not clearly worse than the
# best.

chosen = OptimalTreeClassifierCV(
    estimator=OptimalTreeClassifier(binarizer="mdlp"),
    max_depth=4,
    one_standard_error=True,
)
chosen.fit(X_fit, y_fit)
print(chosen.best_params_)
print(f"on new rows {chosen.score(X_new, y_new):.3f}")

ax = plot_tree(chosen)
plt.show()

# %%
# With two tests, more than nine in ten tumours are classified correctly.
