"""Loading raises errors for damaged, hostile and newer trees only."""

import copy
import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from oracle.tree_strategies import built, cases

from murtree import Column, Predicate, Solver, Tree

COLUMNS = (
    Column("age", "number", has_missing=True),
    Column("colour", "category", ("blue", "red", "white")),
    Column("size", "ordered", ("S", "M", "L")),
    Column("new", "boolean"),
    Column("since", "datetime"),
    Column("at", "time"),
    Column("nothing", "empty"),
)


@pytest.fixture
def saved():
    """Return a saved tree with a test of age at node 0 and leaves at 1 and 2."""
    tests = [Predicate(0, 1.5, missing=True), None, None]
    value = [[3, 1], [3, 0], [0, 1]]
    return built(tests, value, COLUMNS, classes=np.array(["a", "b"])).to_dict()


def test_an_intact_tree_is_loaded(saved):
    assert Tree.from_dict(saved).to_dict() == saved
    assert saved["version"] == 1


@pytest.mark.parametrize(
    ("index", "test"),
    [
        (0, {"missing": True, "threshold": 10**400}),
        (0, {"missing": True, "threshold": float("nan")}),
        (0, {"missing": True, "threshold": float("inf")}),
        (0, {"missing": True, "threshold": True}),
        (0, {"missing": True, "threshold": "1"}),
        (0, {"missing": True, "upper": 1.0}),
        (0, {"missing": True, "threshold": 1.0, "upper": 1.0}),
        (0, {"missing": 1, "threshold": 1.0}),
        (0, {"missing": None, "threshold": 1.0}),
        (0, {"threshold": 1.0}),
        (0, {"missing": True, "members": [0]}),
        (0, {"missing": True, "threshold": 1.0, "code": "print()"}),
        (0, None),
        (0, []),
        (1, {"missing": True, "threshold": 0.5}),
        (1, {"missing": True, "members": []}),
        (1, {"missing": True, "members": [3]}),
        (1, {"missing": True, "members": [-1]}),
        (1, {"missing": True, "members": [0, 0]}),
        (1, {"missing": True, "members": [True]}),
        (1, {"missing": True, "members": [0], "threshold": 1.0}),
        (2, {"missing": True, "threshold": 3.5}),
        (2, {"missing": True, "threshold": -0.5}),
        (3, {"missing": True, "threshold": 1.5}),
        (3, {"missing": True, "threshold": 0.5, "upper": 0.7}),
        (5, {"missing": True, "threshold": 86400.0}),
        (6, {"missing": True}),
        (7, {"missing": True}),
    ],
)
def test_a_damaged_test_is_refused(saved, index, test):
    saved["feature"][0] = index
    saved["predicates"][0] = test
    entry = "predicates" if index < len(COLUMNS) else "feature"
    with pytest.raises(ValueError, match=f"^The {entry!r} entry of a saved tree must"):
        Tree.from_dict(saved)


@pytest.mark.parametrize(
    ("index", "entry", "value"),
    [
        (0, "name", 3),
        (0, "name", "colour"),
        (0, "kind", "numbers"),
        (0, "kind", ["number"]),
        (0, "has_missing", 1),
        (0, "categories", ["a"]),
        (1, "categories", []),
        (1, "categories", "abc"),
        (1, "categories", ["a", "a"]),
        (1, "categories", ["a", 1]),
        (1, "categories", ["a", ["b"]]),
        (1, "categories", [True, False]),
        (1, "categories", None),
    ],
)
def test_a_damaged_column_is_refused(saved, index, entry, value):
    saved["columns"][index][entry] = value
    with pytest.raises(ValueError, match="'columns' entry of a saved tree must be"):
        Tree.from_dict(saved)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("n_features", 2**31 - 1),
        ("n_features", True),
        ("n_features", 6),
        ("children_left", [True, -1, -1]),
        ("children_left", [0, -1, -1]),
        ("children_left", [10**30, -1, -1]),
        ("children_left", {"0": 1}),
        ("feature", [False, -2, -2]),
        ("feature", [0, -2]),
        ("columns", None),
        ("columns", [[]] * len(COLUMNS)),
        ("predicates", {}),
        ("value", [[True, 1], [3, 0], [0, 1]]),
        ("value", [[2**63 - 1, 1]] * 3),
        ("value", [[1e308, 1e308]] * 3),
        ("value", [[[[1]]]]),
        ("classes", [["a"], ["b"]]),
        ("classes_dtype", "<U400000000"),
        ("classes_dtype", "O8,O8"),
        ("classes_dtype", "no type"),
        ("smoothing", True),
        ("smoothing", -0.5),
        ("smoothing", "m"),
        ("smoothing", float("nan")),
        ("smoothing", float("inf")),
        ("smoothing", 10**400),
        ("smoothing", ["laplace"]),
        ("version", True),
        ("version", 1.0),
        ("format", "pickle"),
    ],
)
def test_a_damaged_tree_is_refused(saved, entry, value):
    with pytest.raises(ValueError, match="of a saved tree must be"):
        Tree.from_dict(saved | {entry: value})


