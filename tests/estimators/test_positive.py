"""Choosing the positive class is equivalent to swapping the labels."""

import json
import pickle

import matplotlib as mpl
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.confusion import confusion, fronts, metric_losses
from oracle.strategies import instances, random_instance, two_classes
from sklearn.base import clone
from sklearn.metrics import f1_score, fbeta_score, make_scorer
from sklearn.model_selection import GridSearchCV

from murtree import (
    MetricSolver,
    Model,
    OptimalTreeClassifier,
    ParetoFront,
    TimeLimitWarning,
    plot_pareto_front,
)
from murtree._model.report.summary import summary_of

mpl.use("Agg")

NAMES = np.array(["churned", "stayed"])  # sorted: the second is positive by default
# Two of four churned, then one of four: the best label of a leaf depends on the metric.
X = np.array([[0], [0], [0], [0], [1], [1], [1], [1]])
Y = NAMES[[0, 0, 1, 1, 1, 1, 1, 0]]


def profit(tn, fp, fn, tp):
    return 5 * tp - 2 * fp


def same_trees(tree, other):
    """Whether two trees are equal up to the order of their two classes."""
    return (
        np.array_equal(tree.feature, other.feature)
        and np.array_equal(tree.children_left, other.children_left)
        and np.array_equal(tree.value, other.value[:, ::-1])
        and np.array_equal(tree.label, 1 - other.label)
    )


def fitted(**parameters):
    clf = OptimalTreeClassifier(max_depth=1, binarizer=None, **parameters)
    return clf.fit(X, Y)


def test_an_example_by_hand():
    # For "stayed": 5 of 5 found with 3 false positives. For "churned": 2 of 3, with 2.
    stayed, churned = (
        fitted(objective="f1"),
        fitted(objective="f1", pos_label="churned"),
    )
    assert 1 - stayed.objective_ == pytest.approx(10 / 13)
    assert 1 - churned.objective_ == pytest.approx(4 / 7)
    assert stayed.predict(X).tolist() == ["stayed"] * 8
    assert churned.predict(X).tolist() == ["churned"] * 4 + ["stayed"] * 4
    for clf in (stayed, churned):
        assert clf.status_ == "optimal"
        assert clf.classes_.tolist() == ["churned", "stayed"]
        assert clf.tree_.classes.tolist() == ["churned", "stayed"]
    np.testing.assert_allclose(churned.predict_proba(X[:1]), [[0.5, 0.5]])
    np.testing.assert_allclose(stayed.predict_proba(X[:1]), [[3 / 8, 5 / 8]])


def test_the_second_class_is_the_default():
    for objective in ("f1", profit):
        implied = fitted(objective=objective)
        named = fitted(objective=objective, pos_label="stayed")
        assert named.tree_.to_dict() == implied.tree_.to_dict()
        assert named.objective_ == implied.objective_


@settings(deadline=None, max_examples=60)
@given(instances(max_rows=10), st.sampled_from([0.5, 1.0, 3]), st.integers(0, 2))
def test_positive_class_is_equivalent_to_swapped_labels(data, beta, depth):
    rows, y, weight = two_classes(data)
    swapped = [1 - label for label in y]
    first = MetricSolver(rows, y, weight, pos_label=0)
    other = MetricSolver(rows, swapped, weight)
    for objective in ("f1", "fbeta", "matthews", "gmean", "balanced_accuracy", profit):
        result = first.solve(objective, depth, beta=beta)
        expected = other.solve(objective, depth, beta=beta)
        assert result.objective == expected.objective
        assert same_trees(result.tree, expected.tree), objective
    front, judged = first.pareto_front(depth), fronts(rows, swapped, weight, depth)
    assert [(point.fp, point.fn) for point in front] == judged[-1]
    for point in front:  # negatives of one are positives of the other
        assert confusion(point.tree, rows, y, weight) == (point.fn, point.fp)
    n0, n1 = front.negatives, front.positives
    best = min(
        metric_losses(n0 - fp, fp, fn, n1 - fn, beta)["fbeta"] for fp, fn in judged[-1]
    )
    assert front.best("fbeta", beta=beta).objective == pytest.approx(best, abs=1e-9)
    assert first.solve("fbeta", depth, beta=beta).objective == pytest.approx(
        best, abs=1e-9
    )


@settings(deadline=None, max_examples=40)
@given(instances(max_rows=10), st.sampled_from([0.5, 1.0, 3]), st.integers(0, 1))
def test_scores_are_those_of_scikit_learn(data, beta, code):
    rows, y, weight = two_classes(data)
    labels, rows = NAMES[y], np.array(rows)
    clf = OptimalTreeClassifier(
        max_depth=2,
        binarizer=None,
        objective="fbeta",
        beta=beta,
        pos_label=NAMES[code],
    ).fit(rows, labels, weight)
    score = fbeta_score(
        labels,
        clf.predict(rows),
        beta=beta,
        pos_label=NAMES[code],
        sample_weight=weight,
        zero_division=0,
    )
    assert 1 - clf.objective_ == pytest.approx(score, abs=1e-9)


