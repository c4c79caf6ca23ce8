"""The study of rows not seen: tables, the half set aside, and scores."""

import importlib
import sys
from hashlib import sha256

import numpy as np
import pytest
from repository import ROOT
from sklearn.tree import DecisionTreeClassifier

# Of the names that are set aside. They were fixed before the first run of the study, so
# this never changes.
FIXED = "f2f13af2ab3d4489"


@pytest.fixture(scope="module", autouse=True)
def _benchmarks_can_be_imported():
    sys.path.append(str(ROOT / "benchmarks"))
    yield
    sys.path.remove(str(ROOT / "benchmarks"))


@pytest.fixture
def tables():
    return importlib.import_module("unseen_tables")


@pytest.fixture
def study():
    return importlib.import_module("unseen")


@pytest.mark.parametrize(("is_regression", "fewest"), [(False, 30), (True, 15)])
def test_half_of_the_tables_are_set_aside(tables, is_regression, fewest):
    names = {
        name
        for name, source in tables.sources().items()
        if source.is_regression == is_regression
    }
    assert len(names) >= fewest
    assert len(names & tables.set_aside()) == (len(names) + 1) // 2


def test_the_tables_that_are_set_aside_never_change(tables):
    names = " ".join(sorted(tables.set_aside()))
    assert sha256(names.encode()).hexdigest()[:16] == FIXED


@pytest.mark.parametrize(
    ("name", "shape"), [("diabetes", (442, 10)), ("digits", (1797, 64))]
)
def test_bundled_tables_are_read(tables, name, shape):
    X, y = tables.read(name)
    assert X.shape == shape
    assert len(y) == shape[0]


def test_differences_are_paired_by_table(study):
    def line(accuracy, leaves=(4, 6)):
        return {"accuracy": accuracy, "leaves": list(leaves)}

    lines = {
        ("A", "murtree-cv"): line([0.9, 0.7]),
        ("A", "cart-grid"): line([0.8, 0.6]),
        ("B", "murtree-cv"): line([0.5, 0.5], (2, 4)),
        ("B", "cart-grid"): line([0.6, 0.8]),
        ("C", "murtree-cv"): line([0.3, 0.7]),
        ("C", "cart-grid"): line([0.5, 0.5]),
        ("D", "murtree-cv"): line([1.0, 1.0]),  # without a pair
    }
    head, row = study.table_of(lines, "cart-grid")
    # Differences of +10, -20 and 0 points; t of 2 degrees of freedom is 4.3027.
    half = 4.3027 * np.std([10, -20, 0], ddof=1) / np.sqrt(3)
    assert dict(zip(head, row, strict=True)) == {
        "score": "accuracy",
        "method": "murtree-cv",
        "tables": 3,
        "difference": f"-3.33 ± {half:.2f}",
        "wins": 1,
        "ties": 1,
        "losses": 1,
        "leaves": "4.3",
    }


def test_less_log_loss_is_a_win(study):
    pairs = [({"log_loss": [0.1], "leaves": [1]}, {"log_loss": [0.3], "leaves": [1]})]
    assert study.compared(pairs, "log_loss")[2:5] == [1, 0, 0]


def test_a_class_without_training_rows_has_probability_zero(study):
    X = np.array([[0.0], [1.0], [2.0]])
    model = DecisionTreeClassifier().fit(X[[0, 2]], [0, 2])
    scores = study.scores_of(model, X[[0, 2]], np.array([0, 2]), np.arange(3))
    assert scores["accuracy"] == 1.0
    assert scores["auc"] is None
    assert scores["log_loss"] < 1e-9
