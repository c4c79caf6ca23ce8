"""The paper's fourth ablation: one to four copies of every row, at depth 4 and 5.

    python benchmarks/ablations/scaling.py

Paper: Section "Part Four: Scalability"; sizes 1 to 15 or 31 on one solver. With
`merge_rows` copies become weights, and the time should not depend on them; without it
they are ordinary rows, as in the paper.
"""

from itertools import product

from ablation import (
    Setting,
    print_notes,
    print_ratios,
    print_table,
    run,
    seconds_cell,
)

SETS = [
    "DL_anneal",
    "DL_heart-cleveland",
    "DL_kr-vs-kp",
    "DL_tic-tac-toe",
    "DL_primary-tumor",
    "DL_yeast",
    "Hu_fico-binary",
    "NL_winequality-red",
]
SETTINGS = [
    Setting(f"{copies} x", {"merge_rows": merged}, depth=depth, copies=copies)
    for depth, merged, copies in product((4, 5), (True, False), (1, 2, 3, 4))
]


def label(row):
    kept = "merged" if row["options"]["merge_rows"] else "as rows"
    return f"{row['set']}, depth {row['depth']}, {kept}"


def main():
    rows = run("scaling", "Copy every row.", SETTINGS, SETS)
    print_table(rows, label, {"s": seconds_cell})
    for merged in (True, False):
        kept = [row for row in rows if row["options"]["merge_rows"] is merged]
        print(f"\n{'With' if merged else 'Without'} merge_rows:", end="")
        print_ratios(kept, label)
    print_notes(rows)


if __name__ == "__main__":
    main()
