"""Trees with all kinds of columns and tests, and tables that stress exports."""

import datetime
import math
from typing import NamedTuple

import numpy as np
from hypothesis import strategies as st

from murtree import Column, Predicate, Tree

KINDS = (
    "number",
    "boolean",
    "category",
    "numbered",  # a category of ints
    "ordered",
    "datetime",
    "duration",
    "time",
)
NASTY = (
    'say "hi"',
    "it's",
    "two\nlines",
    "tab\there",
    "back\\slash",
    "end of comment */ /* and again",
    "what??/ trigraph ??)",
    "%s {} $x &amp; <b>",
    "Größe (cm)",
    "日本語",
    "😀",
    "e\u0301",
    "'; DROP TABLE data; --",
    "select",
    "order",
    "int",
    "linux",
    "NULL",
    "None",
    "nan",
    "row",
    "missing",
    "x0",
    "7",
    "a or b",
    "\r\n",
    "\u2028",
    " ",
)
EPOCH = datetime.datetime(1970, 1, 1)
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
THRESHOLDS = FLOATS | st.sampled_from(
    [0.0, -0.0, 0.1, 0.5, 2.45, 41.5, 1e-05, 1e22, 1e308, -1e39, 3.4028235e38, 5e-324]
)
TEXTS = st.sampled_from(NASTY) | st.text(
    st.characters(codec="utf-8", exclude_characters="\0"), min_size=1, max_size=8
)
MICROSECONDS = st.integers(-(2**51), 2**52)  # from 1898 to 2112
DAY = 24 * 3600


class Case(NamedTuple):
    """A tree, and a table to predict with it."""

    tree: Tree
    table: np.ndarray

    @property
    def expected(self):
        return self.tree.predict(self.table).tolist()


def distinct_texts(min_size, max_size):
    # Databases ignore case in names and, in some cases, white space.
    return st.lists(
        TEXTS,
        min_size=min_size,
        max_size=max_size,
        unique_by=lambda text: text.casefold().strip(),
    )


@st.composite
def columns(draw, kinds=KINDS):
    names = draw(distinct_texts(1, 4))
    made = []
    for name in names:
        kind = draw(st.sampled_from(kinds))
        categories = ()
        if kind in ("category", "ordered"):
            categories = tuple(draw(distinct_texts(2, 4)))
        elif kind == "numbered":
            kind = "category"
            numbers = st.integers(-(2**40), 2**40) | st.integers(-3, 3)
            categories = tuple(draw(st.sets(numbers, min_size=2, max_size=4)))
        made.append(Column(name, kind, categories, draw(st.booleans())))
    return tuple(made)


def limits(column):
    """Return thresholds that are valid for the kind of the column."""
    return {
        "number": THRESHOLDS,
        "boolean": st.just(0.5),
        "ordered": st.integers(0, len(column.categories) - 2).map(lambda n: n + 0.5),
        "datetime": MICROSECONDS.map(lambda n: n / 2e6),
        "duration": MICROSECONDS.map(lambda n: n / 2e6),
        "time": st.integers(0, 2 * (DAY - 1)).map(lambda n: n / 2),
    }[column.kind]


@st.composite
def predicates(draw, table):
    index = draw(st.integers(0, len(table) - 1))
    column = table[index]
    missing = draw(st.booleans())
    ways = ["missing"]
    ways += ["members"] * 3 if column.is_category else []
    ways += ["threshold"] * 3 if column.kind != "category" else []
    ways += ["interval"] if column.kind not in ("category", "boolean") else []
    way = draw(st.sampled_from(ways))
    if way == "missing":
        return Predicate(index, missing=True)
    if way == "members":
        codes = st.integers(0, len(column.categories) - 1)
        members = draw(st.sets(codes, min_size=1))
        return Predicate(index, members=tuple(sorted(members)), missing=missing)
    high = draw(limits(column))
    low = draw(limits(column)) if way == "interval" else -math.inf
    if high < low:
        low, high = high, low
    return Predicate(index, high, low if low < high else -math.inf, missing=missing)


@st.composite
def preorders(draw, table, depth=3):
    """Draw the tests of a tree, None at leaves."""
    if not depth or not draw(st.integers(0, 3)):
        return [None]
    sides = [draw(preorders(table, depth - 1)) for _ in range(2)]
    return [draw(predicates(table)), *sides[0], *sides[1]]


def children_of(tests):
    """Return the left and right children of nodes with these tests in preorder."""
    left, right = [], []

    def grow():
        node = len(left)
        left.append(-1)
        right.append(-1)
        if tests[node] is not None:
            left[node], right[node] = grow(), grow()
        return node

    grow()
    return np.array(left, dtype=np.int32), np.array(right, dtype=np.int32)


