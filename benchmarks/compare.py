"""Compare two systems in one file of run.py, or one system in two files.

    python benchmarks/compare.py build/depth4.jsonl         # murtree against streed
    python benchmarks/compare.py before.jsonl after.jsonl   # murtree against itself

A ratio is baseline seconds / seconds: above 1 is faster; seconds in brackets ended
without a proof. The summary of a depth includes the sets that the baseline proves in
time and that take it --min-seconds or more; wrong proofs are reported for all sets.
"""

import argparse
import json
from itertools import groupby
from pathlib import Path
from statistics import geometric_mean

VALUE_TASKS = ("regression", "f1")  # these have an objective instead of errors
FREE_BYTES = 64 * 2**20  # smaller growth of memory is ignored


def parse_arguments():
    parser = argparse.ArgumentParser(description="Compare results of run.py.")
    add = parser.add_argument
    add("file", type=Path, metavar="FILE.jsonl")
    add("after", type=Path, nargs="?", metavar="AFTER.jsonl", help="a second run")
    add("--system", default="murtree")
    add("--baseline", help="default: streed; with a second run the same system")
    add("--min-seconds", type=float, default=0.05, help="of the baseline")
    add("--markdown", action="store_true")
    arguments = parser.parse_args()
    if not arguments.baseline:
        arguments.baseline = arguments.system if arguments.after else "streed"
    return arguments


def read(path, system):
    """Return the rows of one system by (depth, set); later rows win."""
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    return {
        (row["depth"], row["set"]): row
        for row in rows
        if row["system"] == system and row.get("task", "tree") == "tree"
    }


def ratio(base, row):
    """Return the speed-up; a fit without a proof counts as its whole time limit."""
    if not base["optimal"]:
        return None
    return base["seconds"] / (row["seconds"] if row["optimal"] else row["time_limit"])


def is_wrong_proof(base, row):
    """Return whether one claims an optimum that the other beats."""
    return any(
        a["optimal"] and b["errors"] is not None and b["errors"] < a["errors"]
        for a, b in ((base, row), (row, base))
    )


def needs_more_memory(base, row):
    growth, allowed = row.get("rss_growth"), base.get("rss_growth")
    return None not in (growth, allowed) and growth > max(allowed, FREE_BYTES)


def shared_its_core(row):
    """Return whether other processes used over a tenth of the core.

    Short fits are ignored: the processor clock is too coarse for them.
    """
    seconds, cpu = row["seconds"], row.get("cpu_seconds")
    return None not in (seconds, cpu) and seconds > 0.1 and cpu < 0.9 * seconds


def seconds_cell(row):
    if row["seconds"] is None:
        return "failed"
    return f"{row['seconds']:.4f}" if row["optimal"] else f"({row['seconds']:.4f})"


def bytes_cell(row):
    growth = row.get("rss_growth")
    return "" if growth is None else f"{growth / 2**20:.1f}"


def change_cell(before, after):
    """Return one number if both agree or only one is known, else both."""
    known = [f"{number:,}" for number in (before, after) if number is not None]
    return " → ".join(dict.fromkeys(known))


def cells(base, row):
    nodes = [each.get("stats", {}).get("nodes") for each in (base, row)]
    faster = ratio(base, row)
    return [
        row["set"],
        str(row["depth"]),
        seconds_cell(base),
        seconds_cell(row),
        "" if faster is None else f"{faster:.2f}",
        bytes_cell(base),
        bytes_cell(row),
        change_cell(base["errors"], row["errors"]),
        change_cell(*nodes),
    ]


def table(lines, markdown):
    """Return lines of equal width: first column left-aligned, numbers right-aligned."""
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    if markdown:
        rule = ["-" * (width - 1) + ":" for width in widths]
        lines.insert(1, ["-" * widths[0], *rule[1:]])
    for name, *numbers in lines:
        padded = [name.ljust(widths[0])]
        padded += [n.rjust(width) for n, width in zip(numbers, widths[1:], strict=True)]
        yield f"| {' | '.join(padded)} |" if markdown else "  ".join(padded)


def summary(depth, pairs, min_seconds):
    """Return lines on one depth: count, geometric mean, worst set, and failures."""
    counted = [
        (base, row)
        for base, row in pairs
        if base["optimal"] and base["seconds"] >= min_seconds
    ]
    yield f"depth {depth}: {len(counted)} of {len(pairs)} sets counted"
    if counted:
        ratios = {row["set"]: ratio(base, row) for base, row in counted}
        worst = min(ratios, key=ratios.get)
        yield f"  geometric mean {geometric_mean(ratios.values()):.2f}"
        yield f"  worst set {ratios[worst]:.2f} ({worst})"
    faults = {
        "wrong proof": is_wrong_proof,
        "proved by the baseline only": lambda b, r: b["optimal"] and not r["optimal"],
        "memory above the baseline's and 64 MB": needs_more_memory,
    }
    for title, is_fault in faults.items():
        names = [row["set"] for base, row in pairs if is_fault(base, row)]
        yield f"  {title}: {', '.join(names) or 'none'}"


def main():
    arguments = parse_arguments()
    before = read(arguments.file, arguments.baseline)
    after = read(arguments.after or arguments.file, arguments.system)
    pairs = [(before[key], after[key]) for key in sorted(before.keys() & after.keys())]
    base, system = arguments.baseline, arguments.system
    if not pairs:
        raise SystemExit(f"No set was measured for both {base} and {system}.")
    if arguments.after:
        base, system = f"{base} before", f"{system} after"
    head = ["set", "depth", f"{base} s", f"{system} s", "ratio"]
    head += [f"{base} MB", f"{system} MB", "errors", "nodes"]
    lines = [head, *(cells(*pair) for pair in pairs)]
    print(*table(lines, arguments.markdown), sep="\n")
    for depth, group in groupby(pairs, key=lambda pair: pair[1]["depth"]):
        print("", *summary(depth, list(group), arguments.min_seconds), sep="\n")


if __name__ == "__main__":
    main()
