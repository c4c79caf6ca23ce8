"""Every Python block in the README and the docs runs and gives its output."""

import ast
import doctest
import re
import warnings

import pytest
from repository import ROOT

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
)
SLOW = ["docs/guide/tuning.md", "docs/quickstart.md"]
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = {"python", "py", "pycon", "python3"}
FOLDERS = "benchmarks|cpp|docs|examples|src|tests"
NAMED_PATH = re.compile(rf"`((?:{FOLDERS})/[^`\s]*)`")
NAMED_METHOD = re.compile(r"`(\w+(?:<\w+>)?::\w+)`")
HOW_IT_WORKS = ROOT / "docs" / "theory" / "index.md"


def python_blocks(text):
    return [match for match in FENCE.finditer(text) if match[1] in PYTHON]


def only_python(text):
    """Return the text with all but its Python blocks blank, on the same lines."""
    kept, end = [], 0
    for block in python_blocks(text):
        kept += ["\n" * text.count("\n", end, block.start(2)), block[2]]
        end = block.end(2)
    return "".join(kept)


@pytest.mark.parametrize("page", PAGES)
def test_every_python_block_is_an_example(page):
    for block in python_blocks((ROOT / page).read_text(encoding="utf-8")):
        assert block[2].startswith(">>> "), block[2]


@pytest.mark.parametrize(
    "page",
    [pytest.param(page, marks=pytest.mark.slow) for page in SLOW]
    + [page for page in PAGES if page not in SLOW],
)
def test_examples_run(page):
    text = only_python((ROOT / page).read_text(encoding="utf-8"))
    examples = doctest.DocTestParser().get_doctest(text, {}, page, str(ROOT / page), 0)
    report = []
    with warnings.catch_warnings():
        doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)


def named(pattern, page):
    return set(pattern.findall((ROOT / page).read_text(encoding="utf-8")))


@pytest.mark.parametrize("page", PAGES)
def test_paths_that_a_page_names_exist(page):
    missing = {path for path in named(NAMED_PATH, page) if not any(ROOT.glob(path))}
    assert not missing


@pytest.mark.parametrize("page", PAGES)
def test_methods_of_the_core_that_a_page_names_exist(page):
    methods = {method for method in named(NAMED_METHOD, page) if "std::" not in method}
    core = "".join(path.read_text() for path in (ROOT / "cpp").rglob("*.?pp"))
    assert not {method for method in methods if f"{method}(" not in core}


def test_how_it_works_names_a_file_for_each_section():
    text = HOW_IT_WORKS.read_text(encoding="utf-8")
    boxes = re.findall(r"^:::\{div\} where\n(.*?)^:::$", text, re.M | re.S)
    assert len(boxes) >= 9
    assert all("**Paper**" in box and NAMED_PATH.search(box) for box in boxes)


def test_the_theory_shows_every_figure_once():
    folder = HOW_IT_WORKS.parent
    drawn = {path.stem for path in (folder / "figures").glob("*.py")} - {"drawing"}
    texts = [path.read_text(encoding="utf-8") for path in folder.glob("*.md")]
    shown = re.findall(
        r"^\.\. plot:: theory/figures/(\w+)\.py$", "\n".join(texts), re.M
    )
    assert sorted(shown) == sorted(drawn)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "examples").glob("plot_*.py")), ids=lambda path: path.stem
)
def test_examples_of_the_gallery_begin_with_a_title(path):
    title, rule = ast.get_docstring(ast.parse(path.read_text("utf-8"))).split("\n")[:2]
    assert rule == "=" * len(title)
