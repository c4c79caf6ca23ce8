"""The page of a model: content of its summary, and escaping of names."""

import builtins
import json
import math
import re
from dataclasses import replace
from html.parser import HTMLParser

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from model.report_pages import (
    HOSTILE,
    MODELS,
    cancer,
    hostile,
    not_proven,
    seven_classes,
    tree_of,
)
from oracle.tree_strategies import cases
from sklearn.datasets import load_iris

from murtree import (
    Column,
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    Predicate,
    Size,
    Solver,
    TimeLimitWarning,
)
from murtree._model.report.render import SCRIPTS, STYLES, _text, render, script_json
from murtree._model.report.summary import summary_of
from murtree._table.predicate_text import printable
from murtree._tree.rules import joined, rule_texts

DATA = re.compile(r'<script type="application/json" id="summary">(.*?)</script>', re.S)
X = [[0, 0], [0, 1], [1, 0], [1, 1]]
SMALL_PROOF = (
    "0 of 4 misclassified. No tree of depth at most 2 over these columns does better."
)


def model_of(**settings):
    return Model.of(OptimalTreeClassifier(**settings).fit(X, list("abbb")), target="t")


def mended(entry):
    """Return the summary of a proof for a tree with this many errors."""
    line = f"Proven optimal: {entry}"
    return {"status": "optimal", "badge": "proven optimal", "text": entry, "line": line}


def test_summary_of_a_small_model():
    model = model_of(max_depth=2)
    summary = summary_of(model)
    lengths = {name: len(summary.pop(name)) for name in ("tests", "parts", "sizes")}
    flag = {"kind": "number", "takes_missing": True, "is_binary": True}
    assert lengths == {"tests": 2, "parts": 4, "sizes": 1}
    assert summary == {
        "title": "Decision tree for t",
        "target": "t",
        "loss": "misclassified share",
        "settings": [["max_depth", "2"]],
        "unit": "rows",
        "weight": 4,
        "n_columns": 2,
        "n_validation": 0,
        "proof": mended(SMALL_PROOF),
        "teacher": None,
        "coverage": {
            "text": "Covers both columns, one test each.",
            "columns": [],
            "n_more": 0,
        },
        "seconds": model.proof.seconds,
        "tuning": None,
        "classes": [
            {"name": "a", "colour": "#0072B2"},
            {"name": "b", "colour": "#E69F00"},
        ],
        "columns": [
            {"place": 0, "name": "x0", **flag},
            {"place": 1, "name": "x1", **flag},
        ],
        "chosen": 0,
        "best": None,
    }


def test_the_size_of_a_small_model():
    (size,) = summary_of(model_of(max_depth=2))["sizes"]
    del size["tree"]
    assert size == {
        "limits": None,
        "nodes": 2,
        "leaves": 3,
        "depth": 2,
        "train_error": 0.0,
        "validation_error": None,
        "proof": mended(SMALL_PROOF),
    }


def test_tests_of_a_small_model():
    names = ["x0", "x1"]
    for test in summary_of(model_of(max_depth=2))["tests"]:
        name = names[test["column"]]
        assert (test["yes"], test["no"]) == (f"{name} = no", f"{name} = yes")
        assert test["short"] == test["yes"]
        assert (test["low"], test["high"]) == (None, 0.5)


def test_the_tree_of_a_small_model():
    summary = summary_of(model_of(max_depth=2))
    tree = summary["sizes"][0]["tree"]
    assert tree["left"] == [1, 2, -1, -1, -1]
    assert tree["right"] == [4, 3, -1, -1, -1]
    assert tree["test"] == [0, 1, -1, -1, -1]
    assert tree["weight"] == [4, 2, 1, 1, 2]
    assert tree["counts"] == [[1, 3], [1, 1], [1, 0], [0, 1], [0, 2]]
    assert tree["label"] == [1, 0, 0, 1, 1]
    rules = [[summary["parts"][part] for part in rule] for rule in tree["rule"]]
    assert rules[0] == []
    assert len(rules[1]) == 1
    assert len(rules[2]) == 2


def test_sizes_with_the_same_errors_are_one():
    summary = summary_of(model_of(max_depth=3, frontier=True))
    assert [size["nodes"] for size in summary["sizes"]] == [0, 2]
    assert [size["limits"] for size in summary["sizes"]] == [[0, 1], [2, 7]]
    assert "at most 7 nodes" in summary["sizes"][1]["proof"]["line"]
    assert summary["chosen"] == 1


