"""``murtree fit``: find the best tree for a table."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from murtree.cli import options as o
from murtree.cli.output import Output, check_installed, check_outputs, path_text

if TYPE_CHECKING:
    from murtree.cli.training_data import TrainingData

HELP = """Find the best decision tree for a table, and prove it.

Prints the tree and its proof. A time limit or Ctrl-C ends the search with the best \
tree so far.

[bold]Examples[/bold]
  [cyan]murtree fit data.csv --target y --max-depth 3 -o model.json[/cyan]
  [cyan]murtree fit data.csv -t y --time-limit 60 --report report.html[/cyan]
  [cyan]murtree fit train.csv -t y --validation test.csv --frontier -o model.json[/cyan]
  [cyan]murtree fit data.csv -t customer --objective f1 --positive churned[/cyan]
  [cyan]murtree fit homes.parquet -t price --regression --ignore id[/cyan]
  [cyan]zcat big.csv.gz | murtree fit - -t y --sample 100000 --json[/cyan]
"""
_ALL_SIZES = (
    "searching for the best tree of every size, as with --frontier, for the report"
)
_ONE_SIZE = (
    "the report will show one tree: there is no search for all sizes within these "
    "limits, or for this objective"
)
ONLY_FOR_FIT = (  # options that `frontier` and `tune` do not have
    "cost_complexity",
    "fewest_nodes",
    "frontier",
    "positive",
    "beta",
    "require_proof",
)
EPILOG = "Exit codes: 0 done, 2 bad input, 3 not proven (--require-proof), 130 Ctrl-C."


@o.takes(o.SearchOptions, without=["plot"])
def fit(options: o.SearchOptions) -> int:
    """Read the data, search, write the files, and print the result."""
    from murtree._progress.observer import SearchObserver
    from murtree.cli.fitting import (
        can_have_all_sizes,
        fit_model,
        make_estimator,
        positive_line,
    )
    from murtree.cli.model_files import answer_of, exit_code, write_files
    from murtree.cli.progress import Display
    from murtree.cli.result import print_result
    from murtree.cli.training_data import summary

    files = {"model": options.output, "report": options.report}
    reply, rows = read_data(options, files)
    with reply.warnings_as_notes():
        for_report = []
        if options.report is not None and not options.frontier:
            options = replace(options, frontier=can_have_all_sizes(options))
            for_report = [_ALL_SIZES if options.frontier else _ONE_SIZE]
        estimator = make_estimator(options, rows)
        reply.say(summary(rows))
        for line in (*positive_line(estimator, rows), *for_report):
            reply.say(line)
        observer = SearchObserver(before="choosing thresholds")
        display = Display(reply, options.progress, observer, options.time_limit)
        model = fit_model(estimator, rows, display)
    try:
        write_files(model, files)
    finally:  # print the result even if the disk is full
        print_result(reply, model, files)
    if options.as_json:
        reply.answer(answer_of(model, files))
    return exit_code(model, require_proof=options.require_proof)


def read_data(
    options: o.SearchOptions, files: dict[str, Path | None]
) -> tuple[Output, "TrainingData"]:
    """Check the files to write, and read the rows with progress."""
    from murtree._progress.observer import SearchObserver
    from murtree.cli.progress import Display
    from murtree.cli.training_data import read_training

    reply = Output.of(options)
    check_outputs([options.data, options.validation], [*files.values()])
    if options.report is not None:
        check_installed("jinja2", "--report", "report")
    if options.plot is not None:
        _check_plot(options.plot)
    with reply.warnings_as_notes():
        reading = SearchObserver(f"reading {path_text(options.data)}")
        with Display(reply, options.progress, reading).live:
            return reply, read_training(options, reply)


def _check_plot(path: Path) -> None:
    if path.suffix.lower() not in (".png", ".svg", ".pdf"):
        raise ValueError(
            f"--plot must end with .png, .svg or .pdf. Got {path.name!r} instead."
        )
    check_installed("matplotlib", "--plot", "plot")
