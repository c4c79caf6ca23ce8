"""Layers of the code, public names, and fast imports without output."""

import ast
import json
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from repository import ROOT

import murtree

LAYERS = [
    "kernels",
    "objectives",
    "requests",
    "data",
    "counts",
    "depth_two",
    "search",
    "pareto",
    "thresholds",
    "bindings",
]
OURS = re.compile(r'^\s*#\s*include\s+"([^"]+)"', re.MULTILINE)
SYSTEM = re.compile(r"^\s*#\s*include\s+<([^>]+)>", re.MULTILINE)
SOURCES = sorted(
    path for pattern in ("*.cpp", "*.hpp") for path in (ROOT / "cpp").rglob(pattern)
)
WIDE_OBJECTS = sorted(
    (ROOT / "build").glob("cp*/CMakeFiles/core.dir/cpp/kernels/*avx*.o")
)
needs_sources = pytest.mark.skipif(not SOURCES, reason="the sources are not here")


def included_layer(source, name):
    """Return the layer of an included file, by its path from cpp/ or from itself."""
    for folder in (ROOT / "cpp", source.parent):
        path = (folder / name).resolve()
        if path.exists():
            return path.relative_to((ROOT / "cpp").resolve()).parts[0]
    raise AssertionError(f"{source}: no file {name}")


@needs_sources
def test_includes_point_one_way():
    for source in SOURCES:
        layer = source.relative_to(ROOT / "cpp").parts[0]
        for name in OURS.findall(source.read_text(encoding="utf-8")):
            used = included_layer(source, name)
            assert LAYERS.index(used) <= LAYERS.index(layer), f"{source}: {name}"


@needs_sources
def test_only_the_bindings_use_python():
    for source in SOURCES:
        if source.relative_to(ROOT / "cpp").parts[0] == "bindings":
            continue
        for name in SYSTEM.findall(source.read_text(encoding="utf-8")):
            assert not name.startswith(("nanobind", "Python")), f"{source}: {name}"


@needs_sources
def test_the_core_neither_prints_nor_exits():
    banned = re.compile(r"std::cout|std::cerr|\bprintf\s*\(|std::exit|\babort\s*\(")
    for source in SOURCES:
        assert not banned.search(source.read_text(encoding="utf-8")), source


@needs_sources
def test_wide_instructions_stay_in_their_files():
    wide = {
        source.name
        for source in SOURCES
        if "immintrin.h" in SYSTEM.findall(source.read_text(encoding="utf-8"))
    }
    for source in SOURCES:
        if source.parent.name == "kernels" and "avx" in source.stem:
            continue
        included = {Path(name).name for name in OURS.findall(source.read_text("utf-8"))}
        assert not included & wide, source
        assert source.name not in wide or source.suffix == ".hpp", source


@pytest.mark.skipif(
    not WIDE_OBJECTS or shutil.which("nm") is None, reason="no objects here, or no nm"
)
def test_wide_objects_have_no_weak_symbols():
    """A weak function may be linked everywhere, and fail on older processors."""
    for path in WIDE_OBJECTS:
        symbols = subprocess.check_output(["nm", "--defined-only", path], text=True)
        weak = [line for line in symbols.splitlines() if re.search(r" [WV] ", line)]
        assert not weak, path


def test_testing_module_is_built_only_on_request():
    """It is set in every build, or the build folder would keep it for a wheel."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    defined = settings["tool"]["scikit-build"]["cmake"]["define"]["MURTREE_TESTING"]
    assert defined == {"env": "MURTREE_TESTING", "default": "OFF"}


def test_public_names():
    assert sorted(murtree.__all__) == murtree.__all__
    assert all(hasattr(murtree, name) for name in murtree.__all__)
    assert re.fullmatch(r"\d+\.\d+\.\d+\w*", murtree.__version__)


def test_public_names_are_imported_lazily():
    program = (
        "import sys, murtree\n"
        "assert not {'numpy', 'sklearn'} & set(sys.modules), 'too early'\n"
        "assert set(murtree.__all__) <= set(dir(murtree))\n"
        "assert murtree.Tree is murtree.Tree and murtree.datasets.load_text\n"
        "try: murtree.Forest\n"
        "except AttributeError as error: print(error)\n"
    )
    shown = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert shown == "module 'murtree' has no attribute 'Forest'\n"
    stub = Path(murtree.__file__).with_suffix(".pyi").read_text()
    listed = ast.literal_eval(stub.split("__all__ = ")[1])
    assert listed == murtree.__all__
    for name in {*listed} - {"datasets"}:
        assert getattr(murtree, name).__module__.startswith(murtree._homes[name])


@pytest.mark.slow
@pytest.mark.timing
def test_importing_adds_little_to_scikit_learn():
    program = (
        "import json, sys, time, sklearn.base, sklearn.utils.validation\n"
        "before = set(sys.modules)\n"
        "start = time.process_time()\n"
        "from murtree import *\n"
        "seconds = time.process_time() - start\n"
        "print(json.dumps([seconds, sorted(set(sys.modules) - before)]))\n"
    )
    done = [
        json.loads(subprocess.check_output([sys.executable, "-c", program]))
        for _ in range(3)
    ]
    assert min(seconds for seconds, _ in done) < 0.1
    heavy = {"pandas", "matplotlib", "scipy.stats", "sklearn.tree", "typer", "jinja2"}
    assert not heavy & set(done[0][1])


def test_threads_may_import_names_concurrently():
    program = (
        "import threading, murtree\n"
        "failed = []\n"
        "def ask(name):\n"
        "    try:\n"
        "        getattr(murtree, name)\n"
        "    except BaseException as error:\n"
        "        failed.append(repr(error))\n"
        "threads = [threading.Thread(target=ask, args=(n,)) for n in murtree.__all__]\n"
        "for thread in threads: thread.start()\n"
        "for thread in threads: thread.join()\n"
        "print(failed)\n"
    )
    done = subprocess.check_output([sys.executable, "-c", program], text=True)
    assert done == "[]\n"