def test_the_chosen_size_is_always_there():
    model = model_of(max_depth=3, frontier=True)
    summary = summary_of(replace(model, chosen=1))
    index = summary["chosen"]
    tree = summary["sizes"][index]["tree"]
    assert tree["left"] == model.sizes[1].tree.children_left.tolist()


def test_limits_go_only_as_far_as_proofs():
    summary = summary_of(not_proven())
    last = summary["sizes"][-1]
    assert last["limits"] == [3, 3]
    assert last["proof"]["badge"] == f"gap {not_proven().proof.gap:.1%}"
    assert last["proof"]["status"] == "time_limit"


def test_best_in_validation_is_the_smallest_of_ties():
    summary = summary_of(cancer())
    errors = [size["validation_error"] for size in summary["sizes"]]
    assert errors[summary["best"]] == min(errors)
    assert min(errors) not in errors[: summary["best"]]
    assert summary["n_validation"] == cancer().n_validation


def test_real_weights_are_not_called_rows():
    tree = Solver([[0], [1]], [0, 1], sample_weight=[0.5, 1.0]).solve(max_depth=1).tree
    summary = summary_of(Model.of(tree))
    assert (summary["unit"], summary["weight"]) == ("weight", 1.5)


def test_a_tree_without_columns_refuses_missing_values():
    tree = Solver([[0], [1]], [0, 1]).solve(max_depth=1).tree
    bare = replace(Model.of(tree), sizes=(Size(tree, None, 0.0),))
    assert summary_of(bare)["columns"][0]["takes_missing"] is False


def test_only_tested_categories_are_kept_out_of_thousands():
    column = Column("zip", "category", tuple(f"z{n}" for n in range(5000)))
    predicate = Predicate(0, members=tuple(range(10, 20)), missing=False)
    summary = summary_of(Model.of(tree_of(column, predicate)))
    assert summary["columns"][0]["codes"] == list(range(10, 20))
    short = "zip in {z10, z11, z12, z13, z14, and 5 more}"
    assert summary["tests"][0]["short"] == short
    assert "z19" in summary["tests"][0]["yes"]
    assert len(Model.of(tree_of(column, predicate)).report()) < 100_000


def test_tests_of_missing_values_and_intervals():
    column = Column("age", has_missing=True)
    missing = summary_of(Model.of(tree_of(column, Predicate(0, missing=True))))
    assert missing["columns"][0]["has_missing"] is True
    assert not {"low", "high", "members"} & set(missing["tests"][0])
    assert missing["tests"][0]["missing"] is True
    between = Predicate(0, 3.0, 1.0, missing=False)
    summary = summary_of(Model.of(tree_of(column, between)))
    assert (summary["tests"][0]["low"], summary["tests"][0]["high"]) == (1.0, 3.0)


@settings(max_examples=60, deadline=None)
@given(case=cases())
def test_summaries_are_json_with_the_rules_of_trees(case):
    summary = summary_of(Model.of(case.tree))
    assert json.loads(script_json(summary)) == summary
    tree = summary["sizes"][0]["tree"]
    texts = [joined([summary["parts"][part] for part in rule]) for rule in tree["rule"]]
    leaves = {node: text for node, text in enumerate(texts) if tree["left"][node] < 0}
    assert leaves == rule_texts(case.tree)


# --- the page -------------------------------------------------------------------------


class Reader(HTMLParser):
    """Collects the tags and texts of a page."""

    def __init__(self, page):
        super().__init__()
        self.tags, self.texts = [], []
        self.feed(page)
        self.close()

    def handle_starttag(self, tag, attributes):
        self.tags.append((tag, dict(attributes)))

    def handle_data(self, data):
        self.texts.append(data)


@pytest.mark.parametrize("name", sorted(MODELS))
def test_page_is_complete_and_self_contained(name):
    page = MODELS[name]().report()
    reader = Reader(page)
    tags = [tag for tag, _ in reader.tags]
    assert (tags.count("script"), tags.count("style")) == (2, 1)
    for tag, attributes in reader.tags:
        assert "src" not in attributes
        assert not any(name.startswith("on") for name in attributes)
        assert "style" not in attributes
        if tag != "a":
            assert attributes.get("href", "data:").startswith("data:")
    assert json.loads(DATA.search(page)[1]) == summary_of(MODELS[name]())
    policies = [attributes.get("content", "") for _, attributes in reader.tags]
    assert any(policy.startswith("default-src 'none'; ") for policy in policies)


