"""Files that are refused, each with a message of one line."""

import errno
import gzip
import io
import os
import threading
import zipfile
from pathlib import Path
from types import SimpleNamespace

import psutil
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from murtree import Column
from murtree.cli.labelled_rows import split_target
from murtree.cli.tables import (
    FileError,
    memory,
    read_table,
    records,
)


def refusal(path, **options):
    with pytest.raises(FileError) as error:
        read_table(path, **options)
    message = str(error.value)
    assert message.isprintable()  # one line, and no escape codes
    return message


def workbook():
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as file:
        file.writestr("xl/workbook.xml", "<workbook/>")
    return content.getvalue()


PACKED = gzip.compress(b"a,b\n" + b"1,2\n" * 10000)
WRONG = {  # content, and the message
    "empty": ("", "data.csv is empty."),
    "blank": ("\n \n", "data.csv is empty."),
    "only a mark": ("\ufeff", "data.csv is empty."),
    "empty, packed": (gzip.compress(b""), "data.csv is empty."),
    "header only": ("a,b\n", "data.csv has names of columns, but no rows."),
    "long row": (
        "a,b\n1,2\n\n3,4,5\n",
        "data.csv, line 4 has 3 cells, but the header names 2 columns: cells that "
        "contain ',' must be in quotes.",
    ),
    "short row": (
        'a,b,c\n"x\ny",2,3\n4,5\n',
        "data.csv, line 4 has 2 cells, but the header names 3 columns: cells without a "
        "value are written as nothing, or NA.",
    ),
    "long row of tabs": ("a\tb\n1\t2\t3\n", "cells that contain a tab must be in"),
    "twice": (
        "a,b,a\n1,2,3\n",
        "columns 1 and 3 of data.csv are both named 'a': names must be distinct.",
    ),
    "twice, but for spaces": ("a, a\n1,2\n", "columns 1 and 2 of data.csv are both"),
    "no name": ("a,,b\n1,2,3\n", "column 2 of data.csv has no name: name it in"),
    "no name at the end": ("a,b,\n1,2,\n", "column 3 of data.csv has no name"),
    "no header": (
        "5.1,3.5\n4.9,3.0\n",
        "the first line of data.csv must name the columns. Got numbers instead: 5.1,",
    ),
    "no header, repeated": ("1,0,0\n1,1,0\n", "must name the columns. Got numbers"),
    "quoted nothing": ('""\n1\n', "the first line of data.csv must name the columns."),
    "NUL": (
        "a,b\n" + "1,2\n" * 2000 + "1,\0\n",
        "data.csv, line 2002 has a NUL byte: it must be text.",
    ),
    "binary": (
        bytes(range(256)),
        "data.csv is a binary file: it must be text, as CSV.",
    ),
    "latin": (
        b"a,b\nx,caf\xe9\n",
        "data.csv, line 2, byte 6 is not UTF-8: save it as UTF-8, or convert it, as by "
        "`iconv -f latin1 -t utf-8`.",
    ),
    "latin name": (b"a,\xe9\n1,2\n", "data.csv, line 1, byte 3 is not UTF-8"),
    "utf-16": ("a,b\n1,2\n".encode("utf-16"), "data.csv is text in UTF-16: save it as"),
    "workbook": (
        workbook(),
        "data.csv is an Excel workbook or a zip archive: save the table as CSV.",
    ),
    "old workbook": (b"\xd0\xcf\x11\xe0\xa1\xb1", "is an old Excel workbook: save"),
    "web page": ("\n<!DOCTYPE html><html>", "is a web page: download the data itself."),
    "bzip2": (
        b"BZh91AY&SY",
        "data.csv is compressed with bzip2: unpack it, or use gzip",
    ),
    "cut gzip": (PACKED[:-9], "data.csv is a damaged gzip file: "),
    "cut gzip header": (PACKED[:5], "data.csv is a damaged gzip file: "),
    "bad gzip": (PACKED[:30] + b"\xff" * 9 + PACKED[39:], "is a damaged gzip file: "),
    "open quote": ('a,b\n1,2\n3,"4\n5,6\n', "line 3: a quote is opened and never clo"),
    "endless quote": (
        'a,b\n1,"' + "x\n" * 70000,
        "data.csv, line 2: a cell has over 131,072 characters; is a quote not closed?",
    ),
    "half a quote, tab": ('a\tb\n1\t"x"y\n', "line 2: '\\t' expected after '\"'."),
    "half a quote": (
        'a,b\n1,"x"y\n',
        "line 2: ',' expected after '\"'. A cell with quo",
    ),
    "old Mac": (
        "a,b\r1,2\r3,4\r",
        "data.csv, line 1: lines must end with \\n or \\r\\n",
    ),
    "thousands": (
        "a;b\nx;NA\ny;2,5\nx;1.234,50\n",
        "column 'b' of data.csv must hold numbers without points between thousands. "
        "Got '1.234,50', for example.",
    ),
    "two decimals": (
        "a;b\n1,5;2.5\n",
        "data.csv has decimal commas in column 'a' and points in column 'b': write all",
    ),
    "escapes": ("a\x1b[31m,a\x1b[31m\n1,2\n", "both named 'a\\x1b[31m': names must"),
}


