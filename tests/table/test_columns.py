"""Tables of any kind are encoded in the same way at fit and predict."""

import datetime
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse

from murtree import OptimalTreeClassifier
from murtree._table.columns import Column, encode, learn_columns

nan = np.nan
DAY = 86400.0


def learnt(values, **options):
    columns, codes = learn_columns(pd.DataFrame({"c": pd.Series(values, **options)}))
    return columns[0], codes[:, 0].tolist()


@pytest.mark.parametrize(
    ("series", "kind", "codes"),
    [
        (pd.Series([1, 2]), "number", [1, 2]),
        (pd.Series([1.5, None]), "number", [1.5, nan]),
        (pd.Series([1, None], dtype="Int64"), "number", [1, nan]),
        (pd.Series([1.5, None], dtype="Float64"), "number", [1.5, nan]),
        (pd.Series([Decimal("1.5"), None], dtype=object), "number", [1.5, nan]),
        (pd.Series([True, False]), "boolean", [1, 0]),
        (pd.Series([True, None], dtype="boolean"), "boolean", [1, nan]),
        (pd.Series([True, None], dtype=object), "boolean", [1, nan]),
        (pd.Series(["b", "a", None]), "category", [1, 0, nan]),
        (pd.Series(["b", "a"], dtype="category"), "category", [1, 0]),
        (pd.Series(pd.Categorical([3, 7, None])), "category", [0, 1, nan]),
        (pd.Series(pd.Categorical([True, False])), "boolean", [1, 0]),
        (pd.Series(pd.to_datetime(["1970-01-02", None])), "datetime", [DAY, nan]),
        (
            pd.Series(pd.to_datetime(["1970-01-02 02:00"]).tz_localize("Europe/Paris")),
            "datetime",
            [DAY + 3600],
        ),
        (pd.Series([datetime.date(1970, 1, 2)], dtype=object), "datetime", [DAY]),
        (pd.Series(["9999-12-31"], dtype="datetime64[us]"), "datetime", [253402214400]),
        (pd.Series(pd.to_timedelta(["1D", None])), "duration", [DAY, nan]),
        (pd.Series([datetime.time(0, 1), None], dtype=object), "time", [60, nan]),
        (pd.Series([None, None], dtype=object), "empty", [nan, nan]),
    ],
)
def test_kinds_of_pandas(series, kind, codes):
    frame = pd.DataFrame({"c": series})
    (column,), table = learn_columns(frame)
    assert column.kind == kind
    np.testing.assert_array_equal(table[:, 0], codes)
    np.testing.assert_array_equal(encode(frame, (column,)), table)


@pytest.mark.parametrize(
    ("series", "kind", "codes"),
    [
        (pl.Series([1, None]), "number", [1, nan]),
        (pl.Series([1.5, 2.5]), "number", [1.5, 2.5]),
        (pl.Series([True, False]), "boolean", [1, 0]),
        (pl.Series([True, None]), "boolean", [1, nan]),
        (pl.Series(["b", "a", None]), "category", [1, 0, nan]),
        (pl.Series(["b", "a"], dtype=pl.Enum(["b", "a"])), "category", [0, 1]),
        (pl.Series([datetime.date(1970, 1, 2), None]), "datetime", [DAY, nan]),
        (pl.Series([datetime.datetime(1970, 1, 2)]), "datetime", [DAY]),
        (pl.Series([datetime.timedelta(days=1)]), "duration", [DAY]),
        (pl.Series([datetime.time(0, 1)]), "time", [60]),
        (pl.Series([None, None]), "empty", [nan, nan]),
    ],
)
def test_kinds_of_polars(series, kind, codes):
    frame = pl.DataFrame({"c": series})
    (column,), table = learn_columns(frame)
    assert column.kind == kind
    np.testing.assert_array_equal(table[:, 0], codes)
    np.testing.assert_array_equal(encode(frame, (column,)), table)


def test_an_order_of_categories_is_kept():
    sizes = pd.Categorical(["L", "S"], categories=["S", "M", "L"], ordered=True)
    column, codes = learnt(sizes)
    assert column == Column("c", "ordered", ("S", "M", "L"))
    assert codes == [2, 0]


