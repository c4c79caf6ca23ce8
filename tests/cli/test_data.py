"""Targets, weights and words for missing values on the command line."""

import json
from pathlib import Path

import pandas as pd
import pytest
from cli.tools import ok, run

from murtree import Model, OptimalTreeClassifier


def write(name, header, *rows, times=1):
    Path(name).write_text("\n".join([header, *rows * times]) + "\n", encoding="utf-8")


def refused(*arguments):
    """Run a command that must fail with one line and no other output."""
    done = run(*arguments)
    assert done.code == 2, done
    assert done.out == ""
    assert done.err.startswith("error: ")
    assert done.err.count("\n") == 1
    return done.err


@pytest.mark.parametrize(
    ("one", "other", "shown"),
    [
        ("1e20", "2e20", "2**53. Got 2e+20, for example."),
        ("0.0", "inf", "2**53. Got inf, for example."),
        ("-1e300", "1.0", "2**53. Got -1e+300, for example."),
    ],
)
def test_classes_that_int64_would_merge_are_refused(one, other, shown):
    write("data.csv", "x,y", f"1,{one}", f"2,{other}", times=5)
    assert shown in refused("fit", "data.csv", "-t", "y", "-d", 1)


def test_classes_as_whole_numbers_with_a_point():
    write("data.csv", "x,y", "1,-1.0", "2,9007199254740992.0", times=5)
    ok("fit", "data.csv", "-t", "y", "-d", 1, "-o", "m.json", "-q")
    assert Model.load("m.json").tree.classes.tolist() == [-1, 2**53]


@pytest.mark.parametrize("cell", ["0.7", "1.7", "1e300", "inf"])
def test_validation_targets_are_not_truncated_to_classes(cell):
    write("data.csv", "x,y", "1,0", "2,1", times=5)
    write("other.csv", "x,y", "1,0", f"2,{cell}")
    shown = "other.csv, line 3: the target 'y' must be a whole number (of a class)"
    fit = ("fit", "data.csv", "-t", "y", "-d", 1)
    assert shown in refused(*fit, "--validation", "other.csv")
    ok(*fit, "-o", "m.json", "-q")
    assert shown in refused("show", "m.json", "--validation", "other.csv")


def test_other_classes_of_validation_are_wrong():
    write("data.csv", "x,y", "1,0", "2,1", times=5)
    write("other.csv", "x,y", "1,0", "2,7", "2,1.0", "1,9")
    done = ok(
        *("fit", "data.csv", "-t", "y", "-d", 1, "--json"),
        *("--validation", "other.csv"),
    )
    assert json.loads(done.out)["validation_error"] == 0.5


def write_questions():
    """Write rows whose class depends on whether x, or colour, is missing."""
    write("data.csv", "x,colour,y", "1,?,a", "?,red,b", "2,?,a", "?,blue,b", times=5)


@pytest.mark.parametrize("command", ["fit", "frontier", "tune"])
def test_a_model_keeps_the_words_for_missing_values(command):
    write_questions()
    fit = (command, "data.csv", "-t", "y", "-d", 1, "--missing", "?", "-o", "m.json")
    ok(*fit, "--missing", "?", "-q")
    assert Model.load("m.json").settings["missing_words"] == ["?"]
    labels = ok("predict", "m.json", "data.csv").out.split()[1:]
    assert labels == ["a", "b", "a", "b"] * 5
    done = ok("show", "m.json", "--validation", "data.csv", "--json")
    assert json.loads(done.out)["validation_error"] == 0.0
    ok("report", "m.json", "-o", "page.html", "--validation", "data.csv")
    assert "missing_words" in Path("page.html").read_text(encoding="utf-8")


def test_more_words_for_missing_values_may_be_added():
    write_questions()
    ok("fit", "data.csv", "-t", "y", "-d", 1, "--missing", "?", "-o", "m.json", "-q")
    write("new.csv", "x,colour", "1,-", "-,red", "?,red")
    refused("predict", "m.json", "new.csv")
    done = ok("predict", "m.json", "new.csv", "--missing", "-")
    assert done.out.split()[1:] == ["a", "b", "b"]


@pytest.mark.parametrize("words", ["?", [1], None])
def test_damaged_words_are_refused(words):
    write_questions()
    ok("fit", "data.csv", "-t", "y", "-d", 1, "--missing", "?", "-o", "m.json", "-q")
    saved = json.loads(Path("m.json").read_text(encoding="utf-8"))
    saved["settings"]["missing_words"] = words
    Path("m.json").write_text(json.dumps(saved), encoding="utf-8")
    assert "'missing_words' must be a list" in refused("predict", "m.json", "data.csv")


