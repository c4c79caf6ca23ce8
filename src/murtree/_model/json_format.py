"""Models as JSON: tree, proof and the trees of other sizes, checked on loading."""

import math
from dataclasses import asdict, fields
from typing import Any

from murtree._model.losses import LOSSES
from murtree._model.proof import STATUSES, TEACHERS, Proof
from murtree._model.tuning import TunedSize, Tuning
from murtree._table.columns import KINDS
from murtree._table.coverage import ENCODINGS, HOW, Candidates, Coverage
from murtree._tree.json_format import VERSION, check_version, require
from murtree._tree.tree import Tree

FORMAT = "murtree.model"
_WHAT = "model"
_MOST_SIZES = 2**16  # more than any search creates


def dump_model(model: Any) -> dict[str, Any]:
    """Return a model as plain lists and numbers."""
    sizes = []
    for size in model.sizes:
        tree = size.tree.to_dict()
        columns = tree.pop("columns")  # the same for all trees: saved once
        sizes.append(
            {
                "proof": _dump_proof(size.proof),
                "train_error": size.train_error,
                "validation_error": size.validation_error,
                "tree": tree,
            }
        )
    return {
        "format": FORMAT,
        "version": VERSION,
        "target": model.target,
        "loss": model.loss,
        "settings": model.settings,
        "n_validation": model.n_validation,
        "validation_spread": model.validation_spread,
        "proof": _dump_proof(model.proof),
        "coverage": _dump_coverage(model.proof),
        "tuning": _dump_tuning(model.tuning),
        "chosen": model.chosen,
        "columns": columns,
        "sizes": sizes,
    }


def _dump_proof(proof: Proof | None) -> dict[str, Any] | None:
    if proof is None:
        return None
    saved = asdict(proof) | {"limits": list(proof.limits)}
    del saved["coverage"]  # the same for all sizes: saved once
    if proof.teacher is None:
        del saved["teacher"]  # rare, and unknown to earlier versions
    is_endless = proof.time_limit is not None and math.isinf(proof.time_limit)
    return saved | {"time_limit": None if is_endless else proof.time_limit}


def _dump_coverage(proof: Proof | None) -> dict[str, Any] | None:
    coverage = None if proof is None else proof.coverage
    if coverage is None:
        return None
    return {
        "text": str(coverage),
        "n_tests": coverage.n_tests,
        "max_tests": coverage.max_tests,
        "encoding": coverage.encoding,
        "columns": [column._asdict() for column in coverage.columns],
    }


def _dump_tuning(tuning: Tuning | None) -> dict[str, Any] | None:
    if tuning is None:
        return None
    saved: dict[str, Any] = {
        "scoring": tuning.scoring,
        "n_folds": tuning.n_folds,
        "chosen": tuning.chosen,
        "sizes": [_dump_tuned_size(size) for size in tuning.sizes],
    }
    return saved | {"has_families": True} if tuning.has_families else saved


def _dump_tuned_size(size: TunedSize) -> dict[str, Any]:
    """Return the fields of a size, without later ones that have their defaults."""
    later = TunedSize._field_defaults
    return {
        name: value
        for name, value in size._asdict().items()
        if name not in later or value != later[name]
    }


def load_model(data: Any) -> dict[str, Any]:
    """Return the fields of a model that `dump_model` wrote; raise if invalid."""
    if not isinstance(data, dict):
        raise TypeError(f"A saved model must be a dict. Got {type(data)} instead.")
    _need(data, "format", repr(FORMAT), data.get("format") == FORMAT)
    check_version(data.get("version"), _WHAT)
    sizes, chosen = data.get("sizes"), data.get("chosen")
    good = isinstance(sizes, list) and 0 < len(sizes) <= _MOST_SIZES
    _need(data, "sizes", "a list of at least one size", good)
    assert isinstance(sizes, list)
    good = type(chosen) is int and 0 <= chosen < len(sizes)
    _need(data, "chosen", f"an int in the range [0, {len(sizes) - 1}]", good)
    target, settings = data.get("target"), data.get("settings")
    _need(data, "target", "a text or null", isinstance(target, str | None))
    _need(data, "settings", "an object", isinstance(settings, dict))
    _need(data, "loss", f"among {sorted(LOSSES)}", data.get("loss") in LOSSES)
    count = data.get("n_validation")
    good = type(count) is int and count >= 0
    _need(data, "n_validation", "a non-negative int", good)
    spread = data.get("validation_spread")
    good = spread is None or (_is_number(spread) and spread >= 0)
    _need(data, "validation_spread", "a non-negative number or null", good)
    coverage = _load_coverage(data.get("coverage"))
    return {
        "sizes": [_load_size(size, data.get("columns"), coverage) for size in sizes],
        "chosen": chosen,
        "proof": _load_proof(data.get("proof"), coverage),
        "loss": data["loss"],
        "settings": settings,
        "target": target,
        "n_validation": count,
        "validation_spread": spread,
        "tuning": _load_tuning(data.get("tuning")),
    }


