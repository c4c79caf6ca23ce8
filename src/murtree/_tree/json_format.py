"""The JSON format of saved trees, fully validated on loading.

A tree on the columns of a table has columns and a predicate for each node; a tree on
plain numbers has thresholds. Loading never executes code.
"""

import json
import math
import reprlib
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from murtree._table.columns import KINDS, Column
from murtree._table.predicates import Predicate, threshold_of
from murtree._tree.layout import NO_CHILD, NO_FEATURE, NO_THRESHOLD
from murtree._tree.nodes import depths
from murtree._tree.smoothing import LAPLACE

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


FORMAT = "murtree.tree"
VERSION = 1
_STRUCTURE = ("children_left", "children_right", "feature")
_LARGEST = float(np.finfo(np.float64).max)
# No search makes larger trees; a damaged file could require excessive memory.
_MOST_FEATURES = 2**24
_MOST_LEVELS = 255
_LONGEST_LABEL = 2**20  # bytes
_ONE_DAY = 24 * 3600.0
# Flags of columns that are saved only if they differ from these defaults.
_FLAGS = {
    "has_zone": False,
    "is_named": True,
    "is_binary": False,
    "refuses_unknown": False,
}


def dump(tree: "Tree") -> dict[str, Any]:
    """Return a tree as plain lists and numbers."""
    classes = tree.classes
    saved = {
        "format": FORMAT,
        "version": VERSION,
        "n_features": tree.n_features,
        "classes": None if classes is None else classes.tolist(),
        "classes_dtype": None if classes is None else classes.dtype.str,
    }
    for entry in (*_STRUCTURE, "value", "label", "weight"):
        array = getattr(tree, entry)
        if array is not None:
            saved[entry] = array.tolist()
    if tree.smoothing is not None:
        saved["smoothing"] = tree.smoothing
    if tree.is_expected:  # rare
        saved["is_expected"] = True
    if tree.columns is None:
        return saved | {"columns": None, "threshold": tree.threshold.tolist()}
    return saved | {
        "columns": list(map(_dump_column, tree.columns)),
        "predicates": list(map(_dump_predicate, tree.predicates or ())),
    }


def _dump_column(column: Column) -> dict[str, Any]:
    saved: dict[str, Any] = {"name": column.name, "kind": column.kind}
    if column.is_category:
        saved["categories"] = list(column.categories)
    saved["has_missing"] = column.has_missing
    flags = {flag: getattr(column, flag) for flag in _FLAGS}
    return saved | {flag: flags[flag] for flag in _FLAGS if flags[flag] != _FLAGS[flag]}


def _dump_predicate(predicate: Predicate | None) -> dict[str, Any] | None:
    """Return the fields that differ from the defaults; JSON has no infinity."""
    if predicate is None:
        return None
    saved: dict[str, Any] = {"missing": predicate.missing}
    if predicate.members is not None:
        saved["members"] = list(predicate.members)
    for entry in ("threshold", "lower"):
        limit = getattr(predicate, entry)
        if limit > -math.inf:
            saved[entry] = limit
    return saved


def parse(text: str | bytes, what: str = "tree") -> dict[str, Any]:
    """Return the content of a JSON text; raise an error if it is invalid."""
    if not isinstance(text, str | bytes):
        raise TypeError(
            f"A saved {what} must be a JSON text. Got {type(text)} instead."
        )
    try:
        return json.loads(  # type: ignore[no-any-return]
            text, object_pairs_hook=_without_repeats, parse_constant=_no_number
        )
    except (ValueError, RecursionError) as error:  # truncated, damaged, or too deep
        raise ValueError(f"A saved {what} must be a JSON text: {error}") from None


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        raise ValueError("an object has two entries with the same name")
    return entries


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is not a number in JSON")


