"""The command line ``murtree``: fit, show, use and export trees without Python.

It needs the packages of the extra `cli`. Large packages are imported only by the
commands that need them, so that help and completion are fast.
"""

import importlib.util
import os
import sys
from collections.abc import Sequence

NEEDED = ("typer", "rich", "pandas", "pyarrow", "psutil")


def main(arguments: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    Parameters
    ----------
    arguments : sequence of str, default=None
        The arguments after ``murtree``; by default those of the process.

    Examples
    --------
    >>> from murtree.cli import main
    >>> try:
    ...     main(["--version"])
    ... except SystemExit as end:
    ...     print("exit code", end.code)
    murtree 0.1.0
    exit code 0
    """
    try:
        sys.exit(_exit_code(sys.argv[1:] if arguments is None else arguments))
    except KeyboardInterrupt:  # during imports: there is nothing to report
        sys.exit(130)


def _exit_code(arguments: Sequence[str]) -> int:
    _fill_closed_streams()
    problem = ""
    if sys.stdout is None:
        problem = "standard output is closed"
    elif not all(map(importlib.util.find_spec, NEEDED)):
        needed = f"{', '.join(NEEDED[:-1])} and {NEEDED[-1]}"
        problem = f"the command line needs {needed}: install them (the extra 'cli')"
    if problem:
        sys.stderr.write(f"error: {problem}\n")
        return 2
    from murtree.cli.app import run

    return run(arguments)


def _fill_closed_streams() -> None:
    """Open the null device for closed streams, so that no file gets their numbers."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest free number
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
