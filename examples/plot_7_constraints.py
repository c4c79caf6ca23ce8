"""
Trees with constraints
======================

Some columns must not be used, some are expensive to measure, and sometimes the first
test is given. Each of these constraints is a parameter, and the tree is optimal among
all that satisfy it, so the cost of a constraint is known exactly.
"""

# %%
# Few columns
# -----------
# A tree of depth three may test up to seven measurements. With
# ``max_distinct_features`` it uses only a few of the thirty.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from murtree import OptimalTreeClassifier, TableBinarizer, plot_tree

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
settings = {"max_depth": 3, "binarizer": TableBinarizer(n_thresholds=8)}

free = OptimalTreeClassifier(**settings).fit(X, y)
n_free = len(set(free.tree_.feature) - {-2})
few = {
    k: OptimalTreeClassifier(max_distinct_features=k, **settings).fit(X, y)
    for k in range(1, n_free)
}
errors = {k: clf.objective_ for k, clf in few.items()} | {n_free: free.objective_}

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
bars = ax.bar(errors.keys(), errors.values(), color="#0072B2", width=0.6)
ax.bar_label(bars)
ax.set(xlabel="columns that the tree may test", ylabel="least errors of 569")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Every bar is a proof: no tree of depth three with two columns makes fewer errors than
# that. Three columns instead of six cost four more errors.

ax = plot_tree(few[3])
plt.show()

# %%
# Columns that must stay out
# --------------------------
# Suppose that the columns called "worst" need a second look at the images. Without
# them:

second_look = [name for name in X.columns if name.startswith("worst")]
without = OptimalTreeClassifier(forbidden_features=second_look, **settings).fit(X, y)
print(f"{free.objective_} errors with the second look, {without.objective_} without")

# %%
# A given first test
# ------------------
# The first test is prescribed: the radius at 15. The rest of the tree is optimised,
# including the threshold of the texture on the left side.

top = {"feature": "mean radius", "threshold": 15.0, "left": {"feature": "mean texture"}}
settled = OptimalTreeClassifier(partial_tree=top, **settings).fit(X, y)
print(f"{settled.objective_} errors, {settled.status_}")

ax = plot_tree(settled)
plt.show()
