"""Models for the tests of report pages, and helpers that inspect them."""

import functools
import os
import shutil
import warnings
from dataclasses import replace

import numpy as np
import pandas as pd
from oracle.tree_strategies import built
from sklearn.datasets import load_breast_cancer, load_diabetes

from murtree import (
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    TableBinarizer,
)

HOSTILE = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(2)</script>",
    "<!-- <script> \u2028 ]]> {{ 7 * 7 }} &amp;",
    "\x1b[31mred\x1b[0m",
    "\u202ertl override",
    "W" * 300,
    "\" onfocus=alert(3) autofocus x='",
)


def tree_of(column, predicate):
    """Return a tree with one test."""
    value, classes = [[1, 1], [1, 0], [0, 1]], np.array(["a", "b"])
    return built([predicate, None, None], value, (column,), classes=classes)


def find_chromium():
    """Return the path of a browser, or None."""
    named = os.environ.get("MURTREE_CHROMIUM")
    names = ("chromium", "chromium-browser", "google-chrome")
    return named or next(filter(None, map(shutil.which, names)), None)


@functools.cache
def cancer():
    """Return a model with two classes, four sizes and validation rows."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(data.data[::2], y[::2])
    model = Model.of(clf, target="diagnosis")
    return model.validated(data.data[1::2], y[1::2])


@functools.cache
def diabetes():
    """Return a regression model."""
    data = load_diabetes(as_frame=True, scaled=False)
    reg = OptimalTreeRegressor(max_depth=2, frontier=True)
    return Model.of(reg.fit(data.data, data.target), target="progression")


@functools.cache
def seven_classes():
    """Return a model of depth five with seven classes and names of forty characters."""
    whole = "_of_the_patient_over_a_whole_day_in_ward_number_seven"
    stems = ("temperature", "pressure", "pulse", "weight", "oxygen", "sugar", "age")
    names = [(stem + whole)[:40] for stem in stems]
    rng = np.random.default_rng(4)
    X = pd.DataFrame(rng.normal(size=(2000, 7)).round(2), columns=names)
    noise = rng.random(2000) < 0.1
    indices = ((X.to_numpy() > 0.1) @ [1, 2, 4, 3, 5, 6, 1] + noise) % 7
    kinds = [f"kind {letter} of the disease" for letter in "ABCDEFG"]
    y = np.array(kinds)[indices]
    binarizer = TableBinarizer(strategy={name: [0.1] for name in names})
    clf = OptimalTreeClassifier(max_depth=5, frontier=True, binarizer=binarizer)
    model = Model.of(clf.fit(X[:1500], y[:1500]), target="kind")
    return model.validated(X[1500:], y[1500:])


def mixed_table(n_rows=400):
    """Return a table with all kinds of columns and missing values, and its labels."""
    rng = np.random.default_rng(1)
    days = pd.to_timedelta(rng.integers(0, 900, n_rows), "D")
    grades = ["low", "middle", "high"]
    table = pd.DataFrame(
        {
            "colour": rng.choice(["red", "green", "blue", "grey"], n_rows),
            "weight": rng.normal(50, 10, n_rows).round(1),
            "member": rng.random(n_rows) < 0.5,
            "joined": pd.Timestamp("2020-01-01") + days,
            "grade": pd.Categorical(rng.choice(grades, n_rows), grades, ordered=True),
            "waited": pd.to_timedelta(rng.integers(0, 90, n_rows), "h"),
        }
    )
    table.loc[rng.random(n_rows) < 0.15, "weight"] = np.nan
    table.loc[rng.random(n_rows) < 0.1, "colour"] = None
    stays = (table["colour"] == "red") & (table["weight"].fillna(80) > 50)
    stays |= (table["joined"] > "2021-06-01") & (table["grade"] != "low")
    stays ^= table["member"] & (table["waited"] > pd.Timedelta("40h"))
    return table, np.where(stays, "stays", "leaves")


@functools.cache
def mixed():
    """Return a model of the mixed table."""
    binarizer = TableBinarizer(strategy="quantile", n_thresholds=3)
    clf = OptimalTreeClassifier(max_depth=3, binarizer=binarizer)
    return Model.of(clf.fit(*mixed_table()), target="stays")


def churn_table(n_rows=600):
    """Return customers, with dates and missing values, and whether they left."""
    rng = np.random.default_rng(5)
    days = pd.to_timedelta(20 * rng.integers(0, 50, n_rows), "D")
    contracts = ["monthly", "one year", "two years"]
    table = pd.DataFrame(
        {
            "signed": pd.Timestamp("2022-01-01") + days,
            "last call": pd.Timestamp("2024-10-01 08:15") + rng.permutation(days),
            "contract": rng.choice(contracts, n_rows),
            "charge": rng.normal(60, 20, n_rows).round(2),
            "calls": rng.poisson(2, n_rows).astype(float),
            "paperless": rng.random(n_rows) < 0.6,
            "payment": rng.choice(["card", "cheque", "transfer"], n_rows),
            "speed": rng.choice([10.0, 50.0, 100.0], n_rows),
            "age": rng.integers(18, 80, n_rows).astype(float),
        }
    )
    for name in ("signed", "charge", "age"):
        table.loc[rng.random(n_rows) < 0.1, name] = None
    score = 2.0 * (table["contract"] == "monthly") + (table["calls"] > 2)
    score += (table["charge"].fillna(20) > 65) + 1.0 * (table["signed"] > "2023-06-01")
    score += table["paperless"] * (table["payment"] != "card")
    score -= 1.5 * (table["speed"] < 20)
    score += (table["age"] < 40) + 1.5 * (table["last call"] > "2025-11-01")
    score += rng.normal(0, 0.7, n_rows)
    return table, np.where(score > 3.2, "Yes", "No")


@functools.cache
def churn():
    """Return a model of customers that tests eight columns."""
    X, y = churn_table()
    binarizer = TableBinarizer(strategy="quantile", n_thresholds=2)
    clf = OptimalTreeClassifier(max_depth=4, binarizer=binarizer, frontier=True)
    model = Model.of(clf.fit(X[::2], y[::2]), target="churn")
    return model.validated(X[1::2], y[1::2])


@functools.cache
def many_classes():
    """Return a model with twenty classes."""
    rng = np.random.default_rng(2)
    X = rng.normal(size=(400, 3)).round(1)
    y = (X @ [2, 3, 5] * 1.2).astype(int) % 20
    clf = OptimalTreeClassifier(max_depth=3, binarizer=TableBinarizer(n_thresholds=3))
    return Model.of(clf.fit(X, y))


@functools.cache
def long_names():
    """Return a model with 56 long class names, and a column of 0 and 1."""
    rng = np.random.default_rng(6)
    X = pd.DataFrame(rng.normal(size=(2000, 3)).round(1), columns=list("abc"))
    X["animation"] = rng.integers(0, 2, 2000)
    names = [f"Neighbourhood {n:02}, Internationalisation" for n in range(56)]
    y = np.array(names)[(2 * X.to_numpy() @ [7, 5, 3, 11]).astype(int) % 56]
    binarizer = TableBinarizer(n_thresholds=3)
    clf = OptimalTreeClassifier(max_depth=3, binarizer=binarizer, frontier=True)
    return Model.of(clf.fit(X, y), target="area")


@functools.cache
def prices():
    """Return a model of targets whose squares have a dozen digits."""
    data = load_diabetes(as_frame=True, scaled=False)
    X, y = data.data, 1000 * data.target
    reg = OptimalTreeRegressor(max_depth=2, frontier=True).fit(X[::2], y[::2])
    return Model.of(reg, target="price").validated(X[1::2], y[1::2])


@functools.cache
def tuned():
    """Return a model whose size was chosen by cross-validation."""
    data = load_breast_cancer(as_frame=True)
    y = data.target_names[data.target]
    clf = OptimalTreeClassifierCV(max_depth=3, cv=3, strategy="all")
    return Model.of(clf.fit(data.data, y), target="diagnosis")


@functools.cache
def tuned_families():
    """Return a regression model of a tree of the better of two families."""
    data = load_diabetes(as_frame=True, scaled=False)
    reg = OptimalTreeRegressorCV(max_depth=3, cv=3)
    return Model.of(reg.fit(data.data, data.target), target="progression")


@functools.cache
def taught():
    """Return a model with class probabilities and several sizes."""
    data = load_breast_cancer(as_frame=True)
    clf = OptimalTreeClassifier(max_depth=2, frontier=True, teacher="forest")
    X, y = data.data, data.target_names[data.target]
    return Model.of(clf.fit(X[::2], y[::2])).validated(X[1::2], y[1::2])


@functools.cache
def tuned_values():
    """Return a regression model whose node price was tuned."""
    data = load_diabetes(as_frame=True, scaled=False)
    reg = OptimalTreeRegressorCV(max_depth=2, parameter="cost_complexity", cv=3)
    return Model.of(reg.fit(data.data, data.target), target="progression")


@functools.cache
def one_size():
    """Return a regression model with one size and validation rows."""
    data = load_diabetes(as_frame=True, scaled=False)
    X, y = data.data, data.target
    reg = OptimalTreeRegressor(max_depth=2).fit(X[::2], y[::2])
    return Model.of(reg, target="progression").validated(X[1::2], y[1::2])


@functools.cache
def lone_leaf():
    """Return a model without tests."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = OptimalTreeClassifier(max_depth=1).fit([[0], [0], [0]], list("aab"))
    return Model.of(clf)


