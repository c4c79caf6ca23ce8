"""Forecast of the remaining time: accurate, stable, and only if it can be known."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murtree import OptimalTreeClassifier, Progress, Solver
from murtree._progress.observer import Forecast
from murtree._progress.text import best_text, share_text


def news(seconds, share, limit=None):
    return Progress(seconds, 12, 7, 0.4, share, None, limit)


def forecasts(points, limit=None):
    """Return the forecast after each of some points in time."""
    forecast, texts = Forecast(), []
    for seconds, share in points:
        forecast.add(news(seconds, share, limit))
        texts.append(forecast.left(news(seconds, share, limit)))
    return texts


def steady(until, whole, power=1.0, step=0.1):
    """Return the progress of a search of known length, ten times a second."""
    times = np.arange(step, until + step / 2, step)
    return [(t, (t / whole) ** power) for t in times.tolist()]


@pytest.mark.parametrize(
    ("until", "whole", "left"),
    [
        (2.5, 10, ""),  # too early
        (4, 10, "about 6 s left"),
        (9.9, 10, "about 1 s left"),
        (20, 60, "about 40 s left"),
        (100, 300, "about 3:20 min left"),
        (300, 1800, "about 25 min left"),
        (1000, 15400, "about 4 h left"),
        (40, 1000, ""),  # too little is done
    ],
)
def test_steady_search_is_forecast(until, whole, left):
    assert forecasts(steady(until, whole))[-1] == left


@pytest.mark.parametrize("power", [1.5, 2.0])
def test_accelerating_search_is_forecast(power):
    assert forecasts(steady(50, 100, power))[-1] == "about 50 s left"


def test_time_limit_bounds_the_forecast():
    points = steady(20, 100)
    assert forecasts(points, limit=30)[-1] == "at most 10 s left"
    assert forecasts(points, limit=99)[-1] == "at most 1:20 min left"
    assert forecasts(points, limit=200)[-1] == "about 1:20 min left"
    assert forecasts([(1.0, 0.0)], limit=30) == ["at most 30 s left"]
    assert forecasts([(31.0, 0.0)], limit=30) == ["at most 1 s left"]


def test_no_forecast_if_unknown():
    assert not any(forecasts([(t, 0.0) for t in range(1, 100)]))
    first = steady(10, 20)
    second = [(11.0 + t, 0.1 + t / 50) for t in range(10)]
    assert not any(forecasts(first + second)[len(first) :])


def test_forecast_is_stable_during_a_pause():
    before = steady(40, 100)
    paused = [
        (40.0 + t / 10, before[-1][1]) for t in range(1, 80)
    ]  # the search works on the bound
    lefts = [_seconds(text) for text in forecasts(before + paused)[len(before) :]]
    assert lefts == sorted(lefts, reverse=True) or max(lefts) <= 1.3 * lefts[0]
    assert min(lefts) >= 45


SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=50)


@given(SHARES, st.none() | st.floats(0.1, 1e6))
def test_any_progress_can_be_formatted(shares, limit):
    points = [(t + 1.0, share) for t, share in enumerate(shares)]
    for text in forecasts(points, limit):
        assert re.fullmatch(r"|(about|at most) [\d:]+ (s|min|h) left", text)
        assert (text == "") <= (limit is None)


def _seconds(text):
    number, unit = re.fullmatch(r"about ([\d:]+) (s|min) left", text).groups()
    minutes, _, seconds = number.rpartition(":")
    if unit == "min" and not minutes:
        minutes, seconds = seconds, 0
    return 60 * int(minutes or 0) + int(seconds)


def test_best_and_share_are_formatted():
    def words(objective, bound):
        return best_text(Progress(1.0, objective, bound, 0.5, 0.5, None))

    assert words(None, 0) == "no tree yet"
    assert words(1, 0) == "best 1 error"
    assert words(1200, 7) == "best 1,200 errors (proven: at least 7)"
    assert words(0.5, 0.25) == "best 0.5 (proven: at least 0.25)"
    assert words(12, 12) == "best 12 errors"
    assert words(-0.5, -1.0) == "best -0.5"
    assert [share_text(x) for x in (0.0, 0.004, 0.999, 1.0)] == [
        "",
        "0%",
        "99%",
        "100%",
    ]


@pytest.mark.slow
@pytest.mark.parametrize("is_frontier", [False, True])
def test_the_share_of_a_search_never_decreases(is_frontier):
    rng = np.random.default_rng(4)
    X, y = rng.integers(0, 2, (1000, 250)), rng.integers(0, 2, 1000)
    reported = []
    solver = Solver(X, y)
    search = solver.frontier if is_frontier else solver.solve
    search(max_depth=4, callback=reported.append, time_limit=1.5)
    shares = [progress.share for progress in reported]
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert 0.0 < shares[-1] <= 1.0
    assert {progress.time_limit for progress in reported} == {1.5}


def test_single_search_of_several_has_no_share():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 6)).round(2), rng.integers(0, 2, 400)
    for more in ({"max_distinct_features": 2}, {"objective": "f1"}):
        reported = []
        clf = OptimalTreeClassifier(max_depth=3, callback=reported.append, **more)
        clf.fit(X, y)
        assert {progress.share for progress in reported} <= {0.0}
        assert {progress.time_limit for progress in reported} <= {None}
