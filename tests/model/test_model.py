"""A saved model predicts and reports the same as its estimator."""

import json
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from murtree import (
    Coverage,
    Model,
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Proof,
    Solver,
    Tree,
)


@pytest.fixture(scope="module")
def cancer():
    return load_breast_cancer(return_X_y=True, as_frame=True)


@pytest.fixture(scope="module")
def model(cancer):
    X, y = cancer
    clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X[::2], y[::2])
    return Model.of(clf, target="diagnosis").validated(X[1::2], y[1::2])


def test_the_chosen_size_is_the_tree_of_the_estimator(cancer):
    X, y = cancer
    clf = OptimalTreeClassifier(max_depth=3, frontier=True, cost_complexity=0.01)
    model = Model.of(clf.fit(X, y))
    assert model.tree is not None
    assert model.sizes[model.chosen].tree.to_dict() == clf.tree_.to_dict()
    assert [s.proof.objective for s in model.sizes] == clf.frontier_.objectives.tolist()
    assert model.proof.objective == clf.objective_
    assert model.proof.measure == "errors and penalties"
    assert model.sizes[0].proof.measure == "misclassified"


def test_errors_are_means_on_the_rows(cancer, model):
    X, y = cancer
    for size in model.sizes:
        errors = size.tree.predict(X) != y
        assert size.train_error == pytest.approx(errors[::2].mean())
        assert size.validation_error == pytest.approx(errors[1::2].mean())
    assert model.n_validation == len(y[1::2])


@pytest.mark.parametrize("objective", ["squared_error", "absolute_error"])
@pytest.mark.parametrize("costs", [None, {"bmi": 50.0, "s5": 20.0}])
@pytest.mark.parametrize("frontier", [False, True])
def test_errors_of_regression(objective, costs, frontier):
    X, y = load_diabetes(return_X_y=True, as_frame=True)
    y = y.round(-1)
    reg = OptimalTreeRegressor(
        max_depth=1, objective=objective, feature_costs=costs, frontier=frontier
    ).fit(X, y)
    size = Model.of(reg).sizes[-1]
    difference = size.tree.predict(X) - y
    power = 2 if objective == "squared_error" else 1
    assert size.train_error == pytest.approx((abs(difference) ** power).mean())


def test_an_error_that_cannot_be_known_is_none():
    X, y = load_diabetes(return_X_y=True)
    reg = OptimalTreeRegressor(max_depth=1, cost_complexity=0.01).fit(X, y)
    assert Model.of(reg).sizes[0].train_error is None


def test_save_and_load(model, cancer, tmp_path):
    path = tmp_path / "model.json"
    model.save(path)
    loaded = Model.load(path)
    assert loaded.to_dict() == model.to_dict()
    assert loaded.proof == model.proof
    np.testing.assert_array_equal(loaded.predict(cancer[0]), model.predict(cancer[0]))
    np.testing.assert_array_equal(
        loaded.predict_proba(cancer[0]), model.predict_proba(cancer[0])
    )


@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_mixed_tables_survive_a_round_trip(data):
    rows = data.draw(st.integers(4, 12))
    number = st.one_of(st.none(), st.integers(-3, 3))
    text = st.one_of(st.none(), st.sampled_from(["a", "b<c", "\x1b[31m", "ü"]))
    frame = pd.DataFrame(
        {
            "number": data.draw(st.lists(number, min_size=rows, max_size=rows)),
            "text": data.draw(st.lists(text, min_size=rows, max_size=rows)),
        }
    ).astype({"number": float})
    y = data.draw(st.lists(st.sampled_from("xyz"), min_size=rows, max_size=rows))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(frame, y)
    model = Model.of(clf)
    loaded = Model.from_json(model.to_json())
    assert loaded.to_dict() == model.to_dict()
    for size, again in zip(model.sizes, loaded.sizes, strict=True):
        assert again.tree.predict(frame).tolist() == size.tree.predict(frame).tolist()


def test_a_saved_tree_is_a_model_without_proof(model):
    bare = Model.from_json(model.tree.to_json())
    assert bare.proof is None
    assert bare.tree.to_dict() == model.tree.to_dict()
    assert bare.sizes[0].train_error == pytest.approx(
        model.sizes[model.chosen].train_error
    )


def test_models_of_other_objects():
    X, y = load_iris(return_X_y=True)
    pipe = make_pipeline(StandardScaler(), OptimalTreeClassifier(max_depth=1))
    assert Model.of(pipe.fit(X, y)).proof.status == "optimal"
    grid = GridSearchCV(OptimalTreeClassifier(), {"max_depth": [1, 2]})
    assert Model.of(grid.fit(X, y)).proof.limits == ("of depth at most 2",)
    cv = OptimalTreeClassifierCV(max_depth=2).fit(X, y)
    assert Model.of(cv).tree.to_dict() == cv.tree_.to_dict()
    result = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1)
    bare = Model.of(result)
    assert bare.tree is result.tree
    assert Model.from_json(bare.to_json()).predict([[0], [1]]).tolist() == [5, 7]
    with pytest.raises(TypeError, match=r"'decision_tree' parameter of Model\.of"):
        Model.of(3)


