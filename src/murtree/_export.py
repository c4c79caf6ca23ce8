"""Trees as text, for people to read."""

from collections.abc import Sequence

import numpy as np
from sklearn.utils.validation import check_is_fitted

from murtree._cross_validation import OptimalTreeCV
from murtree._estimators import OptimalTree
from murtree._tree import Tree
from murtree._words import short_numbers


def export_text(
    decision_tree: OptimalTree | OptimalTreeCV | Tree,
    *,
    feature_names: Sequence[str] | None = None,
) -> str:
    """Write a tree as indented text, with the training weights at the leaves.

    Parameters
    ----------
    decision_tree : OptimalTreeClassifier, OptimalTreeRegressor or Tree
        A fitted estimator, also one of those that tune their size, or a tree.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of the data frame the estimator was
        fitted on, or x0, x1 and so on.

    Returns
    -------
    text : str
        Two lines a test, one a leaf. A leaf tells its class, then how much of its
        training weight it misclassifies; in regression its value and its weight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, export_text
    >>> iris = load_iris()
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> print(export_text(clf, feature_names=iris.feature_names))
    |--- petal length (cm) <= 2.45
    |   |--- class: 0 (0 of 50 wrong)
    |--- petal length (cm) >  2.45
    |   |--- class: 1 (50 of 100 wrong)
    <BLANKLINE>
    """
    if isinstance(decision_tree, Tree):
        tree = decision_tree
    elif isinstance(decision_tree, OptimalTree | OptimalTreeCV):
        check_is_fitted(decision_tree)
        tree = decision_tree.tree_
        if feature_names is None:
            feature_names = getattr(decision_tree, "feature_names_in_", None)
    else:
        raise TypeError(
            "The 'decision_tree' parameter of export_text must be an "
            "OptimalTreeClassifier, an OptimalTreeRegressor or a Tree. "
            f"Got {decision_tree!r} instead."
        )
    if feature_names is None:
        feature_names = [f"x{column}" for column in range(tree.n_features)]
    if len(feature_names) != tree.n_features:
        raise ValueError(
            f"feature_names must contain {tree.n_features} elements, got "
            f"{len(feature_names)}."
        )
    tests = _tests(tree, feature_names)
    return "\n".join(_lines(tree, tests, 0, "")) + "\n"


def _tests(tree: Tree, names: Sequence[str]) -> dict[int, tuple[str, str]]:
    """Return the name and the threshold of each branching node, as text."""
    tests = {}
    for column in np.unique(tree.feature[tree.feature >= 0]):
        nodes = np.flatnonzero(tree.feature == column)
        texts = short_numbers(tree.threshold[nodes])
        for node, text in zip(nodes.tolist(), texts, strict=True):
            tests[node] = (names[column], text)
    return tests


def _lines(
    tree: Tree, tests: dict[int, tuple[str, str]], node: int, indent: str
) -> list[str]:
    if tree.feature[node] < 0:
        return [f"{indent}|--- {_leaf(tree, node)}"]
    name, threshold = tests[node]
    deeper = indent + "|   "
    return [
        f"{indent}|--- {name} <= {threshold}",
        *_lines(tree, tests, int(tree.children_left[node]), deeper),
        f"{indent}|--- {name} >  {threshold}",
        *_lines(tree, tests, int(tree.children_right[node]), deeper),
    ]


def _leaf(tree: Tree, node: int) -> str:
    if tree.classes is None:
        value = short_numbers(tree.value[tree.feature < 0, 0])
        position = int(np.count_nonzero(tree.feature[:node] < 0))
        weight = "" if tree.weight is None else f" (weight {tree.weight[node]:.6g})"
        return f"value: {value[position]}{weight}"
    weights, label = tree.value[node], tree.labels[node]
    total, wrong = weights.sum(), np.delete(weights, label).sum()
    if weights.dtype.kind == "f":
        total, wrong = f"{total:.6g}", f"{wrong:.6g}"
    return f"class: {tree.classes[label]} ({wrong} of {total} wrong)"
