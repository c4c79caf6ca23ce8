"""Impurities in the kernels: equal in every variant, and accurate."""

from decimal import Decimal, localcontext

import numpy as np
import pytest

from murtree import _core, _core_testing

KERNELS = _core.kernel_names()
STRIDE = 32
UNROUNDED = 2.0**200  # a unit so small that rounding to whole units changes nothing


def pair_sums(rng, n_classes, n_features, largest):
    """Return sums over pairs of features, of weights and of all classes but one."""
    n_rows = 60
    bits = rng.random((n_rows, n_features)) < rng.choice([0.1, 0.5, 0.9])
    weight = rng.integers(1, largest + 1, n_rows).astype(float)
    labels = rng.integers(0, n_classes, n_rows)
    columns = [weight, *(weight * (labels == k) for k in range(1, n_classes))]
    pairs = np.zeros((n_classes, STRIDE, STRIDE))
    for column, values in enumerate(columns):
        pairs[column, :n_features, :n_features] = bits.T @ (bits * values[:, None])
    return pairs, np.array([values.sum() for values in columns])


@pytest.mark.parametrize("kind", ["gini", "log_loss"])
@pytest.mark.parametrize("largest", [1, 3, 2**17, 2**20, 2**45])
def test_kernels_are_equal_to_the_last_bit(kind, largest):
    rng = np.random.default_rng([largest, len(kind)])
    for n_classes in (2, 3, 7):
        n_features = int(rng.integers(1, 30))
        pairs, totals = pair_sums(rng, n_classes, n_features, largest)
        for unit, per_error in ((UNROUNDED, 0.0), (3.7, 1000.0)):
            answers = {
                name: _core_testing.sum_phase_two(
                    name, kind, pairs.ravel(), totals, n_features, unit, per_error
                )
                for name in KERNELS
            }
            for name in KERNELS:
                assert answers[name] == answers["portable"], name


def exact_impurity(weights, kind):
    """Return an impurity with 40 digits."""
    total = Decimal(sum(weights))
    if kind == "gini":
        return sum(Decimal(n) * (total - n) / total for n in weights)
    return sum(Decimal(n) * (total / Decimal(n)).ln() for n in weights if n)


def leaf_impurity(weights, kind):
    """Return the impurity of a leaf as a kernel computes it."""
    pairs = np.zeros((len(weights), STRIDE, STRIDE))
    pairs[:, 0, 0] = totals = np.array([sum(weights), *weights[1:]], dtype=float)
    leaf = _core_testing.sum_phase_two(
        KERNELS[0], kind, pairs.ravel(), totals, 1, UNROUNDED, 0.0
    )
    return -leaf[0][0] / UNROUNDED


@pytest.mark.parametrize("kind", ["gini", "log_loss"])
def test_impurities_have_a_small_relative_error(kind):
    rng = np.random.default_rng(0)
    leaves = [[n, k] for n in range(60) for k in range(60) if n + k]
    for bits in (10, 21, 30, 50):
        for n_classes in (2, 3, 5):
            size = 2.0 ** (rng.random((300, n_classes)) * bits)
            leaves += np.floor(size).astype(int).tolist()
    with localcontext() as context:
        context.prec = 40
        for weights in leaves:
            exact = exact_impurity(weights, kind)
            error = abs(Decimal(leaf_impurity(weights, kind)) - exact)
            assert error <= exact * (len(weights) + 14) / 2**53, weights


@pytest.mark.parametrize("kind", ["gini", "log_loss"])
def test_pure_and_empty_leaves_cost_nothing(kind):
    for weights in ([0, 5], [2**50, 0], [0, 0], [0, 1, 0, 0], [7, 0, 0]):
        assert leaf_impurity(weights, kind) == 0.0
