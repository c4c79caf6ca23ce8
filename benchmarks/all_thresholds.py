"""Measure what the search over all thresholds takes: seconds, and memory.

The seconds are those of default fits at the limits of _estimators/column_budget.py, at
depth two and three, on noisy data with full-precision values. The memory is that of the
core beside the data, in bytes per value of the table, over a few seconds of a search.

    python benchmarks/all_thresholds.py
    python benchmarks/all_thresholds.py --depth-two
"""

import multiprocessing
import sys
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from murtree import OptimalTreeClassifier
from murtree._estimators import column_budget
from murtree._solver.ranked_core import RankedTable

PAGE = 4096  # bytes
# At depth two.
SHAPES = [
    (700_000, 2),
    (440_000, 5),
    (310_000, 10),
    (220_000, 20),
    (40_000, 50),
    (10_000, 100),
    (690, 380),
]
MISSING, TEXTS = [(400_000, 2), (250_000, 5), (110_000, 10)], [(20_000, 10)]
WEIGHTED = [(125_000, 2), (25_000, 10), (2_500, 100)]
OF_CLASSES = [(50_000, 2), (10_000, 10), (1_000, 100)]
SIZED = [(8_000, 5), (40_000, 5), (10_000, 20), (2_000, 100)]
COSTS = [[0, 1, 2], [1, 0, 3], [2, 1, 0]]
OF_COSTS = [(20_000, 2), (4_000, 10), (400, 100)]
OF_TWO = [(60_000, 2), (12_000, 10), (1_200, 100)]
# At depth three.
DEEP = [(13_300, 2), (13_300, 5), (5_600, 10), (2_300, 20), (750, 50)]
DEEP_WEIGHTED = [(1_600, 5), (700, 10), (290, 20)]
DEEP_OF_COSTS = [(260, 2), (260, 5), (110, 10)]
DEEP_SIZED = [(170, 2), (170, 5), (70, 10)]


def numbers(shape, n_classes=2, noise=0.3):
    """Return a table and labels that depend on its first column, but for the noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=shape)
    y = np.digitize(X[:, 0], np.linspace(-0.7, 0.7, n_classes - 1))
    is_noise = rng.random(shape[0]) < noise
    return X, np.where(is_noise, rng.integers(0, n_classes, shape[0]), y)


def fit_seconds(data, max_depth=2, weight=None, **options):
    start = time.process_time()
    clf = OptimalTreeClassifier(max_depth=max_depth, **options).fit(*data, weight)
    seconds = time.process_time() - start
    whole = "all" if clf.coverage_.is_complete else "some"
    return f"{seconds:.2f} s, {whole} thresholds, {clf.status_}"


def used():
    return int(Path("/proc/self/statm").read_text().split()[1]) * PAGE


def peak_of(work):
    """Return the largest growth of the process's memory during a call."""
    start, largest, is_done = used(), [0], threading.Event()

    def watch():
        while not is_done.wait(0.002):
            largest[0] = max(largest[0], used() - start)

    thread = threading.Thread(target=watch)
    thread.start()
    work()
    is_done.set()
    thread.join()
    return largest[0]


def memory(depth, is_weighted, shape=(200_000, 20)):
    """Return the bytes per value; to be called in a process of its own."""
    rng = np.random.default_rng(0)
    n_rows, n_columns = shape
    ranks = np.array([rng.permutation(n_rows) for _ in range(n_columns)], np.uint32)
    costs = np.eye(2, dtype=np.int64)[rng.integers(0, 2, n_rows)]
    if is_weighted:
        costs *= rng.integers(1, 9, n_rows)[:, np.newaxis]
    none, cuts = np.empty(0, np.int64), np.full(n_columns, n_rows - 1, np.uint32)
    widths = np.ones(n_columns * (n_rows - 1))

    def run():
        RankedTable(ranks, costs, none, cuts, widths).solve(
            max_depth=depth,
            first_num_nodes=2**depth - 1,
            last_num_nodes=2**depth - 1,
            price_of_error=1,
            price_of_node=0,
            min_samples_leaf=1,
            min_weight_leaf=0,
            upper_bound=-1,
            time_limit=6.0,
            returns_on_interrupt=False,
            callback=None,
        )

    return peak_of(run) / ranks.size


