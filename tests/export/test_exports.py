"""Every export is run and predicts the same as the tree, for any table."""

import datetime
import itertools
import sqlite3

import duckdb
import numpy as np
import onnxruntime
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from oracle.tree_strategies import Case, cases

from murtree import (
    Model,
    OptimalTreeClassifier,
    Solver,
    Tree,
    export_graphviz,
    export_onnx,
    export_python,
    export_sql,
    export_text,
)
from murtree._tree.rules import allowed_at_nodes
from murtree._tree.to_sklearn import to_sklearn

MOST = np.finfo(np.float64).max
pytestmark = pytest.mark.filterwarnings(
    "ignore:Column .* holds categories that fit did not see"  # present in `cases`
)
some = settings(max_examples=50, deadline=None, suppress_health_check=list(HealthCheck))


@some
@given(cases())
def test_json_predicts_the_same(case):
    after = Tree.from_json(case.tree.to_json())
    assert after.predict(case.table).tolist() == case.expected
    np.testing.assert_array_equal(after.estimates, case.tree.estimates)
    assert after.to_json() == case.tree.to_json()
    assert after.columns == case.tree.columns


@some
@given(cases())
def test_python_predicts_the_same(case):
    module = {}
    exec(export_python(case.tree), module)
    names = [column.name for column in case.tree.columns]
    assert list(module["COLUMNS"]) == names
    rows = case.table.tolist()
    assert [module["predict"](row) for row in rows] == case.expected
    dicts = [dict(zip(names, row, strict=True)) for row in rows]
    assert [module["predict"](row) for row in dicts] == case.expected


SQLITE = {"datetime": "TEXT", "time": "TEXT", "boolean": "INTEGER"}
DUCKDB = {"datetime": "TIMESTAMP", "time": "TIME", "boolean": "BOOLEAN"}


def quoted(name):
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def sql_types(tree, types, whole):
    for column in tree.columns:
        if column.is_category:
            is_text = isinstance(column.categories[0], str)
            yield "TEXT" if is_text else whole
        else:
            yield types.get(column.kind, "DOUBLE")


def predictions_in_sql(case, execute, types, whole, written):
    """Create and fill a table, and return the result of the exported query."""
    tree = case.tree
    kinds = [
        f"{quoted(column.name)} {kind}"
        for column, kind in zip(
            tree.columns, sql_types(tree, types, whole), strict=True
        )
    ]
    name = 'my "table"'
    execute(f"DROP TABLE IF EXISTS {quoted(name)}")
    execute(f"CREATE TABLE {quoted(name)} ({', '.join(kinds)})")
    marks = ", ".join("?" * len(kinds))
    rows = [[written(value) for value in row] for row in case.table.tolist()]
    all_marks = ", ".join([f"({marks})"] * len(rows))
    flat = [value for row in rows for value in row]
    execute(f"INSERT INTO {quoted(name)} VALUES {all_marks}", flat)
    found = execute(export_sql(tree, table=name)).fetchall()
    assert all(len(row) == len(kinds) + 1 for row in found)
    return [row[-1] for row in found]


def as_sqlite(value):
    if isinstance(value, datetime.datetime):
        return value.isoformat(sep=" ")
    if isinstance(value, datetime.time):
        return value.isoformat()
    return as_duckdb(value)


def as_duckdb(value):
    if isinstance(value, datetime.timedelta):
        return value.total_seconds()
    return value


def is_read_rightly(connection, tree):
    """Whether this SQLite parses the tree's numbers exactly; 3.40 does not."""
    numbers = {*tree.threshold.tolist(), *tree.estimates.ravel().tolist()}
    texts = [repr(float(number)) for number in numbers if np.isfinite(number)]
    query = f"SELECT {', '.join(texts)}"
    return connection.execute(query).fetchone() == tuple(map(float, texts))


@some
@given(cases())
def test_sqlite_predicts_the_same(case):
    connection = sqlite3.connect(":memory:")
    try:
        assume(is_read_rightly(connection, case.tree))
        found = predictions_in_sql(
            case, connection.execute, SQLITE, "INTEGER", as_sqlite
        )
    finally:
        connection.close()
    assert found == case.expected


