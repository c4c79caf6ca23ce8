"""Exact text of every export of a small tree, and of rules."""

import numpy as np
import pandas as pd
import pytest
from oracle.tree_strategies import built
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, StandardScaler

from murtree import (
    Column,
    OptimalTreeClassifier,
    Predicate,
    Tree,
    export_c,
    export_graphviz,
    export_python,
    export_sql,
    export_text,
)

COLUMNS = (
    Column("age", "number", has_missing=True),
    Column("colour", "category", ("blue", "it's", "red")),
    Column("since", "datetime"),
    Column("new?", "boolean", has_missing=True),
)


def made(tests, value, columns=COLUMNS, **others):
    return built(tests, value, columns, **others)


@pytest.fixture
def tree():
    return made(
        [
            Predicate(0, 41.5, 2.5, missing=True),
            Predicate(2, 86400 * 365.5, missing=True),
            None,
            Predicate(3, 0.5, missing=False),
            None,
            None,
            Predicate(1, members=(1, 2), missing=False),
            None,
            None,
        ],
        [[9, 7], [5, 4], [3, 0], [2, 4], [2, 1], [0, 3], [4, 3], [0, 3], [4, 0]],
        classes=np.array(["no", 'say "yes"']),
    )


@pytest.fixture
def means():
    return made(
        [Predicate(0, 1 / 3, missing=True), None, None],
        [[1.5], [1.0], [2.0]],
        classes=None,
        weight=np.array([2.5, 1.25, 1.25]),
    )


def test_text(tree, means):
    assert export_text(tree) == (
        "|--- 2.5 < age <= 41.5 or missing\n"
        "|   |--- since <= 1971-01-01 12:00:00\n"
        "|   |   |--- class: no (0 of 3 wrong)\n"
        "|   |--- since > 1971-01-01 12:00:00\n"
        "|   |   |--- new? = no\n"
        "|   |   |   |--- class: no (1 of 3 wrong)\n"
        "|   |   |--- new? = yes or missing\n"
        '|   |   |   |--- class: say "yes" (0 of 3 wrong)\n'
        "|--- age <= 2.5 or > 41.5\n"
        '|   |--- colour in {"it\'s", red}\n'
        '|   |   |--- class: say "yes" (0 of 3 wrong)\n'
        '|   |--- colour not in {"it\'s", red}\n'
        "|   |   |--- class: no (0 of 4 wrong)\n"
    )
    assert export_text(means, feature_names=["a", "b", "c", "d"], decimals=2) == (
        "|--- a <= 0.33 or missing\n"
        "|   |--- value: 1.00 (weight 1.25)\n"
        "|--- a > 0.33\n"
        "|   |--- value: 2.00 (weight 1.25)\n"
    )


@pytest.mark.parametrize("decimals", [-1, 18])
@pytest.mark.parametrize("write", [export_text, export_graphviz])
def test_decimals_are_checked(write, means, decimals):
    with pytest.raises(ValueError, match="'decimals' parameter of export_"):
        write(means, decimals=decimals)


def test_weights_of_regression(means):
    whole = Tree(**{**vars(means), "weight": np.array([3.0, 1.0, 2.0])})
    assert "value: 1 (1 row)" in export_text(whole)
    assert "value: 2 (2 rows)" in export_text(whole)


def test_graphviz(tree):
    lines = [line.strip() for line in export_graphviz(tree).splitlines()]
    assert lines[0] == "digraph tree {"
    assert lines[3] == '0 [label="age\\n7 of 16 wrong", fillcolor="#d9eaf3"];'
    assert lines[8] == (
        '5 [label="say \\"yes\\"\\n0 of 3 wrong", fillcolor="#eaae80"];'
    )
    assert '0 -> 1 [label="2.5 < age <= 41.5 or missing"];' in lines
    assert '6 -> 7 [label="colour in {\\"it\'s\\", red}"];' in lines


def test_graphviz_colours_are_stronger_where_values_are_larger(means):
    dot = export_graphviz(means, feature_names=["a&b", "\\", "c", "d"])
    assert '1 [label="1\\nweight 1.25", fillcolor="#e6f1f7"];' in dot
    assert '2 [label="2\\nweight 1.25", fillcolor="#80b8d8"];' in dot
    assert '0 -> 2 [label="a&amp;b > 0.3333333333333333"];' in dot


