"""Trees and proofs as HTML for notebooks, as nested lists without scripts.

All styles are in one element of the output and share a prefix. Viewers that remove
styles, such as GitHub, show a readable nested list. Text inherits the colour of the
page, light or dark.
"""

import html
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from murtree._table.predicate_text import Words, number_text, printable
from murtree._tree.colours import class_colours, share_between, value_colour
from murtree._tree.leaf_text import LeafWords
from murtree._tree.nodes import Indices, children_of, depths, tests_of

if TYPE_CHECKING:
    from murtree._tree.tree import Tree


ALL_OPEN = 63  # leaves; in larger trees the deeper levels are folded
OPEN_LEVELS = 3
MOST_NODES = 2047  # deeper levels are only counted, to keep pages fast

# A repeated class name takes precedence over the list styles of notebooks.
_STYLE = r"""
.murtree{font:13px/1.5 system-ui,-apple-system,"Segoe UI",Roboto,sans-serif;
max-width:60em;overflow-x:auto;overflow-wrap:anywhere;text-align:left}
.murtree .murtree-says{margin:.2em 0 .6em}
.murtree .murtree-badge{display:inline-block;margin-right:.4em;padding:0 .7em;
border-radius:1em;font-weight:600;white-space:nowrap;color:#fff;background:#00684a}
.murtree .murtree-open{background:#8f4700}
.murtree .murtree-list.murtree-list{list-style:none;margin:0;padding:0}
.murtree .murtree-list .murtree-list.murtree-list{margin-left:.35em;padding-left:1.1em;
border-left:1px solid rgba(128,128,128,.5)}
.murtree .murtree-deep .murtree-list.murtree-list{padding-left:.25em}
.murtree .murtree-item{margin:0;padding:.1em 0}
.murtree .murtree-item>.murtree-line{margin-left:1.1em}
.murtree .murtree-sum{display:block;list-style:none;cursor:pointer}
.murtree .murtree-sum::-webkit-details-marker{display:none}
.murtree .murtree-sum::before{content:"\25B8";display:inline-block;width:1.1em}
.murtree details[open]>.murtree-sum::before{content:"\25BE"}
.murtree .murtree-line{display:inline-flex;max-width:calc(100% - 1.3em);
gap:.55em;align-items:baseline;vertical-align:top}
.murtree .murtree-side{flex:none;width:1.8em;font-style:normal;opacity:.75}
.murtree .murtree-bar{flex:none;width:5em;height:.65em;border-radius:2px;
box-shadow:0 0 0 1px rgba(128,128,128,.5)}
.murtree .murtree-count{opacity:.75}
.murtree .murtree-fold{margin-top:.6em}
.murtree .murtree-table{border-collapse:collapse;margin:.3em 0;font-size:inherit}
.murtree .murtree-table th,.murtree .murtree-table td{padding:.15em .8em;border:0;
border-bottom:1px solid rgba(128,128,128,.35);text-align:right;white-space:nowrap;
background:none;color:inherit}
.murtree .murtree-line-chart{display:block;margin:.3em 0;max-width:100%}
"""


def tree_html(tree: "Tree", *, is_weighted: bool = False) -> str:
    """Return a tree as nested lists, to be wrapped by `block`.

    Parameters
    ----------
    tree : Tree
        The tree.
    is_weighted : bool, default=False
        Whether rows have weights, so that sums are shown as weights.

    Returns
    -------
    text : str
        Each test has its branches "yes" and "no" below it. Leaves show the same text as
        in `export_text`; bars show the share of each class or, in regression, the value
        relative to those of the other leaves.

    Examples
    --------
    >>> import re
    >>> from murtree import Solver
    >>> from murtree._tree.html import tree_html
    >>> tree = Solver([[0], [1], [1]], [5, 7, 7]).solve(max_depth=1).tree
    >>> " ".join(re.sub("<[^>]+>", " ", tree_html(tree)).split())
    'x0 = no? 3 rows yes 5 0 of 1 wrong no 7 0 of 2 wrong'
    """
    return _Outline(tree, is_weighted).html()


def block(*parts: str) -> str:
    """Return HTML parts as one notebook output, with the styles."""
    style = _STYLE.replace("\n", "")
    return f'<div class="murtree"><style>{style}</style>{"".join(parts)}</div>'


def note(text: str) -> str:
    """Return a sentence as HTML."""
    return f'<div class="murtree-says">{escaped(text)}</div>'


def says(badge: str, text: str, *, is_good: bool = True) -> str:
    """Return a sentence preceded by a badge."""
    kind = "murtree-badge" if is_good else "murtree-badge murtree-open"
    return (
        f'<div class="murtree-says"><b class="{kind}">{escaped(badge)}</b> '
        f"{escaped(text)}</div>"
    )


def proof_html(status: str, gap: float, text: str) -> str:
    """Return the state of a proof as a badge and a sentence."""
    if status == "optimal":
        return says("proven optimal", text)
    badge = f"gap {gap:.1%}" if math.isfinite(gap) else "not proven"
    return says(badge, text, is_good=False)


def fold(title: str, content: str) -> str:
    """Return collapsed HTML with a title."""
    return (
        '<details class="murtree-fold">'
        f'<summary class="murtree-sum">{escaped(title)}</summary>{content}</details>'
    )


