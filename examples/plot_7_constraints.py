"""
Trees that keep to your rules
=============================

Some columns must stay out of a tree, some are dear to measure, and sometimes the first
question is settled before any data is seen. Each of these is a parameter, and the tree
is the best of all that keep to it: the price of a wish is known exactly.
"""

# %%
# Few columns
# -----------
# A tree of depth three may ask about seven measurements. What if only a few of the
# thirty can be taken? ``max_distinct_features`` finds the best tree that asks about
# so many.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer

from murtree import OptimalTreeClassifier, TableBinarizer, plot_tree

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
ask = {"max_depth": 3, "binarizer": TableBinarizer(n_thresholds=8)}

free = OptimalTreeClassifier(**ask).fit(X, y)
n_free = len(set(free.tree_.feature) - {-2})
few = {
    k: OptimalTreeClassifier(max_distinct_features=k, **ask).fit(X, y)
    for k in range(1, n_free)
}
errors = {k: clf.objective_ for k, clf in few.items()} | {n_free: free.objective_}

figure, ax = plt.subplots(figsize=(7, 3.6), layout="constrained")
bars = ax.bar(errors.keys(), errors.values(), color="#0072B2", width=0.6)
ax.bar_label(bars)
ax.set(xlabel="columns that the tree may ask about", ylabel="least errors of 569")
ax.spines[["top", "right"]].set_visible(False)
plt.show()

# %%
# Every bar is a proof: no tree of depth three with two columns makes fewer errors
# than that. With three columns instead of six it is four errors more.

ax = plot_tree(few[3])
plt.show()

# %%
# Columns that must stay out
# --------------------------
# All that is called "worst" needs a second look at the images. Without it:

second_look = [name for name in X.columns if name.startswith("worst")]
without = OptimalTreeClassifier(forbidden_features=second_look, **ask).fit(X, y)
print(f"{free.objective_} errors with the second look, {without.objective_} without")

# %%
# A first question that is settled
# --------------------------------
# The doctors ask about the radius first, at 15, whatever the data says. What follows
# is found, and so is the best test of the texture on the left side.

top = {"feature": "mean radius", "threshold": 15.0, "left": {"feature": "mean texture"}}
settled = OptimalTreeClassifier(partial_tree=top, **ask).fit(X, y)
print(f"{settled.objective_} errors, {settled.status_}")

ax = plot_tree(settled)
plt.show()
