"""Larger data for tests: hard to solve, or noisy."""

import numpy as np
import sklearn
from sklearn.utils.fixes import parse_version

# Older trees of scikit-learn compute some gains of columns with missing values wrongly.
HAS_EXACT_GAINS = parse_version(sklearn.__version__) >= parse_version("1.9")


def hard_data(n_rows=3000, n_features=60):
    """Return random data whose deep trees take long to prove."""
    rng = np.random.default_rng(3)
    return rng.integers(0, 2, (n_rows, n_features)), rng.integers(0, 2, n_rows)


def noisy_bits(seed, n_rows=60, n_columns=8):
    """Return 0/1 data and labels that a small tree explains up to some noise."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, 2, (n_rows, n_columns))
    noise = rng.random(n_rows) < 0.15
    return X, ((X[:, 0] & X[:, 1]) | X[:, 2]) ^ noise