@pytest.fixture(scope="module")
def duck():
    connection = duckdb.connect()
    yield connection
    connection.close()


@some
@given(case=cases())
def test_duckdb_predicts_the_same(duck, case):
    found = predictions_in_sql(case, duck.execute, DUCKDB, "BIGINT", as_duckdb)
    assert found == case.expected


@pytest.mark.parametrize("name", ["false", "True"])
def test_boolean_predictions_beside_a_column_of_that_name_in_sql(duck, name):
    table = pd.DataFrame({name: [5.0, 6.0, 7.0], "old": [True, False, True]})
    clf = OptimalTreeClassifier(max_depth=1).fit(table, [True, False, True])
    lite = sqlite3.connect(":memory:")
    for connection in (duck, lite):
        connection.execute(f'CREATE TABLE names ("{name}" DOUBLE, "old" BOOLEAN)')
        rows = "(5.0, 1 = 1), (6.0, 1 = 0), (7.0, 1 = 1)"
        connection.execute(f"INSERT INTO names VALUES {rows}")
        found = connection.execute(export_sql(clf, table="names")).fetchall()
        connection.execute("DROP TABLE names")
        assert [row[-1] for row in found] == [True, False, True]
    lite.close()


def float32_codes(case):
    with np.errstate(over="ignore"):
        codes = case.tree.encode(case.table).astype(np.float32)
    return codes, case.tree._predict(codes.astype(np.float64))


@some
@given(cases())
def test_scikit_learn_predicts_the_same(case):
    codes, right = float32_codes(case)
    # Thresholds of dates are on values: known values decide where float32 changes them.
    values = codes.astype(np.float64)
    is_time = [
        c.kind in ("datetime", "duration", "time") for c in case.tree.known_columns
    ]
    ties = [v if each else v[:0] for v, each in zip(values.T, is_time, strict=True)]
    model = to_sklearn(case.tree, ties=ties)
    model.__dict__.pop("feature_names_in_", None)  # an array has none
    finite = ~np.isinf(codes).any(axis=1)  # scikit-learn refuses infinity
    if finite.any():
        assert model.predict(codes[finite]).tolist() == right[finite].tolist()
        if case.tree.classes is not None:
            leaves = case.tree._apply(codes[finite].astype(np.float64))
            shares, labels = case.tree.estimates[leaves], case.tree.labels[leaves]
            other = np.argmax(shares, axis=1) != labels
            shares[other] = np.eye(shares.shape[1])[labels[other]]
            found = model.predict_proba(codes[finite])
            np.testing.assert_allclose(found, shares, rtol=1e-12)
    nodes = model.tree_
    assert nodes.n_node_samples.min() >= 0
    assert nodes.weighted_n_node_samples.min() > 0.0
    assert nodes.weighted_n_node_samples[0] == case.tree.node_weight[0]


def in_onnx(tree, table):
    """Return the outputs of the exported model for a table, as arrays."""
    session = onnxruntime.InferenceSession(export_onnx(tree).SerializeToString())
    columns = {column.name: column for column in tree.known_columns}
    codes, table = tree.encode(table), np.asarray(table, dtype=object)
    row = {}
    for requested in session.get_inputs():
        position = tree.known_columns.index(columns[requested.name])
        values = codes[:, [position]].astype(np.float64)
        if requested.type == "tensor(string)":
            blank = "no such category"
            texts = [
                blank if text is None else str(text) for text in table[:, position]
            ]
            values = np.array(texts, dtype=object)[:, np.newaxis]
        elif requested.type == "tensor(int64)":
            blank = 10**6
            numbers = [blank if n is None else int(n) for n in table[:, position]]
            values = np.array(numbers)[:, np.newaxis]
        row[requested.name] = values
    return session.run(None, row)


@some
@given(cases())
def test_onnx_predicts_the_same(case):
    found = in_onnx(case.tree, case.table)
    assert found[0].tolist() == case.expected
    if case.tree.classes is not None:
        shares = case.tree.predict_proba(case.table)
        np.testing.assert_array_equal(found[1], shares)