def table_html(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Return a table as HTML."""
    lines = ["".join(f"<th>{escaped(name)}</th>" for name in head)]
    lines += ["".join(f"<td>{escaped(cell)}</td>" for cell in row) for row in rows]
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    return f'<table class="murtree-table">{body}</table>'


def steps_html(numbers: Sequence[float], label: str) -> str:
    """Return numbers as a small step chart in SVG."""
    low, high = min(numbers), max(numbers)
    width, height, edge = 180, 36, 2
    step = (width - 2 * edge) / len(numbers)
    points = []
    for index, number in enumerate(numbers):
        y = height - edge - (height - 2 * edge) * share_between(number, low, high)
        points.append(f"{edge + index * step:.4g},{y:.4g}")
        points.append(f"{edge + (index + 1) * step:.4g},{y:.4g}")
    return (
        f'<svg class="murtree-line-chart" role="img" aria-label="{escaped(label)}" '
        f'width="{width}" height="{height}" viewBox="0 0 {width} {height}">'
        f'<polyline points="{" ".join(points)}" fill="none" stroke="currentColor" '
        'stroke-width="1.5"/></svg>'
    )


def escaped(text: object) -> str:
    """Return text escaped for HTML, with unprintable characters escaped."""
    return html.escape(printable(str(text)))


class _Outline:
    """Builder of the nested lists of one tree."""

    def __init__(self, tree: "Tree", is_weighted: bool) -> None:
        self._tree = tree
        self._tests = tests_of(tree)
        self._words = Words(tree.known_columns, self._tests.values())
        self._leaves = LeafWords(tree, is_weighted=is_weighted)
        self._is_large = tree.n_leaves > ALL_OPEN
        self._last_level = _last_level(depths(tree.children_left, tree.children_right))
        if tree.classes is None:
            values = tree.estimates[tree.feature < 0, 0].tolist()
            self._range = (min(values), max(values))
        else:
            self._colours = class_colours(tree.classes.size)

    def html(self) -> str:
        """Return the whole tree as HTML."""
        return f'<ul class="murtree-list">{self._item(0, "", 0)}</ul>'

    def _item(self, node: int, side: str, level: int) -> str:
        test = self._tests.get(node)
        if test is None:
            return _in_item(self._leaf(node, side))
        weight = _count(self._leaves.weight(node))
        text = f"<span>{escaped(self._words.yes(test))}? {weight}</span>"
        line = self._line(side, node, text)
        if level >= self._last_level:
            return _in_item(line) + _in_item(_count(self._hidden(node)))
        is_open = "" if self._is_large and level >= OPEN_LEVELS else " open"
        yes, no = children_of(self._tree, node)
        below = self._item(yes, "yes", level + 1) + self._item(no, "no", level + 1)
        kind = "murtree-list murtree-deep" if level >= 9 else "murtree-list"
        return _in_item(
            f'<details{is_open}><summary class="murtree-sum">{line}</summary>'
            f'<ul class="{kind}">{below}</ul></details>'
        )

    def _leaf(self, node: int, side: str) -> str:
        prediction = escaped(self._leaves.prediction(node))
        support = _count(self._leaves.support(node))
        return self._line(side, node, f"<span><b>{prediction}</b> {support}</span>")

    def _line(self, side: str, node: int, text: str) -> str:
        answer = f'<i class="murtree-side">{side}</i> ' if side else ""
        return f'<span class="murtree-line">{answer}{self._bar(node)} {text}</span>'

    def _bar(self, node: int) -> str:
        if self._tree.classes is not None:
            return self._class_bar(node)
        if node in self._tests:
            return ""
        value = float(self._tree.estimates[node, 0])
        share = share_between(value, *self._range)
        colour = value_colour(value, *self._range)
        paint = f"linear-gradient(90deg,{colour} {share:.1%},transparent 0)"
        return f'<span class="murtree-bar" style="background:{paint}"></span>'

    def _class_bar(self, node: int) -> str:
        weights = self._tree.value[node].tolist()
        total = sum(weights) or 1
        classes = self._tree.classes
        assert classes is not None
        stops, parts, before = [], [], 0.0
        for index, weight in enumerate(weights):
            if weight:
                after = before + weight / total
                stops.append(f"{self._colours[index]} {before:.1%} {after:.1%}")
                parts.append(f"{classes[index]}: {number_text(weight)}")
                before = after
        paint = f"linear-gradient(90deg,{','.join(stops)})" if stops else "none"
        title = escaped(", ".join(parts))
        return (
            f'<span class="murtree-bar" role="img" title="{title}" '
            f'aria-label="{title}" style="background:{paint}"></span>'
        )

    def _hidden(self, node: int) -> str:
        waiting, n_leaves = [node], 0
        while waiting:
            here = waiting.pop()
            if here in self._tests:
                waiting += children_of(self._tree, here)
            else:
                n_leaves += 1
        return f"… and {n_leaves:,} leaves below it"


def _last_level(levels: Indices) -> int:
    """Return the deepest level that is shown."""
    if levels.size <= MOST_NODES:
        return int(levels.max())
    return int(np.sort(levels)[MOST_NODES]) - 1


def _in_item(content: str) -> str:
    return f'<li class="murtree-item">{content}</li>'


def _count(text: str) -> str:
    return f'<span class="murtree-count">{escaped(text)}</span>'
