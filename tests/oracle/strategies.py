"""Small random data, for hypothesis and from plain generators for long runs.

Rows repeat, columns may be constant, equal or complementary, weights may be zero or too
large for 16 bits, classes may be missing, and there may be fewer columns than depth.
"""

import numpy as np
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from oracle.brute_force import LeastSizes

from murtree._solver import switches as _switches

thorough = settings(
    max_examples=150,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
)
WEIGHTS = (
    st.just(1),
    st.integers(0, 3),
    st.sampled_from([0, 1, 2, 30_000, 65_535, 65_536, 2**33]),
)


@st.composite
def instances(draw, max_features=4, max_rows=14):
    """Draw (X, y, weight) as plain lists."""
    n_classes = draw(st.integers(2, 4))
    n_random = draw(st.integers(1, max_features))
    pool = draw(
        st.lists(
            st.lists(st.integers(0, 1), min_size=n_random, max_size=n_random),
            min_size=1,
            max_size=max_rows,
        )
    )
    n_rows = draw(st.integers(2, max_rows))
    rows = [list(pool[draw(st.integers(0, len(pool) - 1))]) for _ in range(n_rows)]
    extra = draw(st.sampled_from(["none", "none", "constant", "equal", "complement"]))
    if n_random < max_features and extra != "none":
        for row in rows:
            value = {"constant": 1, "equal": row[0], "complement": 1 - row[0]}[extra]
            row.append(value)
    labels = draw(
        st.lists(st.integers(0, n_classes - 1), min_size=n_rows, max_size=n_rows)
    )
    kind = draw(st.sampled_from(WEIGHTS))
    weight = draw(st.lists(kind, min_size=n_rows, max_size=n_rows).filter(any))
    return rows, labels, weight


def random_instance(seed, max_features=5, max_rows=30):
    """Return (X, y, weight) as plain lists; the same seed gives the same data."""
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(1, max_features + 1))
    n_rows = int(rng.integers(2, max_rows + 1))
    pool = rng.random((n_rows, n_features)) < rng.choice([0.2, 0.5, 0.8])
    X = pool[rng.integers(0, rng.integers(1, n_rows + 1), n_rows)].astype(int)
    if n_features > 1:
        change = rng.integers(0, 6)
        if change == 0:
            X[:, -1] = 1
        elif change == 1:
            X[:, -1] = X[:, 0]
        elif change == 2:
            X[:, -1] = 1 - X[:, 0]
    n_classes = int(rng.integers(2, 5))
    y = rng.integers(0, n_classes, n_rows)
    if rng.random() < 0.3:  # a rule with noise, so that some subsets have no errors
        y = (X.sum(axis=1) + (rng.random(n_rows) < 0.1)) % n_classes
    largest = int(rng.choice([1, 1, 1, 3, 20, 70_000, 2**42]))
    weight = rng.integers(0 if largest > 1 else 1, largest + 1, n_rows)
    weight[0] = max(weight[0], 1)
    return X.tolist(), y.tolist(), weight.tolist()


def two_classes(data):
    """Return an instance with both labels 0 and 1, and no others."""
    X, y, weight = data
    y = [label % 2 for label in y]
    y[:2] = [0, 1]
    return X, y, weight


