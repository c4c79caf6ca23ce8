"""Larger tables, for which the searches over ranks and over 0/1 columns must agree."""

import warnings

import numpy as np
import pandas as pd
from oracle.fuzz_tables import fitted_both

from murtree import TimeLimitWarning

# By depth: more values of a column take the search over 0/1 columns too long.
MOST_VALUES = {2: 400, 3: 14, 4: 5}


def check_larger_table(seed):
    """Compare the search over ranks with that over 0/1 columns on a larger table.

    Returns whether both searches ended in time.
    """
    rng = np.random.default_rng([seed, 8])
    depth, n_rows = int(rng.choice([2, 2, 3, 4])), int(rng.integers(200, 2001))
    table = larger_table(rng, n_rows, MOST_VALUES[depth])
    y, n_labels = random_labels(rng, table)
    kind = rng.integers(4)
    weight = [None, None, rng.integers(0, 4, n_rows), rng.random(n_rows)][kind]
    parameters = {
        "max_depth": depth,
        "max_num_nodes": [None, int(rng.integers(2, 2**depth))][rng.integers(2)],
        "min_samples_leaf": int(rng.choice([1, 1, 5, 20])),
        "min_weight_fraction_leaf": float(rng.choice([0, 0, 0, 0.03])),
        "cost_complexity": float(rng.choice([0, 0, 0.002, 0.01])),
        "class_weight": [None, None, "balanced"][rng.integers(3)],
        "time_limit": 4,
        "binarizer": "exact",
    }
    if len(np.unique(y)) == n_labels and rng.random() < 0.2:
        matrix = rng.integers(0, 4, (n_labels, n_labels)) * (1 - np.eye(n_labels))
        parameters["objective"] = matrix.tolist()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TimeLimitWarning)
        found = fitted_both(table, y, weight, **parameters)
    if not all(clf.status_ == "optimal" for clf in found):
        return False
    ranked, usual = found
    assert ranked.coverage_.n_tests == usual.coverage_.n_tests, parameters
    # Prices are rounded, to another unit if rows were merged; so are real weights.
    is_exact = parameters["cost_complexity"] == 0
    allowed = (1e-9 if is_exact else 2**-16) * max(usual.objective_, n_rows)
    difference = abs(ranked.objective_ - usual.objective_)
    assert difference <= allowed, (seed, difference, parameters)
    return True


def larger_table(rng, n_rows, most_values):
    """Return three to eight columns: numbers with ties, missing values, others."""
    columns = {}
    for k in range(rng.integers(3, 9)):
        values = rng.normal(size=n_rows)
        n_values = int(rng.integers(2, most_values + 1))
        if rng.random() < 0.7:
            values = np.round(values * n_values / 6) * 0.1
        elif most_values < n_rows:
            values = np.sort(values)[rng.integers(0, most_values, n_rows)]
        if k > 2 and rng.random() < 0.3:
            values[rng.random(n_rows) < 0.1] = np.nan
        columns[f"c{k}"] = values
    frame = pd.DataFrame(columns)
    if rng.random() < 0.3:
        frame["flag"] = rng.integers(0, 2, n_rows)
    if rng.random() < 0.3:
        frame["name"] = rng.choice(list("abcde"), n_rows)
    return frame


def random_labels(rng, table):
    """Return labels that follow a rule on the first columns, with noise."""
    n_rows, n_labels = len(table), int(rng.choice([2, 2, 3, 5]))
    ranks = table.rank(numeric_only=True).fillna(0).to_numpy() / n_rows
    rule = (ranks[:, 0] > 0.6) + 1 * (ranks[:, 1] > ranks[:, 2])
    is_noise = rng.random(n_rows) < 0.3
    y = np.where(is_noise, rng.integers(0, n_labels, n_rows), rule)
    return y % n_labels, n_labels
