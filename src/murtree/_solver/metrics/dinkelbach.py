"""Challenges: linear requests that solve F-beta and balanced accuracy.

A *challenge* is a linear price on the two errors and a limit. Prices are integers, so
that a challenge is a request to the plain solver with weights by class.

With b = beta**2, the F-beta of a tree is (1 + b)(P - fn) / ((1 + b) P - fn + fp). The
denominator is positive, so F-beta exceeds t if and only if

    t fp + (1 + b - t) fn  <  (1 + b) (1 - t) P.

Dinkelbach's method solves this for the best t so far: either no such tree exists and t
is optimal, or the tree found is strictly better and gives the next t. The method ends
because the number of trees is finite; it is exact because all numbers are fractions.
"""

import math
from dataclasses import dataclass
from fractions import Fraction

from murtree._solver.metrics.metrics import BalancedAccuracy, Classes, FBeta


@dataclass(frozen=True)
class Challenge:
    """A request for a tree with price_fp * fp + price_fn * fn <= limit."""

    price_fp: int
    price_fn: int
    limit: int

    def total(self, classes: Classes) -> int:
        """Return the price of misclassifying every row."""
        return self.price_fp * classes.negatives + self.price_fn * classes.positives


def _challenge(price_fp: Fraction, price_fn: Fraction, below: Fraction) -> Challenge:
    """Return the challenge to stay below a price, in the smallest integers."""
    scale = math.lcm(price_fp.denominator, price_fn.denominator)
    shared = math.gcd(int(price_fp * scale), int(price_fn * scale))
    unit = Fraction(scale, shared)
    # Prices are integers, so the largest one below a bound is its ceiling minus one.
    limit = math.ceil(below * unit) - 1
    return Challenge(int(price_fp * unit), int(price_fn * unit), limit)


def better_than(metric: FBeta, merit: Fraction, classes: Classes) -> Challenge:
    """Return the challenge to reach an F-beta above `merit`, which is positive."""
    weight = 1 + metric.beta_squared
    return _challenge(merit, weight - merit, weight * (1 - merit) * classes.positives)


def most_beyond(
    metric: FBeta, challenge: Challenge, price: float, classes: Classes
) -> Fraction:
    """Return an upper bound on F-beta if every tree has at least this price.

    F-beta decreases with both errors, so its maximum is on the line of that price.
    There it is a ratio of linear functions, hence monotone, and attains its maximum at
    an end of the line.
    """
    ends = [(Fraction(price) / challenge.price_fp, Fraction(0))]
    fn = Fraction(price) / challenge.price_fn
    if fn < classes.positives:  # otherwise there is no true positive and F-beta is 0
        ends.append((Fraction(0), fn))
    return max(metric.merit(classes, fp, fn) for fp, fn in ends)


def least_balanced(classes: Classes) -> Challenge:
    """Return the challenge whose price is proportional to 1 - balanced accuracy."""
    below = Fraction(2 * classes.negatives * classes.positives + 1)
    return _challenge(Fraction(classes.positives), Fraction(classes.negatives), below)


def balanced_merit_at(challenge: Challenge, price: float, classes: Classes) -> Fraction:
    """Return the merit of any errors with this price; it is linear in the price."""
    fp = Fraction(price) / challenge.price_fp
    return BalancedAccuracy().merit(classes, fp, Fraction(0))
