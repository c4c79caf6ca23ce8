"""Tuning by cross-validation: scores by hand, the choice, strategies and prices.

These are the strategies of the paper; `test_families` is about the default.
"""

from functools import partial
from itertools import pairwise

import joblib
import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.data import noisy_bits
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from murtree import (
    OptimalTreeClassifier,
    OptimalTreeClassifierCV,
    OptimalTreeRegressor,
    OptimalTreeRegressorCV,
    Solver,
    TableBinarizer,
)
from murtree._estimators.cv import compare as _comparison
from murtree._estimators.cv.fold import (
    Fold,
)
from murtree._estimators.cv.select import choose, penalties

BINARY = OptimalTreeClassifier(binarizer=None)
classifier_cv = partial(OptimalTreeClassifierCV, strategy="all")
regressor_cv = partial(OptimalTreeRegressorCV, strategy="all")
# Ties are broken by the fewest nodes, then by the first columns, independently of other
# parameters and of pruning.
TIES_BY_SIZE_AND_COLUMN = {
    "fewest_nodes": True,
    "solver_options": {
        "feature_order": "in-order",
        "first_tree": False,
        "refined_bound": False,
    },
}


def sizes(max_depth):
    """Return the depths and nodes of all sizes; the first is a leaf."""
    some = [(d, m) for d in range(1, max_depth + 1) for m in range(d, 2**d)]
    return [(0, 0), *some]


def grid(max_depth):
    return [{"max_depth": [d], "max_num_nodes": [m]} for d, m in sizes(max_depth)]


def weighted(right, weight):
    return sum(w for ok, w in zip(right, weight, strict=True) if ok) / sum(weight)


@st.composite
def problems(draw):
    X, y = noisy_bits(draw(st.integers(0, 2**32 - 1)), draw(st.integers(20, 50)), 5)
    kind = draw(st.sampled_from(["none", "whole", "real"]))
    if kind == "none":
        return X, y, None
    weight = np.random.default_rng(draw(st.integers(0, 99))).integers(1, 4, y.size)
    return X, y, weight if kind == "whole" else weight / 7


@settings(max_examples=40, deadline=None)
@given(problems(), st.integers(1, 3), st.integers(2, 4))
def test_scores_are_those_of_single_searches(problem, max_depth, n_splits):
    X, y, weight = problem
    folds = list(KFold(n_splits).split(X))
    tuned = classifier_cv(estimator=BINARY, max_depth=max_depth, cv=folds)
    tuned.fit(X, y, weight)
    counts = np.ones(y.size) if weight is None else weight
    for number, (train, test) in enumerate(folds):
        rows = (X[train], y[train], None if weight is None else weight[train])
        for position, (depth, nodes) in enumerate(sizes(max_depth)):
            # All optimal trees share the training score; test scores are those of the
            # frontier.
            wrong = Solver(*rows).solve(depth, nodes).objective / counts[train].sum()
            trained = tuned.cv_results_[f"split{number}_train_score"][position]
            assert trained == pytest.approx(1 - wrong)
            tree = Solver(*rows).frontier(depth)[nodes].tree
            score = weighted(tree.predict(X[test]) == y[test], counts[test].tolist())
            tested = tuned.cv_results_[f"split{number}_test_score"][position]
            assert tested == pytest.approx(score)
    means = tuned.cv_results_["mean_test_score"]
    assert tuned.best_index_ == list(means).index(max(means))
    depth, nodes = sizes(max_depth)[tuned.best_index_]
    assert tuned.best_params_ == {"max_depth": depth, "max_num_nodes": nodes}
    refit = Solver(X, y, weight).solve(depth, nodes)
    assert tuned.best_estimator_.objective_ == refit.objective
    assert (tuned.status_, tuned.n_splits_) == ("optimal", n_splits)


