"""Numbers and names as a terminal shows them to people."""

import os
import shlex


def one_line(text: object) -> str:
    r"""Write a text on one line, without escape codes.

    Examples
    --------
    >>> one_line("two\n  lines")
    'two lines'
    """
    from murtree._table.predicate_text import printable  # NumPy comes with it

    return printable(" ".join(str(text).split()))


def count(number: int, unit: str, units: str = "") -> str:
    """Write a number with its unit.

    Examples
    --------
    >>> count(1, "row"), count(1200, "row"), count(0, "class", "classes")
    ('1 row', '1,200 rows', 'no classes')
    """
    plural = units or f"{unit}s"
    if number == 0:
        return f"no {plural}"
    return f"{number:,} {unit if number == 1 else plural}"


def percent(share: float | None) -> str:
    """Write a share with three digits, and never a small one as none.

    Examples
    --------
    >>> percent(0.0123), percent(1.0), percent(0.000001), percent(None)
    ('1.23%', '100%', '< 0.01%', '')
    """
    if share is None:
        return ""
    if 0.0 < share < 0.0001:
        return "< 0.01%"
    return f"{float(f'{100 * share:.3g}'):g}%"


def path_text(path: str | os.PathLike[str]) -> str:
    """Write the name of a file so that a terminal shows it and a shell takes it."""
    text = os.fspath(path)
    return shlex.quote(text) if text.isprintable() else repr(text)