def built(tests, value, columns, **others):
    """Return a tree from its tests in preorder; None is a leaf."""
    left, right = children_of(tests)
    feature = [-2 if test is None else test.column for test in tests]
    threshold = [
        -2.0 if test is None else math.nan if test.members else test.threshold
        for test in tests
    ]
    return Tree(
        children_left=left,
        children_right=right,
        feature=np.array(feature, dtype=np.int32),
        threshold=np.array(threshold),
        value=np.array(value),
        n_features=len(columns),
        predicates=tuple(tests),
        columns=columns,
        **others,
    )


def stump(value, **changes):
    """Return a tree with one test: x0 <= 0.5."""
    fields = {
        "children_left": np.array([1, -1, -1], dtype=np.int32),
        "children_right": np.array([2, -1, -1], dtype=np.int32),
        "feature": np.array([0, -2, -2], dtype=np.int32),
        "threshold": np.array([0.5, -2.0, -2.0]),
        "value": np.array(value),
        "classes": np.arange(len(value[0])),
        "n_features": 1,
    }
    return Tree(**(fields | changes))


def totals(tests, leaves):
    """Sum the leaves; other rows of `leaves` are ignored."""
    summed = np.array(leaves)
    left, right = children_of(tests)
    for node in np.flatnonzero(left >= 0)[::-1]:
        summed[node] = summed[left[node]] + summed[right[node]]
    return summed


@st.composite
def class_lists(draw):
    classes = draw(
        st.sampled_from([[False, True], [3, 7], [-2, 0, 5], ["a", "b", "c"]])
        | distinct_texts(2, 4)
    )
    return np.array(sorted(classes))


def smoothings(regression):
    rules = st.none() | st.floats(0.0, 1e9) | st.sampled_from([0.5, 1.0, 1e300])
    return rules if regression else rules | st.just("laplace")


@st.composite
def trees(draw, table, *, regression=None):
    tests = draw(preorders(table))
    size = len(tests)
    if draw(st.booleans()) if regression is None else regression:
        value = draw(st.lists(THRESHOLDS, min_size=size, max_size=size))
        weight = draw(st.lists(st.integers(1, 99), min_size=size, max_size=size))
        weight = totals(tests, np.array(weight, dtype=np.float64))
        value = np.array(value)[:, np.newaxis]
        smoothing = draw(smoothings(regression=True))
        return built(
            tests, value, table, classes=None, weight=weight, smoothing=smoothing
        )
    classes = draw(class_lists())
    counts = st.lists(
        st.integers(0, 9), min_size=classes.size, max_size=classes.size
    ).filter(any)
    value = totals(tests, draw(st.lists(counts, min_size=size, max_size=size)))
    label = None
    if draw(st.booleans()):
        indices = st.integers(0, classes.size - 1)
        label = np.array(
            draw(st.lists(indices, min_size=size, max_size=size)), dtype=np.int32
        )
    smoothing = draw(smoothings(regression=False))
    return built(tests, value, table, classes=classes, label=label, smoothing=smoothing)


def moment(seconds, off=0):
    """Return the time of a code, a few microseconds off."""
    return EPOCH + datetime.timedelta(microseconds=math.floor(seconds * 1e6) + off)


def values(column, requested):
    """Return values of a column: common ones, and those at the limits `requested`."""
    near = [limit for limit in requested if math.isfinite(limit)] or [0.0]
    around = st.tuples(st.sampled_from(near), st.integers(-1, 1))
    if column.is_category:
        known = st.sampled_from(column.categories)
        is_text = isinstance(column.categories[0], str)
        return known | (TEXTS if is_text else st.integers(-9, 9))
    return {
        "number": st.sampled_from(near)
        | st.sampled_from(near).map(lambda x: math.nextafter(x, math.inf))
        | st.floats(allow_nan=False),
        "boolean": st.booleans(),
        "datetime": around.map(lambda pair: moment(*pair)),
        "duration": around.map(lambda pair: moment(*pair) - EPOCH),
        "time": around.map(lambda pair: moment(*pair).time()),
    }[column.kind]


@st.composite
def cases(draw, kinds=KINDS, regression=None):
    table = draw(columns(kinds))
    tree = draw(trees(table, regression=regression))
    n_rows = 12
    data = np.empty((n_rows, len(table)), dtype=object)
    for index, column in enumerate(table):
        requested = {
            limit
            for test in tree.predicates
            if test is not None and test.column == index
            for limit in (test.threshold, test.lower)
        }
        found = st.none() | values(column, sorted(requested))
        data[:, index] = draw(st.lists(found, min_size=n_rows, max_size=n_rows))
    return Case(tree, data)
