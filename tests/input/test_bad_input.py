"""Invalid input raises clear errors before any work starts."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn.exceptions import NotFittedError

from murtree import OptimalTreeClassifier, Solver, TableBinarizer

X = np.array([[0, 1], [1, 0], [1, 1], [0, 0]])
y = np.array([0, 1, 1, 0])
raw = np.array([[0.5, 1.5], [2.5, 0.0], [1.0, 1.0], [0.0, 0.0]])
nan, inf = float("nan"), float("inf")


def with_value(value, dtype=float):
    changed = X.astype(dtype)
    changed[2, 1] = value
    return changed


BAD_FEATURES = [
    (with_value(nan), ValueError, "X contains NaN"),
    (with_value(inf), ValueError, "X contains infinity"),
    (with_value(-inf), ValueError, "X contains infinity"),
    (with_value(0.5), ValueError, r"must hold only 0 and 1\. Got 0\.5 in row 2, col"),
    (
        with_value(-1),
        ValueError,
        r"must hold only 0 and 1\. Got -1\.0 in row 2, column 1",
    ),
    (
        with_value(2, int),
        ValueError,
        r"must hold only 0 and 1\. Got 2 in row 2, column 1",
    ),
    (with_value(256, int), ValueError, "must hold only 0 and 1"),
    (with_value(-1, int), ValueError, "must hold only 0 and 1"),
    (with_value(2**63, np.uint64), ValueError, "must hold only 0 and 1"),
    (with_value("a", object), ValueError, "must hold only 0 and 1"),
    (with_value(None, object), ValueError, "NaN|must hold only 0 and 1"),
    (X.astype(str), TypeError, "must hold only 0 and 1"),
    (X.astype(complex), TypeError, "must hold only 0 and 1"),
    (X[:, 0], ValueError, "Expected 2D array, got 1D array instead"),
    (X[np.newaxis], ValueError, "Expected 2D array, got 3D array instead"),
    (1, ValueError, "Expected 2D array, got 0D array instead"),
    (X[:1], ValueError, r"1 sample\(s\) .* while a minimum of 2 is required"),
    (X[:0], ValueError, r"0 sample\(s\) .* while a minimum of 2 is required"),
    (X[:, :0], ValueError, r"0 feature\(s\) .* while a minimum of 1 is required"),
    (sparse.csr_matrix(X), TypeError, "dense data is required"),
    (pd.DataFrame({"a": ["x", "y", "x", "y"]}), ValueError, "must hold only 0 and 1"),
    ([[0, 1], [1], [1, 1], [0, 0]], ValueError, "inhomogeneous shape"),
]


@pytest.mark.parametrize(("features", "error", "message"), BAD_FEATURES)
def test_solver_refuses_features(features, error, message):
    n_rows = features.shape[0] if hasattr(features, "shape") else 4
    with pytest.raises(error, match=message):
        Solver(features, y[:n_rows])


BAD_LABELS = [
    ([0, "a", 1, "b"], TypeError, "Labels must be of one type.*number and str"),
    (np.array([0, "a", 1, "b"], dtype=object), TypeError, "number and str"),
    ([True, 2, False, 3], TypeError, "bool and number"),
    ([None, "a", "b", "a"], ValueError, "a label in every row.*row 0"),
    (pd.Series(["a", None, "b", "a"]), ValueError, "a label in every row.*row 1"),
    ([0.5, 1.5, 2.0, 1.0], ValueError, "Unknown label type: continuous"),
    ([0.0, nan, 1.0, 1.0], ValueError, "y contains NaN"),
    ([0, 1, 1], ValueError, r"inconsistent numbers of samples: \[4, 3\]"),
    ([[0], [1], [1], [0]], ValueError, "y should be a 1d array"),
    (None, ValueError, "y should be a 1d array"),
    (np.array([1j, 0, 0, 0]), ValueError, "y must hold str, int or bool"),
    (np.array(["2020", "2021"] * 2, dtype="M8[Y]"), TypeError, "Labels must be str"),
]


@pytest.mark.parametrize(("labels", "error", "message"), BAD_LABELS)
def test_solver_refuses_labels(labels, error, message):
    with pytest.raises(error, match=message):
        Solver(X, labels)


@pytest.mark.parametrize(
    ("labels", "error", "message"),
    [
        ([0, "a", 1, "b"], TypeError, "Labels must be of one type.*number and str"),
        (np.array([0, "a", 1, "b"], dtype=object), TypeError, "number and str"),
        ([0.5, 1.5, 2.0, 1.0], ValueError, "Unknown label type"),
        ([0.0, nan, 1.0, 1.0], ValueError, "Input y contains NaN"),
        ([0, 1, 1], ValueError, "inconsistent numbers of samples"),
        ([[0, 1], [1, 0], [1, 1], [0, 0]], ValueError, "y should be a 1d array"),
        (None, ValueError, "requires y to be passed"),
    ],
)
def test_classifier_refuses_labels(labels, error, message):
    with pytest.raises(error, match=message):
        OptimalTreeClassifier().fit(raw, labels)


BAD_WEIGHTS = [
    ([1, -1, 1, 1], ValueError, r"sample_weight must be non-negative\. Got -1 instead"),
    ([0, 0, 0, 0], ValueError, "must contain at least one non-zero number"),
    ([1, -0.5, 1, 1], ValueError, r"must be non-negative\. Got -0\.5 instead"),
    ([1, nan, 1, 1], ValueError, "sample_weight contains NaN or infinity"),
    ([1, inf, 1, 1], ValueError, "sample_weight contains NaN or infinity"),
    ([1, 1, 1], ValueError, r"sample_weight\.shape == \(3,\), expected \(4,\)"),
    ([[1], [1], [1], [1]], ValueError, "Sample weights must be 1D array or scalar"),
    (["a", "b", "c", "d"], TypeError, "sample_weight must hold numbers"),
    ([1, "b", None, 2.5], (TypeError, ValueError), "sample_weight must hold numbers"),
    ([2**52, 2**52 - 2, 1, 1], ValueError, r"less than 2\*\*53"),
    ([2**53, 1, 1, 1], ValueError, r"less than 2\*\*53"),
    ([1e300, 1, 1, 1], ValueError, r"less than 2\*\*53"),
    (np.array([2**64 - 1, 1, 1, 1], dtype=np.uint64), ValueError, r"than 2\*\*53"),
]


@pytest.mark.parametrize(("weight", "error", "message"), BAD_WEIGHTS)
def test_weights_are_refused_everywhere(weight, error, message):
    for attempt in (
        lambda: Solver(X, y, weight),
        lambda: OptimalTreeClassifier().fit(raw, y, weight),
        lambda: TableBinarizer().fit(raw, sample_weight=weight),
    ):
        with pytest.raises(error, match=message):
            attempt()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"max_depth": -1},
            ValueError,
            r"must be an int in the range \[0, 20\]. Got -1",
        ),
        (
            {"max_depth": 21},
            ValueError,
            r"must be an int in the range \[0, 20\]. Got 21",
        ),
        ({"max_depth": 2.0}, TypeError, r"'max_depth' .* must be an int .* Got 2\.0"),
        ({"max_depth": "2"}, TypeError, "'max_depth' .* must be an int .* Got '2'"),
        ({"max_depth": True}, TypeError, "'max_depth' .* must be an int .* Got True"),
        ({"max_depth": None}, ValueError, "'max_depth' .* unless there is .* Got None"),
        ({"max_num_nodes": -1}, ValueError, r"'max_num_nodes' .* range \[0, inf\)"),
        ({"max_num_nodes": 1.5}, TypeError, "'max_num_nodes' .* must be an int"),
        ({"time_limit": 0}, ValueError, "'time_limit' .* number of seconds"),
        ({"time_limit": -1.0}, ValueError, "'time_limit' .* number of seconds"),
        ({"time_limit": nan}, ValueError, "'time_limit' .* number of seconds"),
        ({"time_limit": "1"}, TypeError, "'time_limit' .* number of seconds"),
        ({"time_limit": True}, TypeError, "'time_limit' .* number of seconds"),
        ({"min_samples_leaf": 0}, ValueError, r"'min_samples_leaf' .* \[1, inf\)"),
        ({"min_samples_leaf": 0.1}, TypeError, "'min_samples_leaf' .* must be an int"),
        ({"min_samples_leaf": None}, TypeError, "'min_samples_leaf' .* Got None"),
        ({"cost_complexity": -0.1}, ValueError, r"'cost_complexity' .* \[0\.0, inf\)"),
        ({"cost_complexity": nan}, ValueError, "'cost_complexity' .* Got nan"),
        ({"cost_complexity": inf}, ValueError, "'cost_complexity' .* Got inf"),
        ({"cost_complexity": "1"}, TypeError, "'cost_complexity' .* must be a number"),
        ({"cost_complexity": None}, TypeError, "'cost_complexity' .* Got None"),
        ({"cost_complexity": True}, TypeError, "'cost_complexity' .* Got True"),
        ({"fewest_nodes": 1}, TypeError, "'fewest_nodes' .* must be a bool. Got 1"),
        ({"fewest_nodes": None}, TypeError, "'fewest_nodes' .* must be a bool"),
        ({"memory_limit": 0}, ValueError, "'memory_limit' .* positive int .* Got 0"),
        ({"memory_limit": -5}, ValueError, "'memory_limit' .* Got -5"),
        ({"memory_limit": 1.5}, TypeError, r"'memory_limit' .* Got 1\.5"),
        ({"memory_limit": True}, TypeError, "'memory_limit' .* Got True"),
        ({"memory_limit": "0MB"}, ValueError, "'memory_limit' .* Got '0MB'"),
        ({"memory_limit": "-1GB"}, ValueError, "'memory_limit' .* such as '64MB'"),
        ({"memory_limit": "lots"}, ValueError, "'memory_limit' .* Got 'lots'"),
        ({"memory_limit": "64"}, ValueError, "'memory_limit' .* Got '64'"),
        ({"memory_limit": "4G"}, ValueError, "'memory_limit' .* Got '4G'"),
        ({"memory_limit": ""}, ValueError, "'memory_limit' .* Got ''"),
        ({"callback": 3}, TypeError, "'callback' .* must be callable or None. Got 3"),
        ({"callback": "print"}, TypeError, "'callback' .* must be callable"),
        (
            {"on_interrupt": "stop"},
            ValueError,
            r"'on_interrupt' .* among \['raise', 'return'\]. Got 'stop'",
        ),
        ({"on_interrupt": None}, ValueError, "'on_interrupt' .* Got None"),
    ],
)
def test_limits_out_of_range(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        Solver(X, y).solve(**({"max_depth": 2} | arguments))
    assert "of Solver.solve must be" in str(caught.value)
    with pytest.raises(error, match=message) as caught:
        OptimalTreeClassifier(**arguments).fit(raw, y)
    assert "of OptimalTreeClassifier must be" in str(caught.value)
    if not {"cost_complexity", "fewest_nodes"} & set(arguments):
        with pytest.raises(error, match=r"of Solver\.frontier must be"):
            Solver(X, y).frontier(**({"max_depth": 2} | arguments))


@pytest.mark.parametrize("penalty", [0.0, 0.1])
@pytest.mark.parametrize("weight", [None, [1.0, 2.0], [0.3, 0.7]])
@pytest.mark.parametrize(
    ("bound", "error"),
    [
        (-1, ValueError),
        (-0.5, ValueError),
        (nan, ValueError),
        (-inf, ValueError),
        ("1", TypeError),
        (True, TypeError),
    ],
)
def test_upper_bound_out_of_range(bound, error, weight, penalty):
    weight = None if weight is None else np.resize(weight, len(y))
    with pytest.raises(error, match=r"'upper_bound' parameter of .* must be a number"):
        Solver(X, y, weight).solve(2, cost_complexity=penalty, upper_bound=bound)


@pytest.mark.parametrize("frontier", [1, None, "yes"])
def test_frontier_must_be_a_bool(frontier):
    with pytest.raises(TypeError, match=r"'frontier' .* must be a bool"):
        OptimalTreeClassifier(frontier=frontier).fit(raw, y)


def test_refusals_that_depend_on_the_data_name_the_estimator():
    rng = np.random.default_rng(0)
    table, labels = rng.integers(0, 2, (3000, 12)), rng.integers(0, 2, 3000)
    classifier = OptimalTreeClassifier(max_depth=None, cost_complexity=1e-6)
    with pytest.raises(ValueError, match="of OptimalTreeClassifier must be at least"):
        classifier.fit(table, labels)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        (
            {"deduplicate": 1},
            TypeError,
            "'deduplicate' .*must be a bool",
        ),
        ({"first_tree": None}, TypeError, "'first_tree' .*must be a bool. Got None"),
        (
            {"cache": "trie"},
            ValueError,
            r"'cache' .* among \['branch', 'dataset', 'none'",
        ),
        ({"cache": True}, ValueError, "'cache' .* Got True"),
        ({"node_selection": "best"}, ValueError, "'node_selection' .* Got 'best'"),
        ({"depth_two": "no"}, TypeError, "'depth_two' .*must be a bool. Got 'no'"),
        (
            {"frequency_counts": "fast"},
            ValueError,
            r"'frequency_counts' .* \['auto', 'dense', 'incremental', 'sparse'\]",
        ),
        (
            {"feature_order": "best"},
            ValueError,
            r"'feature_order' .* \['auto', 'gini', 'in-order', 'random'\]",
        ),
        ({"random_state": -1}, ValueError, r"'random_state' .* \[0, 4294967295\]"),
        ({"random_state": 1.0}, TypeError, "'random_state' .*must be an int"),
    ],
)
def test_switches_out_of_range(options, error, message):
    with pytest.raises(error, match=f"The {message}"):
        Solver(X, y, **options)
    begin = "The 'solver_options' parameter of OptimalTreeClassifier must hold valid"
    with pytest.raises(error, match=f"{begin} options: {message}"):
        OptimalTreeClassifier(solver_options=options).fit(raw, y)


def test_unknown_options():
    with pytest.raises(TypeError, match="unexpected keyword"):
        Solver(X, y, speed=11)
    with pytest.raises(ValueError, match=r"'solver_options' .* Got \['speed'\]"):
        OptimalTreeClassifier(solver_options={"speed": 11}).fit(raw, y)
    with pytest.raises(TypeError, match=r"'solver_options' .* must be a dict or None"):
        OptimalTreeClassifier(solver_options=["cache"]).fit(raw, y)


@pytest.mark.parametrize("binarizer", ["median", 3, TableBinarizer, True])
def test_unknown_binarizer(binarizer):
    with pytest.raises(
        ValueError, match=r"'binarizer' .* must be one of .*, a TableBinarizer"
    ):
        OptimalTreeClassifier(binarizer=binarizer).fit(raw, y)


@pytest.mark.parametrize("value", ["ignore", None, True])
@pytest.mark.parametrize("kind", [TableBinarizer, OptimalTreeClassifier])
def test_invalid_handle_unknown(kind, value):
    message = r"'handle_unknown' .* must be a str among \['error', 'missing'\]"
    with pytest.raises(ValueError, match=message):
        kind(handle_unknown=value).fit(raw, y)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (np.where(raw == 2.5, inf, raw), ValueError, "Input X contains infinity"),
        (raw[:1], ValueError, r"1 sample\(s\)|inconsistent"),
        (raw[:, :0], ValueError, r"0 feature\(s\)"),
        (raw[:, 0], ValueError, "Expected 2D array, got 1D array instead"),
    ],
)
@pytest.mark.parametrize("binarizer", ["auto", None])
def test_classifier_refuses_tables(table, error, message, binarizer):
    labels = y[: table.shape[0]] if hasattr(table, "shape") else y
    with pytest.raises(error, match=message) as caught:
        OptimalTreeClassifier(binarizer=binarizer).fit(table, labels)
    assert "Solver" not in str(caught.value)


@pytest.mark.parametrize(
    ("table", "error", "message"),
    [
        (np.where(raw == 2.5, nan, raw), ValueError, "Input X contains NaN"),
        (sparse.csr_matrix(raw), TypeError, "dense data is required"),
        ([["a", "b"]] * 4, ValueError, "could not convert|Convert your data"),
    ],
)
def test_without_binarizer_only_dense_numbers(table, error, message):
    with pytest.raises(error, match=message):
        OptimalTreeClassifier(binarizer=None).fit(table, y)


def test_classifier_without_binarizer_wants_bits():
    with pytest.raises(
        ValueError, match=r"X must hold only 0 and 1\. Got 0\.5 in row 0"
    ):
        OptimalTreeClassifier(binarizer=None).fit(raw, y)


@pytest.mark.parametrize(
    "method",
    ["predict", "predict_proba", "predict_log_proba", "apply", "decision_path"],
)
def test_methods_check_their_input(method):
    with pytest.raises(NotFittedError):
        getattr(OptimalTreeClassifier(), method)(raw)
    call = getattr(OptimalTreeClassifier(max_depth=1).fit(raw, y), method)
    with pytest.raises(ValueError, match="X has 3 features, but OptimalTreeClassifier"):
        call(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="Input X contains infinity"):
        call([[inf, 1.0]])
    bits = (raw > 2).astype(int)
    call = getattr(OptimalTreeClassifier(binarizer=None).fit(bits, y), method)
    with pytest.raises(ValueError, match="Input X contains NaN"):
        call([[nan, 1.0]])


@pytest.mark.parametrize("method", ["get_depth", "get_n_leaves"])
def test_unfitted_shape(method):
    with pytest.raises(NotFittedError):
        getattr(OptimalTreeClassifier(), method)()


def test_a_refused_fit_leaves_nothing_behind():
    classifier = OptimalTreeClassifier(max_depth=-1)
    with pytest.raises(ValueError, match="max_depth"):
        classifier.fit(raw, y)
    assert not [name for name in vars(classifier) if name.endswith("_")]


def test_too_many_classes_or_columns():
    many = 2**16
    X = np.zeros((many, 1), dtype=np.uint8)
    with pytest.raises(ValueError, match="y must have at most 65534 classes"):
        Solver(X, np.arange(many))
    column = np.array([[0], [1]], dtype=np.uint8)
    with pytest.raises(ValueError, match="X must have at most 16777213 features"):
        Solver(np.broadcast_to(column, (2, 2**24)), [0, 1])
