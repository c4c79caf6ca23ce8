"""How many boolean columns a search can take in the time it has.

A model as rough as can be, and the same on every machine, so that the same data gives
the same tree: the time grows with the words of 64 rows and with a power of the columns
that is the depth. benchmarks/calibrate_columns.py measures the constants.
"""

DEFAULT_SECONDS = 1.0  # aimed at without a time limit
SHARE = 0.5  # of a time limit
OVERHEAD = 8  # a call of the depth-two algorithm costs as much as so many words
# Seconds for a word of rows and the columns to the power of the depth, by depth.
SECONDS = (1e-9, 1e-9, 1e-9, 1e-10, 3e-11, 2e-11, 1e-11)
# As much longer take sums of costs or squares than counts of errors (as calibrated, at
# depth three), and a least size of leaves, which some bounds do not allow (3 to 13).
SUMMED, SIZED = 12.0, 6.0
FEWEST, MOST = 24, 2000
MOST_CELLS = 50_000_000  # rows times columns where all roots can be gone through
MOST_STEPS = 5e9  # roots times rows times columns of the table: some six seconds
MOST_NESTED = 30_000
UNHURRIED = 10.0  # seconds: with less there may be no time to go through them
# Of a column, at the least, where nobody is in a hurry and that takes no longer than so
# many seconds.
USUAL_THRESHOLDS, PATIENCE = 8, 10.0


def affordable_columns(
    *,
    depth: int,
    n_rows: int,
    n_columns: int,
    effort: float,
    seconds: float | None,
    is_nested: bool = False,
) -> int:
    """Return how many boolean columns to make of the columns of a table.

    A depth of 0 means no limit, and is taken for 4. `effort` is how much longer the
    objective takes than the number of errors. With `is_nested` the search can go
    through the thresholds of a column in order, and takes far more of them.
    """
    depth = min(max(depth or 4, 2), len(SECONDS) - 1)
    budget = DEFAULT_SECONDS if seconds is None else SHARE * seconds
    words = n_rows / 64 + OVERHEAD
    cost = effort * SECONDS[depth] * words
    columns = min(max((budget / cost) ** (1 / depth), FEWEST), MOST)
    if is_nested and (seconds is None or seconds >= UNHURRIED):
        steps = MOST_STEPS / (n_rows * n_columns)
        columns = max(columns, min(MOST_CELLS / n_rows, steps, MOST_NESTED))
    if seconds is None:
        patience = (PATIENCE / cost) ** (1 / depth)
        columns = max(columns, min(USUAL_THRESHOLDS * n_columns, patience))
    return int(columns)
