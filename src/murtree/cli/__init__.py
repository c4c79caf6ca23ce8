"""The command line ``murtree``: fit, look at, use and export trees without Python.

What it needs beside the library is the extra `cli`. Nothing heavy is imported
before a command that needs it runs, so that help and completion come at once.
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
        What stands behind ``murtree``; by default that of the process.

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
    except KeyboardInterrupt:  # while modules are imported: nothing has begun
        sys.exit(130)


def _exit_code(arguments: Sequence[str]) -> int:
    _fill_closed_streams()
    said = ""
    if sys.stdout is None:
        said = "standard output is closed"
    elif not all(map(importlib.util.find_spec, NEEDED)):
        needed = f"{', '.join(NEEDED[:-1])} and {NEEDED[-1]}"
        said = f"the command line needs {needed}: install them (the extra 'cli')"
    if said:
        sys.stderr.write(f"error: {said}\n")
        return 2
    from murtree.cli.app import run

    return run(arguments)


def _fill_closed_streams() -> None:
    """Open the null device for closed streams, so that no file takes their place."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free
    if sys.stderr is None:
        sys.stderr = os.fdopen(2, "w", closefd=False)
