"""``murtree predict``: needed columns and written output."""

import io
from pathlib import Path

import numpy as np
import pandas as pd
import pyarrow.parquet as pq
import pytest
from cli.tools import ok, run

from murtree import Model, OptimalTreeClassifier, OptimalTreeRegressor


def test_predict_as_the_library_does(folder):
    done = ok("predict", folder / "one.json", folder / "iris.csv")
    found = pd.read_csv(io.StringIO(done.out))
    X = pd.read_csv(folder / "iris.csv").drop(columns="species")
    model = Model.load(folder / "one.json")
    assert found.columns.tolist() == ["prediction"]
    assert found["prediction"].tolist() == model.predict(X).tolist()


def test_predict_with_all_options(folder):
    content = (folder / "iris.csv").read_bytes()
    ok(
        *("predict", folder / "all.json", "-", "--proba", "--explain", "--append"),
        *("--size", 1, "-o", "out.csv"),
        stdin=content,
    )
    found = pd.read_csv("out.csv")
    assert found.columns.tolist() == [
        *("sepal length", "sepal width", "petal length", "petal width", "species"),
        "prediction",
        *("share_setosa", "share_versicolor", "share_virginica", "rule"),
    ]
    assert found["rule"][0] == "petal length <= 2.4"
    assert found["share_virginica"].tolist() == [0.0] * 50 + [0.5] * 100


def test_large_tables_are_predicted_in_pieces(folder, monkeypatch):
    lines = (folder / "iris.csv").read_text().splitlines(keepends=True)
    lines[0] = lines[0].replace("species", '"species\n""of"" iris"')
    lines[70] = lines[70].replace("versicolor", '"two\nlines, ""quoted"""')
    Path("whole.csv").write_text("".join(lines))
    whole = ok("predict", folder / "one.json", "whole.csv", "--append").out
    text = "\ufeff" + "".join(lines[:90]) + "\n\n" + "".join(lines[90:])
    for size in (1, 100, 1000, 10**6):
        monkeypatch.setattr("murtree.cli.tables.records.BLOCK", size)
        piped = ok("predict", folder / "one.json", "-", "--append", stdin=text.encode())
        assert piped.out == whole
        wrong = text.replace(lines[140], "1,2,3,x,y\n")
        done = run(
            "predict", folder / "one.json", "-", "-o", "out", stdin=wrong.encode()
        )
        n_line = wrong[: wrong.index("1,2,3,x,y")].count("\n") + 1
        assert f"standard input, line {n_line}" in done.err
        assert done.code == 2
        assert not Path("out").exists()


KINDS = (
    "id,amount,flag,day,colour,y\n"
    "a1,1,true,2024-01-01,red,no\na2,2,false,2024-02-01,blue,no\n"
    "a3,8,true,2024-03-01,red,yes\na4,9,false,2024-04-01,blue,yes\n"
)


@pytest.fixture
def one_test():
    """Fit a tree that tests only the amount."""
    only = ("--forbid", "id", "--forbid", "day", "--ignore", "flag")
    ok(
        *("fit", "-", "-t", "y", "-d", 1, "-o", "m.json", "-q", *only),
        stdin=KINDS.encode(),
    )
    assert set(Model.load("m.json").tree.feature.tolist()) == {1, -2}


@pytest.mark.parametrize(
    "text", ["amount\n9\n1\n", "day,amount,id\nnever,9,\n2024-13-01,1,7\n"]
)
def test_columns_without_a_test_may_contain_anything(one_test, text):
    done = ok("predict", "m.json", "-", "--proba", "--explain", stdin=text.encode())
    found = pd.read_csv(io.StringIO(done.out))
    assert found["prediction"].tolist() == ["yes", "no"]
    assert found["share_yes"].tolist() == [1.0, 0.0]
    assert "amount" in found["rule"][0]


def test_tested_columns_are_required(one_test):
    done = run("predict", "m.json", "-", stdin=b"id,day\na1,2024-01-01\n")
    assert done.code == 2
    assert "no column 'amount' in standard input, which the model needs. C" in done.err
    done = run("predict", "m.json", "-", stdin=b"amount\nmuch\n")
    assert "line 2: column 'amount' must be a number" in done.err


def test_a_tree_without_tests_needs_no_column(folder):
    done = ok("predict", folder / "all.json", "-", "--size", 0, stdin=b"a,b\n1,\n2,x\n")
    assert done.out.split() == ["prediction", "setosa", "setosa"]


def test_parquet_file_needs_only_tested_columns(one_test):
    frame = pd.DataFrame({"id": [[1], [2]], "amount": [9, 1]})
    frame.to_parquet("new.parquet")
    assert ok("predict", "m.json", "new.parquet").out.split()[1:] == ["yes", "no"]
    ok("fit", "-", "-t", "y", "-d", 0, "-o", "leaf.json", "-q", stdin=KINDS.encode())
    assert ok("predict", "leaf.json", "new.parquet").out.split()[1:] == ["no"] * 2


def test_append_keeps_the_cells_of_the_file(one_test):
    text = 'amount;id;code;flag;day\n09; a1 ;x;1;never\n1.50;"a;2";NA;;\n'
    done = ok("predict", "m.json", "-", "--append", stdin=text.encode())
    assert done.out == (
        "amount,id,code,flag,day,prediction\n09,a1 ,x,1,never,yes\n1.50,a;2,NA,,,no\n"
    )
    index = b",amount\n007,9\n008,1\n"
    done = ok("predict", "m.json", "-", "--append", stdin=index)
    assert done.out == ",amount,prediction\n007,9,yes\n008,1,no\n"


