"""Estimators that choose the size of their tree by cross-validation."""

from sklearn.base import ClassifierMixin, RegressorMixin

from murtree._estimators.classifier import OptimalTreeClassifier
from murtree._estimators.cv.base import OptimalTreeCV
from murtree._estimators.regressor import OptimalTreeRegressor
from murtree._estimators.tree_methods import ProbabilityMixin


class OptimalTreeClassifierCV(ProbabilityMixin, ClassifierMixin, OptimalTreeCV):
    """An `OptimalTreeClassifier` whose size is chosen by cross-validation.

    In each fold one search gives the best tree of every size (see `Frontier`), for the
    labels and for the class probabilities of a random forest. The best on held-out rows
    is chosen, and the best tree of that kind and size is found on all rows.

    Parameters
    ----------
    estimator : OptimalTreeClassifier, default=None
        All other settings, such as `objective`, `class_weight`, `min_samples_leaf`,
        `binarizer` or `time_limit`, which applies to each search. Its `max_num_nodes`
        is the largest number of nodes to try, and its `cost_complexity` is the penalty
        at every size, unless it is tuned. With ``on_interrupt="return"`` Ctrl-C ends
        the comparison, and the best size is chosen among the searches that all folds
        have finished. None means ``OptimalTreeClassifier()``.
    max_depth : int, default=None
        The largest depth to try, 1 to 8; None means the `max_depth` of the estimator,
        by default 4.
    parameter : {"max_num_nodes", "cost_complexity"}, default="max_num_nodes"
        What is tuned in addition to the depth: the number of branching nodes, 0 for a
        single leaf and d to ``2**d - 1`` at depth d; or the penalty of a node, with one
        value for each of the best trees on all rows (see Notes).
    strategy : {"auto", "all", "up_to_greedy", "as_greedy"}, default="auto"
        The trees to try. "auto" tries all numbers of nodes within the largest depth for
        two families, trees fitted to the labels and trees with ``teacher="forest"``,
        and chooses by smoothed scores (see Notes). The others are those of the paper
        (MT-A, MT-R and MT-F): all depths and numbers of nodes, those up to the size of
        a greedy tree, or only that size. The greedy tree is scikit-learn's, on the same
        boolean columns, with its `max_depth` tuned on the same folds. The last two need
        ``parameter="max_num_nodes"``; with another `parameter`, "auto" is "all".
    cv : int, splitter or iterable, default=5
        The folds, as in scikit-learn: a number of stratified folds, a splitter, or
        pairs of row indices, for example to keep groups together.
    scoring : str or callable, default=None
        The score of the trees: a name or a scorer of scikit-learn, or a callable of
        (estimator, X, y), and of sample_weight if it is passed to `fit`. None means the
        accuracy.
    one_standard_error : bool, default=False
        Choose the size with the fewest nodes, then the least depth, among those whose
        mean score is within one standard error of the best.
    n_jobs : int, default=None
        Number of folds processed in parallel threads; None means 1, -1 all cores.

    Attributes
    ----------
    best_estimator_ : OptimalTreeClassifier
        The estimator with the chosen size, fitted on all rows.
    best_params_ : dict
        The chosen size: `max_depth` with `max_num_nodes` or `cost_complexity`; with two
        families also `teacher`.
    best_score_ : float
        The mean score of that size over the folds, on the labels as they are.
    best_index_ : int
        The index of that size in `cv_results_`.
    cv_results_ : dict of arrays
        As in GridSearchCV, one entry per size: "params", "param_max_depth",
        "param_max_num_nodes" (or "param_cost_complexity"), "split0_test_score" and so
        on, "mean_test_score", "std_test_score", "rank_test_score", the same for
        training scores, "mean_n_nodes" (the actual number of nodes), and "n_unproven"
        (the number of folds in which the tree is not proven optimal). With two families
        also "param_teacher", and with smoothed scores "split0_smoothed_score" and so
        on, "mean_smoothed_score" and "std_smoothed_score".
    n_splits_ : int
        The number of folds.
    forest_score_ : float or None
        The mean score of the forests over the folds, if there are forests and no
        `scoring`.
    search_seconds_ : float
        The total time of the searches in the folds.
    was_interrupted_ : bool
        Whether Ctrl-C ended the comparison before its last searches.
    tree_ : Tree
        The tree, on the columns of `X` and in their units.
    status_ : {"optimal", "time_limit", "interrupted"}
        Whether the tree is proven optimal for its size, and for its `teacher`.
    coverage_ : Coverage
        The tests that the proof covers.
    classes_ : ndarray
        The distinct labels, sorted.
    n_features_in_ : int
        The number of columns of `X`.
    feature_names_in_ : ndarray of str
        The names of the columns of `X`, if they have any.

    Notes
    -----
    With ``strategy="auto"`` the smoothed scores decide: a predicted label counts with
    the probability that a forest of the training rows of the fold gives it, in
    regression the target is the mean of the observed one and the forest's prediction.
    They are less noisy than the plain scores. If `forest_score_` is below the best
    plain score, or `scoring` is given, plain scores decide. An estimator that has a
    `teacher` gives one family only, and so do the objectives "gini", "log_loss",
    "accuracy_then_gini" and "absolute_error". Ties go to the trees of the labels, then
    to the fewest nodes.

    With the other strategies ties are resolved in favour of the least depth, then the
    fewest nodes or the highest penalty, as in GridSearchCV on the same grid. Trees that
    are equally good on the training rows can differ on other rows, so a grid of fits
    may have slightly different scores.

    Penalties are chosen as in rpart (Therneau and Atkinson): the geometric means of
    neighbouring breakpoints of the frontier of all rows, ten times the first, and zero.
    If the greedy tree is a single leaf, "up_to_greedy" tries only that size.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from murtree import OptimalTreeClassifierCV
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> clf = OptimalTreeClassifierCV(max_depth=3, one_standard_error=True).fit(X, y)
    >>> clf.best_params_
    {'max_depth': 2, 'max_num_nodes': 2, 'teacher': None}
    >>> round(clf.best_score_, 3), clf.status_
    (0.933, 'optimal')
    """

    _kind = OptimalTreeClassifier


