"""Every public object has an example in its docstring, which runs."""

import doctest
import importlib
import inspect
import pkgutil
import warnings

import pytest
from repository import ROOT

import murtree

MODULES = [
    name.removeprefix("murtree.")
    for _, name, _ in pkgutil.walk_packages(murtree.__path__, "murtree.")
    if not name.startswith("murtree._core")
]
API = ROOT / "docs" / "api.md"


def public_functions():
    """Return the public functions and classes of murtree and its modules."""
    things = {}
    for name in murtree.__all__:
        thing = getattr(murtree, name)
        if inspect.ismodule(thing):
            for inner, function in inspect.getmembers(thing, inspect.isfunction):
                if function.__module__ == thing.__name__ and inner[0] != "_":
                    things[f"{name}.{inner}"] = function
        else:
            things[name] = thing
    return things


def public_methods():
    """Return our public methods by where they are defined: inherited ones once."""
    methods = {}
    for thing in public_functions().values():
        for owner in inspect.getmro(thing) if inspect.isclass(thing) else ():
            if not owner.__module__.startswith("murtree"):
                continue
            for name, member in vars(owner).items():
                function = getattr(member, "__func__", member)
                if name[0] != "_" and inspect.isfunction(function):
                    methods[f"{owner.__name__}.{name}"] = function
    return methods


def public_properties():
    """Return our public properties in the same way."""
    return {
        f"{owner.__name__}.{name}": member
        for thing in public_functions().values()
        for owner in (inspect.getmro(thing) if inspect.isclass(thing) else ())
        if owner.__module__.startswith("murtree")
        for name, member in vars(owner).items()
        if name[0] != "_" and isinstance(member, property)
    }


@pytest.mark.parametrize("name", MODULES)
def test_examples_run(name):
    module = importlib.import_module(f"murtree.{name}")
    if name == "_estimators.sklearn_callbacks":
        pytest.importorskip("sklearn.callback", reason="from scikit-learn 1.9 on")
    with warnings.catch_warnings():
        assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("name", sorted(public_functions()))
def test_public_things_have_an_example(name):
    assert ">>> " in inspect.getdoc(public_functions()[name])


@pytest.mark.parametrize("name", sorted(public_methods()))
def test_public_methods_have_an_example(name):
    assert ">>> " in public_methods()[name].__doc__


@pytest.mark.parametrize("name", sorted(public_properties()))
def test_public_properties_have_a_docstring(name):
    first = public_properties()[name].__doc__.splitlines()[0]
    assert first.endswith(".")
    assert len(first.split()) > 2


def test_public_methods_include_inherited_and_class_methods():
    methods = public_methods()
    some = {"OptimalTreeCV.predict", "Tree.from_json", "TreeMethodsMixin.rules_frame"}
    assert some <= {*methods}
    assert "Frontier.breakpoints" in public_properties()


def test_the_api_page_lists_every_public_name():
    listed = {line.strip() for line in API.read_text(encoding="utf-8").splitlines()}
    assert set(public_functions()) <= listed


def test_the_api_page_lists_only_public_names():
    entries = [
        line.strip()
        for line in API.read_text(encoding="utf-8").splitlines()
        if line.startswith("   ") and not line.strip().startswith(":")
    ]
    assert sorted(entries) == sorted(public_functions())
