"""Provably optimal decision trees.

`OptimalTreeClassifier` and `OptimalTreeRegressor` are scikit-learn estimators for any
table; `Solver` works on 0/1 data directly. They implement MurTree (Demirović et al.,
JMLR 23, 2022).

Public names are imported on first access, because importing scikit-learn takes a second
or more and the command line does not need it for its help. They are listed in
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
    """Import a public name on first access."""
    if name not in _homes:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # Threads that import parts of scikit-learn concurrently can see partially
    # initialized modules.
    with _importing:
        home = _homes[name]
        if home == "murtree":
            globals()[name] = importlib.import_module(f"murtree.{name}")
        else:
            globals()[name] = getattr(importlib.import_module(home), name)
    return globals()[name]


def __dir__() -> list[str]:
    """Return all public names, imported or not."""
    return sorted({*globals(), *__all__})
