"""What the leaves of a tree say, in words."""

import numpy as np
import numpy.typing as npt

from murtree._tree import Tree
from murtree._words import printable, short_numbers


class LeafWords:
    """The prediction of each node and how sure it is, as text.

    Parameters
    ----------
    tree : Tree
        The tree.
    decimals : int, default=None
        Digits after the point of values in regression; None means as many as it takes.
    """

    def __init__(self, tree: Tree, decimals: int | None = None) -> None:
        self._tree = tree
        self._decimals = decimals

    def prediction(self, node: int) -> str:
        """Return the class, or the value in regression."""
        tree = self._tree
        if tree.classes is not None:
            return printable(str(tree.classes[tree.labels[node]]))
        if self._decimals is not None:
            return f"{tree.value[node, 0]:.{self._decimals}f}"
        # Digits enough to tell the leaves apart, and this node too if it is none.
        told = np.append(tree.value[tree.feature < 0, 0], tree.value[node, 0])
        return short_numbers(told)[-1]

    def support(self, node: int) -> str:
        """Return how much of the weight is wrong; in regression the weight."""
        tree = self._tree
        if tree.classes is None:
            return weight_text(tree.node_weight, node)
        weights, label = tree.value[node], tree.labels[node]
        total, wrong = weights.sum(), np.delete(weights, label).sum()
        if weights.dtype.kind == "f":
            return f"{wrong:.6g} of {total:.6g} wrong"
        return f"{wrong} of {total} wrong"


def weight_text(weights: npt.NDArray[np.float64], node: int) -> str:
    """Return a weight as a number of rows where all are whole."""
    weight = float(weights[node])
    if not np.equal(weights, np.rint(weights)).all():
        return f"weight {weight:.6g}"
    return "1 row" if weight == 1.0 else f"{weight:.0f} rows"
