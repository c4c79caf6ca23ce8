"""Print the constants of murtree.estimate_cost, from searches on many data sets.

Every set is searched at depths 1, 2, ... until one takes longer than --seconds. Then
each depth is foretold from the smaller ones, cut off as if the budget had ended there,
and compared with what it took: with constants from the other half of the sets.

    python benchmarks/calibrate_estimate.py --seconds 20 path/to/binary/*.txt.gz
"""

import argparse
import itertools
import math
import sys
from pathlib import Path

import numpy as np

from murtree import Solver, _estimate
from murtree.datasets import load_text

MAX_DEPTH = 6
LEAST_SECONDS = 0.002  # below, time says more about the machine than about the search


def measure(path, seconds):
    """Return the features that matter, and the levels of one set."""
    solver = Solver(*load_text(path))
    levels = _estimate.probe(solver, MAX_DEPTH, budget=seconds)
    print(path.name, *[f"{level.seconds:.4f}" for level in levels[1:]], file=sys.stderr)
    return solver._facts.n_features, levels


def log_ratio(after, before):
    return math.log(max(after, 1e-9) / max(before, 1e-9))


def line(points):
    """Return the intercept and the slope that fit best, to two decimals."""
    x, y = np.array(points).T
    slope, intercept = np.polyfit(x, y, 1)
    return round(float(intercept), 2), round(float(slope), 2)


def first_growth(measured):
    return line(
        [
            (math.log(n_features), log_ratio(levels[3].seconds, levels[2].seconds))
            for n_features, levels in measured
            if len(levels) > 3
        ]
    )


def next_growth(measured):
    """Return the pair that foretells one, two and three levels best, all alike."""

    def badness(pair):
        _estimate.NEXT_GROWTH = pair
        errors = forecast_errors(measured)
        return sum(np.mean(np.abs(some)) for some in errors.values() if some)

    grid = itertools.product(np.arange(-2.0, 1.01, 0.1), np.arange(0.2, 1.31, 0.05))
    a, b = min(grid, key=badness)
    return round(float(a), 2), round(float(b), 2)


def forecast_errors(measured):
    """Return by levels foretold the logarithms of time taken over time foretold."""
    errors = {1: [], 2: [], 3: []}
    for n_levels, forecast, took in compare(measured):
        errors[n_levels].append(log_ratio(took, forecast.seconds))
    return errors


def compare(measured):
    """Yield (levels foretold, forecast, what it took) for every cut of every set."""
    for n_features, levels in measured:
        for cut, level in itertools.combinations(levels, 2):
            if cut.depth >= 3 and cut.seconds >= LEAST_SECONDS:
                known = levels[: levels.index(cut) + 1]
                forecast = _estimate.foretell(known, n_features, level.depth)
                yield forecast.n_levels, forecast, level.seconds


def repeated(paths):
    """Yield whether a quick search, done again, is within the interval of the first."""
    for path in paths:
        data = load_text(path)
        for depth in (3, 4, 5):
            first, second = (_estimate.seconds_of(Solver(*data), depth) for _ in "ab")
            if first < _estimate.BUDGET:
                spread = _estimate.REPEATED_SPREAD
                low, high = _estimate.Forecast(first, spread, 0, 0).interval
                yield low <= second <= high


def fit(measured):
    """Set the constants to what foretells these sets best."""
    _estimate.FIRST_GROWTH = first_growth(measured)
    _estimate.NEXT_GROWTH = next_growth(measured)
    spreads = [
        np.sqrt(np.mean(np.square(some))) if some else 0.0
        for some in forecast_errors(measured).values()
    ]
    # Far forecasts are few: let none be surer than a near one.
    spreads = np.maximum.accumulate(spreads)
    _estimate.SPREADS = tuple(round(float(spread), 2) for spread in spreads)


def held_out(measured, names):
    """Yield (levels foretold, within the interval, error), with the other half's fit.

    A set and its reduced form are in the same half.
    """
    families = sorted({name.replace("-reduced", "") for name in names})
    half_of = [families.index(name.replace("-reduced", "")) % 2 for name in names]
    for half in (0, 1):
        fit([one for one, h in zip(measured, half_of, strict=True) if h != half])
        own = [one for one, h in zip(measured, half_of, strict=True) if h == half]
        for n_levels, forecast, took in compare(own):
            low, high = forecast.interval
            yield n_levels, low <= took <= high, log_ratio(took, forecast.seconds)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("sets", nargs="+", type=Path)
    parser.add_argument("--seconds", type=float, default=20.0)
    arguments = parser.parse_args()
    measured = [measure(path, arguments.seconds) for path in arguments.sets]
    again = list(repeated(arguments.sets))
    print(f"measured: {np.mean(again):.2f} of {len(again)} within the interval")
    tested = list(held_out(measured, [path.name for path in arguments.sets]))
    for n in (1, 2, 3):
        inside = [is_inside for k, is_inside, _ in tested if k == n]
        middle = math.exp(np.median([error for k, _, error in tested if k == n]))
        print(
            f"{n} levels foretold: {np.mean(inside):.2f} of {len(inside)} held out are "
            f"within the interval; took {middle:.2f} times the forecast (median)"
        )
    fit(measured)
    for name in ("FIRST_GROWTH", "NEXT_GROWTH", "SPREADS"):
        print(name, "=", getattr(_estimate, name))


if __name__ == "__main__":
    main()
