"""Parquet files: types, missing values, samples, columns of a model, damage."""

import datetime
import gzip
import io
from decimal import Decimal

import numpy as np
import pandas as pd
import pyarrow as arrow
import pytest
from pyarrow import parquet

from murtree import Column, OptimalTreeClassifier
from murtree.cli.labelled_rows import split_target
from murtree.cli.tables import FileError, memory, read_table
from murtree.cli.tables import parquet as _parquet


def content_of(columns, **options):
    stream = io.BytesIO()
    table = columns if isinstance(columns, arrow.Table) else arrow.table(columns)
    parquet.write_table(table, stream, **options)
    return stream.getvalue()


def read(data, *, row_group_size=None, **options):
    content = content_of(data, row_group_size=row_group_size)
    return read_table("-", stdin=io.BytesIO(content), **options)


@pytest.mark.parametrize("name", ["data.parquet", "data.pq", "data.csv", "data"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_parquet_is_detected_by_its_first_bytes(tmp_path, name, pack):
    path = tmp_path / name
    path.write_bytes(pack(content_of({"a": [1, 2], "b": ["x", None]})))
    table = read_table(path)
    assert table.frame["a"].tolist() == [1, 2]
    assert table.frame["b"].isna().tolist() == [False, True]
    assert (table.source, table.n_rows_in_file, table.lines) == (name, 2, None)


@pytest.mark.parametrize(
    ("values", "kind", "known"),
    [
        (arrow.array([1, 2]), "number", [1, 2]),
        (arrow.array([1, None]), "number", [1, None]),
        (arrow.array([1, 2], "uint8"), "number", [1, 2]),
        (arrow.array([1.5, None]), "number", [1.5, None]),
        (arrow.array(np.array([0.5, 1], dtype="float16")), "number", [0.5, 1]),
        (arrow.array([Decimal("1.5"), None]), "number", [1.5, None]),
        (arrow.array([True, None]), "boolean", [1, None]),
        (arrow.array(["x", None]), "category", [0, None]),
        (arrow.array(["NA", ""]), "category", [1, 0]),  # only nulls are missing
        (arrow.array(["x", "y"], "large_string"), "category", [0, 1]),
        (arrow.array(["x", "y"]).dictionary_encode(), "category", [0, 1]),
        (arrow.array([2**60, 2**60 + 1]), "category", [0, 1]),
        (arrow.array([2**64 - 1, 0], "uint64"), "category", [1, 0]),
        (arrow.array([None, None]), "empty", [None, None]),
        (arrow.array([datetime.date(1970, 1, 2), None]), "datetime", [86400, None]),
        (
            arrow.array([datetime.date(9999, 12, 31)] * 2),
            "datetime",
            [253402214400] * 2,
        ),
        (arrow.array([datetime.time(0, 1), None]), "time", [60, None]),
        (arrow.array([datetime.timedelta(1), None]), "duration", [86400, None]),
        (arrow.array([0, 1], arrow.timestamp("s", "UTC")), "datetime", [0, 1]),
        (arrow.array([0, 1999], arrow.timestamp("ns")), "datetime", [0, 1e-6]),
    ],
)
def test_types(values, kind, known):
    table = read({"a": values, "y": [0, 1]})
    X, y = split_target(table, "y")
    tree = OptimalTreeClassifier(max_depth=1).fit(X, y).tree_
    assert tree.columns[0].kind == kind
    again = read({"a": values}, columns=tree.columns).frame
    for frame in (X, again):
        codes = tree.encode(frame)[:, 0].tolist()
        assert [None if np.isnan(code) else code for code in codes] == known


@pytest.mark.parametrize(
    ("values", "column", "expected"),
    [
        (["1", "NA", " 2 "], Column("a"), [1.0, None, 2.0]),
        ([1, None, 2], Column("a", "category", ("1", "2")), ["1", None, "2"]),
        ([1.0, None, 2.0], Column("a", "category", (1, 2)), [1, None, 2]),
        ([1, 0, None], Column("a", "boolean"), [True, False, None]),
        (
            ["NA", "null", None],
            Column("a", "category", ("NA", "x")),
            ["NA", "null", None],
        ),
        (["nan", " x", ""], Column("a", "category", ("x",)), ["nan", " x", ""]),
        ([2**60, 2**60 + 1, None], Column("a"), [2.0**60, 2.0**60, None]),
        (
            arrow.array([0, 86400, None], arrow.timestamp("s")),
            Column("a", "category", ("1970-01-01 00:00:00", "1970-01-03 00:00:00")),
            ["1970-01-01 00:00:00", "1970-01-02 00:00:00.000", None],
        ),
        ([1, 2, 3], Column("a", "empty"), [None, None, None]),
        (
            ["2024-01-31", None, ""],
            Column("a", "datetime"),
            [pd.Timestamp("2024-01-31"), None, None],
        ),
    ],
)
def test_columns_of_a_model(values, column, expected):
    got = read({"b": [0] * 3, "a": values}, columns=[column]).frame
    assert list(got) == ["a"]
    assert [None if pd.isna(value) else value for value in got["a"]] == expected


@pytest.mark.parametrize("kind", ["string", "large_string"])
def test_words_that_mean_missing(kind):
    values = arrow.array(["x", "?", None, " ?", "NA"], kind)
    expected = ["x", None, None, " ?", "NA"]
    for columns in (None, [Column("a", "category", ("x",))]):
        got = read({"a": values}, columns=columns, missing=["?"]).frame["a"]
        assert [None if pd.isna(value) else value for value in got] == expected
    known = [Column("a", "category", ("?", "x"))]
    got = read({"a": values}, columns=known, missing=["?"]).frame["a"]
    assert got.tolist()[1] == "?"


@pytest.mark.parametrize(
    ("values", "column", "message"),
    [
        (
            ["1", "x"],
            Column("a"),
            "row 2 of those read: column 'a' must be a number, as",
        ),
        (
            [[1], [2]],
            Column("a"),
            "column 'a' of standard input must be a number, as in",
        ),
        (
            arrow.array([0], arrow.timestamp("s", "UTC")),
            Column("a", "datetime"),
            "no time zone",
        ),
        (
            arrow.array([0], arrow.timestamp("s")),
            Column("a", "datetime", has_zone=True),
            "must have a time zone, as in training",
        ),
        (
            [1],
            Column("age"),
            "no column 'age' in standard input, which the model needs",
        ),
    ],
)
def test_columns_unlike_those_of_training(values, column, message):
    with pytest.raises(FileError, match=message):
        read({"a": values}, columns=[column])


def test_the_target_keeps_its_type():
    table = read({"a": [1, 2, 3], "y": [1, None, 0], "z": ["p", "q", None]})
    with pytest.raises(
        FileError, match="1 row has no target 'y', the first: standard i"
    ):
        split_target(table, "y")
    _, y = split_target(table, "y", drop_missing=True)
    assert (y.dtype, y.tolist()) == (np.int64, [1, 0])
    assert split_target(table, "z", drop_missing=True)[1].tolist() == ["p", "q"]


def test_names_of_rows_are_left_out(tmp_path):
    frame = pd.DataFrame({"a": [1, 2]}, index=["one", "two"])
    frame.to_parquet(tmp_path / "a.parquet")
    assert list(read_table(tmp_path / "a.parquet").frame) == ["a"]


def test_some_columns_only():
    assert list(read({"a": [1], "b": [2], "c.d": [3]}, names=["c.d", "a"]).frame) == [
        "a",
        "c.d",
    ]


def test_a_sample_is_of_all_row_groups(monkeypatch):
    monkeypatch.setattr(_parquet, "_BATCH", 64)
    columns = {"n": list(range(1000)), "t": [str(row) for row in range(1000)]}
    table = read(columns, row_group_size=100, sample=200, random_state=5)
    rows = table.frame["n"].tolist()
    assert (len(rows), table.n_rows_in_file, table.is_sample) == (200, 1000, True)
    assert rows == sorted(set(rows))
    assert table.frame["t"].tolist() == [str(row) for row in rows]
    assert read(columns, sample=200, random_state=5).frame["n"].tolist() == rows
    assert not read(columns, sample=1000).is_sample


def test_a_large_file_is_refused_early(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 10**5)
    columns = {"a": np.arange(50000)}
    with pytest.raises(
        FileError, match="standard input is too large: it takes about 1"
    ):
        read(columns)
    assert len(read(columns, sample=1000).frame) == 1000


def refusal(content):
    with pytest.raises(FileError) as error:
        read_table("-", stdin=io.BytesIO(content))
    assert str(error.value).isprintable()
    return str(error.value)


def test_damage():
    content = content_of({"a": list(range(1000))})
    message = "standard input is a damaged Parquet file: "
    for damaged in (
        content[:-9],
        b"PAR1",
        content[:40] + b"\xff" * 20 + content[60:],
        content[: len(content) // 2] + content[-8:],
    ):
        assert refusal(damaged).startswith(message)


def test_unsupported_types_are_refused():
    assert refusal(content_of({"a": [[1], [2]]})).startswith(
        "column 'a' of standard input must hold numbers, text, booleans or times. Got "
    )
    assert "Got binary instead" in refusal(content_of({"a": [b"x"]}))
    assert "but no rows" in refusal(content_of({"a": arrow.array([], "int64")}))
    twice = arrow.table([[1], [2]], names=["a", "a"])
    assert "two columns of standard input are named 'a'" in refusal(content_of(twice))