def test_append_keeps_the_values_of_parquet(one_test):
    frame = pd.DataFrame(
        {
            "id": pd.array([2**60 + 1, None], "Int64"),
            "flag": [True, False],
            "amount": [9, 1],
            "rate": [0.1, None],
            "day": pd.to_datetime(["2024-01-31", None]),
        },
        index=["r1", "r2"],
    )
    frame.to_parquet("new.parquet")
    assert ok("predict", "m.json", "new.parquet", "--append").out == (
        "id,flag,amount,rate,day,prediction\n"
        "1152921504606846977,True,9,0.1,2024-01-31 00:00:00,yes\n"
        ",False,1,,,no\n"
    )


def test_predict_writes_parquet(one_test, monkeypatch):
    frame = pd.DataFrame(
        {
            "id": pd.array([2**60 + 1, None], "Int64"),
            "amount": np.array([9, 1], dtype=np.int32),
            "day": pd.to_datetime(["2024-01-31", None]),
        }
    )
    frame.to_parquet("new.parquet")
    ok("predict", "m.json", "new.parquet", "--append", "-o", "out.parquet")
    found = pq.read_table("out.parquet")
    assert found["prediction"].to_pylist() == ["yes", "no"]
    before = pq.read_table("new.parquet")
    assert found.drop_columns("prediction").equals(before.replace_schema_metadata())
    monkeypatch.setattr("murtree.cli.tables.records.BLOCK", 8)
    text = b"id,amount\n7,9\n8,1\n" + b",2\n" * 20
    ok("predict", "m.json", "-", "--append", "--proba", "-o", "o.pq", stdin=text)
    found = pq.read_table("o.pq")
    assert found.column_names == ["id", "amount", "prediction", "share_no", "share_yes"]
    assert found["id"].to_pylist() == ["7", "8", *[""] * 20]
    assert found["share_yes"].to_pylist() == [1.0] + [0.0] * 21


def test_parquet_is_written_completely_or_not_at_all(one_test):
    done = run("predict", "m.json", "-", "-o", "o.parquet", stdin=b"amount\n9\nmany\n")
    assert done.code == 2
    assert not Path("o.parquet").exists()


def test_append_keeps_the_benchmark_format():
    Path("rows.txt").write_text("0 1 0\n1 0 1\n0 1 1\n1 0 0\n")
    ok("fit", "rows.txt", "-d", 1, "-o", "m.json", "-q")
    done = ok("predict", "m.json", "rows.txt", "--append")
    assert done.out.splitlines()[:2] == ["class,f1,f2,prediction", "0,1,0,0"]


def test_append_refuses_a_name_that_is_taken(one_test):
    text = b"amount,prediction\n9,yes\n"
    done = run("predict", "m.json", "-", "--append", stdin=text)
    assert "standard input has a column 'prediction' already" in done.err
    assert (done.code, done.out) == (2, "")
    assert ok("predict", "m.json", "-", stdin=text).out == "prediction\nyes\n"


def test_a_category_that_looks_like_a_number():
    text = "code,y\n" + "01,a\n2,b\nx,b\n" * 5
    ok("fit", "-", "-t", "y", "-d", 2, "-o", "m.json", "-q", stdin=text.encode())
    done = ok("predict", "m.json", "-", stdin=b"code\n2\n01\n2\n")
    assert done.out.split() == ["prediction", "b", "a", "b"]


@pytest.mark.parametrize("command", ["fit", "frontier", "tune"])
@pytest.mark.parametrize(("rule", "smoothing"), [("laplace", "laplace"), ("2.5", 2.5)])
def test_smoothed_probabilities(iris, command, rule, smoothing):
    table = pd.read_csv(iris)
    X, y = table.drop(columns="species"), table["species"]
    command = (command, iris, "-t", "species", "-d", 2, "--smoothing", rule)
    labels_only = ("--strategy", "all") if command[0] == "tune" else ()
    ok(*command, *labels_only, "-o", "model.json")
    clf = OptimalTreeClassifier(max_depth=2, smoothing=smoothing).fit(X, y)
    ok("predict", "model.json", iris, "--proba", "-o", "out.csv")
    found = pd.read_csv("out.csv")
    np.testing.assert_allclose(found.iloc[:, 1:], clf.predict_proba(X), rtol=1e-15)
    assert found["prediction"].tolist() == clf.predict(X).tolist()


def test_smoothed_values(iris):
    fit = ("fit", iris, "-t", "petal width", "--regression", "-d", 2)
    shown = ok(*fit, "--smoothing", 20, "-o", "model.json").out
    table = pd.read_csv(iris)
    X, y = table.drop(columns="petal width"), table["petal width"]
    reg = OptimalTreeRegressor(max_depth=2, smoothing=20).fit(X, y)
    found = pd.read_csv(io.StringIO(ok("predict", "model.json", iris).out))
    values = reg.predict(X)
    np.testing.assert_allclose(found["prediction"], values, rtol=1e-15)
    error = np.sqrt(np.mean((values - y) ** 2))
    printed = float(shown.partition("training ")[2].split()[0])
    assert printed == pytest.approx(error, rel=1e-3)
    assert f"R² {reg.score(X, y):.3f}" in shown
    ok(*fit, "--smoothing", 20, "--report", "page.html")
    text = Path("page.html").read_text(encoding="utf-8")
    assert all(repr(value) in text for value in set(values.tolist()))
