"""Readers for benchmark data sets.

The text format of the MurTree, DL8.5 and STreeD benchmarks has one line
``class f1 f2 ...`` per row, with 0/1 features separated by spaces.
"""

import gzip
import os
import zlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

_Data = tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]

_MAX_CLASS = 2**63 - 1
_SAFE_DIGITS = 18  # numbers of up to 18 digits are below 2**63
_GZIP_MAGIC = b"\x1f\x8b"


def load_text(path: str | os.PathLike[str]) -> _Data:
    r"""Read a classification data set with one line ``class f1 f2 ...`` per row.

    Parameters
    ----------
    path : str or path-like
        A text file, plain or compressed with gzip. The class is a non-negative
        integer, each feature is 0 or 1, and they are separated by spaces.

    Returns
    -------
    X : ndarray of uint8 of shape (n_samples, n_features)
        The features.
    y : ndarray of int64 of shape (n_samples,)
        The classes.

    Raises
    ------
    ValueError
        If the file has another format. The message names the line and the column
        (the class is column 1) of the first error.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from murtree.datasets import load_text
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "tiny.txt"
    ...     _ = path.write_text("1 0 1\n0 1 1\n")
    ...     X, y = load_text(path)
    >>> X
    array([[0, 1],
           [1, 1]], dtype=uint8)
    >>> y
    array([1, 0])
    """
    lines = [line.rstrip() for line in _read(path).split(b"\n")]
    while lines and not lines[-1]:
        lines.pop()
    if not lines:
        raise ValueError(f"{os.fspath(path)}: the file is empty.")
    data = _parse_regular(lines)
    return _parse_any(lines, os.fspath(path)) if data is None else data


def _read(path: str | os.PathLike[str]) -> bytes:
    content = Path(path).read_bytes()
    if not content.startswith(_GZIP_MAGIC):
        return content
    try:
        return gzip.decompress(content)
    except (EOFError, OSError, zlib.error) as error:
        raise ValueError(f"{os.fspath(path)}: damaged gzip file: {error}") from None


def _parse_regular(lines: list[bytes]) -> _Data | None:
    """Parse regular lines with NumPy; return None if any line is irregular."""
    width = 2 * (len(lines[0].split()) - 1)
    tail = b"".join([line[-width:] for line in lines]) if width else b""
    heads = [line[:-width] for line in lines] if width else []
    if len(tail) != width * len(lines) or not all(map(bytes.isdigit, heads)):
        return None
    cells = np.frombuffer(tail, dtype=np.uint8).reshape(len(lines), -1)
    bits = cells[:, 1::2] - np.uint8(ord("0"))
    if not width or (cells[:, ::2] != ord(" ")).any() or (bits > 1).any():
        return None
    if max(map(len, heads)) > _SAFE_DIGITS:
        return None
    return bits, np.array([int(head) for head in heads], dtype=np.int64)


def _parse_any(lines: list[bytes], name: str) -> _Data:
    """Parse line by line with any white space; raise an error at the first fault."""
    n_fields = len(lines[0].split())
    X = np.empty((len(lines), max(n_fields - 1, 0)), dtype=np.uint8)
    y = np.empty(len(lines), dtype=np.int64)
    for row, line in enumerate(lines):
        where = f"{name}, line {row + 1}"
        cells = line.split()
        if len(cells) < 2:
            raise ValueError(
                f"{where}, column {len(cells) + 1}: a line must hold a class and at "
                f"least one feature. Got {_shown(line)} instead."
            )
        if not cells[0].isdigit() or int(cells[0][:30]) > _MAX_CLASS:
            raise ValueError(
                f"{where}, column 1: the class must be a non-negative integer below "
                f"2**63. Got {_shown(cells[0])} instead."
            )
        _check_features(cells, where)
        if len(cells) != n_fields:
            raise ValueError(
                f"{where}, column {min(len(cells), n_fields) + 1}: all lines must have "
                f"{n_fields} columns, as line 1. Got {len(cells)} instead."
            )
        y[row] = int(cells[0])
        X[row] = [cell == b"1" for cell in cells[1:]]
    return X, y


def _check_features(cells: list[bytes], where: str) -> None:
    for column, cell in enumerate(cells[1:], start=2):
        if cell not in (b"0", b"1"):
            raise ValueError(
                f"{where}, column {column}: a feature must be 0 or 1. "
                f"Got {_shown(cell)} instead."
            )


def _shown(text: bytes) -> str:
    return repr(text[:40].decode("utf-8", "replace"))
