"""The paper's second ablation: incremental counting and the similarity bound.

    python benchmarks/ablations/counting.py

Paper: Section "Part Two: Incremental Frequency Computation and the Similarity-Based
Lower Bound"; depth 4, sizes 1 to 15 on one solver. "Sparse" and "dense" count each part
from scratch, in two ways.
"""

from ablation import Setting, compare_times

COUNTS = ("incremental", "sparse", "dense")
SETTINGS = [
    Setting(
        f"{counts}{'' if bound else ', no bound'}",
        {"frequency_counts": counts, "similarity_bound": bound},
    )
    for counts in COUNTS
    for bound in (True, False)
]


def main():
    description = "Compare ways to count, with and without the similarity bound."
    compare_times("counting", description, SETTINGS)


if __name__ == "__main__":
    main()
