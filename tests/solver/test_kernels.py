"""Every kernel equals the portable one, which equals NumPy."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murtree import _core, _core_testing

KERNELS = _core.kernel_names()
LANE_BITS = (16, 32, 64)


def packed(table: np.ndarray) -> np.ndarray:
    """Return rows of 0/1 as 32-bit words, padded with zeros."""
    n_words = -(-table.shape[1] // 32)
    wide = np.zeros((table.shape[0], n_words * 32), dtype=np.uint8)
    wide[:, : table.shape[1]] = table
    return np.packbits(wide, axis=1, bitorder="little").view(np.uint32)


@st.composite
def packed_rows(draw):
    """Draw segments (number of rows, shift, column, sign) with ascending columns."""
    n_counts = draw(st.sampled_from([1, 1, 3, 5]))
    sizes = draw(st.lists(st.integers(1, 70), min_size=n_counts, max_size=2 * n_counts))
    columns = sorted(k % n_counts for k in range(len(sizes)))
    possible = [1, 1, -1, 0] if n_counts == 1 else [1, 1, 0]  # 0: skipped
    signs = [draw(st.sampled_from(possible)) for _ in sizes]
    segments = [
        [size, draw(st.integers(0, 2)), column, sign]
        for size, column, sign in zip(sizes, columns, signs, strict=True)
    ]
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n_features = draw(st.integers(1, 70))
    density = draw(st.sampled_from([0.0, 0.1, 0.5, 1.0]))
    table = (rng.random((sum(sizes), n_features)) < density).astype(np.uint8)
    return table, segments, n_counts


@settings(deadline=None, max_examples=150)
@given(packed_rows(), st.sampled_from(LANE_BITS), st.sampled_from([1, 2]))
def test_every_kernel_equals_the_portable_one(rows, lane_bits, parent_factor):
    table, segments, n_counts = rows
    answers = {
        name: _core_testing.run_kernels(
            name,
            lane_bits,
            packed(table),
            table.shape[1],
            segments,
            n_counts,
            parent_factor,
        )
        for name in KERNELS
    }
    for name in KERNELS:
        assert answers[name] == answers["portable"], name


def leaf_value(counts: np.ndarray) -> int:
    """Return a margin for one signed count, otherwise the heaviest class."""
    return int(abs(counts[0])) if len(counts) == 1 else int(counts.max())


@pytest.mark.slow
@settings(deadline=None, max_examples=60)
@given(packed_rows(), st.sampled_from(LANE_BITS))
def test_the_portable_kernel_equals_plain_counting(rows, lane_bits):
    table, segments, n_counts = rows
    n_features = table.shape[1]
    weight = np.concatenate([[s[3] << s[1]] * s[0] for s in segments])
    column = np.concatenate([[s[2]] * s[0] for s in segments])
    per_count = np.stack([np.where(column == k, weight, 0) for k in range(n_counts)])

    def split_value(part: np.ndarray) -> int:
        """Return the best value of the rows in `part` when they are split once more."""
        sides = [
            [per_count[:, part & (table[:, i] == v)].sum(axis=1) for v in (0, 1)]
            for i in range(n_features)
        ]
        return max(leaf_value(a) + leaf_value(b) for a, b in sides)

    right = [split_value(table[:, j] == 1) for j in range(n_features)]
    left = [split_value(table[:, j] == 0) for j in range(n_features)]
    answer = _core_testing.run_kernels(
        "portable", lane_bits, packed(table), n_features, segments, n_counts, 2
    )
    tail = np.array(answer[-4 * n_features :]).reshape(4, n_features)
    np.testing.assert_array_equal(tail, [right, left, right, left])


@settings(deadline=None, max_examples=100)
@given(st.data())
def test_compress_keeps_the_chosen_columns(data):
    n_features = data.draw(st.integers(1, 100))
    seed = data.draw(st.integers(0, 2**32 - 1))
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (data.draw(st.integers(1, 9)), n_features)).astype("u1")
    chosen = rng.random(n_features) < data.draw(st.sampled_from([0.1, 0.5, 1.0]))
    out_words = -(-int(chosen.sum()) // 32)
    expected = packed(table[:, chosen]).ravel().tolist() if out_words else []
    mask = packed(chosen[np.newaxis].astype(np.uint8)).ravel().tolist()
    for name in KERNELS:
        got = _core_testing.compress(name, packed(table), mask, out_words)
        assert got == expected, name


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 100), st.integers(1, 70))
def test_fingerprints_are_sums_of_row_keys(seed, n_rows, n_features):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (n_rows, n_features)).astype(np.uint8)
    keys = rng.integers(0, 2**63, (n_rows, 2)).astype(np.uint64)
    expected = [
        int(np.bitwise_xor.reduce(keys[table[:, j] == 1, half], initial=0))
        for j in range(n_features)
        for half in (0, 1)
    ]
    for name in KERNELS:
        got = _core_testing.fingerprints(name, packed(table), keys)
        assert got[: 2 * n_features] == expected, name


@settings(deadline=None, max_examples=100)
@given(st.integers(0, 2**32 - 1), st.integers(1, 100), st.sampled_from(LANE_BITS))
def test_list_rows_finds_both_parts_of_a_split(seed, n_rows, lane_bits):
    rng = np.random.default_rng(seed)
    table = rng.integers(0, 2, (n_rows, 3)).astype(np.uint8)
    for name in KERNELS:
        for value in (0, 1):
            got = _core_testing.list_rows(name, lane_bits, packed(table), 1, value == 1)
            assert got == np.flatnonzero(table[:, 1] == value).tolist(), name


def test_an_unknown_kernel_is_refused():
    with pytest.raises(ValueError, match="no kernel named neon"):
        _core_testing.compress("neon", packed(np.zeros((1, 1), "u1")), [1], 1)
