"""``murtree tune``: choose the size of the tree by cross-validation."""

from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from murtree.cli import options as o
from murtree.cli.commands.fit import ONLY_FOR_FIT, read_data
from murtree.cli.errors import Code
from murtree.cli.output import Output, plain_table

if TYPE_CHECKING:
    from murtree._model.model import Model
    from murtree._model.tuning import TunedSize, Tuning
    from murtree.cli.training_data import TrainingData

_tuning = partial(o.option, panel="Tuning")


HELP = """Choose the size of the tree by cross-validation.

Each fold finds the best trees of all sizes, for the target as it is and for the \
predictions of a random forest; the best on held-out rows is then fitted to all rows. \
Ctrl-C ends the comparison and takes the best of what all folds have finished.

[bold]Examples[/bold]
  [cyan]murtree tune data.csv --target y --max-depth 4 -o model.json[/cyan]
  [cyan]murtree tune data.csv -t y --one-standard-error --report report.html[/cyan]
  [cyan]murtree tune homes.csv -t price --regression --jobs 2[/cyan]
"""


@dataclass(frozen=True, kw_only=True)
class TuneOptions(o.SearchOptions):
    """The options of this command."""

    max_depth: Annotated[
        int, _tuning("--max-depth -d DEPTH", "The largest depth to try.")
    ] = 4
    folds: Annotated[int, _tuning("--folds N", "The number of random folds.")] = 5
    scoring: Annotated[
        str | None,
        _tuning(
            "--scoring NAME", "A score of scikit-learn. (default: accuracy, or r2)"
        ),
    ] = None
    one_standard_error: Annotated[
        bool,
        _tuning(
            "--one-standard-error",
            "The smallest within one standard error of the best.",
        ),
    ] = False
    strategy: Annotated[
        Literal["auto", "all", "up_to_greedy", "as_greedy"],
        _tuning(
            "--strategy NAME",
            "auto: all sizes, also of trees fitted to a random forest's predictions; "
            "all: depths and sizes; up_to_greedy, as_greedy: a greedy tree's.",
        ),
    ] = "auto"
    jobs: Annotated[int, _tuning("--jobs -j N", "Folds at a time; -1: all.")] = 1
    report: Annotated[
        Path | None,
        o.option(
            "--report FILE",
            "Write a page with the scores and the chosen tree.",
            o.WRITE,
        ),
    ] = None


@o.takes(TuneOptions, without=[*ONLY_FOR_FIT, "max_nodes", "plot"])
def tune(options: TuneOptions) -> int:
    """Compare all sizes, fit the best, and write its model."""
    from murtree._progress.observer import ComparisonObserver
    from murtree.cli.fitting import fit_model
    from murtree.cli.model_files import answer_of, exit_code, write_files
    from murtree.cli.progress import Display
    from murtree.cli.result import print_result
    from murtree.cli.training_data import summary

    files = {"model": options.output, "report": options.report}
    reply, rows = read_data(options, files)
    with reply.warnings_as_notes():
        search = _search(options, rows)
        reply.say(summary(rows))
        what = f"{options.folds} folds, all sizes up to depth {options.max_depth}"
        display = Display(reply, options.progress, ComparisonObserver(what))
        model = fit_model(search, rows, display)
    tuning = model.tuning
    assert tuning is not None
    try:
        write_files(model, files)
    finally:  # print the result even if the disk is full
        _print_scores(reply, model, tuning, search)
        validated = _validated_line(model, tuning)
        print_result(reply, model, files, validated)
    reply.answer(answer_of(model, files) | _scores_answer(tuning, search))
    return int(Code.INTERRUPTED) if search.was_interrupted_ else exit_code(model)


def _search(options: TuneOptions, rows: "TrainingData") -> Any:
    """Return the estimator that compares sizes, not fitted."""
    from sklearn.model_selection import KFold, StratifiedKFold

    from murtree._estimators.cv.estimators import (
        OptimalTreeClassifierCV,
        OptimalTreeRegressorCV,
    )
    from murtree.cli.fitting import make_estimator

    _check(options, rows)
    estimator = make_estimator(replace(options, max_depth=4), rows)  # has its own
    kind: Any = OptimalTreeClassifierCV
    split: Any = StratifiedKFold
    if rows.is_regression:
        kind, split = OptimalTreeRegressorCV, KFold
    search = kind(
        estimator=estimator,
        max_depth=options.max_depth,
        strategy=options.strategy,
        cv=split(options.folds, shuffle=True, random_state=options.seed),
        scoring=options.scoring,
        one_standard_error=options.one_standard_error,
        n_jobs=options.jobs,
    )
    search._check_parameters()  # before anything is printed
    return search


def _check(options: TuneOptions, rows: "TrainingData") -> None:
    """Refuse options that the library would refuse later, or less clearly."""
    import numpy as np

    from murtree._solver.metrics.metrics import NAMES
    from murtree.cli.tables import FileError

    if options.objective in NAMES:
        raise FileError(
            f"tune does not support --objective {options.objective}, which has no "
            "trees of all sizes: use fit with a --max-depth or --max-nodes."
        )
    y = rows.train.y
    most = y.size if rows.is_regression else np.unique(y, return_counts=True)[1].max()
    if not 2 <= options.folds <= most:
        raise FileError(
            f"--folds must be an int in the range [2, {most}] with these rows. Got "
            f"{options.folds} instead."
        )
    if options.jobs == 0:
        raise FileError("--jobs must be a number of folds, or -1. Got 0 instead.")
    if options.scoring is not None:
        _check_scoring(options.scoring, rows)