@settings(max_examples=20, deadline=None)
@given(
    st.integers(0, 2**32 - 1),
    st.integers(15, 50),
    st.integers(1, 3),
    st.sampled_from([{}, {"min_samples_leaf": 3}, {"class_weight": {0: 2, 1: 1}}]),
)
def test_all_scores_equal_grid_search_if_ties_are_broken_equally(
    seed, n_rows, max_depth, more
):
    X, y = noisy_bits(seed, n_rows, 7)
    folds = list(KFold(3).split(X))
    tree = clone(BINARY).set_params(**TIES_BY_SIZE_AND_COLUMN, **more)
    ours = classifier_cv(estimator=tree, max_depth=max_depth, cv=folds)
    theirs = GridSearchCV(tree, grid(max_depth), cv=folds, return_train_score=True)
    ours.fit(X, y)
    theirs.fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    for key, value in ours.cv_results_.items():
        if key in theirs.cv_results_ and key != "params":
            assert list(value) == pytest.approx(list(theirs.cv_results_[key])), key
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_choice_equals_grid_search():
    X, y = load_diabetes(return_X_y=True)  # real targets, so that no trees are tied
    tree = OptimalTreeRegressor(binarizer=TableBinarizer(n_thresholds=4))
    ours = regressor_cv(estimator=tree, max_depth=3, cv=3).fit(X, y)
    theirs = GridSearchCV(tree, grid(3), cv=3, return_train_score=True).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == theirs.best_score_
    for key, value in ours.cv_results_.items():
        if key in theirs.cv_results_ and key != "params":
            np.testing.assert_allclose(value, theirs.cv_results_[key], rtol=1e-12)
    assert ours.cv_results_["params"] == theirs.cv_results_["params"]
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


def test_choice_equals_grid_search_in_classification():
    X, y = load_iris(return_X_y=True)
    tree = OptimalTreeClassifier(fewest_nodes=True)
    ours = classifier_cv(estimator=tree, max_depth=2).fit(X, y)
    theirs = GridSearchCV(tree, grid(2), cv=5).fit(X, y)
    assert ours.best_params_ == theirs.best_params_
    assert ours.best_score_ == theirs.best_score_
    ranks = theirs.cv_results_["rank_test_score"]
    np.testing.assert_array_equal(ours.cv_results_["rank_test_score"], ranks)


def test_binarizer_sees_training_rows_only():
    X = np.arange(12.0)[:, np.newaxis]
    y = (X[:, 0] > 5).astype(int)
    seen = []

    class Spy(TableBinarizer):
        def _fit_codes(self, columns, codes, *more, **options):
            seen.append(np.ravel(codes).tolist())
            return super()._fit_codes(columns, codes, *more, **options)

    folds = [(np.arange(2, 12), np.arange(2)), (np.arange(10), np.arange(10, 12))]
    tree = OptimalTreeClassifier(binarizer=Spy())
    classifier_cv(estimator=tree, max_depth=2, cv=folds).fit(X, y)
    assert seen[:2] == [list(range(2, 12)), list(range(10))]
    assert seen[2:] == [list(range(12))]


FIVE = [(1, 1), (2, 2), (2, 2), (3, 3), (3, 4)]


@pytest.mark.parametrize(
    ("sizes", "means", "expected"),
    [
        # The best scores are 0.9, 0.8 and 0.7, so one standard error is 0.0577.
        (FIVE, [0.75, 0.70, 0.76, 0.80, 0.79], 0),
        (FIVE, [0.74, 0.70, 0.76, 0.80, 0.79], 2),
        (FIVE, [0.74, 0.745, 0.74, 0.80, 0.79], 1),
        (FIVE, [0.74, 0.70, 0.70, 0.80, 0.79], 3),
        ([(3, 3), (2, 3), (3, 4)], [0.65, 0.65, 0.70], 1),  # the least depth
    ],
)
def test_one_standard_error(sizes, means, expected):
    spread = np.array([0.1, 0.0, -0.1])
    scores = np.array(means)[:, np.newaxis] + spread
    results = {f"split{k}_test_score": scores[:, k] for k in range(3)}
    results["mean_test_score"] = scores.mean(axis=1)
    results["param_max_depth"], results["param_max_num_nodes"] = np.array(sizes).T
    assert choose(results, "test", one_standard_error=True) == expected
    assert choose(results, "test", one_standard_error=False) == np.argmax(means)


