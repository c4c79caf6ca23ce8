"""Generate the tables of docs/comparison.md and docs/guide/unseen.md from the results.

    python benchmarks/tables.py                       # print all
    python benchmarks/tables.py dl85 --results build  # one table, from your own run
    python benchmarks/tables.py --write docs/comparison.md docs/guide/unseen.md

The text between `<!-- table: NAME -->` and `<!-- end -->` is replaced. A ratio is a
peer's seconds / ours. It counts if both have a proof and the slower one took 10 ms or
more; problems that only one of them proves are counted separately.
"""

import argparse
import json
import re
from pathlib import Path
from statistics import geometric_mean, mean, median

from compare import table
from compare_values import is_same
from table_parts import (
    NAMES,
    OURS,
    agreement,
    folded,
    label_of,
    only,
    problems_of,
    provenance,
    seconds,
    summary,
    with_status,
)
from unseen_page import classes_table, deep_table, numbers_table

HERE = Path(__file__).resolve().parent
DEPTHS = (4, 5)
CHOSEN = (
    "DL_anneal",
    "DL_german-credit",
    "DL_kr-vs-kp",
    "DL_pendigits",
    "DL_splice-1",
    "DL_yeast",
    "Hu_fico-binary",
    "NL_magic04",
    "Nina_australian",
    "Nina_haberman",
)


def depth_table(folder):
    """Return the table of all sets at depth 4 and 5, with pystreed."""
    problems = with_status(problems_of(folder, "depth4", "depth5"))
    groups = {f"depth {depth}": only(problems, depth=depth) for depth in DEPTHS}
    no_greedy = {
        key: {name: row for name, row in rows.items() if name != "cart"}
        for key, rows in problems.items()
    }
    parts = [summary(groups, ["streed"]), agreement(no_greedy), provenance(no_greedy)]
    return "\n\n".join(parts)


def dl85_lines(problems, systems, with_errors):
    head = ["set", "rows", "columns"]
    for depth in DEPTHS:
        head += [f"depth {depth}: errors"] if with_errors else []
        head += [f"depth {depth}: {NAMES[name]} s" for name in systems]
    yield head
    for name in dict.fromkeys(key[1] for key in problems):
        found = [problems.get(("tree", name, depth, None), {}) for depth in DEPTHS]
        some = next(row for rows in found for row in rows.values() if "rows" in row)
        cells = [name, f"{some['rows']:,}", str(some["columns"])]
        for rows in found:
            best = [row["errors"] for row in rows.values() if row["errors"] is not None]
            cells += [str(min(best, default=""))] if with_errors else []
            cells += [seconds(rows.get(system)) for system in systems]
        yield cells


def dl85_table(folder):
    """Return the paper's table against DL8.5, with pystreed in addition."""
    problems = problems_of(folder, "dl85")
    systems = ["dl85", "streed", OURS]
    groups = {f"depth {depth}": only(problems, depth=depth) for depth in DEPTHS}
    chosen = {key: rows for key, rows in problems.items() if key[1] in CHOSEN}
    few = table(list(dl85_lines(chosen, systems, with_errors=False)), markdown=True)
    every = table(list(dl85_lines(problems, systems, with_errors=True)), markdown=True)
    parts = [
        summary(groups, ["dl85", "streed"]),
        agreement(problems),
        provenance(problems),
        "\n".join(few),
        folded("All sets, with errors", "\n".join(every)),
    ]
    return "\n\n".join(parts)


def gosdt_lines(problems, systems):
    head = ["set", "rows", "columns", "best objective"]
    yield head + [f"{NAMES[name]} s" for name in systems]
    for key, rows in sorted(problems.items()):
        some = next(row for row in rows.values() if row.get("rows"))
        known = [row["objective"] for row in rows.values()]
        best = min(value for value in known if value is not None)
        cells = [key[1], f"{some['rows']:,}", str(some["columns"]), f"{best:.2f}"]
        yield cells + [seconds(rows.get(name)) for name in systems]


def gosdt_table(folder):
    """Return the table of GOSDT at its default penalty, without the reduced sets."""
    names = [
        name for name in ("sparse", "gosdt") if (folder / f"{name}.jsonl").exists()
    ]
    systems = ["gosdt", OURS]
    problems = {
        key: {name: rows[name] for name in systems if name in rows}
        for key, rows in only(problems_of(folder, *names), penalty=0.01).items()
    }
    every = table(list(gosdt_lines(problems, systems)), markdown=True)
    parts = [
        summary({"penalty 0.01": problems}, ["gosdt"]),
        agreement(problems),
        provenance(problems),
        folded("All sets", "\n".join(every)),
    ]
    return "\n\n".join(parts)