@pytest.mark.parametrize("seed", range(10))
def test_estimators_agree_with_swapped_labels(seed):
    rows, y, weight = two_classes(random_instance(seed, max_rows=30))
    y = np.array(y)
    for objective in ("f1", profit):
        clf = OptimalTreeClassifier(max_depth=2, objective=objective, binarizer=None)
        swapped = clone(clf).fit(rows, 1 - y, weight)
        clf.set_params(pos_label=0).fit(rows, y, weight)
        assert clf.objective_ == swapped.objective_
        assert clf.predict(rows).tolist() == (1 - swapped.predict(rows)).tolist()


def test_labels_of_every_kind():
    """A value that equals a class selects it, as in the scores of scikit-learn."""
    y = (Y == "stayed").astype(int)
    least = fitted(objective="f1", pos_label="churned").objective_
    clf = OptimalTreeClassifier(max_depth=1, objective="f1", binarizer=None)
    for labels, given_ones in (
        (y, (0, np.int64(0), False)),
        (y.astype(bool), (False, np.False_, 0)),
        (y.astype(float), (0, 0.0)),
        (Y.astype(object), ("churned", np.str_("churned"))),
    ):
        for pos_label in given_ones:
            clf.set_params(pos_label=pos_label).fit(X, labels)
            assert clf.objective_ == least
            label = labels.min()
            assert Model.of(clf).proof.measure == f"1 - f1 of class {label}"


def test_a_class_without_weight():
    for positive, objective in (("churned", 1.0), ("stayed", 0.0)):
        clf = OptimalTreeClassifier(
            max_depth=1, objective="f1", pos_label=positive, binarizer=None
        ).fit(X, Y, (Y == "stayed").astype(int))
        assert (clf.objective_, clf.status_) == (objective, "optimal")


def test_callbacks_see_trees_in_the_order_of_classes():
    seen = []
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 2, (2000, 60))
    y = NAMES[(bits[:, :3].sum(axis=1) + rng.integers(0, 3, 2000) > 3).astype(int)]
    clf = OptimalTreeClassifier(
        max_depth=5,
        objective="f1",
        pos_label="churned",
        binarizer=None,
        time_limit=0.5,
        callback=lambda progress: seen.append(progress) and False,
    )
    with pytest.warns(TimeLimitWarning):
        clf.fit(bits, y)
    reported = [progress for progress in seen if progress.tree is not None]
    assert reported
    for progress in reported:
        score = f1_score(y, progress.tree.predict(bits), pos_label="churned")
        assert 1 - progress.objective == pytest.approx(score)
    score = f1_score(y, clf.predict(bits), pos_label="churned")
    assert 1 - clf.objective_ == pytest.approx(score)
    assert clf.lower_bound_ <= clf.objective_


@pytest.mark.parametrize("objective", ["f1", "matthews", "gmean", profit])
def test_a_front_is_of_the_chosen_class(objective):
    usual = fitted(objective=objective, pareto_front=True)
    turned = fitted(objective=objective, pareto_front=True, pos_label="churned")
    assert usual.pareto_front_.pos_label == "stayed"
    front = turned.pareto_front_
    assert (front.pos_label, front.positives, front.negatives) == ("churned", 3, 5)
    points = [(point.fn, point.fp) for point in usual.pareto_front_]
    assert [(point.fp, point.fn) for point in front] == points[::-1]
    assert front.best("f1").objective == pytest.approx(1 - 4 / 7)
    assert turned.objective_ == front.best(objective).objective


def test_front_made_by_hand_has_the_default_class():
    front = fitted(objective="f1", pareto_front=True).pareto_front_
    made = ParetoFront(list(front), front.negatives, front.positives, "optimal")
    assert made.pos_label == "stayed"


def test_axes_name_the_errors_of_the_chosen_class():
    clf = fitted(objective="f1", pareto_front=True, pos_label="churned")
    for given_one in (clf, clf.pareto_front_):
        ax = plot_pareto_front(given_one, objective="f1")
        assert ax.get_xlabel() == "false positives (stayed taken for churned)"
        assert ax.get_ylabel() == "false negatives (churned taken for stayed)"
        (star,) = [line for line in ax.lines if line.get_marker() == "*"]
        assert star.get_xydata().tolist() == [[2, 1]]
        mpl.pyplot.close(ax.figure)


@pytest.mark.parametrize(
    "pos_label", ["Churned", 1, ["churned"], np.array(["churned"])]
)
def test_positive_class_must_be_a_class(pos_label):
    message = (
        r"The 'pos_label' parameter of OptimalTreeClassifier must be one of the "
        r"classes \['churned', 'stayed'\] or None\. Got .*[Cc1].* instead\."
    )
    with pytest.raises(ValueError, match=message):
        fitted(objective="f1", pos_label=pos_label)
    with pytest.raises(ValueError, match="'pos_label' parameter of MetricSolver must"):
        MetricSolver(X, Y, pos_label=pos_label)


def test_text_does_not_match_a_numeric_class():
    with pytest.raises(ValueError, match=r"the classes \[0, 1\] or None\. Got '0'"):
        MetricSolver(X, (Y == "stayed").astype(int), pos_label="0")


