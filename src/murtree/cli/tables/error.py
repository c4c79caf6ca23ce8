"""What is wrong with a file, in one line that the user reads as it is."""

import difflib
from collections.abc import Sequence

from murtree._table.predicate_text import printable

_LONGEST = 40  # letters of a value or a name that a message shows
LONGEST_PATH = 250
_MOST_NAMES = 8  # columns that a message lists


class FileError(ValueError):
    """A file, or its content, is not as it must be.

    Examples
    --------
    >>> raise FileError("no file 'dta.csv': did you mean 'data.csv'?")
    Traceback (most recent call last):
        ...
    murtree.cli.tables.error.FileError: no file 'dta.csv': did you mean 'data.csv'?
    """


def shown(value: object, longest: int = _LONGEST) -> str:
    r"""Write a value or a name in quotes, on one line, and not too long.

    Examples
    --------
    >>> print(shown("red"), shown("two\nlines"))
    'red' 'two\nlines'
    """
    text = str(value)
    short = text if len(text) <= longest else f"{text[: longest - 1]}…"
    return f"'{printable(short)}'"


def meant(name: str, known: Sequence[str]) -> str:
    """Return the question whether another name was meant; '' where none is close.

    Examples
    --------
    >>> meant("chrun", ["age", "churn"])
    ": did you mean 'churn'?"
    """
    by_lower = {other.strip().lower(): other for other in reversed(known)}
    close = difflib.get_close_matches(name.strip().lower(), by_lower, n=1)
    return f": did you mean {shown(by_lower[close[0]])}?" if close else ""


def listed(names: Sequence[str]) -> str:
    """Return some names of columns for a message, and how many there are.

    Examples
    --------
    >>> listed(["age", "colour"])
    'age, colour'
    """
    some = ", ".join(shown(name)[1:-1] for name in names[:_MOST_NAMES])
    if len(names) <= _MOST_NAMES:
        return some
    return f"{some}, … ({len(names)} in all)"
