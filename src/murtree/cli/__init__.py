"""The command line ``murtree``: fit, look at, use and export trees without Python.

What it needs beside the library is an extra, `murtree[cli]`. Nothing heavy is imported
before a command that needs it runs, so that help and completion come at once.
"""

import importlib.util
import sys
from collections.abc import Sequence

NEEDED = ("typer", "rich", "pandas")


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
    if not all(map(importlib.util.find_spec, NEEDED)):
        sys.stderr.write("error: the command line needs: pip install 'murtree[cli]'\n")
        sys.exit(2)
    from murtree.cli.app import run

    sys.exit(run(sys.argv[1:] if arguments is None else arguments))
