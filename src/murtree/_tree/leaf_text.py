"""Predictions and weights of tree nodes as text."""

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from murtree._table.predicate_text import grouped, number_text, printable, short_numbers
from murtree._tree.nodes import leaves_of

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


def are_whole(weights: npt.NDArray[Any]) -> bool:
    """Return whether weights are integers, up to the rounding of sums."""
    return bool(np.isclose(weights, np.rint(weights), rtol=1e-9, atol=0.0).all())


def nearly_whole(weight: float) -> str:
    """Return a weight as text; a sum of probabilities may be a rounded integer.

    Examples
    --------
    >>> nearly_whole(568.9999999999), nearly_whole(0.25)
    ('569', '0.25')
    """
    return number_text(round(weight) if are_whole(np.array(weight)) else weight)


class LeafWords:
    """Texts of the prediction and the support of each node.

    Parameters
    ----------
    tree : Tree
        The tree.
    decimals : int, default=None
        Number of decimals of values in regression; None means as many as needed.
    is_weighted : bool, default=False
        Whether rows have weights, so that integer sums are not numbers of rows.
    """

    def __init__(
        self, tree: "Tree", decimals: int | None = None, *, is_weighted: bool = False
    ) -> None:
        self._tree = tree
        self._decimals = decimals
        self._is_weighted = is_weighted

    def prediction(self, node: int) -> str:
        """Return the class, or the value in regression."""
        tree = self._tree
        if tree.classes is not None:
            return printable(str(tree.classes[self._labels[node]]))
        if self._decimals is not None:
            return f"{tree.estimates[node, 0]:,.{self._decimals}f}"
        if node in self._values:
            return self._values[node]
        # Enough digits to distinguish it from the leaves.
        nodes = [*leaves_of(tree), node]
        return grouped(short_numbers(tree.estimates[nodes, 0])[-1])

    def support(self, node: int) -> str:
        """Return the misclassified and total weight; in regression the total weight.

        If the tree was fitted to class probabilities, these are expected weights.
        """
        tree = self._tree
        if tree.classes is None:
            return self.weight(node)
        weights, label = tree.value[node], self._labels[node]
        total, wrong = weights.sum(), np.delete(weights, label).sum()
        if tree.is_expected:
            return f"{wrong:,.1f} of {nearly_whole(total)} expected wrong"
        return f"{number_text(wrong)} of {number_text(total)} wrong"

    def weight(self, node: int) -> str:
        """Return the weight of a node, as a number of rows if it is one."""
        weights = self._tree.node_weight
        weight = float(weights[node])
        if self._is_weighted or not are_whole(weights):
            return f"weight {number_text(weight)}"
        return "1 row" if round(weight) == 1 else f"{number_text(round(weight))} rows"

    @cached_property
    def _labels(self) -> npt.NDArray[np.int64]:
        labels: npt.NDArray[np.int64] = self._tree.labels
        return labels

    @cached_property
    def _values(self) -> dict[int, str]:
        """The values of leaves, with enough digits to distinguish them."""
        leaves = leaves_of(self._tree)
        texts = map(grouped, short_numbers(self._tree.estimates[leaves, 0]))
        return dict(zip(leaves, texts, strict=True))
