"""All thresholds of awkward tables: the proof says what was searched, or an error."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pytest

from murtree import (
    Model,
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    TableBinarizer,
)
from murtree._table.coverage import HOW_TO_GET_ALL

N_ROWS = 2000


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(N_ROWS, 2))
    return table, (table[:, 0] > rng.normal(size=N_ROWS)).astype(int)


def fitted(table, y, binarizer="exact", **options):
    return OptimalTreeClassifier(max_depth=2, binarizer=binarizer, **options).fit(
        table, y
    )


def changed(table, values, rows=slice(None), column=1):
    table = table.copy()
    table[rows, column] = values
    return table


BOTH = pytest.mark.parametrize("binarizer", ["exact", "auto"])


@BOTH
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinite_values_are_refused(numbers, infinity, binarizer):
    table = changed(numbers[0], infinity, rows=7)
    with pytest.raises(ValueError, match="Input X contains infinity"):
        fitted(table, numbers[1], binarizer)
    frame = pd.DataFrame(table, columns=["a", "b"])
    with pytest.raises(ValueError, match="Input X contains infinity in column 'b'"):
        fitted(frame, numbers[1], binarizer)


@BOTH
@pytest.mark.parametrize("value", [3.0, np.nan])
def test_a_column_of_one_value_or_none_is_not_tested(numbers, value, binarizer):
    alone = fitted(numbers[0][:, :1], numbers[1], binarizer)
    clf = fitted(changed(numbers[0], value), numbers[1], binarizer)
    assert str(clf.coverage_) == "Covers all 1,999 thresholds of 1 column."
    assert clf.objective_ == alone.objective_ == alone.lower_bound_
    assert "stump_scans" in clf.search_stats_


@BOTH
@pytest.mark.parametrize("value", [3.0, np.nan, True, None])
def test_a_table_without_two_values_gives_a_leaf(numbers, value, binarizer):
    frame = pd.DataFrame({"a": [value] * N_ROWS, "b": [value] * N_ROWS})
    clf = fitted(frame, numbers[1], binarizer)
    assert (clf.status_, clf.n_nodes_) == ("optimal", 0)
    assert clf.coverage_.n_tests == 0
    assert str(clf.coverage_) == "Covers no test: no column can divide the rows."


@BOTH
def test_a_column_with_one_value_and_missing_ones_has_one_test(numbers, binarizer):
    table = changed(numbers[0], np.nan, rows=slice(1, None))
    clf = fitted(table, numbers[1], binarizer)
    assert clf.coverage_.n_tests == N_ROWS
    assert clf.status_ == "optimal"


@BOTH
def test_text_among_numbers_is_refused(numbers, binarizer):
    table = changed(numbers[0].astype(object), "abc", rows=7)
    for mixed in (table, pd.DataFrame(table)):
        with pytest.raises(TypeError, match=r"of one kind.* Got number and text"):
            fitted(mixed, numbers[1], binarizer)


@BOTH
def test_numbers_as_text_are_categories_and_said_to_be_left_out(numbers, binarizer):
    frame = pd.DataFrame({"a": numbers[0][:, 0], "b": map(str, numbers[0][:, 1])})
    message = (
        r"Column 'b' holds .* like numbers .* convert it: X\['b'\].astype\(float\)"
    )
    with pytest.warns(UserWarning, match=message):
        clf = fitted(frame, numbers[1], binarizer)
    assert "20 most frequent of 2,000" in str(clf.coverage_)
    assert not clf.coverage_.is_complete


@BOTH
def test_mixed_types_are_all_covered(numbers, binarizer):
    rng = np.random.default_rng(1)
    whole = rng.integers(0, 500, N_ROWS)
    frame = pd.DataFrame(
        {
            "single": numbers[0][:, 0].astype(np.float32),
            "whole": whole,
            "nullable": pd.array(np.where(whole < 9, None, whole), dtype="Int64"),
            "flag": whole % 2 == 0,
            "colour": pd.Categorical(rng.choice(["x", "y", "z"], N_ROWS)),
            "time": pd.Timestamp("2020-01-01") + pd.to_timedelta(whole, unit="s"),
        }
    )
    clf = fitted(frame, numbers[1], binarizer)
    n_thresholds = sum(
        frame[name].nunique() - 1
        for name in ("single", "whole", "nullable", "flag", "time")
    )
    assert str(clf.coverage_) == (
        f"Covers all {n_thresholds:,} thresholds of 5 columns and all 3 categories of "
        "1 column."
    )
    assert (clf.predict(frame) != numbers[1]).sum() == clf.objective_


LARGE = [2**53 + k for k in range(N_ROWS)]
LARGE_TABLES = {
    "array": np.array(LARGE)[:, np.newaxis],
    "objects": pd.DataFrame({"x0": pd.Series(LARGE, dtype=object)}),
    "with None": pd.DataFrame({"x0": pd.Series([None, *LARGE[1:]], dtype=object)}),
    "nullable": pd.DataFrame({"x0": pd.array(LARGE, dtype="Int64")}),
    "with NA": pd.DataFrame({"x0": pd.array([None, *LARGE[1:]], dtype="Int64")}),
    "polars": pl.DataFrame({"x0": LARGE}),
    "with null": pl.DataFrame({"x0": [None, *LARGE[1:]]}),
}


@BOTH
@pytest.mark.parametrize("table", LARGE_TABLES.values(), ids=list(LARGE_TABLES))
def test_whole_numbers_that_are_equal_as_floats_are_refused(numbers, table, binarizer):
    with pytest.raises(ValueError, match="distinct as float64"):
        fitted(table, numbers[1], binarizer)


@pytest.mark.parametrize("name", ["objects", "nullable", "with NA", "with null"])
def test_large_whole_numbers_that_differ_as_floats_are_numbers(numbers, name):
    table = LARGE_TABLES[name][::2]  # even: floats have no others
    clf = fitted(table, numbers[1][::2])
    assert clf.coverage_.is_complete
    assert len(clf.coverage_.columns) == 1
    assert (clf.predict(table) != numbers[1][::2]).sum() == clf.objective_


@pytest.mark.parametrize("share", [0.0, 0.05])
def test_many_rows_take_memory_in_proportion(share):
    """Tests that were created at once, or compared on all values, would not end."""
    rng = np.random.default_rng(0)
    table = rng.normal(size=(300_000, 2))
    y = (table[:, 0] > rng.normal(size=300_000) / 3).astype(int)
    table[rng.random(table.shape) < share] = np.nan
    frame = pd.DataFrame(table, columns=["a", "b"])
    frame["moment"] = pd.Timestamp("2020-01-01") + pd.to_timedelta(
        frame["b"] * 1e7, unit="s"
    )
    clf = fitted(frame, y)
    n_thresholds = sum(frame[name].nunique() - 1 for name in frame)
    assert str(clf.coverage_) == f"Covers all {n_thresholds:,} thresholds of 3 columns."
    assert (clf.predict(frame) != y).sum() == clf.objective_ == clf.lower_bound_


# --- problems that need a column for each threshold -----------------------------------

NEED_COLUMNS = {
    "f1": {"objective": "f1"},
    "callable": {"objective": lambda tn, fp, fn, tp: tp + tn - fp - fn},
    "pareto_front": {"objective": "f1", "pareto_front": True},
    "gini": {"objective": "gini"},
    "log_loss": {"objective": "log_loss"},
    "feature_costs": {"feature_costs": [1, 0]},
    "partial_tree": {"partial_tree": {"feature": 0, "threshold": 0.3}},
    "max_distinct_features": {"max_distinct_features": 1},
    "solver_options": {"solver_options": {"cache": "none"}},
    "intervals": {"binarizer": TableBinarizer(strategy="exact", encoding="intervals")},
}
COLUMNS = {name: some for name, some in NEED_COLUMNS.items() if "binarizer" not in some}


@pytest.fixture(scope="module")
def many_numbers():
    rng = np.random.default_rng(0)
    table = rng.normal(size=(15_002, 2))  # 30,002 thresholds
    return table, (table[:, 0] > rng.normal(size=15_002)).astype(int)


@pytest.mark.parametrize("options", NEED_COLUMNS.values(), ids=list(NEED_COLUMNS))
def test_other_problems_take_columns_up_to_a_limit(numbers, many_numbers, options):
    table, y = numbers
    clf = fitted(table[:400], y[:400], **options)
    assert clf.status_ == "optimal"
    assert clf.coverage_.max_tests == 30_000
    limit = (
        "With this objective or limit a fit takes at most 30,000 tests; more raise an "
        "error."
    )
    assert str(clf.coverage_).endswith(limit)
    if "binarizer" not in options:
        covered = f"Covers all 798 thresholds of 2 columns. {limit}"
        assert str(clf.coverage_) == covered
        assert covered in Model.of(clf)._repr_html_()
    assert "stump_scans" not in clf.search_stats_
    message = r"make 30,002 columns, and the maximum is 30,000\. .* max_columns=30002\)"
    if "binarizer" in options:
        message = r"at most max_columns=30000 columns\. Got 3000"
    with pytest.raises(ValueError, match=message):
        fitted(*many_numbers, **options)


@pytest.mark.parametrize("options", COLUMNS.values(), ids=list(COLUMNS))
def test_candidates_of_other_problems_say_how_to_get_all_only_if_they_can(
    numbers, many_numbers, options
):
    few = fitted(*numbers, "auto", **options)
    assert str(few.coverage_).endswith(HOW_TO_GET_ALL)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # not proven
        many = fitted(*many_numbers, "auto", time_limit=0.1, **options)
    text = (
        "All 30,002 thresholds make more than 30,000 tests, the maximum with this "
        "objective or limit."
    )
    assert str(many.coverage_).endswith(f" {text}")
    assert 'use binarizer="exact"' not in str(many.coverage_)
    assert many.coverage_.max_tests == 30_000
    saved = Model.from_json(Model.of(many).to_json())
    assert str(saved.proof.coverage) == str(many.coverage_)


def test_missing_values_and_categories_count_towards_the_limit(many_numbers):
    table, y = many_numbers
    frame = pd.DataFrame({"x": table[:, 0], "z": table[:, 1], "c": "one"})
    frame.loc[:3, "x"] = np.nan
    frame.loc[5:, "c"] = "other"
    message = r"All thresholds make 44,997 columns, and the maximum is 30,000\."
    with pytest.raises(ValueError, match=message):
        fitted(frame, y, objective="f1")
    few = TableBinarizer(strategy="exact", max_columns=9000)
    with pytest.raises(ValueError, match="make 29,996 columns, and the maximum is 9,0"):
        fitted(frame[["x", "c"]], y, few, objective="f1")


@pytest.mark.parametrize("objective", ["squared_error", "absolute_error"])
def test_regression_takes_columns_up_to_a_limit(numbers, many_numbers, objective):
    tree = OptimalTreeRegressor(max_depth=2, binarizer="exact", objective=objective)
    tree.fit(numbers[0][:200], numbers[0][:200, 1])
    assert str(tree.coverage_) == (
        "Covers all 398 thresholds of 2 columns. With this objective or limit a fit "
        "takes at most 30,000 tests; more raise an error."
    )
    assert Model.of(tree).proof.coverage.max_tests == 30_000
    with pytest.raises(
        ValueError, match="make 30,002 columns, and the maximum is 30,0"
    ):
        tree.fit(many_numbers[0], many_numbers[0][:, 1])


def test_small_tables_have_no_limit_on_tests(numbers):
    table = np.round(numbers[0], 1)
    clf = OptimalTreeClassifier(max_depth=3, binarizer="exact").fit(table, numbers[1])
    assert "stump_scans" not in clf.search_stats_  # columns, since they are faster
    assert clf.coverage_.max_tests is None
    n_tests = sum(np.unique(column).size - 1 for column in table.T)
    assert str(clf.coverage_) == f"Covers all {n_tests} thresholds of 2 columns."


def test_a_limit_on_columns_is_kept(numbers, many_numbers):
    few = TableBinarizer(strategy="exact", max_columns=1000)
    with pytest.raises(ValueError, match=r"max_columns=1000 .* Got 3998"):
        fitted(*numbers, binarizer=few)
    many = TableBinarizer(strategy="exact", max_columns=40_000)
    table, y = many_numbers
    by_columns = OptimalTreeClassifier(max_depth=1, binarizer=many).fit(table, y)
    by_ranks = OptimalTreeClassifier(max_depth=1, binarizer="exact").fit(table, y)
    assert by_columns.objective_ == by_ranks.objective_
    covered = "Covers all 30,002 thresholds of 2 columns."
    assert str(by_ranks.coverage_) == covered
    limit = (
        "With this objective or limit a fit takes at most 40,000 tests; more raise an "
        "error."
    )
    assert str(by_columns.coverage_) == f"{covered} {limit}"
    assert "stump_scans" in by_ranks.search_stats_


def test_forbidden_features_leave_columns_out_of_the_ranks(many_numbers):
    table, y = many_numbers
    wide = np.column_stack([table, table[:, 0] > 0.1, np.roll(table[:, 1], 1)])
    clf = fitted(wide, y, forbidden_features=[2])
    assert str(clf.coverage_) == "Covers all 45,003 thresholds of 3 columns."
    assert "stump_scans" in clf.search_stats_
    assert 2 not in clf.tree_.feature
    assert (clf.predict(wide) != y).sum() == clf.objective_ == clf.lower_bound_
