"""``murtree tune``: the size of the tree by cross-validation."""

from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from murtree.cli import options as o
from murtree.cli.errors import Code
from murtree.cli.fit import exit_code, tell
from murtree.cli.output import Output
from murtree.cli.words import duration, path_text, percent
from murtree.cli.written import is_written

if TYPE_CHECKING:
    from murtree.cli.data import TrainingData

TUNING = "Tuning"


class Strategy(StrEnum):
    """Which sizes are tried."""

    ALL = "all"
    UP_TO_GREEDY = "up_to_greedy"
    AS_GREEDY = "as_greedy"


HELP = """Choose the size of the tree by cross-validation.

Each fold finds the best trees of all sizes, from no test on; the size with the best \
mean score on the rows left out is then searched for on all rows. Ctrl-C ends the \
comparison and takes the best size of the depths that are done.

[bold]Examples[/bold]
  [cyan]murtree tune data.csv --target y --max-depth 4 -o model.json[/cyan]
  [cyan]murtree tune data.csv -t y --one-standard-error --report report.html[/cyan]
  [cyan]murtree tune homes.csv -t price --regression --jobs 2[/cyan]
"""


def tune(
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
    max_depth: Annotated[
        int,
        o.option(
            "--max-depth",
            "-d",
            metavar="DEPTH",
            help="The largest to try.",
            panel=TUNING,
        ),
    ] = 4,
    folds: Annotated[
        int,
        o.option("--folds", metavar="N", help="How many, at random.", panel=TUNING),
    ] = 5,
    scoring: Annotated[
        str | None,
        o.option(
            "--scoring",
            metavar="NAME",
            help="A score of scikit-learn. (default: accuracy, or r2)",
            panel=TUNING,
        ),
    ] = None,
    one_standard_error: Annotated[
        bool,
        o.option(
            "--one-standard-error",
            help="The smallest within one standard error of the best.",
            panel=TUNING,
        ),
    ] = False,
    strategy: Annotated[
        Strategy,
        o.option(
            "--strategy",
            metavar="NAME",
            help="Sizes to try: all, up_to_greedy (a greedy tree's), as_greedy.",
            panel=TUNING,
        ),
    ] = Strategy.ALL,
    jobs: Annotated[
        int,
        o.option(
            "--jobs", "-j", metavar="N", help="Folds at a time; -1: all.", panel=TUNING
        ),
    ] = 1,
    min_samples_leaf: o.MinLeaf = 1,
    min_weight_fraction_leaf: o.MinWeight = 0.0,
    regression: o.Regression = None,
    objective: o.Goal = None,
    class_weight: o.ClassWeight = None,
    forbid: o.Forbid = None,
    time_limit: o.TimeLimit = None,
    memory_limit: o.MemoryLimit = None,
    binarizer: o.Binarizer = o.Thresholds.AUTO,
    output: o.ModelOut = None,
    report: Annotated[
        Path | None,
        o.option(
            "--report",
            panel=o.WRITE,
            metavar="FILE",
            help="Write a page to explore the chosen tree.",
        ),
    ] = None,
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    progress: o.ShowProgress = o.Mode.AUTO,
    no_color: o.NoColor = False,
) -> int:
    """Compare all sizes, fit the best, and write its model."""
    values = dict(locals())
    from murtree.cli.data import DataOptions, read_training, summary_lines
    from murtree.cli.models import (
        answer_of,
        check_installed,
        check_outputs,
        write_files,
    )
    from murtree.cli.progress import Watch
    from murtree.cli.training import model_of

    told = Output(as_json=as_json, quiet=quiet, no_color=no_color)
    check_outputs([data, validation], [output, report])
    if report is not None:
        check_installed("jinja2", "--report", "report")
    with told.warnings_as_notes():
        with Watch(told, progress, f"reading {path_text(data)}"):
            rows = read_training(o.picked(DataOptions, values), told)
        search = _search(values, rows)
        for line in summary_lines(rows):
            told.say(line)
        what = f"{folds} folds, all sizes up to depth {max_depth}"
        with Watch(told, progress, what) as watch:
            search._tell = watch.compared
            search.fit(rows.train.X, rows.train.y, rows.train.weight)
        model = model_of(search.best_estimator_, rows)
    files = {"model": output, "report": report}
    scores = Scores.of(search, rows)
    try:
        write_files(model, files)
    finally:  # on a full disk too: what was found is not to be lost
        _tell_scores(told, search, scores)
        written = {kind: p for kind, p in files.items() if is_written(p)}
        tell(told, model, written, scores.line)
    told.answer(answer_of(model, files) | _scores_answer(search, scores))
    return int(Code.INTERRUPTED) if search.was_interrupted_ else exit_code(model)


def _search(values: dict[str, Any], rows: "TrainingData") -> Any:
    """Return the estimator that compares sizes, not fitted."""
    from sklearn.model_selection import KFold, StratifiedKFold

    from murtree._tuning import OptimalTreeClassifierCV, OptimalTreeRegressorCV
    from murtree.cli.training import FitOptions, make_estimator

    _check(values, rows)
    sizes = {"max_depth": 4, "max_nodes": None, "cost_complexity": 0.0}
    more = {"fewest_nodes": False, "frontier": False, "beta": 1.0, "positive": None}
    estimator = make_estimator(o.picked(FitOptions, values | sizes | more), rows)
    kind: Any = OptimalTreeClassifierCV
    split: Any = StratifiedKFold
    if rows.is_regression:
        kind, split = OptimalTreeRegressorCV, KFold
    search = kind(
        estimator=estimator,
        max_depth=values["max_depth"],
        strategy=str(values["strategy"]),
        cv=split(values["folds"], shuffle=True, random_state=values["seed"]),
        scoring=values["scoring"],
        one_standard_error=values["one_standard_error"],
        n_jobs=values["jobs"],
    )
    search._check_parameters()  # before anything is told
    return search


