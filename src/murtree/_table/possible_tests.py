"""Which questions are asked about a column, given its thresholds or categories."""

from collections.abc import Sequence
from itertools import combinations, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import Column
from murtree._table.predicates import Predicate


def questions_about(
    limits: Any,
    place: int,
    column: Column,
    *,
    thresholds: npt.NDArray[np.float64],
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[Any],
) -> list[Predicate]:
    """Return the questions about one column; some may have the same answers.

    `limits` has `encoding`, `max_categories` and
    `max_subset_levels`, as `TableBinarizer`.
    """
    if column.kind == "category":
        asked = _about_category(limits, place, column, values, weight)
    elif limits.encoding == "intervals" and column.kind != "boolean":
        asked = _about_intervals(place, column, thresholds.tolist())
    else:
        asked = [
            Predicate(place, threshold, missing=missing)
            for threshold in thresholds.tolist()
            for missing in ((True, False) if column.has_missing else (None,))
        ]
    # First, so that of equally good tests the plainest is taken.
    about_missing = [Predicate(place, missing=True)] if column.has_missing else []
    return about_missing + asked


def _about_intervals(
    place: int, column: Column, thresholds: Sequence[float]
) -> list[Predicate]:
    """Ask for each interval between neighbouring thresholds.

    Being in the last one is not to be up to the last threshold: that is asked, so that
    every interval has an upper end.
    """
    if not thresholds:
        return []
    outside, inside = (True, False) if column.has_missing else (None, None)
    return [
        Predicate(place, thresholds[0], missing=inside),
        *(Predicate(place, b, a, missing=inside) for a, b in pairwise(thresholds)),
        Predicate(place, thresholds[-1], missing=outside),
    ]


def _about_category(
    limits: Any,
    place: int,
    column: Column,
    values: npt.NDArray[np.float64],
    weight: npt.NDArray[Any],
) -> list[Predicate]:
    known = values[~np.isnan(values)].astype(np.int64)
    heaviness = np.bincount(
        known, weights=weight[~np.isnan(values)], minlength=len(column.categories)
    )
    codes = sorted(
        np.flatnonzero(heaviness).tolist(), key=lambda code: (heaviness[code], -code)
    )
    missing = False if column.has_missing else None
    if len(codes) + column.has_missing <= limits.max_subset_levels:
        return _about_subsets(place, codes, missing)
    return [
        Predicate(place, members=(code,), missing=missing)
        for code in sorted(codes[-limits.max_categories :])
    ]


def _about_subsets(
    place: int, codes: list[int], missing: bool | None
) -> list[Predicate]:
    """Ask for every subset; of one and the rest, for the smaller, light ones first.

    A category that training did not have is in none, so it goes with the larger part.
    """
    levels: list[int | None] = [*codes] if missing is None else [*codes, None]
    asked = []
    for size in range(1, len(levels) // 2 + 1):
        for chosen in combinations(levels, size):
            members = tuple(sorted(code for code in chosen if code is not None))
            with_missing = True if None in chosen else missing
            if members:
                asked.append(Predicate(place, members=members, missing=with_missing))
    return asked
