"""Tests created when they are needed are those that a binarizer creates at once."""

import numpy as np
import pandas as pd
import pytest

from murtree import OptimalTreeClassifier, TableBinarizer, export_text
from murtree._table.columns import learn_columns
from murtree._table.predicates import failures


def mixed(n_rows, seed):
    """Return a table with a column of each kind, some values missing, some equal."""
    rng = np.random.default_rng(seed)
    whole = rng.integers(0, 2 * n_rows, n_rows)
    day = pd.Timestamp("2020-01-01") + pd.to_timedelta(whole * 7919, unit="s")
    colours = pd.CategoricalDtype(["a", "b", "c", "d", "e"])
    sizes = pd.CategoricalDtype(["S", "M", "L", "XL"], ordered=True)
    frame = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows),
            "rounded": rng.normal(size=n_rows).round(1),
            "day": day,
            "span": pd.to_timedelta(whole, unit="h"),
            "size": pd.Series(rng.choice(["S", "M", "XL"], n_rows)).astype(sizes),
            "colour": pd.Series(rng.choice([*"abcde"], n_rows)).astype(colours),
            "flag": pd.array(whole % 2 == 0, dtype="boolean"),
            "constant": 3.0,
        }
    )
    for name in rng.choice(frame.columns, rng.integers(len(frame.columns) + 1)):
        share = rng.choice([0.1, 0.9, 1.0])
        frame[name] = frame[name].mask(rng.random(n_rows) < share)
    return frame


@pytest.mark.parametrize("seed", range(40))
def test_they_are_those_of_a_binarizer(seed):
    rng = np.random.default_rng(seed)
    n_rows = int(rng.integers(2, 60))
    columns, codes = learn_columns(mixed(n_rows, seed))
    weight = np.ones(n_rows) if seed % 2 else rng.integers(0, 3, n_rows) + 0.0
    weight[0] = 1.0
    at_once = TableBinarizer(strategy="exact")._fit_codes(columns, codes, None, weight)
    lazily = TableBinarizer(strategy="exact")
    tests = lazily._fit_every(columns, codes, weight)
    assert len(tests) == len(at_once.predicates_)
    assert tuple(tests) == lazily.predicates_ == at_once.predicates_
    assert lazily.candidates_ == at_once.candidates_
    assert lazily._coverage == at_once._coverage
    for column, some, expected in zip(
        columns, lazily.thresholds_, at_once.thresholds_, strict=True
    ):
        if column.kind != "boolean":  # a constant one has a threshold without a test
            assert some.tolist() == expected.tolist()
    for index, test in tests.some(range(0, len(tests), 3)).items():
        assert test == tests[index] == at_once.predicates_[index]
    rows = tests.ranked(codes, has_others=not weight.all())
    assert rows.shape == (n_rows, len(tests))
    present = weight > 0
    if len(tests):
        expected = failures(at_once.predicates_, codes)[present]
        np.testing.assert_array_equal(np.asarray(rows)[present], expected)


@pytest.mark.parametrize("seed", range(20))
def test_ranks_of_other_rows_are_the_results_of_the_tests(seed):
    table = mixed(60, seed)
    columns, codes = learn_columns(table)
    tests = TableBinarizer(strategy="exact")._fit_every(
        columns, codes[:30], np.ones(30)
    )
    rows = tests.ranked_others(codes[30:])
    expected = failures(tuple(tests), codes[30:])
    np.testing.assert_array_equal(np.asarray(rows), expected)


def test_a_chain_has_the_widths_of_its_gaps():
    column = np.array([[4.0], [1.0], [np.nan], [2.0]])
    binarizer = TableBinarizer(strategy="exact")
    tests = binarizer._fit_every(*learn_columns(column), np.ones(4))
    rows = tests.ranked(learn_columns(column)[1], has_others=False)
    assert [chain.tolist() for chain in rows.tests] == [[0], [1, 3], [2, 4]]
    assert [widths.tolist() for widths in rows.widths] == [[0.0], [1.0, 2.0], [1, 2]]
    assert rows.ranks.tolist() == [[1, 1, 0, 1], [2, 0, 0, 1], [2, 0, 2, 1]]


@pytest.mark.parametrize("name", ["real", "day"])
def test_a_fit_creates_only_the_tests_of_its_tree(name):
    table = mixed(3000, 1)[[name]]
    table.loc[::20, name] = None
    table["whole"] = np.arange(3000)
    clf = OptimalTreeClassifier(max_depth=2, binarizer="exact")
    clf.fit(table, np.arange(3000) // 7 % 2)
    assert "stump_scans" in clf.search_stats_
    assert "predicates_" not in vars(clf.binarizer_)
    assert clf.coverage_.is_complete


@pytest.mark.parametrize("missing_go_left", [True, False])
def test_the_threshold_is_in_the_widest_gap_beside_missing_values(missing_go_left):
    # A cut on either side of 1000 and 1001 makes one error; the second gap is wider.
    values = [np.nan] * 5 + [*range(1002), *range(1200, 2200)]
    classes = [not missing_go_left] * 5 + [False] * 1000 + [True, False] + [True] * 1000
    clf = OptimalTreeClassifier(max_depth=1, binarizer="exact")
    clf.fit(np.array(values)[:, np.newaxis], classes)
    assert clf.objective_ == 1
    left = "x0 <= 1100 or missing" if missing_go_left else "x0 <= 1100"
    assert f"--- {left}\n" in export_text(clf)
