"""The number of jumps between modules in typical calls, see tools/walks.py."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "walks.py"
# As many as were reached with Python 3.11 when a limit was last set. The small table of
# the walks is searched by ranks, no longer by a column for each test: 20 jumps more for
# the ranks, the tests that are made from them later, and their core. Five jumps of the
# command line are for notes on text that looks like numbers, and for --max-categories;
# two of SQL are for booleans beside a column that is named `true` or `false`. Two of
# each fit are for values that conversions make equal. One of a fit is for `smoothing`,
# three more of the command line for the words of trees with a teacher; 35 of a
# cross-validation are for the forest of each fold and the trees that are fitted to it.
MOST_JUMPS = {
    "fit": 68,
    "predict": 11,
    "murtree fit --report": 146,
    "cross-validation": 139,
    "export to SQL": 24,
}


@pytest.mark.slow
def test_calls_are_no_harder_to_follow_than_before():
    spec = importlib.util.spec_from_file_location("walks", SCRIPT)
    walks = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(walks)
    jumps = {
        name: walks.counts(steps).jumps for name, steps in walks.measured().items()
    }
    assert jumps.keys() == MOST_JUMPS.keys()
    too_many = {name: n for name, n in jumps.items() if n > MOST_JUMPS[name]}
    assert not too_many, f"more jumps than in {MOST_JUMPS}: {too_many}"
