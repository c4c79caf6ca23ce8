"""The nodes of a tree: their children, depths, tests and paths.

Parents are stored before their children.
"""

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from murtree._table.predicates import Predicate

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

    from murtree._tree.tree import Tree

Indices = npt.NDArray[np.int64]


def children_of(tree: "Tree", node: int) -> tuple[int, int]:
    """Return the left and the right child of a branching node."""
    return int(tree.children_left[node]), int(tree.children_right[node])


def leaves_of(tree: "Tree") -> list[int]:
    """Return the leaves in the order in which they are stored."""
    leaves: list[int] = np.flatnonzero(tree.feature < 0).tolist()
    return leaves


def tests_of(tree: "Tree") -> dict[int, Predicate]:
    """Return the test of each branching node."""
    inner = np.flatnonzero(tree.feature >= 0).tolist()
    return {node: tree.predicate(node) for node in inner}


def tested_columns(tree: "Tree") -> list[int]:
    """Return the sorted indices of the columns that the tree tests."""
    return sorted({index for index in tree.feature.tolist() if index >= 0})


def depths(left: npt.NDArray[Any], right: npt.NDArray[Any]) -> Indices:
    """Return the number of tests above each node, from the children of all nodes."""
    found = np.zeros(left.size, dtype=np.int64)
    for node in np.flatnonzero(left >= 0):
        found[[left[node], right[node]]] = found[node] + 1
    return found


def paths(tree: "Tree") -> "csr_matrix":
    """Return an indicator matrix of the nodes (columns) on the path to each node."""
    # Imported here, so that a saved tree predicts with NumPy alone.
    from scipy.sparse import csr_matrix  # noqa: PLC0415

    size = tree.feature.size
    found: list[list[int]] = [[0]] * size
    for node in np.flatnonzero(tree.feature >= 0).tolist():
        for child in children_of(tree, node):
            found[child] = [*found[node], child]
    ends = np.cumsum([0, *map(len, found)])
    nodes = np.concatenate(found)
    ones = np.ones(nodes.size, dtype=np.int64)
    return csr_matrix((ones, nodes, ends), shape=(size, size))
