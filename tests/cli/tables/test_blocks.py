"""Reading in blocks gives the same result as reading by line or by cell."""

import io

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from murtree.cli.tables import FileError, read_table, records
from murtree.cli.tables.kinds import MISSING, NUMBER, column_of_cells, infer, numbers_of

thorough = settings(max_examples=300, deadline=None, derandomize=True)

# --- tables ---------------------------------------------------------------------------

PIECES = ["1", "x", ",", ",", "\n", "\n", "1,2\n", "3,4\n", '"', '"a\nb",5\n', " "]
PIECES += ["\r\n", "\r", "\0", "\u00e9", ",\n", "NA", "1,2,3\n", '"", \n']


def outcome(content, **options):
    """Return the result or the error of reading a content."""
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
    """Blocks of any length give the same tables, lines and errors, as does `csv`."""
    content = ("a,b\n" + text).encode()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records._Parser, "parse", lambda *_: None)
        expected = outcome(content, **options)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "BLOCK", size)
        assert outcome(content, **options) == expected
    assert outcome(content, **options) == expected


# --- numbers --------------------------------------------------------------------------

ODD = ["", "NA", "+1", "-0", "-0.0", ".5", "5.", "01", "-01", "0", "0.5", "1e3", "1E-2"]
ODD += ["inf", "-Infinity", "1e999", "1_000", "nan", "x", " 7 ", "\u0663", "1,5", "-"]
ODD += ["9007199254740992", "9007199254740993", "1" * 5000, "true", "null", "1.2.3"]
NUMBERS = st.one_of(
    st.integers(-(10**6), 10**6).map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(repr),
    st.decimals(-1000, 1000, places=3).map(str),
)


@thorough
@given(
    st.lists(
        st.one_of(NUMBERS, st.sampled_from(ODD), st.text("+-.e01inf_ ")),
        min_size=1,
        max_size=3,
    )
)
def test_numbers_match_their_pattern(cells):
    cells = [cell.strip(" ") for cell in cells]
    numbers = numbers_of(column_of_cells(cells))
    present = [cell for cell in cells if cell]
    assert (numbers is None) == (not all(map(NUMBER.fullmatch, present)))
    if numbers is not None:
        assert numbers[~np.isnan(numbers)].tolist() == list(map(float, present))


@pytest.mark.parametrize("cell", ["01", "-01", "+00", "007"])
@pytest.mark.parametrize("others", [[], ["1", "-0"], ["", "10", "-100", "0.5", "-0.5"]])
def test_codes_are_found_at_any_position(cell, others):
    for index in range(len(others) + 1):
        cells = [*others[:index], cell, *others[index:]]
        assert infer(column_of_cells(cells), MISSING, commas=False).kind == "text"
    assert not others or infer(column_of_cells(others), MISSING, commas=False).kind == (
        "number"
    )
