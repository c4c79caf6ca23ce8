"""Fixtures shared by the tests of several packages."""

import pytest
from hypothesis import settings

settings.register_profile("any machine", deadline=None)  # the machine may be busy
settings.load_profile("any machine")


@pytest.fixture
def write(tmp_path):
    """Return a function that writes text or bytes to a file and returns its path."""

    def write_file(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file
