"""The confusion matrix of training, with the recall of each class."""

from typing import Any

import numpy as np

from murtree._model.losses import confusion_of
from murtree._model.model import Model
from murtree._table.predicate_text import number_text, printable
from murtree.cli.format import count, percent
from murtree.cli.output import Output, plain_table

_MOST_COLUMNS = 5  # classes of a whole matrix; of more, what each is taken for
_MOST_ROWS = 12  # as on the page
_MOST_OTHERS = 3  # that a class is taken for
_LONGEST = 20  # characters of a name


def print_confusion_matrix(reply: Output, model: Model) -> None:
    """Print the confusion matrix of training, with the recall of each class.

    Of many classes only those with the most errors have a line.
    """
    tree = model.tree
    if tree.classes is None or tree.classes.size < 2 or not reply.is_for_people:
        return
    matrix = confusion_of(tree)
    total, right = matrix.sum(axis=1), matrix.diagonal()
    names = [_short(reply, label) for label in tree.classes.tolist()]
    indices = np.argsort(right - total, kind="stable")[:_MOST_ROWS]
    is_small = len(names) <= _MOST_COLUMNS
    said = _cells if is_small else _taken_for
    rows = [
        [
            names[index],
            number_text(total[index].item()),
            percent(right[index] / total[index]) if total[index] else "",
            *said(matrix[index], index, names),
        ]
        for index in sorted(indices.tolist())
    ]
    unit = "weight" if model.is_weighted else "rows"
    headings = {"class": "left", unit: "right", "recall": "right"}
    if is_small:
        headings |= {f"as {name}": "right" for name in names}
    else:
        headings |= {"taken for": "left"}
    reply.draw(plain_table(headings, rows))
    if len(rows) < len(names):
        left = count(len(names) - len(rows), "class", "classes")
        reply.say(f"{left} with fewer errors left out.")
    reply.say("")


def _cells(row: Any, _: int, __: list[str]) -> list[str]:
    return [number_text(weight) for weight in row.tolist()]


def _taken_for(row: Any, index: int, names: list[str]) -> list[str]:
    """Return what a class is mistaken for, the most frequent first."""
    wrong = row.copy()
    wrong[index] = 0
    order = np.argsort(-wrong, kind="stable")
    found = [other for other in order.tolist() if wrong[other] > 0]
    texts = [f"{names[each]} ({number_text(wrong[each].item())})" for each in found]
    more = len(texts) - _MOST_OTHERS
    return [", ".join(texts[:_MOST_OTHERS]) + (f" and {more} more" if more > 0 else "")]


def _short(reply: Output, label: Any) -> str:
    """Return a name without its middle if it is long: names often end differently."""
    name, more = printable(str(label)), reply.symbols.more
    room = _LONGEST - len(more)
    if len(name) <= _LONGEST:
        return name
    return name[: room - room // 2] + more + name[-(room // 2) :]
