"""``murtree predict``: what a model says about other rows."""

from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from murtree.cli import options as o
from murtree.cli.output import Output, write_text
from murtree.cli.written import begin_answer, writing

if TYPE_CHECKING:
    from murtree._table.columns import Column
    from murtree._tree.tree import Tree
    from murtree.cli.table_out import TableOut
    from murtree.cli.tables import Table

HELP = """Predict the rows of a table with a model, as CSV or Parquet.

Columns are read as the model knows them, whatever their order; only those that the \
tree asks about are needed. \
Text of any size goes through piece by piece.

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
        bool, o.option("--proba", help="Add the share of each class.")
    ] = False,
    explain: Annotated[
        bool, o.option("--explain", help="Add the rule that decided.")
    ] = False,
    append: Annotated[
        bool, o.option("--append", help="Begin with the columns of the file.")
    ] = False,
    size: o.AtSize = None,
    missing: o.Missing = None,
    format: o.FileFormat = None,
    separator: o.Separator = None,
    output: Annotated[
        Path | None,
        o.option(
            "--output",
            "-o",
            metavar="FILE",
            help="Write here instead of stdout; .parquet is written as Parquet.",
        ),
    ] = None,
) -> int:
    """Write a row for each row of the table."""
    from murtree.cli.model_files import (
        at_size,
        check_outputs,
        read_model,
    )
    from murtree.cli.tables import read_pieces
    from murtree.cli.training_data import missing_words
    from murtree.cli.unseen import Unseen

    told = Output()
    file = None if output is None or str(output) == "-" else output
    check_outputs([model, data], [file])
    known = at_size(read_model(model), size, model)
    columns = asked_columns(known.tree)
    unseen = Unseen(known.tree)
    with ExitStack() as stack:
        stack.enter_context(told.warnings_as_notes())
        out = stack.enter_context(_opened(file))
        rows = read_pieces(
            data,
            columns=columns,
            missing=missing_words(known, missing),
            format=format,
            separator=separator,
            keep_all=append,
        )
        for table in stack.enter_context(closing(rows)):
            for note in table.notes:
                told.note(note)
            codes = unseen.encode(table)
            out.write(predicted(known.tree, codes, table, proba, explain))
    for note in unseen.notes():
        told.note(note)
    return 0


@contextmanager
def _opened(file: Path | None) -> Iterator["TableOut"]:
    """Give what writes the table to a file, whole or not at all, or to stdout."""
    from murtree._input.atomic_write import whole_file
    from murtree.cli.table_out import CsvOut, ParquetOut, is_parquet

    if file is None:
        yield CsvOut(_answer)
        return
    with writing(file), whole_file(file) as target:
        out = (
            ParquetOut(target)
            if is_parquet(file)
            else CsvOut(lambda text: target.write(text.encode("utf-8")))
        )
        yield out
        out.close()


def _answer(text: str) -> None:
    begin_answer()
    write_text(text)


def asked_columns(tree: "Tree") -> tuple["Column", ...]:
    """Return the columns of a tree; what no test asks about may be anything.

    Trees of numbers alone know no missing values: those need all their columns.
    """
    if tree.columns is None:
        return tree.known_columns
    asked = set(tree.feature.tolist())
    return tuple(
        column if place in asked else replace(column, kind="empty", categories=())
        for place, column in enumerate(tree.columns)
    )


def predicted(
    tree: "Tree", codes: Any, table: "Table", proba: bool, explain: bool
) -> dict[str, Any]:
    """Return the columns of the predictions, and what was asked for beside them."""
    from murtree._tree.rules import rule_texts

    found = table.original or {}
    columns: dict[str, Any] = {"prediction": tree._predict(codes)}
    if proba:
        shares = tree._predict_proba(codes)
        for place, label in enumerate(tree._known_classes().tolist()):
            columns[f"share_{label}"] = shares[:, place]
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
