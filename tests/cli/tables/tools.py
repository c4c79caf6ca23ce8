"""Read tables from text, as from standard input."""

import io

from murtree.cli.tables import read_table


def read(text, **options):
    """Read a table from text or bytes."""
    content = text if isinstance(text, bytes) else text.encode()
    return read_table("-", stdin=io.BytesIO(content), **options)


def column(*cells, **options):
    """Return a column of these cells as a series."""
    text = "\n".join(["a,b", *(f"{cell},0" for cell in cells)])
    return read(text, **options).frame["a"]
