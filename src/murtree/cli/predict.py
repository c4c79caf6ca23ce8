"""``murtree predict``: what a model says about other rows."""

from contextlib import ExitStack, closing
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from murtree.cli import options as o
from murtree.cli.output import Output, write_text
from murtree.cli.written import begin_answer, writing

if TYPE_CHECKING:
    from murtree._columns import Column
    from murtree._files import Table
    from murtree._tree import Tree

HELP = """Predict the rows of a table with a model, as CSV.

Columns are read as the model knows them, whatever their order; only those that the \
tree asks about are needed. \
Text of any size goes through piece by piece.

[bold]Examples[/bold]
  [cyan]murtree predict model.json new.csv[/cyan]
  [cyan]murtree predict model.json new.csv --proba --explain -o predicted.csv[/cyan]
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
    output: Annotated[
        Path | None,
        o.option(
            "--output", "-o", metavar="FILE", help="Write here instead of stdout."
        ),
    ] = None,
) -> int:
    """Write a row of CSV for each row of the table."""
    from murtree._output import whole_file
    from murtree.cli.data import missing_words
    from murtree.cli.models import at_size, check_outputs, read_model
    from murtree.cli.pieces import tables
    from murtree.cli.unseen import Unseen

    told = Output()
    file = None if output is None or str(output) == "-" else output
    check_outputs([model, data], [file])
    known = at_size(read_model(model), size, model)
    columns = asked_columns(known.tree)
    unseen = Unseen(known.tree)
    is_first = True
    with ExitStack() as stack:
        stack.enter_context(told.warnings_as_notes())
        target = None
        if file is not None:
            stack.enter_context(writing(file))
            target = stack.enter_context(whole_file(file))
        rows = tables(
            data,
            columns=columns,
            missing=missing_words(known, missing),
            format=format,
            keep_all=append,
        )
        for table in stack.enter_context(closing(rows)):
            for note in table.notes:
                told.note(note)
            codes = unseen.encode(table)
            found = predicted(known.tree, codes, table, proba, explain)
            text = found.to_csv(index=False, header=is_first, lineterminator="\n")
            is_first = False
            if target is None:
                begin_answer()
                write_text(text)
            else:
                target.write(text.encode("utf-8"))
    for note in unseen.notes():
        told.note(note)
    return 0


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
) -> Any:
    """Return a frame of the predictions and what was asked for beside them."""
    import pandas as pd

    from murtree._rules import rule_texts

    found = table.original
    if found is None:
        found = pd.DataFrame(index=table.frame.index)
    columns: dict[str, Any] = {"prediction": tree._predict(codes)}
    if proba:
        shares = tree._predict_proba(codes)
        for place, label in enumerate(tree._known_classes().tolist()):
            columns[f"share_{label}"] = shares[:, place]
    if explain:
        rules = rule_texts(tree)
        columns["rule"] = [rules[leaf] for leaf in tree._apply(codes).tolist()]
    taken = sorted(set(columns) & set(found.columns))
    if taken:
        raise ValueError(
            f"{table.source} has a column {taken[0]!r} already: predict without "
            "--append."
        )
    return found.assign(**columns)