def test_settings_are_plain_values(cancer):
    X, y = cancer
    clf = OptimalTreeClassifier(
        max_depth=np.int64(2), objective=[[0, 1], [5, 0]], time_limit=float("inf")
    )
    model = Model.of(clf.fit(X, y))
    assert model.settings == {
        "max_depth": 2,
        "objective": "[[0, 1], [5, 0]]",
        "time_limit": "inf",
    }
    assert Model.from_json(model.to_json()).settings == model.settings


PROOF = Proof(
    "optimal",
    *(22, 22, "misclassified", 569),
    ("of depth at most 2",),
    coverage=Coverage(30),
)


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (
            {},
            "Proven optimal: 22 of 569 misclassified. No tree of depth at most 2 "
            "over these columns does better.",
        ),
        (
            {"status": "time_limit", "lower_bound": 11, "time_limit": 60},
            "Not proven optimal: 22 of 569 misclassified. No tree of depth at most 2 "
            "over these columns can be better than 11 (gap 50.0%). The time limit of "
            "60 s ended the search.",
        ),
        (
            {"status": "interrupted", "lower_bound": 0, "limits": ("a", "b")},
            "Not proven optimal: 22 of 569 misclassified. No tree a, b, over these "
            "columns can be better than 0 (gap 100.0%). The search was stopped before "
            "its end.",
        ),
        (
            {"measure": "1 - f1 of class yes", "objective": 0.0316369, "limits": ()},
            "Proven optimal: 1 - f1 of class yes = 0.0316369. No tree over these "
            "columns does better.",
        ),
        (
            {"measure": "squared error", "objective": 1477076.83, "limits": ()},
            "Proven optimal: RMSE 50.9501 (squared error 1,477,076.8). No tree over "
            "these columns does better.",
        ),
    ],
)
def test_lines(changed, line):
    fields = vars(PROOF) | changed
    assert Proof(**fields).line == line


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"version": 2}, "must be 1, the only version that this murtree reads. Got 2"),
        ({"version": "1"}, "'version' entry of a saved model must be"),
        ({"format": "other"}, "'format' entry of a saved model must be 'murtree.mod"),
        ({"chosen": 99}, r"'chosen' entry .* in the range \[0, 3\]. Got 99"),
        ({"sizes": []}, "'sizes' entry of a saved model must be"),
        ({"sizes": [1], "chosen": 0}, "'sizes' entry of a saved model must be"),
        ({"loss": "x"}, "'loss' entry of a saved model must be among"),
        ({"settings": 1}, "'settings' entry of a saved model must be an object"),
        ({"target": 1}, "'target' entry of a saved model must be a text or null"),
        ({"n_validation": -1}, "'n_validation' entry of a saved model must be"),
        ({"proof": {}}, "'proof' entry of a saved model must be an object"),
        ({"columns": []}, "'columns' entry of a saved tree must be"),
    ],
)
def test_damaged_models_are_refused(model, change, message):
    with pytest.raises(ValueError, match=message):
        Model.from_json(json.dumps(model.to_dict() | change))


def test_damaged_proofs_and_errors_are_refused(model):
    data = model.to_dict()
    with pytest.raises(ValueError, match="such that each entry has its kind"):
        Model.from_dict(data | {"proof": data["proof"] | {"objective": "22"}})
    sizes = [data["sizes"][0] | {"train_error": "none"}, *data["sizes"][1:]]
    with pytest.raises(ValueError, match="'train_error' entry of a saved model"):
        Model.from_dict(data | {"sizes": sizes})
    with pytest.raises(ValueError, match="A saved model must be a JSON text"):
        Model.from_json('{"format": ')
    with pytest.raises(TypeError, match="A saved model must be a dict"):
        Model.from_json("[1]")


def test_a_tree_is_not_a_model(model):
    with pytest.raises(ValueError, match="'format' entry of a saved tree must be"):
        Tree.from_json(model.to_json())


def test_weights_are_not_called_rows(cancer):
    X, y = cancer
    clf = OptimalTreeClassifier(max_depth=1, class_weight={0: 5, 1: 1}).fit(X, y)
    model = Model.of(clf)
    assert model.is_weighted
    assert model.proof.result == f"weight {clf.objective_:,} of 1,417 misclassified"
    assert "weight 1,417" in model._repr_html_()
    assert "weight 1,417" in clf._repr_html_()
    assert Model.from_json(model.to_json()).is_weighted
    ones = np.ones(len(y))
    plain = OptimalTreeClassifier(max_depth=1).fit(X, y, sample_weight=ones)
    assert not Model.of(plain).is_weighted


@pytest.mark.parametrize("forbidden", [[0], np.array([0, 1]), ["mean radius"], []])
def test_forbidden_columns_of_any_kind(cancer, forbidden):
    X, y = cancer
    clf = OptimalTreeClassifier(max_depth=1, forbidden_features=forbidden).fit(X, y)
    reported = "without the forbidden columns" in Model.of(clf).proof.limits
    assert reported == (len(forbidden) > 0)
