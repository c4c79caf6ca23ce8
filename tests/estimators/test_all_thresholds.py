"""binarizer="exact" gives the same with ranks as with a 0/1 column for each test."""

import numpy as np
import pandas as pd
import pytest
from oracle.fuzz_tables import fitted_both
from oracle.interrupts import SOON, Interrupt, on_signals

from murtree import NotProvenWarning, OptimalTreeClassifier, TimeLimitWarning
from murtree._estimators import prepare


def mixed_table(seed, n_rows=60):
    """Return numbers with ties, missing values, a 0/1, and a text column."""
    rng = np.random.default_rng(seed)
    table = pd.DataFrame(
        {
            "real": rng.normal(size=n_rows),
            "ties": rng.integers(0, 5, n_rows),
            "gaps": np.where(rng.random(n_rows) < 0.2, np.nan, rng.random(n_rows)),
            "flag": rng.integers(0, 2, n_rows),
            "same": 7.0,
            "text": rng.choice(["a", "b", "c"], n_rows),
            "void": np.where(
                rng.random(n_rows) < 0.2, None, rng.choice(["x", "y"], n_rows)
            ),
        }
    )
    score = (table.real > 0.3).astype(int) + (table.text == "a") + table.gaps.isna()
    noise = rng.random(n_rows) < 0.2
    return table, np.where(noise, rng.integers(0, 3, n_rows), score.clip(0, 2))


OPTIONS = [
    {},
    {"class_weight": "balanced"},
    {"class_weight": {0: 0, 1: 1, 2: 3}},
    {"objective": "balanced_accuracy"},
    {"objective": [[0, 1, 4], [2, 0, 1], [1, 1, 0]]},
    {"max_num_nodes": 3},
    {"cost_complexity": 0.03},
    {"cost_complexity": 0.08, "max_depth": None},
    {"fewest_nodes": True},
    {"min_samples_leaf": 5},
    {"min_weight_fraction_leaf": 0.1},
    {"min_weight_fraction_leaf": 0.1, "class_weight": "balanced"},
    {"frontier": True},
]


@pytest.mark.parametrize("weights", ["none", "zeros", "real"])
@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.parametrize("seed", range(2))
def test_ranks_give_the_same_objective(options, weights, seed):
    table, y = mixed_table(seed)
    rng = np.random.default_rng(seed)
    weight = {
        "none": None,
        "zeros": rng.integers(0, 3, len(y)),
        "real": rng.random(len(y)),
    }[weights]
    options = {"max_depth": 2 + seed} | options
    ranked, usual = fitted_both(table, y, weight, binarizer="exact", **options)
    assert ranked.status_ == usual.status_ == "optimal"
    # Prices are rounded.
    allowed = 0.01 if "cost_complexity" in options else 1e-6
    assert ranked.objective_ == pytest.approx(usual.objective_, abs=allowed)
    if "fewest_nodes" in options:
        assert ranked.n_nodes_ == usual.n_nodes_
    if "frontier" in options:
        pairs = zip(ranked.frontier_, usual.frontier_, strict=True)
        for one, other in pairs:
            assert one.objective == pytest.approx(other.objective, abs=1e-6)
    if options == {"max_depth": 2 + seed}:
        weight = np.ones(len(y)) if weight is None else weight
        errors = weight[ranked.predict(table) != y].sum()
        assert ranked.objective_ == pytest.approx(errors)


def noise(n_rows=1500, n_columns=15, n_classes=2, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n_rows, n_columns)), rng.integers(0, n_classes, n_rows)


@pytest.mark.parametrize("options", [{}, {"frontier": True}, {"n_classes": 4}])
def test_at_the_time_limit_the_best_tree_so_far_is_returned(options):
    table, y = noise(n_classes=options.pop("n_classes", 2))
    clf = OptimalTreeClassifier(max_depth=4, binarizer="exact", time_limit=0.5)
    clf.set_params(**options)
    with pytest.warns(TimeLimitWarning):
        clf.fit(table, y)
    assert clf.status_ == "time_limit"
    assert clf.lower_bound_ < clf.objective_
    assert clf.objective_ == (clf.predict(table) != y).sum()


def rule(seed, shape, cuts, share_of_noise, decimals=9):
    """Return numbers, and classes that change at a cut of each of the first columns."""
    rng = np.random.default_rng(seed)
    table = rng.normal(size=shape).round(decimals)
    is_one = (table[:, : len(cuts)] > cuts).sum(axis=1) % 2 == 1
    return table, is_one ^ (rng.random(shape[0]) < share_of_noise)


