"""Tables from files: formats, kinds of columns, round trips, targets."""

import datetime
import gzip
import string

import numpy as np
import pandas as pd
import pytest
from cli.tables.tools import column, read
from hypothesis import given, settings
from hypothesis import strategies as st

from murtree import Column, OptimalTreeClassifier
from murtree.cli.labelled_rows import split_target
from murtree.cli.tables import FileError, read_table
from murtree.cli.tables.kinds import MISSING, column_of_cells, infer

IS_PANDAS_2 = pd.__version__.startswith("2.")
PEOPLE = "age,colour,member\n41,red,true\n30,blue,false\n"


def people():
    return pd.DataFrame(
        {"age": [41, 30], "colour": ["red", "blue"], "member": [True, False]}
    ).astype({"colour": object})


# --- formats --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("content", "name"),
    [
        (PEOPLE, "data.csv"),
        (PEOPLE, "data"),
        (PEOPLE, "data.txt"),
        (PEOPLE.replace("\n", "\r\n"), "data.csv"),
        (PEOPLE.rstrip("\n"), "data.csv"),
        ("\n\n" + PEOPLE + "\n\n", "data.csv"),
        ("\ufeff" + PEOPLE, "data.csv"),
        (PEOPLE.replace(",", ", "), "data.csv"),
        (PEOPLE.replace(",", ";"), "data.csv"),
        (PEOPLE.replace(",", "\t"), "data.csv"),
        (PEOPLE.replace(",", "\t"), "data.tsv"),
        (PEOPLE.replace(",", "\t"), "data.tab"),
        (gzip.compress(PEOPLE.encode(), mtime=0), "data.csv.gz"),
        (gzip.compress(PEOPLE.encode(), mtime=0), "data.csv"),  # by its first bytes
        (PEOPLE, "data.csv.gz"),
        (PEOPLE.replace("age", '"age"'), "DATA.CSV"),
    ],
)
def test_text_in_many_forms(write, content, name):
    table = read_table(write(content, name))
    pd.testing.assert_frame_equal(table.frame, people())
    assert (table.source, table.n_rows_in_file, table.is_sample) == (name, 2, False)
    assert table.default_target is None
    assert table.notes == []


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_standard_input(pack):
    table = read(pack(PEOPLE.encode()))
    pd.testing.assert_frame_equal(table.frame, people())
    assert table.source == "standard input"


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
@pytest.mark.parametrize("as_stream", [False, True])
def test_benchmark_text_is_read(write, pack, as_stream):
    content = pack(b"1 0 1\n0 1 1\n7 1 0\n")
    table = read(content) if as_stream else read_table(write(content, "a.txt"))
    assert table.frame.to_dict("list") == {
        "class": [1, 0, 7],
        "f1": [0, 1, 1],
        "f2": [1, 1, 0],
    }
    assert table.default_target == "class"
    X, y = split_target(table)
    assert list(X.columns) == ["f1", "f2"]
    assert y.tolist() == [1, 0, 7]


def test_benchmark_text_is_read_in_parts(write):
    path = write("1 0 1\n0 1 1\n7 1 0\n", "a.txt")
    assert read_table(path, names=["f2"]).frame.to_dict("list") == {"f2": [1, 1, 0]}
    columns = [Column("f2", "boolean"), Column("class", "category", ("0", "1", "7"))]
    frame = read_table(path, columns=columns).frame
    assert frame.to_dict("list") == {
        "f2": [True, True, False],
        "class": ["1", "0", "7"],
    }
    table = read_table(path, sample=2)
    assert (len(table.frame), table.n_rows_in_file, table.is_sample) == (2, 3, True)


def test_format_by_hand(write):
    path = write("1 0 1\n0 1 1\n", "data.csv")
    assert read_table(path, format="txt").default_target == "class"
    assert list(read_table(path, format="csv").frame) == ["1 0 1"]
    assert list(read("a;b\tc\n1\t2\n", format="tsv").frame) == ["a;b", "c"]


def test_quotes_and_line_breaks_in_cells():
    table = read('a,b\n"x, ""y""","two\nlines"\n1,2\n')
    assert table.frame["a"].tolist() == ['x, "y"', "1"]
    assert table.frame["b"].tolist() == ["two\nlines", "2"]
    assert table.lines.tolist() == [2, 4]


def test_names_of_rows_are_left_out():
    table = read(people().to_csv())
    pd.testing.assert_frame_equal(table.frame, people())
    assert "no name" in table.notes[0]


def test_some_columns_only():
    table = read(PEOPLE, names=["member", "age"])
    assert list(table.frame) == ["age", "member"]
    with pytest.raises(FileError, match=r"no column 'colr' in .*mean 'colour'\?"):
        read(PEOPLE, names=["colr"])
    with pytest.raises(FileError, match="names must have at least one column"):
        read(PEOPLE, names=[])


