"""Every Python block in the README and the docs runs and gives what it says."""

import doctest
import re
import warnings
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [ROOT / "README.md", *(ROOT / "docs").rglob("*.md")]
)
FENCE = re.compile(r"^```(\w*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PYTHON = {"python", "py", "pycon", "python3"}


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


@pytest.mark.parametrize("page", PAGES)
def test_examples_run(page):
    text = only_python((ROOT / page).read_text(encoding="utf-8"))
    examples = doctest.DocTestParser().get_doctest(text, {}, page, str(ROOT / page), 0)
    report = []
    with warnings.catch_warnings():
        doctest.DocTestRunner().run(examples, out=report.append)
    assert not report, "".join(report)