def structured_instance(seed, max_features=14, max_rows=120):
    """Return (X, y, weight) with nearly equal columns, or with rare ones.

    Columns are noisy thresholds of a few variables, or true in a few rows only. Either
    way many parts of a node are nearly equal to each other or to the node, so that
    bounds from similar sets of rows are tight.
    """
    rng = np.random.default_rng(seed)
    n_features = int(rng.integers(3, max_features + 1))
    if seed % 2:
        n_rows = int(rng.integers(8, max_rows // 3))
        X = rng.random((n_rows, n_features)) < rng.choice([0.05, 0.1, 0.2])
        return X.astype(int).tolist(), rng.integers(0, 2, n_rows).tolist(), [1] * n_rows
    n_rows = int(rng.integers(10, max_rows + 1))
    variables = rng.random((n_rows, 4))
    X = variables[:, rng.integers(0, 4, n_features)] > rng.random(n_features)
    X ^= rng.random(X.shape) < rng.choice([0.0, 0.02, 0.1])
    n_classes = int(rng.choice([2, 2, 2, 3, 5]))
    y = (variables[:, 0] > 0.5) + 2 * (variables[:, 1] > 0.3) * (variables[:, 2] > 0.6)
    y = (y + (rng.random(n_rows) < 0.15)) % n_classes
    weight = rng.integers(1, int(rng.choice([1, 1, 1, 3])) + 1, n_rows)
    return X.astype(int).tolist(), y.tolist(), weight.tolist()


CHOICES = _switches.CHOICES | {"random_state": (None, 1, 2)}
FLAGS = tuple(name for name in _switches.NAMES if name not in CHOICES)
# Replaces the judge if there are too many rows: no bound or cache that could be wrong.
PLAIN = {
    "cache": "none",
    "similarity_bound": False,
    "refined_bound": False,
    "cluster_bound": False,
    "sibling_bound": False,
    "deepening": False,
    "first_tree": False,
}


# All switches that can be off.
OFF = {
    "deduplicate": False,
    "merge_rows": False,
    "cache": "none",
    "similarity_bound": False,
    "refined_bound": False,
    "cluster_bound": False,
    "node_selection": "post-order",
    "sibling_bound": False,
    "first_tree": False,
    "deepening": False,
}


def switches():
    """Draw a value for every switch of a solver."""
    flags = {name: st.booleans() for name in FLAGS}
    choices = {name: st.sampled_from(values) for name, values in CHOICES.items()}
    return st.fixed_dictionaries(flags | choices)


def random_switches(rng):
    """Return the defaults half of the time, otherwise random values."""
    if rng.random() < 0.5:
        return {}
    flags = {name: bool(rng.random() < 0.5) for name in FLAGS}
    choices = {
        name: values[rng.integers(len(values))] for name, values in CHOICES.items()
    }
    return flags | choices


def light_instances(**limits):
    """Draw instances whose total weight leaves room for a fixed-point penalty."""
    return instances(**limits).filter(lambda data: sum(data[2]) < 2**32)


def penalties():
    """Draw a cost_complexity: any real number, or one that makes ties likely."""
    return st.one_of(
        st.floats(1e-6, 0.6),
        st.floats(0.001, 0.1),
        st.sampled_from([1 / 14, 1 / 7, 0.05, 0.1, 0.125, 0.25, 0.5, 1.0]),
        st.sampled_from([1.0 + 1e-6, 1.5, 3.0, 1e12]),
    )


def random_penalty(rng, total_weight):
    """Return a cost_complexity: any real number, or an integer number of errors."""
    if rng.random() < 0.3:
        return float(rng.integers(1, 6)) / total_weight
    if rng.random() < 0.1:
        return float(rng.choice([1.0, 1.5, 3.0, 1e9]))
    return float(rng.choice([0.5, 0.1, 0.02]) * rng.random()) + 1e-9


REAL_WEIGHTS = (
    st.sampled_from([0, 0.5, 1.0, 1.5]),
    st.sampled_from([0.1, 0.2, 0.3, 0.7]),
    st.sampled_from([1 / 3, 2 / 3, 1.0]),
    st.floats(0.001, 10),
    st.one_of(st.just(0.0), st.floats(1e-9, 1e6)),
)
COSTS = (
    st.integers(0, 5),
    st.sampled_from([0, 0.1, 0.25, 1.5, 10]),
    st.floats(0, 3),
)
TARGETS = (
    st.integers(-3, 3),
    st.floats(-10, 10).filter(lambda value: value == 0 or abs(value) > 1e-50),
    st.sampled_from([0.1, 0.2, 0.3, 1e3, 1e3 + 0.1]),
    st.sampled_from([-1e12, 1e12, 1e-12, 0.0]),
    st.floats(1e6, 1e6 + 1),
)


@st.composite
def real_instances(draw, max_features=4, max_rows=10, **limits):
    """Draw (X, y, weight) with real weights."""
    X, y, _ = draw(instances(max_features=max_features, max_rows=max_rows, **limits))
    kind = draw(st.sampled_from(REAL_WEIGHTS))
    weight = draw(st.lists(kind, min_size=len(y), max_size=len(y)).filter(any))
    return X, y, weight


@st.composite
def cost_matrices(draw, n_classes):
    """Draw costs[true][predicted]; the diagonal is usually zero."""
    kind = draw(st.sampled_from(COSTS))
    row = st.lists(kind, min_size=n_classes, max_size=n_classes)
    costs = draw(st.lists(row, min_size=n_classes, max_size=n_classes))
    if draw(st.sampled_from([True, True, False])):
        for k in range(n_classes):
            costs[k][k] = 0
    return costs


def feature_prices(n_features, largest):
    """Draw a cost for each column, or None."""
    price = st.one_of(st.just(0.0), st.floats(0, largest))
    prices = st.lists(price, min_size=n_features, max_size=n_features)
    return st.one_of(st.none(), prices)


@st.composite
def target_instances(draw, max_features=4, max_rows=10):
    """Draw (X, targets, weight); half of the time all weights are one."""
    X, _, weight = draw(real_instances(max_features=max_features, max_rows=max_rows))
    kind = draw(st.sampled_from(TARGETS))
    targets = draw(st.lists(kind, min_size=len(X), max_size=len(X)))
    return X, targets, weight if draw(st.booleans()) else [1] * len(X)


def random_weight(rng, n_rows):
    """Return real weights: short decimals, simple ratios or any number."""
    kind = rng.integers(4)
    if kind == 0:
        weight = rng.integers(0, 4, n_rows) / 2
    elif kind == 1:
        weight = rng.integers(1, 30, n_rows) / 10
    elif kind == 2:
        weight = rng.choice([1 / 3, 2 / 3, 1.0, 1 / 7], n_rows)
    else:
        weight = rng.exponential(1.0, n_rows) * 10.0 ** rng.integers(-6, 6)
    weight[0] = weight.max() or 1.0
    return weight.tolist()


def random_sizes(rng, numbers, weight):
    """Return no minimum leaf sizes, and random ones."""
    share = float(rng.choice([0.0, 0.0, 0.05, 0.2, 0.35, 0.5]))
    return LeastSizes(1, 0.0, weight), LeastSizes(
        int(rng.choice(numbers)), share, weight
    )


def random_costs(rng, n_classes):
    """Return costs[true][predicted]."""
    costs = rng.integers(0, 9, (n_classes, n_classes)).astype(float)
    if rng.random() < 0.5:
        costs = rng.exponential(1.0, costs.shape)
    if rng.random() < 0.7:
        np.fill_diagonal(costs, 0.0)
    return costs.tolist()


def random_targets(rng, X):
    """Return real targets: small integers, noise around a rule, or extreme ones."""
    X, kind = np.array(X), rng.integers(4)
    rule = X @ rng.normal(size=X.shape[1]) + rng.normal(size=len(X)) * 0.3
    if kind == 0:
        rule = rng.integers(-3, 4, len(X)).astype(float)
    elif kind == 1:
        rule = rng.standard_cauchy(len(X)) * 10.0 ** rng.integers(-9, 9)
    elif kind == 2:
        rule += 10.0 ** rng.integers(3, 9)
    return rule.tolist()