@functools.cache
def hostile():
    """Return a model whose names all contain attacks."""
    rng = np.random.default_rng(3)
    X = pd.DataFrame(rng.integers(0, 2, (300, 6)), columns=HOSTILE[:6])
    X[HOSTILE[6]] = rng.choice(HOSTILE[:4], 300)
    y = np.array(HOSTILE)[(X[list(HOSTILE[:6])].sum(axis=1)) % 7]
    y[X[HOSTILE[6]] == HOSTILE[0]] = HOSTILE[0]
    clf = OptimalTreeClassifier(max_depth=4, frontier=True)
    return Model.of(clf.fit(X, y), target=HOSTILE[0])


@functools.cache
def not_proven():
    """Return a model whose largest tree is not proven optimal."""
    model = cancer()
    proof = replace(model.proof, status="time_limit", lower_bound=6, time_limit=1.0)
    largest = replace(model.sizes[-1], proof=proof)
    return replace(model, proof=proof, sizes=(*model.sizes[:-1], largest))


MODELS = {
    "cancer": cancer,
    "diabetes": diabetes,
    "seven": seven_classes,
    "mixed": mixed,
    "churn": churn,
    "many": many_classes,
    "long": long_names,
    "prices": prices,
    "tuned": tuned,
    "tuned families": tuned_families,
    "taught": taught,
    "tuned values": tuned_values,
    "one size": one_size,
    "leaf": lone_leaf,
    "hostile": hostile,
    "open": not_proven,
}
