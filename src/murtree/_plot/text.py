"""Fit texts into boxes: shorten names, break lines, measure widths."""

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from matplotlib.font_manager import FontProperties
from matplotlib.textpath import TextToPath

from murtree._table.columns import Column
from murtree._table.predicate_text import Words, few_members, printable
from murtree._tree.nodes import tested_columns, tests_of
from murtree._tree.tree import Tree

TEXT_SIZE, SMALL_SIZE = 9.0, 7.5  # points
NAME_LIMIT = 44  # characters of a column name
WORD_LIMIT = 24  # characters of a category or a class
MEMBER_LIMIT = 6  # categories of one test
LINE_SPACING = 1.2

# A line may end after a space, and inside of names such as mean_corpuscular_volume.
_BREAKS = re.compile(r"(?<= )|(?<=[^\W_][_/-])(?=[^\W\d_])")
_BEFORE_OPERAND = re.compile(r"(?<= )(<=|>|=|!=|in) ")
_WORD_END = re.compile(r".*[ _/-](?=[^ _/-]{0,8}$)")
_WORD_BEGIN = re.compile(r"[^ _/-]{0,8}([ _/-].*)")
_IN_BRACES = re.compile(r"(?<!,) (?=[^{}]*\})")
_NO_BREAK = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Label:
    """A text broken into lines, with its size in points."""

    lines: tuple[str, ...]
    size: float
    bold: bool
    width: float
    height: float
    ascent: float  # from the top of a line to its baseline
    step: float  # from line to line


class Ruler:
    """Measures and breaks texts, in points, the same for all backends."""

    def __init__(self) -> None:
        self._paths = TextToPath()
        self._known: dict[tuple[str, float, bool], tuple[float, float, float]] = {}

    def label(
        self, text: str, width: float, *, size: float = TEXT_SIZE, bold: bool = False
    ) -> Label:
        """Return a text in lines that are at most `width` wide."""

        def wide(part: str) -> float:
            return self._extent(part.rstrip(), size, bold)[0]

        lines = _lines(text, width, wide)
        _, height, descent = self._extent("lp", size, bold)
        step = LINE_SPACING * height
        return Label(
            lines=tuple(lines),
            size=size,
            bold=bold,
            width=max(map(wide, lines)),
            height=height + step * (len(lines) - 1),
            ascent=height - descent,
            step=step,
        )

    def _extent(self, text: str, size: float, bold: bool) -> tuple[float, float, float]:
        """Return width, height and descent of a line."""
        key = (text, size, bold)
        if text and key not in self._known:
            font = FontProperties(size=size, weight="bold" if bold else "normal")
            extent = self._paths.get_text_width_height_descent(text, font, ismath=False)
            self._known[key] = extent
        return self._known.get(key, (0.0, 0.0, 0.0))


def _lines(text: str, width: float, wide: Callable[[str], float]) -> list[str]:
    """Return a text broken into lines of similar length."""
    # Operators stay with their operand, and categories are not broken.
    glued = _BEFORE_OPERAND.sub(rf"\1{_NO_BREAK}", text)
    glued = _IN_BRACES.sub(_NO_BREAK, glued)
    parts = [
        piece for part in _BREAKS.split(glued) for piece in _pieces(part, width, wide)
    ]
    lines = _filled(parts, width, wide)
    while True:  # find the smallest width with this number of lines
        narrower = _filled(parts, max(map(wide, lines)) - 0.01, wide)
        if len(narrower) > len(lines) or narrower == lines:
            return [line.replace(_NO_BREAK, " ").rstrip() for line in lines]
        lines = narrower


def _pieces(part: str, width: float, wide: Callable[[str], float]) -> list[str]:
    """Return parts of a text that fit in a line, broken between words if possible."""
    pieces = []
    while wide(part) > width and len(part) > 1:
        end = len(part) - 1
        while end > 1 and wide(part[:end]) > width:
            end -= 1
        end = part.rfind(_NO_BREAK, 0, end) + 1 or end
        pieces.append(part[:end])
        part = part[end:]
    return [*pieces, part]


def _filled(
    parts: Sequence[str], width: float, wide: Callable[[str], float]
) -> list[str]:
    lines = [parts[0]]
    for part in parts[1:]:
        if wide(lines[-1] + part) <= width:
            lines[-1] += part
        else:
            lines.append(part)
    return lines


# --- texts ----------------------------------------------------------------------------


def short_names(names: Sequence[object], limit: int) -> list[str]:
    """Return names shortened in the middle, such that they remain distinct."""
    texts = [printable(str(name)) for name in names]
    for n_chars in range(limit, 2 * limit, 4):
        short = [_shortened(text, n_chars) for text in texts]
        if len(set(short)) == len(set(texts)):
            return short
    times = Counter(_shortened(text, limit) for text in set(texts))
    short = [_shortened(text, limit) for text in texts]
    return [
        f"{text} #{number}" if times[text] > 1 else text
        for number, text in enumerate(short, start=1)
    ]


def _shortened(text: str, limit: int) -> str:
    """Return a text without its middle, cut between words if possible."""
    if len(text) <= limit:
        return text
    half = (limit - 1) // 2
    head = _WORD_END.match(text[: limit - 1 - half])
    tail = _WORD_BEGIN.match(text[-half:])
    begin = head[0] if head else text[: limit - 1 - half]
    end = tail[1] if tail else text[-half:]
    return f"{begin}\N{HORIZONTAL ELLIPSIS}{end}"


def texts_of_tests(tree: Tree) -> dict[int, str]:
    """Return the condition for going left, for each branching node."""
    tests = tests_of(tree)
    columns = _short_columns(tree)
    texts = {}
    limits = Words(columns, tests.values())
    for node, predicate in tests.items():
        if predicate.members is not None and len(predicate.members) > MEMBER_LIMIT:
            texts[node] = few_members(columns, predicate, MEMBER_LIMIT)
        else:
            texts[node] = limits.yes(predicate)
        if columns[predicate.column].has_missing and predicate.missing is False:
            texts[node] += " (missing: no)"
    return texts


def _short_columns(tree: Tree) -> tuple[Column, ...]:
    """Return the columns with short names for those that are tested."""
    columns = list(tree.known_columns)
    tested = tested_columns(tree)
    names = short_names([columns[index].name for index in tested], NAME_LIMIT)
    for index, name in zip(tested, names, strict=True):
        short = tuple(short_names(columns[index].categories, WORD_LIMIT))
        columns[index] = replace(columns[index], name=name, categories=short)
    return tuple(columns)
