"""Categories that fit did not see: missing values with a warning, or refused."""

import re

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import KFold, cross_val_score

from murtree import (
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    TableBinarizer,
    Tree,
)


def test_unknown_categories():
    frame = pd.DataFrame({"c": ["a", "a", "b"], "d": ["u", "v", "w"]})
    new = frame.assign(c=["x", "y", "x"])
    clf = OptimalTreeClassifier(max_depth=1).fit(frame, [0, 0, 1])
    assert clf.tree_.feature[0] == 0
    assert clf.predict(frame.assign(d="x")).tolist() == [0, 0, 1]  # not tested
    message = re.escape(
        "Column 'c' holds categories that fit did not see, in 3 of 3 rows: 'x', 'y'. "
        "They are treated as missing values."
    )
    for model in (clf, clf.tree_, Model.of(clf)):
        with pytest.warns(UserWarning, match=message) as caught:
            assert model.predict(new).tolist() == [0, 0, 0]
        assert len(caught) == 1
    with pytest.warns(UserWarning, match="'x'") as caught:
        bits = TableBinarizer().fit(frame).transform(new.assign(d=["x", "v", "x"]))
    assert len(caught) == 2  # one for each column
    assert bits.any(axis=0).tolist() == [False, False, True, False]


@pytest.mark.parametrize(
    "options",
    [
        {"handle_unknown": "error"},
        {"binarizer": TableBinarizer(handle_unknown="error")},
        {"binarizer": TableBinarizer(), "handle_unknown": "error"},
    ],
)
def test_unknown_categories_can_be_refused(options):
    frame = pd.DataFrame({"c": ["a", "a", "b"], "d": ["u", "v", "w"]})
    clf = OptimalTreeClassifier(max_depth=1, **options).fit(frame, [0, 0, 1])
    assert clf.predict(frame.assign(d="x")).tolist() == [0, 0, 1]  # not tested
    message = "Column 'c' must hold categories that fit saw. Got 'x' in row 1."
    saved = Model.from_json(Model.of(clf).to_json())
    for model in (clf, clf.tree_, Tree.from_json(clf.tree_.to_json()), saved):
        with pytest.raises(ValueError, match=message):
            model.predict(frame.assign(c=["a", "x", "b"]))
    with pytest.raises(ValueError, match="Column 'd' must hold categories that fit"):
        clf.binarizer_.transform(frame.assign(d="x"))
    other = OptimalTreeRegressor(max_depth=1, **options).fit(frame, [0.0, 0.0, 1.0])
    with pytest.raises(ValueError, match=message):
        other.predict(frame.assign(c=["a", "x", "b"]))


@pytest.mark.parametrize("heavy", ["a", "b"])
@pytest.mark.parametrize("has_missing", [False, True])
def test_unknown_categories_go_where_missing_values_go(heavy, has_missing):
    texts = ["a", "b", heavy, heavy] + [None] * has_missing
    labels = [text == "b" for text in texts]
    frame = pd.DataFrame({"c": texts})
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, labels)
    rows = pd.DataFrame({"c": ["x", None]})
    with pytest.warns(UserWarning, match="did not see"):
        unknown, missing = clf.predict(rows).tolist()
    assert unknown == missing == (False if has_missing else heavy == "b")


def test_cross_validation_copes_with_a_rare_category():
    frame = pd.DataFrame({"c": [*"abab" * 5, "z"], "n": range(21)})
    labels = [0, 1] * 10 + [1]
    with pytest.warns(UserWarning, match="Column 'c' holds categories"):
        scores = cross_val_score(OptimalTreeClassifier(max_depth=1), frame, labels)
    assert np.isfinite(scores).all()
    tuned = OptimalTreeClassifierCV(max_depth=1, cv=KFold(3)).fit(frame, labels)
    assert tuned.n_nodes_ == 1  # without a warning
