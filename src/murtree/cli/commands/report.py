"""``murtree report``: a page to explore a model in the browser."""

from pathlib import Path
from typing import Annotated

from murtree.cli import options as o
from murtree.cli.format import path_text
from murtree.cli.output import Output
from murtree.cli.output_files import check_outputs, write_file

HELP = """Write one page, without network, to explore a model in a browser.

With a model of all sizes (`fit --frontier`) it has a slider over them.

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
    """Write the page."""
    from murtree.cli.labelled_rows import validate_with
    from murtree.cli.model_files import page_of, read_model

    reply = Output()
    page = model.with_suffix(".html") if output is None else output
    check_outputs([model, validation], [page])
    known = read_model(model)
    if validation is not None:
        with reply.warnings_as_notes():
            known = validate_with(known, validation, missing)
    write_file(page, page_of(known, title))
    reply.say_path(f"wrote {path_text(page)}")
    return 0
