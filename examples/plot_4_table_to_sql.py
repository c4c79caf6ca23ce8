"""
From a mixed table to a rule in the database
============================================

Text, dates, yes and no, numbers with gaps: a table as it is. The tree is found on the
table as it stands, drawn, and then put to work where the data lives, as SQL.
"""

# %%
# A table of customers
# --------------------
# Made up, but not tidy: a third of the ages is missing, plans are text, the day of
# joining is a date. Who leaves depends on four of the columns, and on chance.

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
# Nothing needs to be encoded or filled in. Categories are tested one by one or as
# sets, dates at round days, and missing values go to the side on which they do best.
# A node must save at least half a percent of the rows, which keeps chance out of the
# tree.

clf = OptimalTreeClassifier(max_depth=3, cost_complexity=0.005).fit(customers, leaves)
print(f"{clf.tree_.misclassified} errors of {n_rows}, {clf.status_}")

ax = plot_tree(clf)
plt.show()

# %%
# As rules, one a leaf:

rules = clf.rules_frame()[["rule", "prediction", "support", "error"]]
pd.set_option("display.max_colwidth", None)
rules

# %%
# Into the database
# -----------------
# `export_sql` writes a query that uses nothing particular to one database. It is
# tried in SQLite here, with the gaps as NULL.

query = export_sql(clf, table="customers")
print(query)

# %%
# The database and the tree must agree on every row.

with sqlite3.connect(":memory:") as database:
    customers.to_sql("customers", database, index=False)
    in_database = pd.read_sql(query, database)["prediction"]
database.close()

assert (in_database == clf.predict(customers)).all()
print(in_database.value_counts().to_string())