def test_auto_is_the_same_in_the_estimator_and_the_binarizer():
    X, y = load_breast_cancer(return_X_y=True)
    usual = classifier_cv(max_depth=2, cv=2).fit(X, y)
    strict = TableBinarizer(strategy="auto", handle_unknown="error")
    tree = OptimalTreeClassifier(binarizer=strict)
    same = classifier_cv(estimator=tree, max_depth=2, cv=2).fit(X, y)
    assert same.binarizer_.predicates_ == usual.binarizer_.predicates_
    assert same.binarizer_.handle_unknown == "error"
    assert strict.max_columns is None


def test_one_standard_error_gives_a_smaller_tree():
    X, y = load_breast_cancer(return_X_y=True)
    options = {"estimator": OptimalTreeClassifier(binarizer="quantile"), "max_depth": 3}
    best = classifier_cv(**options).fit(X, y)
    small = classifier_cv(one_standard_error=True, **options).fit(X, y)
    assert best.best_params_ == {"max_depth": 3, "max_num_nodes": 7}
    assert small.best_params_["max_num_nodes"] < 7
    assert small.best_score_ < best.best_score_
    assert small.best_score_ == small.cv_results_["mean_test_score"][small.best_index_]


def test_weights_count_in_scores_and_training():
    X, y = noisy_bits(3)
    weight = np.where(np.arange(y.size) % 3, 1, 5)
    folds = list(KFold(3).split(X))
    tuned = classifier_cv(estimator=BINARY, max_depth=2, cv=folds)
    by_weight = clone(tuned).fit(X, y, weight)
    copies = np.repeat(np.arange(y.size), weight)
    same_folds = [
        tuple(np.flatnonzero(np.isin(copies, part)) for part in fold) for fold in folds
    ]
    by_copy = clone(tuned).set_params(cv=same_folds).fit(X[copies], y[copies])
    plain = clone(tuned).fit(X, y)
    for key in ("mean_test_score", "mean_train_score"):
        np.testing.assert_allclose(by_weight.cv_results_[key], by_copy.cv_results_[key])
        assert (by_weight.cv_results_[key] != plain.cv_results_[key]).any()


@pytest.mark.parametrize("scoring", [None, "balanced_accuracy", "neg_log_loss"])
def test_jobs_change_nothing(scoring):
    X, y = noisy_bits(5)
    tuned = classifier_cv(estimator=BINARY, max_depth=3, scoring=scoring)
    alone, together = (clone(tuned).set_params(n_jobs=n).fit(X, y) for n in (None, 2))
    assert alone.best_params_ == together.best_params_
    for key, value in alone.cv_results_.items():
        np.testing.assert_array_equal(value, together.cv_results_[key])


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_all_backends_of_joblib_work(backend):
    X, y = noisy_bits(5)
    tuned = classifier_cv(estimator=BINARY, max_depth=2, cv=3)
    expected = clone(tuned).fit(X, y).cv_results_["mean_test_score"]
    with joblib.parallel_backend(backend, n_jobs=2):
        tuned.fit(X, y)
    assert tuned.cv_results_["mean_test_score"].tolist() == expected.tolist()


