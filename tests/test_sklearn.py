"""scikit-learn's own checks, with no expected failure."""

from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from murtree import Binarizer, OptimalTreeClassifier

ESTIMATORS = [OptimalTreeClassifier(max_depth=2), Binarizer()]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_is_a_classifier():
    assert is_classifier(OptimalTreeClassifier())
