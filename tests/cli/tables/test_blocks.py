"""What is read at once is what is read line by line, and cell by cell."""

import io

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from murtree.cli.tables import FileError, delimited, read_table
from murtree.cli.tables.kinds import (
    MISSING,
    NUMBERS,
    SEPARATOR,
    first_unlike,
    infer,
    infer_numbers,
    numbers_of,
)
from murtree.cli.tables.rows import Rows, reader_of, rows_at_once

thorough = settings(max_examples=300, deadline=None, derandomize=True)

# --- rows -----------------------------------------------------------------------------

CELL = st.sampled_from(["", "1", " 2", "x ", "a b", "\u00e9", '"q"', '"a,b"', '"c""d"'])
LINES = st.lists(st.lists(CELL, min_size=3, max_size=3).map(",".join), min_size=1)


@thorough
@given(LINES, st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_lines_split_at_once_are_those_of_csv(lines, end, is_ended):
    text = end.join(lines) + end * is_ended
    rows = rows_at_once(text.encode(), ",", 3, 5)
    cells = [cell for row in reader_of(lines, ",") for cell in row]
    assert rows == Rows(cells, range(5, 5 + len(lines)), lines)


@pytest.mark.parametrize(
    "block",
    [
        b"1,2\n3\n",
        b"1,2\n3,4,5\n",
        b"1,2\n\n3,4\n",
        b'1,"2\n3",4\n',
        b'1,"2\n',
        b'1,"2"x\n',
        b"1,2\r3,4\n",
        b'1,"2\r"\n',
        b"1,2\r",
        b"1,\0\n",
        b"1,caf\xe9\n",
        b"1," + b"x" * 131_073 + b"\n",
    ],
)
def test_what_is_odd_is_left_to_csv(block):
    assert rows_at_once(block, ",", 2, 1) is None


def test_wide_lines_are_split_at_once():
    block = b",".join([b"7"] * 100_000)
    rows = rows_at_once(block, ",", 100_000, 1)
    assert rows is not None
    assert rows.cells == ["7"] * 100_000


def test_a_blank_line_is_no_row_of_one_column():
    assert rows_at_once(b"1\n\n2\n", ",", 1, 1) is None
    assert rows_at_once(b"1\n \n2\n", ",", 1, 1) == Rows(
        ["1", "", "2"], range(1, 4), ["1", " ", "2"]
    )


# --- tables ---------------------------------------------------------------------------

PIECES = ["1", "x", ",", ",", "\n", "\n", "1,2\n", "3,4\n", '"', '"a\nb",5\n', " "]
PIECES += ["\r\n", "\r", "\0", "\u00e9", ",\n", "NA", "1,2,3\n", '"", \n']


def outcome(content, **options):
    """Return all that a reader says of a content."""
    try:
        table = read_table("-", stdin=io.BytesIO(content), **options)
    except FileError as error:
        return str(error)
    frame = table.frame
    read = (frame.to_csv(), frame.dtypes.astype(str).tolist(), table.original)
    return *read, table.lines.tolist(), table.n_rows_in_file, table.notes


@thorough
@given(
    st.lists(st.sampled_from(PIECES), max_size=25).map("".join),
    st.integers(1, 30),
    st.sampled_from([{}, {"sample": 3}, {"columns": [], "keep_all": True}]),
)
@example("", 1, {})
@example("\n\n", 1, {})
@example("1,2\n" * 9 + "\n\n", 8, {"sample": 3})
def test_blocks_do_not_matter(text, size, options):
    """However long they are, also if none is split at once: tables, lines, faults."""
    content = ("a,b\n" + text).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "rows_at_once", lambda *_: None)
        expected = outcome(content, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(delimited, "_BLOCK", size)
        patch.setattr(delimited, "_CHUNK", 4)
        assert outcome(content, **options) == expected
    assert outcome(content, **options) == expected


# --- numbers --------------------------------------------------------------------------

ODD = ["", "NA", "+1", "-0", "-0.0", ".5", "5.", "01", "-01", "0", "0.5", "1e3", "1E-2"]
ODD += ["inf", "-Infinity", "1e999", "1_000", "nan", "x", " 7 ", "\u0663", "1,5", "-"]
ODD += ["9007199254740992", "9007199254740993", "1" * 5000, "true", "null", "1.2.3"]
NUMBER = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=3).map(str),
)
CHUNKS = st.lists(
    st.lists(st.one_of(NUMBER, NUMBER, st.sampled_from(ODD)), min_size=1, max_size=4),
    min_size=1,
    max_size=3,
)
WORDS = st.sampled_from([MISSING, MISSING | {"01"}, MISSING | {"-0", "x"}])


def same_numbers(found, expected):
    pd.testing.assert_series_equal(
        pd.Series(found.values), pd.Series(expected.values), check_exact=True
    )
    signs = [np.signbit(np.array(part.values, float)) for part in (found, expected)]
    assert (signs[0] == signs[1]).all()
    assert found[1:] == expected[1:]


@thorough
@given(CHUNKS, WORDS)
@example([["1", "2"], ["3.5"]], MISSING)
@example([["-0", "2"], ["3.5"]], MISSING)
@example([["1"], ["", "NA"], [""]], MISSING)
@example([["1e3"], ["2"]], MISSING)
def test_numbers_of_chunks_are_those_of_cells(chunks, missing):
    cells = [cell.strip() for chunk in chunks for cell in chunk]
    expected = infer(cells, missing, commas=False)
    found = infer_numbers(map(SEPARATOR.join, chunks), missing)
    if found is not None:
        same_numbers(found, expected)
    elif expected.kind == "number":  # a chunk of nothing but infinities may be words
        assert any("inf" in str(float(cell)) for cell in cells if cell not in missing)


@thorough
@given(
    st.lists(
        st.one_of(NUMBER, st.sampled_from(ODD), st.text("+-.e01inf_ ")),
        min_size=1,
        max_size=3,
    )
)
def test_numbers_are_like_their_pattern(cells):
    numbers = numbers_of(cells)
    assert (numbers is None) == (first_unlike(NUMBERS, cells) is not None)
    if numbers is not None:
        assert numbers.tolist() == list(map(float, cells))
