"""Compare systems on frontiers and on sparse trees, from one file of run.py.

    python benchmarks/compare_tasks.py build/frontier4.jsonl
    python benchmarks/compare_tasks.py build/sparse.jsonl --markdown

A ratio is a peer's seconds / ours: above 1 murtree is faster. If a peer reached its
time limit, the limit is used as its seconds: such a ratio, marked ">", is a lower
bound.
"""

import argparse
import json
import math
from pathlib import Path
from statistics import geometric_mean

from compare import shared_its_core, table

ROUNDING = 1e-5  # relative: gosdt computes in single precision


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compare frontiers and sparse trees.")
    add = parser.add_argument
    add("file", type=Path, metavar="FILE.jsonl")
    add("--system", default="murtree")
    add("--min-seconds", type=float, default=0.01, help="of our single tree")
    add("--markdown", action="store_true")
    return parser.parse_args()


def read(path):
    """Return rows by problem and system; later rows replace earlier ones."""
    problems = {}
    for line in path.read_text().splitlines():
        row = json.loads(line)
        task = row.get("task", "tree")
        key = (task, row["set"], row["depth"], row.get("penalty"))
        problems.setdefault(key, {})[row["system"]] = row
    return problems


def peers_of(problems, system):
    names = dict.fromkeys(name for rows in problems.values() for name in rows)
    return [name for name in names if name != system]


def means_line(title, ratios):
    """Return a line with count, geometric mean and minimum of some ratios, if any."""
    if not ratios:
        return f"{title}: no set"
    least, most = min(ratios, key=ratios.get), max(ratios, key=ratios.get)
    return (
        f"{title}: {len(ratios)} counted, geometric mean "
        f"{geometric_mean(ratios.values()):.2f}, least {ratios[least]:.2f} ({least}), "
        f"most {ratios[most]:.2f} ({most})"
    )


def sharing_lines(problems):
    """Return lines on how many measurements of each system shared their core."""
    rows = [row for found in problems.values() for row in found.values()]
    shared = [row["system"] for row in rows if shared_its_core(row)]
    for name in dict.fromkeys(row["system"] for row in rows):
        yield f"{name}: {shared.count(name)} measurements shared their core"


def ratio(peer, row):
    """Return a peer's seconds / ours, and whether that is only a bound.

    None if murtree has no proof or the peer ended with an error.
    """
    if not (row and row["optimal"] and peer) or peer["status"] == "failed":
        return None, False
    seconds = peer["seconds"] if peer["optimal"] else peer["time_limit"]
    return seconds / row["seconds"], not peer["optimal"]


def ratio_cell(peer, row):
    times, is_bound = ratio(peer, row)
    return "" if times is None else f"{'>' if is_bound else ''}{times:.1f}"


# --- frontier: the best tree of every size at one depth ---


def time_cell(row):
    if row is None:
        return ""
    if row["seconds"] is None:
        return row["status"]
    return f"{row['seconds']:.4f}" if row["optimal"] else f"({row['seconds']:.1f})"


def proved_sizes(row):
    """Return the errors by size of the proven trees of a row; none for `all_trees`."""
    trees = row.get("frontier") or []
    if not row["optimal"]:
        trees = trees[:-1]  # the size at which the time ended
    return [errors for _, errors in trees] if len(trees) > 1 else []


def disagreements(rows, system):
    """Return peers whose proven errors differ from ours at some size."""
    ours = rows.get(system)
    if not ours or not ours["optimal"]:
        return
    for name, row in rows.items():
        both = zip(proved_sizes(row), proved_sizes(ours), strict=False)
        last = row["optimal"] and row["errors"] != ours["errors"]
        if last or any(theirs != own for theirs, own in both):
            yield name


def frontier_lines(frontiers, trees, system, peers):
    head = ["set", "errors", "one tree s", "frontier s", "frontier / tree"]
    yield head + [cell for peer in peers for cell in (f"{peer} s", "ratio")]
    for key, rows in frontiers.items():
        single = trees.get(("tree", *key[1:]), {}).get(system)
        ours = rows.get(system)
        cells = [key[1], str((ours or single or next(iter(rows.values())))["errors"])]
        cells += [time_cell(single), time_cell(ours)]
        can_divide = ours and single and ours["optimal"] and single["optimal"]
        cells += [f"{ours['seconds'] / single['seconds']:.2f}" if can_divide else ""]
        for peer in peers:
            row = rows.get(peer)
            cells += [time_cell(row), ratio_cell(row, ours)]
        yield cells