def test_categories_that_are_intervals_become_text():
    column, codes = learnt(pd.cut([1.0, 9.0], [0, 5, 10]))
    assert column.categories == ("(0, 5]", "(5, 10]")
    assert codes == [0, 1]


def test_arrays_lists_and_sparse_matrices():
    plain = np.array([[1.0, nan], [0.0, 2.0]])
    columns, codes = learn_columns(plain)
    assert columns == (
        Column("x0", is_named=False, is_binary=True),
        Column("x1", is_named=False),
    )
    np.testing.assert_array_equal(codes, plain)
    by_columns, table = learn_columns(sparse.csc_matrix(plain))
    assert by_columns == columns
    np.testing.assert_array_equal(table, plain)
    mixed, codes = learn_columns(np.array([[1, "a"], [2, None]], dtype=object))
    assert [column.kind for column in mixed] == ["number", "category"]
    np.testing.assert_array_equal(codes, [[1, 0], [2, nan]])


def test_the_library_of_the_table_does_not_matter():
    columns, codes = learn_columns(pd.DataFrame({"a": [1, 2], "b": ["u", "v"]}))
    same = pl.DataFrame({"a": [1, 2], "b": ["u", "v"]})
    np.testing.assert_array_equal(encode(same, columns), codes)


def test_unknown_categories_are_missing_values():
    columns, _ = learn_columns(pd.DataFrame({"c": ["a", "b"], "d": [1, 2]}))
    new = pd.DataFrame({"c": ["a", "z", None], "d": [-1, 7, 8]})
    right = [[0, -1], [nan, 7], [nan, 8]]
    np.testing.assert_array_equal(encode(new, columns), right)
    calls = []
    found = encode(
        new,
        columns,
        tested={0},
        on_unknown=lambda column, values, rows: calls.append(
            (column.name, values[rows].tolist(), rows.tolist())
        ),
    )
    np.testing.assert_array_equal(found, right)
    assert calls == [("c", ["z"], [1])]


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ([1.0, 2.0], ["a", "b"], "Column 'c' must hold numbers, as in fit. Got text"),
        (["a", "b"], [1.0, 2.0], "Column 'c' must hold categories that are text"),
        (pd.Categorical([1, 2]), ["a", "b"], "must hold categories that are number"),
        ([True, False], ["yes", "no"], "Column 'c' must hold booleans"),
        (pd.to_datetime(["2020-01-01"] * 2), ["2020-01-01"] * 2, "hold datetimes"),
        (pd.to_datetime(["2020-01-01"] * 2), [1.0, 2.0], "hold datetimes"),
        ([1.0, 2.0], pd.to_datetime(["2020-01-01"] * 2), "hold numbers"),
        (pd.to_timedelta(["1D"] * 2), pd.to_datetime(["2020-01-01"] * 2), "durations"),
    ],
)
def test_a_column_that_changes_its_type_is_refused(before, after, message):
    columns, _ = learn_columns(pd.DataFrame({"c": before}))
    with pytest.raises(TypeError, match=message):
        encode(pd.DataFrame({"c": after}), columns)


def test_other_numbers_are_not_booleans():
    columns, _ = learn_columns(pd.DataFrame({"c": [True, False]}))
    assert encode(np.array([[1.0], [nan]]), columns)[0, 0] == 1
    with pytest.raises(ValueError, match="Column 'c' must hold booleans"):
        encode(pd.DataFrame({"c": [2, 3]}), columns)


def test_columns_without_any_value_take_anything():
    columns, _ = learn_columns(pd.DataFrame({"c": [None, None]}))
    assert np.isnan(encode(pd.DataFrame({"c": ["a", "b"]}), columns)).all()


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ([1, "a"], "Column 'c' must hold values of one kind.* Got number and text"),
        ([{"a": 1}, {"b": 2}], "must hold numbers, text, booleans or times. Got dict"),
        ([b"a", b"b"], "Got bytes"),
    ],
)
def test_columns_of_unknown_kind_are_refused(values, message):
    with pytest.raises(TypeError, match=message):
        learn_columns(pd.DataFrame({"c": pd.Series(values, dtype=object)}))


