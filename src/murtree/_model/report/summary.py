"""All that the page of a model says, as plain lists, numbers and texts; no HTML.

Trees of several sizes share most of their tests and rules: those are listed once, and
the nodes have their places in the lists.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from murtree._model.losses import SHOWN_NAMES, r_squared, shown_error, training_spread
from murtree._model.proof import Proof
from murtree._model.tuning import GUESSES
from murtree._table.columns import Column
from murtree._table.predicate_text import Words, few_members, printable
from murtree._table.predicates import Predicate
from murtree._tree.colours import class_colours
from murtree._tree.rules import rule_parts
from murtree._tree.tree import Tree

MEMBER_LIMIT = 6  # categories of one test that its node names
CATEGORY_LIMIT = 200  # categories of one column to choose from
COVERED_LIMIT = 300  # columns whose candidates are listed


def summary_of(model: Any, title: str | None = None) -> dict[str, Any]:
    """Return what is known of a model.

    Parameters
    ----------
    model : Model
        The model.
    title : str, default=None
        What to call it; by default it is named by its target.

    Returns
    -------
    summary : dict
        Ready for JSON; names are printable, not escaped.

        - ``title``, ``target``, ``loss`` (what the errors are), ``settings``
          (pairs of texts), ``unit`` (of weights: "rows" or "weight"), ``weight`` (of
          all training rows), ``n_columns``, ``n_validation``.
        - ``proof`` of the model and of each size: None, or its ``status``, a ``badge``
          of few words, the ``text`` that goes with it, and a ``line`` that says it all;
          ``seconds`` that the search took.
        - ``coverage``: None, or a ``text`` that says which tests the proof covers;
          where some were left out, ``columns`` with the name of each and what is
          covered of it, and ``n_more`` that are not listed.
        - ``tuning``: None, or the sizes that a cross-validation compared: the name of
          the ``score``, ``n_folds``, what a tree without a test does (``guess``) with
          its score (``baseline``, or None), the place of the ``chosen`` size, and
          ``sizes``, each with ``depth``, ``nodes`` or ``price``, ``mean`` and
          ``spread`` of the score over the folds, and that in training (``train``).
        - ``classes``: a list of ``name`` and ``colour``; None in regression.
        - ``columns``: those that are tested. ``place`` in the table, ``name``,
          ``kind``, ``takes_missing``; ``has_zone`` of dates that have one,
          ``has_missing`` if values were missing in training, ``is_binary`` of numbers
          if they were 0 and 1; of categories their ``codes`` and ``names``.
        - ``tests``: ``column`` (an index into ``columns``), the texts ``yes`` and
          ``no``, a ``short`` one for the drawing; then ``members`` (codes), or the
          limits ``low`` and ``high`` (None: endless) of ``low < value <= high``, or
          neither where only a missing value is a yes; ``missing`` (is that a yes).
        - ``parts``: texts of rules.
        - ``sizes``: one for each tree that is better than all smaller ones: ``limits``
          (the least and the greatest number of nodes that it is best for; None where
          others were not searched), ``nodes``, ``leaves``, ``depth``,
          ``train_error`` and ``validation_error`` (with ``train_r2`` and
          ``validation_r2`` for squared errors, whose root is taken), ``proof``, and
          ``tree``: for each node,
          ``left``, ``right`` and ``test`` (-1 at leaves), ``weight``, ``rule`` (indices
          into ``parts``), then ``counts`` by class and ``label``, or ``value``.
        - ``chosen``: the place of the model's own tree in ``sizes``; ``best``: of that
          with the least error in validation, or None.
    """
    trees = [size.tree for size in model.sizes]
    writer = _Writer(trees)
    sizes, chosen = _distinct_sizes(model, writer)
    tree = model.tree
    weights = np.asarray(tree.node_weight, dtype=np.float64)
    return {
        "title": printable(title or _title(model.target)),
        "target": None if model.target is None else printable(model.target),
        "loss": SHOWN_NAMES[model.loss],
        "settings": [
            [printable(name), printable(value)]
            for name, value in model.settings.items()
        ],
        "unit": _unit(model.proof, weights),
        "weight": _number(weights[0]),
        "n_columns": tree.n_features,
        "n_validation": model.n_validation,
        "proof": _proof(model.proof),
        "coverage": _coverage(model.proof),
        "seconds": None if model.proof is None else model.proof.seconds,
        "tuning": _tuning(model),
        "classes": _classes(tree),
        "columns": writer.columns,
        "tests": writer.tests,
        "parts": list(writer.parts),
        "sizes": sizes,
        "chosen": chosen,
        "best": _best(sizes),
    }


def _unit(proof: Proof | None, weights: Any) -> str:
    """Say what weights are sums of, as far as it is known."""
    is_weighted = proof is not None and proof.is_weighted
    is_whole = bool((weights == np.floor(weights)).all())
    return "rows" if is_whole and not is_weighted else "weight"


class _Writer:
    """Writes trees down, what they share only once.

    Parameters
    ----------
    trees : sequence of Tree
        All trees that will be written, of one table.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        asked = [
            tree.predicate(node)
            for tree in trees
            for node in np.flatnonzero(tree.feature >= 0).tolist()
        ]
        distinct = dict.fromkeys(asked)  # in their order
        self._predicates = {test: place for place, test in enumerate(distinct)}
        self._columns = trees[0].known_columns
        self._takes_missing = trees[0].columns is not None
        self._places = sorted({predicate.column for predicate in asked})
        # One for all: a threshold reads the same in trees of all sizes.
        self._words = Words(self._columns, self._predicates)
        self.parts: dict[str, int] = {}

    @property
    def columns(self) -> list[dict[str, Any]]:
        return [self._column(place) for place in self._places]

    @property
    def tests(self) -> list[dict[str, Any]]:
        return [self._test(predicate) for predicate in self._predicates]

    def tree(self, tree: Tree) -> dict[str, Any]:
        """Return the nodes of a tree, as lists."""
        rules = rule_parts(tree, self._words)
        nodes = range(tree.feature.size)
        written: dict[str, Any] = {
            "left": tree.children_left.tolist(),
            "right": tree.children_right.tolist(),
            "test": [
                self._predicates[tree.predicate(node)]
                if tree.feature[node] >= 0
                else -1
                for node in nodes
            ],
            "weight": [_number(weight) for weight in tree.node_weight.tolist()],
            "rule": [[self._part(part) for part in rules[node]] for node in nodes],
        }
        if tree.classes is None:
            return written | {"value": tree.value[:, 0].tolist()}
        counts = [[_number(count) for count in row] for row in tree.value.tolist()]
        return written | {"counts": counts, "label": tree.labels.tolist()}

    def _part(self, text: str) -> int:
        return self.parts.setdefault(text, len(self.parts))

    def _column(self, place: int) -> dict[str, Any]:
        column = self._columns[place]
        written: dict[str, Any] = {
            "place": place,
            "name": printable(column.name),
            "kind": column.kind,
            "takes_missing": self._takes_missing,
        }
        for mark in ("has_zone", "has_missing", "is_binary"):
            if getattr(column, mark):
                written[mark] = True
        if column.is_category:
            codes = self._codes(place, column)
            written["codes"] = codes
            written["names"] = [printable(column.categories[code]) for code in codes]
            if len(codes) < len(column.categories):
                written["has_more"] = True
        return written

    def _codes(self, place: int, column: Column) -> list[int]:
        """Return the categories to choose from; of too many, those in a test.

        All others of an unordered column get the same answers: they are in no test.
        """
        every = range(len(column.categories))
        tests = [test for test in self._predicates if test.column == place]
        is_ordered = any(
            test.members is None and not test.is_about_missing for test in tests
        )
        if len(every) <= CATEGORY_LIMIT or is_ordered:
            return list(every)
        return sorted({code for test in tests for code in test.members or ()})

    def _test(self, predicate: Predicate) -> dict[str, Any]:
        yes, members = self._words.yes(predicate), predicate.members
        is_long = members is not None and len(members) > MEMBER_LIMIT
        written: dict[str, Any] = {
            "column": self._places.index(predicate.column),
            "yes": yes,
            "no": self._words.no(predicate),
            "short": few_members(self._columns, predicate, MEMBER_LIMIT)
            if is_long
            else yes,
            "missing": bool(predicate.missing),
        }
        if members is not None:
            return written | {"members": list(members)}
        if predicate.is_about_missing:
            return written
        low, high = predicate.lower, predicate.threshold
        return written | {"low": _finite(low), "high": _finite(high)}


