"""Shared code of the four ablations: the paper's task, runs, lines and tables.

The task (paper, Section "Variations of Our Algorithm and Scalability"): on one solver,
the best tree of 1, 2, … branching nodes, up to the limit of the depth, in order of
size, so that each reuses the cache of the previous ones.
"""

import argparse
import json
import os
import sys
import time
from dataclasses import asdict, dataclass, field
from pathlib import Path
from statistics import geometric_mean

import numpy as np

from murtree import Solver

BENCHMARKS = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(BENCHMARKS))

from compare import shared_its_core, table  # noqa: E402 (the path above leads to them)
from measure import fits  # noqa: E402
from run import data_sets, last_core, machine  # noqa: E402

COUNTS = ("depth_two_calls", "nodes")  # statistics that are summed over the sizes
DEPTH_FOUR_SETS = [  # sets that take murtree 10 ms or more, without the very long ones
    "DL_anneal",
    "DL_audiology",
    "DL_australian-credit",
    "DL_breast-wisconsin",
    "DL_diabetes",
    "DL_german-credit",
    "DL_heart-cleveland",
    "DL_kr-vs-kp",
    "DL_pendigits",
    "DL_soybean",
    "DL_tic-tac-toe",
    "DL_vehicle",
    "DL_yeast",
    "Hu_fico-binary",
    "NL_Ionosphere",
    "NL_default_credit",
    "NL_magic04",
    "NL_winequality-red",
    "Nina_cancer",
    "Nina_haberman",
    "Nina_hepatitis",
]


@dataclass(frozen=True)
class Setting:
    """One column of a table: options of the solver and of the request."""

    title: str
    options: dict = field(default_factory=dict)
    depth: int = 4
    copies: int = 1


def parse_arguments(name, description, sets):
    parser = argparse.ArgumentParser(description=description)
    add = parser.add_argument
    add("--sets", nargs="+", default=sets, metavar="SET", help="names or patterns")
    add("--time-limit", type=float, default=20, help="seconds for all sizes of a run")
    add("--repeat", type=int, default=3, help="runs of each while under 1 s")
    out = BENCHMARKS / "results" / f"ablation-{name}.jsonl"
    add(
        "--out",
        type=Path,
        default=out,
        metavar="FILE.jsonl",
        help=f"default: {out.name}",
    )
    return parser.parse_args()


def solve_sizes(X, y, setting, time_limit):
    """Solve all sizes on one solver; return the proven errors and statistics."""
    end = time.perf_counter() + time_limit
    solver = Solver(X, y, **setting.options)
    errors, totals, stats = [], dict.fromkeys(COUNTS, 0), {}
    for size in range(1, 2**setting.depth):
        left = max(end - time.perf_counter(), 0.001)
        result = solver.solve(
            max_depth=setting.depth, max_num_nodes=size, time_limit=left
        )
        stats = result.stats
        totals = {name: totals[name] + stats[name] for name in COUNTS}
        if result.status != "optimal":
            break
        errors.append(result.objective)
    return {"errors": errors, "stats": stats | totals}


def measure(X, y, setting, arguments):
    """Return one row of results; options that the solver rejects are recorded."""
    X, y = np.tile(X, (setting.copies, 1)), np.tile(y, setting.copies)
    row = {"rows": X.shape[0], "columns": X.shape[1], **asdict(setting)}
    row |= {"time_limit": arguments.time_limit}
    try:
        answer, times, _ = fits(
            lambda: solve_sizes(X, y, setting, arguments.time_limit), arguments.repeat
        )
    except (TypeError, ValueError) as error:
        return row | {"failure": str(error), "seconds": None, "complete": False}
    complete = len(answer["errors"]) == 2**setting.depth - 1
    return row | times | {"complete": complete} | answer


def run(name, description, settings, sets):
    """Measure all, write a line per run, and return the rows."""
    arguments = parse_arguments(name, description, sets)
    loaders = data_sets({"sets": arguments.sets}, ["*"])
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {last_core()})
    where, rows = machine() | {"ablation": name}, []
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with arguments.out.open("w") as lines:
        for set_name, load in loaders.items():
            X, y = load()
            for setting in settings:
                row = where | {"set": set_name} | measure(X, y, setting, arguments)
                print(json.dumps(row), file=lines, flush=True)
                rows.append(row)
            print(f"{set_name} done", file=sys.stderr, flush=True)
    return rows


# --- tables ---


def seconds_cell(row):
    """Return the seconds; at the time limit the number of solved sizes."""
    if row["seconds"] is None:
        return "refused"
    if row["complete"]:
        return f"{row['seconds']:.3f}"
    return f">{row['time_limit']:g} ({len(row['errors'])} sizes)"


def count_cell(name):
    def cell(row):
        return "" if row["seconds"] is None else f"{row['stats'][name]:,}"

    return cell


def print_table(rows, label_of, cells):
    """Print a line for each label, a column for each title and kind of cell."""
    titles = list(dict.fromkeys(row["title"] for row in rows))
    by_label = {}
    for row in rows:
        by_label.setdefault(label_of(row), {})[row["title"]] = row
    lines = [["set", *(f"{title} {unit}" for title in titles for unit in cells)]]
    for label, found in by_label.items():
        columns = (cell(found[title]) for title in titles for cell in cells.values())
        lines.append([label, *columns])
    print(*table(lines, markdown=True), sep="\n")


def print_ratios(rows, label_of):
    """Print the ratio of times to the first setting, where both finished."""
    by_title = {}
    for row in rows:
        if row["complete"]:
            by_title.setdefault(row["title"], {})[label_of(row)] = row["seconds"]
    titles = list(dict.fromkeys(row["title"] for row in rows))
    base = by_title.get(titles[0], {})
    print(f"\nTime as a multiple of {titles[0]}, sets that both completed:")
    for title in titles[1:]:
        both = base.keys() & by_title.get(title, {}).keys()
        if not both:
            print(f"- {title}: none")
            continue
        ratios = [by_title[title][label] / base[label] for label in both]
        spread = f"{min(ratios):.2f} to {max(ratios):.2f}"
        mean = geometric_mean(ratios)
        print(f"- {title}: geometric mean {mean:.2f} of {len(both)} sets, {spread}")


def print_notes(rows):
    """Print runs that hit the limit, rejected options, and differing errors."""
    ended = [row for row in rows if row["seconds"] is not None and not row["complete"]]
    refused = {row["title"]: row["failure"] for row in rows if row["seconds"] is None}
    print(f"\nRuns ended by the time limit: {len(ended)} of {len(rows)}.")
    print(f"Runs that shared their core: {sum(map(shared_its_core, rows))}.")
    for title, failure in refused.items():
        print(f"Refused: {title}: {failure}")
    disputed = set()
    known = {}  # errors by set, depth, copies and size
    for row in rows:
        for size, errors in enumerate(row.get("errors", []), 1):
            key = (row["set"], row["depth"], row["copies"], size)
            if known.setdefault(key, errors) != errors:
                disputed.add(row["set"])
    print(f"Sets on which settings disagree: {', '.join(sorted(disputed)) or 'none'}.")


def compare_times(name, description, settings):
    """Run the settings at depth 4 and print their times side by side."""
    rows = run(name, description, settings, DEPTH_FOUR_SETS)
    print_table(rows, lambda row: row["set"], {"s": seconds_cell})
    print_ratios(rows, lambda row: row["set"])
    print_notes(rows)
