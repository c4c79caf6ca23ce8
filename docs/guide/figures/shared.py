"""What the figures of rows not seen share: the results, and the look of the others."""

import sys
from importlib import import_module
from pathlib import Path

DOCS = Path(__file__).resolve().parents[2]
BENCHMARKS = DOCS.parent / "benchmarks"
sys.path += [str(BENCHMARKS), str(DOCS / "theory" / "figures")]

compare, page = import_module("unseen_compare"), import_module("unseen_page")
drawing = import_module("drawing")
lines = compare.published(compare.lines_of(BENCHMARKS / "results" / "unseen.jsonl"))


def colour_of(method):
    """Return a colour for ours, for greedy trees, for forests, and for other trees."""
    colours = {
        "murtree": drawing.BLUE,
        "cart": drawing.ORANGE,
        "forest": drawing.GREY,
    }
    return colours.get(method.split("-")[0], drawing.GREEN)


def gains_of(score, method):
    """Return the differences to the reference in points, and the pairs of lines."""
    pairs = compare.pairs_of(lines, score, method, page.REFERENCE)
    return compare.gains_of(pairs, score), pairs
