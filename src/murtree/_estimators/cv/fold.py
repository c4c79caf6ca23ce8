"""One fold of a cross-validation: a frontier per depth, and the scores of its trees.

A fold binarizes its own training rows; every size to compare is an entry of the
frontier of its depth. Also contains the greedy tree (CART) from whose size the
strategies "up_to_greedy" and "as_greedy" start.
"""

import copy
import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.base import is_classifier
from sklearn.utils import _safe_indexing

from murtree._estimators.base import OptimalTree
from murtree._estimators.cv.select import Candidate, FoldResult, Settings
from murtree._estimators.prepare import Prepared, encoded, forest_of, prepare
from murtree._estimators.search import find_frontier, fitted_attributes, watch
from murtree._estimators.teacher import Forest
from murtree._input.arrays import as_binary
from murtree._solver.frontier import Frontier
from murtree._solver.result import Result
from murtree._table.every_test import EveryTest
from murtree._table.predicates import failures
from murtree._table.ranked_rows import RankedRows
from murtree._tree.tree import Tree


class Rows(NamedTuple):
    """Rows of the user's data."""

    X: Any
    y: npt.NDArray[Any]
    weight: npt.NDArray[Any] | None

    def take(self, numbers: npt.NDArray[Any]) -> "Rows":
        """Return a subset of the rows."""
        weight = None if self.weight is None else self.weight[numbers]
        return Rows(_safe_indexing(self.X, numbers), self.y[numbers], weight)

    @property
    def of_weight(self) -> dict[str, Any]:
        """The weights as keyword argument of a scorer, if there are any."""
        return {} if self.weight is None else {"sample_weight": self.weight}


class Split(NamedTuple):
    """The indices of the training rows and of the test rows."""

    train: npt.NDArray[Any]
    test: npt.NDArray[Any]


class Taught(NamedTuple):
    """A forest of the training rows, with its predictions of the test rows."""

    forest: Forest  # without its trees, which may be large
    predicted: npt.NDArray[np.float64]
    score: float | None  # of these predictions, as of a tree; None with a scorer


@dataclass(frozen=True)
class Study:
    """The objects that all folds share."""

    estimator: OptimalTree
    rows: Rows
    scorer: Callable[..., Any] | None  # None: the score method of the estimator
    has_forest: bool = False  # whether each fold has a forest

    def prepare(
        self,
        numbers: npt.NDArray[Any] | None,
        depth: int,
        settings: Settings = (),
        forest: Forest | None = None,
    ) -> tuple[OptimalTree, Prepared]:
        """Return an estimator and the data for its solver from these rows only.

        The candidate tests are those of an estimator fitted with this depth.
        """
        estimator = copy.copy(self.estimator)  # fitted attributes stay on the copy
        estimator.set_params(max_depth=depth, **dict(settings))
        rows = self.rows if numbers is None else self.rows.take(numbers)
        parameters = estimator._check_parameters()
        prepared = prepare(
            estimator, parameters, rows.X, rows.y, rows.weight, forest=forest
        )
        estimator.coverage_ = prepared.coverage
        if prepared.binarizer is not None:
            # Do not warn about rare categories that occur only in the test rows.
            estimator.binarizer_ = copy.copy(prepared.binarizer)
            estimator.binarizer_.handle_unknown = "ignore"
        # Convert once to the core's form; several depths may share the data.
        if isinstance(prepared.bits, RankedRows):
            return estimator, prepared
        return estimator, prepared._replace(bits=as_binary(prepared.bits))

    def teach(self, split: Split) -> Taught:
        """Return a forest of the training rows of a fold."""
        estimator, rows = copy.copy(self.estimator), self.rows.take(split.train)
        test = self.rows.take(split.test)
        forest, codes = forest_of(estimator, rows.X, rows.y, rows.weight, test.X)
        predicted = forest.predict(codes)
        forest = replace(forest, trees=())
        if self.scorer is not None:
            return Taught(forest, predicted, None)
        values = predicted
        if is_classifier(estimator):
            values = np.unique(rows.y)[np.argmax(predicted, axis=1)]
        return Taught(forest, predicted, _plain_score(estimator, values, test))

    @property
    def is_same_for_all_depths(self) -> bool:
        """Whether the data for the solver is independent of the depth."""
        binarizer = self.estimator.binarizer
        return str(getattr(binarizer, "strategy", binarizer)) != "auto"


