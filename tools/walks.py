"""Count the modules that typical calls pass through, and the jumps between them.

A walk lists the functions of the package in the order in which they are first called,
after all imports. A jump leads from a function of one module to a function of another
module; a return is a jump to a module that was left before. Comprehensions, generator
expressions and lambdas are functions too. Python 3.12 and newer runs comprehensions as
part of the function around them, so its counts can only be lower.

    python tools/walks.py          # the table
    python tools/walks.py fit      # one walk, function by function
"""

import argparse
import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from itertools import groupby
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

import murtree
from murtree import OptimalTreeClassifier, OptimalTreeClassifierCV, export_sql
from murtree.cli import main as cli

ROOT = Path(murtree.__file__).parent


class Step(NamedTuple):
    """The first call of a function."""

    module: str
    function: str


class Counts(NamedTuple):
    """The number of modules of a walk, and of jumps between them."""

    modules: int
    jumps: int

    @property
    def returns(self) -> int:
        """The number of jumps to a module that was left before."""
        return self.jumps - (self.modules - 1)


def first_calls(call: Callable[[], Any]) -> list[Step]:
    """Return the functions of the package that a call runs, each once."""
    steps, seen = [], set()

    def on_event(frame: FrameType, event: str, _: Any) -> None:
        code = frame.f_code
        if event != "call" or code in seen:
            return
        seen.add(code)
        file = Path(code.co_filename)
        if file.is_relative_to(ROOT):
            module = ".".join(file.relative_to(ROOT).with_suffix("").parts)
            steps.append(Step(module, code.co_qualname))

    sys.setprofile(on_event)
    try:
        call()
    finally:
        sys.setprofile(None)
    return steps


def counts(steps: list[Step], *, by_package: bool = False) -> Counts:
    """Return the number of modules in a walk and of jumps between them."""
    names = [
        step.module.split(".", 1)[0] if by_package else step.module for step in steps
    ]
    visits = [name for name, _ in groupby(names)]
    return Counts(len(set(visits)), len(visits) - 1)


def walks(folder: Path) -> dict[str, Callable[[], Any]]:
    """Return five typical calls by name; they write files to `folder`."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"a": rng.normal(size=60), "c": rng.choice(["x", "y", "z"], 60)})
    y = (X["a"] > 0).to_numpy().astype(int)
    table, page = folder / "table.csv", folder / "page.html"
    X.assign(y=y).to_csv(table, index=False)
    classifier = OptimalTreeClassifier(max_depth=2)
    command = f"fit {table} -t y --max-depth 2 --report {page}"

    def run_command() -> None:
        with contextlib.suppress(SystemExit):
            cli(command.split())

    return {
        "fit": lambda: classifier.fit(X, y),
        "predict": lambda: classifier.predict(X),
        "murtree fit --report": run_command,
        "cross-validation": lambda: OptimalTreeClassifierCV(max_depth=2).fit(X, y),
        "export to SQL": lambda: export_sql(classifier),
    }


def measured() -> dict[str, list[Step]]:
    """Return the steps of all walks; a first run does the imports."""
    with tempfile.TemporaryDirectory() as folder:
        calls = walks(Path(folder))
        silent = contextlib.redirect_stdout(io.StringIO())
        with silent, contextlib.redirect_stderr(io.StringIO()):
            for call in calls.values():
                call()
            return {name: first_calls(call) for name, call in calls.items()}


def main() -> None:
    """Print the table, and the steps of one walk if it is named."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("walk", nargs="?", help="how the name of a walk starts")
    wanted = parser.parse_args().walk
    print(f"{'walk':22} modules  jumps  returns | packages  jumps")
    for name, steps in measured().items():
        files, packages = counts(steps), counts(steps, by_package=True)
        print(
            f"{name:22} {files.modules:7} {files.jumps:6} {files.returns:8} | "
            f"{packages.modules:8} {packages.jumps:6}"
        )
        if wanted and name.startswith(wanted):
            for module, visit in groupby(steps, key=lambda step: step.module):
                print(f"  {module}:", ", ".join(step.function for step in visit))


if __name__ == "__main__":
    main()