@pytest.mark.parametrize("room", [0, 20_000, 2**28])
def test_discarded_folds_are_fitted_again(room, monkeypatch):
    X, y = noisy_bits(5)
    tuned = classifier_cv(estimator=BINARY, max_depth=3, cv=4)
    expected = clone(tuned).fit(X, y).cv_results_
    made = []
    of = Fold.of
    monkeypatch.setattr(_comparison, "KEPT", room)
    monkeypatch.setattr(Fold, "of", lambda *a: made.append(of(*a)) or made[-1])
    tuned.fit(X, y)
    n_kept = min(room // made[0].n_bytes, 4)
    assert n_kept in (0, 1, 4)
    assert len(made) == n_kept + 3 * (4 - n_kept)
    for key, value in expected.items():
        np.testing.assert_array_equal(value, tuned.cv_results_[key])


def test_threads_have_the_settings_of_scikit_learn():
    seen = []

    def score(estimator, X, y):
        seen.append(sklearn.get_config()["working_memory"])
        return estimator.score(X, y)

    X, y = noisy_bits(5)
    tuned = classifier_cv(estimator=BINARY, max_depth=2, cv=3, scoring=score, n_jobs=2)
    with sklearn.config_context(working_memory=77):
        tuned.fit(X, y)
    assert set(seen) == {77}


def test_scoring():
    X, y = load_iris(return_X_y=True)
    folds = list(StratifiedKFold(3).split(X, y))
    named = classifier_cv(max_depth=2, cv=folds, scoring="balanced_accuracy")
    named.fit(X, y)
    made = clone(named).set_params(scoring=make_scorer(balanced_accuracy_score))

    def own(estimator, X, y):
        return balanced_accuracy_score(y, estimator.predict(X))

    called = clone(named).set_params(scoring=own)
    for other in (made.fit(X, y), called.fit(X, y)):
        for key in ("mean_test_score", "mean_train_score"):
            np.testing.assert_allclose(other.cv_results_[key], named.cv_results_[key])
    train, test = folds[0]
    tree = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X[train], y[train])
    predicted = tree.frontier_[2].tree.predict(X[test])
    score = balanced_accuracy_score(y[test], predicted)
    assert named.cv_results_["split0_test_score"][2] == pytest.approx(score)


def test_training_scores_ignore_class_weights():
    X, y = noisy_bits(7)
    tree = clone(BINARY).set_params(class_weight={0: 10.0})
    folds = [(np.arange(40), np.arange(40, 60))]
    tuned = classifier_cv(estimator=tree, max_depth=1, cv=folds).fit(X, y)
    fitted = clone(tree).set_params(max_depth=1).fit(X[:40], y[:40])
    assert tuned.cv_results_["mean_train_score"][1] == fitted.score(X[:40], y[:40])


def test_leaf_is_chosen_if_no_test_helps():
    rng = np.random.default_rng(1)
    X = rng.normal(size=(60, 3))
    y = np.repeat([0, 1], [45, 15])  # rows are shuffled, so there is nothing to learn
    tuned = classifier_cv(max_depth=2, cv=5).fit(rng.permutation(X), y)
    assert tuned.best_params_ == {"max_depth": 0, "max_num_nodes": 0}
    assert tuned.best_score_ == tuned.cv_results_["mean_test_score"][0] == 0.75
    assert (tuned.get_depth(), tuned.get_n_leaves(), tuned.status_) == (0, 1, "optimal")
    assert set(tuned.predict(X)) == {0}
    targets = rng.normal(size=60)
    alone = regressor_cv(max_depth=1, cv=3).fit(X, targets)
    assert alone.best_params_ == {"max_depth": 0, "max_num_nodes": 0}
    assert alone.predict(X[:1]) == pytest.approx([targets.mean()])


# --- strategies ---