def load(data: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a tree saved by `dump`; raise an error if it is damaged."""
    if not isinstance(data, dict):
        raise TypeError(f"A saved tree must be a dict. Got {type(data)} instead.")
    require(data.get("format") == FORMAT, "format", repr(FORMAT), data.get("format"))
    check_version(data.get("version"))
    n_features = data.get("n_features")
    good = type(n_features) is int and 0 < n_features <= _MOST_FEATURES
    must = f"an int in the range [1, {_MOST_FEATURES}]"
    require(good, "n_features", must, n_features)
    is_regression = data.get("classes", ()) is None
    tree = {
        **{entry: _numbers(data, entry, np.int32) for entry in _STRUCTURE},
        "value": _checked_value(data, is_regression),
        "classes": None if is_regression else _checked_classes(data),
        "n_features": n_features,
        "label": None,
        "smoothing": _checked_smoothing(data.get("smoothing"), is_regression),
        "is_expected": _checked_flag(data, "is_expected"),
        "weight": _numbers(data, "weight", np.float64) if is_regression else None,
    }
    if data.get("label") is not None:
        tree["label"] = _numbers(data, "label", np.int32)
    is_plain = data.get("columns", ()) is None
    if is_plain:
        tree["threshold"] = _numbers(data, "threshold", np.float64)
    else:
        tree |= _load_predicates(data, tree["feature"])
    _check_nodes(tree, plain=is_plain)
    _check_values(tree)
    return tree


def check_version(version: Any, what: str = "tree") -> None:
    """Raise an error if the format has another version."""
    must = f"{VERSION}, the only version that this murtree reads"
    require(type(version) is int and version == VERSION, "version", must, version, what)


_short = reprlib.Repr()
_short.maxstring = _short.maxother = _short.maxlong = 100
_short.maxdict = 8


def require(
    holds: object, entry: str, must: str, got: object, what: str = "tree"
) -> None:
    """Raise an error about an entry unless `holds` is true."""
    if not holds:
        shown = _short.repr(got)  # may be long or deeply nested
        raise ValueError(
            f"The {entry!r} entry of a saved {what} must be {must}. "
            f"Got {shown} instead."
        )


def _load_predicates(data: dict[str, Any], feature: Any) -> dict[str, Any]:
    columns, predicates = data.get("columns"), data.get("predicates")
    n_features = data["n_features"]
    good = isinstance(columns, list) and len(columns) == n_features
    require(good, "columns", f"a list of {n_features} columns", columns)
    loaded = tuple(map(_load_column, columns))  # type: ignore[arg-type]
    good = len({column.name for column in loaded}) == n_features
    require(good, "columns", "such that names are distinct", columns)
    good = isinstance(predicates, list) and len(predicates) == feature.size
    require(good, "predicates", f"a list of {feature.size}, as 'feature'", predicates)
    good = bool((feature < n_features).all())
    require(good, "feature", f"less than n_features={n_features}", feature.max())
    tests = tuple(
        _load_predicate(saved, int(index), loaded)
        for saved, index in zip(predicates, feature, strict=True)  # type: ignore[arg-type]
    )
    return {
        "columns": loaded,
        "predicates": tests,
        "threshold": np.array(
            [NO_THRESHOLD if test is None else threshold_of(test) for test in tests]
        ),
    }


def _load_column(saved: Any) -> Column:
    good = isinstance(saved, dict) and isinstance(saved.get("name"), str)
    good = good and saved.get("kind") in KINDS
    good = good and type(saved.get("has_missing")) is bool
    must = "a list of columns with 'name', 'kind' and 'has_missing'"
    require(good, "columns", must, saved)
    categories = saved.get("categories", [])
    good = isinstance(categories, list) and len(set(map(type, categories))) <= 1
    good = good and all(type(category) in (str, int) for category in categories)
    good = good and len(set(categories)) == len(categories)
    is_category = saved["kind"] in ("category", "ordered")
    good = good and is_category == bool(categories)
    require(good, "columns", "such that categories are distinct texts or ints", saved)
    flags = {flag: saved.get(flag, default) for flag, default in _FLAGS.items()}
    good = all(type(flag) is bool for flag in flags.values())
    must = f"such that {', '.join(map(repr, _FLAGS))} are true or false"
    require(good, "columns", must, saved)
    name, kind, has_missing = (saved[key] for key in ("name", "kind", "has_missing"))
    return Column(name, kind, tuple(categories), has_missing, **flags)


def _load_predicate(
    saved: Any, index: int, columns: tuple[Column, ...]
) -> Predicate | None:
    if index < 0:
        require(saved is None, "predicates", "null at every leaf", saved)
        return None
    must = "an object with 'missing' (true or false) at every branching node"
    good = isinstance(saved, dict) and type(saved.get("missing")) is bool
    known = {"missing", "members", "threshold", "lower"}
    require(good and set(saved) <= known, "predicates", must, saved)
    limits = _load_limits(saved, columns[index])
    members = saved.get("members")
    if members is not None:
        count = len(columns[index].categories)
        good = isinstance(members, list) and not limits
        good = good and all(type(code) is int and 0 <= code < count for code in members)
        good = good and len(set(members)) == len(members) > 0
        require(good, "predicates", f"such that members are codes below {count}", saved)
        members = tuple(members)
    predicate = Predicate(index, members=members, missing=saved["missing"], **limits)
    good = members or "lower" not in limits or predicate.lower < predicate.threshold
    require(good, "predicates", "such that lower is below threshold", saved)
    is_test = predicate.missing or not predicate.is_about_missing
    require(is_test, "predicates", "such that none is empty", saved)
    return predicate


def _load_limits(saved: dict[str, Any], column: Column) -> dict[str, float]:
    """Return the limits of a test, validated for the kind of its column."""
    kind = column.kind
    good = kind != "empty" and not (kind == "boolean" and "lower" in saved)
    must = f"a test that a column of kind {kind!r} can have"
    require(good, "predicates", must, saved)
    low, high = {
        "boolean": (0.0, 1.0),
        "category": (math.inf, math.inf),  # has members only
        "ordered": (0.0, float(len(column.categories))),
        "time": (0.0, _ONE_DAY),
    }.get(kind, (-_LARGEST, math.inf))
    limits: dict[str, float] = {}
    for entry in ("threshold", "lower"):
        if entry in saved:
            limit = saved[entry]
            good = type(limit) in (int, float) and low <= limit < high
            good = good and abs(limit) <= _LARGEST
            require(good, "predicates", f"such that {entry!r} is in range", saved)
            limits[entry] = float(limit)
    return limits


def _checked_flag(data: dict[str, Any], entry: str) -> bool:
    """Return a flag that is saved only if it is true."""
    flag = data.get(entry, False)
    require(type(flag) is bool, entry, "true or false", flag)
    return bool(flag)


def _checked_value(data: dict[str, Any], is_regression: bool) -> npt.NDArray[Any]:
    """Return the node values; integer class weights stay integers."""
    value = np.asarray(_numbers(data, "value", np.float64, ndim=2))
    if is_regression or np.asarray(data["value"]).dtype.kind == "f":
        return value
    return np.asarray(_numbers(data, "value", np.int64, ndim=2))


def _checked_smoothing(saved: Any, is_regression: bool) -> float | str | None:
    """Return the smoothing of a tree; files of trees without it have no such entry."""
    is_number = type(saved) in (int, float) and 0 <= saved <= _LARGEST
    is_rule = saved == LAPLACE and not is_regression
    must = "a finite, non-negative number"
    must += "" if is_regression else f" or {LAPLACE!r}"
    require(saved is None or is_number or is_rule, "smoothing", must, saved)
    return float(saved) if is_number else saved


def _numbers(data: dict[str, Any], entry: str, dtype: Any, ndim: int = 1) -> Any:
    kinds = "if" if dtype is np.float64 else "i"
    try:
        array = np.asarray(data[entry])
        good = array.dtype.kind in kinds and array.ndim == ndim and array.size > 0
        converted = array.astype(dtype) if good else array
        good = good and np.array_equal(converted, array)
        flat = data[entry] if ndim == 1 else chain.from_iterable(data[entry])
        good = good and not any(isinstance(number, bool) for number in flat)
    except (KeyError, TypeError, ValueError, OverflowError):
        good = False
    require(
        good, entry, f"a list of {np.dtype(dtype)} numbers ({ndim}D)", data.get(entry)
    )
    return converted


def _checked_classes(data: dict[str, Any]) -> npt.NDArray[Any]:
    labels, name = data.get("classes"), data.get("classes_dtype")
    must = "a list of distinct labels of the dtype in 'classes_dtype'"
    try:
        dtype = np.dtype(name) if isinstance(name, str) else np.dtype("V")
        require(dtype.kind in "biufUO", "classes_dtype", "a dtype of labels", name)
        good = dtype.itemsize <= _LONGEST_LABEL
        require(good, "classes_dtype", "a dtype of labels of usual length", name)
        classes = np.array(labels, dtype=dtype)
        same = isinstance(labels, list) and classes.ndim == 1
        same = same and classes.tolist() == labels
        found = classes.tolist()
        same = same and set(map(type, found)) == set(map(type, labels or ()))
        same = same and (dtype.kind != "f" or np.isfinite(classes).all())
    except (TypeError, ValueError, OverflowError) as error:
        raise ValueError(
            f"The 'classes' entry of a saved tree must be {must}: {error}"
        ) from None
    plain = dtype.kind != "O" or all(isinstance(label, str) for label in classes)
    distinct = same and plain and len(set(classes.tolist())) == classes.size > 0
    require(distinct, "classes", must, labels)
    return classes


def _check_nodes(tree: dict[str, Any], *, plain: bool) -> None:
    size, n_features = tree["feature"].size, tree["n_features"]
    left, right = tree["children_left"], tree["children_right"]
    for entry in ("children_left", "children_right", "threshold", "value"):
        length = tree[entry].shape[0]
        require(length == size, entry, f"of length {size}, as 'feature'", length)
    inner = tree["feature"] >= 0
    largest, must = int(tree["feature"].max()), f"less than n_features={n_features}"
    require(largest < n_features, "feature", must, largest)
    for entry in ("feature", "children_left", "children_right"):
        at_leaves = tree[entry][~inner]
        blank = NO_FEATURE if entry == "feature" else NO_CHILD
        good = (at_leaves == blank).all()
        require(good, entry, f"{blank} at every leaf", at_leaves.tolist())
    finite = np.isfinite(tree["threshold"][inner]).all()
    require(finite or not plain, "threshold", "finite", "NaN or infinity")
    # Each node but the root has one parent with a smaller index: no cycles, no orphans.
    nodes = np.flatnonzero(inner)
    children = np.concatenate([left[nodes], right[nodes]])
    once = np.array_equal(np.sort(children), np.arange(1, size))
    later = (children > np.concatenate([nodes, nodes])).all()
    must = "such that each node but the first has one parent, stored before it"
    require(once and later, "children_left", must, left.tolist())
    must = f"such that a path has at most {_MOST_LEVELS} tests"
    good = depths(left, right).max() <= _MOST_LEVELS
    require(good, "children_left", must, "more")


def _check_values(tree: dict[str, Any]) -> None:
    n_columns = 1 if tree["classes"] is None else tree["classes"].size
    columns, size = tree["value"].shape[1], tree["feature"].size
    require(columns == n_columns, "value", f"{n_columns} numbers a node", columns)
    require(np.isfinite(tree["value"]).all(), "value", "finite", "NaN or infinity")
    if tree["weight"] is not None:
        good = tree["weight"].size == size and (tree["weight"] > 0).all()
        good = good and np.isfinite(tree["weight"]).all()
        require(good, "weight", f"{size} positive numbers", tree["weight"].tolist())
    else:
        with np.errstate(over="ignore"):
            total = tree["value"].sum(axis=1, keepdims=True)
        good = ((tree["value"] >= 0) & (total > 0) & (total < math.inf)).all()
        must = "non-negative with a positive, finite sum in each row"
        require(good, "value", must, tree["value"].tolist())
    if tree["label"] is not None:
        good = tree["label"].size == size and (tree["label"] >= 0).all()
        good = good and (tree["label"] < n_columns).all()
        must = f"{size} positions in 'classes'"
        require(good, "label", must, tree["label"].tolist())
