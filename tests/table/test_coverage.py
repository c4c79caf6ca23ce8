"""The coverage of a proof is correct and has the same text everywhere."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest
from cli.tools import ok
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

from murtree import (
    Candidates,
    Coverage,
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Proof,
    TableBinarizer,
)
from murtree._table.coverage import HOW, HOW_TO_GET_ALL

iris = load_iris(as_frame=True)
rng = np.random.default_rng(0)
N = 200
TABLE = pd.DataFrame(
    {
        "three": rng.choice(list("abc"), N),
        "seven": rng.choice([f"s{k}" for k in range(7)], N),
        "many": [f"m{k % 40}" for k in range(N)],
        "more": [f"n{k % 50}" for k in range(N)],
        "real": np.arange(N) / 10,
        "bit": np.arange(N) % 2,
        "flag": np.arange(N) % 3 == 0,
        "gaps": [None if k % 5 == 0 else k % 4 for k in range(N)],
        "same": 1.0,
        "only": [None if k % 3 == 0 else 5 for k in range(N)],
        "once": [None if k == 7 else 5 for k in range(N)],
        "bits": [None if k % 3 == 0 else k % 2 for k in range(N)],
    }
)
LABELS = rng.integers(0, 2, N)


def fitted(columns, **parameters):
    clf = OptimalTreeClassifier(**{"max_depth": 1} | parameters)
    return clf.fit(TABLE[columns], LABELS)


@pytest.mark.parametrize(
    ("columns", "binarizer", "trees", "text"),
    [
        (["real"], "exact", "all thresholds", "all 199 thresholds of 1 column."),
        (["bit", "flag"], "auto", "these columns", "both columns, one test each."),
        (["bit"], "auto", "these columns", "the only column, one test."),
        (["bit", "flag"], None, "these columns", "both columns, one test each."),
        (
            ["real", "bit", "same"],
            "exact",
            "all thresholds",
            "all 200 thresholds of 2 columns.",
        ),
        (["three"], "auto", "all categories", "all 3 categories of 1 column."),
        (
            ["three", "gaps"],
            "auto",
            "all thresholds and categories",
            "all 3 thresholds of 1 column and all 3 categories of 1 column.",
        ),
        (
            ["seven", "three"],
            "auto",
            "these candidate tests",
            "all 10 categories of 2 columns. The categories of 1 column are tested "
            "one at a time.",
        ),
        (
            ["many", "bit"],
            "auto",
            "these candidate tests",
            "21 candidate tests. Categories are left out in 1 of 2 columns, which has "
            "the 20 most frequent of 40. The categories of 1 column are tested one at "
            "a time. To test all categories, use max_categories=40 of TableBinarizer "
            "(--max-categories 40).",
        ),
        (
            ["real", "bit"],
            "quantile",
            "these candidate tests",
            "9 candidate tests. Thresholds are left out in 1 of 2 columns, which has 8 "
            "of 199 (quantiles).",
        ),
        (
            ["real"],
            TableBinarizer(strategy="uniform", n_thresholds=3),
            "these candidate tests",
            "3 candidate tests. Thresholds are left out in the only column, which has "
            "3 of 199 (evenly spaced).",
        ),
        (
            ["real", "gaps"],
            TableBinarizer(strategy={"real": [3.0, 5.55]}),
            "these candidate tests",
            "9 candidate tests. Thresholds are left out in 1 of 2 columns, which has 2 "
            "of 199 (as given).",
        ),
        (
            ["gaps"],
            TableBinarizer(encoding="intervals"),
            "these candidate tests",
            "5 candidate tests. Tests are intervals between neighbouring thresholds.",
        ),
        (["same"], "auto", "these columns", "no test: no column can divide the rows."),
        (["bit", "same"], "auto", "these columns", "1 column, one test."),
        (["only", "same"], "auto", "these columns", "1 column, one test."),
        (["only"], "auto", "these columns", "the only column, one test."),
        (["only", "once"], "auto", "these columns", "both columns, one test each."),
        (
            ["only", "once", "same"],
            "exact",
            "these columns",
            "2 columns, one test each.",
        ),
        (["bits"], "auto", "all thresholds", "the only threshold of 1 column."),
        (
            ["bits", "bit"],
            "auto",
            "all thresholds",
            "all 2 thresholds of 2 columns.",
        ),
    ],
)
def test_coverage_texts(columns, binarizer, trees, text):
    clf = fitted(columns, binarizer=binarizer)
    assert str(clf.coverage_) == f"Covers {text}"
    proof = Model.of(clf).proof
    assert proof.coverage is clf.coverage_
    assert f". No tree of depth at most 1 over {trees} does better." in proof.line
    assert clf.coverage_.is_complete == (trees != "these candidate tests")


def candidates(*counts):
    return tuple(
        Candidates(f"x{index}", "number", number, possible, "mdlp")
        for index, (number, possible) in enumerate(counts)
    )


@pytest.mark.parametrize(
    ("counts", "ending"),
    [
        ([(0, 40), (3, 9)], "both columns, which have 3 of 9 to 40 {}; 1 of them has"),
        (
            [(0, 40), (2, 50), (0, 5), (9, 1200)],
            "all 4 columns, which have 2 to 9 of 5 to 1,200 {}; 2 of them have",
        ),
        ([(0, 40)], "the only column, which has none of 40 {}."),
    ],
)
def test_columns_without_candidates_are_counted(counts, ending):
    coverage = Coverage(12, candidates(*counts))
    how = ending.format("(by minimum description length)")
    end = how if how.endswith(".") else f"{how} none."
    text = f"Covers 12 candidate tests. Thresholds are left out in {end}"
    assert str(coverage) == text
    by_column = dict(coverage.by_column)
    assert by_column["x0"] == "none of 40 thresholds (by minimum description length)"


def test_an_only_threshold_may_be_left_out():
    (found,) = Coverage(1, candidates((0, 1))).by_column
    assert found == ("x0", "none of 1 threshold (by minimum description length)")


def test_columns_that_are_forbidden_are_not_covered():
    clf = fitted(["real", "bit"], binarizer="exact", forbidden_features=["real"])
    assert str(clf.coverage_) == "Covers 1 column, one test."
    clf = fitted(["bit", "flag"], binarizer=None, forbidden_features=[0, 0])
    assert str(clf.coverage_) == "Covers the only column, one test."
    for binarizer in ("auto", None):
        clf = fitted(["bit", "flag"], binarizer=binarizer, forbidden_features=[0, 1])
        assert str(clf.coverage_) == "Covers no test: no column can divide the rows."
        assert Model.of(clf).proof.line.endswith(
            "No tree of depth at most 1, without the forbidden columns, over these "
            "columns does better."
        )


def test_the_number_of_categories_in_the_text_is_enough():
    clf = fitted(["many", "more"], binarizer="exact")
    text = "max_categories=50 of TableBinarizer (--max-categories 50)."
    assert str(clf.coverage_).endswith(f"To test all categories, use {text}")
    enough = TableBinarizer(strategy="exact", max_categories=50)
    text = str(fitted(["many", "more"], binarizer=enough).coverage_)
    assert text.startswith("Covers all 90 categories of 2 columns.")
    assert "max_categories" not in text


def test_strategies_of_a_dict_are_listed_separately():
    own = TableBinarizer(strategy={"real": [3.0]}, n_thresholds=2)
    clf = fitted(["real", "gaps"], binarizer=own)
    assert str(clf.coverage_).startswith(
        "Covers 6 candidate tests. Thresholds are left out in 1 of 2 columns, which "
        "has 1 of 199 (as given). Thresholds are left out in 1 of 2 columns, which has "
        "2 of 3 (quantiles)."
    )
    assert clf.coverage_.by_column == [
        ("real", "1 of 199 thresholds (as given)"),
        ("gaps", "2 of 3 thresholds (quantiles)"),
    ]


@pytest.mark.parametrize("strategy", ["auto", "quantile", "uniform", "tree", "mdlp"])
def test_ranges_over_columns(strategy):
    binarizer = TableBinarizer(strategy=strategy, max_columns=20)
    clf = OptimalTreeClassifier(max_depth=2, binarizer=binarizer)
    clf.fit(iris.data, iris.target)
    reason = HOW[strategy].partition(" (")[2]
    text = str(clf.coverage_)
    assert text.startswith(f"Covers {len(clf.binarizer_.predicates_)} candidate tests.")
    assert "are left out in all 4 columns, which have " in text
    more = f" {HOW_TO_GET_ALL}" if strategy == "auto" else ""
    assert text.endswith(f" of 21 to 42 ({reason}.{more}")


def test_a_single_leaf_and_a_time_limit_have_the_same_coverage():
    X, y = rng.normal(size=(3000, 12)), rng.integers(0, 2, 3000)
    clf = OptimalTreeClassifier(max_depth=5, time_limit=0.1)
    with pytest.warns(UserWarning, match="time limit"):
        clf.fit(X, y)
    line = Model.of(clf).proof.line
    assert "No tree of depth at most 5 over these candidate tests can be better" in line
    leaf = OptimalTreeClassifier(max_depth=0).fit(iris.data, iris.target)
    assert "over" in Model.of(leaf).proof.line


def test_the_text_is_the_same_after_loading_and_in_html():
    clf = fitted(["many", "seven", "real"], frontier=True, max_depth=2)
    model = Model.of(clf)
    loaded = Model.from_json(model.to_json())
    text = str(clf.coverage_)
    assert loaded.proof.coverage == clf.coverage_
    assert {str(size.proof.coverage) for size in loaded.sizes} == {text}
    assert loaded.proof.line == model.proof.line
    saved = json.loads(model.to_json())
    assert saved["coverage"]["text"] == text
    assert saved["coverage"]["columns"][0] == {
        "name": "many",
        "kind": "category",
        "n_candidates": 20,
        "n_possible": 40,
        "how": "heaviest",
    }
    assert "coverage" not in saved["proof"]
    page = model.report()
    assert f"<summary>{text}</summary>" in page
    assert "<td>many</td><td>the 20 most frequent of 40 categories, one at" in page
    assert text in clf._repr_html_()
    complete = fitted(["real"], binarizer="exact")
    assert f">{complete.coverage_}</p>" in Model.of(complete).report()


def test_cross_validation_and_regression_have_coverage():
    search = OptimalTreeClassifierCV(max_depth=1, cv=2).fit(iris.data, iris.target)
    assert search.coverage_ == search.best_estimator_.coverage_
    reg = OptimalTreeRegressor(max_depth=1).fit(iris.data, iris.target * 1.5)
    assert str(reg.coverage_).startswith("Covers ")


def test_a_proof_without_coverage():
    line = Proof("optimal", 3, 3, limits=("of depth at most 2",)).line
    assert line.endswith("No tree of depth at most 2 does better.")


@pytest.mark.parametrize(
    "damage",
    [
        lambda saved: saved.update(n_tests=-1),
        lambda saved: saved.update(n_tests=2.0),
        lambda saved: saved.update(encoding="other"),
        lambda saved: saved.update(columns=None),
        lambda saved: saved.pop("columns"),
        lambda saved: saved["columns"].append({}),
        lambda saved: saved["columns"][0].update(how="magic"),
        lambda saved: saved["columns"][0].update(how=[]),
        lambda saved: saved["columns"][0].update(kind={}),
        lambda saved: saved["columns"][0].update(n_possible="3"),
    ],
)
def test_a_damaged_file_is_refused(damage):
    saved = Model.of(fitted(["real", "bit"])).to_dict()
    damage(saved["coverage"])
    with pytest.raises(ValueError, match="'coverage' entry of a saved model must be"):
        Model.from_dict(saved)


COLUMNS = st.lists(
    st.builds(
        lambda kind, n, more, how: (
            Candidates("c", kind, n, n + more, how)
            if more
            else Candidates("c", kind, n, n, "all")
        ),
        st.sampled_from(["number", "boolean", "ordered", "datetime"]),
        st.integers(0, 3000),
        st.integers(0, 3000),
        st.sampled_from(["quantile", "uniform", "auto", "given"]),
    ),
    min_size=1,
    max_size=4,
)


@given(COLUMNS)
def test_any_counts_can_be_formatted(columns):
    n_tests = sum(column.n_candidates for column in columns)
    coverage = Coverage(n_tests, tuple(columns))
    text = str(coverage)
    assert text.startswith("Covers ")
    assert text.endswith(".")
    assert "{" not in text
    assert ("left out" in text) == (not coverage.is_complete) or n_tests == 0
    assert len(coverage.by_column) <= len(columns)


@settings(max_examples=30)
@given(st.integers(2, 5), st.integers(0, 6), st.booleans())
def test_all_categories_means_all_their_subsets(n_levels, most, has_missing):
    values = np.array([f"v{k}" for k in range(n_levels)] * 2, dtype=object)
    if has_missing:
        values[0] = None
    table = values[:, np.newaxis]
    clf = OptimalTreeClassifier(
        max_depth=1,
        binarizer=TableBinarizer(max_subset_levels=most),
    ).fit(table, np.arange(values.size) % 2)
    bits = clf.binarizer_.transform(table)
    found = {tuple(column ^ column[0]) for column in bits.T}
    levels = sorted(set(values.tolist()), key=str)
    groups = set()
    for size in range(1, len(levels)):
        for group in itertools.combinations(levels, size):
            answers = np.array([value in group for value in values.tolist()])
            groups.add(tuple(answers ^ answers[0]))
    assert (found == groups) == clf.coverage_.is_complete


@given(
    st.lists(st.floats(-1e300, 1e300), min_size=2, max_size=8),
    st.booleans(),
)
def test_exact_leaves_nothing_out(values, are_moments):
    column = np.array(values + [np.nextafter(value, np.inf) for value in values])
    if are_moments:
        column = np.round(column % 1e15).astype("datetime64[us]")
    table = pd.DataFrame({"x": column})
    binarizer = TableBinarizer(strategy="exact").fit(table)
    (found,) = binarizer.candidates_
    assert (found.how, found.n_candidates) == ("all", table.x.nunique() - 1)


def test_coverage_is_printed(tmp_path):
    path = tmp_path / "iris.csv"
    iris.frame.to_csv(path, index=False)
    model = tmp_path / "m.json"
    output = ok("fit", path, "-t", "target", "-d", 1, "-o", model).out
    text = str(Model.load(model).proof.coverage)
    assert text in " ".join(output.split())
    assert text in " ".join(ok("show", model).out.split())
    assert json.loads(ok("show", model, "--json").out)["coverage"] == text
    assert text in ok("frontier", path, "-t", "target", "-d", 1).out
