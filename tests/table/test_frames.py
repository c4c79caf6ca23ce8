"""From a table to a tree: strategies, kinds of columns, missing values.

The brute-force judge tries every tree over tests that are evaluated here by hand.
"""

import datetime
import json
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.brute_force import best_errors
from scipy import sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.tree import DecisionTreeClassifier

from murtree import (
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    Predicate,
    TableBinarizer,
    Tree,
)

nan = np.nan
X, y = load_iris(return_X_y=True)
thorough = settings(max_examples=60, deadline=None, derandomize=True)


def texts_of(table, **options):
    return TableBinarizer(**options).fit(table).get_feature_names_out().tolist()


def test_few_categories_get_all_subsets():
    few = pd.DataFrame({"c": ["a", "b", "c", "d"]})
    assert texts_of(few) == [
        "c = d",
        "c = c",
        "c = b",
        "c = a",
        "c in {c, d}",
        "c in {b, d}",
        "c in {a, d}",
    ]
    assert len(texts_of(pd.DataFrame({"c": list("abcde")}))) == 5
    assert len(texts_of(pd.DataFrame({"c": list("abcde")}), max_subset_levels=5)) == 15
    assert texts_of(pd.DataFrame({"c": ["a", "b", "a"]})) == ["c = b"]


def test_only_the_heaviest_categories_get_a_test():
    table = pd.DataFrame({"c": list("aabbbcddddee")})
    assert texts_of(table, max_categories=2) == ["c = b", "c = d"]


def test_missing_is_a_level_of_few_categories():
    table = pd.DataFrame({"c": ["a", "b", "b", None, None, None]})
    assert texts_of(table) == ["c is missing", "c = a", "c = b"]
    more = pd.DataFrame({"c": ["a", "b", "c", None]})
    assert "c in {b, c} or missing" not in texts_of(more)
    assert len(texts_of(more)) == 7  # all subsets of four levels, up to complements


def test_thresholds_of_missing_values_come_twice():
    assert texts_of([[1.0], [2.0], [nan]]) == [
        "x0 is missing",
        "x0 <= 1.5 or missing",
        "x0 <= 1.5",
    ]
    assert texts_of([[1.0], [nan]]) == ["x0 is missing"]
    assert texts_of([[1.0, nan], [1.0, nan]]) == []


def test_intervals_are_those_of_the_paper():
    values = [[0.0], [1.0], [2.0], [3.0]]
    assert texts_of(values, encoding="intervals") == [
        "x0 <= 0.5",
        "0.5 < x0 <= 1.5",
        "1.5 < x0 <= 2.5",
        "x0 <= 2.5",
    ]
    assert texts_of(values[1:3], encoding="intervals") == ["x0 <= 1.5"]


def test_dates_get_round_thresholds():
    table = pd.DataFrame({"day": pd.to_datetime(["2019-11-03", "2020-02-01"])})
    assert texts_of(table) == ["day <= 2020-01-01"]
    hours = pl.DataFrame({"t": [datetime.time(8, 59), datetime.time(9, 30)]})
    assert texts_of(hours) == ["t <= 09:00:00"]


def test_own_thresholds():
    table = pd.DataFrame({"age": [10, 20, 70], "pay": [1, 2, 3]})
    own = {"age": [18, 65]}
    assert texts_of(table, strategy=own)[:2] == ["age <= 18", "age <= 65"]
    assert texts_of(table, strategy=[[18], None])[:2] == [
        "age <= 18",
        "pay <= 1.5",
    ]
    dates = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    own = {"d": [np.datetime64("2020-06-01")]}
    assert texts_of(dates, strategy=own) == ["d <= 2020-06-01"]


@pytest.mark.parametrize(
    ("strategy", "error", "message"),
    [
        ({"age": [2, 1]}, ValueError, "thresholds of column 'age' must be"),
        ({"age": [1, nan]}, ValueError, "thresholds of column 'age' must"),
        ({"age": 5}, ValueError, "thresholds of column 'age' must be a list"),
        ({"weight": [1]}, ValueError, "names or indices of columns.* Got 'weight'"),
        ({5: [1]}, ValueError, "names or indices of columns .* Got 5"),
        ({"c": [1]}, ValueError, "Column 'c' must hold numbers or times"),
        ([[1]], ValueError, "for each of 2 columns. Got 1"),
        ("median", ValueError, "'strategy' parameter of TableBinarizer must be"),
        (3, TypeError, "'strategy' parameter of TableBinarizer must be"),
        ("mdlp", ValueError, "'mdlp' must be given classes as y. Got None"),
        ("tree", ValueError, "'tree' must be given y. Got None"),
    ],
)
def test_bad_strategies(strategy, error, message):
    table = pd.DataFrame({"age": [1.0, 2.0, 3.0], "c": ["u", "v", "u"]})
    with pytest.raises(error, match=message):
        TableBinarizer(strategy=strategy).fit(table)


