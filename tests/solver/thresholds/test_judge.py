"""Trees over all thresholds cost what the judge finds, for random small tables."""

import numpy as np
import pytest
from oracle.ranked import Ranked, check_ranked


@pytest.mark.parametrize("first", range(0, 500, 50))
def test_random_tables_agree_with_the_judge(first):
    for seed in range(first, first + 50):
        check_ranked(seed, most_rows=10)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 1000))
def test_more_random_tables_agree_with_the_judge(first):
    for seed in range(first, first + 1000):
        check_ranked(seed, most_rows=13)


def test_rows_of_the_same_rank_stay_together_if_other_ranks_have_no_rows():
    # A class of weight 0 leaves such ranks.
    ranks, labels = np.array([[0, 0, 5, 5]]), np.array([0, 1, 1, 0])
    data = Ranked(ranks, np.eye(2, dtype=int)[labels], np.ones(4, dtype=int))
    (answer,) = data.solve(1)
    assert data.check_tree(answer) == answer["lower_bound"] == 2