def frontier_summary(frontiers, trees, arguments, peers):
    """Return the cost of a frontier in single trees, then the ratio to each peer."""
    counted, others, unproved = {}, {}, []
    for key, rows in frontiers.items():
        single = trees.get(("tree", *key[1:]), {}).get(arguments.system)
        ours = rows.get(arguments.system)
        if not (ours and single):
            continue
        if not (ours["optimal"] and single["optimal"]):
            unproved.append(key[1])
            continue
        long_enough = single["seconds"] >= arguments.min_seconds and single["errors"]
        (counted if long_enough else others)[key[1]] = (
            ours["seconds"] / (single["seconds"])
        )
    least = f"one tree takes {arguments.min_seconds} s or more and has errors"
    yield means_line(f"frontier / one tree, where {least}", counted)
    yield means_line("frontier / one tree, the others", others)
    yield f"frontier or tree not proved: {', '.join(unproved) or 'none'}"
    for peer in peers:
        ratios = {
            key[1]: ratio(rows[peer], rows.get(arguments.system))
            for key, rows in frontiers.items()
            if peer in rows
        }
        known = {name: times for name, (times, _) in ratios.items() if times}
        bounds = sum(is_bound for _, is_bound in ratios.values())
        same = {name: times for name, times in known.items() if name in counted}
        yield means_line(f"{peer}, the sets counted above", same)
        yield means_line(f"{peer}, all sets ({bounds} at its limit)", known)
    wrong = [
        f"{key[1]} ({name})"
        for key, rows in frontiers.items()
        for name in disagreements(rows, arguments.system)
    ]
    yield f"proved errors that differ: {', '.join(wrong) or 'none'}"


# --- sparse: misclassified + penalty * rows * nodes ---


def gap(row):
    if row["objective"] is None or row["lower_bound"] is None:
        return None
    return (row["objective"] - row["lower_bound"]) / max(row["objective"], 1e-9)


def proof_cell(row):
    """Return the seconds to the proof, else objective and gap at the time limit."""
    if row is None:
        return ""
    if row["objective"] is None:
        return row["status"]
    if row["optimal"]:
        return f"{row['seconds']:.4f}"
    share = gap(row)
    left = "no bound" if share is None else f"gap {100 * share:.0f}%"
    return f"({row['objective']:.2f}, {left})"


def best_objective(rows):
    known = [row["objective"] for row in rows.values() if row["objective"] is not None]
    return min(known, default=math.nan)


def sparse_lines(problems, systems):
    yield ["set", "penalty", "best", "proved", *(f"{name} s" for name in systems)]
    for (_, name, _, penalty), rows in problems.items():
        proved = any(row["optimal"] for row in rows.values())
        cells = [name, str(penalty), f"{best_objective(rows):.2f}"]
        cells += ["yes" if proved else "no"]
        yield cells + [proof_cell(rows.get(system)) for system in systems]


def is_beaten(row, rows):
    """Return whether another system has a tree below the bound of this one."""
    bound = row["lower_bound"]
    return bound is not None and best_objective(rows) < bound * (1 - ROUNDING)


def label(key):
    return f"{key[1]} {key[3]}"


def sparse_summary(problems, system, systems):
    for name in systems:
        rows = {key: each[name] for key, each in problems.items() if name in each}
        proved = sum(row["optimal"] for row in rows.values())
        beaten = [label(key) for key in rows if is_beaten(rows[key], problems[key])]
        yield f"{name}: {proved} of {len(rows)} proved"
        gaps = {label(key): gap(row) for key, row in rows.items() if not row["optimal"]}
        for title, share in gaps.items():
            left = "no bound" if share is None else f"{100 * share:.1f}%"
            yield f"  gap of {title}: {left}"
        yield f"  bound above another's tree: {', '.join(beaten) or 'none'}"
    for name in (name for name in systems if name != system):
        ratios = {
            label(key): ratio(rows[name], rows.get(system))
            for key, rows in problems.items()
            if name in rows
        }
        known = {title: times for title, (times, _) in ratios.items() if times}
        both = {title: known[title] for title in known if not ratios[title][1]}
        yield means_line(f"{name} / {system}, proved by both", both)
        yield means_line(f"{name} / {system}, its limit where it has no proof", known)


def main():
    arguments = parse_arguments()
    problems = read(arguments.file)
    by_task = {
        task: {key: rows for key, rows in problems.items() if key[0] == task}
        for task in ("tree", "frontier", "sparse")
    }
    frontiers, sparse = by_task["frontier"], by_task["sparse"]
    if not frontiers and not sparse:
        raise SystemExit("No frontier and no sparse tree in this file: try compare.py.")
    if frontiers:
        peers = peers_of(frontiers, arguments.system)
        trees = by_task["tree"]
        lines = list(frontier_lines(frontiers, trees, arguments.system, peers))
        print(*table(lines, arguments.markdown), "", sep="\n")
        print(*frontier_summary(frontiers, trees, arguments, peers), sep="\n")
    if sparse:
        systems = [arguments.system, *peers_of(sparse, arguments.system)]
        print(*table(list(sparse_lines(sparse, systems)), arguments.markdown), sep="\n")
        print("", *sparse_summary(sparse, arguments.system, systems), sep="\n")
    print("", *sharing_lines(problems), sep="\n")


if __name__ == "__main__":
    main()
