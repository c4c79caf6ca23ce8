"""Parts of the tables of tables.py: ratios, cells, and sentences on proofs."""

from statistics import geometric_mean

from compare import shared_its_core, table
from compare_tasks import ROUNDING, read

OURS = "murtree"
NAMES = {
    "cart": "scikit-learn",
    "dl85": "DL8.5",
    "gosdt": "GOSDT",
    "imodels": "FastSmallTree",
    "murtree": "murtree",
    "streed": "STreeD",
    "streed_kmeans": "STreeD, k-means bound",
}
LEAST_SECONDS = 0.01  # of the slower one: shorter times mostly measure Python


def problems_of(folder, *names):
    """Return rows by problem and system; later files replace earlier ones."""
    merged = {}
    for name in names:
        for key, rows in read(folder / f"{name}.jsonl").items():
            merged[key] = merged.get(key, {}) | rows
    return merged


def only(problems, **wanted):
    """Return the problems of a task, depth or penalty."""
    positions = {"task": 0, "depth": 2, "penalty": 3}
    return {
        key: rows
        for key, rows in problems.items()
        if all(key[positions[name]] == value for name, value in wanted.items())
    }


def value_of(row):
    """Return the value on which two systems must agree."""
    objective = row.get("objective")  # the oldest lines have only errors
    return row["errors"] if objective is None else objective


def seconds(row):
    """Return the seconds to the proof, or that there was none in time."""
    if row is None:
        return ""
    if row["status"] == "failed":
        return "failed"
    if not row["optimal"]:
        return f"> {row['time_limit']}"
    spent = row["seconds"]
    return f"{spent:.{3 if spent < 1 else 1}f}" if spent >= 0.001 else "< 0.001"


def with_status(problems):
    """Add a status to the oldest lines, which lack it."""
    return {
        key: {
            name: {"status": "optimal" if row["optimal"] else "time_limit"} | row
            for name, row in rows.items()
        }
        for key, rows in problems.items()
    }


def ratios_of(problems, peer):
    """Return the peer's seconds / ours by problem, where they count."""
    found = {}
    for key, rows in problems.items():
        ours, theirs = rows.get(OURS), rows.get(peer)
        if not (ours and theirs and ours["optimal"] and theirs["optimal"]):
            continue
        if max(ours["seconds"], theirs["seconds"]) >= LEAST_SECONDS:
            found[key] = theirs["seconds"] / ours["seconds"]
    return found


def times(ratio):
    return f"{ratio:.0f}" if ratio >= 10 else f"{ratio:.1f}"


def summary_cells(title, problems, peer):
    common = [rows for rows in problems.values() if peer in rows and OURS in rows]
    proved = [sum(rows[name]["optimal"] for rows in common) for name in (OURS, peer)]
    ratios = list(ratios_of(problems, peer).values())
    means = [geometric_mean(ratios), min(ratios), max(ratios)] if ratios else []
    cells = [title, NAMES[peer], str(len(common)), *map(str, proved), str(len(ratios))]
    return cells + [times(ratio) for ratio in means] + [""] * (3 - len(means))


def summary(groups, peers):
    """Return a Markdown table of each peer's results by group of problems."""
    head = ["problem", "other", "count", "murtree proves", "the other proves"]
    head += ["both, ≥ 10 ms", "times as fast", "least", "most"]
    lines = [
        summary_cells(title, problems, peer)
        for title, problems in groups.items()
        for peer in peers
        if any(peer in rows for rows in problems.values())
    ]
    return "\n".join(table([head, *lines], markdown=True))


def label_of(key):
    """Return a short unique description of a problem."""
    _, name, depth, penalty = key
    limits = ["" if depth is None else f"depth {depth}", str(penalty or "")]
    return " ".join([name, *filter(None, limits)])


def differ(values):
    """Return whether some values differ by more than single precision."""
    least = min(values)
    return max(values) - least > ROUNDING * max(least, 1)


def agreement(problems):
    """Return a sentence on whether all proofs of a problem have the same value."""
    proofs = {
        key: {
            NAMES[name]: value_of(row) for name, row in rows.items() if row["optimal"]
        }
        for key, rows in problems.items()
    }
    several = {key: found for key, found in proofs.items() if len(found) > 1}
    unlike = [
        f"{label_of(key)} ({', '.join(f'{name} {v:g}' for name, v in found.items())})"
        for key, found in several.items()
        if differ(found.values())
    ]
    alone = [
        f"{label_of(key)} ({', '.join(found)})"
        for key, found in proofs.items()
        if found and OURS in problems[key] and NAMES[OURS] not in found
    ]
    text = f"Two or more systems prove {len(several)} of {len(problems)} problems; "
    text += f"their values differ in {len(unlike) or 'none'}"
    text += f": {'; '.join(unlike)}." if unlike else "."
    return text + (f" Proved by others only: {'; '.join(alone)}." if alone else "")


def provenance(problems):
    """Return a sentence on the measured versions and commits, and disturbances."""
    rows = [row for found in problems.values() for row in found.values()]
    versions = {}
    for row in rows:
        versions |= row.get("versions", {})
    peers = [name for name in versions if name not in ("python", "numpy", OURS)]
    commits = sorted({row["commit"] for row in rows if row.get("commit")})
    processors = sorted({row["cpu"] for row in rows if row.get("cpu")})
    text = f"{', '.join(processors)}, one core; "
    text += ", ".join(f"{name} {versions[name]}" for name in sorted(peers))
    text += f"; murtree at {', '.join(commits)}."
    shared = [
        shared_its_core(row) for row in rows if row.get("cpu_seconds") is not None
    ]
    if any(shared):
        text += f" {sum(shared)} of {len(shared)} measurements had to share their core."
    return text


def folded(title, text):
    """Return a collapsible part of the page."""
    return f":::{{admonition}} {title}\n:collapsible: closed\n\n{text}\n:::"
