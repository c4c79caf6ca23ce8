"""Input of all exports: what is accepted and what is refused."""

import sys

import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from murtree import (
    OptimalTreeClassifier,
    Solver,
    Tree,
    export_c,
    export_graphviz,
    export_onnx,
    export_python,
    export_sql,
    export_text,
)

# Heavier on the right, where both estimators and bare trees send missing values.
X = [[0, 0], [0, 1], [0, 1], [1, 0], [1, 1], [1, 0], [1, 1]]
Y = ["a", "b", "b", "b", "b", "b", "b"]
WRITERS = [
    export_c,
    export_graphviz,
    export_onnx,
    export_python,
    export_sql,
    export_text,
]


@pytest.mark.parametrize("write", WRITERS)
def test_objects_with_a_tree_are_accepted(write):
    solver = Solver(X, Y)
    result = solver.solve(max_depth=2)
    clf = OptimalTreeClassifier(max_depth=2, binarizer=None).fit(X, Y)
    pipeline = make_pipeline(FunctionTransformer(), clf).fit(X, Y)
    grid = GridSearchCV(pipeline, {"optimaltreeclassifier__max_depth": [2]}, cv=2)
    grid.fit(X * 4, Y * 4)
    grid.best_estimator_[-1].fit(X, Y)  # with the weights of the others
    given = [result, solver.frontier(max_depth=2)[2], clf, pipeline, grid]
    texts = {str(write(one)) for one in given}
    assert texts == {str(write(result.tree))}


@pytest.mark.parametrize("write", WRITERS)
def test_objects_without_a_tree_are_refused(write):
    with pytest.raises(TypeError, match=f"parameter of {write.__name__} must be"):
        write("a tree")


@pytest.mark.parametrize("write", [export_c, export_python, export_sql])
def test_names_must_be_distinct(write):
    tree = Solver(X, Y).solve(max_depth=2).tree
    with pytest.raises(ValueError, match=r"must have distinct names\. Got 'a' more"):
        write(tree, feature_names=["a", "a"])
    with pytest.raises(ValueError, match="must contain 2 elements, got 1"):
        write(tree, feature_names=["a"])


@pytest.mark.parametrize("write", [export_c, export_sql])
def test_nul_characters_are_refused(write):
    tree = Solver(X, ["a\0a", *"bbbbbb"]).solve(max_depth=2).tree
    with pytest.raises(ValueError, match="must have no NUL character"):
        write(tree)
    assert "a\\x00a" in export_python(tree)


@pytest.mark.parametrize("name", ["", "2x", "a-b", "é", None, "a b"])
def test_names_in_c_are_checked(name):
    tree = Solver(X, Y).solve(max_depth=2).tree
    with pytest.raises(ValueError, match="'name' parameter of export_c must be"):
        export_c(tree, name=name)


def test_sql_table_must_be_a_name():
    tree = Solver(X, Y).solve(max_depth=2).tree
    with pytest.raises(TypeError, match="'table' parameter of export_sql must be"):
        export_sql(tree, table=3)


@pytest.mark.parametrize(
    ("module", "write", "advice"),
    [
        ("onnx", export_onnx, r"install it \(the extra 'onnx'\)"),
        ("pandas", Tree.rules_frame, "rules_frame needs pandas"),
    ],
)
def test_missing_packages_are_named(monkeypatch, module, write, advice):
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(ImportError, match=advice):
        write(Solver(X, Y).solve(max_depth=2).tree)


def test_tables_of_a_schema():
    tree = Solver(X, Y).solve(max_depth=2).tree
    assert 'FROM "main"."my table"' in export_sql(tree, table=("main", "my table"))
