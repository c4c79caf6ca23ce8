"""Every example in a docstring runs and gives what it says."""

import doctest
import importlib
import inspect
import pkgutil
import warnings

import pytest

import murtree

MODULES = [
    name.removeprefix("murtree.")
    for _, name, _ in pkgutil.walk_packages(murtree.__path__, "murtree.")
    if name != "murtree._core"
]


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(f"murtree.{name}")
    with warnings.catch_warnings():
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", sorted(set(murtree.__all__) - {"datasets"}))
def test_public_things_have_an_example(name):
    assert ">>> " in inspect.getdoc(getattr(murtree, name))
