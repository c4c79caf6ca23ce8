"""Provably optimal decision trees.

`OptimalTreeClassifier` and `OptimalTreeRegressor` are scikit-learn estimators for any
table; `Solver` answers questions about 0/1 data. They implement MurTree (Demirović et
al., JMLR 23, 2022).

Names are imported when they are first asked for: scikit-learn takes a second or more to
import, which the command line must not spend on its help. They are listed once, in
``__init__.pyi``, which type checkers read too.
"""

import ast
import importlib
import threading
from pathlib import Path
from typing import Any

from murtree._version import __version__ as __version__

_imports = [
    line
    for line in ast.parse(Path(__file__).with_suffix(".pyi").read_bytes()).body
    if isinstance(line, ast.ImportFrom)
]
_homes = {name.name: str(line.module) for line in _imports for name in line.names}
__all__ = [name for name in sorted(_homes) if name != "__version__"]
_importing = threading.RLock()


def __getattr__(name: str) -> Any:
    """Import a public name, and keep it."""
    if name not in _homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # One at a time: threads that import scikit-learn from several ends at once
    # find it half there.
    with _importing:
        home = _homes[name]
        if home == "murtree":
            globals()[name] = importlib.import_module(f"murtree.{name}")
        else:
            globals()[name] = getattr(importlib.import_module(home), name)
    return globals()[name]


def __dir__() -> list[str]:
    """List the public names, imported or not."""
    return sorted({*globals(), *__all__})
