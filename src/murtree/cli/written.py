"""Files that a command writes, and what it has written when it fails or is stopped."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

from murtree.cli.format import path_text

_files: list[str] = []
_is_begun: list[bool] = []  # whether part of an answer is on stdout


def forget() -> None:
    """Begin a command: it has written nothing."""
    _files.clear()
    _is_begun.clear()


def begin_answer() -> None:
    """Take note that stdout holds a part of an answer."""
    _is_begun.append(True)


def is_written(path: str | os.PathLike[str] | None) -> bool:
    """Whether a file was written, and whole."""
    return path is not None and path_text(path) in _files


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the file where the system says what is wrong, and remember it if not."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    _files.append(path_text(path))


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file, whole or not at all."""
    from murtree._input.atomic_write import write_whole

    with writing(path):
        write_whole(path, content)


def so_far() -> str:
    """Return what was written before a failure, as a sentence; '' for nothing."""
    if _files:
        verb = "was" if len(_files) == 1 else "were"
        return f"{' and '.join(_files)} {verb} written."
    return "The output is not complete." if _is_begun else ""
