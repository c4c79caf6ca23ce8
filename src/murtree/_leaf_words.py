"""What the leaves of a tree say, in words."""

from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

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

    def __init__(self, tree: Any, decimals: int | None = None) -> None:
        self._tree = tree
        self._decimals = decimals

    def prediction(self, node: int) -> str:
        """Return the class, or the value in regression."""
        tree = self._tree
        if tree.classes is not None:
            return printable(str(tree.classes[self._labels[node]]))
        if self._decimals is not None:
            return f"{tree.value[node, 0]:.{self._decimals}f}"
        if node in self._values:
            return self._values[node]
        # Digits enough to tell it from the leaves too.
        told = np.append(tree.value[tree.feature < 0, 0], tree.value[node, 0])
        return short_numbers(told)[-1]

    def support(self, node: int) -> str:
        """Return how much of the weight is wrong; in regression the weight."""
        tree = self._tree
        if tree.classes is None:
            return weight_text(tree.node_weight, node)
        weights, label = tree.value[node], self._labels[node]
        total, wrong = weights.sum(), np.delete(weights, label).sum()
        if weights.dtype.kind == "f":
            return f"{wrong:.6g} of {total:.6g} wrong"
        return f"{wrong} of {total} wrong"

    @cached_property
    def _labels(self) -> npt.NDArray[np.int64]:
        labels: npt.NDArray[np.int64] = self._tree.labels
        return labels

    @cached_property
    def _values(self) -> dict[int, str]:
        """The values of leaves, with digits enough to tell them apart."""
        leaves = np.flatnonzero(self._tree.feature < 0)
        texts = short_numbers(self._tree.value[leaves, 0])
        return dict(zip(leaves.tolist(), texts, strict=True))


def weight_text(weights: npt.NDArray[Any], node: int) -> str:
    """Return a weight as a number of rows where all are whole."""
    weight = float(weights[node])
    if not np.equal(weights, np.rint(weights)).all():
        return f"weight {weight:.6g}"
    return "1 row" if weight == 1.0 else f"{weight:.0f} rows"
