"""What the leaves of a tree say, in words."""

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from murtree._table.predicate_text import grouped, number_text, printable, short_numbers

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


class LeafWords:
    """The prediction of each node and how sure it is, as text.

    Parameters
    ----------
    tree : Tree
        The tree.
    decimals : int, default=None
        Digits after the point of values in regression; None means as many as it takes.
    is_weighted : bool, default=False
        Whether rows have weights: whole sums of them are then no numbers of rows.
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
            return f"{tree.value[node, 0]:,.{self._decimals}f}"
        if node in self._values:
            return self._values[node]
        # Digits enough to tell it from the leaves too.
        values = np.append(tree.value[tree.feature < 0, 0], tree.value[node, 0])
        return grouped(short_numbers(values)[-1])

    def support(self, node: int) -> str:
        """Return how much of the weight is wrong; in regression the weight."""
        tree = self._tree
        if tree.classes is None:
            return self.weight(node)
        weights, label = tree.value[node], self._labels[node]
        total, wrong = weights.sum(), np.delete(weights, label).sum()
        return f"{number_text(wrong)} of {number_text(total)} wrong"

    def weight(self, node: int) -> str:
        """Return the weight of a node, as a number of rows where it is one."""
        weights = self._tree.node_weight
        weight = float(weights[node])
        if self._is_weighted or not np.equal(weights, np.rint(weights)).all():
            return f"weight {number_text(weight)}"
        return "1 row" if weight == 1.0 else f"{number_text(weight)} rows"

    @cached_property
    def _labels(self) -> npt.NDArray[np.int64]:
        labels: npt.NDArray[np.int64] = self._tree.labels
        return labels

    @cached_property
    def _values(self) -> dict[int, str]:
        """The values of leaves, with digits enough to tell them apart."""
        leaves = np.flatnonzero(self._tree.feature < 0)
        texts = map(grouped, short_numbers(self._tree.value[leaves, 0]))
        return dict(zip(leaves.tolist(), texts, strict=True))