# Local search of these tables finds that a part of the tree, or all of it, is best as a
# leaf. It then looked for the test of that leaf, which ended the process.
@pytest.mark.parametrize(
    ("data", "options"),
    [
        (rule(7, (1000, 10), [0, 0.3, 0.5], 0.02), {"max_num_nodes": 12}),
        (
            rule(0, (500, 4), [0.2, 0.5], 0.1, decimals=2),
            {"max_depth": None, "cost_complexity": 0.02},
        ),
        (noise(5000, 5, seed=1), {"max_depth": 5}),
    ],
    ids=["few nodes", "a price", "noise"],
)
@pytest.mark.parametrize("time_limit", [0.1, 0.5])
def test_local_search_may_replace_a_part_by_a_leaf(data, options, time_limit):
    table, y = data
    options = {"max_depth": 4, "time_limit": time_limit} | options
    clf = OptimalTreeClassifier(binarizer="exact", **options)
    with pytest.warns(TimeLimitWarning):
        clf.fit(table, y)
    errors = (clf.predict(table) != y).sum()
    price = options.get("cost_complexity", 0) * len(y)
    assert clf.objective_ == pytest.approx(errors + price * clf.n_nodes_)
    assert 0 <= clf.lower_bound_ <= clf.objective_
    assert clf.n_nodes_ <= options.get("max_num_nodes", 31)


def test_a_callback_sees_better_trees_and_stops_the_search():
    table, y = noise()
    seen = []

    def stop(progress):
        seen.append(progress)
        return progress.seconds > 0.5

    clf = OptimalTreeClassifier(max_depth=4, binarizer="exact", callback=stop)
    with pytest.warns(NotProvenWarning):
        clf.fit(table, y)
    assert clf.status_ == "interrupted"
    objectives = [one.objective for one in seen if one.tree] + [clf.objective_]
    assert objectives == sorted(objectives, reverse=True)
    bounds = [one.lower_bound for one in seen]
    assert bounds == sorted(bounds)
    assert all(0 <= one.share <= 1 for one in seen if one.share is not None)


@on_signals
def test_ctrl_c_ends_the_fit():
    clf = OptimalTreeClassifier(max_depth=4, binarizer="exact")
    with Interrupt() as interrupt, pytest.raises(KeyboardInterrupt):
        clf.fit(*noise())
    assert interrupt.back - interrupt.sent < SOON


@pytest.mark.parametrize("y", [[0] * 5, [0, 1, 0, 1, 1]])
def test_no_threshold_gives_a_leaf(monkeypatch, y):
    monkeypatch.setattr(prepare, "are_ranked", lambda *_: True)
    clf = OptimalTreeClassifier(max_depth=3, binarizer="exact")
    clf.fit(np.ones((5, 2)), y)
    assert (clf.status_, clf.n_nodes_) == ("optimal", 0)
    assert clf.objective_ == 5 - np.bincount(y).max()


def test_auto_takes_candidates_where_leaf_sizes_make_all_thresholds_slow():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(50_000, 5))
    y = (X[:, 0] > 0) ^ (rng.random(50_000) < 0.3)
    free = OptimalTreeClassifier(max_depth=2).fit(X, y)
    sized = OptimalTreeClassifier(max_depth=2, min_samples_leaf=5).fit(X, y)
    assert free.coverage_.is_complete
    assert not sized.coverage_.is_complete
    assert free.status_ == sized.status_ == "optimal"
    few = OptimalTreeClassifier(max_depth=2, min_samples_leaf=5).fit(X[:1000], y[:1000])
    assert few.coverage_.is_complete


@pytest.mark.parametrize(("least", "threshold"), [(1, 9), (2, 9), (3, 2.5)])
def test_the_widest_gap_with_which_leaves_are_large_enough(least, threshold):
    values = [0.0, 1.0, 2.0, 3.0, 4.0, 14.0, 15.0]
    clf = OptimalTreeClassifier(
        max_depth=2, max_num_nodes=1, min_samples_leaf=least, binarizer="exact"
    )
    clf.fit(np.array(values)[:, np.newaxis], [0, 0, 0, 1, 0, 1, 1])
    assert (clf.objective_, clf.tree_.threshold[0]) == (1, threshold)


def test_subtrees_stay_large_enough_where_a_cut_is_moved():
    # Cuts of the root at 1.5 and 8 are as good, but a leaf on the right has two rows.
    table = np.array([[0, 1, 2, 3, 4, 5, 6, 7, 15, 16], [0, 0, 0, 0, 0, 0, 0, 1, 1, 0]])
    y = np.array([0, 0, 0, 0, 1, 1, 1, 0, 0, 1])
    clf = OptimalTreeClassifier(max_depth=2, min_samples_leaf=2, binarizer="exact")
    clf.fit(table.T.astype(float), y)
    assert clf.objective_ == 0
    assert np.unique(clf.apply(table.T.astype(float)), return_counts=True)[1].min() >= 2
