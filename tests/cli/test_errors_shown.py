"""Errors in the terminal: RMSE, R², recall and the confusion matrix."""

import re

import numpy as np
import pandas as pd
import pytest
from cli.tools import ok
from sklearn.datasets import load_diabetes, load_digits
from sklearn.metrics import confusion_matrix, mean_squared_error, r2_score

from murtree import Model, OptimalTreeClassifier, OptimalTreeRegressor
from murtree._model.report.summary import summary_of
from murtree.cli.result import confusion_of


@pytest.fixture(scope="module")
def diabetes():
    X, y = load_diabetes(return_X_y=True)
    return X, y, np.arange(y.size) % 3 + 1.0


def test_rmse_and_r_squared_of_the_page_equal_scikit_learn(diabetes):
    X, y, weight = diabetes
    reg = OptimalTreeRegressor(max_depth=2, frontier=True)
    reg.fit(X[::2], y[::2], weight[::2])
    model = Model.of(reg).validated(X[1::2], y[1::2], weight[1::2])
    summary = summary_of(Model.from_json(model.to_json()))
    assert summary["loss"] == "root mean squared error"
    for size in summary["sizes"]:
        tree = next(s.tree for s in model.sizes if s.tree.n_nodes == size["nodes"])
        for first, rows in enumerate(("train", "validation")):
            part = slice(first, None, 2)
            values = y[part], tree.predict(X[part])
            squared = mean_squared_error(*values, sample_weight=weight[part])
            assert size[f"{rows}_error"] == pytest.approx(squared**0.5)
            share = r2_score(*values, sample_weight=weight[part])
            assert size[f"{rows}_r2"] == pytest.approx(share, abs=1e-9)


def test_medians_and_lone_values_have_no_r_squared(diabetes):
    X, y, _ = diabetes
    reg = OptimalTreeRegressor(max_depth=1, objective="absolute_error").fit(X, y)
    assert "train_r2" not in summary_of(Model.of(reg))["sizes"][0]
    same = OptimalTreeRegressor(max_depth=1).fit(X, np.ones(y.size))
    assert summary_of(Model.of(same))["sizes"][0]["train_r2"] is None
    assert "mean error 5" in Model.of(reg).proof.line


def test_terminal_shows_rmse_and_r_squared(diabetes):
    X, y, _ = diabetes
    table = pd.DataFrame(X).add_prefix("c").assign(y=1000 * y)
    table.to_csv("d.csv", index=False)
    base = ("d.csv", "-t", "y", "-d", 1, "--regression")
    shown = ok("fit", *base, "--validation-share", 0.5).out
    found = r"root mean squared error: training [\d,.]+ \(R² 0\.\d{3}\), "
    assert re.search(found + r"validation [\d,.]+ \(R² -?0\.\d{3}, 221 rows\)", shown)
    assert "to 346,000, mean 15" in shown
    table = ok("frontier", *base).out
    assert "nodes  depth      RMSE  no tree below  proven\n" in table


def test_the_confusion_matrix_is_that_of_scikit_learn():
    X, y = load_digits(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=2, time_limit=60).fit(X, y)
    expected = confusion_matrix(y, clf.predict(X))
    np.testing.assert_array_equal(confusion_of(clf.tree_), expected)


def test_classes_with_the_most_errors_are_shown():
    rng = np.random.default_rng(0)
    classes = [f"a class with a long name {n}" for n in range(30)]
    table = pd.DataFrame({"x": rng.normal(size=600), "y": rng.choice(classes, 600)})
    table.to_csv("t.csv", index=False)
    lines = ok("fit", "t.csv", "-t", "y", "-d", 1).out.splitlines()
    end = lines.index("18 classes with fewer errors left out.")
    reported = [
        line for line in lines[:end] if re.match("a class wi….*name .*% ", line)
    ]
    assert len(reported) == 12
    assert all("%  a class wi…" in line for line in reported)
    assert "taken for" not in ok("fit", "t.csv", "-t", "x", "-d", 1, "--regression").out