def test_mdlp_requires_classes():
    with pytest.raises(ValueError, match="Got real targets instead"):
        TableBinarizer(strategy="mdlp").fit(X, X[:, 0])


def test_exact_refuses_too_many_columns():
    values = np.arange(100.0).reshape(50, 2)
    assert len(texts_of(values, strategy="exact")) == 98
    with pytest.raises(ValueError, match=r"at most max_columns=97 columns\. Got 98"):
        TableBinarizer(strategy="exact", max_columns=97).fit(values)


def test_auto_fits_the_columns_to_the_limit():
    values = np.arange(100.0).reshape(50, 2)
    assert len(texts_of(values, strategy="auto", max_columns=98)) == 98
    assert len(texts_of(values, strategy="auto", max_columns=97)) == 97
    assert len(texts_of(values, strategy="auto", max_columns=1)) == 1


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.integers(0, 10**6), st.integers(1, 4), st.booleans())
def test_auto_is_no_worse_than_a_greedy_tree(seed, depth, has_gaps):
    rng = np.random.default_rng(seed)
    table = rng.normal(size=(200, 3)).round(2)
    labels = (table[:, 0] + table[:, 1] ** 2 + rng.normal(size=200) > 2).astype(int)
    if has_gaps:
        table[rng.random(table.shape) < 0.1] = nan
    binarizer = TableBinarizer(strategy="auto", max_columns=10)
    clf = OptimalTreeClassifier(max_depth=depth, binarizer=binarizer)
    weight = rng.integers(1, 4, 200)
    clf.fit(table, labels, weight)
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0)
    wrong = greedy.fit(table, labels, weight).predict(table) != labels
    assert clf.objective_ <= weight[wrong].sum()


def test_auto_counts_all_columns():
    table = pd.DataFrame(
        {"n": np.arange(60.0), "c": list("abcdef") * 10, "b": [True, False] * 30}
    )
    assert len(texts_of(table, strategy="auto", max_columns=20)) == 20


def test_binarizer_with_auto_equals_auto():
    table, labels = load_breast_cancer(return_X_y=True)
    usual = OptimalTreeClassifier(max_depth=3).fit(table, labels)
    strict = TableBinarizer(strategy="auto", handle_unknown="error")
    same = OptimalTreeClassifier(max_depth=3, binarizer=strict).fit(table, labels)
    assert same.binarizer_.predicates_ == usual.binarizer_.predicates_


@pytest.mark.parametrize("strategy", ["quantile", "uniform", "mdlp", "tree", "exact"])
def test_strategies_by_name(strategy):
    clf = OptimalTreeClassifier(max_depth=2, binarizer=strategy).fit(X, y)
    assert clf.objective_ == (clf.predict(X) != y).sum() <= 8
    assert clf.binarizer_.strategy == strategy
    used = clf.tree_.threshold[clf.tree_.feature >= 0]
    assert np.isin(used, np.concatenate(clf.binarizer_.thresholds_)).all()


def test_strategies_for_targets():
    table, targets = load_diabetes(return_X_y=True)
    for strategy in ("quantile", "tree"):
        reg = OptimalTreeRegressor(max_depth=2, binarizer=strategy).fit(table, targets)
        assert reg.score(table, targets) > 0.4


def test_weights_are_copies_for_every_strategy():
    weight = np.random.default_rng(0).integers(0, 4, len(y))
    rows = np.repeat(np.arange(len(y)), weight)
    for strategy in ("quantile", "uniform", "mdlp", "exact", "auto"):
        weighted = TableBinarizer(strategy=strategy).fit(X, y, weight)
        copies = TableBinarizer(strategy=strategy).fit(X[rows], y[rows])
        assert weighted.predicates_ == copies.predicates_, strategy


# --- missing values and categories inside the exact search ----------------------------

cells = st.one_of(st.none(), st.integers(0, 3))
tables = st.integers(2, 9).flatmap(
    lambda n: st.tuples(
        st.lists(cells, min_size=n, max_size=n),
        st.lists(st.sampled_from([None, "a", "b", "c"]), min_size=n, max_size=n),
        st.lists(st.integers(0, 2), min_size=n, max_size=n),
    )
)


