"""Compare the methods of the study of rows not seen by the lines of unseen.py.

Each method is compared with a reference by the differences of the means of tables:
their mean with a 95 % confidence interval, wins, ties and losses. Sizes are compared by
the geometric mean of the ratios of leaves. Lines of failures count nowhere.
"""

import json
from statistics import geometric_mean

import numpy as np
from scipy.stats import t as student
from unseen_models import METHODS
from unseen_tables import set_aside

# Points, hundredths of the score: smaller differences are ties.
TIE = 0.05
SCORES = {False: ("accuracy", "auc", "log_loss"), True: ("r2",)}


def lines_of(path):
    """Return the lines of a file by table and method; of several the last counts."""
    text = path.read_text("utf-8") if path.exists() else ""
    found = map(json.loads, text.splitlines())
    return {(line["table"], line["method"]): line for line in found}


def published(lines):
    """Return the lines of the tables that were set aside, once they are measured.

    Until then, the lines of the other half.
    """
    aside = set_aside()
    final = {key: line for key, line in lines.items() if key[0] in aside}
    return final or lines


def interval(differences):
    """Return the half width of the 95 % confidence interval of a mean."""
    n = len(differences)
    return student.ppf(0.975, n - 1) * np.std(differences, ddof=1) / np.sqrt(n)


def mean_of(values):
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def pairs_of(lines, score, method, reference):
    """Return the lines of two methods, of all tables for which both have the score."""
    pairs = [
        (line, lines[name, reference])
        for (name, other), line in lines.items()
        if other == method and (name, reference) in lines
    ]
    return [
        pair
        for pair in pairs
        if all(mean_of(line.get(score, [])) is not None for line in pair)
    ]


def gains_of(pairs, score):
    """Return the difference of a score of each table in points: more is better."""
    sign = -100 if score == "log_loss" else 100
    return [sign * (mean_of(one[score]) - mean_of(two[score])) for one, two in pairs]


def leaves_ratio(pairs):
    """Return the geometric mean of the ratios of leaves; None for a forest."""
    sizes = [[mean_of(line["leaves"]) for line in pair] for pair in pairs]
    if any(None in both for both in sizes):
        return None
    return geometric_mean(one / two for one, two in sizes)


def counts_of(gains):
    """Return the numbers of wins, ties and losses."""
    wins, losses = (sum(sign * gain > TIE for gain in gains) for sign in (1, -1))
    return [wins, len(gains) - wins - losses, losses]


def difference(gains, digits=2):
    """Return the mean with its interval as text."""
    if len(gains) < 2:
        return ""
    return f"{np.mean(gains):+.{digits}f} ± {interval(gains):.{digits}f}"


def sizes_of(pairs):
    """Return the mean number of leaves and its ratio as text."""
    leaves = mean_of(mean_of(line["leaves"]) for line, _ in pairs)
    ratio = leaves_ratio(pairs)
    return [
        "" if leaves is None else f"{leaves:.1f}",
        "" if ratio is None else f"{ratio:.2f}",
    ]


def compared(pairs, score):
    """Return the cells of the comparison with one method."""
    gains = gains_of(pairs, score)
    cells = [len(gains), difference(gains), *counts_of(gains)]
    return cells + sizes_of(pairs)


def table_of(lines, reference):
    """Yield the rows of the comparison of all methods with one."""
    yield [
        "score",
        "method",
        "tables",
        "difference",
        "wins",
        "ties",
        "losses",
        "leaves",
        "times the leaves",
    ]
    for score in (*SCORES[False], *SCORES[True]):
        for method in METHODS:
            pairs = pairs_of(lines, score, method, reference)
            if method != reference and pairs:
                yield [score, method, *compared(pairs, score)]


def measured(lines, method, *, is_regression):
    """Return the lines of a method that have scores."""
    return [
        line
        for (_, other), line in lines.items()
        if other == method and line.get("is_regression") == is_regression
    ]


def costs_of(lines):
    """Yield the rows of sizes and seconds: of one fit, and of all."""
    yield ["target", "method", "tables", "leaves", "seconds of a fit", "of all fits"]
    for is_regression in (False, True):
        for method in METHODS:
            of_method = measured(lines, method, is_regression=is_regression)
            if not of_method:
                continue
            leaves = mean_of(mean_of(line["leaves"]) for line in of_method)
            fits = [np.mean(line["seconds"]) for line in of_method]
            yield [
                "numbers" if is_regression else "classes",
                method,
                len(of_method),
                "" if leaves is None else f"{leaves:.1f}",
                f"{geometric_mean(fits):.3g}",
                f"{sum(sum(line['seconds']) for line in of_method):.0f}",
            ]
