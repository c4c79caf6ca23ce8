"""Open a file or standard input, decompress it, and detect its format.

The format follows from the first bytes; the name only decides between kinds of text.
"""

import errno
import gzip
import io
import os
import re
import shutil
import stat
import sys
import tempfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, cast

from murtree.cli.tables.error import LONGEST_PATH, FileError, meant, shown

FORMATS = ("csv", "tsv", "txt", "parquet")
_HEAD = 2**20  # decompressed bytes, to detect the format and the length of rows
_GZIP = b"\x1f\x8b"
_PARQUET = b"PAR1"
_NO_PARQUET = "it does not begin with 'PAR1'"
_ADDRESS = re.compile(r"([a-z][a-z0-9+]+):/+(.*)", re.IGNORECASE | re.DOTALL)
_JSON = re.compile(rb"\s*(?:\{\s*[\"}]|\[\s*[\[{])")
_MODEL = re.compile(rb"\s*\{\s*\"format\": *\"murtree\.")
_FIELD_LINE = re.compile(rb"\s*[0-9]+(?:[ \t]+[01])+\s*")
_FOREIGN = (  # first bytes of other files, their format, advice
    (b"PK\x03\x04", "an Excel workbook or a zip archive", "save the table as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", "save the table as CSV"),
    (b"ARROW1", "an Arrow or Feather file", "save it as Parquet"),
    (b"%PDF", "a PDF document", "save the table as CSV"),
    (b"BZh", "compressed with bzip2", "unpack it, or use gzip"),
    (b"\xfd7zXZ", "compressed with xz", "unpack it, or use gzip"),
    (b"\x28\xb5\x2f\xfd", "compressed with zstd", "unpack it, or use gzip"),
    (b"\xff\xfe", "text in UTF-16", "save it as UTF-8"),
    (b"\xfe\xff", "text in UTF-16", "save it as UTF-8"),
    (b"<!doctype html", "a web page", "download the data itself"),
    (b"<html", "a web page", "download the data itself"),
)


@dataclass
class Source:
    """An open file.

    Parameters
    ----------
    name : str
        The name in messages.
    stream : binary stream
        The content, decompressed.
    head : bytes
        The first bytes.
    size : int or None
        The number of bytes, estimated if compressed; None if unknown.
    path : Path or None
        The path of an uncompressed file.
    suffix : str
        The suffix of the name, without ".gz"; "" for standard input.
    """

    name: str
    stream: BinaryIO
    head: bytes
    size: int | None
    path: Path | None
    suffix: str

    def format(self, wish: str | None = None) -> str:
        """Return "csv", "tsv", "txt" or "parquet"."""
        if wish == "parquet" or self.head.startswith(_PARQUET):
            return self._parquet(wish)
        self._refuse_foreign()
        if wish is not None:
            return wish
        if self.suffix in (".parquet", ".pq"):
            raise FileError(f"{self.name} is not a Parquet file: {_NO_PARQUET}.")
        if self.suffix in (".tsv", ".tab"):
            return "tsv"
        first = self.head.lstrip().split(b"\n", 1)[0]
        is_field = self.suffix != ".csv" and _FIELD_LINE.fullmatch(first)
        return "txt" if is_field else "csv"

    def _parquet(self, wish: str | None) -> str:
        if wish not in (None, "parquet"):
            raise FileError(f"{self.name} is a Parquet file, not {wish}.")
        if not self.head.startswith(_PARQUET):
            raise FileError(f"{self.name} is not a Parquet file: {_NO_PARQUET}.")
        return "parquet"

    def _refuse_foreign(self) -> None:
        if not self.head.strip():
            raise FileError(f"{self.name} is empty.")
        start = self.head.lstrip()[:20].lower()
        for magic, what, advice in _FOREIGN:
            if self.head.startswith(magic) or start.startswith(magic):
                raise FileError(f"{self.name} is {what}: {advice}.")
        if _MODEL.match(self.head):
            raise FileError(f"{self.name} is a model of murtree, not a table.")
        if _JSON.match(self.head):
            lines = ", lines=True" if self.head.lstrip().startswith(b"{") else ""
            raise FileError(
                f"{self.name} is a JSON file, which murtree does not read: convert it "
                f"to CSV first, in Python with pandas.read_json(FILE{lines})"
                '.to_csv("data.csv", index=False).'
            )
        if b"\0" in self.head[:4096]:
            raise FileError(f"{self.name} is a binary file: it must be text, as CSV.")

    @contextmanager
    def as_file(self) -> Iterator[Path]:
        """Provide the content as a file on disk, for readers that need to seek."""
        if self.path is not None:
            yield self.path
            return
        with tempfile.TemporaryDirectory() as folder:
            copy = Path(folder) / "content"
            with copy.open("wb") as file:
                shutil.copyfileobj(self.stream, file, _HEAD)
            self.size = copy.stat().st_size
            yield copy


