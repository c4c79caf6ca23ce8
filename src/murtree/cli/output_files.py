"""Output files: checked before any work, written completely or not at all.

Written files are recorded, to be listed if a command fails later.
"""

import importlib.util
import os
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from murtree.cli.output import path_text

_files: list[str] = []
_is_begun: list[bool] = []  # not empty if stdout has a part of the output


def forget() -> None:
    """Clear the record of written files, after a command."""
    _files.clear()
    _is_begun.clear()


def begin_answer() -> None:
    """Record that stdout has a part of the output."""
    _is_begun.append(True)


def written_of(files: dict[str, Path | None]) -> dict[str, Path]:
    """Return the files that were written completely."""
    return {
        kind: path
        for kind, path in files.items()
        if path is not None and path_text(path) in _files
    }


def check_outputs(inputs: list[Path | None], outputs: list[Path | None]) -> None:
    """Refuse files that cannot be written or must not be replaced."""
    from murtree.cli.tables.error import FileError, shown

    given = [path for path in outputs if path is not None]
    if Path("-") in given:
        raise FileError("cannot write to '-': give the name of a file.")
    for index, path in enumerate(given):
        _check_output(path)
        for other in (*inputs, *given[:index]):
            if other is not None and _is_same(path, other):
                raise FileError(
                    f"{shown(path)} is read or written by this command already: give "
                    "another name."
                )


def _check_output(path: Path) -> None:
    from murtree.cli.tables.error import FileError, shown

    folder = path.parent
    if path.is_dir():
        raise FileError(f"cannot write to {shown(path)}: it is a folder.")
    if not folder.is_dir():
        raise FileError(
            f"cannot write {shown(path)}: there is no folder {shown(folder)}."
        )
    is_plain = path.is_file() or not path.exists()
    if not os.access(folder if is_plain else path, os.W_OK):
        raise FileError(f"no permission to write {shown(path)}.")


def _is_same(path: Path, other: Path) -> bool:
    try:
        is_plain = path.is_file() or not path.exists()
        return is_plain and path.resolve() == other.resolve()
    except OSError:
        return False


def check_installed(module: str, option: str, extra: str) -> None:
    """Refuse an option that needs a missing package."""
    if importlib.util.find_spec(module) is None:
        raise ImportError(f"{option} needs {module}: install it (the extra '{extra}')")


@contextmanager
def writing(path: str | os.PathLike[str]) -> Iterator[None]:
    """Record a file as written; on failure, add its name to the error."""
    try:
        yield
    except OSError as error:
        error.filename = os.fspath(path)
        raise
    _files.append(path_text(path))


def write_file(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file completely or not at all."""
    from murtree._input.atomic_write import write_whole

    with writing(path):
        write_whole(path, content)


@contextmanager
def undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C, so that it does not stop between two files."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def so_far() -> str:
    """Return a sentence about the output before a failure; '' if there is none."""
    if _files:
        verb = "was" if len(_files) == 1 else "were"
        return f"{' and '.join(_files)} {verb} written."
    return "The output is not complete." if _is_begun else ""
