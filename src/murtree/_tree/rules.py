"""The rules of a tree, one per leaf, without redundant conditions."""

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from murtree._table.columns import UNKNOWN, Column
from murtree._table.predicate_text import Words, printable
from murtree._table.predicates import Predicate
from murtree._tree.nodes import leaves_of, tests_of

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


Interval = tuple[float, float]
_EVERYTHING: Interval = (-math.inf, math.inf)


@dataclass
class _Allowed:
    """The values of a column that satisfy the tests on a path."""

    column: Column
    intervals: list[Interval] = field(default_factory=lambda: [_EVERYTHING])
    codes: set[float] = field(default_factory=set)  # UNKNOWN: a category in no test
    missing: bool = True
    is_set: bool = False  # whether to list categories instead of limits

    def __post_init__(self) -> None:
        self.codes = {UNKNOWN, *map(float, range(len(self.column.categories)))}

    def narrow(self, test: Predicate, answer: bool) -> None:
        """Keep the values for which the test has this result."""
        self.missing &= bool(test.missing) is answer
        self.is_set |= test.members is not None
        if self.column.is_category:
            codes = np.array([*self.codes])
            self.codes = set(codes[test.holds(codes) == answer].tolist())
        if test.members is None:
            low, high = test.lower, test.threshold
            kept = [(low, high)] if answer else [(-math.inf, low), (high, math.inf)]
            self.intervals = [
                (max(a, c), min(b, d))
                for a, b in self.intervals
                for c, d in kept
                if max(a, c) < min(b, d)
            ]


def rules_frame(tree: "Tree") -> Any:
    """Return a data frame of the leaves of a tree; see `Tree.rules_frame`."""
    try:
        import pandas as pd  # noqa: PLC0415
    except ImportError as error:
        raise ImportError("rules_frame needs pandas: install it") from error
    leaves, texts = leaves_of(tree), rule_texts(tree)
    support = tree.node_weight[leaves]
    table: dict[str, Any] = {"rule": [texts[leaf] for leaf in leaves]}
    classes = tree.classes
    if classes is None:
        table["prediction"] = tree.estimates[leaves, 0]
    else:
        table["prediction"] = classes[tree.labels[leaves]]
    table |= {"support": support, "share": support / support.sum()}
    if classes is not None:
        weights = tree.value[leaves]
        for index, label in enumerate(classes.tolist()):
            table[f"weight_{label}"] = weights[:, index]
        right = weights[np.arange(len(leaves)), tree.labels[leaves]]
        table["error"] = support - right
    return pd.DataFrame(table, index=pd.Index(leaves, name="leaf"))


def rule_texts(tree: "Tree") -> dict[int, str]:
    """Return the condition of each leaf, without redundant tests."""
    tests = tests_of(tree)
    words = Words(tree.known_columns, tests.values())
    parts = rule_parts(tree, words)
    return {node: joined(some) for node, some in parts.items() if node not in tests}


def rule_parts(tree: "Tree", words: Words) -> dict[int, list[str]]:
    """Return the conditions of each node, one text per tested column."""
    return {
        node: [
            part
            for index, some in allowed.items()
            if (part := _condition(some, index, words))
        ]
        for node, allowed in allowed_at_nodes(tree).items()
    }


def joined(parts: list[str]) -> str:
    """Return the conditions of a rule as one text."""
    if len(parts) > 1:
        parts = [f"({part})" if " or " in part else part for part in parts]
    return " and ".join(parts) or "always"


def allowed_at_nodes(tree: "Tree") -> dict[int, dict[int, _Allowed]]:
    """Return, for each node, the allowed values of the columns tested on its path."""
    paths: dict[int, list[tuple[Predicate, bool]]] = {0: []}
    for node, test in tests_of(tree).items():
        paths[int(tree.children_left[node])] = [*paths[node], (test, True)]
        paths[int(tree.children_right[node])] = [*paths[node], (test, False)]
    found: dict[int, dict[int, _Allowed]] = {}
    for node, path in paths.items():
        found[node] = {}
        for test, answer in path:
            some = _Allowed(tree.known_columns[test.column])
            found[node].setdefault(test.column, some).narrow(test, answer)
    return found


def _condition(some: _Allowed, index: int, words: Words) -> str:
    name = printable(some.column.name)
    texts = _set_parts if some.is_set else _interval_parts
    parts = texts(some, index, words)
    if parts is None:  # all values
        return "" if some.missing else f"{name} is not missing"
    if some.missing and some.column.has_missing:
        parts = [*parts, "missing" if parts else f"{name} is missing"]
    return " or ".join(parts) or f"no {name}"


def _set_parts(some: _Allowed, index: int, words: Words) -> list[str] | None:
    every = range(len(some.column.categories))
    with_unknown = UNKNOWN in some.codes
    codes = tuple(
        code for code in every if (float(code) in some.codes) is not with_unknown
    )
    if not codes:
        return None if with_unknown else []
    return [words.membership(index, codes, not with_unknown)]


def _interval_parts(some: _Allowed, index: int, words: Words) -> list[str] | None:
    if some.intervals == [_EVERYTHING]:
        return None
    return [words.interval(index, *interval) for interval in some.intervals]
