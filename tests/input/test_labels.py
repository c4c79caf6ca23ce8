"""Labels of nullable types keep their type; missing labels raise an error."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from murtree import MetricSolver, OptimalTreeClassifier, Solver

LARGE = [2**53, 2**53 + 1]  # equal as floats
X = np.array([[0], [1]] * 3)
KEPT = {
    "pandas Int64": pd.Series(LARGE * 3, dtype="Int64"),
    "pandas UInt64": pd.Series(LARGE * 3, dtype="UInt64"),
    "pandas array": pd.array(LARGE * 3, dtype="Int64"),
    "arrow": pd.Series(LARGE * 3, dtype="int64[pyarrow]"),
    "categories": pd.Series(LARGE * 3, dtype="Int64").astype("category"),
    "polars": pl.Series(LARGE * 3),
    "list": LARGE * 3,
    "objects": np.array(LARGE * 3, dtype=object),
}
MISSING = {
    "pandas Int64": pd.Series([0, 1, 0, None, 0, 1], dtype="Int64"),
    "pandas boolean": pd.Series(
        [True, False, True, None, True, False], dtype="boolean"
    ),
    "pandas string": pd.Series(["a", "b", "a", None, "a", "b"], dtype="string"),
    "pandas objects": pd.Series(["a", "b", "a", None, "a", "b"], dtype=object),
    "arrow": pd.Series([0, 1, 0, None, 0, 1], dtype="int64[pyarrow]"),
    "categories": pd.Series(["a", "b", "a", None, "a", "b"], dtype="category"),
    "polars int": pl.Series([0, 1, 0, None, 0, 1]),
    "polars bool": pl.Series([True, False, True, None, True, False]),
    "polars text": pl.Series(["a", "b", "a", None, "a", "b"]),
    "objects": np.array([0, 1, 0, None, 0, 1], dtype=object),
    "list": ["a", "b", "a", None, "a", "b"],
}
USES = {
    "solver": lambda y: Solver(X, y).solve(1).tree,
    "metrics": lambda y: MetricSolver(X, y).solve("f1", 1).tree,
    "estimator": lambda y: OptimalTreeClassifier(max_depth=1).fit(X, y).tree_,
}


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", KEPT)
def test_large_integers_stay_distinct(name, use):
    tree = USES[use](KEPT[name])
    assert tree.classes.tolist() == LARGE
    assert tree.predict([[0], [1]]).tolist() == LARGE


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize(
    "y",
    [
        pd.Series([True, False] * 3, dtype="boolean"),
        pd.Series([True, False] * 3, dtype="bool[pyarrow]"),
        pl.Series([True, False] * 3),
    ],
)
def test_booleans_stay_booleans(y, use):
    tree = USES[use](y)
    assert tree.classes.dtype == np.bool_
    assert tree.predict([[0], [1]]).tolist() == [True, False]


@pytest.mark.parametrize("use", USES)
@pytest.mark.parametrize("name", MISSING)
def test_missing_labels_are_refused(name, use):
    with pytest.raises(ValueError, match=r"label in every row.*missing one in row 3"):
        USES[use](MISSING[name])


def test_a_frame_of_one_column_is_its_column():
    y = pd.DataFrame({"y": KEPT["pandas Int64"]})
    with pytest.warns(match="column-vector"):
        clf = OptimalTreeClassifier(max_depth=1).fit(X, y)
    assert clf.classes_.tolist() == LARGE