@settings(max_examples=60, deadline=None)
@given(name=st.sampled_from(HOSTILE) | st.text(max_size=30), title=st.text(max_size=30))
def test_any_name_is_only_text(name, title):
    tree = tree_of(Column(name), Predicate(0, 0.5))
    tree = replace(tree, classes=np.array(["a", f"b{name}"], dtype=object))
    page = Model.of(tree, target=name).report(title=title)
    reader = Reader(page)
    plain = Model.of(tree_of(Column("x"), Predicate(0, 0.5)), target="t").report()
    assert [tag for tag, _ in reader.tags] == [tag for tag, _ in Reader(plain).tags]
    assert printable(title or f"Decision tree for {name}") in reader.texts
    page.encode("utf-8")


def test_hostile_names_are_escaped_everywhere():
    page = hostile().report(title=HOSTILE[1])
    shown = DATA.sub("", page)
    for name in HOSTILE[:3]:
        assert name not in page
    assert not re.search("[\x1b\u202e\u2028]", page)
    assert "&lt;img src=x onerror=alert(1)&gt;" in shown
    assert "{{ 7 * 7 }}" in shown  # no template


def test_json_cannot_end_its_script():
    text = script_json({"<a>": "</script><!--", "b": "&\u2028\u2029"})
    assert not set(text) & set("<>&\u2028\u2029")
    assert json.loads(text) == {"<a>": "</script><!--", "b": "&\u2028\u2029"}
    with pytest.raises(ValueError, match="JSON compliant"):
        script_json(math.nan)


def test_a_deep_tree_makes_a_small_page():
    page = seven_classes().report()
    assert len(page.encode("utf-8")) < 250_000
    assert page.count("_of_the_patient_over") < 600  # each text appears once


def test_the_files_of_the_page_are_small():
    for name in (*SCRIPTS, *STYLES, "page.html"):
        assert _text(name).count("\n") < 300, name
        assert "</script" not in _text(name) or name == "page.html"


# --- files and parameters -------------------------------------------------------------


def test_report_writes_the_page_that_it_returns(tmp_path):
    path = tmp_path / "page.html"
    model = model_of(max_depth=2)
    assert model.report(path, title="A title") is None
    page = path.read_bytes().decode("utf-8")
    assert page == model.report(title="A title")
    assert "<title>A title</title>" in page


def test_a_saved_model_gives_the_same_page(tmp_path):
    model = cancer()
    model.save(tmp_path / "model.json")
    assert Model.load(tmp_path / "model.json").report() == model.report()


def test_estimators_report_with_rows_of_validation(tmp_path):
    X, y = load_iris(return_X_y=True)
    clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X[::2], y[::2])
    weight = np.arange(1.0, 76.0)
    page = clf.report(X=X[1::2], y=y[1::2], sample_weight=weight, target="species")
    model = Model.of(clf, target="species").validated(X[1::2], y[1::2], weight)
    assert page == model.report()
    cv = OptimalTreeClassifierCV(max_depth=2).fit(X, y)
    assert cv.report(tmp_path / "cv.html", title="Tuned") is None
    assert "<h1>Tuned</h1>" in (tmp_path / "cv.html").read_text(encoding="utf-8")


def test_bad_parameters():
    clf = OptimalTreeClassifier(max_depth=1).fit(X, list("abbb"))
    with pytest.raises(ValueError, match=r"'X' and 'y' .* together. Got X alone"):
        clf.report(X=X)
    with pytest.raises(ValueError, match="Got y alone"):
        clf.report(y=list("abbb"))
    with pytest.raises(TypeError, match="The 'title' parameter of report must be"):
        clf.report(title=3)


def test_unwritable_path_leaves_no_file(tmp_path):
    with pytest.raises(OSError, match="No such file"):
        model_of(max_depth=1).report(tmp_path / "none" / "page.html")
    with pytest.raises(OSError, match="Is a directory"):
        model_of(max_depth=1).report(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_missing_jinja2_is_named(monkeypatch):
    known = builtins.__import__

    def without(name, *args, **kwargs):
        if name == "jinja2":
            raise ImportError(name)
        return known(name, *args, **kwargs)

    summary = summary_of(model_of(max_depth=1))
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(ImportError, match=r"install it \(the extra 'report'\)"):
        render(summary)


def test_unproven_tree_makes_no_claim_about_more_nodes():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 2, (400, 60)), rng.integers(0, 2, 400)
    clf = OptimalTreeClassifier(
        max_depth=6, frontier=True, time_limit=0.01, binarizer=None
    )
    with pytest.warns(TimeLimitWarning):
        clf.fit(X, y)
    for size in summary_of(Model.of(clf))["sizes"]:
        if size["proof"]["status"] != "optimal":
            assert size["limits"][1] <= size["nodes"]
