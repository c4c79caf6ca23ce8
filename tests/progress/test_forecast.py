"""How long a search will go on: honest, steady, and only where it can be known."""

import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from murtree import OptimalTreeClassifier, Progress, Solver
from murtree._progress.forecast import Forecast
from murtree._progress.text import best_text, share_text


def news(seconds, share, limit=None):
    return Progress(seconds, 12, 7, 0.4, share, None, limit)


def said(points, limit=None):
    """Return what is said after each of some points in time."""
    forecast, texts = Forecast(), []
    for seconds, share in points:
        forecast.add(news(seconds, share, limit))
        texts.append(forecast.left(news(seconds, share, limit)))
    return texts


def steady(until, whole, power=1.0, step=0.1):
    """Return the share of a search of known length, ten times a second."""
    times = np.arange(step, until + step / 2, step)
    return [(t, (t / whole) ** power) for t in times.tolist()]


@pytest.mark.parametrize(
    ("until", "whole", "left"),
    [
        (2.5, 10, ""),  # too soon
        (4, 10, "about 6 s left"),
        (9.9, 10, "about 1 s left"),
        (20, 60, "about 40 s left"),
        (100, 300, "about 3:20 min left"),
        (300, 1800, "about 25 min left"),
        (1000, 15400, "about 4 h left"),
        (40, 1000, ""),  # too little is done
    ],
)
def test_an_even_search_is_foreseen(until, whole, left):
    assert said(steady(until, whole))[-1] == left


@pytest.mark.parametrize("power", [1.5, 2.0])
def test_a_search_that_speeds_up_is_foreseen(power):
    assert said(steady(50, 100, power))[-1] == "about 50 s left"


def test_the_limit_is_the_most_that_is_left():
    points = steady(20, 100)
    assert said(points, limit=30)[-1] == "at most 10 s left"
    assert said(points, limit=99)[-1] == "at most 1:20 min left"
    assert said(points, limit=200)[-1] == "about 1:20 min left"
    assert said([(1.0, 0.0)], limit=30) == ["at most 30 s left"]
    assert said([(31.0, 0.0)], limit=30) == ["at most 1 s left"]


def test_no_word_where_nobody_can_tell():
    assert not any(said([(t, 0.0) for t in range(1, 100)]))
    first = steady(10, 20)
    second = [(11.0 + t, 0.1 + t / 50) for t in range(10)]
    assert not any(said(first + second)[len(first) :])


def test_a_pause_does_not_make_it_jump():
    before = steady(40, 100)
    paused = [
        (40.0 + t / 10, before[-1][1]) for t in range(1, 80)
    ]  # the bound is worked on
    lefts = [_seconds(text) for text in said(before + paused)[len(before) :]]
    assert lefts == sorted(lefts, reverse=True) or max(lefts) <= 1.3 * lefts[0]
    assert min(lefts) >= 45


SHARES = st.lists(st.floats(0, 1), min_size=1, max_size=50)


@given(SHARES, st.none() | st.floats(0.1, 1e6))
def test_any_news_are_put_into_words(shares, limit):
    points = [(t + 1.0, share) for t, share in enumerate(shares)]
    for text in said(points, limit):
        assert re.fullmatch(r"|(about|at most) [\d:]+ (s|min|h) left", text)
        assert (text == "") <= (limit is None)


def _seconds(text):
    number, unit = re.fullmatch(r"about ([\d:]+) (s|min) left", text).groups()
    minutes, _, seconds = number.rpartition(":")
    if unit == "min" and not minutes:
        minutes, seconds = seconds, 0
    return 60 * int(minutes or 0) + int(seconds)


def test_best_and_share_in_words():
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
    told = []
    solver = Solver(X, y)
    search = solver.frontier if is_frontier else solver.solve
    search(max_depth=4, callback=told.append, time_limit=1.5)
    shares = [progress.share for progress in told]
    assert len(shares) > 3
    assert shares == sorted(shares)
    assert 0.0 < shares[-1] <= 1.0
    assert {progress.time_limit for progress in told} == {1.5}


def test_one_search_of_many_has_no_share():
    rng = np.random.default_rng(5)
    X, y = rng.normal(size=(400, 6)).round(2), rng.integers(0, 2, 400)
    for more in ({"max_distinct_features": 2}, {"objective": "f1"}):
        told = []
        clf = OptimalTreeClassifier(max_depth=3, callback=told.append, **more)
        clf.fit(X, y)
        assert {progress.share for progress in told} <= {0.0}
        assert {progress.time_limit for progress in told} <= {None}
