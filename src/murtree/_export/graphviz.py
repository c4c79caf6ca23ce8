"""Export trees in the DOT language of Graphviz."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from murtree._input.parameters import check_int
from murtree._table.predicate_text import Words, printable
from murtree._tree.colours import colour_between
from murtree._tree.impurity import shares_of
from murtree._tree.leaf_text import LeafWords
from murtree._tree.nodes import children_of, tests_of
from murtree._tree.resolve import shown_tree_of
from murtree._tree.tree import Tree

# Colours of Okabe and Ito (Color Universal Design, 2008), safe for the colour-blind,
# with the light ones last.
_COLOURS = ["#0072B2", "#D55E00", "#009E73", "#CC79A7"]
_COLOURS += ["#E69F00", "#56B4E9", "#8C8C8C", "#F0E442"]
_HEAD = """digraph tree {
    node [shape=box, style="filled,rounded", fontname="Helvetica", color="#666666"];
    edge [fontname="Helvetica", color="#666666"];
"""


def export_graphviz(
    decision_tree: Any,
    *,
    feature_names: Sequence[str] | None = None,
    decimals: int | None = None,
) -> str:
    r"""Export a tree in the DOT language of Graphviz.

    Nodes have the colour of their class, more saturated the purer they are; in
    regression darker nodes have larger values. Each edge is labelled with the condition
    of its side.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, possibly the last step of a pipeline, or a tree,
        or an object with a tree.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of training, those from the steps of
        a pipeline, or x0, x1 and so on.
    decimals : int, default=None
        Number of decimals of thresholds and values; by default as many as are needed to
        distinguish them.

    Returns
    -------
    dot : str
        Input for the program ``dot``, or for ``graphviz.Source`` in a notebook.

    Examples
    --------
    >>> from murtree import Solver, export_graphviz
    >>> tree = Solver([[0], [1], [1]], ["no", "yes", "yes"]).solve(max_depth=1).tree
    >>> for line in export_graphviz(tree).splitlines()[3:]:
    ...     print(line.strip())
    0 [label="x0\n1 of 3 wrong", fillcolor="#f5d9c4"];
    1 [label="no\n0 of 1 wrong", fillcolor="#80b8d8"];
    2 [label="yes\n0 of 2 wrong", fillcolor="#eaae80"];
    0 -> 1 [label="x0 = no"];
    0 -> 2 [label="x0 = yes"];
    }
    """
    tree = shown_tree_of(decision_tree, "export_graphviz", feature_names)
    if decimals is not None:
        decimals = check_int(decimals, "decimals", "export_graphviz", 0, 17)
    tests = tests_of(tree)
    words = Words(tree.known_columns, tests.values(), decimals)
    leaves = LeafWords(tree, decimals)
    colours = _colours(tree)
    lines = []
    for node, colour in enumerate(colours):
        title = leaves.prediction(node)
        if node in tests:
            title = printable(tree.known_columns[tests[node].column].name)
        label = f"{_escaped(title)}\\n{_escaped(leaves.support(node))}"
        lines.append(f'{node} [label="{label}", fillcolor="{colour}"];')
    for node, test in tests.items():
        conditions = (words.yes(test), words.no(test))
        for child, condition in zip(children_of(tree, node), conditions, strict=True):
            lines.append(f'{node} -> {child} [label="{_escaped(condition)}"];')
    return _HEAD + "".join(f"    {line}\n" for line in lines) + "}\n"


def _escaped(text: str) -> str:
    """Escape special characters of DOT, including & of HTML entities."""
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("&", "&amp;")


def _colours(tree: Tree) -> list[str]:
    """Return a colour for each node, light enough for dark text."""
    if tree.classes is None:
        # Divide first, so that differences do not overflow.
        value = tree.estimates[:, 0] / (np.abs(tree.estimates).max() or 1.0)
        low, high = value.min(), value.max()
        strength = (value - low) / (high - low) if high > low else np.zeros(value.size)
        labels = np.zeros(value.size, dtype=np.int64)
    else:
        labels = tree.labels
        share = shares_of(tree.value)[np.arange(labels.size), labels]
        even = 1.0 / tree.value.shape[1]
        strength = (share - even) / (1.0 - even) if even < 1.0 else share
    return [
        _tinted(_COLOURS[label % len(_COLOURS)], float(part))
        for label, part in zip(labels.tolist(), strength, strict=True)
    ]


def _tinted(colour: str, strength: float) -> str:
    """Return a colour mixed with white: from a tenth of it to a half."""
    part = 0.1 + 0.4 * min(max(strength, 0.0), 1.0)
    return colour_between(["#FFFFFF", colour], part).lower()