def bits_by_hand(numbers, characters):
    """Return the results of every test, with missing values on either side."""
    columns = []
    for threshold in (0.5, 1.5, 2.5):
        columns += [
            [missing if v is None else v > threshold for v in numbers]
            for missing in (False, True)
        ]
    columns.append([value is None for value in numbers])
    for subset in ("a", "b", "c", "ab", "ac", "bc"):
        columns += [
            [missing if v is None else v in subset for v in characters]
            for missing in (False, True)
        ]
    columns.append([value is None for value in characters])
    return np.array(columns, dtype=int).T


@thorough
@given(tables, st.integers(1, 2))
def test_missing_values_and_subsets_are_decided_by_the_search(table, depth):
    numbers, characters, labels = table
    frame = pd.DataFrame(
        {
            "n": pd.Series(numbers, dtype="Int64"),
            "c": pd.Series(characters, dtype=object),
        }
    )
    clf = OptimalTreeClassifier(max_depth=depth).fit(frame, labels)
    bits = bits_by_hand(numbers, characters)
    best = best_errors(bits.tolist(), labels, [1] * len(labels), depth)[-1]
    assert clf.objective_ == best
    assert (clf.predict(frame) != labels).sum() == best
    saved = Tree.from_json(clf.tree_.to_json())
    assert (saved.predict(frame) == clf.predict(frame)).all()
    as_polars = pl.DataFrame({"n": numbers, "c": characters}, strict=False)
    assert (clf.predict(as_polars) == clf.predict(frame)).all()


def test_missing_values_absent_in_training_go_to_the_majority_side():
    values, labels = [[1.0], [2.0], [3.0]], [0, 1, 1]
    clf = OptimalTreeClassifier(max_depth=1).fit(values, labels)
    assert clf.predict([[nan]]).tolist() == [1]
    assert clf.tree_.predicates[0] == Predicate(0, 1.5, missing=False)
    other = OptimalTreeClassifier(max_depth=1).fit(values, [0, 0, 1])
    assert other.predict([[nan]]).tolist() == [0]


@pytest.mark.parametrize(
    ("text", "what"), [("%d %%", "percentages"), ("$%d,000.50", "amounts")]
)
def test_numbers_given_as_text_give_a_warning(text, what):
    table = pd.DataFrame({"n": [text % number for number in range(1, 61)]})
    message = f"Column 'n' holds texts that look like {what} .* convert it to numbers."
    with pytest.warns(UserWarning, match=message) as caught:
        OptimalTreeClassifier(max_depth=1).fit(table, [0, 1] * 30)
    assert len(caught) == 1


@pytest.mark.parametrize(
    ("texts", "example", "advice"),
    [
        (["0.13", "-3", "1.257e-01"], "-3", "X['n'].astype(float)"),
        ([" 17 ", ".5", "+2."], "17", "X['n'].astype(float)"),
        ([str(k) for k in range(21)], "0", "X['n'].astype(float)"),
        (
            [*map(str, np.arange(0, 30, 0.7)), "?"],
            "0.0",
            "pandas.to_numeric(X['n'], errors='coerce')",
        ),
    ],
)
def test_plain_numbers_given_as_text_give_a_warning(texts, example, advice):
    message = (
        f"Column 'n' holds texts that look like numbers ({example!r}). To get "
        f"thresholds, convert it: {advice}."
    )
    for binarizer in ("exact", "auto", "quantile"):
        clf = OptimalTreeClassifier(max_depth=1, binarizer=binarizer)
        with pytest.warns(UserWarning, match=f"^{re.escape(message)}$") as caught:
            clf.fit(pd.DataFrame({"n": texts}), [0, 1, *[1] * (len(texts) - 2)])
        assert len(caught) == 1


@pytest.mark.parametrize(
    "texts",
    [
        [str(k) for k in range(20)],  # as many as have tests
        [f"{k:05}" for k in range(40)],  # codes with leading zeros
        [str(10**17 + k) for k in range(40)],  # not exact as floats
        ["0.1", "0.2", "low", "high"],
        ["1.2.3", "1.2.4"],
    ],
)
def test_codes_of_digits_are_not_called_numbers(texts):
    TableBinarizer().fit(pd.DataFrame({"n": texts}))
    codes = pd.Categorical(range(40), categories=range(40))
    TableBinarizer().fit(pd.DataFrame({"n": codes}))


def test_few_categories_may_be_codes():
    table = pd.DataFrame({"n": [str(k) for k in range(30)]})
    TableBinarizer(max_categories=30).fit(table)
    with pytest.warns(UserWarning, match=r"look like numbers \('0'\)"):
        TableBinarizer(max_categories=29).fit(table)


