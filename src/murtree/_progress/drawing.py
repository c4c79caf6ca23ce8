"""Draw progress with rich: in a notebook or a terminal, or as lines of a file."""

import importlib
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from rich.console import Console
from rich.live import Live
from rich.progress_bar import ProgressBar
from rich.table import Table
from rich.text import Text

WIDTH = 24  # characters of a bar, if there is room
DONE, REST = "#009E73", "#A0A0A0"  # visible on black and on white


@dataclass(frozen=True)
class Drawing:
    """Functions that update an output, and that end it."""

    refresh: Callable[[], object]
    stop: Callable[[], object] = lambda: None


def bar_with_text(share: float, text: str) -> Table:
    """Return a bar followed by text; the bar shrinks if there is little room."""
    row = Table.grid(padding=(0, 1, 0, 0))
    row.add_column(max_width=WIDTH)
    row.add_column(no_wrap=True, overflow="ellipsis")
    bar = ProgressBar(1.0, share, style=REST, complete_style=DONE, finished_style=DONE)
    row.add_row(bar, Text(text))
    return row


def drawing_for(file: Any, state: Callable[[], tuple[float, str]]) -> Drawing | None:
    """Return the output for a share and a text; None if nobody would see it."""
    if file is not None:
        plain = Console(file=file, highlight=False, markup=False, emoji=False)
        return Drawing(lambda: plain.print(state()[1], soft_wrap=True))
    if _is_notebook():
        display = importlib.import_module("IPython.display").display
        handle = display(bar_with_text(*state()), display_id=True)
        return Drawing(lambda: handle.update(bar_with_text(*state())))
    console = Console(stderr=True)
    if not console.is_terminal:
        return None
    live = Live(
        console=console,
        get_renderable=lambda: bar_with_text(*state()),
        auto_refresh=False,
        redirect_stdout=False,
        redirect_stderr=False,
    )
    live.start()
    return Drawing(live.refresh, live.stop)


def _is_notebook() -> bool:
    ipython = sys.modules.get("IPython")
    shell = None if ipython is None else ipython.get_ipython()
    kinds = {kind.__name__ for kind in type(shell).__mro__}
    return shell is not None and "TerminalInteractiveShell" not in kinds