@dataclass(frozen=True)
class Fold:
    """One fold with data for the solvers of one depth or of all depths."""

    study: Study
    split: Split
    estimator: OptimalTree
    prepared: Prepared
    taught: Taught | None = None

    @classmethod
    def of(
        cls,
        study: Study,
        split: Split,
        depth: int,
        settings: Settings = (),
        taught: Taught | None = None,
    ) -> "Fold":
        """Return a fold with its data prepared."""
        forest = None if taught is None else taught.forest
        estimator, prepared = study.prepare(split.train, depth, settings, forest)
        return cls(study, split, estimator, prepared, taught)

    @property
    def n_bytes(self) -> int:
        """The approximate memory use."""
        shares = self.prepared.shares
        others = 0 if shares is None else shares.nbytes
        return math.prod(self.prepared.bits.shape) + others

    def compare(
        self, candidates: list[Candidate], is_given_up: Callable[[], bool]
    ) -> FoldResult:
        """Return the scored trees of all candidates of one depth."""
        _, depth = candidates[-1].search
        frontier = frontier_of_depth(self.estimator, self.prepared, depth, is_given_up)
        fitted = self.estimator
        picked = [
            each.pick(
                frontier,
                fitted.cost_complexity,
                fewest_nodes=fitted.fewest_nodes,
            )
            for each in candidates
        ]
        keys = [_key(_tree(result)) for result in picked]
        distinct = dict(zip(keys, picked, strict=True))
        found = {key: self.prepared.result(each) for key, each in distinct.items()}
        test_scores = self._scores(found, self.split.test)
        train_scores = self._train_scores(found)
        smoothed = self._smoothed_scores(found)
        return FoldResult(
            test_scores=[test_scores[key] for key in keys],
            train_scores=[train_scores[key] for key in keys],
            smoothed_scores=[smoothed[key] for key in keys if smoothed],
            n_nodes=[_tree(found[key]).n_nodes for key in keys],
            statuses=[result.status for result in picked],
            frontier_statuses=[frontier.status],
            seconds=frontier.stats["seconds"],
        )

    def _train_scores(self, found: dict[Any, Result]) -> dict[Any, float]:
        if self.study.scorer is None and _counts_as_given(self.estimator):
            return {key: _training_accuracy(_tree(each)) for key, each in found.items()}
        return self._scores(found, self.split.train)

    def _smoothed_scores(self, found: dict[Any, Result]) -> dict[Any, float]:
        """Return scores on the test rows in which the forest reduces the noise.

        A label counts with the probability that the forest gives it, and a target is
        replaced by the mean of itself and the prediction of the forest.
        """
        if self.taught is None or self.study.scorer is not None:
            return {}
        rows, predicted = self.study.rows.take(self.split.test), self.taught.predicted
        if not is_classifier(self.estimator):
            rows = rows._replace(y=(rows.y + predicted) / 2)
            return _tree_scores(self.estimator, rows, found)
        codes = _codes(self.estimator, rows.X)
        classes = np.unique(self.study.rows.take(self.split.train).y)
        scores = {}
        for key, result in found.items():
            labels = np.searchsorted(classes, _tree(result)._predict(codes))
            chances = predicted[np.arange(labels.size), labels]
            scores[key] = float(np.average(chances, weights=rows.weight))
        return scores

    def _scores(
        self, found: dict[Any, Result], numbers: npt.NDArray[Any]
    ) -> dict[Any, float]:
        rows = self.study.rows.take(numbers)
        if self.study.scorer is None:
            return _tree_scores(self.estimator, rows, found)
        fitted = copy.copy(self.estimator)
        scores = {}
        for key, result in found.items():
            fitted.__dict__.update(fitted_attributes(result))
            scores[key] = _score(self.study, fitted, rows.X, rows)
        return scores


def frontier_of_depth(
    estimator: OptimalTree,
    prepared: Prepared,
    depth: int,
    is_given_up: Callable[[], bool] | None = None,
) -> Frontier:
    """Return the frontier of a depth, on the columns of the solver.

    Each depth has its own solver: sharing one saves little time but could change which
    of several equally good trees is found. A tree thus depends on its own depth only.
    """
    parameters = estimator._check_parameters()
    request = parameters.request.after(prepared.seconds)
    run_limits = replace(
        request.run_limits,
        callback=watch(prepared, parameters, None),
        returns_on_interrupt=False,  # an incomplete fold cannot be compared
        is_given_up=is_given_up,
    )
    limits = replace(request.tree_limits, depth=depth, penalty=0.0)
    request = request._replace(tree_limits=limits, run_limits=run_limits)
    return find_frontier(prepared, parameters, request)


