"""
What errors cost: costs and the Pareto front
============================================

To call a malignant tumour benign is worse than a false alarm. How much worse can be
said before the search, as a matrix of costs; or it can be left open, and the tree be
chosen from all best trades between the two kinds of errors.
"""

# sphinx_gallery_thumbnail_number = 2

# %%
# A matrix of costs
# -----------------
# Rows are what a tumour is, columns what the tree says, both in sorted order. Here a
# missed malignant tumour costs ten times as much as a false alarm.

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
# Both trees are proven best, each for its own question. The careful one has paid for
# the tumours that it no longer misses with false alarms:

ax = plot_tree(careful)
plt.show()

# %%
# All trades at once
# ------------------
# If nobody can say what a missed tumour costs, one may look first. The Pareto front
# has a tree for every pair of errors that no other tree of depth two betters in both.

chooser = OptimalTreeClassifier(max_depth=2, objective="f1", pareto_front=True)
front = chooser.fit(X, y).pareto_front_
print(front)

ax = plot_pareto_front(chooser)
(_, false_alarms), (missed, _) = confusion_matrix(y, careful.predict(X))
ax.plot(false_alarms, missed, "s", color="#009E73", label="missed: ten times as dear")
ax.legend(frameon=False)
plt.show()

# %%
# An operating point
# ------------------
# "At most five missed, and then as few false alarms as can be" is a look at the
# front, not another search.

point = min((point for point in front if point.fn <= 5), key=lambda point: point.fp)
print(point)
print(point.tree)

# %%
# The same front answers for every other score that gets worse with either error, such
# as Matthews' correlation:

best = front.best("matthews")
print(f"Matthews {1 - best.objective:.3f}, {best.status}")
