"""Draw a tree in the terminal: tests on the left, leaves on the right."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from murtree._table.predicate_text import Words
from murtree._tree.leaf_text import LeafWords
from murtree._tree.tree import Tree
from murtree.cli.output import Symbols

# The colours of Okabe and Ito, safe for the colour-blind. First those that are readable
# on black and on white: the background of a terminal is unknown.
PALETTE = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#999999")
_BAR = 10  # characters of a bar
_LONGEST_CLASS, _SHORTEST_CLASS = 24, 8  # characters
_MOST = 0.75  # the share of the tests that should fit on one line
_LEAST = 24  # characters of a test; with less room, leaves get lines of their own


@dataclass(frozen=True)
class _Line:
    """A test, the guide lines before it, and the leaf that follows, if any."""

    guide: str
    further: str  # guides of further lines of the same test
    test: str
    leaf: int | None


class TreePrinter:
    """Draw a tree.

    Parameters
    ----------
    tree : Tree
        The tree.
    symbols : Symbols
        The characters to draw it with.
    is_weighted : bool, default=False
        Whether rows have weights; sums of weights are not numbers of rows.
    """

    def __init__(
        self, tree: Tree, symbols: Symbols, *, is_weighted: bool = False
    ) -> None:
        self._tree = tree
        self._symbols = symbols
        tests = [test for test in tree.predicates or () if test is not None]
        self._words = Words(tree.known_columns, tests)
        texts = LeafWords(tree, is_weighted=is_weighted)
        leaves = np.flatnonzero(tree.feature < 0).tolist()
        self._predictions = dict(
            zip(leaves, map(texts.prediction, leaves), strict=True)
        )
        self._supports = dict(zip(leaves, map(texts.support, leaves), strict=True))
        self._weight = texts.weight(0)
        if tree.classes is None:
            values = tree.estimates[leaves, 0]
            self._range = (values.min(), values.max())
        self._shorten(_LONGEST_CLASS)

    def _shorten(self, longest: int) -> None:
        """Shorten the names of classes."""
        self._names = {
            leaf: self._cut(text, longest) for leaf, text in self._predictions.items()
        }
        self._longest = max(map(cell_len, self._names.values()))

    def text(self, console: Console) -> Text:
        """Return the tree for the width of a console.

        Leaves are next to their tests with a bar, without a bar, or below them: the
        first layout that leaves enough room for the tests.
        """
        lines = list(self._lines(0, ""))
        widths = sorted(cell_len(line.guide + line.test) for line in lines)
        widest, usual = widths[-1], widths[int(_MOST * (len(widths) - 1))]
        deepest = max(cell_len(line.further) for line in lines)
        leaves = [line.leaf for line in lines if line.leaf is not None]
        for with_bar in (True, False):
            right = max(cell_len(self._leaf(leaf, with_bar).plain) for leaf in leaves)
            room = console.width - right - 2
            if room >= usual and room >= min(widest, deepest + _LEAST):
                width = min(widest, room)
                return self._joined(lines, width, console, with_bar=with_bar)
        width = console.width
        room -= deepest  # on lines of their own
        self._shorten(max(min(self._longest, self._longest + room), _SHORTEST_CLASS))
        with_bar = room >= _BAR + 2
        return self._joined(lines, width, console, with_bar=with_bar, is_inline=False)

    def _joined(
        self,
        lines: list[_Line],
        width: int,
        console: Console,
        *,
        with_bar: bool = True,
        is_inline: bool = True,
    ) -> Text:
        rows: list[Text] = []
        for line in lines:
            test = [Text(line.test)]
            if cell_len(line.guide + line.test) > width:
                guides = max(cell_len(line.further), cell_len(line.guide))
                test = list(test[0].wrap(console, max(width - guides, 1)))
            rows += [
                Text.assemble((line.further if index else line.guide, "dim"), part)
                for index, part in enumerate(map(_stripped, test))
            ]
            if line.leaf is None:
                continue
            leaf = self._leaf(line.leaf, with_bar)
            if is_inline:
                rows[-1].pad_right(width - rows[-1].cell_len + 2)
                rows[-1].append_text(leaf)
            else:
                rows.append(Text.assemble((line.further, "dim"), "  ", leaf))
        return Text("\n").join(rows)

    def _lines(self, node: int, further: str) -> Iterator[_Line]:
        tree, symbols = self._tree, self._symbols
        if node == 0:
            is_leaf = tree.n_nodes == 0
            test = "always" if is_leaf else f"all {self._weight}"
            yield _Line(
                "", "" if is_leaf else symbols.line, test, 0 if is_leaf else None
            )
        if tree.feature[node] < 0:
            return
        predicate = tree.predicate(node)
        yes, no = self._words.yes(predicate), self._words.no(predicate)
        blank = " " * len(symbols.line)
        for child, test, mark, below in (
            (tree.children_left, yes, symbols.fork, symbols.line),
            (tree.children_right, no, symbols.last, blank),
        ):
            next_node = int(child[node])
            is_leaf = tree.feature[next_node] < 0
            under = further + below
            more = "" if is_leaf else symbols.line
            leaf = next_node if is_leaf else None
            yield _Line(further + mark, under + more, test, leaf)
            yield from self._lines(next_node, under)

    def _leaf(self, node: int, with_bar: bool) -> Text:
        name = Text(self._names[node], style=f"bold {self._colour(node)}")
        name.pad_right(self._longest - name.cell_len)
        parts: list[Any] = [name, "  "]
        if with_bar:
            parts += [self._bar(node), "  "]
        return Text.assemble(*parts, (self._supports[node], ""))

    def _cut(self, text: str, longest: int) -> str:
        if cell_len(text) <= longest:
            return text
        cut = Text(text)
        cut.truncate(longest - len(self._symbols.more))
        return cut.plain + self._symbols.more

    def _colour(self, node: int) -> str:
        if self._tree.classes is None:
            return PALETTE[0]
        return _class_colour(int(self._tree.labels[node]))

    def _bar(self, node: int) -> Text:
        """Return a bar: the shares of the classes, or the value within its range."""
        tree, symbols = self._tree, self._symbols
        if tree.classes is None:
            low, high = self._range
            value = tree.estimates[node, 0]
            share = (value - low) / (high - low) if high > low else 1.0
            full = round(_BAR * share)
            bar = Text(symbols.full * full, style=PALETTE[0])
            return bar.append(symbols.rest * (_BAR - full), style="dim")
        label = int(tree.labels[node])
        weights = tree.value[node].tolist()
        order = [label, *(each for each in range(len(weights)) if each != label)]
        cells = _portions([weights[each] for each in order], _BAR)
        bar = Text()
        for each, n_cells in zip(order, cells, strict=True):
            mark = symbols.full if each == label else symbols.rest
            bar.append(mark * n_cells, style=_class_colour(each))
        return bar


def _class_colour(index: int) -> str:
    return PALETTE[index % len(PALETTE)]


def _portions(weights: list[float], cells: int) -> list[int]:
    """Distribute cells in proportion to weights, by the largest remainders."""
    total = sum(weights)
    if total <= 0:
        return [cells, *([0] * (len(weights) - 1))]
    exact = [cells * weight / total for weight in weights]
    found = [int(part) for part in exact]
    order = sorted(range(len(exact)), key=lambda index: found[index] - exact[index])
    for index in order[: cells - sum(found)]:
        found[index] += 1
    return found


def _stripped(text: Text) -> Text:
    text.rstrip()
    return text
