"""Tree: prediction, shape, and validation of saved trees."""

import json
import pickle

import numpy as np
import pytest

from murtree import Tree, export_text


@pytest.fixture
def tree():
    """Return x1 <= 0.5: (x0 <= 2.5: a, b); else c."""
    return Tree(
        children_left=np.array([1, 2, -1, -1, -1], dtype=np.int32),
        children_right=np.array([4, 3, -1, -1, -1], dtype=np.int32),
        feature=np.array([1, 0, -2, -2, -2], dtype=np.int32),
        threshold=np.array([0.5, 2.5, -2.0, -2.0, -2.0]),
        value=np.array([[4, 3, 3], [4, 2, 0], [3, 0, 0], [1, 2, 0], [0, 1, 3]]),
        classes=np.array(["a", "b", "c"]),
        n_features=2,
    )


X = np.array([[2.5, 0.0], [2.6, 0.5], [0.0, 0.6], [9.0, 1.0]])


def test_a_row_goes_left_up_to_the_threshold(tree):
    assert tree.apply(X).tolist() == [2, 3, 4, 4]
    assert tree.predict(X).tolist() == ["a", "b", "c", "c"]


def test_probabilities_are_shares_of_the_leaf(tree):
    expected = [[1, 0, 0], [1 / 3, 2 / 3, 0], [0, 1 / 4, 3 / 4], [0, 1 / 4, 3 / 4]]
    np.testing.assert_allclose(tree.predict_proba(X), expected)


def test_ties_in_a_leaf_go_to_the_first_class(tree):
    value = np.array([[2, 5, 5]] * 5)
    tied = Tree(**{**vars(tree), "value": value})
    assert tied.predict(X).tolist() == ["b"] * 4


def test_decision_path_contains_the_nodes_passed(tree):
    path = tree.decision_path(X)
    assert path.format == "csr"
    assert path.toarray().tolist() == [
        [1, 1, 1, 0, 0],
        [1, 1, 0, 1, 0],
        [1, 0, 0, 0, 1],
        [1, 0, 0, 0, 1],
    ]


def test_shape_of_the_tree(tree):
    assert (tree.n_nodes, tree.n_leaves, tree.depth) == (2, 3, 2)
    assert repr(tree) == "Tree(n_nodes=2, depth=2)"


def test_a_lone_leaf():
    leaf = Tree(
        children_left=np.array([-1], dtype=np.int32),
        children_right=np.array([-1], dtype=np.int32),
        feature=np.array([-2], dtype=np.int32),
        threshold=np.array([-2.0]),
        value=np.array([[1, 2]]),
        classes=np.array([False, True]),
        n_features=3,
    )
    assert (leaf.n_nodes, leaf.n_leaves, leaf.depth) == (0, 1, 0)
    assert leaf.predict(np.zeros((2, 3))).tolist() == [True, True]
    assert leaf.decision_path(np.zeros((2, 3))).toarray().tolist() == [[1], [1]]
    assert Tree.from_dict(leaf.to_dict()).to_dict() == leaf.to_dict()


@pytest.fixture
def labelled(tree):
    return Tree(**{**vars(tree), "label": np.array([2, 1, 1, 0, 2], dtype=np.int32)})


def test_a_label_need_not_be_the_heaviest_class(labelled):
    assert labelled.predict(X).tolist() == ["b", "a", "c", "c"]
    assert labelled.misclassified == 3 + 2 + 1
    assert "class: b (3 of 3 wrong)" in export_text(labelled)
    np.testing.assert_allclose(labelled.predict_proba(X)[0], [1, 0, 0])


def test_labels_and_real_weights_are_saved(labelled):
    real = Tree(**{**vars(labelled), "value": labelled.value / 4})
    for before in (labelled, real):
        saved = json.loads(json.dumps(before.to_dict()))
        after = Tree.from_dict(saved)
        assert after.to_dict() == before.to_dict()
        assert after.value.dtype == before.value.dtype
        assert after.predict(X).tolist() == ["b", "a", "c", "c"]
    assert real.misclassified == 1.5
    assert "class: b (0.75 of 0.75 wrong)" in export_text(real)


@pytest.fixture
def means(tree):
    return Tree(
        **{
            **vars(tree),
            "value": np.array([[0.5], [0.25], [-1.0], [1.5], [1e12]]),
            "classes": None,
            "weight": np.array([10.0, 6.0, 3.0, 3.0, 4.0]),
        }
    )


def test_a_regression_tree_predicts_means(means):
    assert means.predict(X).tolist() == [-1.0, 1.5, 1e12, 1e12]
    after = Tree.from_dict(json.loads(json.dumps(means.to_dict())))
    assert after.to_dict() == means.to_dict()
    assert after.predict(X).tolist() == means.predict(X).tolist()
    assert "value: 1.5 (3 rows)" in export_text(means)
    for attempt in (lambda: means.misclassified, lambda: means.predict_proba(X)):
        with pytest.raises(TypeError, match="no classes"):
            attempt()


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("label", [0, 0, 0, 0]),
        ("label", [0, 0, 0, 0, 3]),
        ("label", [0, 0, 0, 0, -1]),
        ("label", [0, 0, 0, 0, 0.5]),
        ("label", "abc"),
        ("value", [[1.0, 2.0, float("inf")]] * 5),
    ],
)
def test_a_damaged_label_is_refused(labelled, entry, value):
    with pytest.raises(ValueError, match=f"^The {entry!r} entry of a saved tree must"):
        Tree.from_dict(labelled.to_dict() | {entry: value})


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("weight", None),
        ("weight", [1.0, 1.0, 1.0, 1.0]),
        ("weight", [1.0, 1.0, 1.0, 1.0, 0.0]),
        ("weight", [1.0, 1.0, 1.0, 1.0, float("nan")]),
        ("value", [[0.5, 1.0]] * 5),
        ("value", [[0.5]] * 4),
        ("value", [[float("nan")]] * 5),
        ("label", [0, 0, 0, 0, 1]),
    ],
)
def test_a_damaged_regression_tree_is_refused(means, entry, value):
    with pytest.raises(ValueError, match=f"^The {entry!r} entry of a saved tree must"):
        Tree.from_dict(means.to_dict() | {entry: value})


