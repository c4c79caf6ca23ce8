"""``murtree bench``: a short, honest check of this machine."""

import time
import warnings
from typing import TYPE_CHECKING, Any

from murtree.cli import options as o
from murtree.cli.output import Output
from murtree.cli.words import count, duration

if TYPE_CHECKING:
    import numpy.typing as npt

HELP = """Prove trees on data that comes with scikit-learn, and time it here.

Beside each stands the greedy tree of the same depth, which may use any threshold; \
and, where pystreed is installed, how long both take from the same 0/1 columns. Takes \
less than half a minute.

[bold]Examples[/bold]
  [cyan]murtree bench[/cyan]
  [cyan]murtree bench --json[/cyan]
"""
SETS = {"iris": "iris", "wine": "wine", "breast": "breast_cancer", "digits": "digits"}
DEPTHS = (2, 3, 4)
LIMIT = 1.0  # seconds for each search


def bench(
    as_json: o.AsJson = False,
    quiet: o.Quiet = False,
    progress: o.ShowProgress = o.Mode.AUTO,
    no_color: o.NoColor = False,
) -> int:
    """Print a line for each set and depth."""
    from murtree.cli.progress import Watch

    told = Output(as_json=as_json, quiet=quiet, no_color=no_color)
    found = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a limit that is reached is in the table
        for name in SETS:
            with Watch(told, progress, f"searching {name}"):
                found += [measure(name, depth) for depth in DEPTHS]
    told.answer({"time_limit": LIMIT, "results": found})
    if told.is_told:
        _tell(told, found)
    return 0


def measure(name: str, depth: int) -> dict[str, Any]:
    """Fit one tree, and those of others beside it."""
    import sklearn.datasets
    from sklearn.tree import DecisionTreeClassifier

    from murtree._classifier import OptimalTreeClassifier

    X, y = getattr(sklearn.datasets, f"load_{SETS[name]}")(return_X_y=True)
    tree = OptimalTreeClassifier(max_depth=depth, time_limit=LIMIT)
    start = time.perf_counter()
    tree.fit(X, y)
    seconds = time.perf_counter() - start
    greedy = DecisionTreeClassifier(max_depth=depth, random_state=0).fit(X, y)
    result = {
        "data": name,
        "rows": int(X.shape[0]),
        "columns": int(X.shape[1]),
        "max_depth": depth,
        "seconds": seconds,
        "search_seconds": tree.search_stats_["seconds"],
        "errors": int(tree.tree_.misclassified),
        "lower_bound": tree.lower_bound_,
        "status": tree.status_,
        "n_nodes": tree.n_nodes_,
        "greedy_errors": int((greedy.predict(X) != y).sum()),
    }
    return result | _beside(tree.binarizer_.transform(X), y, depth)


def _beside(
    bits: "npt.NDArray[Any]", y: "npt.NDArray[Any]", depth: int
) -> dict[str, Any]:
    """Ask pystreed and us the same about 0/1 columns; nothing where it is absent."""
    import importlib.util

    if importlib.util.find_spec("pystreed") is None:
        return {}
    import numpy as np
    from pystreed import STreeDClassifier

    from murtree._classifier import OptimalTreeClassifier

    table = np.asarray(bits, dtype=np.int32)
    ours = OptimalTreeClassifier(max_depth=depth, binarizer=None, time_limit=LIMIT)
    start = time.perf_counter()
    ours.fit(table, y)
    middle = time.perf_counter()
    peer = STreeDClassifier("accuracy", max_depth=depth, time_limit=LIMIT)
    try:
        peer.fit(table, y)
        is_optimal = bool(peer.fit_result.is_optimal())
    except RuntimeError:  # its time limit, before it has a tree
        is_optimal = False
    end = time.perf_counter()
    return {
        "bits_seconds": middle - start,
        "bits_status": ours.status_,
        "pystreed_seconds": end - middle,
        "pystreed_status": "optimal" if is_optimal else "time_limit",
    }


def _tell(told: Output, found: list[dict[str, Any]]) -> None:
    from murtree.cli.printing import plain_table

    has_peer = "pystreed_seconds" in found[0]
    headings = {"data": "left"} | dict.fromkeys(
        ["rows", "depth", "tests", "errors", "greedy", "proven", "time"], "right"
    )
    if has_peer:
        headings |= dict.fromkeys(["0/1", "pystreed"], "right")
    rows = [_cells(result, has_peer) for result in found]
    told.draw(plain_table(headings, rows))
    told.say("")
    n_proven = sum(result["status"] == "optimal" for result in found)
    n_better = sum(result["errors"] < result["greedy_errors"] for result in found)
    told.say(
        f"{n_proven} of {count(len(found), 'tree')} proven optimal within {LIMIT:g} s "
        f"each, {n_better} better than the greedy tree of their depth."
    )


def _cells(result: dict[str, Any], has_peer: bool) -> list[str]:
    cells = [
        str(result["data"]),
        f"{result['rows']:,}",
        str(result["max_depth"]),
        str(result["n_nodes"]),
        str(result["errors"]),
        str(result["greedy_errors"]),
        "yes" if result["status"] == "optimal" else "no",
        duration(result["seconds"]),
    ]
    if has_peer:
        cells += [_time_cell(result, name) for name in ("bits", "pystreed")]
    return cells


def _time_cell(result: dict[str, Any], name: str) -> str:
    if result[f"{name}_status"] != "optimal":
        return f"> {LIMIT:g} s"
    return duration(result[f"{name}_seconds"])
