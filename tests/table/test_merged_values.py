"""Values that float64 cannot tell apart are refused, and only those."""

import datetime
import re
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from murtree import OptimalTreeClassifier, TableBinarizer
from murtree._table.columns import learn_columns

DAY = pd.Timestamp("2020-01-01")
NANOSECONDS = pd.Series([DAY, DAY + pd.Timedelta(1, "ns"), None]).astype("M8[ns]")
SPANS = pd.Series(pd.to_timedelta([1, 2, None], unit="ns"))
LATE = np.array(["2300-01-01T00:00:00.000001", "2300-01-01T00:00:00.000002"], "M8[us]")
CLOSE = [Decimal("0.12345678901234567890"), Decimal("0.12345678901234567891"), None]
ARROW_DECIMAL = pd.ArrowDtype(pa.decimal128(30, 20))
MERGED = {
    "nanoseconds": pd.DataFrame({"t": NANOSECONDS}),
    "zone": pd.DataFrame({"t": NANOSECONDS.dt.tz_localize("Europe/Berlin")}),
    "Arrow": pd.DataFrame({"t": NANOSECONDS.astype("timestamp[ns][pyarrow]")}),
    "NumPy": NANOSECONDS.to_numpy()[:, np.newaxis],
    "polars": pl.DataFrame({"t": NANOSECONDS.to_numpy()}),
    "spans": pd.DataFrame({"t": SPANS}),
    "Arrow spans": pd.DataFrame({"t": SPANS.astype("duration[ns][pyarrow]")}),
    "polars spans": pl.DataFrame({"t": SPANS.to_numpy()}),
    "after 2242": pd.DataFrame({"t": np.array([10**10 * 10**6, 10**16 + 1], "M8[us]")}),
    "late objects": pd.DataFrame(
        {
            "t": pd.Series(
                [datetime.datetime(9999, 1, 1, microsecond=k) for k in range(9)],
                dtype=object,
            )
        }
    ),
    "decimals": pd.DataFrame({"t": CLOSE}),
    "Arrow decimals": pd.DataFrame({"t": pd.Series(CLOSE, dtype=ARROW_DECIMAL)}),
    "polars decimals": pl.DataFrame({"t": CLOSE}),
    "fractions": pd.DataFrame(
        {"t": [Fraction(1, 3), Fraction(1, 3) + Fraction(1, 9**30)]}
    ),
    "long doubles": np.array([[1], [1 + np.finfo(np.longdouble).eps]], np.longdouble),
}


@pytest.mark.parametrize("table", MERGED.values(), ids=list(MERGED))
def test_distinct_values_with_one_code_are_refused(table):
    if getattr(table, "dtype", None) == np.longdouble and table[0] == table[1]:
        pytest.skip("long doubles are doubles here")
    with pytest.raises(ValueError, match=r"^Column '(t|x0)' must hold .*distinct"):
        TableBinarizer().fit(table)


def test_the_message_has_both_values_and_a_remedy():
    for table, own in ((MERGED["nanoseconds"], "X['t']"), (MERGED["NumPy"], "X[:, 0]")):
        text = (
            "Got 2020-01-01T00:00:00.000000000 and 2020-01-01T00:00:00.000000001: give "
            f"whole numbers instead, such as ({own} - {own}.min()).astype('int64')."
        )
        with pytest.raises(ValueError, match=re.escape(text)):
            OptimalTreeClassifier().fit(table, [0, 1, 1])
    text = (
        f"Got {CLOSE[0]} and {CLOSE[1]}, which are not: subtract the minimum, as in "
        "X['t'] - X['t'].min()."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        OptimalTreeClassifier().fit(MERGED["decimals"], [0, 1, 1])
    text = (
        "Got 9007199254740992 and 9007199254740993, which are not: subtract the "
        "minimum, as in X[:, 0] - X[:, 0].min(), or, if they are identifiers, make "
        "text of them: X[:, 0].astype(str)."
    )
    with pytest.raises(ValueError, match=re.escape(text)):
        OptimalTreeClassifier().fit(np.array([[2**53], [2**53 + 1]]), [0, 1])


def test_the_remedies_keep_the_values_apart():
    times, whole = NANOSECONDS[:2], pd.Series([2**53, 2**53 + 1])
    decimals = pd.Series(CLOSE[:2])
    for column in (
        (times - times.min()).astype("int64"),
        whole - whole.min(),
        whole.astype(str),
        decimals - decimals.min(),
    ):
        clf = OptimalTreeClassifier().fit(pd.DataFrame({"t": column}), [0, 1])
        assert clf.objective_ == 0
    X = whole.to_numpy()[:, np.newaxis]
    assert OptimalTreeClassifier().fit(X - X[:, 0].min(), [0, 1]).objective_ == 0


APART = {
    "microseconds": pd.Series([DAY, DAY + pd.Timedelta(1, "us")]).astype("M8[ns]"),
    "repeated": pd.Series([DAY + pd.Timedelta(1, "ns")] * 2).astype("M8[ns]"),
    "until 2242": np.array([2**33 * 10**6 - 2, 2**33 * 10**6 - 1], "M8[us]"),
    "late": LATE,
    "days": pd.Series([datetime.date(2020, 1, 1), DAY, np.datetime64("2020-01-01")]),
    "decimals": [Decimal("0.1"), Decimal("0.2"), Decimal("0.10")],
    "decimals and floats": [Decimal("0.1"), 0.1, Fraction(1, 10)],
    "Arrow dates": pd.Series([DAY.date(), None], dtype=pd.ArrowDtype(pa.date32())),
}


@pytest.mark.parametrize("name", APART)
def test_other_values_are_accepted(name):
    column = pd.Series(APART[name])
    if name in ("days", "decimals and floats"):
        column = column.astype(object)
    _, codes = learn_columns(pd.DataFrame({"t": column}))
    n_distinct = {"repeated": 1, "days": 1, "decimals and floats": 1, "Arrow dates": 1}
    known = codes[~np.isnan(codes)]
    assert np.unique(known).size == n_distinct.get(name, 2)


@pytest.mark.parametrize("kind", ["M8", "m8"])
def test_times_that_overflow_are_refused(kind):
    far = np.array([[2**40, "NaT"], [0, 0]], f"{kind}[D]").T
    with pytest.raises(ValueError, match=r"'x0' must hold .*s within 290,000 years"):
        TableBinarizer().fit(far)
    one = pd.DataFrame({"t": pd.Series([far[0, 0]], dtype=object)})
    with pytest.raises(ValueError, match=r"'t' must hold .*s within 290,000 years"):
        TableBinarizer().fit(one)
