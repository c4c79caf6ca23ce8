"""Errors in files, and helpers for their messages."""

import difflib
from collections.abc import Sequence

from murtree._table.predicate_text import printable

_LONGEST = 40  # characters of a value or a name in a message
LONGEST_PATH = 250
_MOST_NAMES = 8  # columns in a message


class FileError(ValueError):
    """A file or its content is not valid.

    Examples
    --------
    >>> raise FileError("no file 'dta.csv': did you mean 'data.csv'?")
    Traceback (most recent call last):
        ...
    murtree.cli.tables.error.FileError: no file 'dta.csv': did you mean 'data.csv'?
    """


def shown(value: object, longest: int = _LONGEST) -> str:
    r"""Return a value or a name in quotes, on one line, and not too long.

    Examples
    --------
    >>> print(shown("red"), shown("two\nlines"))
    'red' 'two\nlines'
    """
    text = str(value)
    short = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return f"'{printable(short)}'"


def meant(name: str, known: Sequence[str]) -> str:
    """Return a suggestion of a similar name; '' if there is none.

    Examples
    --------
    >>> meant("chrun", ["age", "churn"])
    ": did you mean 'churn'?"
    """
    by_lower = {other.strip().lower(): other for other in reversed(known)}
    close = difflib.get_close_matches(name.strip().lower(), by_lower, n=1)
    return f": did you mean {shown(by_lower[close[0]])}?" if close else ""


def listed(names: Sequence[str]) -> str:
    """Return the first names of columns and their number, for a message.

    Examples
    --------
    >>> listed(["age", "colour"])
    'age, colour'
    """
    some = ", ".join(shown(name)[1:-1] for name in names[:_MOST_NAMES])
    if len(names) <= _MOST_NAMES:
        return some
    return f"{some}, … ({len(names)} in all)"