def test_names_must_be_distinct_and_in_their_order():
    with pytest.raises(ValueError, match=r"must have distinct names\. Got 'a' more"):
        learn_columns(pd.DataFrame([[1, 2]], columns=["a", "a"]))
    columns, _ = learn_columns(pd.DataFrame({"a": [1], "b": [2]}))
    with pytest.raises(ValueError, match="Got 'b' instead of 'a' at index 0"):
        encode(pd.DataFrame({"b": [1], "a": [2]}), columns)
    with pytest.raises(ValueError, match="X has 1 features"):
        encode(pd.DataFrame({"b": [1]}), columns)
    really, _ = learn_columns(pd.DataFrame({"x0": [1], "x1": [2]}))
    with pytest.raises(ValueError, match="Got 'bar' instead of 'x0' at index 0"):
        encode(pd.DataFrame({"bar": [1], "foo": [2]}), really)
    nameless, _ = learn_columns(np.zeros((2, 2)))
    assert encode(pd.DataFrame({"b": [1], "a": [2]}), nameless).tolist() == [[1, 2]]
    with pytest.raises(ValueError, match="Got 'x1' instead of 'x0' at index 0"):
        encode(pd.DataFrame({"x1": [1], "x0": [2]}), nameless)


def test_categories_that_are_numbers_with_fractions_are_numbers():
    column, codes = learnt(pd.Categorical([0.5, 1.0, 2.5, 0.5], ordered=True))
    assert column.kind == "number"
    assert codes == [0.5, 1.0, 2.5, 0.5]
    with pytest.raises(
        TypeError, match=r"categories of one kind\. Got number and text"
    ):
        learnt(pd.Categorical([1, "1", 2, "x"]))


def test_moments_with_and_without_a_zone_are_not_mixed():
    there = pd.date_range("2020-01-01", periods=3, freq="h", tz=ZoneInfo("Asia/Tokyo"))
    for frame in (
        pd.DataFrame({"t": there}),
        pd.DataFrame({"t": list(there.to_pydatetime())}, dtype=object),
        pl.DataFrame({"t": pl.Series(list(there.to_pydatetime()))}),
    ):
        columns, codes = learn_columns(frame)
        assert columns[0].has_zone
        assert codes[:, 0].tolist() == [moment.timestamp() for moment in there]
        with pytest.raises(TypeError, match="Column 't' must have a time zone"):
            encode(pd.DataFrame({"t": there.tz_localize(None)}), columns)
        for none in (pd.Series([pd.NaT]), pd.Series([None], dtype=object)):
            assert np.isnan(encode(pd.DataFrame({"t": none}), columns)).all()
    naive, _ = learn_columns(pd.DataFrame({"t": there.tz_localize(None)}))
    with pytest.raises(TypeError, match="Column 't' must have no time zone"):
        encode(pd.DataFrame({"t": there}), naive)
    mixed = [there[0].to_pydatetime(), datetime.datetime(2020, 1, 1)]
    with pytest.raises(TypeError, match="must all have a time zone, or none"):
        learn_columns(pd.DataFrame({"t": pd.Series(mixed, dtype=object)}))


def test_whole_numbers_that_float64_confuses_are_refused():
    with pytest.raises(ValueError, match="Column 'c' must hold whole numbers that"):
        learnt(2**60 + np.arange(40))
    assert learnt(2**60 + 1024 * np.arange(4))[0].kind == "number"
    with pytest.raises(ValueError, match="within float64"):
        learnt(pd.Series([10**400, 1], dtype=object))


def test_a_categorical_without_categories_is_empty():
    table = pd.DataFrame({"none": pd.Categorical([None] * 4), "x": [1, 2, 3, 4]})
    clf = OptimalTreeClassifier(max_depth=1).fit(table, [0, 0, 1, 1])
    assert clf.objective_ == 0
    assert clf.tree_.columns[0].kind == "empty"


def test_an_array_of_text_is_a_table():
    table = np.array([["red", "a"], ["blue", "a"], ["red", "b"], ["blue", "b"]])
    clf = OptimalTreeClassifier(max_depth=1).fit(table, [1, 0, 1, 0])
    assert clf.objective_ == 0
    assert clf.predict(table).tolist() == [1, 0, 1, 0]
    with pytest.raises(ValueError, match="2D array"):
        clf.tree_.predict(np.array(["red", "a"]))
