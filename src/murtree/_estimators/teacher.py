"""Targets that a random forest predicts, to fit a tree to instead of the observed ones.

A single tree that fits noisy targets closely learns their noise. A forest averages it
out: a tree fitted to the predictions of a forest is often better on other rows than one
fitted to the observed targets (Breiman and Shang, *Born again trees*, 1996; Hinton,
Vinyals and Dean, *Distilling the knowledge in a neural network*, 2015). A row is
predicted by the trees that have not seen its target (out of bag).
"""

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

N_TREES, SMALLEST_LEAF = 100, 2
MOST_DRAWN = 5000  # rows for each tree of the forest
SHARE_OF_COLUMNS = 0.5  # that a split of a regression considers; for classes the root
FARTHEST = 1e30  # larger codes are equal to a forest: sums must fit float32

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Forest:
    """A random forest, and its out-of-bag predictions of the rows it was fitted to.

    A prediction is a number, or in classification the probabilities of the classes.
    """

    model: Any
    out_of_bag: Floats

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
        present = weight > 0
        table, targets = _as_float32(codes[present]), y[present]
        model = _model(table.shape[0], is_regression=is_regression)
        model.fit(table, targets, weight[present])
        own = y.astype(np.float64) if is_regression else np.eye(int(y.max()) + 1)[y]
        total, count = np.zeros_like(own[present]), np.zeros(table.shape[0])
        for tree, drawn in zip(
            model.estimators_, model.estimators_samples_, strict=True
        ):
            unseen = np.ones(table.shape[0], dtype=bool)
            unseen[drawn] = False
            count += unseen
            total[unseen] += _predicted(tree, model, table[unseen], own.shape[1:])
        mean = (total.T / np.maximum(count, 1)).T
        own[np.flatnonzero(present)[count > 0]] = mean[count > 0]
        return cls(model, own)

    def predict(self, codes: npt.NDArray[Any]) -> Floats:
        """Return the predictions for other rows."""
        shape = self.out_of_bag.shape[1:]
        return _predicted(self.model, self.model, _as_float32(codes), shape)


def _model(n_rows: int, *, is_regression: bool) -> Any:
    # Imported here because it is slow and not always needed.
    from sklearn.ensemble import (  # noqa: PLC0415
        RandomForestClassifier,
        RandomForestRegressor,
    )

    settings: dict[str, Any] = {
        "n_estimators": N_TREES,
        "min_samples_leaf": SMALLEST_LEAF,
        "max_samples": min(n_rows, MOST_DRAWN),
        "random_state": 0,
    }
    if is_regression:
        return RandomForestRegressor(max_features=SHARE_OF_COLUMNS, **settings)
    return RandomForestClassifier(**settings)


def _predicted(
    model: Any, forest: Any, table: npt.NDArray[np.float32], shape: tuple[int, ...]
) -> Floats:
    """Return the predictions of a forest or of one of its trees.

    `shape` is that of a prediction: a class may not occur in the rows of the forest.
    """
    if not len(table):
        return np.zeros((0, *shape))
    if not shape:
        return np.asarray(model.predict(table), dtype=np.float64)
    every = np.zeros((table.shape[0], *shape))
    every[:, forest.classes_] = model.predict_proba(table)
    return every


def _as_float32(codes: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
    """Return codes as scikit-learn's trees take them; missing values are NaN."""
    return np.asarray(np.clip(codes, -FARTHEST, FARTHEST), dtype=np.float32)
