"""Format times, costs and shares of a search."""

import math
from collections.abc import Callable

from murtree._solver.result import Progress
from murtree._table.predicate_text import number_text


def best_text(progress: Progress, best: str = "best") -> str:
    """Return the cost of the best tree so far and the proven bound.

    Examples
    --------
    >>> best_text(Progress(8.0, 12, 7, 0.42, share=0.41, tree=None))
    'best 12 errors (proven: at least 7)'
    """
    if progress.objective is None:
        return "no tree yet"
    return f"{best} {cost_text(progress.objective, progress.lower_bound)}"


def cost_text(objective: float, lower_bound: float) -> str:
    """Return the cost of a tree and the proven bound for all trees.

    Examples
    --------
    >>> cost_text(1, 0), cost_text(0.25, 0.125), cost_text(12, 12)
    ('1 error', '0.25 (proven: at least 0.125)', '12 errors')
    """
    cost = number_text(objective)
    if isinstance(objective, int):  # other objectives have other units
        cost += " error" if objective == 1 else " errors"
    is_known = 0 < lower_bound < objective
    return f"{cost} (proven: at least {number_text(lower_bound)})" if is_known else cost


def share_text(share: float) -> str:
    """Return the share of a search as text; empty if it is not known.

    Examples
    --------
    >>> share_text(0.418), share_text(0.0)
    ('41%', '')
    """
    return f"{math.floor(100 * share)}%" if share > 0.0 else ""


def duration(seconds: float) -> str:
    """Return a time in the format of a stopwatch.

    Examples
    --------
    >>> duration(0.0312), duration(1.234), duration(75), duration(7300)
    ('31 ms', '1.2 s', '1:15 min', '2:01 h')
    """
    if seconds < 60:
        return f"{seconds:.1f} s" if seconds >= 0.95 else f"{1000 * seconds:.0f} ms"
    minutes = int(seconds) // 60
    if minutes < 60:
        return f"{minutes}:{int(seconds) % 60:02} min"
    return f"{minutes // 60}:{minutes % 60:02} h"


def about_left(seconds: float) -> str:
    """Return the estimated time left as text.

    Examples
    --------
    >>> about_left(0.2), about_left(13.0), about_left(150.0), about_left(9000.0)
    ('about 1 s left', 'about 15 s left', 'about 2:30 min left', 'about 2 h left')
    """
    return f"about {_rounded(seconds, round)} left"


def at_most_left(seconds: float) -> str:
    """Return the maximum time left as text."""
    return f"at most {_rounded(seconds, math.ceil)} left"


def _rounded(seconds: float, rounding: Callable[[float], int]) -> str:
    """Return a time with one or two digits, since it is an estimate."""
    for most, step in ((10, 1), (60, 5), (600, 10), (7200, 60)):
        whole = max(rounding(seconds / step), 1) * step
        if whole < most:
            break
    else:
        return f"{max(rounding(seconds / 3600), 2)} h"
    if whole < 60:
        return f"{whole} s"
    return f"{whole // 60} min" if step == 60 else f"{whole // 60}:{whole % 60:02} min"
