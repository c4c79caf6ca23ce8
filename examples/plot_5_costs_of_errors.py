"""
What errors cost: costs and the Pareto front
============================================

Classifying a malignant tumour as benign is worse than a false alarm. The costs can be
given before the search, as a matrix; or the tree can be chosen afterwards from all
optimal trade-offs between the two kinds of errors.
"""

# sphinx_gallery_thumbnail_number = 2

# %%
# A matrix of costs
# -----------------
# Rows are true classes, columns predicted classes, both in sorted order. Here a missed
# malignant tumour costs ten times as much as a false alarm.

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.metrics import confusion_matrix

from murtree import OptimalTreeClassifier, plot_pareto_front, plot_tree

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]

plain = OptimalTreeClassifier(max_depth=2).fit(X, y)
careful = OptimalTreeClassifier(max_depth=2, objective=[[0, 1], [10, 0]]).fit(X, y)

for name, clf in {"plain": plain, "careful": careful}.items():
    (_, false_alarms), (missed, _) = confusion_matrix(y, clf.predict(X))
    print(f"{name}: {false_alarms} false alarms, {missed} missed; {clf.status_}")

# %%
# Both trees are proven optimal, each for its own objective. The careful one misses
# fewer tumours at the price of more false alarms:

ax = plot_tree(careful)
plt.show()

# %%
# All trade-offs at once
# ----------------------
# If the cost of a missed tumour is unknown, look at all trade-offs first. The Pareto
# front has a tree for every pair of errors that no other tree of depth two improves in
# both.

chooser = OptimalTreeClassifier(max_depth=2, objective="f1", pareto_front=True)
front = chooser.fit(X, y).pareto_front_
print(front)

ax = plot_pareto_front(chooser)
(_, false_alarms), (missed, _) = confusion_matrix(y, careful.predict(X))
ax.plot(false_alarms, missed, "s", color="#009E73", label="missed: ten times the cost")
ax.legend(frameon=False)
plt.show()

# %%
# An operating point
# ------------------
# "At most five missed, then as few false alarms as possible" needs no other search,
# only the front.

point = min((point for point in front if point.fn <= 5), key=lambda point: point.fp)
print(point)
print(point.tree)

# %%
# The same front has the best tree for every other score that decreases with either
# error, such as Matthews' correlation:

best = front.best("matthews")
print(f"Matthews {1 - best.objective:.3f}, {best.status}")
