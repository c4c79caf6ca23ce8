"""A provably best tree on the breast-cancer data, beside scikit-learn's greedy one."""

import time

from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

from murtree import OptimalTreeClassifier, export_text

DEPTH = 4

data = load_breast_cancer()
X, y = data.data, data.target_names[data.target]

start = time.perf_counter()
optimal = OptimalTreeClassifier(max_depth=DEPTH).fit(X, y)
seconds = time.perf_counter() - start
greedy = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(X, y)

n_rows, n_columns = X.shape
n_tests = len(optimal.binarizer_.get_feature_names_out())
print(f"Breast cancer: {n_rows} rows, {n_columns} columns, {n_tests} thresholds\n")
print(export_text(optimal, feature_names=data.feature_names))

proof = "proven: no tree on these thresholds has fewer" if optimal.gap_ == 0 else "open"
print(f"status       {optimal.status_}")
print(f"objective    {optimal.objective_} errors of {n_rows}")
print(f"lower bound  {optimal.lower_bound_} ({proof})")
print(f"nodes        {optimal.n_nodes_}, depth {optimal.depth_}")
print(f"time         {seconds:.3f} s, thresholds and proof together")
for name, value in optimal.search_stats_.items():
    print(f"  {name:20s} {value if isinstance(value, str) else format(value, ',')}")

print(f"\nTraining accuracy at depth {DEPTH}")
print(f"  murtree, optimal       {optimal.score(X, y):.4f}")
print(f"  scikit-learn, greedy   {greedy.score(X, y):.4f}")
