"""The paper's first ablation: cache by rows, by branch, or no cache.

    python benchmarks/ablations/caches.py

Paper: Section "Part One: Cache Variants"; depth 4, sizes 1 to 15 on one solver.
"""

from ablation import (
    DEPTH_FOUR_SETS,
    Setting,
    count_cell,
    print_notes,
    print_ratios,
    print_table,
    run,
    seconds_cell,
)

SETTINGS = [Setting(kind, {"cache": kind}) for kind in ("dataset", "branch", "none")]


def main():
    rows = run("caches", "Compare kinds of cache.", SETTINGS, DEPTH_FOUR_SETS)
    cells = {"s": seconds_cell, "entries": count_cell("cache_entries")}
    print_table(rows, lambda row: row["set"], cells)
    print_ratios(rows, lambda row: row["set"])
    print_notes(rows)


if __name__ == "__main__":
    main()
