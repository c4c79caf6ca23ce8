"""Atomic file writes."""

import os
import stat
import threading

import pytest

from murtree._input.atomic_write import write_whole


def test_a_new_file_has_the_usual_permissions(tmp_path):
    path, plain = tmp_path / "new.txt", tmp_path / "plain.txt"
    write_whole(path, "grün")
    plain.write_text("x")
    assert path.read_bytes() == "grün".encode()
    assert stat.S_IMODE(path.stat().st_mode) == stat.S_IMODE(plain.stat().st_mode)


def test_an_old_file_keeps_its_permissions_and_links_stay(tmp_path):
    path, link = tmp_path / "old.txt", tmp_path / "link.txt"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, b"new")
    assert link.is_symlink()
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_old_file_is_kept_after_an_error(tmp_path, monkeypatch):
    path = tmp_path / "model.json"
    path.write_text("old")

    def fail(*_args):
        raise KeyboardInterrupt

    monkeypatch.setattr("pathlib.Path.replace", fail)
    with pytest.raises(KeyboardInterrupt):
        write_whole(path, "new")
    assert [entry.name for entry in tmp_path.iterdir()] == ["model.json"]
    assert path.read_text() == "old"


def test_a_pipe_is_written_to(tmp_path):
    pipe, got = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: got.append(pipe.read_text()))
    reader.start()
    write_whole(pipe, "through")
    reader.join()
    assert got == ["through"]


@pytest.mark.parametrize("name", ["missing/model.json", "."])
def test_an_unwritable_path_raises_an_os_error(tmp_path, name):
    with pytest.raises(OSError, match=r"No such file|Is a directory"):
        write_whole(tmp_path / name, "x")
    assert list(tmp_path.iterdir()) == []
