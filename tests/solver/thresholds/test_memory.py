"""The memory limit of the search over all thresholds, which has no cache to shrink."""

import numpy as np
import pytest

from murtree import OptimalTreeClassifier


@pytest.fixture(scope="module")
def numbers():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2000, 3))
    return X, (X[:, 0] > rng.normal(size=2000)).astype(int)


def test_a_limit_that_is_too_low_is_refused_before_the_search(numbers):
    few = OptimalTreeClassifier(max_depth=2, binarizer="exact", memory_limit=10_000)
    with pytest.raises(ValueError, match=r"must be at least 1MB .* Got 10000 bytes"):
        few.fit(*numbers)


def test_a_limit_that_is_high_enough_changes_nothing(numbers):
    limited = OptimalTreeClassifier(max_depth=2, binarizer="exact", memory_limit="1MB")
    free = OptimalTreeClassifier(max_depth=2, binarizer="exact").fit(*numbers)
    assert limited.fit(*numbers).tree_.to_json() == free.tree_.to_json()
    assert free.status_ == "optimal"
