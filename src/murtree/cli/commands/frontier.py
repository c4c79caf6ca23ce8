"""``murtree frontier``: find and compare the best trees of all sizes."""

import math
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from murtree.cli import options as o
from murtree.cli.commands.fit import ONLY_FOR_FIT, read_data
from murtree.cli.output import Output, count, path_text, plain_table, written

if TYPE_CHECKING:
    from murtree._model.model import Model
    from murtree.cli.training_data import TrainingData

HELP = """Find the best tree of every size in one search, and compare them.

Validation rows show which size to choose.

[bold]Examples[/bold]
  [cyan]murtree frontier data.csv --target y --max-depth 3[/cyan]
  [cyan]murtree frontier data.csv -t y --validation-share 0.25 --plot sizes.png[/cyan]
  [cyan]murtree frontier data.csv -t y -o model.json[/cyan]
  [cyan]murtree show model.json --size 3[/cyan]
"""


@o.takes(o.SearchOptions, without=[*ONLY_FOR_FIT, "report"])
def frontier(options: o.SearchOptions) -> int:
    """Print a table of sizes, and write the model with all of them."""
    from murtree._progress.observer import SearchObserver
    from murtree.cli.fitting import fit_model, make_estimator
    from murtree.cli.model_files import answer_of, exit_code, write_files
    from murtree.cli.progress import Display
    from murtree.cli.training_data import summary

    files = {"model": options.output, "plot": options.plot}
    reply, rows = read_data(options, files)
    with reply.warnings_as_notes():
        estimator = make_estimator(replace(options, frontier=True), rows)
        reply.say(summary(rows))
        observer = SearchObserver("searching all sizes", before="choosing thresholds")
        display = Display(reply, options.progress, observer, options.time_limit)
        model = fit_model(estimator, rows, display)
        picture = b""
        if options.plot is not None:
            picture = _picture(estimator, rows, options.plot)
    try:
        write_files(model, files, picture)
    finally:  # print the result even if the disk is full
        _print_frontier(reply, model, options.output)
    sizes = [_size_answer(model, index) for index in range(len(model.sizes))]
    reply.answer(answer_of(model, files) | {"sizes": sizes})
    return exit_code(model)


def _picture(estimator: Any, rows: "TrainingData", path: Path) -> bytes:
    """Return a plot of errors against sizes, in the format of the file name."""
    import io

    import matplotlib as mpl

    import murtree

    mpl.use("Agg")  # no window
    other = rows.validation
    checked = {} if other is None else {"X": other.X, "y": other.y}
    weight = None if other is None else other.weight
    axes = murtree.plot_frontier(estimator, sample_weight=weight, **checked)
    content = io.BytesIO()
    figure: Any = axes.figure
    figure.savefig(content, format=path.suffix.lower().removeprefix("."), dpi=200)
    return content.getvalue()


def _size_answer(model: "Model", index: int) -> dict[str, Any]:
    """Return the JSON object that --json prints for one size."""
    size = model.sizes[index]
    assert size.proof is not None
    return {
        "max_nodes": index,
        "n_nodes": size.tree.n_nodes,
        "depth": size.tree.depth,
        "objective": size.proof.objective,
        "lower_bound": size.proof.lower_bound,
        "status": size.proof.status,
        "train_error": size.train_error,
        "validation_error": size.validation_error,
    }


def _print_frontier(reply: Output, model: "Model", saved: Path | None) -> None:
    if not reply.is_for_people:
        return
    from murtree._model.losses import EXPECTED

    reply.say("")
    n_rows = _print_sizes(reply, model)
    reply.say("")
    best = _best_in_validation(model)
    is_short = n_rows < len(model.sizes)
    coverage = None if model.proof is None else model.proof.coverage
    if coverage is not None:
        reply.say(str(coverage))
        if coverage.depends_on_size:
            reply.say(
                "All sizes are searched with the candidates of the deepest tree; "
                "murtree fit --max-nodes N alone may search more thresholds."
            )
    if model.teacher is not None:
        reply.say(EXPECTED[model.loss])
    if is_short:
        reply.say("Sizes that are no better than a smaller one are left out.")
    if best is not None:
        from murtree.cli.result import error_text

        error = error_text(model.sizes[best].validation_error, model.loss)
        reply.say(f"best in validation: {count(best, 'node')} ({error})")
    for path in written:
        reply.say_path(f"wrote {path_text(path)}")
    if is_short or best is not None or written:
        reply.say("")
    _print_next(reply, saved, model.tree.n_nodes if best is None else best)


def _print_sizes(reply: Output, model: "Model") -> int:
    """Print a table of the useful sizes; return the number of rows."""
    from murtree._table.predicate_text import number_text
    from murtree.cli.result import error_text

    assert model.proof is not None
    is_checked = model.n_validation > 0
    is_squared = model.proof.measure == "squared error"
    cost = "objective"
    if is_squared:  # in the unit of the target: this is also the training error
        cost = "RMSE"
    elif model.proof.measure == "misclassified" and not model.is_weighted:
        cost = "errors" if model.teacher is None else "expected errors"
    headings = ["nodes", "depth", cost, "no tree below", "proven"]
    headings += [] if is_squared else ["training"]
    headings += ["validation"] if is_checked else []
    rows, indices = [], []
    for index, size in enumerate(model.sizes):
        if size.tree.n_nodes < index:
            continue  # no better than a smaller one
        assert size.proof is not None
        errors = [size.train_error, size.validation_error]
        errors = errors[int(is_squared) : 1 + is_checked]
        costs = [size.proof.objective, size.proof.lower_bound]
        if is_squared:
            costs = [math.sqrt(each / size.proof.total_weight) for each in costs]
        rows.append(
            [
                str(size.tree.n_nodes),
                str(size.tree.depth),
                *map(number_text, costs),
                "yes" if size.proof.is_complete else "no",
                *(error_text(error, model.loss) for error in errors),
            ]
        )
        indices.append(index)
    chosen = indices.index(model.chosen) if model.chosen in indices else -1
    reply.draw(plain_table(dict.fromkeys(headings, "right"), rows, chosen))
    return len(rows)


def _best_in_validation(model: "Model") -> int | None:
    """Return the smallest size with the least error in validation."""
    errors = [size.validation_error for size in model.sizes]
    known = [error for error in errors if error is not None]
    return errors.index(min(known)) if known else None


def _print_next(reply: Output, saved: Path | None, size: int) -> None:
    """Print commands that use the model."""
    if saved is None or saved not in written:
        reply.say("keep the model of all sizes with: -o model.json")
        return
    name = path_text(saved)
    reply.say_path(f"next: murtree show {name} --size {size}")
    reply.say_path(f"      murtree predict {name} new.csv --size {size}")
    reply.say_path(f"      murtree report {name} -o report.html")
