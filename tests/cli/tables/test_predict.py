"""Files for a saved model: columns are read with the kinds from training."""

import csv
import datetime
import io

import numpy as np
import pandas as pd
import pytest
from cli.tables.tools import column, read
from hypothesis import given, settings
from hypothesis import strategies as st

from murtree import Column, OptimalTreeClassifier, Tree
from murtree.cli.commands.predict import needed_columns
from murtree.cli.labelled_rows import split_target
from murtree.cli.tables import FileError

TRAIN = (
    "code,amount,flag,day,label\n"
    "007,1,true,2024-01-01,a\n012,2,false,2024-02-01,b\n"
    "007,3,true,2024-03-01,a\n030,4,false,2024-04-01,b\n"
)


def trained(text=TRAIN, target="label"):
    X, y = split_target(read(text), target)
    tree = OptimalTreeClassifier(max_depth=2).fit(X, y).tree_
    return Tree.from_json(tree.to_json()), X


def test_predict_reads_what_fit_learned():
    """Without the model, this file would give numbers, text, numbers and nothing."""
    tree, _ = trained()
    text = (
        "day,extra,flag,amount,code\n,x,1,1.5,12\nNA,y,0,NA,30\n2024-02-01,z,1,2,007\n"
    )
    alone = read(text).frame
    assert (alone["code"].dtype, alone["flag"].dtype) == (object, np.int64)
    frame = read(text, columns=tree.columns).frame
    assert list(frame) == ["code", "amount", "flag", "day"]
    assert frame["code"].tolist() == ["12", "30", "007"]
    assert frame["amount"].tolist()[0] == 1.5
    assert frame["flag"].tolist() == [True, False, True]
    assert frame["day"].dtype.kind == "M"
    with pytest.warns(UserWarning, match="Column 'code' holds categories .* '12', "):
        assert tree.predict(frame).shape == (3,)
    numbers = read("code,amount,flag,day\n12,2,true,\n", columns=tree.columns).frame
    assert numbers["code"].tolist() == ["12"]
    with pytest.warns(UserWarning, match="'12'. They are treated as missing"):
        assert np.isnan(tree.encode(numbers)[0, 0])  # 12 is not 012


def test_prediction_is_the_same_from_a_part_of_the_file():
    tree, X = trained()
    lines = TRAIN.splitlines()
    expected = tree.predict(X)
    for row in range(4):
        part = f"{lines[0]}\n{lines[row + 1]}\n"
        frame = read(part, columns=tree.columns).frame
        assert tree.predict(frame).tolist() == [expected[row]]


@pytest.mark.parametrize(
    ("known", "cells", "values"),
    [
        (Column("a", "category", ("1", "2")), ["1", "2", "3"], ["1", "2", "3"]),
        (Column("a", "category", (1, 2)), ["1", "2.0", "3"], [1, 2, 3]),
        (Column("a", "ordered", ("low", "high")), ["high", ""], ["high", None]),
        (Column("a", "category", ("NA", "x")), ["NA", "null"], ["NA", None]),
        (Column("a", "category", ("", "x")), ["", "x"], ["", "x"]),
        (Column("a", "category", (" x", "y")), ["x", "y"], [" x", "y"]),
        (Column("a", "category", ("x", "x ")), ["x"], ["x"]),
        (Column("a", "category", ("True", "x")), ["True"], ["True"]),
        (
            Column("a", "category", ("2020-01-01 00:00:00", "2020-01-02 00:00:00")),
            ["2020-01-02", "2020-01-03", "2020-01-01T00:00", "soon"],
            ["2020-01-02 00:00:00", "2020-01-03", "2020-01-01 00:00:00", "soon"],
        ),
        (
            Column("a", "category", ("2020-01-01", "2020-02-30")),
            ["2020-01-01", "2020-01-01 00:00"],
            ["2020-01-01", "2020-01-01 00:00"],
        ),
        (Column("a", "number"), ["007", "1e3"], [7.0, 1000.0]),
        (Column("a", "boolean"), ["1", "FALSE", "0.0"], [True, False, False]),
        (Column("a", "empty"), ["anything", "7"], [None, None]),
        (Column("a", "time"), ["12:30", ""], [datetime.time(12, 30), None]),
        (
            Column("a", "duration"),
            ["2 days 03:00:00"],
            [datetime.timedelta(days=2, hours=3)],
        ),
        (
            Column("a", "datetime"),
            ["2024-01-31"],
            [pd.Timestamp("2024-01-31")],
        ),
        (
            Column("a", "datetime", has_zone=True),
            ["2024-01-31 12:00Z"],
            [pd.Timestamp("2024-01-31 12:00Z")],
        ),
    ],
)
def test_each_kind_of_a_model(known, cells, values):
    got = column(*cells, columns=[known, Column("b")])
    assert [None if pd.isna(value) else value for value in got] == values
    frame = pd.DataFrame({"a": got})
    tree_like = Tree.encode(_tree_of(known), frame)
    assert tree_like.shape == (len(cells), 1)


