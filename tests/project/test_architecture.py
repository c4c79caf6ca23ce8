"""The architecture page and its figure match the packages."""

import re
import tomllib
from xml.etree import ElementTree

import pytest
from repository import ROOT

PAGE = ROOT / "docs" / "architecture.md"
PICTURE = ROOT / "docs" / "_static" / "architecture.svg"
SVG = "{http://www.w3.org/2000/svg}"
SOURCES = ROOT / "src" / "murtree"


@pytest.fixture(scope="module")
def layers():
    """Return the packages of each layer, highest first."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    (contract,) = project["tool"]["importlinter"]["contracts"]
    names = [set(layer.split(" | ")) for layer in contract["layers"]]
    return [layer - {"_version"} for layer in names]


def test_layers_match_the_folders(layers):
    folders = {path.parent.name for path in SOURCES.glob("*/__init__.py")}
    assert set().union(*layers) == {*folders, "datasets"}


def test_the_page_has_a_paragraph_for_each_package(layers):
    text = PAGE.read_text(encoding="utf-8")
    described = re.findall(r"^\*\*`(\w+)`\*\* [a-z]", text, re.MULTILINE)
    order = {name: n for n, layer in enumerate(layers) for name in layer}
    assert sorted(described) == sorted([*order, "_core"])
    assert described == sorted(described, key=lambda name: order.get(name, len(order)))


def test_the_rows_of_the_picture_are_the_layers(layers):
    rows = {}
    for text in ElementTree.parse(PICTURE).iter(f"{SVG}text"):
        if text.get("class") == "package" and text.text != "_core":
            rows.setdefault(float(text.get("y")), set()).add(text.text)
    assert [names for _, names in sorted(rows.items())] == layers


def test_tests_are_in_folders_of_the_same_names(layers):
    packages = {name.removeprefix("_") for name in set().union(*layers)}
    folders = {path.name for path in (ROOT / "tests").iterdir() if path.is_dir()}
    beside = {"oracle", "project", "browser", "__pycache__"}
    assert folders - beside == packages - {"datasets"}
