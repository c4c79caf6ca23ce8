"""``murtree fit --binarizer exact``: all thresholds, or a message that says why not."""

import numpy as np
import pandas as pd
import pytest
from cli.tools import ok, run

from murtree import Model

FIT = ("fit", "data.csv", "-t", "y", "-d", 2)
BOTH = pytest.mark.parametrize("binarizer", ["exact", "auto"])


@pytest.fixture
def table():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"x": rng.normal(size=1600), "z": rng.normal(size=1600)})
    return frame.assign(y=np.where(frame.x > rng.normal(size=1600), "a", "b"))


def fit(table, binarizer, *more):
    table.to_csv("data.csv", index=False)
    return run(*FIT, "--binarizer", binarizer, *more)


@BOTH
def test_the_proof_covers_all_thresholds(table, binarizer):
    done = fit(table, binarizer)
    assert "No tree of depth at most 2 over all thresholds does better." in done.out
    assert "Covers all 3,198 thresholds of 2 columns." in done.out


@BOTH
@pytest.mark.parametrize("value", [3, None])
def test_columns_of_one_value_or_none_are_not_tested(table, binarizer, value):
    done = fit(table.assign(z=value), binarizer)
    assert "Covers all 1,599 thresholds of 1 column." in done.out
    done = fit(table.assign(x=value, z=value), binarizer)
    assert "Covers no test: no column can divide the rows." in done.out


@BOTH
def test_infinite_values_are_refused_with_their_line(table, binarizer):
    done = fit(table.replace({"z": {table.z[5]: np.inf}}), binarizer)
    assert done.code != 0
    assert "line 7: column 'z' must hold finite numbers. Got inf" in done.err


@BOTH
def test_text_among_numbers_is_said_to_be_text(table, binarizer):
    done = fit(table.replace({"z": {table.z[5]: "abc"}}), binarizer)
    assert "column 'z' of data.csv is text because of 'abc'" in done.err
    assert "over these candidate tests does better." in done.out
    assert "20 most frequent of 1,600" in done.out


def test_all_categories_are_tested_on_request(table):
    many = table.assign(k=[f"c{n % 30}" for n in range(len(table))])
    hint = "To test all categories, use max_categories=30 of TableBinarizer (--max-cat"
    assert hint in " ".join(fit(many, "exact").out.split())
    done = fit(many, "exact", "--max-categories", 30, "-o", "m.json")
    assert "all 30 categories of 1 column." in " ".join(done.out.split())
    assert Model.load("m.json").settings["binarizer"] == (
        "TableBinarizer(max_categories=30, strategy='exact')"
    )
    for number in (0, -3):
        done = fit(many, "auto", "--max-categories", number)
        assert "--max-categories must be an int in the range [1, inf)" in done.err


def test_columns_of_numbers_and_a_few_words_are_noted(table, tmp_path):
    odd = table.z.astype(str)
    odd[odd.index % 100 == 7] = "?"
    odd[3] = "-"
    done = fit(table.assign(z=odd), "exact")
    assert (
        "column 'z' of data.csv is read as text, but looks like numbers ("
        in done.err + done.out
    )
    assert "except for -, ?. If these mean missing values, give each" in done.err
    path = tmp_path / "t.parquet"
    table.assign(z=table.z.astype(str)).to_parquet(path)
    done = run("fit", path, "-t", "y", "-d", 1)
    assert "looks like numbers (" in done.err
    assert "To get thresholds, store them as numbers." in done.err


def test_the_proof_names_the_limit_of_other_objectives(table):
    done = fit(table[:300], "exact", "--objective", "f1")
    assert "over all thresholds does better." in done.out
    covers = (
        "Covers all 598 thresholds of 2 columns. With this objective or limit a fit "
        "takes at most 30,000 tests; more raise an error."
    )
    assert covers in " ".join(done.out.split())


def test_more_thresholds_than_columns_are_refused(table):
    many = pd.concat([table] * 20, ignore_index=True)
    many["x"] += np.arange(len(many)) * 1e-6
    done = fit(many, "exact", "--objective", "f1")
    assert done.code != 0
    assert "make 33,598 columns, and the maximum is 30,000" in done.err
    assert "--binarizer auto" in done.err
    many.to_csv("data.csv", index=False)
    assert "Covers all 33,598 thresholds" in ok(*FIT, "--binarizer", "exact").out
