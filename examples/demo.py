"""A provably best tree on the breast-cancer data, with a page to explore it.

    make demo

Writes to build/demo the table and the model, for the command line, and report.html,
for a browser.
"""

import time
from pathlib import Path

from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.tree import DecisionTreeClassifier

from murtree import Model, OptimalTreeClassifier, export_text

DEPTH = 3
FOLDER = Path("build/demo")

data = load_breast_cancer(as_frame=True)
labels = data.target_names[data.target]
X, X_new, y, y_new = train_test_split(
    data.data, labels, stratify=labels, random_state=0
)

start = time.perf_counter()
optimal = OptimalTreeClassifier(max_depth=DEPTH, frontier=True).fit(X, y)
seconds = time.perf_counter() - start
greedy = DecisionTreeClassifier(max_depth=DEPTH, random_state=0).fit(X, y)
model = Model.of(optimal, target="diagnosis").validated(X_new, y_new)

n_tests = len(optimal.binarizer_.predicates_)
print(f"Breast cancer: {len(X)} rows, {X.shape[1]} columns, {n_tests} thresholds\n")
print(export_text(optimal))
print(model.proof.line)
print(f"Thresholds, all sizes and proofs took {seconds:.2f} s.\n")

print("nodes at most  training errors  proven  errors on 143 new rows")
for nodes, size in enumerate(model.sizes):
    new = round(size.validation_error * len(y_new))
    row = (size.proof.objective, "yes" if size.proof.is_complete else "no", new)
    print(f"{nodes:13}  {row[0]:15}  {row[1]:>6}  {row[2]:22}")

best = min(range(len(model.sizes)), key=lambda m: model.sizes[m].validation_error)
print(f"The largest tree is not the best one on new rows: {best} nodes are best there.")
print("To choose the size, look at the page below, or use `murtree tune`.")

print(f"\nErrors at depth {DEPTH}               training   new rows")
for name, tree in (("murtree, optimal", optimal), ("scikit-learn, greedy", greedy)):
    errors = [(tree.predict(rows) != of).sum() for rows, of in ((X, y), (X_new, y_new))]
    print(f"  {name:26s} {errors[0]:9} {errors[1]:10}")

FOLDER.mkdir(parents=True, exist_ok=True)
table = data.data.assign(diagnosis=labels)
table.to_csv(FOLDER / "breast_cancer.csv", index=False)
model.save(FOLDER / "model.json")
model.report(FOLDER / "report.html", title="Breast cancer")
print(f"\nExplore it in a browser: {FOLDER}/report.html")
print("Or here:                 source .venv/bin/activate")
print(f"                         murtree show {FOLDER}/model.json")
print("A table of your own:     murtree fit FILE.csv -t COLUMN --report page.html")