def test_sql(tree, means):
    assert export_sql(tree) == (
        """CASE WHEN "age" IS NULL OR ("age" > 2.5e0 AND "age" <= 41.5e0) THEN
    CASE WHEN "since" IS NULL OR NOT "since" > '1971-01-01 12:00:00' THEN
        'no'
    ELSE
        CASE WHEN "new?" = FALSE THEN
            'no'
        ELSE
            'say "yes"'
        END
    END
ELSE
    CASE WHEN "colour" IN ('it''s', 'red') THEN
        'say "yes"'
    ELSE
        'no'
    END
END"""
    )
    first = 'CASE WHEN "age" IS NULL OR "age" <= 0.3333333333333333e0 THEN'
    assert export_sql(means).startswith(first)


def test_dates_beyond_calendars_are_refused_in_sql():
    tree = made(
        [Predicate(2, 1e15, missing=False), None, None],
        [[1, 1], [1, 0], [0, 1]],
        classes=np.array([0, 1]),
    )
    with pytest.raises(ValueError, match="in the years 1 to 9999"):
        export_sql(tree)


def test_python(tree):
    source = export_python(tree)
    body = source[source.index("    age = ") : source.index("def _is_missing")]
    assert body.rstrip() == (
        """    age = _number(row['age'])
    colour = _text(row['colour'])
    since = _moment(row['since'])
    new = _number(row['new?'])
    if math.isnan(age) or (age > 2.5 and age <= 41.5):
        if math.isnan(since) or since <= 31579200.0:
            return 'no'
        else:
            if new <= 0.5:
                return 'no'
            else:
                return 'say "yes"'
    else:
        if colour in {"it's", 'red'}:
            return 'say "yes"'
        else:
            return 'no'"""
    )


def test_c(tree):
    source = export_c(tree, name="mail")
    assert source[source.index("struct") :] == (
        r"""struct mail_row {
    double age; /* "age": a number */
    const char *colour; /* "colour": text */
    double since; /* "since": seconds since 1970, UTC */
    double new_2; /* "new\?": 0 or 1 */
};

const char *const mail_classes[] = {
    "no",
    "say \"yes\"",
};

static int mail_is(const char *value, const char *category)
{
    return value != NULL && strcmp(value, category) == 0;
}

int mail_predict(const struct mail_row *row)
{
    if (isnan(row->age) || (row->age > 2.5 && row->age <= 41.5)) {
        if (isnan(row->since) || row->since <= 31579200.0) {
            return 0;
        } else {
            if (row->new_2 <= 0.5) {
                return 0;
            } else {
                return 1;
            }
        }
    } else {
        if (mail_is(row->colour, "it's") || mail_is(row->colour, "red")) {
            return 1;
        } else {
            return 0;
        }
    }
}
"""
    )


def test_large_ints_are_refused_as_categories_in_c():
    columns = (Column("id", "category", (1, 2**60)),)
    tree = made(
        [Predicate(0, members=(1,), missing=False), None, None],
        [[1, 1], [1, 0], [0, 1]],
        classes=np.array([0, 1]),
        columns=columns,
    )
    with pytest.raises(ValueError, match=r"texts or ints up to 2\*\*53"):
        export_c(tree)


def test_python_export_accepts_values_of_pandas():
    frame = pd.DataFrame(
        {
            "n": pd.array([1, 2, None, 4] * 3, dtype="Int64"),
            "c": pd.Categorical(["a", "b", None, "c"] * 3),
            "t": pd.to_datetime(["2024-01-01", "2024-03-01", None, "2024-05-01"] * 3),
        }
    )
    y = [0, 1, 0, 1, 1, 0, 0, 1, 1, 1, 0, 0]
    clf = OptimalTreeClassifier(max_depth=3).fit(frame, y)
    module = {}
    exec(export_python(clf), module)
    found = [module["predict"](row) for _, row in frame.iterrows()]
    assert found == clf.predict(frame).tolist()


def test_a_pipeline_names_the_columns():
    frame = pd.DataFrame({"age": [1.0, 2.0, 3.0, 4.0], "plan": list("abab")})
    y = [0, 0, 1, 1]
    scale = ColumnTransformer([("z", StandardScaler(), ["age"])])
    pipeline = make_pipeline(scale, OptimalTreeClassifier(max_depth=1)).fit(frame, y)
    assert export_text(pipeline).startswith("|--- z__age <= 0\n")
    assert 'label="z__age' in export_graphviz(pipeline)
    assert "x0" in export_sql(pipeline)  # its input is scaled, so it is not "age"
    assert export_text(pipeline, feature_names=["a"]).startswith("|--- a <= 0\n")
    nameless = make_pipeline(
        FunctionTransformer(np.asarray), OptimalTreeClassifier(max_depth=1)
    ).fit(frame[["age"]], y)
    assert export_text(nameless).startswith("|--- age <= 2.5\n")
    arrays = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=1))
    assert export_text(arrays.fit(frame[["age"]].to_numpy(), y)).startswith("|--- x0 ")


