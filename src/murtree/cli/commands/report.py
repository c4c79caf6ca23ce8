"""``murtree report``: write a page to explore a model in a browser."""

from pathlib import Path
from typing import Annotated

from murtree.cli import options as o
from murtree.cli.output import Output, check_outputs, path_text, write_file

HELP = """Write a web page to explore a model; it needs no network.

For a model with all sizes (`fit --frontier`), the page has a slider for the size.

[bold]Examples[/bold]
  [cyan]murtree report model.json[/cyan]
  [cyan]murtree report model.json -o churn.html --title "Who leaves?"[/cyan]
  [cyan]murtree report model.json --validation test.csv[/cyan]
"""


def report(
    model: o.ModelFile,
    *,
    output: Annotated[
        Path | None,
        o.option(
            "--output -o FILE", "The page. (default: the model's name with .html)"
        ),
    ] = None,
    title: Annotated[str | None, o.option("--title TEXT", "Its title.")] = None,
    validation: o.Validation = None,
    missing: o.Missing = None,
) -> int:
    """Write the page, with validation errors if rows are given."""
    from murtree.cli.labelled_rows import validate_with
    from murtree.cli.model_files import read_model

    reply = Output()
    page = model.with_suffix(".html") if output is None else output
    check_outputs([model, validation], [page])
    known = read_model(model)
    if validation is not None:
        with reply.warnings_as_notes():
            known = validate_with(known, validation, missing)
    write_file(page, known.report(title=title) or "")
    reply.say_path(f"wrote {path_text(page)}")
    return 0
