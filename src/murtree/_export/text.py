"""Export trees as text, for people to read."""

from collections.abc import Sequence
from typing import Any

from murtree._input.parameters import check_int
from murtree._table.predicate_text import Words
from murtree._tree.leaf_text import LeafWords
from murtree._tree.nodes import children_of, tests_of
from murtree._tree.resolve import shown_tree_of
from murtree._tree.tree import Tree


def export_text(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    decimals: int | None = None,
) -> str:
    """Export a tree as indented text, with the training weights at the leaves.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, possibly the last step of a pipeline, or a tree,
        or an object with a tree.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of the data frame the estimator was
        fitted on, those from the steps of a pipeline, or x0, x1 and so on.
    decimals : int, default=None
        Number of decimals of thresholds and values; by default as many as are needed to
        distinguish them.

    Returns
    -------
    text : str
        Two lines per test, one per leaf. A leaf has its class and the misclassified
        part of its training weight, or in regression its value and its weight.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from murtree import OptimalTreeClassifier, export_text
    >>> iris = load_iris()
    >>> clf = OptimalTreeClassifier(max_depth=1).fit(iris.data, iris.target)
    >>> print(export_text(clf, feature_names=iris.feature_names))
    |--- petal length (cm) <= 2.4
    |   |--- class: 0 (0 of 50 wrong)
    |--- petal length (cm) > 2.4
    |   |--- class: 1 (50 of 100 wrong)
    <BLANKLINE>
    """
    tree = shown_tree_of(decision_tree, "export_text", feature_names)
    if decimals is not None:
        decimals = check_int(decimals, "decimals", "export_text", 0, 17)
    words = Words(tree.known_columns, tests_of(tree).values(), decimals)
    leaves = LeafWords(tree, decimals)
    return "\n".join(_lines(tree, words, leaves, 0, "")) + "\n"


def _lines(
    tree: Tree, words: Words, leaves: LeafWords, node: int, indent: str
) -> list[str]:
    if tree.feature[node] < 0:
        title = "class" if tree.classes is not None else "value"
        text = f"{leaves.prediction(node)} ({leaves.support(node)})"
        return [f"{indent}|--- {title}: {text}"]
    test, deeper = tree.predicate(node), indent + "|   "
    left, right = children_of(tree, node)
    return [
        f"{indent}|--- {words.yes(test)}",
        *_lines(tree, words, leaves, left, deeper),
        f"{indent}|--- {words.no(test)}",
        *_lines(tree, words, leaves, right, deeper),
    ]
