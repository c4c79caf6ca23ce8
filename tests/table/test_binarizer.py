"""TableBinarizer: thresholds by weighted quantiles, boolean columns, readable names."""

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from murtree import TableBinarizer
from murtree._table.predicate_text import short_numbers

numbers = st.one_of(
    st.integers(-5, 5).map(float),
    st.floats(allow_nan=False, allow_infinity=False),
    st.sampled_from([0.1, np.nextafter(0.1, 1), 5e-324, -5e-324, 0.0, -0.0]),
)
fast = settings(max_examples=200, deadline=None, derandomize=True)


def thresholds_of(values, weight=None, n_thresholds=8):
    column = np.asarray(values, dtype=float)[:, np.newaxis]
    fitted = TableBinarizer(n_thresholds=n_thresholds).fit(column, sample_weight=weight)
    return fitted.thresholds_[0]


def test_few_values_get_every_boundary():
    assert thresholds_of([3, 1, 2, 2, 10]).tolist() == [1.5, 2.5, 6.0]


def test_constant_column_gets_none():
    binarizer = TableBinarizer().fit([[1.0, 2.0], [1.0, 3.0]])
    assert [t.tolist() for t in binarizer.thresholds_] == [[], [2.5]]
    assert binarizer.transform([[0.0, 3.0]]).tolist() == [[False]]
    assert TableBinarizer().fit([[1.0], [1.0]]).transform([[2.0]]).shape == (1, 0)


def test_many_values_get_the_quantiles():
    assert thresholds_of(range(100), n_thresholds=3).tolist() == [24.5, 49.5, 74.5]
    assert thresholds_of(range(100), n_thresholds=1).tolist() == [49.5]


def test_shared_quantiles_are_replaced_by_other_thresholds():
    values = [0] * 90 + list(range(1, 11))
    assert thresholds_of(values, n_thresholds=4).tolist() == [0.5, 2.5, 4.5, 7.5]


def test_columns_are_true_up_to_their_threshold():
    binarizer = TableBinarizer().fit([[1.0], [2.0], [4.0]])
    out = binarizer.transform([[1.5], [1.6], [3.0], [99.0]])
    assert out.dtype == np.bool_
    assert out.tolist() == [[True, True], [False, True], [False, True], [False, False]]


@fast
@given(st.lists(numbers, min_size=1, max_size=30), st.integers(1, 9))
def test_each_threshold_separates_neighbours(values, n_thresholds):
    thresholds = thresholds_of(values, n_thresholds=n_thresholds)
    distinct = np.unique(values)
    assert len(thresholds) <= n_thresholds
    assert np.isfinite(thresholds).all()
    splits = {int((distinct > threshold).sum()) for threshold in thresholds}
    assert len(splits) == len(thresholds)
    assert all(0 < above < len(distinct) for above in splits)
    if len(distinct) - 1 <= n_thresholds:
        assert len(thresholds) == len(distinct) - 1
    else:
        assert len(thresholds) >= 1


@fast
@given(
    st.lists(st.tuples(numbers, st.integers(0, 4)), min_size=1, max_size=30),
    st.integers(1, 5),
)
def test_weights_equal_copies(pairs, n_thresholds):
    values, weight = map(np.array, zip(*pairs, strict=True))
    assume(weight.any())
    weighted = thresholds_of(values, weight, n_thresholds)
    repeated = thresholds_of(np.repeat(values, weight), None, n_thresholds)
    np.testing.assert_array_equal(weighted, repeated)


def test_midpoint_never_rounds_onto_the_upper_value():
    low, high = 1.0, np.nextafter(1.0, 2.0)
    binarizer = TableBinarizer().fit([[low], [high]])
    assert binarizer.transform([[low], [high]]).tolist() == [[True], [False]]
    huge = TableBinarizer().fit([[-1.7e308], [1.7e308]])
    assert huge.transform([[-1.7e308], [1.7e308]]).tolist() == [[True], [False]]


def test_names_are_readable_and_distinct():
    frame = pd.DataFrame({"age": [1, 2, 4], "pay": [0.1, 0.2, 0.2]})
    binarizer = TableBinarizer().fit(frame)
    names = ["age <= 1.5", "age <= 3", "pay <= 0.15"]
    assert binarizer.get_feature_names_out().tolist() == names
    near = [[1.0], [1.0 + 1e-12], [1.0 + 2e-12]]
    close = TableBinarizer().fit(near).get_feature_names_out(["x"])
    assert len(set(close)) == 2


def test_set_output_gives_a_frame():
    frame = pd.DataFrame({"age": [1, 2, 4]}, index=[7, 8, 9])
    out = TableBinarizer().set_output(transform="pandas").fit_transform(frame)
    assert out.columns.tolist() == ["age <= 1.5", "age <= 3"]
    assert out.index.tolist() == [7, 8, 9]
    assert out.dtypes.tolist() == [bool, bool]


@pytest.mark.parametrize(
    ("value", "error"),
    [(0, ValueError), (-1, ValueError)]
    + [(value, TypeError) for value in (None, 2.0, "8", True)],
)
def test_bad_numbers_of_thresholds_are_refused(value, error):
    with pytest.raises(error, match="'n_thresholds' parameter of TableBinarizer must"):
        TableBinarizer(n_thresholds=value).fit([[1.0], [2.0]])


def test_numbers_have_enough_digits_to_differ():
    numbers = np.array([1700000001.5, 1700000003.5, 0.25])
    assert short_numbers(numbers) == ["1700000001.5", "1700000003.5", "0.25"]
    assert short_numbers(np.array([0.1234567891, 0.1234567893])) == [
        "0.1234567891",
        "0.1234567893",
    ]
    assert short_numbers(np.array([1e300, -3.0])) == ["1.0000000000000001e+300", "-3"]
    assert short_numbers(np.array([])) == []
