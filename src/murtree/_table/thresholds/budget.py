"""How many boolean columns "auto" makes for a search.

A rough model of the time that a search takes, and the same on every machine: the time
grows with the words of 64 rows and with a power of the columns that is the depth. So
the candidates depend on the data, the objective and the limits on the tree alone, never
on a time limit. benchmarks/calibrate_columns.py measures the constants.
"""

USUAL_SECONDS = 1.0  # aimed at
OVERHEAD = 8  # a call of the depth-two algorithm costs as much as so many words
# Seconds for a word of rows and the columns to the power of the depth, by depth.
SECONDS = (1e-9, 1e-9, 1e-9, 3e-11, 1e-11, 1.6e-12, 1e-13)
# As much longer take sums of costs or squares than counts of errors (as calibrated, at
# depth three), and a least size of leaves, which some bounds do not allow (3 to 13).
SUMMED, SIZED = 12.0, 6.0
CLASSES = 3  # with more of them errors take longer in proportion
FEWEST, MOST = 24, 2000
UNLIMITED_DEPTH = 4  # that a tree without a limit on its depth is taken to have
MOST_CELLS = 50_000_000  # rows times columns where all roots can be gone through
MOST_STEPS = 5e9  # roots times rows times columns of the table: some six seconds
MOST_NESTED = 30_000
# Of a column, at the least, where that takes no longer than so many seconds.
USUAL_THRESHOLDS, PATIENCE = 12, 4.0


def affordable_columns(
    *, depth: int, n_rows: int, n_columns: int, effort: float, is_nested: bool = False
) -> int:
    """Return how many boolean columns to make of the columns of a table.

    A depth of 0 means no limit. `effort` is how much longer the objective takes than
    the number of errors. With `is_nested` the search can go through the thresholds of a
    column in order, and takes far more of them.
    """
    depth = min(max(depth or UNLIMITED_DEPTH, 2), len(SECONDS) - 1)
    cost = effort * SECONDS[depth] * (n_rows / 64 + OVERHEAD)
    usual, patient = (
        (seconds / cost) ** (1 / depth) for seconds in (USUAL_SECONDS, PATIENCE)
    )
    columns = min(max(usual, FEWEST), MOST)
    columns = max(columns, min(USUAL_THRESHOLDS * n_columns, patient))
    if is_nested:
        steps = MOST_STEPS / (n_rows * n_columns)
        columns = max(columns, min(MOST_CELLS / n_rows, steps, MOST_NESTED))
    return int(columns)