class OptimalTreeRegressorCV(RegressorMixin, OptimalTreeCV):
    """An `OptimalTreeRegressor` whose size is chosen by cross-validation.

    See `OptimalTreeClassifierCV`; only differences are described here.

    Parameters
    ----------
    estimator : OptimalTreeRegressor, default=None
        All other settings. None means ``OptimalTreeRegressor()``.
    max_depth : int, default=None
        The largest depth to try, 1 to 8; None means the estimator's, by default 4.
    parameter : {"max_num_nodes", "cost_complexity"}, default="max_num_nodes"
        What is tuned in addition to the depth.
    strategy : {"auto", "all", "up_to_greedy", "as_greedy"}, default="auto"
        The trees to try. With "auto" trees of the observed targets have at least five
        rows in each leaf, and `best_params_` has `min_samples_leaf`; those of the
        forest's predictions, which have less noise, keep the estimator's number.
    cv : int, splitter or iterable, default=5
        The folds; a number means folds of consecutive rows, as in scikit-learn: if the
        order of the rows matters, use ``KFold(5, shuffle=True)``.
    scoring : str or callable, default=None
        The score of the trees; None means R2, the fraction of the variance that is
        explained.
    one_standard_error : bool, default=False
        Choose the size with the fewest nodes, then the least depth, among those whose
        mean score is within one standard error of the best.
    n_jobs : int, default=None
        Number of folds processed in parallel threads; None means 1, -1 all cores.

    Attributes
    ----------
    best_estimator_ : OptimalTreeRegressor
        The estimator with the chosen size, fitted on all rows.
    best_params_, best_score_, best_index_, cv_results_, n_splits_, forest_score_
        As for `OptimalTreeClassifierCV`.
    search_seconds_, was_interrupted_, tree_, status_, coverage_, n_features_in_
        As for `OptimalTreeClassifierCV`.
    feature_names_in_ : ndarray of str
        The names of the columns of `X`, if they have any.

    Examples
    --------
    >>> from sklearn.datasets import load_diabetes
    >>> from murtree import OptimalTreeRegressorCV
    >>> X, y = load_diabetes(return_X_y=True)
    >>> reg = OptimalTreeRegressorCV(max_depth=3).fit(X, y)
    >>> reg.best_params_
    {'max_depth': 3, 'max_num_nodes': 6, 'teacher': 'forest', 'min_samples_leaf': 1}
    >>> round(reg.best_score_, 3)
    0.388
    """

    _kind = OptimalTreeRegressor
