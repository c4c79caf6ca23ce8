"""Cross-validation results in a model and on its page."""

import math
import re

import pytest
from model.report_pages import (
    MODELS,
    cancer,
    taught,
    tuned,
    tuned_families,
    tuned_values,
)
from sklearn.datasets import load_iris
from sklearn.metrics import get_scorer
from sklearn.pipeline import make_pipeline

from murtree import Model, OptimalTreeClassifierCV
from murtree._model.report.summary import summary_of
from murtree._model.tuning import TunedSize

DATA = re.compile(r'<script type="application/json" id="summary">(.*?)</script>', re.S)


def balanced_accuracy(estimator, X, y):
    return get_scorer("balanced_accuracy")(estimator, X, y)


def test_the_summary_has_the_scores_of_all_sizes_compared():
    X, y = load_iris(return_X_y=True)
    cv = OptimalTreeClassifierCV(max_depth=2, strategy="all").fit(X, y)
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
        assert (
            f"{size.mean_score:.4f}<span> &plusmn; {size.std_score:.4f}</span>" in page
        )
    assert "Sizes compared" not in cancer().report()


def test_prices_that_were_compared_have_a_table():
    page = DATA.sub("", tuned_values().report())
    assert "Price of a node" in page
    assert "Validated r2" in page
    assert "alone</dt>" not in page  # no leaf was compared


@pytest.mark.parametrize("name", ["tuned", "tuned values", "tuned families"])
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


@pytest.mark.parametrize(
    ("entry", "value"), [("teacher", "tree"), ("smoothed_score", "0.5")]
)
def test_damaged_families_are_refused(entry, value):
    saved = tuned_families().to_dict()
    saved["tuning"]["sizes"][1][entry] = value
    with pytest.raises(ValueError, match=r"'tuning' .* scores of sizes"):
        Model.from_dict(saved)


def test_files_without_families_can_still_be_read():
    """Entries that earlier versions do not know are saved only if they are needed."""
    saved = tuned().to_dict()
    assert set(saved["tuning"]) == {"scoring", "n_folds", "chosen", "sizes"}
    assert set(saved["tuning"]["sizes"][0]) == set(TunedSize._fields[:6])
    assert "teacher" not in saved["proof"]
    assert "is_expected" not in saved["sizes"][0]["tree"]


def test_the_page_shows_both_families():
    model = tuned_families()
    page = DATA.sub("", model.report())
    assert model.tuning.has_families
    assert page.count("<td>forest</td>") == 7
    assert page.count("<td>targets</td>") == 1 + 7
    assert f'<td class="number">{model.tuning.best.smoothed_score:.4f}</td>' in page
    assert "It decides, since it is less noisy." in page
    summary = summary_of(model)["tuning"]
    assert summary["families"] == ["targets", "forest"]


def test_the_page_of_a_tree_with_a_teacher_names_its_counts():
    model = taught()
    page = DATA.sub("", model.report())
    assert "in expectation, by the class probabilities of a random forest." in page
    assert "Errors and counts of classes are expected ones" in page
    assert "Classes in training, expected" in page
    assert "Expected wrong</th>" in page
    again = Model.from_json(model.to_json())
    assert (again.teacher, again.tree.is_expected) == ("forest", True)
    assert again.proof == model.proof


def test_scorers_are_named():
    X, y = load_iris(return_X_y=True)
    for scoring in (get_scorer("balanced_accuracy"), balanced_accuracy):
        cv = OptimalTreeClassifierCV(max_depth=1, scoring=scoring).fit(X, y)
        name = Model.of(cv).tuning.scoring
        assert name.startswith("balanced_accuracy")
    pipeline = make_pipeline(OptimalTreeClassifierCV(max_depth=1)).fit(X, y)
    assert Model.of(pipeline).tuning.scoring == "accuracy"