def test_names_may_be_numbers():
    frame = read("0,1,2\n5.5,1,x\n").frame
    assert list(frame) == ["0", "1", "2"]


# --- kinds ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cells", "dtype", "values"),
    [
        (["1", "-2", "+3"], "int64", [1, -2, 3]),
        (["1", " 2 "], "int64", [1, 2]),
        (["1.5", "2", ".5", "5.", "-1e-3"], "float64", [1.5, 2, 0.5, 5.0, -0.001]),
        (["1", "inf", "-Infinity"], "float64", [1, np.inf, -np.inf]),
        (["9007199254740992"], "int64", [2**53]),
        (["true", "FALSE", "True"], "bool", [True, False, True]),
        (["01234", "98765"], "object", ["01234", "98765"]),
        (["0", "0.5", "-0.5", "0e3"], "float64", [0, 0.5, -0.5, 0]),
        (["9007199254740993", "1"], "object", ["9007199254740993", "1"]),
        (["9007199254740993", "1.5"], "object", ["9007199254740993", "1.5"]),
        (["yes", "no"], "object", ["yes", "no"]),
        (["t", "f"], "object", ["t", "f"]),
        (["None", "none"], "object", ["None", "none"]),
        (["inf", "Inf"], "object", ["inf", "Inf"]),
        (["1", "1_000"], "object", ["1", "1_000"]),
        (["1", "0x10"], "object", ["1", "0x10"]),
        (["1", "\u0663"], "object", ["1", "\u0663"]),  # a digit of another script
        (["1", "true"], "object", ["1", "true"]),
        (["2024-02-30"], "object", ["2024-02-30"]),
        (["2024-1-2"], "object", ["2024-1-2"]),
        (["2024-01-02", "2024-01-02T00:00Z"], "object", None),
        (["20240131"], "int64", [20240131]),
    ],
)
def test_kinds(cells, dtype, values):
    got = column(*cells)
    assert str(got.dtype) == dtype
    assert got.tolist() == (cells if values is None else values)


@pytest.mark.parametrize(
    "cell",
    ["2024-01-31", "2024-01-31 12:30", "2024-01-31T12:30:05.25", "0001-02-03"],
)
def test_dates(cell):
    got = column(cell, "9999-12-31", "NA")
    assert got.dtype.kind == "M"
    assert got.dt.tz is None
    assert got[0] == pd.Timestamp(cell)
    assert got[1].year == 9999
    assert got[2] is pd.NaT


def test_times_with_a_zone():
    got = column("2024-01-31T12:00:00+02:00", "2024-01-31 12:00Z", "")
    assert got[:2].tolist() == [
        pd.Timestamp("2024-01-31 10:00Z"),
        pd.Timestamp("2024-01-31 12:00Z"),
    ]
    assert got[2] is pd.NaT


@pytest.mark.parametrize(
    ("zone", "utc"),
    [
        ("", "9999-12-30T12:00:00"),
        ("Z", "9999-12-30T12:00:00+00:00"),
        ("+02:00", "9999-12-30T10:00:00+00:00"),
        ("-0530", "9999-12-30T17:30:00+00:00"),
    ],
)
def test_distant_dates_with_nanoseconds(zone, utc):
    cells = "2024-01-31 12:30:05.123456789", "9999-12-30 12:00"
    near, far = column(*(cell + zone for cell in cells))
    assert near == pd.Timestamp(f"2024-01-31 12:30:05.123456{zone}")
    assert far.isoformat() == utc


@pytest.mark.parametrize("word", sorted(MISSING))
@pytest.mark.parametrize(
    ("cell", "dtype"),
    [("1", "Int64"), ("1.5", "float64"), ("true", "boolean"), ("x", "object")],
)
def test_missing_words(word, cell, dtype):
    got = column(cell, word)
    assert str(got.dtype) == dtype
    assert got.isna().tolist() == [False, True]


def test_a_column_of_only_missing_values():
    got = column("", "NA")
    assert got.tolist() == [None, None]
    assert OptimalTreeClassifier(max_depth=1).fit(
        read("a,b\n,1\nNA,2\n").frame, ["x", "y"]
    ).tree_.columns[0] == Column("a", "empty", has_missing=True)


def test_a_lone_word_among_numbers_is_noted():
    cells = [str(number) for number in range(20)]
    table = read("a,b\n" + "".join(f"{cell},0\n" for cell in [*cells, "?", "?"]))
    assert table.frame["a"].dtype == object
    assert table.notes == [
        "column 'a' of standard input is text because of '?', first in line 22: all "
        "else in it is a number. If it means missing, add --missing '?'."
    ]
    got = column(*cells, "?", missing=["?"])
    assert str(got.dtype) == "Int64"
    assert got.isna().sum() == 1