@pytest.mark.parametrize("content_and_message", WRONG.values(), ids=WRONG)
def test_wrong_content(write, content_and_message):
    content, message = content_and_message
    assert message in refusal(write(content))


@pytest.mark.parametrize("content_and_message", WRONG.values(), ids=WRONG)
def test_wrong_content_of_standard_input(content_and_message):
    content, message = content_and_message
    content = content if isinstance(content, bytes) else content.encode()
    message = message.replace("data.csv", "standard input")
    assert message in refusal("-", stdin=io.BytesIO(content))


def test_faults_are_found_in_a_sample_too(write):
    for fault in ("1,2,3\n", '"1"x,2\n', "1\n"):
        path = write("a,b\n" + "1,2\n" * 500 + fault)
        assert "data.csv, line 502" in refusal(path, sample=3)


def test_very_long_line_is_refused(write, monkeypatch):
    monkeypatch.setattr(records, "_LONGEST_LINE", 1000)
    assert "line 1 is over 64 MiB long" in refusal(write("a" * 5000))


def test_names_of_files(write, tmp_path):
    path = write("a\n1\n")
    message = refusal(path.with_name("dta.csv"))
    assert message.endswith("did you mean 'data.csv'?")
    assert refusal(path.with_name("zzz")).endswith("zzz'.")
    assert "there is no folder" in refusal(tmp_path / "nowhere" / "data.csv")
    assert "is a folder: give one file of it" in refusal(tmp_path)
    assert "cannot open" in refusal("data\0.csv")
    assert "its name is too long" in refusal("x" * 5000)
    assert "\\x1b[31m" in refusal("\x1b[31mred.csv")


@pytest.mark.parametrize(
    ("number", "message"),
    [(errno.EACCES, "no permission to read "), (errno.EIO, "cannot open ")],
)
def test_files_that_do_not_open(write, monkeypatch, number, message):
    def refuse(self, *args, **kwargs):
        raise OSError(number, os.strerror(number), os.fspath(self))

    path = write("a\n1\n")
    monkeypatch.setattr(Path, "open", refuse)
    assert refusal(path).startswith(message)


def test_read_error_is_reported():
    class Failing(io.BytesIO):
        def read(self, size=-1):
            if self.tell() > 2**20:
                raise OSError(errno.EIO, os.strerror(errno.EIO))
            return super().read(size)

    stream = Failing(b"a,b\n" + (b"1," + b"x" * 1000 + b"\n") * 4000)
    assert refusal("-", stdin=stream).startswith("cannot read standard input: ")


def test_a_pipe_is_read_as_a_stream(tmp_path):
    path = tmp_path / "pipe"
    os.mkfifo(path)
    writer = threading.Thread(target=path.write_bytes, args=(b"a,b\n1,2\n",))
    writer.start()
    table = read_table(path)
    writer.join()
    assert table.frame.to_dict("list") == {"a": [1], "b": [2]}


def test_wrong_formats_are_refused(write):
    path = write("a,b\n1,2\n")
    assert refusal(path, format="xlsx") == (
        "the format must be one of csv, tsv, txt, parquet. Got 'xlsx' instead."
    )
    assert "data.csv is not a Parquet file" in refusal(path, format="parquet")
    assert "x.pq is not a Parquet file" in refusal(write("a,b\n1,2\n", "x.pq"))
    assert "x.csv is a Parquet file, not csv" in refusal(
        write(b"PAR1 and more", "x.csv"), format="csv"
    )


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1 0 1\n0 1\n", "a.txt, line 2, column 3: all lines must have 3 columns"),
        ("1 0 1\n0 1 2\n", "a.txt, line 2, column 3: a feature must be 0 or 1"),
    ],
)
def test_invalid_benchmark_text_is_refused(write, content, message):
    assert refusal(write(content, "a.txt")).startswith(message)
    from_stream = refusal("-", stdin=io.BytesIO(gzip.compress(content.encode())))
    assert from_stream.startswith(message.replace("a.txt", "standard input"))


@pytest.mark.parametrize("sample", [0, -1])
def test_invalid_sample_sizes_are_refused(write, sample):
    with pytest.raises(ValueError, match="The 'sample' parameter of read_table must"):
        read_table(write("a\n1\n"), sample=sample)


def test_escapes_do_not_reach_the_terminal(write):
    table = read_table(write("a\x1b[31m,<b>\n1,2\n"))
    with pytest.raises(FileError) as error:
        split_target(table, "y\n")
    assert str(error.value).isprintable()
    assert "<b>" in str(error.value)  # plain text for a terminal


