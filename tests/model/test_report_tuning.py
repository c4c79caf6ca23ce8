"""Cross-validation results in a model and on its page."""

import math
import re

import pytest
from model.report_pages import MODELS, cancer, tuned, tuned_values
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline

from murtree import Model, OptimalTreeClassifierCV
from murtree._model.report.summary import summary_of

DATA = re.compile(r'<script type="application/json" id="summary">(.*?)</script>', re.S)


def balanced_accuracy(estimator, X, y):
    return get_scorer("balanced_accuracy")(estimator, X, y)


def test_the_summary_has_the_scores_of_all_sizes_compared():
    X, y = load_iris(return_X_y=True)
    cv = OptimalTreeClassifierCV(max_depth=2).fit(X, y)
    tuning = summary_of(Model.of(cv))["tuning"]
    found = cv.cv_results_
    assert (tuning["score"], tuning["n_folds"]) == ("accuracy", 5)
    assert (tuning["guess"], tuning["chosen"]) == ("the majority", cv.best_index_)
    assert tuning["baseline"] == found["mean_test_score"][0]
    assert [size["mean"] for size in tuning["sizes"]] == [*found["mean_test_score"]]
    assert [size["spread"] for size in tuning["sizes"]] == [*found["std_test_score"]]
    assert [size["train"] for size in tuning["sizes"]] == [*found["mean_train_score"]]
    sizes = [(size["depth"], size["nodes"]) for size in tuning["sizes"]]
    assert sizes == [(0, 0), (1, 1), (2, 2), (2, 3)]


def test_the_page_shows_validated_score_baseline_and_sizes():
    model = tuned()
    page = DATA.sub("", model.report())
    best, baseline = model.tuning.best, model.tuning.baseline
    validated = f"{best.mean_score:.4f} &plusmn; {best.std_score:.4f}"
    assert f"<dt>Validated accuracy</dt><dd><b>{validated}</b></dd>" in page
    assert f"<dt>The majority alone</dt><dd>{baseline:.4f}</dd>" in page
    for size in model.tuning.sizes:
        assert f"{size.mean_score:.4f} &plusmn; {size.std_score:.4f}</td>" in page
    assert "Sizes compared" not in cancer().report()


def test_prices_that_were_compared_have_a_table():
    page = DATA.sub("", tuned_values().report())
    assert "Price of a node" in page
    assert "Validated r2" in page
    assert "alone</dt>" not in page  # no leaf was compared


@pytest.mark.parametrize("name", ["tuned", "tuned values"])
def test_saved_models_keep_the_sizes_compared(name):
    model = MODELS[name]()
    assert Model.from_json(model.to_json()).tuning == model.tuning


@pytest.mark.parametrize(
    ("entry", "value"),
    [("chosen", 99), ("chosen", -1), ("scoring", None), ("n_folds", 2.5), ("sizes", 3)],
)
def test_damaged_scores_are_refused(entry, value):
    saved = tuned().to_dict()
    saved["tuning"][entry] = value
    with pytest.raises(ValueError, match=r"'tuning' .* scores of sizes"):
        Model.from_dict(saved)


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("mean_score", math.nan),
        ("std_score", None),
        ("max_depth", "2"),
        ("cost_complexity", 0.5),  # together with a number of nodes
        ("max_num_nodes", None),
    ],
)
def test_damaged_sizes_are_refused(entry, value):
    saved = tuned().to_dict()
    saved["tuning"]["sizes"][0][entry] = value
    with pytest.raises(ValueError, match=r"'tuning' .* scores of sizes"):
        Model.from_dict(saved)


def test_scorers_are_named():
    X, y = load_iris(return_X_y=True)
    for scoring in (get_scorer("balanced_accuracy"), balanced_accuracy):
        cv = OptimalTreeClassifierCV(max_depth=1, scoring=scoring).fit(X, y)
        name = Model.of(cv).tuning.scoring
        assert name.startswith("balanced_accuracy")
    pipeline = make_pipeline(OptimalTreeClassifierCV(max_depth=1)).fit(X, y)
    assert Model.of(pipeline).tuning.scoring == "accuracy"
