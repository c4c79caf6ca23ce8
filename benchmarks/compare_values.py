"""Compare systems on regression and on F1: the best tree of a depth.

    python benchmarks/compare_values.py build/regression.jsonl
    python benchmarks/compare_values.py build/f1.jsonl --markdown

A ratio is a peer's seconds / ours: above 1 murtree is faster. The geometric means are
over the problems that the peer proves and that take it --min-seconds or more; one that
murtree does not prove counts as its whole time limit. Values are computed from the
trees, not from the systems' reports, and are equal if they agree to a relative 1e-6.
"""

import argparse
import math
from pathlib import Path

from compare import VALUE_TASKS, table
from compare_tasks import (
    best_objective,
    means_line,
    peers_of,
    ratio_cell,
    read,
    sharing_lines,
    time_cell,
)

SAME = 1e-6  # relative
FASTEST = "fastest peer"


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compare regression and F1.")
    add = parser.add_argument
    add("file", type=Path, metavar="FILE.jsonl")
    add("--system", default="murtree")
    add("--min-seconds", type=float, default=0.01, help="of the peer")
    add("--markdown", action="store_true")
    return parser.parse_args()


def titled(key):
    return f"{key[1]} depth {key[2]}"


def shown(task, objective):
    """Return the displayed value: the sum of squared errors, or F1."""
    return 1 - objective if task == "f1" else objective


def is_same(value, other):
    return math.isclose(value, other, rel_tol=SAME, abs_tol=1e-12)


def is_beaten(row, rows):
    """Return whether a system claims an optimum that another system's tree beats."""
    best, own = best_objective(rows), row["objective"]
    return row["optimal"] and best < own and not is_same(best, own)


def with_fastest(problems, system):
    """Add the best result of all peers as another peer, if there are several."""
    peers = peers_of(problems, system)
    if len(peers) < 2:
        return problems
    added = {}
    for key, rows in problems.items():
        found = [rows[peer] for peer in peers if peer in rows and rows[peer]["seconds"]]
        ranked = sorted(found, key=lambda row: (not row["optimal"], row["seconds"]))
        added[key] = rows | dict(zip([FASTEST], ranked, strict=False))
    return added


def lines_of(problems, system, peers):
    head = ["set", "rows", "columns", "depth", "value", f"{system} s"]
    yield head + [cell for peer in peers for cell in (f"{peer} s", "ratio")]
    for (task, name, depth, _), rows in problems.items():
        some, ours = next(iter(rows.values())), rows.get(system)
        cells = [name, str(some.get("rows", "")), str(some.get("columns", ""))]
        value = shown(task, best_objective(rows))
        cells += [str(depth), f"{value:.8g}", time_cell(ours)]
        for peer in peers:
            theirs = rows.get(peer)
            cells += [time_cell(theirs), ratio_cell(theirs, ours)]
        yield cells


def times_faster(problems, system, peer, min_seconds):
    """Return ratios by depth and problem; without a proof our time limit counts."""
    ratios = {}
    for key, rows in problems.items():
        ours, theirs = rows.get(system), rows.get(peer)
        if not (ours and theirs and theirs["optimal"]):
            continue
        if theirs["seconds"] >= min_seconds:
            seconds = ours["seconds"] if ours["optimal"] else ours["time_limit"]
            known = ratios.setdefault(key[2], {})
            known[titled(key)] = theirs["seconds"] / seconds
    return ratios


def differences(problems, system, peer):
    """Return lines on the problems with two proofs of different values."""
    for key, rows in problems.items():
        pair = [rows[name] for name in (system, peer) if name in rows]
        values = [row["objective"] for row in pair if row["optimal"]]
        if len(values) == 2 and not is_same(*values):
            better = system if values[0] < values[1] else peer
            excess = max(values) / min(values) - 1 if min(values) else math.inf
            both = " and ".join(f"{shown(key[0], value):.10g}" for value in values)
            yield f"{titled(key)}: {both}, {better} better by {excess:.1e} of the loss"


def notes(problems, name):
    """Return lines on one system: proofs, wrong proofs, and limits exceeded."""
    rows = {key: each[name] for key, each in problems.items() if name in each}
    proved = sum(row["optimal"] for row in rows.values())
    yield f"{name}: {proved} of {len(rows)} proved"
    for key, row in rows.items():
        if is_beaten(row, problems[key]):
            yield f"  calls optimal what another beats: {titled(key)}"
        claimed, own = row.get("claimed"), row["objective"]
        if None not in (claimed, own) and not is_same(claimed, own):
            yield f"  says {claimed:.10g} of a loss of {own:.10g}: {titled(key)}"


def summary(problems, arguments, peers):
    system, least = arguments.system, arguments.min_seconds
    for name in (system, *peers):
        yield from notes(problems, name) if name != FASTEST else ()
    for peer in peers:
        yield f"{peer} / {system}, where {peer} has a proof after {least} s or more"
        ratios = times_faster(problems, system, peer, least)
        for depth, known in sorted(ratios.items()):
            yield means_line(f"  depth {depth}", known)
        every = {
            name: ratio for known in ratios.values() for name, ratio in known.items()
        }
        yield means_line("  all depths", every)
        if peer != FASTEST:
            unlike = list(differences(problems, system, peer))
            yield f"  proved values that differ by more than {SAME:g}: {len(unlike)}"
            yield from (f"    {line}" for line in unlike)


def main():
    arguments = parse_arguments()
    every = read(arguments.file)
    problems = {key: rows for key, rows in every.items() if key[0] in VALUE_TASKS}
    if not problems:
        raise SystemExit("No regression and no F1 in this file: try compare.py.")
    problems = with_fastest(problems, arguments.system)
    peers = peers_of(problems, arguments.system)
    lines = list(lines_of(problems, arguments.system, peers))
    print(*table(lines, arguments.markdown), "", sep="\n")
    print(*summary(problems, arguments, peers), "", sep="\n")
    print(*sharing_lines(every), sep="\n")


if __name__ == "__main__":
    main()
