"""The application: commands, help, version, and exit codes."""

import os
import sys
from collections.abc import Callable, Sequence
from functools import partial, update_wrapper
from typing import Annotated

import typer

from murtree import __version__
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
from murtree.cli.errors import DEBUG, Code, close_stdout, described, fail
from murtree.cli.output import so_far, write_text, written

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
    epilog="Help for a command: murtree fit --help",
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


for _name, (_command, _help, _panel) in COMMANDS.items():
    _epilog = {"fit": fit.EPILOG}.get(_name, EXIT_CODES if _panel == "Find" else None)
    _add = app.command(_name, help=_help, epilog=_epilog, rich_help_panel=_panel)
    # Typer only parses: `run` calls the command, since typer has other exit codes.
    _add(update_wrapper(partial(partial, _command), _command))


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
    """Run a command line, and return its exit code.

    An exception is printed as one line.
    """
    try:
        parsed = app(args=list(arguments), prog_name="murtree", standalone_mode=False)
        code: int = parsed() if callable(parsed) else parsed or 0
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return close_stdout()
    except KeyboardInterrupt:
        return fail(
            f"interrupted. {so_far() or 'No file was written.'}", Code.INTERRUPTED
        )
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        message, code = described(error)
        return fail(f"{message} {so_far()}", code)
    finally:
        written.clear()