def perfect_table(folder):
    """Return the table of the SAT papers' problems, by the share of the rows."""
    problems = problems_of(folder, "perfect")
    titles = {"shallow": "least depth", "small": "fewest nodes"}
    groups = {
        f"{title}, {share}% of the rows": {
            key: rows
            for key, rows in only(problems, task=task).items()
            if key[1].endswith(f"-{share:02}")
        }
        for task, title in titles.items()
        for share in (5, 10, 15, 20)
    }
    parts = [summary(groups, ["streed", "dl85"]), agreement(problems)]
    return "\n\n".join([*parts, provenance(problems)])


def sparse_table(folder):
    """Return the table of prices per node, any depth."""
    problems = problems_of(folder, "sparse")
    penalties = sorted({key[3] for key in problems}, reverse=True)
    groups = {f"penalty {price}": only(problems, penalty=price) for price in penalties}
    peers = ["imodels", "streed", "gosdt"]
    parts = [summary(groups, peers), agreement(problems), provenance(problems)]
    return "\n\n".join(parts)


def values_table(folder):
    """Return the table of squared error and F1."""
    regression, f1 = (problems_of(folder, name) for name in ("regression", "f1"))
    groups = {
        f"{title}, depth {depth}": only(problems, depth=depth)
        for title, problems in (("squared error", regression), ("F1", f1))
        for depth in sorted({key[2] for key in problems})
    }
    both = regression | f1
    unlike = [
        label_of(key)
        for key, rows in both.items()
        if not all(
            is_same(row["objective"], other["objective"])
            for row in rows.values()
            for other in rows.values()
            if row["optimal"] and other["optimal"]
        )
    ]
    sentence = f"Proved values that differ by more than a millionth: {len(unlike)}."
    parts = [summary(groups, ["streed", "streed_kmeans"]), sentence, provenance(both)]
    return "\n\n".join(parts)


def exact_ratio(line, kind):
    """Return ConTree's seconds / ours; its limit counts where it did not finish."""
    theirs = line["contree"]
    spent = theirs[kind] if theirs["optimal"] else max(theirs[kind], theirs["limit"])
    return spent / line["murtree"][kind]


def exact_lines(lines):
    head = ["set", "depth", "rows", "thresholds", "errors", "ConTree s", "murtree s"]
    yield [*head, "ratio", "search: ConTree s", "search: murtree s", "ratio"]
    for line in lines:
        ours, theirs = line["murtree"], line["contree"]
        both = [one for one in (ours, theirs) if one is not None]
        found = [one["errors"] for one in both if one["optimal"]]
        best = min(found or [one["errors"] for one in both])
        cells = [line["set"], str(line["depth"]), f"{line['rows']:,}"]
        cells += [f"{ours['thresholds']:,}", f"{best}" if found else f"≤ {best}"]
        for kind in ("seconds", "search_seconds"):
            proven = ours["optimal"]
            if theirs is None:
                cells.append("")
            elif theirs["optimal"]:
                cells.append(f"{theirs[kind]:.4f}")
            else:
                cells.append(f"> {theirs['limit']:.0f}")
            gap = f"{ours['lower_bound']} to {ours['errors']} errors"
            cells.append(f"{ours[kind]:.4f}" if proven else gap)
            is_compared = proven and theirs is not None
            cells.append(f"{exact_ratio(line, kind):.1f}" if is_compared else "")
        yield cells


def exact_summary(lines):
    yield ["depth", "sets", "ratio of fits", "worst", "ratio of searches", "worst"]
    for depth in sorted({line["depth"] for line in lines}):
        counted = [
            line
            for line in lines
            if line["depth"] == depth and line["murtree"]["optimal"] and line["contree"]
        ]
        cells = [str(depth), str(len(counted))]
        for kind in ("seconds", "search_seconds") if counted else ():
            ratios = [exact_ratio(line, kind) for line in counted]
            cells += [f"{geometric_mean(ratios):.1f}", f"{min(ratios):.1f}"]
        yield cells + [""] * (6 - len(cells))


