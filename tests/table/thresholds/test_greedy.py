"""The fast paths of the greedy trees: each gives what the slow path gives."""

import numpy as np
import pytest
from oracle.data import HAS_EXACT_GAINS

from murtree._table.thresholds import greedy
from murtree._table.thresholds.ranks import MISSING, Ranked, ranked, ranks_among
from murtree._table.thresholds.stump import Targets, stump_of

SIZES = [20, 200, 3000]


def drawn(seed, is_regression, n_rows):
    """Return a table of ranks with gaps and repeated columns, and targets."""
    rng = np.random.default_rng(seed)
    share = 0.2 if HAS_EXACT_GAINS else 0.0
    columns = [
        np.where(rng.random(n_rows) < rng.choice([0, share]), np.nan, values)
        for values in (
            rng.normal(size=n_rows).round(1),
            rng.normal(size=n_rows),
            rng.integers(0, 2, n_rows).astype(float),
            np.full(n_rows, rng.choice([3.0, np.nan])),
        )
    ]
    columns += columns[: rng.integers(0, 2)]
    distinct = [np.unique(values[~np.isnan(values)]) for values in columns]
    table = ranked(columns, distinct, np.ones(n_rows))
    noisy = np.nan_to_num(columns[0]) + rng.normal(size=n_rows)
    outcomes = np.digitize(noisy, [-0.5, 0.5])
    if is_regression:
        outcomes = greedy.rounded(noisy / np.abs(noisy).max())
    return table, Targets(outcomes, rng.integers(1, 4, n_rows), is_regression)


@pytest.mark.parametrize("is_regression", [False, True])
def test_stumps_from_counts_are_those_of_scikit_learn(is_regression):
    n_certain = 0
    for seed in range(60):
        table, targets = drawn(seed, is_regression, SIZES[seed % 3])
        stump = stump_of(table, targets)
        if stump is None:
            continue
        n_certain += 1
        fitted = greedy._fitted_tree(table.ranks, targets, 1)
        for name in ("feature", "threshold", "left", "right"):
            expected = getattr(fitted, name)
            np.testing.assert_array_equal(getattr(stump, name), expected)
        if (table.ranks[:, stump.feature[0]] == MISSING).any():
            assert stump.missing_goes_left[0] == fitted.missing_goes_left[0]
        np.testing.assert_allclose(stump.gain[0], fitted.gain[0])
        value = stump.value
        if not is_regression:
            value = value / value.sum(axis=1, keepdims=True)
        np.testing.assert_allclose(value, fitted.value)
    assert n_certain > 20


def test_ties_between_columns_are_left_to_scikit_learn():
    ranks = np.tile(np.array([[0], [0], [1], [1]], dtype=np.int32), 2)
    table = Ranked(np.asfortranarray(ranks), [np.full(2, 2.0)] * 2)
    targets = Targets(np.array([0, 0, 1, 1]), np.ones(4), False)
    assert stump_of(table, targets) is None
    one = Ranked(ranks[:, :1], table.weights[:1])
    assert stump_of(one, targets).threshold[0] == 0.5
    halves = targets._replace(weight=np.full(4, 0.5))  # sums may be rounded
    assert stump_of(one, halves) is None


@pytest.mark.parametrize("scale", [1.0, 1e-3, 1e300, 5e-324, 0.1])
def test_ranks_are_indices_of_distinct_values(scale):
    rng = np.random.default_rng(5)
    for values in (
        rng.integers(-50, 50, 400) * scale,
        rng.integers(0, 10**6, 400) * scale,  # too sparse for a table
        np.append(rng.integers(0, 9, 400) * scale, np.nextafter(scale, 9)),
        np.full(5, scale),
    ):
        values[rng.random(values.size) < 0.2] = np.nan
        known = ~np.isnan(values)
        distinct = np.unique(values[known])
        ranks = ranks_among(values, distinct)
        assert (ranks[~known] == MISSING).all()
        np.testing.assert_array_equal(distinct[ranks[known]], values[known])
