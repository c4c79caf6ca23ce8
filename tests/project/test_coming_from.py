"""The pages for users of scikit-learn and pystreed: every name exists."""

import inspect
import re

import pytest
from repository import ROOT
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import murtree
from murtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    Solver,
    TableBinarizer,
)

PAGE = ROOT / "docs" / "guide" / "coming_from.md"
CODE = re.compile(r"`([^`]+)`")


def rows(tool, part):
    """Return the names in a table of the page: theirs and ours."""
    section = re.split(r"^## ", PAGE.read_text(encoding="utf-8"), flags=re.M)
    text = next(each for each in section if each.startswith(tool))
    table = next(each for each in text.split("### ") if each.startswith(part))
    cells = [line.split("|")[1:3] for line in table.splitlines() if line[:3] == "| `"]
    return [(CODE.findall(theirs), CODE.findall(ours)) for theirs, ours in cells]


def parameters(*callables):
    return {name for each in callables for name in inspect.signature(each).parameters}


OURS = parameters(
    OptimalTreeClassifier,
    OptimalTreeRegressor,
    OptimalTreeClassifierCV,
    TableBinarizer,
    Solver,
    Solver.solve,
)


@pytest.mark.parametrize("tool", ["scikit-learn", "pystreed"])
def test_our_names_exist(tool):
    named = {name for _, ours in rows(tool, "Parameters") for name in ours}
    assert named <= OURS | set(murtree.__all__)
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    fitted = OptimalTreeClassifier(max_depth=1, frontier=True).fit(X, y)
    named = {name for _, ours in rows(tool, "Attributes") for name in ours}
    assert all(hasattr(fitted, name) or hasattr(murtree, name) for name in named)


def test_the_names_of_scikit_learn_are_all_there():
    named = [name for theirs, _ in rows("scikit-learn", "Param") for name in theirs]
    assert len(named) == len(set(named))
    assert set(named) == parameters(DecisionTreeClassifier, DecisionTreeRegressor)
    X, y = load_iris(return_X_y=True, as_frame=True)
    greedy = DecisionTreeClassifier(max_depth=1).fit(X, y)
    learnt = {name for name in dir(greedy) if re.fullmatch(r"[a-z]\w*_", name)}
    named = {name for theirs, _ in rows("scikit-learn", "Attr") for name in theirs}
    assert learnt <= named
    assert all(hasattr(greedy, name) for name in named)


def test_the_names_of_pystreed_are_all_there():
    pystreed = pytest.importorskip("pystreed", reason="pystreed is not installed")
    known = parameters(pystreed.STreeDClassifier, pystreed.STreeDRegressor)
    named = [name for theirs, _ in rows("pystreed", "Parameters") for name in theirs]
    assert set(named) == known
    assert len(named) == len(set(named))
    model = pystreed.STreeDClassifier(max_depth=1).fit(*load_iris(return_X_y=True))
    named = {name for theirs, _ in rows("pystreed", "Attributes") for name in theirs}
    assert all(hasattr(model, name) for name in named)


def test_the_price_of_a_leaf_is_scikit_learns():
    """With squared error ccp_alpha=a is cost_complexity=a / y.var()."""
    X, y = load_iris(return_X_y=True)
    alpha = 0.01
    greedy = DecisionTreeRegressor(max_depth=3, ccp_alpha=alpha, random_state=0)
    price = {"cost_complexity": alpha / y.var(), "max_depth": 3, "binarizer": "exact"}
    values = []
    for tree in (OptimalTreeRegressor(**price).fit(X, y), greedy.fit(X, y)):
        error = ((tree.predict(X) - y) ** 2).mean()
        values.append(error + alpha * (tree.get_n_leaves() - 1))
    ours = OptimalTreeRegressor(**price).fit(X, y)
    assert ours.objective_ / len(y) == pytest.approx(values[0])
    assert values[0] <= values[1] + 1e-12