def _check_scoring(name: str, rows: "TrainingData") -> None:
    """Refuse a score that cannot be computed for this target."""
    import warnings

    import numpy as np
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.metrics import get_scorer, get_scorer_names

    from murtree.cli.tables import FileError
    from murtree.cli.tables.error import meant, shown

    if name not in get_scorer_names():
        raise FileError(
            f"--scoring: scikit-learn has no score {shown(name)}"
            f"{meant(name, get_scorer_names()) or '.'}"
        )
    y = rows.train.y
    X = np.zeros((y.size, 1))
    guess = DummyRegressor() if rows.is_regression else DummyClassifier()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a guess scores badly
        try:
            get_scorer(name)(guess.fit(X, y), X, y)
        except (ValueError, TypeError, AttributeError):
            kind = "numbers" if rows.is_regression else "these classes"
            other = f"{name}_macro"
            hint = f" Try {other}." if other in get_scorer_names() else ""
            raise FileError(f"--scoring {name} cannot score {kind}.{hint}") from None


def _validated_line(model: "Model", tuning: "Tuning") -> str:
    """Return a line with the score of the tree, and of a tree without tests."""
    from murtree._model.tuning import GUESSES, score_text
    from murtree.cli.result import percent

    is_share = tuning.scoring == "accuracy"

    def text(score: float) -> str:
        return percent(1.0 - score) if is_share else score_text(score)

    name = "misclassified" if is_share else tuning.scoring
    line = f"validated: {name} {text(tuning.best.mean_score)}"
    line += f" (mean of {tuning.n_folds} folds)"
    if tuning.baseline is None:
        return line
    return f"{line}; {GUESSES[model.loss]} alone: {text(tuning.baseline)}"


def _print_scores(reply: Output, model: "Model", tuning: "Tuning", search: Any) -> None:
    from murtree._model.tuning import GUESSES, score_text
    from murtree._progress.text import duration

    if not reply.is_for_people:
        return
    if tuning.has_families:
        _print_families(reply, model, tuning, search)
        return
    rows = [
        [
            str(size.max_depth),
            str(size.max_num_nodes or "none"),
            score_text(size.mean_score),
            f"{reply.symbols.plus_minus} {score_text(size.std_score)}",
            score_text(size.train_score),
            _remark(size, GUESSES[model.loss], is_chosen=size is tuning.best),
        ]
        for size in tuning.sizes
    ]
    headings = dict.fromkeys(["depth", "nodes", tuning.scoring], "right")
    headings |= {"": "left", "training": "right", " ": "left"}
    reply.say("")
    reply.draw(plain_table(headings, rows, tuning.chosen))
    reply.say("")
    seconds = duration(search.search_seconds_)
    reply.say(
        f"{tuning.scoring}: mean {reply.symbols.plus_minus} standard deviation of "
        f"{tuning.n_folds} folds, on the rows left out; {seconds} of search."
    )


def _print_families(
    reply: Output, model: "Model", tuning: "Tuning", search: Any
) -> None:
    """Print the scores of the families of trees next to each other."""
    from murtree._model.tuning import GUESSES, explained, family_names, score_text
    from murtree._progress.text import duration

    names = family_names(model.loss)
    names = {teacher: names[teacher] for teacher in tuning.teachers}
    scores = (["smoothed"] if tuning.is_smoothed else []) + [tuning.scoring]
    headings = {"\nnodes": "right"}
    headings |= {
        f"{name}\n{each}": "right" for name in names.values() for each in scores
    }
    headings |= {"\n": "left"}
    rows = []
    for nodes, by_teacher in tuning.by_nodes.items():
        cells = [str(nodes or "none")]
        for teacher in names:
            size = by_teacher.get(teacher)
            means = [] if size is None else [size.deciding_score, size.mean_score]
            texts = [*map(score_text, means), "", ""]
            cells += texts[:2] if tuning.is_smoothed else texts[:1]
        is_chosen = tuning.best in by_teacher.values()
        remarks = [f"chosen: {names[tuning.best.teacher]}"] if is_chosen else []
        remarks += [f"{GUESSES[model.loss]} alone"] if nodes == 0 else []
        rows.append([*cells, ", ".join(remarks)])
    chosen = [*tuning.by_nodes].index(tuning.best.max_num_nodes or 0)
    reply.say("")
    reply.draw(plain_table(headings, rows, chosen))
    reply.say("")
    n_folds, seconds = tuning.n_folds, duration(search.search_seconds_)
    reply.say(f"Means of {n_folds} folds, on the rows left out; {seconds} of search.")
    for line in explained(tuning, model.loss):
        reply.say(line)


def _remark(size: "TunedSize", guess: str, *, is_chosen: bool) -> str:
    remarks = ["chosen"] if is_chosen else []
    if size.max_num_nodes == 0:
        remarks.append(f"{guess} alone")
    return ", ".join(remarks)


def _scores_answer(tuning: "Tuning", search: Any) -> dict[str, Any]:
    """Return the JSON object that --json prints for the comparison."""
    names = ["max_depth", "max_num_nodes", "mean_score", "std_score"]
    if tuning.has_families:
        names += ["teacher", "smoothed_score"]
    return {
        "best_params": dict(search.best_params_),
        "scoring": tuning.scoring,
        "n_folds": tuning.n_folds,
        "best_score": tuning.best.mean_score,
        "baseline_score": tuning.baseline,
        "was_interrupted": search.was_interrupted_,
        "sizes": [
            {name: getattr(size, name) for name in names} for size in tuning.sizes
        ],
    }