def _distinct_sizes(model: Any, writer: _Writer) -> tuple[list[dict[str, Any]], int]:
    """Return the sizes that are worth a look, and the place of the chosen one.

    More nodes are not if they change nothing, or only the tree: of two equally good
    ones the smaller is shown.
    """
    kept: list[dict[str, Any]] = []
    last, chosen = None, 0
    for limit, size in enumerate(model.sizes):
        tree = writer.tree(size.tree)
        if last is None or tree != kept[-1]["tree"]:
            is_better = last is None or _is_better(size.proof, last.proof)
            if is_better or limit == model.chosen:
                last = size
                kept.append(_size(model, size, tree, limit))
        is_known = _is_known(size)
        if len(model.sizes) == 1:
            kept[-1]["limits"] = None
        elif is_known and limit > kept[-1]["limits"][1]:
            kept[-1]["limits"][1] = limit  # proven for more nodes: that says more
            kept[-1]["proof"] = _proof(size.proof)
        if limit == model.chosen:
            chosen = len(kept) - 1
    return kept, chosen


def _size(model: Any, size: Any, tree: dict[str, Any], limit: int) -> dict[str, Any]:
    errors = {"train": size.train_error, "validation": size.validation_error}
    written = {
        f"{rows}_error": shown_error(error, model.loss)
        for rows, error in errors.items()
    }
    if model.loss == "squared_error":
        spreads = training_spread(size.tree, size.train_error), model.validation_spread
        for (rows, error), spread in zip(errors.items(), spreads, strict=True):
            written[f"{rows}_r2"] = r_squared(error, spread)
    return {
        # Without a proof nothing is known of more nodes than the tree has.
        "limits": [limit, limit if _is_known(size) else size.tree.n_nodes],
        "nodes": size.tree.n_nodes,
        "leaves": size.tree.n_leaves,
        "depth": size.tree.depth,
        "proof": _proof(size.proof),
        "tree": tree,
    } | written