def test_smoothing_of_a_regression_tree_must_be_a_number():
    tree = Solver([[0], [1]], [1.5, 2.5], objective="squared_error").solve(max_depth=1)
    saved = tree.tree.to_dict() | {"smoothing": 2}
    assert Tree.from_dict(saved).predict([[0]]) == [1.5 / 3 + 2 * 2.0 / 3]
    with pytest.raises(ValueError, match="'smoothing' entry of a saved tree must be a"):
        Tree.from_dict(saved | {"smoothing": "laplace"})


@pytest.mark.parametrize(
    ("classes", "dtype"),
    [([False, True], "<i8"), ([0.0, float("inf")], "<f8"), ([0, 1], "<U1")],
)
def test_labels_must_be_of_their_type(saved, classes, dtype):
    with pytest.raises(ValueError, match="'classes' entry of a saved tree must be"):
        Tree.from_dict(saved | {"classes": classes, "classes_dtype": dtype})


@pytest.mark.parametrize("version", [0, 2, 3, 99])
def test_other_versions_are_refused(saved, version):
    message = f"must be 1, the only version that this murtree reads. Got {version} ins"
    with pytest.raises(ValueError, match=message):
        Tree.from_dict(saved | {"version": version})


def test_every_truncated_text_is_refused(saved):
    text = json.dumps(saved)
    for end in range(len(text)):
        with pytest.raises(ValueError, match="A saved tree must be a JSON text"):
            Tree.from_json(text[:end])


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{",
        '{"version": NaN}',
        '{"version": -Infinity}',
        '{"version": 1, "version": 1}',
        "[" * 100_000,
        "9" * 10_000,
        b"\xff\xfe\x00",
        '{"a": 1} {"b": 2}',
    ],
)
def test_invalid_json_is_refused(text):
    with pytest.raises(ValueError, match="A saved tree must be a JSON text"):
        Tree.from_json(text)


def test_non_text_is_refused():
    with pytest.raises(TypeError, match=r"saved tree must be a JSON text\. Got <class"):
        Tree.from_json({})


@pytest.mark.parametrize("entry", ["format", "version", "value", "classes", "columns"])
def test_deeply_nested_json_is_refused(saved, entry):
    nested = "[" * 900 + "]" * 900
    text = json.dumps(saved | {entry: "?"}).replace('"?"', nested)
    with pytest.raises(ValueError, match="of a saved tree must be") as caught:
        Tree.from_json(text)
    assert len(str(caught.value)) < 500


@pytest.mark.parametrize(("levels", "fits"), [(255, True), (256, False)])
def test_number_of_levels_is_limited(levels, fits):
    plain = Solver([[0], [1]], [0, 1]).solve(max_depth=1).tree.to_dict()
    size = 2 * levels + 1
    inner = [node % 2 == 0 and node < size - 1 for node in range(size)]
    chain = plain | {
        "children_left": [n + 1 if inner[n] else -1 for n in range(size)],
        "children_right": [n + 2 if inner[n] else -1 for n in range(size)],
        "feature": [0 if inner[n] else -2 for n in range(size)],
        "threshold": [0.5 if inner[n] else -2.0 for n in range(size)],
        "value": [[1, 1]] * size,
    }
    if fits:
        assert Tree.from_dict(chain).depth == levels
    else:
        with pytest.raises(ValueError, match="at most 255 tests"):
            Tree.from_dict(chain)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.text(max_size=3), inner, max_size=3)
    ),
    max_leaves=5,
)


@settings(max_examples=100, deadline=None)
@given(cases(), st.data())
def test_junk_anywhere_is_refused_or_harmless(case, data):
    """Any replaced value gives a clear error, or a tree that predicts."""
    saved = copy.deepcopy(case.tree.to_dict())
    holder, key = saved, data.draw(st.sampled_from(sorted(saved)))
    while isinstance(holder[key], list | dict) and data.draw(st.booleans()):
        holder = holder[key]
        keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
        assume(keys)
        key = data.draw(st.sampled_from(list(keys)))
    holder[key] = data.draw(JUNK)
    try:
        tree = Tree.from_dict(saved)
    except ValueError as error:
        message = str(error)
    else:
        message = ""
        codes = np.zeros((2, tree.n_features))
        assert tree._predict(codes).shape == (2,)
    assert not message or "of a saved tree must be" in message