def exact_table(folder):
    """Return the tables of all thresholds of continuous data; empty before a run."""
    results = folder / "exact.jsonl"
    if not results.exists():
        return ""
    measured = [json.loads(line) for line in results.read_text("utf-8").splitlines()]
    # The last one counts: after a run without ConTree there may be one beside it.
    lines = list({(line["set"], line["depth"]): line for line in measured}.values())
    unlike = [
        f"{line['set']} at depth {line['depth']}"
        for line in lines
        if line["murtree"]["optimal"]
        and line["contree"]
        and line["contree"]["optimal"]
        and line["murtree"]["errors"] != line["contree"]["errors"]
    ]
    kernels, processors, commits = (
        ", ".join(sorted({str(value) for value in values}))
        for values in (
            [line["murtree"]["kernel"] for line in lines],
            [line["cpu"] for line in lines],
            [line["commit"] for line in lines],
        )
    )
    peers = sorted({line["versions"]["pycontree"] for line in lines})
    parts = [
        "\n".join(table(list(exact_summary(lines)), markdown=True)),
        f"Proofs with different errors: {', '.join(unlike) or 'none'}.",
        f"{processors}, one core, kernel {kernels}; pycontree {', '.join(peers)}; "
        f"murtree at {commits}.",
        folded("All sets", "\n".join(table(list(exact_lines(lines)), markdown=True))),
    ]
    return "\n\n".join(parts)


def gains_of(found, ours, other):
    """Return by how many percentage points our method is better on each set."""
    both = [row for row in found.values() if {ours, other} <= row.keys()]
    return [round(100 * (row[ours] - row[other]), 6) for row in both]


def accuracy_table(folder):
    """Return the table of test accuracy of MT-A, MT-R, MT-F, CART and forests."""
    found = {}
    for line in (folder / "out_of_sample.jsonl").read_text().splitlines():
        row = json.loads(line)
        found.setdefault(row["set"], {})[row["method"]] = row["test"]
    lines = [["ours", "other", "better", "equal", "worse", "mean", "median"]]
    pairs = [("MT-A", "CART"), ("MT-A", "forest"), ("MT-R", "CART"), ("MT-F", "CART")]
    for ours, other in pairs:
        gains = gains_of(found, ours, other)
        signs = [(gain > 0) - (gain < 0) for gain in gains]
        counts = [str(signs.count(sign)) for sign in (1, 0, -1)]
        middle = [f"{mean(gains):+.2f}", f"{median(gains):+.2f}"]
        lines.append([ours, other, *counts, *middle])
    return "\n".join(table(lines, markdown=True))


TABLES = {
    "depth": depth_table,
    "dl85": dl85_table,
    "gosdt": gosdt_table,
    "perfect": perfect_table,
    "sparse": sparse_table,
    "values": values_table,
    "exact": exact_table,
    "accuracy": accuracy_table,
    "unseen_classes": classes_table,
    "unseen_numbers": numbers_table,
    "unseen_deep": deep_table,
}
MARKED = re.compile(r"(<!-- table: (\w+) -->\n).*?(<!-- end -->)", re.DOTALL)


def filled(page, folder):
    """Return the text of a page with updated tables."""
    return MARKED.sub(
        lambda found: f"{found[1]}\n{TABLES[found[2]](folder)}\n\n{found[3]}", page
    )


def parse_arguments():
    parser = argparse.ArgumentParser(description="Write tables from results.")
    add = parser.add_argument
    add("tables", nargs="*", metavar="TABLE", help=f"of {', '.join(TABLES)}")
    add("--results", type=Path, default=HERE / "results", metavar="FOLDER")
    add("--write", type=Path, nargs="+", metavar="PAGE.md", help="with marked tables")
    arguments = parser.parse_args()
    unknown = set(arguments.tables) - set(TABLES)
    if unknown:
        parser.error(f"no table {', '.join(sorted(unknown))}; try {', '.join(TABLES)}")
    return arguments


def main():
    arguments = parse_arguments()
    for page in arguments.write or ():
        text = filled(page.read_text(encoding="utf-8"), arguments.results)
        page.write_text(text, encoding="utf-8")
    if arguments.write:
        return
    for name in arguments.tables or TABLES:
        print(f"## {name}", "", TABLES[name](arguments.results), "", sep="\n")


if __name__ == "__main__":
    main()