def _tree_of(known):
    nothing = np.zeros(1, dtype=np.int32)
    return Tree(
        children_left=nothing - 1,
        children_right=nothing - 1,
        feature=nothing - 2,
        threshold=np.array([-2.0]),
        value=np.array([[1, 0]]),
        classes=np.array([0, 1]),
        n_features=1,
        predicates=(None,),
        columns=(known,),
    )


@pytest.mark.parametrize(
    "kind", ["number", "boolean", "category", "datetime", "duration", "time", "empty"]
)
@pytest.mark.parametrize("has_zone", [False, True])
def test_all_missing_in_each_kind(kind, has_zone):
    categories = ("x",) if kind == "category" else ()
    known = Column("a", kind, categories, has_zone=has_zone)
    got = column("", "NA", columns=[known, Column("b")])
    assert np.isnan(_tree_of(known).encode(pd.DataFrame({"a": got}))).all()


def test_decimal_commas_for_a_model():
    frame = read("a;b\n1,5;x\n2;y\n", columns=[Column("a")]).frame
    assert frame["a"].tolist() == [1.5, 2.0]
    with pytest.raises(FileError, match=r"line 4: .* a number.* Got '2,x' instead"):
        read("a;b\n1,5;x\n2;y\n2,x;z\n", columns=[Column("a")])


def test_columns_without_names_are_matched_by_position():
    nameless = [Column("x0", is_named=False), Column("x1", is_named=False)]
    frame = read("a,b\n1,2\n", columns=nameless).frame
    assert frame.to_dict("list") == {"x0": [1.0], "x1": [2.0]}
    frame = read("x1,x0,y\n1,2,3\n", columns=nameless).frame
    assert frame.to_dict("list") == {"x0": [2.0], "x1": [1.0]}
    with pytest.raises(FileError, match="no column 'x0' in standard input, which the"):
        read("a,b,c\n1,2,3\n", columns=nameless)


@pytest.mark.parametrize(
    ("known", "cell", "message"),
    [
        (
            Column("a"),
            "abc",
            "line 3: column 'a' must be a number, as in training. Got 'abc'",
        ),
        (Column("a"), "1,5", "must be a number"),
        (Column("a", "boolean"), "yes", "must be true or false"),
        (Column("a", "category", (1, 2)), "x", "must be a whole number"),
        (Column("a", "datetime"), "31.1.2024", "must be a date such as 2024-01-31"),
        (Column("a", "datetime"), "2024-02-30", "Got '2024-02-30'"),
        (Column("a", "datetime"), "2024-01-01 12:00Z", "must be a date"),
        (Column("a", "datetime", has_zone=True), "2024-01-01", "with its zone"),
        (Column("a", "duration"), "5", "must be a duration"),
        (Column("a", "duration"), "long", "must be a duration"),
        (Column("a", "time"), "25:00", "must be a time of the day"),
    ],
)
def test_cells_unlike_those_of_training(known, cell, message):
    with pytest.raises(FileError, match=message):
        column("", f'"{cell}"', columns=[known])


def test_columns_that_are_absent():
    known = [Column("age"), Column("colr", "category", ("x",)), Column("zip")]
    with pytest.raises(FileError) as error:
        read("age,colour,member\n41,red,true\n", columns=known)
    assert str(error.value) == (
        "no column 'colr' in standard input, which the model needs (2 columns of the "
        "model are absent): did you mean 'colour'? Columns: age, colour, member"
    )


@given(
    rows=st.lists(
        st.tuples(
            *(st.integers(-3, 3), st.sampled_from(["x", "y", ""]), st.booleans()),
            st.sampled_from(["2024-01-01", "2024-02-01", ""]),
            st.sampled_from(["a", "b"]),
        ),
        min_size=4,
        max_size=12,
    ),
    depth=st.integers(0, 2),
)
@settings(max_examples=25, deadline=None)
def test_tested_columns_alone_give_the_same_predictions(rows, depth):
    lines = [",".join(map(str, row)) for row in [*rows, (0, "x", True, "", "c")]]
    X, y = split_target(read("\n".join(["n,c,b,d,y", *lines])), "y")
    tree = OptimalTreeClassifier(max_depth=depth).fit(X, y).tree_
    needed = needed_columns(tree)
    kept = [index for index, column in enumerate(needed) if column.kind != "empty"]
    cells = [line.split(",") for line in lines]
    part = [",".join([*(row[index] for index in kept), "-"]) for row in cells]
    header = ",".join([*(needed[index].name for index in kept), "extra"])
    frame = read("\n".join([header, *part]), columns=needed).frame
    assert tree.predict(frame).tolist() == tree.predict(X).tolist()


@given(
    st.lists(
        st.tuples(
            st.integers(),
            st.text(st.characters(codec="utf-8", exclude_characters="\0\r")),
        ),
        min_size=1,
    )
)
def test_original_cells_are_kept(rows):
    content = io.StringIO()
    writer = csv.writer(content, quoting=csv.QUOTE_ALL, lineterminator="\n")
    writer.writerows([("n", "any"), *rows])
    table = read(content.getvalue(), columns=[Column("n")], keep_all=True)
    assert table.original["any"] == [cell for _, cell in rows]
    assert table.original["n"] == [str(number) for number, _ in rows]
    assert list(table.frame) == ["n"]
