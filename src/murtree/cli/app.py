"""The commands together: names, help, and the version."""

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Annotated

import typer

from murtree import __version__
from murtree.cli import output_files
from murtree.cli.commands import (
    export,
    fit,
    frontier,
    info,
    predict,
    report,
    show,
    tune,
)
from murtree.cli.errors import exit_code_of
from murtree.cli.output import write_text

HELP = """Provably optimal decision trees.

[bold]From a table to a tree and its proof[/bold]
  [cyan]murtree fit data.csv --target y --max-depth 3 -o model.json[/cyan]
  [cyan]murtree show model.json[/cyan]
  [cyan]murtree predict model.json new.csv[/cyan]
  [cyan]murtree export model.json --to sql[/cyan]
"""

EXIT_CODES = "Exit codes: 0 done, 2 bad input, 130 Ctrl-C."

app = typer.Typer(
    name="murtree",
    help=HELP,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Each command says more: murtree fit --help",
)

COMMANDS: dict[str, tuple[Callable[..., int], str, str]] = {
    "fit": (fit.fit, fit.HELP, "Find"),
    "frontier": (frontier.frontier, frontier.HELP, "Find"),
    "tune": (tune.tune, tune.HELP, "Find"),
    "show": (show.show, show.HELP, "Use"),
    "predict": (predict.predict, predict.HELP, "Use"),
    "export": (export.export, export.HELP, "Use"),
    "report": (report.report, report.HELP, "Use"),
    "info": (info.info, info.HELP, "This machine"),
}


def _guarded(command: Callable[..., int]) -> Callable[..., None]:
    """Catch what a command raises before typer does, which knows other exit codes."""

    @wraps(command)
    def guarded(**values: object) -> None:
        raise typer.Exit(exit_code_of(lambda: command(**values)))

    return guarded


for _name, (_command, _help, _panel) in COMMANDS.items():
    _epilog = {"fit": fit.EPILOG}.get(_name, EXIT_CODES if _panel == "Find" else None)
    _add = app.command(_name, help=_help, epilog=_epilog, rich_help_panel=_panel)
    _add(_guarded(_command))


@app.callback(invoke_without_command=True)
def _murtree(
    ctx: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", help="Show the version.", metavar=" ", is_eager=True),
    ] = False,
) -> None:
    if version:
        write_text(f"murtree {__version__}\n")
        raise typer.Exit
    if ctx.invoked_subcommand is None:
        write_text(ctx.get_help() + "\n")


def run(arguments: Sequence[str]) -> int:
    """Run a command line, and return its exit code."""
    output_files.forget()
    return exit_code_of(
        lambda: (
            app(args=list(arguments), prog_name="murtree", standalone_mode=False) or 0
        )
    )
