"""Samples of files: uniform, in order, with the right line numbers."""

import gzip

import numpy as np
import pandas as pd
import pytest
from cli.tables.tools import read

from murtree.cli.tables import records
from murtree.cli.tables.sampling import picks, sampled_rows


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_a_sample_keeps_order_and_lines(monkeypatch, pack):
    monkeypatch.setattr(records, "BLOCK", 200)
    text = "n,t\n" + "".join(f'{row},"a\n{row}"\n' for row in range(1000))
    table = read(pack(text.encode()), sample=100, random_state=3)
    rows = table.frame["n"].tolist()
    assert (len(rows), table.n_rows_in_file, table.is_sample) == (100, 1000, True)
    assert rows == sorted(set(rows))
    assert table.lines.tolist() == [2 + 2 * row for row in rows]
    assert table.frame["t"].tolist() == [f"a\n{row}" for row in rows]
    again = read(text, sample=100, random_state=3).frame
    pd.testing.assert_frame_equal(table.frame, again)
    assert read(text, sample=100, random_state=4).frame["n"].tolist() != rows
    assert not read(text, sample=1000).is_sample
    pd.testing.assert_frame_equal(read(text, sample=5000).frame, read(text).frame)


def test_samples_are_uniform():
    """A sample of 5 has each of 20 rows with probability 1/4: five standard errors."""
    n_draws = 4000
    counts = np.zeros(20)
    for seed in range(n_draws):
        rows = sampled_rows(20, 5, seed)
        assert np.unique(rows).size == 5
        counts[rows] += 1
    error = np.sqrt(0.25 * 0.75 / n_draws)
    assert (abs(counts / n_draws - 0.25) < 5 * error).all()


def test_sampled_indices_ascend():
    plan = picks(3, 0)
    rows = [row for row, slot in (next(plan) for _ in range(60)) if 0 <= slot < 3]
    assert len(rows) == 60
    assert rows == sorted(set(rows))