def test_decimal_commas_after_semicolons():
    frame = read("a;b;c\n1,5;2;x,y\n2;3;z\n").frame
    assert frame["a"].tolist() == [1.5, 2.0]
    assert frame["b"].tolist() == [2, 3]
    assert frame["c"].tolist() == ["x,y", "z"]
    assert read('a,b\n"1,5",2\n').frame["a"].tolist() == ["1,5"]  # may be thousands
    assert read("a;b\n1.5;2\n").frame["a"].tolist() == [1.5]


# --- round trips ----------------------------------------------------------------------

WORD = st.text(
    string.ascii_letters + string.digits + ' ,;"\n\t\u00e9\u2028\u4e2d', max_size=8
)
COLUMNS = {
    "int64": st.integers(-(2**53), 2**53),
    "float64": st.floats(allow_infinity=False, allow_nan=False),
    "bool": st.booleans(),
    "object": WORD.map(lambda word: f"w{word}w"),
    # pandas 2 writes earlier years with fewer than four digits.
    "datetime64[us]": st.datetimes(datetime.datetime(1000 if IS_PANDAS_2 else 1, 1, 1)),
}


@st.composite
def frames(draw):
    n_rows = draw(st.integers(1, 12))
    kinds = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=2, max_size=6))
    found = {}
    for position, dtype in enumerate(kinds):
        cells = st.lists(COLUMNS[dtype], min_size=n_rows, max_size=n_rows)
        found[f"{dtype} {position}"] = pd.Series(draw(cells), dtype=dtype)
    return pd.DataFrame(found)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(frames(), st.sampled_from([",", ";", "\t"]), st.booleans())
def test_written_tables_are_read_back(frame, delimiter, is_packed):
    text = frame.to_csv(index=False, sep=delimiter).encode()
    content = gzip.compress(text) if is_packed else text
    got = read(content, format="tsv" if delimiter == "\t" else None).frame
    for name in frame:
        if frame[name].dtype == "float64":  # 5.0 and 5 are the same number
            got[name] = got[name].astype("float64")
        if frame[name].dtype.kind == "M" and IS_PANDAS_2:  # nanoseconds if possible
            got[name] = got[name].dt.as_unit("us")
    pd.testing.assert_frame_equal(got, frame, check_exact=True)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.one_of(st.sampled_from(["", "NA", "7"]), st.text(max_size=4)), min_size=1
    )
)
def test_inference_loses_nothing(cells):
    """Each cell is missing, unchanged, or has the same value."""
    cells = [cell.replace("\0", "").strip() for cell in cells]
    found = infer(column_of_cells(cells), MISSING, commas=False)
    for cell, value in zip(cells, pd.Series(found.values, dtype=object), strict=True):
        assert pd.isna(value) == (cell in MISSING)
        if found.kind == "text" and cell not in MISSING:
            assert value == cell
        if found.kind == "number" and cell not in MISSING:
            assert value == float(cell)


# --- the target -----------------------------------------------------------------------


def test_target_is_separated_from_the_features():
    X, y = split_target(read(PEOPLE), "colour")
    assert list(X) == ["age", "member"]
    assert y.tolist() == ["red", "blue"]
    assert split_target(read(PEOPLE), "member")[1].dtype == np.bool_
    assert split_target(read(PEOPLE), "age")[1].dtype == np.int64


def test_rows_without_a_target():
    table = read("a,y\n1,2\n2,\n3,NA\n4,5\n")
    with pytest.raises(FileError) as error:
        split_target(table, "y")
    assert str(error.value) == (
        "2 rows have no target 'y', the first: standard input, line 3. Leave such rows "
        "out with --drop-missing-target."
    )
    X, y = split_target(table, "y", drop_missing=True)
    assert X["a"].tolist() == [1, 4]
    assert X.index.tolist() == [0, 1]
    assert (y.dtype, y.tolist()) == (np.int64, [2, 5])


@pytest.mark.parametrize(
    ("text", "target", "message"),
    [
        (
            PEOPLE,
            "agee",
            "no column 'agee' in .*: did you mean 'age'\\? Columns: age, ",
        ),
        (PEOPLE, "Colour", "did you mean 'colour'\\?"),
        (PEOPLE, "zzz", "no column 'zzz' in standard input. Columns: age, colour, mem"),
        (
            PEOPLE,
            None,
            "which column of standard input is the target\\? Name it with --target",
        ),
        ("y\n1\n", "y", "must have columns besides the target 'y'"),
        ("a,y\n1,\n", "y", "target 'y' is missing in all of standard input"),
    ],
)
def test_invalid_targets_are_refused(text, target, message):
    with pytest.raises(FileError, match=message):
        split_target(read(text), target)


def test_many_columns_are_not_all_listed():
    text = ",".join(f"c{position}" for position in range(12))
    table = read(text + "\n" + ",".join("1" * 12) + "\n")
    with pytest.raises(FileError, match=r"c6, c7, … \(12 in all\)$"):
        split_target(table, "y")