def _is_known(size: Any) -> bool:
    return size.proof is None or size.proof.is_complete


def _is_better(proof: Proof | None, than: Proof | None) -> bool:
    return proof is None or than is None or proof.objective < than.objective


def _best(sizes: Iterable[dict[str, Any]]) -> int | None:
    errors = [size["validation_error"] for size in sizes]
    return None if None in errors else errors.index(min(errors))


def _proof(proof: Proof | None) -> dict[str, str] | None:
    if proof is None:
        return None
    badge = "proven optimal" if proof.is_complete else "not proven"
    if not proof.is_complete and math.isfinite(proof.gap):
        badge = f"gap {proof.gap:.1%}"
    _, text = proof.line.split(": ", 1)  # the badge has said the rest
    text = text[0].upper() + text[1:]
    return {"status": proof.status, "badge": badge, "text": text, "line": proof.line}


def _coverage(proof: Proof | None) -> dict[str, Any] | None:
    coverage = None if proof is None else proof.coverage
    if coverage is None:
        return None
    by_column = [] if coverage.is_complete else coverage.by_column
    return {
        "text": str(coverage),
        "columns": [
            [printable(name), text] for name, text in by_column[:COVERED_LIMIT]
        ],
        "n_more": len(by_column[COVERED_LIMIT:]),
    }


def _tuning(model: Any) -> dict[str, Any] | None:
    tuning = model.tuning
    if tuning is None:
        return None
    return {
        "score": printable(tuning.scoring),
        "n_folds": tuning.n_folds,
        "guess": GUESSES[model.loss],
        "baseline": tuning.baseline,
        "chosen": tuning.chosen,
        "sizes": [
            {
                "depth": size.max_depth,
                "nodes": size.max_num_nodes,
                "price": size.cost_complexity,
                "mean": size.mean_score,
                "spread": size.std_score,
                "train": size.train_score,
            }
            for size in tuning.sizes
        ],
    }


def _classes(tree: Tree) -> list[dict[str, str]] | None:
    if tree.classes is None:
        return None
    names = [printable(label) for label in tree.classes.tolist()]
    colours = class_colours(len(names))
    return [
        {"name": name, "colour": colour}
        for name, colour in zip(names, colours, strict=True)
    ]


def _title(target: str | None) -> str:
    return "Decision tree" if target is None else f"Decision tree for {target}"


def _number(number: float) -> float:
    """Return a whole number as such: it is shorter."""
    return int(number) if float(number).is_integer() else float(number)


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None
