"""estimate_cost: quick, in words, and right about as often as it says."""

import functools
import itertools
import time

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_iris
from test_solve import hard_data

from murtree import CostEstimate, Solver, TableBinarizer, _estimate, estimate_cost
from murtree._estimate import Level, _duration, foretell, probe


@pytest.fixture
def unhurried(monkeypatch):
    """Give the probes more time than a busy machine can take away."""
    monkeypatch.setattr(_estimate, "probe", functools.partial(probe, budget=30.0))


@pytest.mark.usefixtures("unhurried")
def test_a_quick_search_is_measured():
    X, y = load_iris(return_X_y=True)
    estimate = estimate_cost(X, y, max_depth=2)
    assert isinstance(estimate, CostEstimate)
    assert 0 < estimate.seconds_low <= estimate.seconds <= estimate.seconds_high < 5
    assert estimate.memory_bytes > X.size
    assert estimate.confidence == 0.95
    assert "measured up to depth 2" in str(estimate)
    assert "foretold" not in estimate.text


def test_a_long_search_is_foretold():
    X, y = hard_data(2000, 100)
    near, far = (estimate_cost(X, y, depth, binarizer=None) for depth in (2, 20))
    assert near.seconds < far.seconds
    assert far.seconds > 20
    assert near.seconds_high / near.seconds_low < far.seconds_high / far.seconds_low
    assert near.confidence > far.confidence == 0.5
    assert "foretold for" in far.text
    assert near.memory_bytes < far.memory_bytes


def test_the_farther_the_dearer_and_the_less_certain():
    # Of one probe: how far another gets depends on what else the machine does.
    X, y = hard_data(300, 20)
    levels = probe(Solver(X, y), 3, budget=30.0)
    forecasts = [foretell(levels, 20, depth) for depth in range(3, 21)]
    assert [forecast.n_levels for forecast in forecasts] == list(range(18))
    for near, far in itertools.pairwise(forecasts):
        assert near.seconds < far.seconds
        assert near.spread <= far.spread
        assert near.cache_bytes < far.cache_bytes
        assert near.interval[0] >= 0
        assert near.interval[1] < far.interval[1]


@pytest.mark.timing
@pytest.mark.parametrize("shape", [(20_000, 60), (300, 3000), (3000, 400)])
def test_it_never_takes_long(shape):
    rng = np.random.default_rng(0)
    X, y = rng.random(shape) < 0.4, rng.integers(0, 3, shape[0])
    start = time.perf_counter()
    Solver(X, y)
    preparation = time.perf_counter() - start
    start = time.perf_counter()
    estimate = estimate_cost(X, y, 12, binarizer=None)
    assert time.perf_counter() - start < 2 * preparation + 1.5  # 0.4 on a quiet machine
    assert np.isfinite(estimate.seconds)
    assert estimate.seconds_high > 1


@pytest.mark.timing
def test_the_estimate_is_not_far_off():
    X, y = load_breast_cancer(return_X_y=True)
    bits = TableBinarizer().fit_transform(X)
    estimate = estimate_cost(X, y, 4)
    start = time.perf_counter()
    Solver(bits, y).solve(4, time_limit=60)
    seconds = time.perf_counter() - start
    assert estimate.seconds_low / 20 < seconds < estimate.seconds_high * 20


def test_a_memory_limit_bounds_the_estimate():
    X, y = hard_data(500, 80)
    free = estimate_cost(X, y, 9, binarizer=None)
    bound = estimate_cost(X, y, 9, binarizer=None, memory_limit="1MB")
    assert bound.memory_bytes < free.memory_bytes


@pytest.mark.usefixtures("unhurried")
def test_a_tree_without_errors_ends_the_growth():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (500, 30))
    estimate = estimate_cost(X, X[:, 3] ^ X[:, 7], 20, binarizer=None)
    assert estimate.confidence == 0.95
    assert estimate.seconds < 5


def test_probes_add_up():
    X, y = hard_data(300, 20)
    levels = probe(Solver(X, y), 4, budget=30.0)
    assert [level.depth for level in levels] == [0, 1, 2, 3, 4]
    assert all(a.seconds <= b.seconds for a, b in itertools.pairwise(levels))
    assert foretell(levels, 20, 4).n_levels == 0
    assert foretell(levels, 20, 4).seconds == levels[-1].seconds
    assert foretell(levels, 20, 6).n_levels == 2


def test_huge_forecasts_do_not_overflow():
    levels = [Level(0, 0.0, 0, 0, False), Level(3, 1.0, 10**300, 2**60, False)]
    forecast = foretell(levels, 10, 20)
    assert np.isfinite(forecast.seconds)
    assert all(np.isfinite(forecast.interval))


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0.00012, "0.12 ms"),
        (0.0256, "26 ms"),
        (0.49, "490 ms"),
        (1.234, "1.2 s"),
        (100, "100 s"),
        (700, "12 min"),
        (10_000, "2.8 h"),
        (500_000, "5.8 days"),
        (1e9, "32 years"),
    ],
)
def test_durations_in_words(seconds, words):
    assert _duration(seconds) == words
