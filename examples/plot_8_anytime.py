"""
Anytime: the bound and the best tree, as time goes by
=====================================================

A proof can take a long time. You can stop the search at any time and get the best tree
so far, and a bound that no tree can beat. This example records both in a callback and
plots them.
"""

# %%
# A hard problem
# --------------
# The task is to recognise ten digits from binary pixels, with a tree of depth six. A
# callback is called about ten times a second with the progress of the search; returning
# True would stop the search.

import warnings

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits

from murtree import OptimalTreeClassifier, TimeLimitWarning

data = load_digits()
inked, y = data.data > 7, data.target
share = inked.mean(axis=0)
X = inked[:, (share > 0.12) & (share < 0.88)].astype(int)
print(f"{X.shape[1]} pixels that are inked neither rarely nor mostly")

seen = []


def watch(progress):
    """Record the objective and the bound."""
    if progress.tree is not None:
        seen.append((progress.seconds, progress.objective, progress.lower_bound))


clf = OptimalTreeClassifier(max_depth=6, binarizer=None, time_limit=30, callback=watch)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", TimeLimitWarning)  # see the status instead
    clf.fit(X, y)

seen.append((clf.search_stats_["seconds"], clf.objective_, clf.lower_bound_))
print(
    f"{clf.objective_} errors of {len(y)}, at least {clf.lower_bound_}: {clf.status_}"
)

# %%
# Objective and bound
# -------------------
# The upper line shows the errors of the best tree so far, the lower one the proven
# bound. When they meet, the tree is proven optimal. If the time limit ends the search
# first, the remaining gap bounds the distance to the optimum.

seconds, objectives, bounds = zip(*seen, strict=True)

figure, ax = plt.subplots(figsize=(8, 4.2), layout="constrained")
ax.fill_between(seconds, bounds, objectives, step="post", color="#0072B2", alpha=0.12)
ax.step(seconds, objectives, where="post", color="#D55E00", label="best tree so far")
ax.step(seconds, bounds, where="post", color="#0072B2", label="no tree is below this")
ax.set(xlabel="seconds", ylabel="errors", xlim=(0, None), ylim=(0, None))
ax.set_title(f"Digits at depth six: {clf.status_.replace('_', ' ')}")
ax.spines[["top", "right"]].set_visible(False)
ax.legend(frameon=False, loc="center right")
plt.show()

# %%
# As usual, the best tree is found long before its proof, and the bound rises late: most
# results of a search are about parts of the data, and give a bound for the whole only
# when all parts are known. With a time limit or a callback, murtree spends part of the
# time on the bound.
#
# Stopping early
# --------------
# A callback can also stop the search: here as soon as nine digits in ten are correct. A
# warning reports that the tree is not proven.

early = OptimalTreeClassifier(
    max_depth=6,
    binarizer=None,
    callback=lambda progress: progress.objective < len(y) / 10,
)
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    early.fit(X, y)
print(f"{early.objective_} errors after {early.search_stats_['seconds']:.1f} s")
print(caught[0].category.__name__, "-", caught[0].message)
