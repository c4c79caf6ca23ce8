"""Data sets by name, read or generated on demand.

"binary" are the files of MURTREE_DATA/binary. "regression" are airfoil, a file of
MURTREE_DATA/regression, and scikit-learn's diabetes and generators with fixed seeds,
whose columns are cut at quantiles here, so that every system gets the same 0/1 columns.
"subsamples" are random rows of the sets of the SAT papers, without contradictions.
"""

import os
import sys
from functools import partial
from pathlib import Path

import numpy as np
from sklearn.datasets import (
    load_diabetes,
    make_friedman1,
    make_friedman2,
    make_friedman3,
    make_regression,
)

ROOT = Path(__file__).resolve().parents[1]
FOLDER = Path(os.environ.get("MURTREE_DATA") or ROOT.parent / "shared" / "datasets")


def read(path, dtype):
    """Return the 0/1 columns and the target of a file of lines `target f1 f2 …`."""
    data = np.loadtxt(path, dtype=dtype)
    return data[:, 1:].astype(np.int32), data[:, 0]


def binary_sets():
    paths = sorted((FOLDER / "binary").glob("*.txt.gz"))
    if not paths:
        sys.exit(
            f"No data sets in {FOLDER / 'binary'}. Please set MURTREE_DATA to the "
            "folder that holds binary/*.txt.gz (see benchmarks/README.md)."
        )
    return {
        path.name.removesuffix(".txt.gz"): partial(read, path, np.int32)
        for path in paths
    }


def cut(X, n_thresholds):
    """Return columns `x <= t`, with t at evenly spaced quantiles of each x."""
    shares = np.linspace(0, 1, n_thresholds + 2)[1:-1]
    cuts = [
        values <= threshold
        for values in X.T
        for threshold in np.unique(np.quantile(values, shares))
        if threshold < values.max()  # several quantiles may lie between two values
    ]
    return np.column_stack(cuts).astype(np.int32)


def diabetes(n_thresholds):
    X, y = load_diabetes(return_X_y=True)
    return cut(X, n_thresholds), y


def generated(make, n_thresholds, n_samples, **options):
    X, y = make(n_samples=n_samples, random_state=0, **options)
    return cut(X, n_thresholds), y


def regression_sets():
    """Return the sets; their names end in rows x columns."""
    first = partial(generated, make_friedman1, noise=1.0)
    second = partial(generated, make_friedman2, noise=50.0)
    third = partial(generated, make_friedman3, noise=0.1)
    linear = partial(generated, make_regression, n_informative=4, noise=10.0)
    airfoil = FOLDER / "regression" / "airfoil_binary.csv.gz"
    return {
        "airfoil_1503x17": partial(read, airfoil, np.float64),
        "diabetes_442x45": partial(diabetes, 5),
        "diabetes_442x85": partial(diabetes, 10),
        "friedman1_500x50": partial(first, 5, 500),
        "friedman1_1000x120": partial(first, 12, 1000),
        "friedman1_5000x50": partial(first, 5, 5000),
        "friedman2_1000x40": partial(second, 10, 1000),
        "friedman2_5000x60": partial(second, 15, 5000),
        "friedman3_500x60": partial(third, 15, 500),
        "friedman3_2000x40": partial(third, 10, 2000),
        "linear_500x40": partial(linear, 4, 500, n_features=10),
        "linear_2000x60": partial(linear, 10, 2000, n_features=6),
        "linear_5000x30": partial(linear, 5, 5000, n_features=6),
    }


def consistent(X, y):
    """Keep the most frequent class of rows that differ only in the class."""
    _, group = np.unique(X, axis=0, return_inverse=True)
    group = group.ravel()
    counts = np.zeros((group.max() + 1, y.max() + 1), dtype=np.int64)
    np.add.at(counts, (group, y), 1)
    kept = y == counts.argmax(axis=1)[group]
    return X[kept], y[kept]


def subsample(load, percent):
    """Return a random share of the rows, with a fixed seed and classes 0, 1, …."""
    X, y = load()
    rows = np.random.default_rng(0).permutation(len(y))[: round(percent * len(y) / 100)]
    X, y = consistent(X[rows], y[rows])
    return X, np.unique(y, return_inverse=True)[1].astype(np.int32)


def subsamples():
    """Return nested samples of 5 to 20% of each set of the paper's SAT group."""
    return {
        f"{name}-{percent:02}": partial(subsample, load, percent)
        for name, load in binary_sets().items()
        if name.startswith("Nina_") and not name.endswith("-reduced")
        for percent in (5, 10, 15, 20)
    }


KINDS = {
    "binary": binary_sets,
    "regression": regression_sets,
    "subsamples": subsamples,
}
