"""Shell completion of column names and model files."""

import csv
import gzip
import os
import re
from collections.abc import Iterator
from pathlib import Path

import typer

_HEAD = 2**16  # bytes that should contain the names of the columns
_DELIMITERS = (",", "\t", ";", "|")


def complete_column(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the data file on the command line."""
    # An option without its value ends the parsing: the file may be among the rest.
    given = [ctx.params.get("data"), *ctx.args]
    for path in given:
        if path is not None and Path(path).is_file():
            names = _columns_of(Path(path))
            return [_escaped(name) for name in names if name.startswith(incomplete)]
    return []


def _escaped(name: str) -> str:
    """Return a name with escapes for bash; other shells add them themselves."""
    if os.environ.get("_MURTREE_COMPLETE") != "complete_bash":
        return name
    return re.sub(r"([^\w.,:/=+-])", r"\\\1", name)


def complete_model(incomplete: str) -> Iterator[str]:
    """Yield model files, and folders."""
    given = Path(incomplete)
    is_folder = incomplete.endswith("/") or not incomplete
    folder, start = (given, "") if is_folder else (given.parent, given.name)
    try:
        entries = sorted(folder.iterdir())
    except OSError:
        return
    for entry in entries:
        name = entry.name
        is_hidden = name.startswith(".") and not start.startswith(".")
        if not name.startswith(start) or is_hidden:
            continue
        if entry.is_dir():
            yield f"{entry}/"
        elif entry.suffix == ".json":
            yield str(entry)


def _columns_of(path: Path) -> list[str]:
    """Return the names in the first line of a text file; [] if it is unreadable."""
    try:
        with path.open("rb") as file:
            packed = file.read(2) == b"\x1f\x8b"
        with gzip.open(path) if packed else path.open("rb") as file:
            head = file.read(_HEAD).decode("utf-8-sig", "replace")
    except (OSError, EOFError):
        return []
    first = head.split("\n", 1)[0].rstrip("\r")
    if not first.isprintable() and "\t" not in first:
        return []  # a binary file
    delimiter = max(_DELIMITERS, key=first.count)
    return [name.strip() for name in next(csv.reader([first], delimiter=delimiter), [])]