def test_new_categories_are_counted_over_all_pieces(monkeypatch):
    write("data.csv", "a,b,y", "red,u,0", "blue,v,1", "green,u,1", times=5)
    ok("fit", "data.csv", "-t", "y", "-d", 1, "-o", "m.json", "-q")
    rows = ["red,u", "blue,new", "nope,u", "red,u", ",u", "nope,u", "never,u"]
    write("new.csv", "a,b", *rows)
    monkeypatch.setattr("murtree.cli.tables.records.BLOCK", 8)
    done = ok("predict", "m.json", "new.csv")
    assert len(done.out.split()) == 8
    assert done.err == (
        "note: 3 rows with a category in column 'a' that training did not have (first: "
        "'nope', new.csv, line 4): treated as missing.\n"
    )
    write("known.csv", "a,b", "red,new")  # b is not tested
    assert ok("predict", "m.json", "known.csv").err == ""


def test_a_model_can_refuse_new_categories():
    write("data.csv", "a,y", "red,0", "blue,1", "green,1", times=5)
    table = pd.read_csv("data.csv")
    clf = OptimalTreeClassifier(max_depth=1, handle_unknown="error")
    clf.fit(table[["a"]], table["y"]).save("m.json")
    write("new.csv", "a", "red", "nope")
    assert refused("predict", "m.json", "new.csv") == (
        "error: Column 'a' must hold categories that training had. Got 'nope' in "
        "new.csv, line 3: the model was fitted with handle_unknown='error'.\n"
    )
    ok("predict", "m.json", "data.csv")


def test_new_categories_are_reported_once_in_validation():
    write("data.csv", "a,y", "red,0", "blue,1", "green,1", times=5)
    write("other.csv", "a,y", "red,0", "nope,1")
    shown = (
        "note: Column 'a' holds categories that fit did not see, in 1 of 2 rows: "
        "'nope'. They are treated as missing values.\n"
    )
    fit = ("fit", "data.csv", "-t", "y", "-d", 2, "-o", "m.json", "--frontier")
    assert ok(*fit, "--validation", "other.csv").err == shown
    assert ok("show", "m.json", "--validation", "other.csv").err == shown
    assert ok("report", "m.json", "--validation", "other.csv").err == shown


ODD = {
    "id": ("12345678901234567890", "12345678901234567891", "7"),
    "american": ("6/15/2024", "12/1/2024", "1/31/24"),
    "german": ("15.06.2024", "16.06.2024 12:30", "1.7.2024"),
    "english": ("15 Jun 2024", "16 June 2024", "1-Jul-24"),
    "rate": ("0.7 %", "12%", "-3.5 %"),
    "price": ("$103,829.74", "$7", "$ 12.50"),
    "euros": ("7 €", "12.50 €", "1,200 €"),
    "count": ("1,200", "7", "103,829"),
    "preis": ("1.234,50 €", "7 €", "12,00 €"),
    "anteil": ("0,7", "12,25", "-3"),
    "quote": ("0,7 %", "12 %", "100 %"),
    "prix": ("1 234,50", "7,5", "12"),
}
PLAIN = {
    "version": ("1.2.3", "1.2.4", "2.0.0"),
    "phone": ("555-1234", "555-1235", "555-1236"),
    "code": ("01234", "98765", "00001"),
    "pair": ("1,2,3", "4,5", "6,7,8"),
    "colour": ("red", "blue", "10/10"),
    "day": ("2024-06-15", "2024-06-16", "2024-07-01"),
}
INSTEAD = {
    "id": "holds whole numbers beyond 2**53 ('12345678901234567890'). Each is kept as "
    "a category. If they identify rows, leave them out with --ignore id; if they are "
    "quantities, write them with an exponent (1.234567e19).",
    "american": "looks like dates ('6/15/2024'). To get thresholds, write "
    "them like 2024-01-31.",
    "rate": "looks like percentages ('0.7 %'). To get thresholds, write "
    "them like 0.7, without the sign.",
    "price": "looks like amounts ('$103,829.74'). To get thresholds, "
    "write them like 103829.74, without signs and commas.",
    "preis": "looks like numbers with a decimal comma ('1.234,50 €'). To get "
    "thresholds, write them like 1234.5, with a point and without other signs.",
}


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_columns_that_are_hardly_text_are_reported(kind):
    columns = ODD | PLAIN | {"y": ("a", "b", "a")}
    frame = pd.DataFrame({name: [*cells] * 20 for name, cells in columns.items()})
    frame.to_csv("data.csv", index=False)
    frame.to_parquet("data.parquet", index=False)
    fit = ("fit", f"data.{kind}", "-t", "y", "-d", 1)
    reported = ok(*fit).err.splitlines()
    begin = f"note: column '%s' of data.{kind} is read as text, but "
    odd = [*ODD] if kind == "csv" else [*ODD, "day"]  # Parquet has types for dates
    assert [line.split("'")[1] for line in reported] == odd
    for name, line in zip(odd, reported, strict=True):
        assert line.startswith(begin % name)
        as_text = begin % name + INSTEAD.get(name, line.removeprefix(begin % name))
        is_typed = kind == "parquet"
        assert line == as_text or (is_typed and ", store them as " in line)
    ignored = [word for name in odd for word in ("--ignore", name)]
    assert ok(*fit, *ignored).err == ""