def _key(tree: Tree) -> tuple[bytes, bytes]:
    """Return a key for equal trees of one fold; many sizes share a tree."""
    return tree.feature.tobytes(), tree.children_left.tobytes()


def _counts_as_given(estimator: OptimalTree) -> bool:
    """Return whether trees contain the class weights as given by the user."""
    is_plain = is_classifier(estimator) and estimator.class_weight is None
    return is_plain and estimator.teacher is None


def _tree(result: Result) -> Tree:
    assert result.tree is not None  # as in every frontier
    return result.tree


def _training_accuracy(tree: Tree) -> float:
    total = tree.value[0].sum()
    return float((total - tree.misclassified) / total)


def _tree_scores(
    estimator: OptimalTree, rows: Rows, found: dict[Any, Result]
) -> dict[Any, float]:
    """Return accuracies or R2 of trees; the rows are checked only once."""
    codes = _codes(estimator, rows.X)
    return {
        key: _plain_score(estimator, _tree(result)._predict(codes), rows)
        for key, result in found.items()
    }


def _plain_score(
    estimator: OptimalTree, predicted: npt.NDArray[Any], rows: Rows
) -> float:
    """Return the accuracy or R2 of predictions."""
    from sklearn.metrics import r2_score  # noqa: PLC0415 (slow to import)

    if is_classifier(estimator):
        return float(np.average(predicted == rows.y, weights=rows.weight))
    return float(r2_score(rows.y, predicted, sample_weight=rows.weight))


def tune_cart(study: Study, splits: list[Split], max_depth: int) -> tuple[int, int]:
    """Return depth and number of branching nodes of the best greedy tree."""
    depths = range(1, max_depth + 1)
    scores = [
        [_cart_score(study, split, depth) for split in splits] for depth in depths
    ]
    best = depths[int(np.argmax(np.average(scores, axis=1)))]
    tree = _fit_cart(*study.prepare(None, best), best).tree_
    return int(tree.max_depth), int(tree.node_count - tree.n_leaves)


def _cart_score(study: Study, split: Split, depth: int) -> float:
    estimator, prepared = study.prepare(split.train, depth)
    test = study.rows.take(split.test)
    tests = _tested(estimator, prepared, test.X)
    return _score(study, _fit_cart(estimator, prepared, depth), tests, test)


def _score(study: Study, fitted: Any, X: Any, rows: Rows) -> float:
    if study.scorer is None:
        return float(fitted.score(X, rows.y, rows.weight))
    return float(study.scorer(fitted, X, rows.y, **rows.of_weight))


def _fit_cart(estimator: OptimalTree, prepared: Prepared, depth: int) -> Any:
    """Return scikit-learn's greedy tree, on the columns and weights of the solver.

    With all thresholds these are the ranks: a threshold of a rank is one of the tests.
    """
    # Imported here because it is slow and rarely needed.
    from sklearn.tree import (  # noqa: PLC0415
        DecisionTreeClassifier,
        DecisionTreeRegressor,
    )

    limits = {
        "max_depth": depth,
        "min_samples_leaf": estimator.min_samples_leaf,
        "min_weight_fraction_leaf": estimator.min_weight_fraction_leaf,
        "random_state": 0,
    }
    if is_classifier(estimator):
        is_entropy = str(estimator.objective) == "log_loss"
        criterion = "log_loss" if is_entropy else "gini"
        cart = DecisionTreeClassifier(criterion=criterion, **limits)
    else:
        cart = DecisionTreeRegressor(criterion=estimator.objective, **limits)
    bits = prepared.bits
    data = bits.ranks.T if isinstance(bits, RankedRows) else np.asarray(bits)
    return cart.fit(data, prepared.y, prepared.weight)


def _codes(estimator: OptimalTree, X: Any) -> npt.NDArray[Any]:
    """Return the codes of rows to score, for all trees of a fold."""
    columns = () if estimator.binarizer is None else estimator.binarizer_.columns_
    return encoded(estimator, X, columns, set())


def _tested(estimator: OptimalTree, prepared: Prepared, X: Any) -> npt.NDArray[Any]:
    """Return the columns of the solver for other rows."""
    codes = _codes(estimator, X)
    if estimator.binarizer is None:
        return codes
    if isinstance(prepared.bits, RankedRows):
        tests: EveryTest = estimator.binarizer_._tests
        return tests.ranked_others(codes).ranks.T
    return failures(estimator.binarizer_.predicates_, codes)
