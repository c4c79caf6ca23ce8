"""The content of a report as plain lists, numbers and texts, without HTML.

Trees of several sizes share most of their tests and rules: these are listed once, and
nodes refer to them by index.
"""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import chain
from typing import Any

import numpy as np

from murtree._model.losses import (
    EXPECTED,
    SHOWN_NAMES,
    r_squared,
    shown_error,
    training_spread,
)
from murtree._model.proof import Proof
from murtree._model.tuning import GUESSES, explained, family_names
from murtree._table.columns import Column
from murtree._table.predicate_text import Words, few_members, printable
from murtree._table.predicates import Predicate
from murtree._tree.colours import class_colours
from murtree._tree.leaf_text import are_whole
from murtree._tree.nodes import tests_of
from murtree._tree.rules import rule_parts
from murtree._tree.tree import Tree

MEMBER_LIMIT = 6  # categories in the short text of a test
CATEGORY_LIMIT = 200  # categories of one column that the page offers
COVERED_LIMIT = 300  # columns whose candidates are listed


def summary_of(model: Any, title: str | None = None) -> dict[str, Any]:
    """Return the content of the report of a model.

    Parameters
    ----------
    model : Model
        The model.
    title : str, default=None
        The title of the page; by default it names the target.

    Returns
    -------
    summary : dict
        Ready for JSON; names are printable, not escaped.

        - ``title``, ``target``, ``loss`` (the name of the errors), ``settings``
          (pairs of texts), ``unit`` (of weights: "rows" or "weight"), ``weight`` (of
          all training rows), ``n_columns``, ``n_validation``.
        - ``proof`` of the model and of each size: None, or its ``status``, a short
          ``badge``, the ``text`` that follows it, and a complete ``line``;
          ``seconds`` of the search.
        - ``coverage``: None, or a ``text`` about the tests that the proof covers;
          if tests were left out, ``columns`` with the name and the coverage of each,
          and ``n_more``, the number of columns that are not listed.
        - ``teacher``: None, or a text about the errors of a tree that was fitted to the
          predictions of a forest.
        - ``tuning``: None, or the sizes that a cross-validation compared: the name of
          the ``score``, ``n_folds``, the prediction of a tree without tests
          (``guess``) with its score (``baseline``, or None), the index of the
          ``chosen`` size, and ``sizes``, each with ``depth``, ``nodes`` or ``price``,
          ``mean`` and ``spread`` of the score over the folds, the training score
          (``train``), ``smoothed`` (the score that decides, or None), and its
          ``family`` (None, or the name of the targets). ``families``: None, or a list
          of these names, and the ``note`` about them.
        - ``classes``: a list of ``name`` and ``colour``; None in regression.
        - ``columns``: the tested columns. ``place`` (the index in the table),
          ``name``, ``kind``, ``takes_missing``; ``has_zone`` for dates with a time
          zone, ``has_missing`` if values were missing in training, ``is_binary`` for
          numbers that were 0 or 1; for categories, their ``codes`` and ``names``.
        - ``tests``: ``column`` (an index into ``columns``), the texts ``yes`` and
          ``no``, a ``short`` text for the drawing; then ``members`` (codes), or the
          limits ``low`` and ``high`` (None: unbounded) of ``low < value <= high``, or
          neither if the test is true for missing values only; ``missing`` (whether
          the test is true for missing values).
        - ``parts``: texts of rules.
        - ``sizes``: one for each tree that is better than all smaller ones: ``limits``
          (the smallest and the largest number of nodes for which it is the best tree;
          None if other sizes were not searched), ``nodes``, ``leaves``, ``depth``,
          ``train_error`` and ``validation_error`` (for squared errors their roots,
          with ``train_r2`` and ``validation_r2``), ``proof``, and ``tree``: for each
          node, ``left``, ``right`` and ``test`` (-1 at leaves), ``weight``, ``rule``
          (indices into ``parts``), then ``counts`` by class and ``label``, or
          ``value``.
        - ``chosen``: the index in ``sizes`` of the model's own tree; ``best``: the
          index of the tree with the lowest validation error, or None.
    """
    trees = [size.tree for size in model.sizes]
    tree = trees[model.chosen]
    proven, classes = _proven(model.proof), _classes(tree)
    shared = _Shared(trees)
    sizes, chosen = _distinct_sizes(model, shared)
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
        **proven,
        "teacher": None if model.teacher is None else EXPECTED[model.loss],
        "tuning": _tuning(model),
        "classes": classes,
        "columns": shared.columns,
        "tests": shared.tests,
        "parts": list(shared.parts),
        "sizes": sizes,
        "chosen": chosen,
        "best": _best(sizes),
    }


