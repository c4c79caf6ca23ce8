"""Notes about text columns that were probably meant as numbers or dates."""

from murtree._table.text_columns import long_number, look_of
from murtree.cli.output import path_text
from murtree.cli.tables import Table
from murtree.cli.tables.error import shown

_FEW = 20  # texts to look at first


def text_notes(table: Table) -> list[str]:
    """Return a note for each such column, with advice."""
    return [note for name in table.frame if (note := _note(name, table))]


def _rounded(number: str) -> str:
    """Return a long whole number in a notation that is read as a number."""
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
