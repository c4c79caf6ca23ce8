"""Print a fitted model: tree, confusion matrix, proof, errors and files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from rich.text import Text

from murtree._model.losses import (
    EXPECTED,
    SHOWN_NAMES,
    r_squared,
    shown_error,
    training_spread,
)
from murtree._model.model import Model
from murtree._model.proof import Proof
from murtree._table.predicate_text import number_text, printable
from murtree._tree.tree import Tree
from murtree.cli.output import Output, count, path_text, plain_table, written
from murtree.cli.tree_view import TreePrinter

_MOST_COLUMNS = 5  # classes of a full matrix
_MOST_ROWS = 12  # as on the page
_MOST_OTHERS = 3  # classes that a class is mistaken for
_LONGEST = 20  # characters of a class name


def print_result(
    reply: Output, model: Model, files: dict[str, Path | None], validated: str = ""
) -> None:
    """Print a new model, the files that were written, and the next commands."""
    if not reply.is_for_people:
        return
    reply.say("")
    print_model(reply, model)
    if validated:
        reply.say(validated)
    for path in written:
        reply.say_path(f"wrote {path_text(path)}")
    saved, page = files["model"], files["report"]
    reply.say("")
    if saved is None or saved not in written:
        reply.say("keep the model with: -o model.json")
        return
    name = path_text(saved)
    reply.say_path(f"next: murtree show {name}")
    reply.say_path(f"      murtree predict {name} new.csv")
    if page is None or page not in written:
        reply.say_path(f"      murtree report {name} -o report.html")
    else:
        reply.say_path(f"      open {path_text(page)} in a browser")


def print_model(reply: Output, model: Model, rules: Sequence[str] = ()) -> None:
    """Print the rules or else the tree, the confusion matrix, proof and errors."""
    headings, rows = _confusion(model, reply.symbols.more)
    proof, errors = proof_text(model.proof), errors_line(model)
    for rule in rules:
        reply.say(rule)
    if not rules:
        tree = TreePrinter(model.tree, reply.symbols, is_weighted=model.is_weighted)
        reply.draw(tree.text(reply.out))
    reply.say("")
    if rows:
        reply.draw(plain_table(headings, rows))
        n_left_out = model.tree.value.shape[1] - len(rows)
        if n_left_out:
            classes = count(n_left_out, "class", "classes")
            reply.say(f"{classes} with fewer errors left out.")
        if model.tree.is_expected:
            reply.say(EXPECTED[model.loss])
        reply.say("")
    reply.say(proof)
    reply.say(errors)


def _confusion(model: Model, more: str) -> tuple[dict[str, str], list[list[str]]]:
    """Return the confusion matrix of training as headings and rows of a table.

    Of many classes only those with the most errors have a row.
    """
    tree, unit = model.tree, "weight" if model.is_weighted else "rows"
    if tree.classes is None or tree.classes.size < 2:
        return {}, []
    matrix = confusion_of(tree)
    if tree.is_expected:
        matrix = matrix.round(1)
    total, right = matrix.sum(axis=1), matrix.diagonal()
    names = [_short(str(label), more) for label in tree.classes.tolist()]
    indices = np.argsort(right - total, kind="stable")[:_MOST_ROWS]
    is_small = len(names) <= _MOST_COLUMNS
    cells = _cells if is_small else _mistaken_for
    rows = [
        [
            names[index],
            number_text(total[index].item()),
            percent(right[index] / total[index]) if total[index] else "",
            *cells(matrix[index], index, names),
        ]
        for index in sorted(indices.tolist())
    ]
    headings = {"class": "left", unit: "right", "recall": "right"}
    if is_small:
        headings |= {f"as {name}": "right" for name in names}
    else:
        headings |= {"taken for": "left"}
    return headings, rows


def confusion_of(tree: Tree) -> npt.NDArray[Any]:
    """Return the training confusion matrix: classes in rows, labels in columns."""
    matrix = np.zeros((tree.value.shape[1],) * 2, dtype=tree.value.dtype)
    for leaf in np.flatnonzero(tree.feature < 0):
        matrix[:, tree.labels[leaf]] += tree.value[leaf]
    return matrix


def _cells(row: Any, _: int, __: list[str]) -> list[str]:
    return [number_text(weight) for weight in row.tolist()]


def _mistaken_for(row: Any, index: int, names: list[str]) -> list[str]:
    """Return the classes that a class is mistaken for, the most frequent first."""
    wrong = row.copy()
    wrong[index] = 0
    order = np.argsort(-wrong, kind="stable")
    found = [other for other in order.tolist() if wrong[other] > 0]
    texts = [f"{names[each]} ({number_text(wrong[each].item())})" for each in found]
    more = len(texts) - _MOST_OTHERS
    return [", ".join(texts[:_MOST_OTHERS]) + (f" and {more} more" if more > 0 else "")]


def _short(label: str, more: str) -> str:
    """Return a long name without its middle: names often differ at the end."""
    name = printable(label)
    room = _LONGEST - len(more)
    if len(name) <= _LONGEST:
        return name
    return name[: room - room // 2] + more + name[-(room // 2) :]


def proof_text(proof: Proof | None) -> Text:
    """Return the proof of a tree as text, green if it is complete."""
    if proof is None:
        return Text("Nothing is known about other trees.", style="yellow")
    head, _, rest = proof.line.partition(":")
    covers = "" if proof.coverage is None else f"\n{proof.coverage}"
    colour = "green" if proof.is_complete else "yellow"
    return Text.assemble((head, f"bold {colour}"), f":{rest}{covers}")


def errors_line(model: Model) -> str:
    """Return the errors of a model in training and validation."""
    size = model.sizes[model.chosen]
    is_squared = model.loss == "squared_error"
    error = error_text(size.train_error, model.loss)
    weighted = " by weight" if model.is_weighted else ""
    if model.teacher is not None and size.train_error is not None:
        is_class = model.loss == "misclassified"
        weighted += " in expectation" if is_class else " to the forest"
    name = SHOWN_NAMES[model.loss].removesuffix(" share")
    spread = training_spread(size.tree, size.train_error) if is_squared else None
    details = ", ".join(_explained(size.train_error, spread))
    line = f"{name}: training {error}{weighted}" + (f" ({details})" if details else "")
    if size.validation_error is None:
        return line
    error = error_text(size.validation_error, model.loss)
    spread = model.validation_spread if is_squared else None
    explained = _explained(size.validation_error, spread)
    details = ", ".join([*explained, count(model.n_validation, "row")])
    return f"{line}, validation {error} ({details})"


def _explained(error: float | None, spread: float | None) -> list[str]:
    share = None if spread is None else r_squared(error, spread)
    return [] if share is None else [f"R² {share:.3f}"]


def error_text(error: float | None, loss: str) -> str:
    """Return a mean error as text: a share in classification, else a number."""
    shown = shown_error(error, loss)
    if shown is None:
        return "unknown"
    return percent(shown) if loss == "misclassified" else number_text(shown)


def percent(share: float | None) -> str:
    """Return a share with three digits; a small share is never "0%".

    Examples
    --------
    >>> percent(0.0123), percent(1.0), percent(0.000001), percent(None)
    ('1.23%', '100%', '< 0.01%', '')
    """
    if share is None:
        return ""
    if 0.0 < share < 0.0001:
        return "< 0.01%"
    return f"{float(f'{100 * share:.3g}'):g}%"
