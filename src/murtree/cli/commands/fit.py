"""``murtree fit``: find the best tree for a table."""

from dataclasses import replace
from typing import TYPE_CHECKING

from murtree.cli import options as o
from murtree.cli.errors import Code
from murtree.cli.output import Output, check_installed, check_outputs, written_of

if TYPE_CHECKING:
    from murtree._model.model import Model

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
EPILOG = "Exit codes: 0 done, 2 bad input, 3 not proven (--require-proof), 130 Ctrl-C."


def fit(
    data: o.Data,
    *,
    target: o.Target = None,
    ignore: o.Ignore = None,
    columns: o.Columns = None,
    weight_column: o.WeightColumn = None,
    missing: o.Missing = None,
    drop_missing_target: o.DropMissing = False,
    validation: o.Validation = None,
    validation_share: o.ValidationShare = 0.0,
    sample: o.Sample = None,
    seed: o.Seed = 0,
    format: o.FileFormat = None,
    separator: o.Separator = None,
    max_depth: o.MaxDepth = 4,
    max_nodes: o.MaxNodes = None,
    min_samples_leaf: o.MinLeaf = 1,
    min_weight_fraction_leaf: o.MinWeight = 0.0,
    cost_complexity: o.CostComplexity = 0.0,
    fewest_nodes: o.FewestNodes = False,
    frontier: o.AllSizes = False,
    regression: o.Regression = None,
    objective: o.Goal = None,
    positive: o.Positive = None,
    beta: o.Beta = 1.0,
    class_weight: o.ClassWeight = None,
    forbid: o.Forbid = None,
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    binarizer: o.Binarizer = "auto",
    require_proof: o.RequireProof = False,
    output: o.ModelOut = None,
    report: o.ReportOut = None,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    progress: o.ShowProgress = "auto",
    no_color: o.NoColor = False,
) -> int:
    """Read the data, search, write the files, and print the result."""
    values = dict(locals())
    from murtree.cli.fitting import (
        FitOptions,
        fit_model,
        make_estimator,
        picked,
        positive_line,
        read_data,
    )
    from murtree.cli.model_files import answer_of, write_files
    from murtree.cli.result import print_result
    from murtree.cli.training_data import summary_lines

    reply = Output(as_json=as_json, quiet=quiet, no_color=no_color)
    with reply.warnings_as_notes():
        check_outputs([data, validation], [output, report])
        if report is not None:
            check_installed("jinja2", "--report", "report")
        options = picked(FitOptions, values)
        for_report: list[str] = []
        if report is not None and not frontier:
            has_all = options.can_have_all_sizes()
            options = replace(options, frontier=has_all)
            for_report = [_ALL_SIZES if has_all else _ONE_SIZE]
        rows = read_data(values, reply)
        estimator = make_estimator(options, rows)
        about_class = positive_line(estimator, rows)
        for line in (*summary_lines(rows), *about_class, *for_report):
            reply.say(line)
        model = fit_model(estimator, rows, reply, progress)
    files = {"model": output, "report": report}
    try:
        write_files(model, files)
    finally:  # print the result even if the disk is full
        print_result(reply, model, written_of(files))
    if as_json:
        reply.answer(answer_of(model, files))
    return exit_code(model, require_proof=require_proof)


def exit_code(model: "Model", *, require_proof: bool = False) -> int:
    """Return the exit code for the end of a search."""
    proofs = [model.proof, *(size.proof for size in model.sizes)]
    if any(proof is not None and proof.status == "interrupted" for proof in proofs):
        return int(Code.INTERRUPTED)
    is_proven = model.proof is not None and model.proof.is_complete
    return int(Code.OK if is_proven or not require_proof else Code.NOT_PROVEN)
