"""Metrics that need no front: linear ones, and ratios of linear ones by Dinkelbach.

A *challenge* is a linear price on the two errors and a limit. Prices are whole numbers,
so that a challenge is a request to the plain solver, with weights by class.

F-beta of a tree, with b = beta**2, is (1 + b)(P - fn) / ((1 + b) P - fn + fp), and it
exceeds t if and only if

    t fp + (1 + b - t) fn  <  (1 + b) (1 - t) P,

for the denominator is positive. Dinkelbach's method asks this with the best t so far:
either there is no such tree, and t is proven best, or the tree found is strictly better
and its t is the next one. There are finitely many trees, so it ends; all numbers are
fractions, so nothing is lost to rounding.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from murtree._solver.metrics.metrics import BalancedAccuracy, Classes, FBeta


@dataclass(frozen=True)
class Challenge:
    """A request: is a tree with price_fp * fp + price_fn * fn <= limit there."""

    price_fp: int
    price_fn: int
    limit: int

    def total(self, classes: Classes) -> int:
        """Return the price of getting everything wrong."""
        return self.price_fp * classes.negatives + self.price_fn * classes.positives


def _challenge(price_fp: Fraction, price_fn: Fraction, below: Fraction) -> Challenge:
    """Return the challenge to stay below a price, in the smallest whole numbers."""
    scale = math.lcm(price_fp.denominator, price_fn.denominator)
    shared = math.gcd(int(price_fp * scale), int(price_fn * scale))
    unit = Fraction(scale, shared)
    # Sums of prices are whole numbers: below a number is at most the one before it.
    limit = math.ceil(below * unit) - 1
    return Challenge(int(price_fp * unit), int(price_fn * unit), limit)


def better_than(metric: FBeta, merit: Fraction, classes: Classes) -> Challenge:
    """Return the challenge to have an F-beta above `merit`, which is positive."""
    weight = 1 + metric.beta_squared
    return _challenge(merit, weight - merit, weight * (1 - merit) * classes.positives)


def most_beyond(
    metric: FBeta, challenge: Challenge, price: float, classes: Classes
) -> Fraction:
    """Return an F-beta that no tree exceeds if every tree has at least this price.

    F-beta falls with both errors, so its maximum is on the line of that price. There it
    is a ratio of linear functions, hence monotone, so the maximum is at an end.
    """
    ends = [(Fraction(price) / challenge.price_fp, Fraction(0))]
    fn = Fraction(price) / challenge.price_fn
    if fn < classes.positives:  # else the end has no true positive: F-beta is 0
        ends.append((Fraction(0), fn))
    return max(metric.merit(classes, fp, fn) for fp, fn in ends)


def least_balanced(classes: Classes) -> Challenge:
    """Return the prices with a sum proportional to one minus the balanced accuracy."""
    below = Fraction(2 * classes.negatives * classes.positives + 1)
    return _challenge(Fraction(classes.positives), Fraction(classes.negatives), below)


def balanced_merit_at(challenge: Challenge, price: float, classes: Classes) -> Fraction:
    """Return the merit of all errors of this price: it is linear, so any of them do."""
    fp = Fraction(price) / challenge.price_fp
    return BalancedAccuracy().merit(classes, fp, Fraction(0))
