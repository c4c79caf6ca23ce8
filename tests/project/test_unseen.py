"""The study of rows not seen: tables, the half set aside, and scores."""

import importlib
import json
import sys
from hashlib import sha256

import numpy as np
import pytest
from repository import ROOT
from sklearn.model_selection import ParameterGrid
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


@pytest.fixture
def models():
    return importlib.import_module("unseen_models")


@pytest.fixture
def compare():
    return importlib.import_module("unseen_compare")


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


def test_differences_are_paired_by_table(compare):
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
    head, row = compare.table_of(lines, "cart-grid")
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
        "times the leaves": "0.84",  # 5, 3 and 5 leaves instead of 5 each
    }


def test_less_log_loss_is_a_win(compare):
    pairs = [({"log_loss": [0.1], "leaves": [1]}, {"log_loss": [0.3], "leaves": [1]})]
    assert compare.compared(pairs, "log_loss")[2:5] == [1, 0, 0]


def test_a_class_without_training_rows_has_probability_zero(models):
    X = np.array([[0.0], [1.0], [2.0]])
    model = DecisionTreeClassifier().fit(X[[0, 2]], [0, 2])
    scores = models.scores_of(model, X[[0, 2]], np.array([0, 2]), np.arange(3))
    assert scores["accuracy"] == 1.0
    assert scores["auc"] is None
    assert scores["log_loss"] < 1e-9


def test_the_number_of_leaves_of_a_forest_is_unknown(models):
    X, y = np.array([[0.0], [1.0]]), [0, 1]
    assert models.n_leaves(models.on_numbers(models.cart(False)).fit(frame(X), y)) == 2
    assert models.n_leaves(models.forest(False).fit(X, y)) is None


def frame(X):
    return importlib.import_module("pandas").DataFrame(X)


@pytest.mark.parametrize("method", ["cart-grid", "cart-any"])
def test_the_grid_of_greedy_trees_has_more_than_thirty_settings(models, method):
    search = models.grid(False, models.DEPTHS[method], folds=5)
    assert len(ParameterGrid(search.param_grid)) >= 30


def test_a_failure_is_measured_again_only_if_asked(study):
    known = {
        ("breast-cancer", "cart"): {"failure": "no"},
        ("breast-cancer", "cart-grid"): {},
    }
    jobs = (["breast-cancer"], ["cart", "cart-grid", "cart-any"], known)
    assert study.missing(*jobs, retry=False) == [("breast-cancer", "cart-any")]
    again = [("breast-cancer", "cart"), ("breast-cancer", "cart-any")]
    assert study.missing(*jobs, retry=True) == again


def test_methods_for_classes_do_not_see_regressions(study):
    jobs = study.missing(["diabetes"], ["imodels-small", "cart"], {}, retry=False)
    assert jobs == [("diabetes", "cart")]


def test_small_tables_come_first(study):
    names = ["digits", "breast-cancer"]
    assert study.smallest_first(names, 10**9) == ["breast-cancer", "digits"]
    assert study.smallest_first(names, 1000) == ["breast-cancer"]


def test_failures_count_nowhere(compare):
    lines = {
        ("A", "cart"): {"failure": "no"},
        ("A", "cart-grid"): {"accuracy": [0.5], "leaves": [2], "is_regression": False},
    }
    assert len(list(compare.table_of(lines, "cart-grid"))) == 1
    assert len(list(compare.table_of(lines, "cart"))) == 1


def test_seconds_are_of_one_fit_and_of_all(compare):
    more = {"accuracy": [0.5], "leaves": [2, 4], "is_regression": False}
    lines = {
        ("A", "cart"): more | {"seconds": [1.0, 1.0]},
        ("B", "cart"): more | {"seconds": [3.0, 5.0]},
    }
    head, row = compare.costs_of(lines)
    assert dict(zip(head, row, strict=True)) == {
        "target": "classes",
        "method": "cart",
        "tables": 2,
        "leaves": "3.0",
        "seconds of a fit": "2",  # of 1 and 4
        "of all fits": "10",
    }


def test_the_last_line_of_a_job_counts(compare, tmp_path):
    path = tmp_path / "lines.jsonl"
    assert compare.lines_of(path) == {}
    line = {"table": "A", "method": "cart"}
    rows = [line | {"failure": "no"}, line | {"leaves": [1]}]
    path.write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")
    assert compare.lines_of(path) == {("A", "cart"): rows[1]}


def test_a_process_that_ends_leaves_a_line_and_is_started_again(study, tmp_path):
    """The first job ends the process, as a peer may; the next one is answered."""
    script = tmp_path / "process.sh"
    script.write_text("read job; test -e seen || { touch seen; exit 3; }; echo '{}'\n")
    worker = study.Worker("sh")
    worker._command = ["sh", "-c", f"cd {tmp_path}; . {script}"]
    assert worker.ask("breast-cancer", "cart", 60.0) == {
        "table": "breast-cancer",
        "method": "cart",
        "failure": "the process ended with 3",
    }
    assert worker.ask("breast-cancer", "cart", 60.0) == {}
    worker.close()


def test_a_process_that_takes_too_long_is_ended(study, monkeypatch):
    monkeypatch.setattr(study, "PATIENCE", 0.01)
    worker = study.Worker("sh")
    worker._command = ["sleep", "60"]
    assert (
        worker.ask("breast-cancer", "cart", 1.0)["failure"]
        == "the process ended with -9"
    )
    worker.close()


def test_the_half_set_aside_is_shown_once_it_is_measured(compare):
    aside = min(compare.set_aside())
    study = {("pima", "cart"): {}}
    assert compare.published(study) == study
    assert list(compare.published(study | {(aside, "cart"): {}})) == [(aside, "cart")]


def test_every_method_has_a_name_for_the_page(models):
    page = importlib.import_module("unseen_page")
    assert sorted(page.NAMES) == sorted(models.METHODS)


def test_the_page_compares_methods_with_tuned_greedy_trees():
    page = importlib.import_module("unseen_page")
    more = {"table": "A", "is_regression": True, "leaves": [4], "seconds": [0.5]}
    lines = {
        ("A", "cart-grid"): more | {"r2": [0.5]},
        ("A", "cart"): more | {"r2": [0.25], "leaves": [8], "seconds": [2.0]},
        ("B", "cart-grid"): more | {"r2": [0.5], "table": "B"},
        ("B", "cart"): more | {"r2": [0.75], "leaves": [8], "seconds": [0.5]},
    }
    head, reference, other = page.methods_lines(lines, is_regression=True)
    assert reference[:3] == ["CART, tuned, depth 4", "2", "reference"]
    assert other[3:] == ["1", "0", "1", "8.0", "2.00", "1"]
    assert len(head) == len(reference) == len(other)
