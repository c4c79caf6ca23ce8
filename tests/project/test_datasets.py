"""The reader of the text format of the benchmark sets, and its errors."""

import gzip

import numpy as np
import pytest

from murtree.datasets import load_text


def check(path, X, y):
    got_X, got_y = load_text(path)
    assert got_X.dtype == np.uint8
    assert got_y.dtype == np.int64
    assert got_X.flags.c_contiguous
    assert got_X.tolist() == X
    assert got_y.tolist() == y


@pytest.mark.parametrize(
    "content",
    [
        b"1 0 1\n12 1 1\n",
        b"1 0 1\n12 1 1",
        b"1 0 1\r\n12 1 1\r\n",
        b"1 0 1 \n12 1 1\n\n\n",
        b"1\t0\t1\n12  1 1\n",
        b" 1 0 1\n 12 1 1\n",
    ],
)
def test_white_space_of_any_kind(write, content):
    check(write(content), [[0, 1], [1, 1]], [1, 12])
    check(write(gzip.compress(content), "data.gz"), [[0, 1], [1, 1]], [1, 12])


def test_regular_and_irregular_lines_give_the_same(write):
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, (300, 40))
    rows[:, 0] = rng.integers(0, 120, 300)
    lines = [" ".join(map(str, row)) for row in rows]
    regular = load_text(write("\n".join(lines).encode()))
    lines[-1] = lines[-1].replace(" ", "  ", 1)
    irregular = load_text(write("\n".join(lines).encode()))
    for fast, slow in zip(regular, irregular, strict=True):
        np.testing.assert_array_equal(fast, slow)
    np.testing.assert_array_equal(regular[0], rows[:, 1:])


def test_path_may_be_a_str(write):
    check(str(write(b"0 1\n")), [[1]], [0])


@pytest.mark.parametrize(
    ("content", "where"),
    [
        (b"", "the file is empty"),
        (b"\n \n", "the file is empty"),
        (b"1\n0\n", "line 1, column 2: a line must hold a class and at least one"),
        (b"1 0 1\n0 1\n", "line 2, column 3: all lines must have 3 columns"),
        (b"1 0 1\n0 1 1 0\n", "line 2, column 4: all lines must have 3 columns"),
        (b"1 0 1\n\n0 1 1\n", "line 2, column 1: a line must hold a class"),
        (b"\n1 0 1\n", "line 1, column 1: a line must hold a class"),
        (b"1 0 1\n0 2 1\n", "line 2, column 2: a feature must be 0 or 1. Got '2'"),
        (b"1 0 1\n0 1 -1\n", "line 2, column 3: a feature must be 0 or 1. Got '-1'"),
        (b"1 0 1\n0 0.5 1\n", "line 2, column 2: a feature must be 0 or 1. Got '0.5'"),
        (b"1 0 01\n", "line 1, column 3: a feature must be 0 or 1. Got '01'"),
        (b"1 0 nan\n", "line 1, column 3: a feature must be 0 or 1. Got 'nan'"),
        (b"1 0 \xff\n", "line 1, column 3: a feature must be 0 or 1"),
        (b"-1 0 1\n", "line 1, column 1: the class must be a non-negative integer"),
        (b"a 0 1\n", "line 1, column 1: the class must be a non-negative integer"),
        (b"1.0 0 1\n", "line 1, column 1: the class must be a non-negative integer"),
        (b"99999999999999999999 0\n", "line 1, column 1: the class must be a non-neg"),
        (b"1" * 5000 + b" 0\n", "line 1, column 1: the class must be a non-negative"),
        (b"1,0,1\n", "line 1, column 2: a line must hold a class"),
    ],
)
def test_faults_are_named(write, content, where):
    path = write(content)
    with pytest.raises(ValueError, match=where) as caught:
        load_text(path)
    assert str(path) in str(caught.value)


def test_damaged_gzip_is_refused(write):
    content = gzip.compress(b"1 0 1\n" * 100)
    for damaged in (content[:-9], content[:12], content[:2]):
        with pytest.raises(ValueError, match="damaged gzip file"):
            load_text(write(damaged))


def test_missing_file(tmp_path):
    with pytest.raises(FileNotFoundError):
        load_text(tmp_path / "none.txt")
