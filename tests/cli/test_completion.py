"""Shell completion of columns and models."""

import gzip

import pytest

from murtree.cli.completion import complete_column, complete_model


class Context:
    """The context that typer passes for an incomplete line."""

    def __init__(self, data=None, args=()):
        self.params, self.args = {"data": data}, list(args)


@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|"])
@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_columns_of_the_file(write, delimiter, pack):
    header = delimiter.join(["age", "a b", "colour"])
    path = write(pack(f"{header}\r\n1\r\n".encode()))
    assert complete_column(Context(path), "a") == ["age", "a b"]
    assert complete_column(Context(args=["--target", str(path)]), "c") == ["colour"]


def test_bash_needs_escapes(write, monkeypatch):
    monkeypatch.setenv("_MURTREE_COMPLETE", "complete_bash")
    assert complete_column(Context(write("a b,c$")), "") == [r"a\ b", r"c\$"]


def test_files_that_cannot_be_read_have_no_columns(write, tmp_path):
    assert complete_column(Context(tmp_path / "none.csv"), "") == []
    assert complete_column(Context(write(b"\x1f\x8b broken")), "") == []
    assert complete_column(Context(write(b"PAR1\x00\x01,\x02")), "") == []


def test_models_and_folders(tmp_path):
    for name in ("a.json", "b.json", "a.csv", ".hidden.json"):
        (tmp_path / name).touch()
    (tmp_path / "apart").mkdir()
    assert list(complete_model("")) == ["a.json", "apart/", "b.json"]
    assert list(complete_model("a")) == ["a.json", "apart/"]
    assert list(complete_model(".h")) == [".hidden.json"]
    assert list(complete_model("none/")) == []
