"""Files that `predict` reads in pieces have the rows of the whole file."""

import csv
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from murtree import Column
from murtree._table.frames import raw_columns
from murtree.cli.tables import FileError, read_pieces, read_table, records

A = Column("a", "category", ("x",))
W = Column('w"', "category", ("x",))
CELLS = st.one_of(
    st.sampled_from(['5" pipe', '"', 'é"', "x", "", '"a\nb"', '"a ""b""\n\nc"', '""']),
    st.text(alphabet='ab" ,\n\r"', max_size=8).map(
        lambda text: f'"{text.replace(chr(34), chr(34) * 2)}"'
    ),
    st.sampled_from(["\ufeffx", "  ", ' "q\n"']),
)


def read_whole(text, columns, name):
    path = name / "data.csv"
    path.write_bytes(text)
    try:
        return read_table(path, columns=columns)
    except FileError as error:
        return str(error)


def pieces_of(text, columns, name, size, monkeypatch):
    path = name / "data.csv"
    path.write_bytes(text)
    monkeypatch.setattr(records, "BLOCK", size)
    try:
        return list(read_pieces(path, columns=columns))
    except FileError as error:
        return str(error)


def rows_of(tables):
    arrays = [raw_columns(table.frame) for table in tables]
    columns = [[column.values.tolist() for column in table] for table in arrays]
    return [list(row) for table in columns for row in zip(*table, strict=True)]


def lines_of(tables):
    return [line for table in tables for line in table.lines.tolist()]


@settings(
    max_examples=150,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(
    cells=st.lists(st.tuples(CELLS, CELLS), min_size=1, max_size=12),
    header=st.sampled_from(['w",a', 'a,w"', '"w""",a', 'a,"w""\n"', '"a",w"']),
    mark=st.sampled_from(["", "\ufeff"]),
    end=st.sampled_from(["\n", "\r\n", "\n\n"]),
    size=st.integers(1, 120),
)
def test_pieces_have_the_rows_of_the_whole_file(
    *, cells, header, mark, end, size, tmp_path, monkeypatch
):
    names = [name.strip() for name in next(csv.reader(io.StringIO(header)))]
    columns = [Column(name, "category", ("x",)) for name in names]
    text = mark + end.join([header, *map(",".join, cells)]) + end
    whole = read_whole(text.encode(), columns, tmp_path)
    parts = pieces_of(text.encode(), columns, tmp_path, size, monkeypatch)
    if isinstance(whole, str):
        assert parts == whole
    else:
        assert rows_of(parts) == rows_of([whole])
        assert lines_of(parts) == lines_of([whole])


def test_rows_of_spaces_are_rows(tmp_path, monkeypatch):
    text = b"a\nx\n  \n  \n\n \nx\n"
    parts = pieces_of(text, [A], tmp_path, 1, monkeypatch)
    assert rows_of(parts) == rows_of([read_whole(text, [A], tmp_path)])
    assert len(rows_of(parts)) == 5


def test_a_literal_quote_in_the_header(tmp_path, monkeypatch):
    text = b'w",note\n' + b"x,n\n" * 50 + b'5",n\n' + b"x,n\n" * 50
    for size in (1, 64, 10**6):
        parts = pieces_of(text, [W], tmp_path, size, monkeypatch)
        assert len(rows_of(parts)) == 101


def test_a_literal_quote_in_a_cell(tmp_path, monkeypatch):
    text = b"a,b\n" + b'5" pipe,n\n' + b'x,"two\nlines"\n' * 40
    parts = pieces_of(text, [A], tmp_path, 64, monkeypatch)
    assert len(parts) > 5
    assert rows_of(parts) == [['5" pipe'], *[["x"]] * 40]


@pytest.mark.parametrize(
    ("format", "column", "values"),
    [("txt", Column("f1"), [1, 0]), ("csv", Column("0 1", "empty"), [None])],
)
def test_the_format_that_was_asked_for(format, column, values, tmp_path):
    """This text can have the format "txt", or be a table of one column."""
    path = tmp_path / "data.csv"
    path.write_bytes(b"0 1\n1 0\n")
    (table,) = read_pieces(path, columns=[column], format=format)
    assert table.frame.raw[column.name].values.tolist() == values
