"""Every console example of the docs and the README prints the output shown."""

import re
import shlex
from pathlib import Path

import pytest
from cli.tools import run
from repository import ROOT
from sklearn.datasets import load_breast_cancer

PAGE = ROOT / "docs" / "cli.md"
README = ROOT / "README.md"
BLOCK = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)
TIME = re.compile(r'(?<="seconds": )[0-9.e-]+|\d+(?:\.\d+)? (?:ms|s)\b')


def examples(text):
    """Yield the commands of a page with their expected output."""
    for block in BLOCK.findall(text):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            n_lines = 1
            while True:  # a quoted program may have several lines
                try:
                    words = shlex.split("\n".join(lines[:n_lines]))
                    break
                except ValueError:
                    n_lines += 1
            yield words, "\n".join(line.rstrip() for line in lines[n_lines:])


def printed(words):
    """Return the output of a command run as in a shell."""
    if words[:2] == ["python", "-c"]:
        exec(words[2], {})
        return ""
    if words[0] == "head":
        lines = Path(words[2]).read_text(encoding="utf-8").splitlines()
        return "\n".join(lines[: int(words[1].removeprefix("-"))])
    assert words[0] == "murtree"
    done = run(*words[1:])
    return "\n".join(line.rstrip() for line in (done.out + done.err).splitlines())


@pytest.mark.parametrize(("page", "least"), [(PAGE, 9), (README, 1)])
def test_console_blocks_give_their_output(page, least, tmp_path, monkeypatch):
    folder = tmp_path / "build" / "demo"
    _table_of_the_demo(folder)
    monkeypatch.chdir(folder)
    found = list(examples(page.read_text(encoding="utf-8")))
    assert len(found) >= least
    for words, shown in found:
        assert TIME.sub("T", printed(words)) == TIME.sub("T", shown), words


def _table_of_the_demo(folder):
    data = load_breast_cancer(as_frame=True)
    folder.mkdir(parents=True)
    table = data.data.assign(diagnosis=data.target_names[data.target])
    table.to_csv(folder / "breast_cancer.csv", index=False)
