"""The tables of docs/guide/unseen.md, for tables.py, and the names of the methods."""

from statistics import geometric_mean

import numpy as np
from compare import table
from unseen_compare import (
    SCORES,
    counts_of,
    difference,
    gains_of,
    lines_of,
    measured,
    pairs_of,
    published,
    sizes_of,
)
from unseen_tables import set_aside

REFERENCE, DEEP = "cart-grid", "cart-any"
# In the order of the tables and figures.
NAMES = {
    REFERENCE: "CART, tuned, depth 4",
    "cart": "CART, depth 4",
    DEEP: "CART, tuned, any depth",
    "forest": "random forest",
    "murtree-3": "murtree, depth 3",
    "murtree-4": "murtree, depth 4",
    "murtree-gini": "murtree, depth 4, Gini",
    "murtree-log-loss": "murtree, depth 4, log loss",
    "murtree-laplace": "the same, Laplace's rule",
    "murtree-cv": "murtree, tuned",
    "murtree-all": "murtree, tuned as in the paper",
    "murtree-leaf": "the same, leaf sizes too",
    "streed": "STreeD, tuned price",
    "streed-nodes": "STreeD, tuned nodes",
    "imodels-hs": "hierarchical shrinkage",
    "imodels-small": "FastSmallTree, tuned",
}
SCORE_NAMES = {"accuracy": "accuracy", "auc": "AUC", "log_loss": "log loss", "r2": "R²"}


def seconds_of(lines, method, *, is_regression):
    of_method = measured(lines, method, is_regression=is_regression)
    fits = [np.mean(line["seconds"]) for line in of_method]
    return f"{geometric_mean(fits):.2g}" if fits else ""


def methods_lines(lines, *, is_regression):
    """Yield the rows of the methods, compared with the reference."""
    scores = SCORES[is_regression]
    names = [SCORE_NAMES[score] for score in scores]
    head = ["method", "tables", names[0], "wins", "ties", "losses", *names[1:]]
    yield [*head, "leaves", "times the leaves", "seconds"]
    for method, name in NAMES.items():
        pairs = pairs_of(lines, scores[0], method, REFERENCE)
        if not pairs:
            continue
        gains = gains_of(pairs, scores[0])
        cells = [name, str(len(pairs)), difference(gains, 1), *counts_of(gains)]
        others = (pairs_of(lines, score, method, REFERENCE) for score in scores[1:])
        cells += [
            difference(gains_of(both, score), 1)
            for score, both in zip(scores[1:], others, strict=True)
        ]
        if method == REFERENCE:
            cells[2:] = ["reference"] + [""] * (len(cells) - 3)
        cells += sizes_of(pairs)
        cells.append(seconds_of(lines, method, is_regression=is_regression))
        yield list(map(str, cells))


def where_from(lines, *, is_regression):
    """Return a sentence on tables, machine and commits."""
    rows = [
        line for line in lines.values() if line.get("is_regression") is is_regression
    ]
    names = {line["table"] for line in rows}
    half = "set aside for the end" if names <= set_aside() else "used for study"
    kinds = "with numbers as targets" if is_regression else "with classes"
    processors, commits = (
        ", ".join(sorted({line[key] for line in rows})) for key in ("cpu", "commit")
    )
    return (
        f"{len(names)} tables {kinds}, of the half {half}; {processors}, one core; "
        f"murtree at {commits}."
    )


def methods_table(folder, *, is_regression):
    """Return the table of all methods for one kind of target."""
    lines = published(lines_of(folder / "unseen.jsonl"))
    rows = list(methods_lines(lines, is_regression=is_regression))
    text = "\n".join(table(rows, markdown=True))
    return f"{text}\n\n{where_from(lines, is_regression=is_regression)}"


def classes_table(folder):
    return methods_table(folder, is_regression=False)


def numbers_table(folder):
    return methods_table(folder, is_regression=True)


def deep_table(folder):
    """Return the table of the methods of few leaves, beside greedy trees of many."""
    lines = published(lines_of(folder / "unseen.jsonl"))
    rows = [["score", "method", "tables", "difference", "leaves", "times the leaves"]]
    for score in ("accuracy", "r2"):
        for method in (REFERENCE, "murtree-cv", "murtree-leaf"):
            pairs = pairs_of(lines, score, method, DEEP)
            if not pairs:
                continue
            gains = gains_of(pairs, score)
            cells = [SCORE_NAMES[score], NAMES[method], str(len(pairs))]
            rows.append([*cells, difference(gains, 1), *sizes_of(pairs)])
    return "\n".join(table(rows, markdown=True))
