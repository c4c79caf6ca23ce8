"""Tests with one bit per answer: the same as with one byte."""

import numpy as np
import pytest

from murtree import OptimalTreeClassifier, Solver, TableBinarizer
from murtree._input.arrays import as_binary
from murtree._input.bit_columns import BitColumns
from murtree._table.predicates import Predicate, failures, packed_failures


def codes_with_missing(n_rows):
    rng = np.random.default_rng(n_rows)
    codes = rng.integers(0, 9, (n_rows, 3)).astype(np.float64)
    codes[rng.random(codes.shape) < 0.2] = np.nan
    return codes


TESTS = (
    Predicate(0, 2.5),
    Predicate(0, 4.5),
    Predicate(0, 2.5, missing=True),
    Predicate(0),
    Predicate(1, members=(1, 5)),
    Predicate(2, 6.5, lower=1.5),
)


@pytest.mark.parametrize("n_rows", [1, 7, 8, 63, 64, 65, 4_999, 5_000, 5_001, 15_007])
@pytest.mark.parametrize("tests", [TESTS, (), TESTS * 11])
def test_bits_equal_bytes(n_rows, tests):
    codes = codes_with_missing(n_rows)
    bits = packed_failures(tests, codes)
    expected = failures(tests, codes)
    assert bits.shape == expected.shape
    np.testing.assert_array_equal(as_binary(bits), expected)
    padding = np.unpackbits(bits.words.view(np.uint8), axis=1, bitorder="little")
    assert padding.shape[1] % 64 == 0
    assert not padding[:, n_rows:].any()


@pytest.mark.parametrize("n_rows", [3, 64, 1_000])
def test_the_core_takes_bits_as_it_takes_bytes(n_rows):
    codes = codes_with_missing(n_rows)
    y = np.arange(n_rows) % 3
    y[: n_rows // 2] = codes[: n_rows // 2, 0] > 3
    for tests in (TESTS, TESTS * 11):
        bits = packed_failures(tests, codes)
        found = [Solver(X, y).solve(max_depth=3) for X in (bits, as_binary(bits))]
        assert found[0].tree.to_json() == found[1].tree.to_json()
        assert found[0].objective == found[1].objective
        for name in ("nodes", "reduced_rows", "reduced_features", "unavoidable"):
            assert found[0].stats[name] == found[1].stats[name]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"frontier": True},
        {"class_weight": "balanced"},
        {"feature_costs": [0.5, 1, 2]},
        {"max_distinct_features": 1},
        {"objective": "f1"},
    ],
)
def test_estimators_find_the_tree_of_the_solver_on_bytes(more, monkeypatch):
    codes = codes_with_missing(300)
    y = codes[:, 0] > codes[:, 1]
    estimator = OptimalTreeClassifier(max_depth=2, binarizer=TableBinarizer(), **more)
    found = estimator.fit(codes, y)
    as_bytes = "murtree._estimators.prepare.packed_failures"
    monkeypatch.setattr(as_bytes, failures)
    again = OptimalTreeClassifier(max_depth=2, binarizer=TableBinarizer(), **more)
    again.fit(codes, y)
    assert found.tree_.to_json() == again.tree_.to_json()
    assert (found.status_, found.objective_) == (again.status_, again.objective_)


def test_bits_need_a_copy_to_be_an_array():
    bits = BitColumns(np.zeros((2, 1), dtype=np.uint64), (5, 2))
    with pytest.raises(ValueError, match="without a copy"):
        np.array(bits, copy=False)