def _check(values: dict[str, Any], rows: "TrainingData") -> None:
    """Refuse what the library would refuse later, or in other words."""
    import numpy as np

    from murtree._files import FileError
    from murtree._metrics import NAMES

    if values["objective"] in NAMES:
        raise FileError(
            f"--objective {values['objective']} has no trees of all sizes to compare: "
            "fit it with a --max-depth or --max-nodes of your choice."
        )
    y = rows.train.y
    most = y.size if rows.is_regression else np.unique(y, return_counts=True)[1].max()
    if not 2 <= values["folds"] <= most:
        raise FileError(
            f"--folds must be an int in the range [2, {most}] with these rows. Got "
            f"{values['folds']} instead."
        )
    if values["jobs"] == 0:
        raise FileError("--jobs must be a number of folds, or -1. Got 0 instead.")
    if values["scoring"] is not None:
        _check_scoring(values["scoring"], rows)


def _check_scoring(name: str, rows: "TrainingData") -> None:
    """Refuse a score that cannot be had of this target, as of any guess shows."""
    import warnings

    import numpy as np
    from sklearn.dummy import DummyClassifier, DummyRegressor
    from sklearn.metrics import get_scorer, get_scorer_names

    from murtree._files import FileError
    from murtree._files._error import meant, shown

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


class Scores(NamedTuple):
    """What a cross-validation says of the chosen size, and of none."""

    name: str  # of the score
    chosen: float
    baseline: float | None  # without a test; None: not compared
    n_folds: int
    guess: str  # what a tree without a test does

    @classmethod
    def of(cls, search: Any, rows: "TrainingData") -> "Scores":
        """Return the scores of a fitted search."""
        default, guess = "accuracy", "the majority"
        if rows.is_regression:
            absolute = search.best_estimator_.objective == "absolute_error"
            default, guess = "r2", "the median" if absolute else "the mean"
        found = search.cv_results_
        leaves = found["mean_test_score"][found["param_max_num_nodes"] == 0]
        return cls(
            search.scoring or default,
            float(search.best_score_),
            float(leaves[0]) if leaves.size else None,
            search.n_splits_,
            guess,
        )

    @property
    def line(self) -> str:
        """What to expect of the tree on other rows, in words."""
        name = "misclassified" if self.name == "accuracy" else self.name
        said = f"validated: {name} {self._text(self.chosen)}"
        said += f" (mean of {self.n_folds} folds)"
        if self.baseline is None:
            return said
        return f"{said}; {self.guess} alone: {self._text(self.baseline)}"

    def _text(self, score: float) -> str:
        return percent(1.0 - score) if self.name == "accuracy" else f"{score:.4f}"


def _tell_scores(told: Output, search: Any, scores: Scores) -> None:
    from murtree.cli.printing import plain_table

    if not told.is_told:
        return
    found = search.cv_results_
    rows = [
        [
            str(params["max_depth"]),
            str(params["max_num_nodes"] or "none"),
            f"{mean:.4f}",
            f"{told.symbols.plus_minus} {spread:.4f}",
            f"{train:.4f}",
            _remark(params, scores, is_chosen=place == search.best_index_),
        ]
        for place, (params, mean, spread, train) in enumerate(
            zip(
                found["params"],
                found["mean_test_score"],
                found["std_test_score"],
                found["mean_train_score"],
                strict=True,
            )
        )
    ]
    headings = dict.fromkeys(["depth", "nodes", scores.name], "right")
    headings |= {"": "left", "training": "right", " ": "left"}
    told.say("")
    told.draw(plain_table(headings, rows, int(search.best_index_)))
    told.say("")
    seconds = duration(search.search_seconds_)
    told.say(
        f"{scores.name}: mean {told.symbols.plus_minus} standard deviation of "
        f"{scores.n_folds} folds, on the rows left out; {seconds} of search."
    )


def _remark(params: dict[str, Any], scores: Scores, *, is_chosen: bool) -> str:
    remarks = ["chosen"] if is_chosen else []
    if params["max_num_nodes"] == 0:
        remarks.append(f"{scores.guess} alone")
    return ", ".join(remarks)


def _scores_answer(search: Any, scores: Scores) -> dict[str, Any]:
    """Return what --json tells of the comparison."""
    found = search.cv_results_
    return {
        "best_params": dict(search.best_params_),
        "scoring": scores.name,
        "n_folds": scores.n_folds,
        "best_score": scores.chosen,
        "baseline_score": scores.baseline,
        "was_interrupted": search.was_interrupted_,
        "sizes": [
            {**params, "mean_score": float(mean), "std_score": float(spread)}
            for params, mean, spread in zip(
                found["params"],
                found["mean_test_score"],
                found["std_test_score"],
                strict=True,
            )
        ],
    }