def test_dates_given_as_text_give_a_warning():
    days = pd.date_range("2024-01-01", periods=60)
    labels = [0] * 30 + [1] * 30
    texts = pd.DataFrame({"day": days.strftime("%Y-%m-%d"), "n": 1})
    with pytest.warns(UserWarning, match="Column 'day' holds texts that look like da"):
        OptimalTreeClassifier(max_depth=1).fit(texts, labels)
    other = texts.assign(day=days.strftime("%d.%m.%Y"))
    with pytest.warns(UserWarning, match=r"look like dates \('01\.01\.2024'\). To get"):
        OptimalTreeClassifier(max_depth=1).fit(other, labels)
    dates = pd.DataFrame({"day": days, "n": 1})
    assert OptimalTreeClassifier(max_depth=1).fit(dates, labels).objective_ == 0


def test_text_that_identifies_rows_gives_a_warning():
    names = pd.DataFrame({"id": [f"C{n}" for n in range(60)], "n": np.arange(60)})
    labels = [0, 1] * 30
    with pytest.warns(UserWarning, match="Column 'id' has 60 distinct texts in 60"):
        TableBinarizer().fit(names)
    clf = OptimalTreeClassifier(max_depth=1, forbidden_features=["id"])
    assert clf.fit(names, labels).tree_.feature[0] != 0


def test_thresholds_of_dates_may_be_text():
    dates = pd.DataFrame({"d": pd.to_datetime(["2020-01-01", "2021-01-01"])})
    assert texts_of(dates, strategy={"d": ["2020-06-01"]}) == ["d <= 2020-06-01"]
    with pytest.raises(TypeError, match="thresholds of column 'd' must be datetimes"):
        TableBinarizer(strategy={"d": ["june"]}).fit(dates)
    with pytest.raises(TypeError, match="thresholds of column 'n' must be numbers"):
        TableBinarizer(strategy={"n": ["few"]}).fit(pd.DataFrame({"n": [1.0, 2.0]}))


def test_sparse_tables_are_tables():
    rng = np.random.default_rng(0)
    table = sparse.csr_array(rng.random((60, 5)) * (rng.random((60, 5)) < 0.4))
    labels = (table.toarray()[:, 0] > 0.1).astype(int)
    clf = OptimalTreeClassifier(max_depth=2).fit(table, labels)
    assert clf.objective_ == 0
    assert (clf.predict(table) == clf.predict(table.toarray())).all()


def test_invalid_frames_are_refused():
    frame = pd.DataFrame({"a": [1.0, 2.0], "b": ["u", "v"]})
    clf = OptimalTreeClassifier(max_depth=1)
    with pytest.raises(ValueError, match="distinct names"):
        clf.fit(pd.DataFrame([[1, 2], [3, 4]], columns=["a", "a"]), [0, 1])
    with pytest.raises(ValueError, match=r"Found array with 1 sample\(s\)"):
        clf.fit(frame[:1], [0])
    with pytest.raises(ValueError, match=r"Found array with 0 feature\(s\)"):
        clf.fit(frame[[]], [0, 1])
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        clf.fit(frame, [0, 1, 1])
    with pytest.raises(ValueError, match="Input X contains infinity in column 'a'"):
        clf.fit(frame.assign(a=[1.0, np.inf]), [0, 1])
    fitted = clf.fit(frame, [0, 1])
    with pytest.raises(ValueError, match="feature names"):
        fitted.predict(frame[["b", "a"]])
    with pytest.raises(ValueError, match="columns of X must be those of training"):
        fitted.tree_.predict(frame[["b", "a"]])
    with pytest.raises(TypeError, match="Column 'a' must hold numbers, as in fit"):
        fitted.predict(frame.assign(a=["u", "v"]))


def test_inverse_gives_both_sides():
    binarizer = TableBinarizer().fit(pd.DataFrame({"c": ["a", "b"]}))
    assert binarizer.inverse(0) == "c = b"
    assert binarizer.inverse(0, False) == "c != b"
    with pytest.raises(
        ValueError, match=r"'column' parameter of TableBinarizer\.inverse"
    ):
        binarizer.inverse(1)


def test_a_saved_tree_holds_columns_and_predicates():
    frame = pd.DataFrame({"n": [1.0, nan, 2.0], "c": ["a", "b", "a"]})
    clf = OptimalTreeClassifier(max_depth=2).fit(frame, [0, 1, 2])
    saved = json.loads(clf.tree_.to_json())
    assert [column["name"] for column in saved["columns"]] == ["n", "c"]
    back = Tree.from_dict(saved)
    assert back.columns == clf.tree_.columns
    assert back.predicates == clf.tree_.predicates