def test_no_rows_give_no_labels(tree):
    assert tree.predict(np.empty((0, 2))).shape == (0,)


def test_arrays_are_read_only(tree):
    with pytest.raises(ValueError, match="read-only"):
        tree.feature[0] = 1
    with pytest.raises(AttributeError):
        tree.feature = None


def test_tree_does_not_freeze_the_callers_array(tree):
    mine = np.array([0.5, 2.5, -2.0, -2.0, -2.0])
    made = Tree(**{**vars(tree), "threshold": mine})
    assert mine.flags.writeable
    assert not made.threshold.flags.writeable


@pytest.mark.parametrize(
    "labels",
    [
        np.array(["a", "b", "c"]),
        np.array(["a", "b", "c"], dtype=object),
        np.array([-1, 5, 2**40]),
        np.array([1, 2, 3], dtype=np.int8),
        np.array([1.0, 2.0, 3.0]),
    ],
)
def test_json_and_back(tree, labels):
    before = Tree(**{**vars(tree), "classes": labels})
    after = Tree.from_dict(json.loads(json.dumps(before.to_dict())))
    assert after.to_dict() == before.to_dict()
    assert after.classes.dtype == labels.dtype
    np.testing.assert_array_equal(after.predict(X), before.predict(X))


def test_pickle(tree):
    assert pickle.loads(pickle.dumps(tree)).to_dict() == tree.to_dict()


@pytest.mark.parametrize(
    ("entry", "value"),
    [
        ("format", "other"),
        ("version", 3),
        ("n_features", 1),
        ("n_features", "2"),
        ("n_features", None),
        ("classes", ["a", "b"]),
        ("classes", ["a", "b", "b"]),
        ("classes", "abc"),
        ("classes", [1, 2, 3]),
        ("classes_dtype", "M8[s]"),
        ("classes_dtype", "nonsense"),
        ("classes_dtype", 3),
        ("children_left", [1, 2, -1, -1]),
        ("children_left", [1, 2, -1, -1, 4]),
        ("children_left", [0, 2, -1, -1, -1]),
        ("children_left", [2, 1, -1, -1, -1]),
        ("children_left", [1, 99, -1, -1, -1]),
        ("children_left", [1, 2.5, -1, -1, -1]),
        ("children_left", [1, 2**40, -1, -1, -1]),
        ("children_left", "12"),
        ("children_right", [4, 4, -1, -1, -1]),
        ("feature", [1, 7, -2, -2, -2]),
        ("feature", [1, 0, -1, -2, -2]),
        ("feature", [1, 0, 0, -2, -2]),
        ("threshold", [float("nan"), 2.5, -2.0, -2.0, -2.0]),
        ("threshold", [0.5, float("inf"), -2.0, -2.0, -2.0]),
        ("threshold", ["0.5", 2.5, -2.0, -2.0, -2.0]),
        ("value", [[4, 3, 3]]),
        ("value", [[4, 3], [4, 2], [3, 0], [1, 2], [0, 1]]),
        ("value", [[4, 3, 3], [4, 2, 0], [3, 0, 0], [0, 0, 0], [0, 1, 3]]),
        ("value", [[4, 3, 3], [4, 2, 0], [3, -1, 0], [1, 2, 0], [0, 1, 3]]),
        ("value", [[4, 3, 3], [4, 2], [3, 1, 0], [1, 2, 0], [0, 1, 3]]),
    ],
)
def test_a_damaged_tree_is_refused(tree, entry, value):
    damaged = tree.to_dict() | {entry: value}
    with pytest.raises(ValueError, match="of a saved tree must be"):
        Tree.from_dict(damaged)


def test_a_tree_without_an_entry_is_refused(tree):
    for entry in tree.to_dict():
        damaged = tree.to_dict()
        del damaged[entry]
        with pytest.raises(ValueError, match="of a saved tree must be"):
            Tree.from_dict(damaged)
    with pytest.raises(TypeError, match="must be a dict"):
        Tree.from_dict([])


@pytest.mark.parametrize(
    ("rows", "error", "message"),
    [
        ([1.0, 2.0], ValueError, "Expected 2D array, got 1D"),
        ([[1.0]], ValueError, "X has 1 features, but this tree is expecting 2"),
        ([[1.0, float("nan")]], ValueError, "contains NaN"),
        ([["a", "b"]], TypeError, "must hold numbers"),
    ],
)
def test_bad_rows_are_refused(tree, rows, error, message):
    with pytest.raises(error, match=message):
        tree.predict(rows)
