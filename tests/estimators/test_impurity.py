"""Estimators for Gini impurity and log loss: probabilities, proofs and tuning."""

import numpy as np
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import log_loss

from murtree import Model, OptimalTreeClassifier, OptimalTreeClassifierCV


@pytest.fixture(scope="module")
def iris():
    return load_iris(return_X_y=True)


def fitted(iris, **parameters):
    return OptimalTreeClassifier(max_depth=2, **parameters).fit(*iris)


def test_objective_is_the_loss_of_the_probabilities(iris):
    X, y = iris
    clf = fitted(iris, objective="gini", min_samples_leaf=5)
    apart = np.eye(3)[y] - clf.predict_proba(X)
    assert clf.objective_ == pytest.approx((apart**2).sum())
    clf = fitted(iris, objective="log_loss", min_samples_leaf=5)
    assert clf.objective_ == pytest.approx(
        log_loss(y, clf.predict_proba(X), normalize=False)
    )
    assert clf.status_ == "optimal"
    assert clf.lower_bound_ == clf.objective_


def test_class_weights_count(iris):
    X, y = iris
    weights = {0: 1.0, 1: 0.5, 2: 3.0}
    clf = fitted(iris, objective="gini", class_weight=weights)
    given = np.array([weights[label] for label in y])
    again = OptimalTreeClassifier(max_depth=2, objective="gini").fit(X, y, given)
    assert clf.objective_ == again.objective_
    np.testing.assert_array_equal(clf.predict_proba(X), again.predict_proba(X))


@pytest.mark.parametrize("objective", ["gini", "log_loss"])
def test_a_frontier_and_its_proofs(iris, objective):
    clf = fitted(iris, objective=objective, frontier=True, cost_complexity=0.01)
    objectives = clf.frontier_.objectives
    assert (np.diff(objectives) <= 1e-9).all()
    alone = fitted(iris, objective=objective, max_num_nodes=2)
    assert objectives[2] <= alone.objective_ + 1e-9
    again = Model.from_json(Model.of(clf).to_json())
    assert again.proof == Model.of(clf).proof


@pytest.mark.parametrize(
    ("objective", "measure"), [("gini", "Gini impurity"), ("log_loss", "log loss")]
)
def test_proofs_name_the_mean(iris, objective, measure):
    clf = fitted(iris, objective=objective, max_num_nodes=1)
    proof = Model.of(clf).proof
    assert proof.measure == measure
    assert proof.line.startswith(f"Proven optimal: mean {measure} 0.")
    priced = fitted(iris, objective=objective, feature_costs=[1, 1, 1, 1])
    assert Model.of(priced).proof.measure == "errors and penalties"


@pytest.mark.parametrize("objective", ["gini", "log_loss"])
def test_tuning(iris, objective):
    X, y = iris
    tree = OptimalTreeClassifier(objective=objective, min_samples_leaf=3)
    for scoring in (None, "neg_log_loss"):
        search = OptimalTreeClassifierCV(estimator=tree, max_depth=2, scoring=scoring)
        search.fit(X, y)
        assert search.best_score_ > (0.9 if scoring is None else -0.5)


def test_time_limit_gives_a_valid_bound():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(300, 8)), rng.integers(0, 3, 300)
    clf = OptimalTreeClassifier(max_depth=5, objective="gini", time_limit=0.2)
    with pytest.warns(Warning, match="time limit"):
        clf.fit(X, y)
    assert clf.lower_bound_ < clf.objective_
    assert "mean Gini impurity" in Model.of(clf).proof.line
