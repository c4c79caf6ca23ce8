"""The paper's third ablation: the order of features and of children.

    python benchmarks/ablations/orders.py

Paper: Section "Part Three: Feature and Node Selection Strategies"; depth 4, sizes 1 to
15 on one solver.
"""

from ablation import Setting, compare_times

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
    compare_times("orders", description, SETTINGS)


if __name__ == "__main__":
    main()