def candidate_seconds(data):
    """Return the time of the fit if all thresholds were too many."""
    with patch.object(column_budget, "_takes_all_thresholds", return_value=False):
        return fit_seconds(data)


def with_missing(data):
    X, y = data
    X[np.random.default_rng(1).random(X.shape) < 0.1] = np.nan
    return X, y


def with_texts(data):
    """Return a table of text with 20 categories and two columns of numbers."""
    X, y = data
    texts = np.random.default_rng(1).choice([*"abcdefghijklmnopqrst"], X.shape)
    table = pd.DataFrame(texts, dtype=object).add_prefix("text")
    return table.assign(first=X[:, 0], second=X[:, 1]), y


def depth_two():
    for shape in SHAPES:
        for noise in (0.3, 1.0):
            for n_classes in (2, 10):
                data, text = numbers(shape, n_classes, noise), f"{noise:.0%} noise,"
                print(shape, text, n_classes, "classes:", fit_seconds(data))
        print(shape, "frontier:", fit_seconds(numbers(shape), frontier=True))
        print(shape, "2 classes, candidates:", candidate_seconds(numbers(shape)))
    for shape in MISSING:
        print(shape, "missing:", fit_seconds(with_missing(numbers(shape))))
    for shape in TEXTS:
        print(shape, "texts:", fit_seconds(with_texts(numbers(shape))))
    depth_two_with_costs()


def depth_two_with_costs():
    rng = np.random.default_rng(1)
    for shapes, n_classes in ((WEIGHTED, 2), (OF_CLASSES, 3)):
        for shape in shapes:
            weight = rng.random(shape[0])
            for noise in (0.3, 1.0):
                seconds = fit_seconds(numbers(shape, n_classes, noise), 2, weight)
                print(
                    shape, f"{noise:.0%} noise, {n_classes} classes, weights:", seconds
                )
    for shapes, costs in ((OF_COSTS, COSTS), (OF_TWO, [[0, 1], [3, 0]])):
        for shape in shapes:
            for noise in (0.3, 1.0):
                data = numbers(shape, len(costs), noise)
                seconds = fit_seconds(data, objective=costs)
                print(shape, f"{noise:.0%} noise, {len(costs)} labels, costs:", seconds)
    for shape in SIZED:
        for least in (5, 100):
            seconds = fit_seconds(numbers(shape), min_samples_leaf=least)
            print(shape, f"min_samples_leaf={least}:", seconds)


def depth_three():
    for shape in DEEP:
        for noise in (0.1, 0.3, 1.0):
            for n_classes in (2, 10):
                data, text = numbers(shape, n_classes, noise), f"{noise:.0%} noise,"
                print(shape, text, n_classes, "classes:", fit_seconds(data, 3))
            seconds = fit_seconds(numbers(shape, 2, noise), 3, frontier=True)
            print(shape, text, "frontier:", seconds)
    for shape in DEEP_WEIGHTED:
        weight = np.random.default_rng(1).random(shape[0])
        print(shape, "weights:", fit_seconds(numbers(shape), 3, weight))
    for shape in DEEP_OF_COSTS:
        seconds = fit_seconds(numbers(shape, 3), 3, objective=COSTS)
        print(shape, "matrix of costs:", seconds)
    for shape in DEEP_SIZED:
        seconds = fit_seconds(numbers(shape), 3, min_samples_leaf=5)
        print(shape, "min_samples_leaf=5:", seconds)


def main():
    depth_two()
    if "--depth-two" in sys.argv:
        return
    depth_three()
    for depth in (2, 3, 4):
        for is_weighted in (False, True):
            spawn = multiprocessing.get_context("spawn")
            with ProcessPoolExecutor(1, spawn) as fresh:
                found = fresh.submit(memory, depth, is_weighted).result()
            what = "weighted" if is_weighted else "plain"
            print(f"depth {depth}, {what}: {found:.0f} bytes per value")


if __name__ == "__main__":
    main()
