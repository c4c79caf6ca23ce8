"""``murtree fit``: the best tree for a table."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from murtree.cli import options as o
from murtree.cli.errors import Code
from murtree.cli.format import path_text
from murtree.cli.output import Output
from murtree.cli.output_files import check_installed, check_outputs, written_of

if TYPE_CHECKING:
    from murtree._model.model import Model

HELP = """Find the best decision tree for a table, and prove it.

Prints the tree with what is known about all others. A time limit or Ctrl-C ends the \
search with the best tree so far.

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
    """Read the data, search, write the files, and tell what was found."""
    values = dict(locals())
    from murtree.cli.fitting import (
        FitOptions,
        fit_model,
        make_estimator,
        positive_line,
        read_data,
    )
    from murtree.cli.model_files import answer_of, write_files
    from murtree.cli.training_data import summary_lines

    reply = Output(as_json=as_json, quiet=quiet, no_color=no_color)
    check_outputs([data, validation], [output, report])
    if report is not None:
        check_installed("jinja2", "--report", "report")
    asked = o.picked(FitOptions, values)
    for_report: list[str] = []
    if report is not None and not asked.frontier:
        has_all = asked.can_have_all_sizes()
        asked = replace(asked, frontier=has_all)
        for_report = [_ALL_SIZES if has_all else _ONE_SIZE]
    with reply.warnings_as_notes():
        rows = read_data(values, reply)
        estimator = make_estimator(asked, rows)
        said = (*summary_lines(rows), *positive_line(estimator, rows), *for_report)
        for line in said:
            reply.say(line)
        model = fit_model(estimator, rows, reply, progress)
    files = {"model": output, "report": report}
    try:
        write_files(model, files)
    finally:  # on a full disk too: do not lose what was found
        tell(reply, model, written_of(files))
    reply.answer(answer_of(model, files))
    return exit_code(model, require_proof=require_proof)


def tell(
    reply: Output, model: "Model", files: dict[str, Path], validated: str = ""
) -> None:
    """Print a tree with its proof, its errors and where it was written."""
    if not reply.is_for_people:
        return
    from murtree.cli.confusion_matrix import print_confusion_matrix
    from murtree.cli.result_text import errors_line, proof_text
    from murtree.cli.tree_view import TreePrinter

    reply.say("")
    printer = TreePrinter(model.tree, reply.symbols, is_weighted=model.is_weighted)
    reply.draw(printer.text(reply.out))
    reply.say("")
    print_confusion_matrix(reply, model)
    reply.say(proof_text(model.proof))
    reply.say(errors_line(model))
    if validated:
        reply.say(validated)
    for path in files.values():
        reply.say_path(f"wrote {path_text(path)}")
    saved = files.get("model")
    reply.say("")
    if saved is None:
        reply.say("keep the model with: -o model.json")
        return
    name = path_text(saved)
    reply.say_path(f"next: murtree show {name}")
    reply.say_path(f"      murtree predict {name} new.csv")
    page = files.get("report")
    if page is None:
        reply.say_path(f"      murtree report {name} -o report.html")
    else:
        reply.say_path(f"      open {path_text(page)} in a browser")


def exit_code(model: "Model", *, require_proof: bool = False) -> int:
    """Return how a search ended, for scripts."""
    proofs = [model.proof, *(size.proof for size in model.sizes)]
    if any(proof is not None and proof.status == "interrupted" for proof in proofs):
        return int(Code.INTERRUPTED)
    is_proven = model.proof is not None and model.proof.is_complete
    return int(Code.OK if is_proven or not require_proof else Code.NOT_PROVEN)
