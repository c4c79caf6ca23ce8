"""``--positive``: the positive class of F1, by its text in the file."""

import json
from pathlib import Path

import numpy as np
import pytest
from cli.tools import ok, run
from sklearn.metrics import f1_score, fbeta_score

from murtree import Model

KINDS = {  # of two classes, in sorted order
    "status": ("churned", "stayed"),
    "truth": ("false", "true"),
    "sign": ("-1", "1"),
    "real": ("0.0", "1.0"),
    "words": ("=no", "to go"),
}
FIT = ("fit", "churn.csv", "--columns", "age", "--columns", "calls", "-d", 2)


@pytest.fixture(autouse=True)
def churn(tmp_path):
    rng = np.random.default_rng(1)
    age, calls = rng.integers(18, 80, 120), rng.integers(0, 9, 120)
    code = (((calls > 5) & (age < 50)) ^ (rng.random(120) < 0.1)).astype(int)
    columns = [age, calls, *(np.array(pair)[code] for pair in KINDS.values())]
    lines = [",".join(map(str, row)) for row in zip(*columns, strict=True)]
    header = ",".join(["age", "calls", *KINDS])
    (tmp_path / "churn.csv").write_text("\n".join([header, *lines]) + "\n", "utf-8")
    return columns


def fit(target, *more):
    return ok(*FIT, "-t", target, "--objective", "f1", "-o", "m.json", *more)


def test_default_positive_class_is_shown_with_the_option_to_change_it():
    lines = fit("status").out.splitlines()
    assert lines[2] == (
        "positive class: 'stayed' (the second in order); for the other: --positive "
        "churned"
    )
    proof = next(line for line in lines if line.startswith("Proven optimal: "))
    assert proof.startswith("Proven optimal: 1 - f1 of class stayed = 0.1428")


def test_chosen_positive_class_is_shown():
    done = fit("status", "--positive", "churned")
    assert done.out.splitlines()[2] == "positive class: 'churned'"
    assert "Proven optimal: 1 - f1 of class churned = 0." in done.out
    assert "1 - f1 of class churned = 0." in ok("show", "m.json").out
    answer = json.loads(ok("show", "m.json", "--json").out)
    assert answer["measure"] == "1 - f1 of class churned"
    ok("report", "m.json", "-o", "m.html")
    assert "1 - f1 of class churned" in Path("m.html").read_text("utf-8")


@pytest.mark.parametrize(
    ("target", "name", "code", "label"),
    [
        ("status", "churned", 0, "churned"),
        ("status", "stayed", 1, "stayed"),
        ("truth", "false", 0, False),
        ("truth", "False", 0, False),
        ("truth", "TRUE", 1, True),
        ("sign", "-1", 0, -1),
        ("sign", "1", 1, 1),
        ("sign", "+1", 1, 1),
        ("real", "0", 0, 0),
        ("real", "1.0", 1, 1),
        ("words", "=no", 0, "=no"),
        ("words", "to go", 1, "to go"),
    ],
)
def test_classes_of_every_kind(target, name, code, label, churn):
    done = fit(target, "--positive", name)
    assert f"positive class: '{label}'\n" in done.out
    model = Model.load("m.json")
    assert model.settings["pos_label"] == label
    truth = churn[2 + list(KINDS).index(target)] == KINDS[target][code]
    predicted = model.predict(np.column_stack(churn[:2])) == label
    assert 1 - model.proof.objective == pytest.approx(f1_score(truth, predicted))


def test_fbeta_uses_the_positive_class(churn):
    ok(*FIT, "-t", "status", "--objective", "fbeta", "--beta", 2, "-o", "two.json")
    line = ok(
        *(*FIT, "-t", "status", "--objective", "fbeta", "--beta", 2),
        *("--positive", "churned", "-o", "m.json"),
    ).out
    assert "Proven optimal: 1 - fbeta (beta 2) of class churned = " in line
    model, other = Model.load("m.json"), Model.load("two.json")
    assert other.proof.measure == "1 - fbeta (beta 2) of class stayed"
    predicted = model.predict(np.column_stack(churn[:2]))
    score = fbeta_score(churn[2], predicted, beta=2, pos_label="churned")
    assert 1 - model.proof.objective == pytest.approx(score)
    assert model.proof.objective != other.proof.objective


def test_other_objectives_do_not_show_a_positive_class():
    for objective in ("accuracy", "matthews", "balanced_accuracy"):
        done = ok(*FIT, "-t", "status", "--objective", objective)
        assert "positive" not in done.out
    assert "positive" not in ok(*FIT, "-t", "calls", "--regression").out


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (
            ("-t", "status", "--objective", "f1", "--positive", "Chruned"),
            "--positive: no class 'Chruned' in the target 'status': did you mean "
            "'churned'? Classes: churned, stayed",
        ),
        (
            ("-t", "sign", "--objective", "f1", "--positive", "yes"),
            "--positive: no class 'yes' in the target 'sign'. Classes: -1, 1",
        ),
        (
            ("-t", "truth", "--objective", "f1", "--positive", "maybe"),
            "--positive: no class 'maybe' in the target 'truth'. Classes: False, True",
        ),
        (
            ("-t", "truth", "--objective", "f1", "--positive", "1"),
            "--positive: no class '1' in the target 'truth'. Classes: False, True",
        ),
        (
            ("-t", "status", "--positive", "churned"),
            "--positive is for --objective f1 and fbeta: for accuracy no class is "
            "positive.",
        ),
        (
            ("-t", "status", "--objective", "matthews", "--positive", "churned"),
            "--positive is for --objective f1 and fbeta: for matthews no class is "
            "positive.",
        ),
        (
            ("-t", "status", "--objective", "f1", "--beta", 2),
            "--beta is for --objective fbeta.",
        ),
        (
            ("-t", "calls", "--regression", "--positive", "3"),
            "--positive is for classes, not for --regression.",
        ),
        (
            ("-t", "calls", "--objective", "f1", "--positive", "3"),
            "Only binary classification is supported. The type of the target is "
            "multiclass: y must have two classes. Got 9 instead.",
        ),
    ],
)
def test_what_is_refused(more, message):
    done = run(*FIT, *more, "-o", "m.json", "-q")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {message}\n"