def _load_size(saved: Any, columns: Any, coverage: Coverage | None) -> dict[str, Any]:
    good = isinstance(saved, dict) and isinstance(saved.get("tree"), dict)
    require(good, "sizes", "a list of objects with a 'tree'", saved, _WHAT)
    errors = {name: saved.get(name) for name in ("train_error", "validation_error")}
    for name, error in errors.items():
        good = error is None or _is_number(error)
        require(good, name, "a finite number or null", error, _WHAT)
    tree = Tree.from_dict(saved["tree"] | {"columns": columns})
    proof = _load_proof(saved.get("proof"), coverage)
    return {"tree": tree, "proof": proof, **errors}


def _load_proof(saved: Any, coverage: Coverage | None) -> Proof | None:
    if saved is None:
        return None
    names = {field.name for field in fields(Proof)} - {"coverage"}
    good = isinstance(saved, dict) and {*saved, "teacher"} == names
    require(good, "proof", f"an object with {sorted(names)}", saved, _WHAT)
    good = saved["status"] in STATUSES and isinstance(saved["measure"], str)
    limits = saved["limits"]
    good = good and isinstance(limits, list) and type(saved["is_weighted"]) is bool
    good = good and all(isinstance(limit, str) for limit in limits)
    for name in ("objective", "lower_bound", "total_weight"):
        good = good and _is_number(saved[name])
    for name in ("seconds", "time_limit"):
        good = good and (saved[name] is None or _is_number(saved[name]))
    good = good and saved.get("teacher") in (None, *TEACHERS)
    require(good, "proof", "such that each entry has its kind", saved, _WHAT)
    return Proof(**(saved | {"limits": tuple(limits), "coverage": coverage}))


def _load_coverage(saved: Any) -> Coverage | None:
    if saved is None:
        return None
    good = isinstance(saved, dict) and isinstance(saved.get("columns"), list)
    good = good and _is_count(saved.get("n_tests"))
    good = good and saved.get("encoding") in ENCODINGS
    most = saved.get("max_tests") if good else None
    good = good and (most is None or _is_count(most))
    good = good and all(map(_is_candidates, saved["columns"]))
    must = "an object with the counts of tests and columns"
    require(good, "coverage", must, saved, _WHAT)
    columns = tuple(Candidates(**column) for column in saved["columns"])
    return Coverage(saved["n_tests"], columns, saved["encoding"], most)


def _is_candidates(saved: Any) -> bool:
    if not isinstance(saved, dict) or set(saved) != set(Candidates._fields):
        return False
    counts = _is_count(saved["n_candidates"]) and _is_count(saved["n_possible"])
    names = isinstance(saved["name"], str) and isinstance(saved["how"], str)
    return counts and names and saved["how"] in HOW and saved["kind"] in KINDS


def _load_tuning(saved: Any) -> Tuning | None:
    if saved is None:
        return None
    good = isinstance(saved, dict) and isinstance(saved.get("sizes"), list)
    good = good and isinstance(saved.get("scoring"), str)
    good = good and _is_count(saved.get("n_folds")) and _is_count(saved.get("chosen"))
    good = good and saved["chosen"] < len(saved["sizes"])
    good = good and all(map(_is_tuned_size, saved["sizes"]))
    has_families = saved.get("has_families", False) if good else False
    good = good and type(has_families) is bool
    require(good, "tuning", "an object with the scores of sizes", saved, _WHAT)
    sizes = tuple(TunedSize(**size) for size in saved["sizes"])
    scoring, n_folds, chosen = (saved[key] for key in ("scoring", "n_folds", "chosen"))
    return Tuning(scoring, n_folds, sizes, chosen, has_families)


def _is_tuned_size(saved: Any) -> bool:
    later = set(TunedSize._field_defaults)
    if not isinstance(saved, dict) or {*saved, *later} != set(TunedSize._fields):
        return False
    nodes, price = saved["max_num_nodes"], saved["cost_complexity"]
    smoothed = saved.get("smoothed_score")
    is_limited = price is None and _is_count(nodes)
    is_priced = nodes is None and _is_number(price)
    scores = ("mean_score", "std_score", "train_score")
    return (
        (is_limited or is_priced)
        and _is_count(saved["max_depth"])
        and all(_is_number(saved[name]) for name in scores)
        and saved.get("teacher") in (None, *TEACHERS)
        and (smoothed is None or _is_number(smoothed))
    )


def _is_count(value: Any) -> bool:
    return type(value) is int and value >= 0


def _is_number(value: Any) -> bool:
    """Return whether a value is a finite number within the range of float64."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # an int of hundreds of digits
        return False


def _need(data: dict[str, Any], entry: str, must: str, holds: object) -> None:
    require(holds, entry, must, data.get(entry), _WHAT)
