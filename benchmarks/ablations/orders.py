"""The paper's third ablation: which feature comes first, and which child.

    python benchmarks/ablations/orders.py

Paper: Section "Part Three: Feature and Node Selection Strategies"; depth 4, sizes 1 to
15 on one solver.
"""

from ablation import (
    DEPTH_FOUR_SETS,
    Setting,
    print_notes,
    print_ratios,
    print_table,
    run,
    seconds_cell,
)

SETTINGS = [
    Setting(
        f"{features}, {nodes}",
        {"feature_order": features, "node_selection": nodes}
        | ({"random_state": 0} if features == "random" else {}),
    )
    for features in ("in-order", "gini", "random")
    for nodes in ("dynamic", "post-order")
]


def main():
    description = "Compare orders of features and of children."
    rows = run("orders", description, SETTINGS, DEPTH_FOUR_SETS)
    print_table(rows, lambda row: row["set"], {"s": seconds_cell})
    print_ratios(rows, lambda row: row["set"])
    print_notes(rows)


if __name__ == "__main__":
    main()
