"""``murtree predict``: predict the rows of a table with a model."""

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from murtree.cli import options as o
from murtree.cli.output import (
    STDOUT,
    Output,
    check_outputs,
    count,
    write_text,
    writing,
    written,
)

if TYPE_CHECKING:
    from murtree._table.columns import Column
    from murtree._tree.tree import Tree
    from murtree.cli.table_writer import WriteRows
    from murtree.cli.tables import Table

HELP = """Predict the rows of a table with a model, as CSV or Parquet.

Columns may be in any order; only those that the tree tests are needed. Text files \
of any size are read in chunks.

[bold]Examples[/bold]
  [cyan]murtree predict model.json new.csv[/cyan]
  [cyan]murtree predict model.json new.csv --proba --explain -o predicted.csv[/cyan]
  [cyan]murtree predict model.json new.parquet --append -o predicted.parquet[/cyan]
  [cyan]zcat new.csv.gz | murtree predict model.json - --append[/cyan]
"""


def predict(
    model: o.ModelFile,
    data: o.Data,
    *,
    proba: Annotated[
        bool, o.option("--proba", "Add the probability of each class.")
    ] = False,
    explain: Annotated[
        bool, o.option("--explain", "Add the rule of the leaf.")
    ] = False,
    append: Annotated[
        bool, o.option("--append", "Keep the columns of the file.")
    ] = False,
    size: o.AtSize = None,
    missing: o.Missing = None,
    format: o.FileFormat = None,
    separator: o.Separator = None,
    output: Annotated[
        Path | None,
        o.option(
            "--output -o FILE",
            "Write here instead of stdout; .parquet is written as Parquet.",
        ),
    ] = None,
) -> int:
    """Write a prediction for each row of the table."""
    from murtree.cli.model_files import at_size, missing_words, read_model
    from murtree.cli.tables import read_pieces

    reply = Output()
    file = None if output is None or str(output) == "-" else output
    check_outputs([model, data], [file])
    known = at_size(read_model(model), size, model)
    unseen = _UnseenCategories(known.tree)
    with ExitStack() as stack:
        stack.enter_context(reply.warnings_as_notes())
        write_rows = stack.enter_context(_opened(file))
        rows = read_pieces(
            data,
            columns=needed_columns(known.tree),
            missing=missing_words(known, missing),
            format=format,
            separator=separator,
            keep_all=append,
        )
        for table in stack.enter_context(closing(rows)):
            for note in table.notes:
                reply.note(note)
            codes = unseen.encode(table)
            write_rows(predicted(known.tree, codes, table, proba, explain))
    for note in unseen.notes():
        reply.note(note)
    return 0


@contextmanager
def _opened(file: Path | None) -> Iterator["WriteRows"]:
    """Open a table in a file, written completely or not at all, or on stdout."""
    from murtree._input.atomic_write import whole_file
    from murtree.cli.table_writer import PARQUET, csv_writer, parquet_writer

    if file is None:
        yield csv_writer(_answer)
        return
    with writing(file), whole_file(file) as target:
        if file.suffix.lower() in PARQUET:
            with parquet_writer(target) as write_rows:
                yield write_rows
        else:
            yield csv_writer(lambda text: target.write(text.encode("utf-8")))


def _answer(text: str) -> None:
    written.append(STDOUT)
    write_text(text)


def needed_columns(tree: "Tree") -> tuple["Column", ...]:
    """Return the columns of a tree; those without a test get the kind "empty".

    Trees without columns do not accept missing values and need all their columns.
    """
    if tree.columns is None:
        return tree.known_columns
    tested = set(tree.feature.tolist())
    return tuple(
        column if index in tested else replace(column, kind="empty", categories=())
        for index, column in enumerate(tree.columns)
    )


def predicted(
    tree: "Tree", codes: Any, table: "Table", proba: bool, explain: bool
) -> dict[str, Any]:
    """Return the predictions and the other requested columns."""
    from murtree._tree.rules import rule_texts

    found = table.original or {}
    columns: dict[str, Any] = {"prediction": tree._predict(codes)}
    if proba:
        shares = tree._predict_proba(codes)
        for index, label in enumerate(tree._known_classes().tolist()):
            columns[f"share_{label}"] = shares[:, index]
    if explain:
        rules = rule_texts(tree)
        columns["rule"] = [rules[leaf] for leaf in tree._apply(codes).tolist()]
    taken = sorted(set(columns) & set(found))
    if taken:
        raise ValueError(
            f"{table.source} has a column {taken[0]!r} already: predict without "
            "--append."
        )
    return found | columns


class _UnseenCategories:
    """Count rows with categories that training did not have, in tested columns.

    Such rows get a prediction, and the user gets a note that it is a guess.
    """

    def __init__(self, tree: "Tree") -> None:
        self._tree = tree
        self._tested = set(tree.feature.tolist())
        self._n_rows: Counter[str] = Counter()  # by column
        self._first: dict[str, str] = {}

    def encode(self, table: "Table") -> Any:
        """Return the codes of a chunk, and count its rows with new categories."""
        from murtree._table.columns import encode

        columns = self._tree.columns
        if columns is None:
            return self._tree.encode(table.frame)
        see = partial(self._see, table)
        return encode(table.frame, columns, tested=self._tested, on_unknown=see)

    def _see(self, table: "Table", column: "Column", values: Any, rows: Any) -> None:
        from murtree.cli.tables.error import shown

        row = int(rows[0])
        found = f"{shown(values[row])}, {table.where(row)}"
        if column.refuses_unknown:
            raise ValueError(
                f"Column {shown(column.name)} must hold categories that training had. "
                f"Got {shown(values[row])} in {table.where(row)}: the model was fitted "
                "with handle_unknown='error'."
            )
        self._n_rows[column.name] += rows.size
        self._first.setdefault(column.name, found)

    def notes(self) -> list[str]:
        """Return a note for each column with unseen categories."""
        from murtree.cli.tables.error import shown

        return [
            f"{count(n_rows, 'row')} with a category in column {shown(name)} that "
            f"training did not have (first: {self._first[name]}): treated as missing."
            for name, n_rows in self._n_rows.items()
        ]