def _unit(proof: Proof | None, weights: Any) -> str:
    """Return the unit of weights, as far as it is known."""
    is_weighted = proof is not None and proof.is_weighted
    return "rows" if are_whole(weights) and not is_weighted else "weight"


class _Shared:
    """Tests, columns and parts of rules that trees of one table share.

    Parameters
    ----------
    trees : sequence of Tree
        The trees, from the smallest to the largest.
    """

    def __init__(self, trees: Sequence[Tree]) -> None:
        self._tests = list(map(tests_of, trees))
        values = map(dict.values, self._tests)
        distinct = dict.fromkeys(chain.from_iterable(values))  # in their order
        self._columns = trees[0].known_columns
        self._takes_missing = trees[0].columns is not None
        # The same words for all trees: a threshold reads the same in all sizes.
        words = Words(self._columns, distinct)
        self._yes = list(map(words.yes, distinct))
        self._no = list(map(words.no, distinct))
        self._rules = list(map(partial(rule_parts, words=words), trees))
        self._index = {test: index for index, test in enumerate(distinct)}
        self._tested = sorted({test.column for test in distinct})
        self.parts: dict[str, int] = {}

    @property
    def columns(self) -> list[dict[str, Any]]:
        return [self._column(index) for index in self._tested]

    @property
    def tests(self) -> list[dict[str, Any]]:
        return list(map(self._test, self._index, self._yes, self._no))

    def nodes(self, tree: Tree, size: int) -> dict[str, Any]:
        """Return the nodes of the tree of a size, as lists."""
        tests, rules = self._tests[size], self._rules[size]
        nodes = range(tree.feature.size)
        written: dict[str, Any] = {
            "left": tree.children_left.tolist(),
            "right": tree.children_right.tolist(),
            "test": [
                self._index[tests[node]] if node in tests else -1 for node in nodes
            ],
            "weight": [_number(weight) for weight in tree.node_weight.tolist()],
            "rule": [[self._part(part) for part in rules[node]] for node in nodes],
        }
        if tree.classes is None:
            return written | {"value": tree.estimates[:, 0].tolist()}
        value = tree.value.round(1) if tree.is_expected else tree.value
        counts = [[_number(count) for count in row] for row in value.tolist()]
        return written | {"counts": counts, "label": tree.labels.tolist()}

    def _part(self, text: str) -> int:
        return self.parts.setdefault(text, len(self.parts))

    def _column(self, index: int) -> dict[str, Any]:
        column = self._columns[index]
        written: dict[str, Any] = {
            "place": index,
            "name": printable(column.name),
            "kind": column.kind,
            "takes_missing": self._takes_missing,
        }
        for mark in ("has_zone", "has_missing", "is_binary"):
            if getattr(column, mark):
                written[mark] = True
        if column.is_category:
            codes = self._codes(index, column)
            written["codes"] = codes
            written["names"] = [printable(column.categories[code]) for code in codes]
            if len(codes) < len(column.categories):
                written["has_more"] = True
        return written

    def _codes(self, index: int, column: Column) -> list[int]:
        """Return the categories to offer; if there are too many, those in a test.

        The other categories of an unordered column are in no test: trees treat them
        alike.
        """
        every = range(len(column.categories))
        tests = [test for test in self._index if test.column == index]
        is_ordered = any(
            test.members is None and not test.is_about_missing for test in tests
        )
        if len(every) <= CATEGORY_LIMIT or is_ordered:
            return list(every)
        return sorted({code for test in tests for code in test.members or ()})

    def _test(self, predicate: Predicate, yes: str, no: str) -> dict[str, Any]:
        members = predicate.members
        is_long = members is not None and len(members) > MEMBER_LIMIT
        written: dict[str, Any] = {
            "column": self._tested.index(predicate.column),
            "yes": yes,
            "no": no,
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


def _distinct_sizes(model: Any, shared: _Shared) -> tuple[list[dict[str, Any]], int]:
    """Return the sizes to show, and the index of the chosen size among them.

    A larger size is left out if its tree is the same, or no better.
    """
    kept: list[dict[str, Any]] = []
    last, chosen = None, 0
    for limit, size in enumerate(model.sizes):
        tree = shared.nodes(size.tree, limit)
        if last is None or tree != kept[-1]["tree"]:
            is_better = last is None or _is_better(size.proof, last.proof)
            if is_better or limit == model.chosen:
                last = size
                kept.append(_size(model, size, tree, limit))
        # Without a proof nothing is known about more nodes than the tree has.
        is_known = size.proof is None or size.proof.is_complete
        if len(model.sizes) == 1:
            kept[-1]["limits"] = None
        elif is_known and limit > kept[-1]["limits"][1]:
            kept[-1]["limits"][1] = limit
            kept[-1]["proof"] = _proof(size.proof)  # stronger: for more nodes
        if limit == model.chosen:
            chosen = len(kept) - 1
    return kept, chosen


def _size(model: Any, size: Any, tree: dict[str, Any], limit: int) -> dict[str, Any]:
    proof = _proof(size.proof)
    written: dict[str, Any] = {
        "limits": [limit, size.tree.n_nodes],
        "nodes": size.tree.n_nodes,
        "leaves": size.tree.n_nodes + 1,
        "depth": size.tree.depth,
        "proof": proof,
        "tree": tree,
    }
    errors = {"train": size.train_error, "validation": size.validation_error}
    for rows, error in errors.items():
        written[f"{rows}_error"] = shown_error(error, model.loss)
    if model.loss == "squared_error":
        spreads = training_spread(size.tree, size.train_error), model.validation_spread
        for (rows, error), spread in zip(errors.items(), spreads, strict=True):
            written[f"{rows}_r2"] = r_squared(error, spread)
    return written


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
    _, text = proof.line.split(": ", 1)  # the badge shows the first part
    text = text[0].upper() + text[1:]
    return {"status": proof.status, "badge": badge, "text": text, "line": proof.line}


def _proven(proof: Proof | None) -> dict[str, Any]:
    """Return the proof of the model, the tests that it covers, and its duration."""
    written: dict[str, Any] = {"proof": _proof(proof), "coverage": None}
    coverage = None if proof is None else proof.coverage
    if coverage is not None:
        by_column = [] if coverage.is_complete else coverage.by_column
        written["coverage"] = {
            "text": str(coverage),
            "columns": [
                [printable(name), text] for name, text in by_column[:COVERED_LIMIT]
            ],
            "n_more": len(by_column[COVERED_LIMIT:]),
        }
    return written | {"seconds": None if proof is None else proof.seconds}


def _tuning(model: Any) -> dict[str, Any] | None:
    tuning = model.tuning
    if tuning is None:
        return None
    has_families, names = tuning.has_families, family_names(model.loss)
    return {
        "score": printable(tuning.scoring),
        "n_folds": tuning.n_folds,
        "guess": GUESSES[model.loss],
        "baseline": tuning.baseline,
        "chosen": tuning.chosen,
        "families": [names[each] for each in tuning.teachers] if has_families else None,
        "note": " ".join(explained(tuning, model.loss)),
        "sizes": [
            {
                "depth": size.max_depth,
                "nodes": size.max_num_nodes,
                "price": size.cost_complexity,
                "mean": size.mean_score,
                "spread": size.std_score,
                "train": size.train_score,
                "smoothed": size.smoothed_score,
                "family": names[size.teacher] if has_families else None,
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
    """Return an int if the number is whole: its text is shorter."""
    return int(number) if float(number).is_integer() else float(number)


def _finite(limit: float) -> float | None:
    return limit if math.isfinite(limit) else None
