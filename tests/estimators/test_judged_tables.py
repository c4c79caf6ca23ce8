"""Raw tables searched over all thresholds have the optimum that the judge finds."""

import pytest
from oracle.fuzz_tables import check_table
from oracle.larger_tables import check_larger_table


@pytest.mark.parametrize("first", range(0, 200, 50))
def test_random_tables_agree_with_the_judge(first):
    for seed in range(first, first + 50):
        check_table(seed)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1000, 5000, 1000))
def test_more_random_tables_agree_with_the_judge(first):
    for seed in range(first, first + 1000):
        check_table(seed)


@pytest.mark.parametrize("seed", range(4))
def test_larger_tables_agree_with_a_column_for_each_test(seed):
    assert check_larger_table(seed)  # both searches end in time


@pytest.mark.slow
@pytest.mark.parametrize("first", range(10, 90, 20))
def test_more_larger_tables_agree_with_a_column_for_each_test(first):
    assert sum(map(check_larger_table, range(first, first + 20))) > 10