# --- rules ----------------------------------------------------------------------------


def test_rules(tree):
    rules = tree.rules_frame()
    assert rules["rule"].tolist() == [
        "(2.5 < age <= 41.5 or missing) and since <= 1971-01-01 12:00:00",
        "(2.5 < age <= 41.5 or missing) and since > 1971-01-01 12:00:00 and new? = no",
        "(2.5 < age <= 41.5 or missing) and since > 1971-01-01 12:00:00 and "
        "(new? = yes or missing)",
        '(age <= 2.5 or age > 41.5) and colour in {"it\'s", red}',
        '(age <= 2.5 or age > 41.5) and colour not in {"it\'s", red}',
    ]
    assert list(rules.columns) == [
        "rule",
        "prediction",
        "support",
        "share",
        "weight_no",
        'weight_say "yes"',
        "error",
    ]
    assert rules.index.tolist() == [2, 4, 5, 7, 8]
    yes = 'say "yes"'
    assert rules["prediction"].tolist() == ["no", "no", yes, yes, "no"]
    assert rules["support"].tolist() == [3, 3, 3, 3, 4]
    assert rules["share"].tolist() == [3 / 16] * 4 + [4 / 16]
    assert rules["error"].tolist() == [0, 1, 0, 0, 0]


def test_rules_of_regression(means):
    rules = means.rules_frame()
    assert list(rules.columns) == ["rule", "prediction", "support", "share"]
    assert rules["prediction"].tolist() == [1.0, 2.0]


def test_the_rule_of_a_leaf():
    leaf = made([None], [[1, 2]], classes=np.array(["a", "b"]))
    assert leaf.rules_frame()["rule"].tolist() == ["always"]


def rules_of(column, *tests):
    """Return the rules of a chain of tests of one column, right side first."""
    flat, value = [], []
    for test in tests:
        flat += [test, None]  # left is a leaf
        value += [[1, 1], [1, 0]]
    tree = made(
        [*flat, None],
        [*value, [0, 1]],
        classes=np.array([0, 1]),
        columns=(column,),
    )
    return tree.rules_frame()["rule"].tolist()


def test_redundant_tests_are_merged():
    age = Column("age", "number", has_missing=True)
    up_to = [Predicate(0, limit, missing=False) for limit in (3.0, 5.0)]
    assert rules_of(age, *up_to) == [
        "age <= 3",
        "3 < age <= 5",
        "age > 5 or missing",
    ]
    assert rules_of(age, Predicate(0, missing=True), up_to[0]) == [
        "age is missing",
        "age <= 3",
        "age > 3",
    ]
    assert rules_of(age, *up_to[:1], *up_to[:1])[1] == "no age"
    intervals = Predicate(0, 9.0, 1.0, missing=False), Predicate(0, 4.0, 3.0)
    assert rules_of(age, *intervals) == [
        "1 < age <= 9",
        "no age",
        "age <= 1 or age > 9 or missing",
    ]
    assert rules_of(age, *intervals[::-1]) == [
        "3 < age <= 4",
        "1 < age <= 3 or 4 < age <= 9",
        "age <= 1 or age > 9 or missing",
    ]


def test_sets_are_merged():
    column = Column("c", "category", ("a", "b", "d"), has_missing=True)
    sets = [Predicate(0, members=m, missing=False) for m in ((0, 1), (1, 2))]
    assert rules_of(column, *sets) == [
        "c in {a, b}",
        "c = d",
        "c not in {a, b, d} or missing",
    ]
    assert rules_of(column, *sets[:1], *sets[:1])[1] == "no c"
    ordered = Column("size", "ordered", ("S", "M", "L"))
    assert rules_of(ordered, Predicate(0, 0.5), Predicate(0, 1.5)) == [
        "size <= S",
        "S < size <= M",
        "size > M",
    ]
    mixed = rules_of(ordered, Predicate(0, 0.5), Predicate(0, members=(2,)))
    assert mixed == ["size <= S", "size = L", "size = M"]
