"""
Anytime: the bound and the best tree, as time goes by
=====================================================

A proof can take long. Stop when you like: you get the best tree so far, and a bound
that no tree can beat. This example watches both from a callback and draws how they
meet.
"""

# %%
# Something hard
# --------------
# Which of the ten digits was written? A pixel is inked or not, and the tree may look
# at six of them on the way to a leaf. A callback is told about ten times a second how
# far the search has come; it would end it by returning True.

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
    """Keep what the search has reached."""
    if progress.tree is not None:
        seen.append((progress.seconds, progress.objective, progress.lower_bound))


clf = OptimalTreeClassifier(max_depth=6, binarizer=None, time_limit=30, callback=watch)
with warnings.catch_warnings():
    warnings.simplefilter("ignore", TimeLimitWarning)  # the status tells as well
    clf.fit(X, y)

seen.append((clf.search_stats_["seconds"], clf.objective_, clf.lower_bound_))
print(
    f"{clf.objective_} errors of {len(y)}, at least {clf.lower_bound_}: {clf.status_}"
)

# %%
# Two lines that meet
# -------------------
# Above, the errors of the best tree so far; below, the least that any tree can have.
# What is between them is not known yet. When they meet, the tree is proven best. If
# the time is over before, the gap that is left says how far from the best the tree
# can be.

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
# The best tree is there long before its proof, as is usual, and the bound rises late:
# most of what a search learns is about parts of the data, and says something of the
# whole only when all parts are known. Where there is a time limit, or somebody
# watches, murtree spends a share of the time on the bound.
#
# Good enough
# -----------
# A callback can also say when to stop: here as soon as nine digits in ten are right.
# The warning that nothing was proven says so once more.

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
