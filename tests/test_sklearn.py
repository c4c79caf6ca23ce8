"""scikit-learn's own checks, with no expected failure."""

from dataclasses import dataclass

from sklearn.base import is_classifier
from sklearn.utils.estimator_checks import parametrize_with_checks

from murtree import Binarizer, OptimalTreeClassifier


@dataclass(frozen=True)
class Accuracy:
    """A score with a name that every run gives alike."""

    def __call__(self, tn, fp, fn, tp):
        return (tn + tp) / (tn + fp + fn + tp)


METRICS = ["f1", "fbeta", "matthews", "gmean", "balanced_error", Accuracy()]
ESTIMATORS = [
    OptimalTreeClassifier(max_depth=2),
    *(OptimalTreeClassifier(max_depth=2, objective=metric) for metric in METRICS),
    OptimalTreeClassifier(max_depth=2, objective="f1", pareto_front=True),
    Binarizer(),
]


@parametrize_with_checks(ESTIMATORS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_is_a_classifier():
    assert is_classifier(OptimalTreeClassifier())
