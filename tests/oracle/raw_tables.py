"""Random raw tables with awkward values, and their possible tests by plain Python.

The tests follow the documentation of `TableBinarizer`: all thresholds between distinct
values, with missing values on either side; each subset of few categories, else each
category; and the test for missing values.
"""

import math
from itertools import combinations
from typing import NamedTuple

import numpy as np
import pandas as pd

FEW_CATEGORIES = 4  # including missing values


class RawColumn(NamedTuple):
    """The cells of a column, None where missing, and the type to store them in."""

    cells: list
    dtype: str | None
    is_category: bool = False


def series_of(column):
    """Return a column as pandas stores it."""
    if column.dtype == "category":
        return pd.Series(pd.Categorical(column.cells))
    if column.dtype == "ordered":
        names = sorted({cell for cell in column.cells if cell is not None})
        return pd.Series(pd.Categorical(column.cells, categories=names, ordered=True))
    return pd.Series(column.cells, dtype=column.dtype)


def tests_of(column, rows):
    """Return the distinct tests of a column on some rows: those for which each holds.

    A test and its opposite count once.
    """
    cells = [column.cells[row] for row in rows]
    is_missing = [cell is None for cell in cells]
    present = sorted({cell for cell in cells if cell is not None})
    has_missing = any(is_missing)
    tests = [is_missing]
    if column.is_category:
        levels = [*present, None] if has_missing else present
        few = len(levels) <= FEW_CATEGORIES
        sizes = range(1, len(levels)) if few else [1]
        for size in sizes:
            chosen = combinations(levels if few else present, size)
            tests += [[cell in some for cell in cells] for some in chosen]
    else:
        tests += [
            [side if cell is None else cell <= last for cell in cells]
            for last in present[:-1]
            for side in (False, True)
        ]
    seen = set()
    for holds in tests:
        opposite = tuple(not one for one in holds)
        if any(holds) and not all(holds) and opposite not in seen:
            seen.add(tuple(holds))
    return sorted(seen)


def beyond(start, steps):
    """Return the float some steps after another."""
    for _ in range(abs(steps)):
        start = math.nextafter(start, math.copysign(math.inf, steps))
    return start


def random_numbers(rng, n_rows):
    """Return numbers that stress comparisons, and a type for them."""
    few = rng.integers(0, 4, n_rows).tolist()
    largest = float(np.finfo(np.float64).max)
    kinds = {
        "normal": (rng.normal(size=n_rows).tolist(), "float64"),
        "small": (few, "int64"),
        "bytes": (rng.integers(-128, 128, n_rows).tolist(), "int8"),
        "binary": (rng.integers(0, 2, n_rows).tolist(), "int64"),
        "bool": (rng.integers(0, 2, n_rows).astype(bool).tolist(), "bool"),
        "constant": ([7.0] * n_rows, "float64"),
        "zeros": (rng.choice([-0.0, 0.0, 5e-324, -5e-324], n_rows).tolist(), "float64"),
        "denormal": ([k * 5e-324 for k in few], "float64"),
        "largest": (
            rng.choice([-largest, largest, beyond(largest, -1), 0.0], n_rows).tolist(),
            "float64",
        ),
        "single": (
            rng.normal(size=n_rows).astype(np.float32).astype(float).tolist(),
            "float32",
        ),
        "above 2**53": ([2**53 + 2 * k for k in few], "int64"),
        "lowest": ([-(2**63) + 2048 * k for k in few], "int64"),
        "unsigned": ([2**64 - 2048 * (k + 1) for k in few], "uint64"),
        "objects": ([k if k % 2 else k + 0.5 for k in few], "object"),
    }
    starts = [1.0, 0.1, -1.0, 0.0, 1e-300, 1e300, 2.0**53, -1e15, 1 / 3]
    near = float(rng.choice(starts))
    kinds["near"] = ([beyond(near, k) for k in few], "float64")
    names = list(kinds)
    shares = np.array([5 if name == "normal" else 2 for name in names]) * 1.0
    return kinds[names[rng.choice(len(names), p=shares / shares.sum())]]


def random_column(rng, n_rows, others):
    """Return a random column; it may be like another, or constant in a part of it."""
    way = rng.random()
    if way < 0.15:
        names = list("abcdef")[: rng.integers(1, 7)]
        cells = rng.choice(names, n_rows).tolist()
        dtype = str(rng.choice(["object", "category", "ordered", "string"]))
        column = RawColumn(cells, dtype, is_category=dtype != "ordered")
    elif way < 0.3 and others:
        like = others[rng.integers(len(others))]
        cells = like.cells.copy()
        cells[rng.integers(n_rows)] = cells[rng.integers(n_rows)]
        column = like._replace(cells=cells)
    else:
        column = RawColumn(*random_numbers(rng, n_rows))
    cells = column.cells
    if rng.random() < 0.25 and others:  # constant in a part
        of = others[rng.integers(len(others))].cells
        value, seen = of[rng.integers(n_rows)], cells[rng.integers(n_rows)]
        pairs = zip(cells, of, strict=True)
        cells = [seen if other == value else cell for cell, other in pairs]
    if rng.random() < 0.25:
        share = float(rng.choice([0.1, 0.4, 1.0], p=[0.5, 0.4, 0.1]))
        cells = [None if rng.random() < share else cell for cell in cells]
    if None in cells and column.dtype in ("int64", "int8", "uint64", "bool"):
        column = column._replace(dtype="object")
    return column._replace(cells=cells)
