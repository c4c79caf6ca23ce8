"""Fixtures of the command line: an empty folder, a terminal of 80 columns."""

import pytest
from cli.tools import write_iris, write_models


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def iris(tmp_path):
    return write_iris(tmp_path / "iris.csv")


@pytest.fixture(scope="session")
def folder(tmp_path_factory):
    """Return a folder with iris, a model with all sizes, and one with a single size."""
    return write_models(tmp_path_factory.mktemp("models"))
