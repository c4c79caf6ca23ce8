"""``murtree export``: write a tree in another language."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from murtree.cli import options as o
from murtree.cli.output import Output, check_outputs, path_text, write_file, write_text

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


Language = Literal["sql", "c", "python", "dot", "onnx", "text", "json"]
HELP = """Write the tree of a model in another language.

The predictions are the same. JSON contains only the tree, for `Tree.from_json`.

[bold]Examples[/bold]
  [cyan]murtree export model.json --to sql --name customers[/cyan]
  [cyan]murtree export model.json --to c --name churn -o churn.c[/cyan]
  [cyan]murtree export model.json --to onnx -o model.onnx[/cyan]
  [cyan]murtree export model.json --to dot | dot -Tsvg > tree.svg[/cyan]
"""


def export(
    model: o.ModelFile,
    *,
    to: Annotated[
        Language,
        o.option("--to NAME", "sql, c, python, dot, onnx, text or json."),
    ],
    name: Annotated[
        str | None,
        o.option("--name NAME", "sql: the table to query; c: the prefix of names."),
    ] = None,
    size: o.AtSize = None,
    output: Annotated[
        Path | None,
        o.option("--output -o FILE", "Write here instead of stdout."),
    ] = None,
) -> int:
    """Write the exported tree to stdout or a file."""
    from murtree.cli.model_files import at_size, read_model

    reply = Output()
    if name is not None and to not in ("sql", "c"):
        raise ValueError(f"--name is for sql and c, not for {to}.")
    file = None if output is None or str(output) == "-" else output
    if file is None and to == "onnx":
        raise ValueError("--to onnx is a binary file: say where with -o model.onnx.")
    check_outputs([model], [file])
    tree = at_size(read_model(model), size, model).tree
    with reply.warnings_as_notes():
        content = exported(tree, to, name)
    if file is None:
        assert isinstance(content, str)
        write_text(content if content.endswith("\n") else content + "\n")
        return 0
    write_file(file, content)
    reply.say_path(f"wrote {path_text(file)}")
    return 0


def exported(tree: "Tree", to: Language, name: str | None) -> str | bytes:
    """Return a tree in another language."""
    import murtree

    if to == "sql":
        return murtree.export_sql(tree, table=name)
    if to == "c":
        return murtree.export_c(tree, name=name or "tree")
    if to == "onnx":
        content: bytes = murtree.export_onnx(tree).SerializeToString()
        return content
    writers = {
        "python": murtree.export_python,
        "dot": murtree.export_graphviz,
        "text": murtree.export_text,
        "json": lambda given: f"{given.to_json()}\n",
    }
    return writers[to](tree)
