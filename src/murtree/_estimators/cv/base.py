"""Base class of the estimators that choose the tree size by cross-validation.

One frontier per fold and depth covers all sizes of that depth, where a grid search fits
each size. The strategies are the settings MT-A, MT-R and MT-F of the paper (Section
"Hyper-Parameter Tuning"). See `fold` for one fold, `compare` and `select` for sizes.
"""

import warnings
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags, indexable
from sklearn.utils.validation import check_is_fitted

from murtree._estimators.base import OptimalTree
from murtree._estimators.checked_parameters import metric_of
from murtree._estimators.cv.compare import Comparison, Tell, compare
from murtree._estimators.cv.fold import (
    Rows,
    Split,
    Study,
    frontier_of_depth,
    tune_cart,
)
from murtree._estimators.cv.select import (
    Candidate,
    Settings,
    choose,
    cv_results,
    deciding_scores,
    penalties,
    sizes,
    sizes_of_families,
)
from murtree._estimators.prepare import check_data
from murtree._estimators.teacher import WITHOUT_TEACHER
from murtree._estimators.tree_methods import TreeMethodsMixin
from murtree._input.parameters import check_bool, check_choice, check_int
from murtree._solver.warnings import NotProvenWarning, TimeLimitWarning
from murtree._tree.html import note
from murtree._tree.tree import Tree

PARAMETERS = ("max_num_nodes", "cost_complexity")
STRATEGIES = ("auto", "all", "up_to_greedy", "as_greedy")
STEADY_LEAF = 5  # rows: the mean of fewer targets is too noisy
MAX_DEPTH = 8  # limit for a frontier with all sizes
WHOLE = ("frontier", "pareto_front")  # parameters that ask for several trees
FITTED = (
    "classes_",
    "n_features_in_",
    "feature_names_in_",
    "binarizer_",
    "coverage_",
    "tree_",
    "status_",
    "objective_",
    "lower_bound_",
    "gap_",
    "n_nodes_",
    "depth_",
)