@contextmanager
def open_source(
    path: str | os.PathLike[str], stdin: BinaryIO | None = None
) -> Iterator[Source]:
    """Open a file, or standard input if the path is "-"."""
    if os.fspath(path) == "-":
        if stdin is None and sys.stdin is None:
            raise FileError("standard input is closed.")
        stream = sys.stdin.buffer if stdin is None else stdin
        with _faults_of("standard input"):
            yield _unpacked("standard input", stream, None, None)
        return
    file_path = Path(path)
    refuse_url(file_path)
    name = _path(file_path.name)[1:-1]
    with _opened(file_path) as file, _faults_of(name):
        mode = os.fstat(file.fileno())
        is_plain = stat.S_ISREG(mode.st_mode)  # or a pipe, as of <(…) in a shell
        known = (file_path, mode.st_size) if is_plain else (None, None)
        yield _unpacked(name, file, *known)


def refuse_url(path: Path) -> None:
    """Refuse a URL; as a `Path` it has lost a slash."""
    address = _ADDRESS.match(str(path))
    if address is not None and not path.exists():
        where = f"{address[1]}://{address[2]}"
        raise FileError(
            f"{shown(where, LONGEST_PATH)} is an address, and murtree reads files: "
            "download it first, or pipe it in: curl -L ADDRESS | murtree … -"
        )


@contextmanager
def _faults_of(name: str) -> Iterator[None]:
    """Turn errors of reading and decompressing into `FileError`."""
    try:
        yield
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise FileError(f"{name} is a damaged gzip file: {error}.") from None
    except OSError as error:
        raise FileError(f"cannot read {name}: {error.strerror or error}.") from None


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except IsADirectoryError:
        what = f"{_path(path)} is a folder: give one file of it."
    except PermissionError:
        what = f"no permission to read {_path(path)}."
    except FileNotFoundError:
        what = f"no file {_path(path)}{_closest_file(path)}"
    except (OSError, ValueError) as error:  # a name with NUL, a loop of links, …
        is_long = getattr(error, "errno", None) == errno.ENAMETOOLONG
        reason = "its name is too long" if is_long else str(error).split(":")[0]
        what = f"cannot open {_path(path)}: {reason}."
    raise FileError(what)


def _path(path: Path | str) -> str:
    return shown(path, LONGEST_PATH)


def _closest_file(path: Path) -> str:
    if not path.parent.is_dir():
        return f": there is no folder {_path(path.parent)}."
    try:
        names = sorted(entry.name for entry in path.parent.iterdir())
    except OSError:
        names = []
    return meant(path.name, names) or "."


def _unpacked(
    name: str, stream: BinaryIO, path: Path | None, size: int | None
) -> Source:
    suffixes = [] if path is None else [part.lower() for part in path.suffixes]
    if suffixes[-1:] == [".gz"]:
        suffixes.pop()
    suffix = suffixes[-1] if suffixes else ""
    start = stream.read(len(_GZIP))
    whole = _Joined(start, stream)
    if start != _GZIP:
        buffered = io.BufferedReader(whole, _HEAD)
        head = buffered.read(_HEAD)
        return Source(name, _joined(head, buffered), head, size, path, suffix)
    unpacked = cast(BinaryIO, gzip.GzipFile(fileobj=cast(BinaryIO, whole)))
    head = unpacked.read(_HEAD)
    if size is not None and whole.n_read < size:
        size = int(size * len(head) / max(whole.n_read, 1))
    elif size is not None:
        size = len(head)
    return Source(name, _joined(head, unpacked), head, size, None, suffix)


def _joined(head: bytes, rest: BinaryIO) -> BinaryIO:
    return io.BufferedReader(_Joined(head, rest), _HEAD)


class _Joined(io.RawIOBase):
    """Bytes that were read ahead, then the rest of the stream."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._streams = [io.BytesIO(head), rest]
        self.n_read = 0

    def readable(self) -> bool:
        """Return True: the stream can be read."""
        return True

    def readinto(self, buffer: memoryview) -> int:  # type: ignore[override]
        """Read into a buffer; it may be filled in part."""
        content = self._streams[0].read(len(buffer))
        if not content and len(self._streams) > 1:
            del self._streams[0]
            return self.readinto(buffer)
        buffer[: len(content)] = content
        self.n_read += len(content)
        return len(content)
