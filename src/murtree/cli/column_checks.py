"""Columns of a table to learn from that look like a mistake."""

from collections.abc import Iterable

import numpy as np

from murtree._table.text_columns import long_number, look_of
from murtree.cli.format import path_text
from murtree.cli.tables import FileError, Table
from murtree.cli.tables.error import shown

_FEW = 20  # texts that tell whether it is worth to look at all of them


def text_notes(table: Table) -> list[str]:
    """Return a note for each such column, with the way to change it."""
    return [note for name in table.frame if (note := _note(name, table))]


def refuse_infinity(table: Table, features: Iterable[str]) -> None:
    """Refuse infinite numbers with their line, and the word that would drop them."""
    for name in features:
        column = table.frame[name]
        is_infinite = column.dtype.kind == "f" and np.isinf(column.to_numpy())
        if np.any(is_infinite):
            word = table.infinite.get(name)
            advice = "remove it"
            if word is not None:
                between = "=" if word.startswith("-") else " "
                advice = f"add --missing{between}{path_text(word)}"
            raise FileError(
                f"{table.where(int(np.argmax(is_infinite)))}: column {shown(name)} "
                f"must hold finite numbers. Got {word or 'infinity'} instead. If it "
                f"means a missing value, {advice}."
            )


def _rounded(number: str) -> str:
    """Write a long whole number as a file may have it to be read as a number."""
    sign, digits = ("-" if number.startswith("-") else ""), number.lstrip("+-")
    return f"{sign}{digits[0]}.{digits[1:7]}e{len(digits) - 1}"


def _note(name: str, table: Table) -> str:
    column = table.frame[name]
    if getattr(column.dtype, "kind", "O") not in "OU" or hasattr(column, "cat"):
        return ""
    texts = [text for text in column.dropna().unique() if isinstance(text, str)]
    begin = f"column {shown(name)} of {table.source} is read as text, but"
    long = long_number(texts)
    if long is not None:
        advice = f"write them with an exponent ({_rounded(long)})"
        if table.lines is None:  # Parquet has types
            advice = "store them as doubles"
        return (
            f"{begin} holds whole numbers beyond 2**53 ({shown(long)}). If they are "
            f"identifiers, leave them out with --ignore {path_text(name)}; if they are "
            f"quantities, {advice}."
        )
    found = look_of(texts[:_FEW]) and look_of(texts)
    if found is None:
        return ""
    look, example = found
    advice = f"write them like {look.instead}"
    if table.lines is None:  # Parquet has types
        advice = f"store them as {'dates' if look.what == 'dates' else 'numbers'}"
    return (
        f"{begin} looks like {look.what} ({shown(example)}). To get "
        f"thresholds, {advice}."
    )
