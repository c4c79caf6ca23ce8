"""The number of jumps between modules in typical calls, see tools/walks.py."""

import importlib.util
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "tools" / "walks.py"
MOST_JUMPS = {
    "fit": 65,
    "predict": 11,
    "murtree fit --report": 135,
    "cross-validation": 100,
    "export to SQL": 22,
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
