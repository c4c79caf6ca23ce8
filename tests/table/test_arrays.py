"""Tables that are arrays: large numbers, and columns without a name in messages."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse

from murtree import OptimalTreeClassifier, TableBinarizer


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("strategy", ["auto", "exact", "quantile", "uniform", "tree"])
def test_the_largest_numbers_do_not_overflow(strategy):
    values = np.array([-1.0, -0.9, 0, 0.9, 1])[:, np.newaxis] * np.finfo(float).max
    clf = OptimalTreeClassifier(max_depth=2, binarizer=strategy)
    clf.fit(values, [0, 1, 1, 1, 0])
    assert clf.objective_ == (2 if strategy == "uniform" else 0)  # it has no more


def test_remedies_for_arrays_are_written_for_arrays():
    texts = np.array([[f"{k}.5", f"id{k}"] for k in range(60)], dtype=object)
    with pytest.warns(UserWarning, match="Column 'x.' ") as found:
        TableBinarizer().fit(texts)
    said = [str(warning.message) for warning in found]
    assert said[0].endswith("To get thresholds, convert it: X[:, 0].astype(float).")
    assert said[1].endswith("pass forbidden_features=['x1'].")
    with pytest.warns(UserWarning, match=r"convert it: X\['a'\]\.astype\(float\)"):
        TableBinarizer().fit(pd.DataFrame(texts, columns=["a", "b"])[["a"]])


def test_infinity_in_an_array_is_in_a_named_column():
    values = np.array([[1.0, 2], [2, np.inf], [3, 4]])
    for table in (values, sparse.csr_array(values), values.tolist()):
        with pytest.raises(ValueError, match="infinity in column 'x1'"):
            OptimalTreeClassifier().fit(table, [0, 1, 1])
    clf = OptimalTreeClassifier().fit(values[[0, 2]], [0, 1])
    with pytest.raises(ValueError, match="infinity in column 'x1'"):
        clf.predict(values)
