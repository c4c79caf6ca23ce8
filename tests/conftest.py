"""Fixtures for tests of several packages."""

import pytest


@pytest.fixture
def write(tmp_path):
    """Return a function that writes text or bytes to a file and returns its path."""

    def write_file(content, name="data.csv"):
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return path

    return write_file