class OptimalTreeCV(TreeMethodsMixin, BaseEstimator):
    """Base class of both estimators, which document its parameters."""

    best_estimator_: OptimalTree
    tree_: Tree
    _kind: ClassVar[type[OptimalTree]]
    _tell: Tell | None = None  # reports the progress of the comparison

    def __init__(
        self,
        *,
        estimator: Any = None,
        max_depth: int | None = None,
        parameter: str = "max_num_nodes",
        strategy: str = "auto",
        cv: Any = 5,
        scoring: Any = None,
        one_standard_error: bool = False,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.max_depth = max_depth
        self.parameter = parameter
        self.strategy = strategy
        self.cv = cv
        self.scoring = scoring
        self.one_standard_error = one_standard_error
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> Self:
        """Choose a tree by cross-validation, then find the best one on all rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            As for the estimator.
        y : array-like of shape (n_samples,)
            Labels or targets.
        sample_weight : array-like of shape (n_samples,), default=None
            Non-negative weights of the rows, used in training and in the scores.

        Returns
        -------
        self : estimator
            The fitted estimator.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import OptimalTreeClassifierCV
        >>> X, y = load_iris(return_X_y=True)
        >>> OptimalTreeClassifierCV(max_depth=2).fit(X, y).best_params_
        {'max_depth': 2, 'max_num_nodes': 3, 'teacher': 'forest'}
        """
        self._check_parameters()
        study = self._study(self._inner(), X, y, sample_weight)
        try:
            compared = self._compare(study)
        except BaseException:  # no other search will report the end
            ended = getattr(study.estimator.callback, "search_ended", None)
            if ended is not None:
                ended(None)
            raise
        results = cv_results(compared.grid, compared.folds)
        self._decided_by = deciding_scores(results, compared.forest_score)
        is_small = bool(self.one_standard_error)
        best = choose(results, self._decided_by, one_standard_error=is_small)
        estimator = study.estimator
        estimator.set_params(**compared.grid[best].params)
        estimator._fit(X, study.rows.y, sample_weight)
        self._set_fitted(estimator, results, best)
        self.n_splits_ = len(compared.folds)
        self.forest_score_ = compared.forest_score
        self.search_seconds_ = sum(fold.seconds for fold in compared.folds)
        self.was_interrupted_ = compared.was_interrupted
        self._warn_unless_proven(compared)
        return self

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the prediction of `best_estimator_` for each row.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows with the columns seen during `fit`.

        Returns
        -------
        predicted : ndarray of shape (n_samples,)
            Labels or values.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import OptimalTreeClassifierCV
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = OptimalTreeClassifierCV(max_depth=2).fit(X, y)
        >>> clf.predict(X[::60])
        array([0, 1, 2])
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(X))

    def _choice_html(self) -> str:
        pairs = self.best_params_.items()
        size = ", ".join(f"{name}={value}" for name, value in pairs)
        return note(
            f"Chosen by cross-validation in {self.n_splits_} folds: {size}, with a "
            f"mean score of {self.best_score_:.4g}."
        )

    def _codes(self, X: Any) -> npt.NDArray[Any]:
        check_is_fitted(self)
        return self.best_estimator_._codes(X)

    def _inner(self) -> OptimalTree:
        """Return a new estimator with the parameters of the user's."""
        return self._kind() if self.estimator is None else clone(self.estimator)

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        if self.max_depth is not None:
            check_int(self.max_depth, "max_depth", owner, 1, MAX_DEPTH)
        check_choice(self.parameter, "parameter", owner, PARAMETERS)
        check_choice(self.strategy, "strategy", owner, STRATEGIES)
        check_bool(self.one_standard_error, "one_standard_error", owner)
        has_sizes = self.strategy in ("up_to_greedy", "as_greedy")
        if has_sizes and self.parameter != "max_num_nodes":
            raise ValueError(
                f"The 'parameter' parameter of {owner} must be 'max_num_nodes' with "
                f"strategy={self.strategy!r}. Got {self.parameter!r} instead."
            )
        if self.estimator is not None:
            self._check_estimator(owner)

    def _check_estimator(self, owner: str) -> None:
        if not isinstance(self.estimator, self._kind):
            raise TypeError(
                f"The 'estimator' parameter of {owner} must be an "
                f"{self._kind.__name__} or None. Got {self.estimator!r} instead."
            )
        given = self.estimator.get_params(deep=False)

        def refuse(name: str, requirement: str, instead: str = "") -> None:
            raise ValueError(
                f"The {name!r} parameter of the estimator given to {owner} must be "
                f"{requirement}. Got {given[name]!r} instead{instead}."
            )

        for name in WHOLE:
            if given.get(name, False):
                refuse(name, "False: one size is chosen")
        if given["max_num_nodes"] == 0:
            refuse("max_num_nodes", "at least 1 or None", ": there is one size only")
        grid = ": use GridSearchCV of scikit-learn"
        for name in ("max_distinct_features", "partial_tree"):
            if given[name] is not None:
                refuse(name, "None: such trees have no frontier", grid)
        if is_classifier(self.estimator) and metric_of(self.estimator) is not None:
            refuse(
                "objective",
                "'accuracy', 'accuracy_then_gini', 'balanced_accuracy', 'gini', "
                "'log_loss' or a matrix of costs: metrics have no frontier",
                f"{grid} over 'max_depth' and 'max_num_nodes'",
            )

    def _study(
        self, estimator: OptimalTree, X: Any, y: Any, sample_weight: Any
    ) -> Study:
        """Check the data and return the objects that all folds share."""
        if self.max_depth is not None:
            estimator.max_depth = self.max_depth
        owner = f"the estimator given to {type(self).__name__}"
        check_int(estimator.max_depth, "max_depth", owner, 1, MAX_DEPTH)
        data = check_data(estimator, estimator._check_parameters(), X, y, sample_weight)
        weight = None if sample_weight is None else data.sample_weight
        scorer = None
        if self.scoring is not None:
            from sklearn.metrics import check_scoring  # noqa: PLC0415 (slow)

            scorer = check_scoring(estimator, scoring=self.scoring)
        rows = Rows(indexable(X)[0], data.y, weight)
        has_forest = any(settings for settings in self._families(estimator))
        return Study(estimator, rows, scorer, has_forest)

    def _compare(self, study: Study) -> Comparison:
        splits = self._splits(study)
        grid = self._grid(study, splits)
        return compare(study, splits, grid, self.n_jobs, self._tell)

    def _families(self, estimator: OptimalTree) -> list[Settings]:
        """Return the settings of the trees to compare, besides their sizes."""
        is_auto = self.strategy == "auto" and self.parameter == "max_num_nodes"
        given = estimator.get_params(deep=False)
        has_other = given["teacher"] is not None
        if not is_auto or has_other or str(given["objective"]) in WITHOUT_TEACHER:
            return [()]
        least = given["min_samples_leaf"]
        observed: dict[str, Any] = {"teacher": None}
        taught: dict[str, Any] = {"teacher": "forest"}
        if not is_classifier(estimator) and least < STEADY_LEAF:
            observed["min_samples_leaf"] = STEADY_LEAF
            taught["min_samples_leaf"] = least
        return [tuple(observed.items()), tuple(taught.items())]

    def _splits(self, study: Study) -> list[Split]:
        from sklearn.model_selection import check_cv  # noqa: PLC0415 (slow to import)

        rows = study.rows
        cv = check_cv(self.cv, rows.y, classifier=is_classifier(study.estimator))
        splits = [Split(*parts) for parts in cv.split(rows.X, rows.y)]
        if not splits:
            raise ValueError(
                f"The 'cv' parameter of {type(self).__name__} must give at least one "
                f"fold. Got {self.cv!r} instead, which gives none."
            )
        if rows.weight is not None:
            for number, split in enumerate(splits):
                if not all(rows.weight[numbers].any() for numbers in split):
                    raise ValueError(
                        "sample_weight must have a positive number among the training "
                        "rows and among the test rows of each fold. Got none in fold "
                        f"{number}."
                    )
        if len(splits) < 2 and self.one_standard_error:
            raise ValueError(
                f"The 'one_standard_error' parameter of {type(self).__name__} must be "
                f"False with less than two folds. Got {len(splits)} fold(s) instead."
            )
        return splits

    def _grid(self, study: Study, splits: list[Split]) -> list[Candidate]:
        """Return the sizes to compare, in ascending order."""
        largest = study.estimator.max_depth or 0
        most = study.estimator.max_num_nodes or 2**largest - 1
        if self.parameter == "cost_complexity":
            return [
                Candidate(depth, cost_complexity=penalty)
                for depth in range(1, largest + 1)
                for penalty in penalties(
                    frontier_of_depth(*study.prepare(None, depth), depth)
                )
            ]
        if self.strategy == "auto":
            return sizes_of_families(self._families(study.estimator), largest, most)
        if self.strategy == "all":
            return sizes(largest, most)
        depth, nodes = tune_cart(study, splits, largest)
        nodes = min(nodes, most)
        if self.strategy == "as_greedy" or depth == 0:
            return [Candidate(depth, nodes)]
        return sizes(depth, nodes)

    def _set_fitted(
        self, estimator: OptimalTree, results: dict[str, Any], best: int
    ) -> None:
        for name in FITTED:
            self.__dict__.pop(name, None)  # of an earlier fit
            if hasattr(estimator, name):
                setattr(self, name, getattr(estimator, name))
        self.cv_results_ = results
        self.best_index_ = best
        self.best_params_ = results["params"][best]
        self.best_score_ = float(results["mean_test_score"][best])
        self.best_estimator_ = estimator

    def _warn_unless_proven(self, compared: Comparison) -> None:
        found = [status for fold in compared.folds for status in fold.frontier_statuses]
        unproven = [status for status in found if status != "optimal"]
        is_proven = self.status_ == "optimal"
        if is_proven and not unproven and not compared.was_interrupted:
            return
        timed_out = "time_limit" in {*unproven, self.status_}
        message = (
            f"The tree of the chosen size {'is' if is_proven else 'is not'} proven."
        )
        if unproven:
            message = (
                f"{len(unproven)} of {len(found)} frontiers of the cross-validation "
                "were not proven optimal: with more time the choice may "
                f"change. {message}"
            )
        if compared.was_interrupted:
            missing = f"sizes beyond depth {compared.grid[-1].max_depth}"
            if compared.grid[-1].settings:
                missing = "trees fitted to the predictions of a forest"
            message = f"Interrupted: {missing} were not compared. {message}"
        category = TimeLimitWarning if timed_out else NotProvenWarning
        warnings.warn(message, category, stacklevel=3)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        if self.estimator is None or isinstance(self.estimator, self._kind):
            tags.input_tags = get_tags(self._inner()).input_tags
        return tags