def test_three_classes_are_refused():
    clf = OptimalTreeClassifier(max_depth=1, objective="f1", pos_label="a")
    with pytest.raises(ValueError, match="Only binary classification is supported"):
        clf.fit([[1.0], [2.0], [3.0]], ["a", "b", "c"])


@pytest.mark.parametrize(
    "objective",
    [
        "accuracy",
        "balanced_accuracy",
        "matthews",
        "gmean",
        [[0, 1], [5, 0]],
    ],
)
def test_objectives_without_a_positive_class_ignore_it(objective):
    usual = fitted(objective=objective)
    for label in ("churned", "no class at all"):
        other = fitted(objective=objective, pos_label=label)
        assert other.objective_ == usual.objective_
        assert other.tree_.to_json() == usual.tree_.to_json()


def test_grid_may_have_parameters_that_some_objectives_ignore():
    grid = {
        "objective": ["accuracy", "balanced_accuracy", "f1", "fbeta", "matthews"],
        "beta": [1.0, 2.0],
        "pos_label": ["churned", "stayed"],
    }
    rng = np.random.default_rng(4)
    bits = rng.integers(0, 2, (60, 4))
    y = NAMES[bits[:, 0] ^ (rng.random(60) < 0.2)]
    tree = OptimalTreeClassifier(max_depth=2, binarizer=None)
    search = GridSearchCV(tree, grid, cv=2, error_score="raise").fit(bits, y)
    params = search.cv_results_["params"]
    scores = search.cv_results_["mean_test_score"].tolist()
    of_accuracy = {
        score
        for chosen, score in zip(params, scores, strict=True)
        if chosen["objective"] == "accuracy"
    }
    assert len(params) == 20
    assert len(of_accuracy) == 1


def test_clones_pickles_and_searches_keep_the_positive_class():
    clf = OptimalTreeClassifier(objective="f1", pos_label="churned", binarizer=None)
    assert clone(clf).get_params()["pos_label"] == "churned"
    rng = np.random.default_rng(3)
    bits = rng.integers(0, 2, (80, 4))
    y = NAMES[(bits[:, 0] & bits[:, 1]) ^ (rng.random(80) < 0.1)]
    scorer = make_scorer(f1_score, pos_label="churned")
    search = GridSearchCV(
        clf, {"max_depth": [1, 2], "pos_label": ["churned", "stayed"]}, scoring=scorer
    ).fit(bits, y)
    best = search.best_estimator_
    assert search.score(bits, y) == pytest.approx(
        f1_score(y, best.predict(bits), pos_label="churned")
    )
    restored = pickle.loads(pickle.dumps(best))
    assert restored.predict(bits).tolist() == best.predict(bits).tolist()
    chosen = best.get_params()["pos_label"]
    assert Model.of(search).proof.measure == f"1 - f1 of class {chosen}"


# --- what is said of it ---------------------------------------------------------------


@pytest.mark.parametrize(
    ("parameters", "measure"),
    [
        ({"objective": "f1"}, "1 - f1 of class stayed"),
        ({"objective": "f1", "pos_label": "churned"}, "1 - f1 of class churned"),
        ({"objective": "fbeta", "beta": 2.0}, "1 - fbeta (beta 2) of class stayed"),
        ({"objective": "matthews"}, "1 - matthews"),
        ({"objective": profit, "pos_label": "churned"}, "negative score"),
    ],
)
def test_proofs_name_the_class(parameters, measure):
    proof = Model.of(fitted(**parameters)).proof
    assert proof.measure == measure
    assert f"Proven optimal: {measure}" in proof.line


def test_ambiguous_names_are_quoted():
    clf = OptimalTreeClassifier(max_depth=0, objective="f1", binarizer=None)
    clf.fit(X, np.where(Y == "stayed", "b = 1\n", "a"))
    assert Model.of(clf).proof.measure == r"1 - f1 of class 'b = 1\n'"


def test_class_set_after_the_fit_is_not_reported():
    clf = fitted(objective="f1", pos_label="churned").set_params(pos_label=None)
    assert Model.of(clf).proof.measure == "1 - f1 of class churned"


def test_saved_models_and_pages_name_the_positive_class():
    clf = fitted(objective="f1", pos_label="churned")
    model = Model.from_json(Model.of(clf, target="status").to_json())
    assert model.settings["pos_label"] == "churned"
    assert model.proof == Model.of(clf).proof
    assert model.predict(X).tolist() == clf.predict(X).tolist()
    assert "1 - f1 of class churned = 0.428571" in model.report()
    summary = summary_of(model)
    assert ["pos_label", "churned"] in summary["settings"]
    assert summary["proof"]["text"].startswith("1 - f1 of class churned = 0.428571.")
    assert "1 - f1 of class churned" in clf._repr_html_()


def test_models_of_older_versions_load():
    saved = json.loads(Model.of(fitted(objective="f1")).to_json())
    for proof in (saved["proof"], saved["sizes"][0]["proof"]):
        proof["measure"] = "1 - f1"
    model = Model.from_dict(saved)
    assert model.proof.line.startswith("Proven optimal: 1 - f1 = 0.230769.")
    assert model.to_dict() == saved