@pytest.mark.parametrize("seed", range(4))
def test_strategies_of_the_paper(seed):
    X, y = noisy_bits(seed)
    folds = list(StratifiedKFold(3).split(X, y))
    cart, depths = DecisionTreeClassifier(random_state=0), {"max_depth": [1, 2, 3]}
    cart = GridSearchCV(cart, depths, cv=folds).fit(X, y).best_estimator_
    depth, nodes = cart.get_depth(), cart.get_n_leaves() - 1
    every, reduced, fixed = (
        classifier_cv(estimator=BINARY, max_depth=3, cv=folds, strategy=strategy).fit(
            X, y
        )
        for strategy in ("all", "up_to_greedy", "as_greedy")
    )
    assert [tuple(p.values()) for p in every.cv_results_["params"]] == sizes(3)
    tried = [tuple(p.values()) for p in reduced.cv_results_["params"]]
    assert tried == [(d, m) for d, m in sizes(3) if d <= depth and m <= nodes]
    assert fixed.best_params_ == {"max_depth": depth, "max_num_nodes": nodes}
    assert fixed.best_score_ <= reduced.best_score_ <= every.best_score_
    assert fixed.best_estimator_.objective_ <= (cart.predict(X) != y).sum()


def test_strategies_in_regression():
    X, y = load_diabetes(return_X_y=True)
    tree = OptimalTreeRegressor(
        binarizer=TableBinarizer(n_thresholds=3), min_samples_leaf=5
    )
    folds = list(KFold(3).split(X))
    fixed = regressor_cv(
        estimator=tree, max_depth=2, cv=folds, strategy="as_greedy"
    ).fit(X, y)
    bits = TableBinarizer(n_thresholds=3).fit_transform(X)
    cart = DecisionTreeRegressor(max_depth=2, min_samples_leaf=5, random_state=0)
    cart.fit(bits, y)
    assert fixed.best_params_["max_num_nodes"] == cart.get_n_leaves() - 1
    assert fixed.best_estimator_.objective_ <= ((cart.predict(bits) - y) ** 2).sum()


@pytest.mark.parametrize("strategy", ["up_to_greedy", "as_greedy"])
@pytest.mark.parametrize("binarizer", [None, "auto"])
def test_greedy_tree_that_is_a_leaf(strategy, binarizer):
    X, y = np.ones((9, 2), dtype=int), np.array([0, 0, 1] * 3)
    tree = OptimalTreeClassifier(binarizer=binarizer)
    tuned = classifier_cv(estimator=tree, cv=3, strategy=strategy).fit(X, y)
    assert tuned.best_params_ == {"max_depth": 0, "max_num_nodes": 0}
    assert tuned.get_depth() == 0
    assert tuned.best_score_ == pytest.approx(2 / 3)


# --- prices ---


def test_prices_come_from_all_rows():
    X, y = noisy_bits(11)
    tuned = classifier_cv(
        estimator=BINARY, max_depth=2, parameter="cost_complexity", cv=3
    ).fit(X, y)
    expected = []
    for depth in (1, 2):
        breaks = [c for c, _ in Solver(X, y).frontier(depth).breakpoints]
        middles = [np.sqrt(a * b) for a, b in pairwise(breaks)]
        expected += [(depth, c) for c in (10 * breaks[0], *middles, 0.0)]
    tried = [tuple(params.values()) for params in tuned.cv_results_["params"]]
    np.testing.assert_allclose(tried, expected)
    assert tuned.cv_results_["mean_n_nodes"][0] == 0
    for number, (train, test) in enumerate(StratifiedKFold(3).split(X, y)):
        for position, (depth, price) in enumerate(tried):
            best = Solver(X[train], y[train]).frontier(depth).best(price)
            score = (best.tree.predict(X[test]) == y[test]).mean()
            assert tuned.cv_results_[f"split{number}_test_score"][position] == score
    chosen = OptimalTreeClassifier(binarizer=None, **tuned.best_params_).fit(X, y)
    assert chosen.objective_ == tuned.best_estimator_.objective_


def test_prices_if_no_node_is_worth_its_price():
    leaf = Solver([[0], [1], [0], [1]], [0, 0, 1, 1]).frontier(1)
    assert penalties(leaf) == [0.0]
