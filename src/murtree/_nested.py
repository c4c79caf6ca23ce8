"""Which of many thresholds matter to trees of depth two.

Thresholds of one column are nested, and the core is told so: it goes through the roots
in their order (cpp/search/nested.hpp), where counting all pairs of thresholds would
take too long. What it finds are the tests of a best tree for each number of nodes. With
these columns alone the usual search has the same optimum, for any price on nodes.
"""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._core import nested_depth_two
from murtree._input import encode_labels
from murtree._predicates import Predicate, as_slice

MANY = 1500  # columns: with fewer, counting pairs is quicker


def only_useful(
    bits: npt.NDArray[np.bool_],
    predicates: Sequence[Predicate],
    y: npt.NDArray[Any],
    weight: npt.NDArray[np.int64],
    seconds: float = math.inf,
) -> npt.NDArray[np.bool_]:
    """Return the columns with all that no best tree of depth two needs set to no.

    `weight` is what an error on each row costs. The columns are as they were if there
    are few, or if it took longer than `seconds`.
    """
    if len(predicates) < MANY:
        return bits
    groups = nested_groups(predicates)
    present = weight > 0
    ranks = [
        bits[:, as_slice(places)].sum(axis=1, dtype=np.uint32) for places in groups
    ]
    classes, codes = encode_labels(y, y.size)
    found = nested_depth_two(
        ranks=np.ascontiguousarray(np.array(ranks)[:, present]),
        n_thresholds=np.array([len(places) for places in groups], dtype=np.uint32),
        labels=codes[present],
        weights=weight[present],
        n_classes=classes.size,
        time_limit=seconds,
    )
    if not found["is_complete"]:
        return bits
    tests = zip(found["columns"].tolist(), found["thresholds"].tolist(), strict=True)
    useful = sorted({groups[group][threshold] for group, threshold in tests})
    kept = np.zeros_like(bits)
    kept[:, useful] = bits[:, useful]
    return kept


def nested_groups(predicates: Sequence[Predicate]) -> list[list[int]]:
    """Return places of predicates, each holding wherever the next in its group does."""
    groups: dict[Any, list[int]] = {}
    for place, predicate in enumerate(predicates):
        key: Any = place
        if predicate.is_threshold:
            key = (predicate.column, bool(predicate.missing))
        groups.setdefault(key, []).append(place)
    return list(groups.values())  # thresholds increase
