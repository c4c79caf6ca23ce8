"""What all tests share."""

import pytest


def pytest_collection_modifyitems(items):
    """Try tests that look at the clock three times: a busy machine may be late."""
    for item in items:
        if item.get_closest_marker("timing"):
            item.add_marker(pytest.mark.flaky(reruns=2))
