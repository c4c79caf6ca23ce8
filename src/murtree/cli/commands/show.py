"""``murtree show``: a model in the terminal."""

from typing import TYPE_CHECKING, Annotated

from murtree.cli import options as o
from murtree.cli.output import Output, count, path_text, write_text

if TYPE_CHECKING:
    from murtree._model.model import Model

HELP = """Show the tree of a model and its proof.

Each leaf shows its class, the shares of the classes, and the number of wrong rows.

[bold]Examples[/bold]
  [cyan]murtree show model.json[/cyan]
  [cyan]murtree show model.json --rules[/cyan]
  [cyan]murtree show model.json --size 3[/cyan]
  [cyan]murtree show model.json --validation test.csv[/cyan]
"""


def show(
    model: o.ModelFile,
    *,
    size: o.AtSize = None,
    rules: Annotated[
        bool, o.option("--rules", "One rule a leaf, instead of a tree.")
    ] = False,
    plain: Annotated[
        bool, o.option("--plain", "The tree alone, as plain text.")
    ] = False,
    validation: o.Validation = None,
    missing: o.Missing = None,
    as_json: o.AsJson = False,
    no_color: o.NoColor = False,
) -> int:
    """Print the tree, its proof and its errors."""
    from murtree._export import export_text
    from murtree.cli.labelled_rows import validate_with
    from murtree.cli.model_files import answer_of, at_size, read_model
    from murtree.cli.result import print_model

    reply = Output(as_json=as_json, no_color=no_color)
    known = at_size(read_model(model), size, model)
    if validation is not None:
        with reply.warnings_as_notes():
            known = validate_with(known, validation, missing)
    if as_json:
        reply.answer(answer_of(known, {"model": model}))
        return 0
    if plain:
        write_text(export_text(known.tree))
        return 0
    reply.say(_title(known))
    reply.say("")
    print_model(reply, known, _rules(known) if rules else ())
    if len(known.sizes) > 1:
        largest = len(known.sizes) - 1
        reply.say_path(
            f"other sizes: murtree show {path_text(model)} --size 0 (up to {largest})"
        )
    return 0


def _title(model: "Model") -> str:
    from murtree.cli.tables.error import shown

    target = "" if model.target is None else f" for {shown(model.target)}"
    nodes = count(model.tree.n_nodes, "node")
    return f"A tree{target} with {nodes}, depth {model.tree.depth}"


def _rules(model: "Model") -> list[str]:
    from murtree._tree.leaf_text import LeafWords
    from murtree._tree.rules import rule_texts

    words = LeafWords(model.tree, is_weighted=model.is_weighted)
    return [
        f"{words.prediction(leaf)} ({words.support(leaf)}) if {rule}"
        for leaf, rule in rule_texts(model.tree).items()
    ]
