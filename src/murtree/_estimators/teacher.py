"""Targets that a random forest predicts, to fit a tree to instead of the observed ones.

A single tree that fits noisy targets closely learns their noise. A forest averages it
out: a tree fitted to the predictions of a forest is often better on other rows than one
fitted to the observed targets (Breiman and Shang, *Born again trees*, 1996; Hinton,
Vinyals and Dean, *Distilling the knowledge in a neural network*, 2015). A row is
predicted by the trees that have not seen its target (out of bag).
"""

import math
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from murtree._solver.objectives.impurity import IMPURITIES

WITHOUT_TEACHER = ("absolute_error", *IMPURITIES)  # objectives
N_TREES, SMALLEST_LEAF = 100, 2
MOST_DRAWN = 5000  # rows for each tree of the forest
SHARE_OF_COLUMNS = 0.5  # that a split of a regression considers; for classes the root
FARTHEST = 1e30  # larger codes are equal to a forest: sums must fit float32

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """A random forest, and its out-of-bag predictions of the rows it was fitted to.

    A prediction is a number, or in classification the probabilities of the classes. Its
    trees are scikit-learn's for squared errors, which for indicators of the classes are
    the Gini impurity.
    """

    trees: tuple[Any, ...]
    out_of_bag: Floats
    exponent: int = 0  # of the power of two by which the trees divide targets

    @classmethod
    def of(
        cls,
        codes: npt.NDArray[Any],
        y: npt.NDArray[Any],
        weight: npt.NDArray[Any],
        *,
        is_regression: bool,
    ) -> Self:
        """Fit a forest; `y` are targets, or codes of classes from 0 on.

        A row of weight zero, or one that all trees have seen, keeps its own target.
        """
        # Imported here because it is slow and not always needed.
        from sklearn.tree import DecisionTreeRegressor  # noqa: PLC0415

        own = y.astype(np.float64) if is_regression else np.eye(int(y.max()) + 1)[y]
        rows, table = np.flatnonzero(weight > 0), _as_float32(codes)
        has_missing = bool(np.isnan(table).any())  # found by checks, which take time
        # scikit-learn's trees do not split numbers that are nearly equal, such as 1e-9
        # and 2e-9, and square sums of weights.
        exponent = _exponent(np.ptp(own[rows] / 2)) if is_regression else 0
        with np.errstate(over="ignore"):  # in rows of weight zero
            target = np.ldexp(own, -exponent)
        weight = np.ldexp(weight, -_exponent(weight.max()))
        total, count = np.zeros_like(own), np.zeros(y.size)
        rng, trees = np.random.default_rng(0), []
        for number in range(N_TREES):
            drawn = rng.choice(rows, min(rows.size, MOST_DRAWN))
            times = np.bincount(drawn, minlength=y.size)
            seen, unseen = np.flatnonzero(times), rows[times[rows] == 0]
            tree = DecisionTreeRegressor(
                max_features=SHARE_OF_COLUMNS if is_regression else "sqrt",
                min_samples_leaf=SMALLEST_LEAF,
                random_state=number,
            )
            weights = (times * weight)[seen].astype(np.float64)
            tree.fit(table[seen], target[seen], weights, check_input=has_missing)
            trees.append(tree)
            count[unseen] += 1
            if unseen.size:
                total[unseen] += _predicted(tree, table[unseen], own.shape[1:])
        known = count > 0
        own[known] = np.ldexp((total[known].T / count[known]).T, exponent)
        return cls(tuple(trees), own, exponent)

    def predict(self, codes: npt.NDArray[Any]) -> Floats:
        """Return the predictions for other rows."""
        table, shape = _as_float32(codes), self.out_of_bag.shape[1:]
        total = np.zeros((table.shape[0], *shape))
        for tree in self.trees:
            total += _predicted(tree, table, shape)
        return np.asarray(np.ldexp(total / len(self.trees), self.exponent))


def _predicted(
    tree: Any, table: npt.NDArray[np.float32], shape: tuple[int, ...]
) -> Floats:
    """Return the predictions of a tree, each of this shape."""
    found = tree.predict(table, check_input=False)
    return np.asarray(found).reshape(table.shape[0], *shape)


def _exponent(number: float) -> int:
    """Return the exponent of the power of two next above a number."""
    return math.frexp(number)[1]


def _as_float32(codes: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return codes as scikit-learn's trees take them; missing values are NaN."""
    return np.asarray(np.clip(codes, -FARTHEST, FARTHEST), dtype=np.float32)