def test_target_that_is_hardly_text_is_reported():
    write("data.csv", "x,y", "1,$5", '2,"$1,500"', times=9)
    done = run("fit", "data.csv", "-t", "y", "--regression")
    note, error = done.err.splitlines()
    assert "column 'y' of data.csv is read as text, but looks like amounts" in note
    assert "must hold numbers with --regression. Got '$5'" in error


def test_separators():
    rows = ("1 x 2.5", "2 y 1", "3 x 7", "4 y 1.5")
    for sign in ",;\t|:^":
        write("data.txt", *(line.replace(" ", sign) for line in ("a b y", *rows)))
        given = ["--separator", {"\t": "tab"}.get(sign, sign)]
        for more in [given] if sign in ":^" else [given, []]:
            fit = ("fit", "data.txt", "-t", "b", "-d", 1, *more)
            ok(*fit, "-o", "m.json", "-q", "--validation", "data.txt")
            done = ok("predict", "m.json", "data.txt", *more)
            assert done.out.split() == ["prediction", "x", "y", "x", "y"]


def test_pipe_is_not_the_separator_if_there_is_another():
    write("data.csv", "a|b|c,y", "1,u", "2,v")
    ok("fit", "data.csv", "-t", "y", "-d", 1, "-o", "m.json", "-q")
    assert [column.name for column in Model.load("m.json").tree.columns] == ["a|b|c"]


def test_header_that_looks_like_data_is_reported():
    write("data.csv", "39,State-gov,77516", "50,Private,1", "38,Local,2")
    done = ok("fit", "data.csv", "-t", "State-gov", "-d", 1)
    assert done.err == (
        "note: the first line of data.csv looks like data, but is taken as the names "
        "of columns: 39, State-gov, 77516. If it is data, add a line of names.\n"
    )
    write("data.csv", "country,2019,2020", "a,1.5,2", "b,2.5,3")
    assert ok("fit", "data.csv", "-t", "country", "-d", 1).err == ""


def test_infinite_numbers_that_do_not_matter():
    write("data.csv", "x,w,y", "1,inf,a", "2,1,b", times=5)
    ok("fit", "data.csv", "-t", "y", "-d", 1, "--ignore", "w", "-q")
    ok("fit", "data.csv", "-t", "y", "-d", 1, "--missing", "inf", "-o", "m.json", "-q")
    assert ok("predict", "m.json", "data.csv").out.split()[1:3] == ["a", "b"]


@pytest.mark.parametrize("limit", [1, 10**8])
def test_a_memory_limit_in_bytes(limit):
    write("data.csv", "x,y", "1,a", "2,b", times=5)
    fit = ("fit", "data.csv", "-t", "y", "-d", 1, "-o", "m.json", "-q")
    ok(*fit, "--memory-limit", limit)
    assert Model.load("m.json").settings["memory_limit"] == limit


@pytest.mark.parametrize(
    ("weights", "shown"),
    [
        (("1", ""), "a number in each row."),
        (("1", "-2"), "finite numbers that are not negative. Got -2, for example."),
        (("1", "inf"), "finite numbers that are not negative. Got inf, for example."),
        (("0", "0"), "a number above 0. All of them are 0."),
    ],
)
@pytest.mark.parametrize("name", ["data.csv", "other.csv"])
def test_bad_weights_are_found_before_the_search(weights, shown, name, monkeypatch):
    for file in ("data.csv", "other.csv"):
        given = weights if file == name else ("1", "2")
        write(file, "x,w,y", f"1,{given[0]},a", f"2,{given[1]},b", times=3)
    monkeypatch.setattr("murtree.cli.fitting.fit_model", None)  # no search starts
    fit = ("fit", "data.csv", "-t", "y", "-d", 1, "--weight-column", "w")
    assert f"'w' of {name} must hold {shown}" in refused(
        *fit, "--validation", "other.csv"
    )


def test_a_share_of_rows_without_weight():
    write("data.csv", "x,w,y", "1,0,a", "2,0,b", times=20)
    with Path("data.csv").open("a", encoding="utf-8") as file:
        file.write("3,1,a\n")
    fit = ("fit", "data.csv", "-t", "y", "-d", 1, "--weight-column", "w")
    assert "weight 0 only" in refused(*fit, "--validation-share", 0.5)


def test_an_infinite_number_of_validation():
    write("data.csv", "x,y", "1,0.5", "2,1.5", times=5)
    write("other.csv", "x,y", "1,0.5", "2,inf")
    fit = ("fit", "data.csv", "-t", "y", "-d", 1, "--regression")
    assert "other.csv, line 3: the target 'y' must be a finite number" in refused(
        *fit, "--validation", "other.csv"
    )