NUMBERS = ["1", "01", "1" * 5000, "-", "1e999", "9" * 17, "inf"]
DATES = ["2024-01-01", "2024-02-30", "0000-01-01", "2024-01-01T24:00"]
ZONES = ["2024-01-01 00:00+99:99", "2024-01-01T00:00:61Z"]
SIGNS = ['"', '""', "\r", "\n", ",", ";", "\t", " ", "\x0b", "\u2028", "\u00e9"]
ODD = st.sampled_from([*NUMBERS, *DATES, *ZONES, *SIGNS, "true", "NA"])
KNOWN = [Column("a"), Column("a", "boolean"), Column("a", "category", (1, 2))]
KNOWN += [Column("a", kind) for kind in ("datetime", "duration", "time", "empty")]
KNOWN += [Column("a", "category", ("1", "x")), Column("a", "datetime", has_zone=True)]


@settings(max_examples=200, deadline=None, derandomize=True)
@given(
    st.one_of(
        st.binary(max_size=60),
        st.lists(ODD, max_size=30).map(
            lambda parts: ("a,b\n" + "".join(parts)).encode()
        ),
        ODD.map(lambda cell: f"a,b\n{cell},1\n{cell},2\n".encode()),
    ),
    st.sampled_from([None, *KNOWN]),
    st.sampled_from([None, 2]),
    st.sampled_from([None, "csv", "tsv", "txt"]),
)
def test_any_content_is_read_or_refused(content, known, sample, form):
    columns = None if known is None else [known]
    options = {"columns": columns, "sample": sample, "format": form}
    message = ""
    try:
        table = read_table("-", stdin=io.BytesIO(content), **options)
    except FileError as error:
        message = str(error)
    assert message.isprintable()
    assert message or 0 < len(table.frame) <= table.n_rows_in_file


# --- memory ---------------------------------------------------------------------------

LARGE = "number,word\n" + "123456,abcdefgh\n" * 50000


@pytest.fixture
def small_memory(monkeypatch):
    monkeypatch.setattr(memory, "available_memory", lambda: 2 * 10**6)


@pytest.mark.usefixtures("small_memory")
@pytest.mark.parametrize(
    "pack", [str.encode, lambda text: gzip.compress(text.encode())]
)
def test_a_large_file_is_refused_early(write, monkeypatch, pack):
    monkeypatch.setattr(records.Records, "blocks", None)  # reading does not start
    path = write(pack(LARGE))
    message = refusal(path)
    assert message.startswith("data.csv is too large: it takes about 1")
    assert "MB of memory, and 1 MB may be used. --sample 4000 reads" in message
    assert message.endswith("; --columns reads some columns only.")


@pytest.mark.parametrize("pack", [str.encode, lambda text: io.BytesIO(text.encode())])
def test_distinct_texts_take_more_memory(write, monkeypatch, pack):
    def found(cell):
        lines = [",".join(cell(5 * row + k) for k in range(5)) for row in range(2000)]
        content = pack("\n".join(["a,b,c,d,e", *lines, ""]))
        if isinstance(content, bytes):
            return read_table(write(content))
        return read_table("-", stdin=content)

    monkeypatch.setattr(memory, "available_memory", lambda: 3 * 10**6)
    for cell in (lambda number: f"1{number:06}.5", lambda number: f"w{number % 9:07}"):
        assert len(found(cell).frame) == 2000
    for cell in (
        "id{:08}".format,
        lambda number: f"2{number % 1000:03}-{1 + number % 12:02}-{1 + number % 28:02}",
    ):
        with pytest.raises(FileError, match="too large: it takes about"):
            found(cell)


@pytest.mark.usefixtures("small_memory")
def test_large_stream_is_refused_while_reading():
    message = refusal("-", stdin=io.BytesIO(LARGE.encode()))
    assert message.startswith("standard input is too large")


@pytest.mark.usefixtures("small_memory")
def test_a_sample_of_a_large_file_fits(write):
    path = write(LARGE)
    table = read_table(path, sample=1000)
    assert (len(table.frame), table.n_rows_in_file) == (1000, 50000)
    message = refusal(path, sample=40000)
    assert "the sample takes about" in message
    assert "Take a smaller one, as by --sample 2000;" in message


@pytest.mark.usefixtures("small_memory")
def test_a_large_sample_of_a_stream_is_refused():
    message = refusal("-", stdin=io.BytesIO(LARGE.encode()), sample=40000)
    assert "the sample takes about" in message


@pytest.mark.usefixtures("small_memory")
def test_large_benchmark_text_is_refused(write):
    message = refusal(write("1 0 1\n" * 50000, "a.txt"))
    assert message.endswith(
        "Save it as CSV or Parquet, of which --sample reads random rows."
    )


def test_available_memory_is_the_minimum_of_all_limits(tmp_path, monkeypatch):
    monkeypatch.setattr(memory, "_CGROUP", tmp_path)
    machine = SimpleNamespace(available=2000)
    monkeypatch.setattr(psutil, "virtual_memory", lambda: machine)
    assert memory.available_memory() == 2000
    (tmp_path / "memory.max").write_text("max\n")
    (tmp_path / "memory.current").write_text("400\n")
    assert memory.available_memory() == 2000
    (tmp_path / "memory.max").write_text("1000\n")
    assert memory.available_memory() == 600
