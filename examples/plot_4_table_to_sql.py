"""
From a mixed table to a rule in the database
============================================

A tree is fitted to a table with text, dates, booleans and missing values, drawn, and
exported to SQL to run in the database.
"""

# %%
# A table of customers
# --------------------
# The data is artificial: a third of the ages is missing, plans are text, the day of
# joining is a date. The label depends on four of the columns, and on chance.

import sqlite3

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

from murtree import OptimalTreeClassifier, export_sql, plot_tree

rng = np.random.default_rng(7)
n_rows = 1500
customers = pd.DataFrame(
    {
        "age": rng.integers(18, 80, n_rows).astype(float),
        "plan": rng.choice(["basic", "plus", "family", "trial"], n_rows),
        "paperless": rng.random(n_rows) < 0.6,
        "joined": pd.Timestamp("2021-01-01")
        + pd.to_timedelta(rng.integers(0, 1800, n_rows), unit="D"),
        "calls": rng.poisson(1.5, n_rows),
    }
)
customers.loc[rng.random(n_rows) < 0.3, "age"] = np.nan

is_new = customers["joined"] > "2024-03-01"
is_cheap = customers["plan"].isin(["trial", "basic"])
is_quiet = customers["calls"] == 0
is_remote = customers["age"].isna() | (customers["age"] > 60)
chance = 0.08 + 0.75 * (is_new & is_cheap) + 0.7 * (~is_new & is_quiet & is_remote)
leaves = np.where(rng.random(n_rows) < chance, "leaves", "stays")

customers.head()

# %%
# The tree
# --------
# No encoding or imputation is needed. Categories are tested one by one or as sets,
# dates at round days, and the search chooses the side of missing values. A node must
# save errors on at least half a percent of the rows, which limits overfitting.

clf = OptimalTreeClassifier(max_depth=3, cost_complexity=0.005).fit(customers, leaves)
print(f"{clf.tree_.misclassified} errors of {n_rows}, {clf.status_}")

ax = plot_tree(clf)
plt.show()

# %%
# As rules, one per leaf:

rules = clf.rules_frame()[["rule", "prediction", "support", "error"]]
pd.set_option("display.max_colwidth", None)
rules

# %%
# Into the database
# -----------------
# `export_sql` writes a query in standard SQL. Here it runs in SQLite, with missing
# values as NULL.

query = export_sql(clf, table="customers")
print(query)

# %%
# The database and the tree agree on every row.

with sqlite3.connect(":memory:") as database:
    customers.to_sql("customers", database, index=False)
    in_database = pd.read_sql(query, database)["prediction"]
database.close()

assert (in_database == clf.predict(customers)).all()
print(in_database.value_counts().to_string())
