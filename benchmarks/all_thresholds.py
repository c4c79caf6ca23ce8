"""Measure what the search over all thresholds takes: seconds, and memory.

The seconds are those of default fits at the limits of _estimators/column_budget.py, at
depth two and three, on noisy data with full-precision values. The memory is that of the
core beside the data, in bytes per value of the table, over a few seconds of a search.

    python benchmarks/all_thresholds.py
"""

import multiprocessing
import threading
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from murtree import OptimalTreeClassifier
from murtree._solver.ranked_core import RankedTable

PAGE = 4096  # bytes
SHAPES = [(2_500, 200), (25_000, 20), (100_000, 5)]
SIZED = [(8_000, 5), (40_000, 5), (10_000, 20), (2_000, 100)]
COSTS = [[0, 1, 2], [1, 0, 3], [2, 1, 0]]
OF_COSTS = [(33_000, 10), (8_000, 20), (2_000, 40)]
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


def depth_two():
    for shape in SHAPES:
        for n_classes in (2, 10):
            seconds = fit_seconds(numbers(shape, n_classes))
            print(shape, n_classes, "classes:", seconds)
    for shape in SIZED:
        for least in (5, 100):
            seconds = fit_seconds(numbers(shape), min_samples_leaf=least)
            print(shape, f"min_samples_leaf={least}:", seconds)
    for shape in OF_COSTS:
        seconds = fit_seconds(numbers(shape, 3), objective=COSTS)
        print(shape, "matrix of costs:", seconds)


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