def test_a_model_of_onnx_asks_for_the_columns_of_the_tree():
    table = pd.DataFrame({"a": [1, 2, 3, 4], "b": list("xyxy")})
    clf = OptimalTreeClassifier(max_depth=1).fit(table, [1.0, 1.0, 2.0, 2.0])
    model = export_onnx(clf, feature_names=["a b", "constant_3"])
    session = onnxruntime.InferenceSession(model.SerializeToString())
    (requested,) = session.get_inputs()
    assert (requested.name, requested.shape) == ("a b", ["n", 1])
    assert requested.type == "tensor(double)"
    labels, shares = session.run(None, {"a b": np.array([[1.0], [9.0]])})
    assert labels.dtype == np.float64
    assert labels.tolist() == [1.0, 2.0]
    assert shares.tolist() == [[1.0, 0.0], [0.0, 1.0]]
    leaf = Solver([[0], [1]], [True, True]).solve(max_depth=1).tree
    (predicted, _) = in_onnx(leaf, [[0], [1], [1]])
    assert predicted.tolist() == [True] * 3


@some
@given(cases())
def test_text_and_graphviz_have_a_line_for_each_part(case):
    tree = case.tree
    lines = export_text(tree).split("\n")
    assert len(lines) == 2 * tree.n_nodes + tree.n_leaves + 1
    dot = export_graphviz(tree)
    assert len(dot.splitlines()) == 4 + tree.feature.size + 2 * tree.n_nodes
    inside = dot.replace("\\\\", "").replace('\\"', "")
    assert inside.count('"') % 2 == 0


def is_allowed(some, code):
    if np.isnan(code):
        return some.missing
    if some.column.is_category:
        return code in some.codes
    # Nothing is above -inf, but -inf is at most any limit.
    return any(low < max(code, -MOST) <= high for low, high in some.intervals)


@some
@given(cases())
def test_each_row_satisfies_only_the_rule_of_its_leaf(case):
    tree = case.tree
    rules = tree.rules_frame()
    assert rules["share"].sum() == pytest.approx(1.0)
    if tree.classes is not None:
        assert rules["error"].sum() == tree.misclassified
    nodes = allowed_at_nodes(tree)
    allowed = {leaf: nodes[leaf] for leaf in rules.index}
    for codes, leaf in zip(
        tree.encode(case.table), tree.apply(case.table), strict=True
    ):
        kept = [
            node
            for node, columns in allowed.items()
            if all(
                is_allowed(some, codes[position]) for position, some in columns.items()
            )
        ]
        assert kept == [leaf]


def test_unknown_categories_are_missing_values_everywhere():
    rng = np.random.default_rng(0)
    table = pd.DataFrame(
        {
            "colour": rng.choice(["red", "blue", "green"], 60),
            "shape": rng.choice(["disk", "cube", None], 60),
            "grade": pd.Categorical(
                rng.choice(["low", "mid", "high"], 60),
                ["low", "mid", "high"],
                ordered=True,
            ),
        }
    )
    y = (table["colour"] == "red") ^ (table["shape"] == "disk") ^ rng.integers(0, 2, 60)
    clf = OptimalTreeClassifier(max_depth=3).fit(table, y)
    values = [[*column.categories, "new", None] for column in clf.tree_.known_columns]
    rows = np.array(list(itertools.product(*values)), dtype=object)
    new = pd.DataFrame(rows, columns=table.columns)
    right = clf.predict(new).tolist()
    case = Case(clf.tree_, rows)
    assert right == clf.predict(new.replace("new", None)).tolist()
    assert right == case.expected
    assert right == Model.from_json(Model.of(clf).to_json()).predict(new).tolist()
    module = {}
    exec(export_python(clf), module)
    assert right == [module["predict"](row) for row in rows.tolist()]
    connection = sqlite3.connect(":memory:")
    execute = connection.execute
    assert right == predictions_in_sql(case, execute, SQLITE, "INTEGER", as_sqlite)
    connection.close()
    assert right == in_onnx(clf.tree_, new)[0].tolist()
    codes = clf.tree_.encode(new).astype(np.float32)
    assert (
        right
        == clf.to_sklearn().predict(pd.DataFrame(codes, columns=table.columns)).tolist()
    )
