"""How much memory reading a file may take, and what to do about a larger one."""

import os
import re
from pathlib import Path

from murtree.cli.tables.error import FileError

SHARE = 0.5  # of the available memory: fitting needs some too
_MEMINFO = Path("/proc/meminfo")
_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int | None:
    """Return the bytes that this process may still take; None where nobody says.

    Examples
    --------
    >>> memory = available_memory()
    >>> memory is None or memory > 0
    True
    """
    found = [size for size in (_of_machine(), _of_container()) if size is not None]
    return min(found) if found else None


class Budget:
    """The memory that a table may take, as it was before reading began.

    Parameters
    ----------
    limit : int or None, default=None
        Bytes; None means `SHARE` of what is available now.

    Examples
    --------
    >>> Budget(10**6).check(10**5, 50, "data.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    murtree.cli.tables.error.FileError: data.csv is too large: it takes about 5 MB ...
    """

    def __init__(self, limit: int | None = None) -> None:
        available = available_memory()
        if limit is None and available is not None:
            limit = int(SHARE * available)
        self.limit = limit

    def check(
        self,
        n_rows: float,
        per_row: float,
        name: str,
        *,
        is_sample: bool = False,
        advice: str | None = None,
    ) -> None:
        """Refuse rows, counted or estimated, that take too much memory.

        Parameters
        ----------
        n_rows : float
            How many there are.
        per_row : float
            The bytes that each of them takes.
        name : str
            The file as messages name it.
        is_sample : bool, default=False
            Whether they are a sample already.
        advice : str, default=None
            What to do; None means: take a (smaller) sample, or fewer columns.
        """
        if self.limit is None or n_rows * per_row <= self.limit:
            return
        fits = _round_number(min(self.limit / per_row, 1e6))
        fewer = f"--sample {fits} reads so many random rows in one pass"
        if is_sample:
            fewer = f"Take a smaller one, as by --sample {fits}"
        advice = advice or f"{fewer}; --columns reads some columns only"
        raise FileError(
            f"{name} is too large: {'the sample' if is_sample else 'it'} takes about "
            f"{_size(n_rows * per_row)} of memory, and {_size(self.limit)} may be used."
            f" {advice}."
        )


def _round_number(number: float) -> int:
    """Return a round number that is not larger, and at least one."""
    power: int = 10 ** (len(str(int(number))) - 1)
    return max(int(number) // power * power, 1)


def _of_machine() -> int | None:
    try:
        match = re.search(r"MemAvailable:\s+(\d+) kB", _MEMINFO.read_text())
        if match:
            return int(match[1]) * 1024
        return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return _installed()


def _installed() -> int | None:
    """Return half of the memory of a machine that does not say what is available."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE") // 2
    except (AttributeError, OSError, ValueError):
        return None


def _of_container() -> int | None:
    """Return what a control group (version 2) leaves; None where it sets no limit."""
    try:
        most = (_CGROUP / "memory.max").read_text().strip()
        used = int((_CGROUP / "memory.current").read_text())
        return max(int(most) - used, 0)
    except (OSError, ValueError):  # no group, or "max"
        return None


def _size(n_bytes: float) -> str:
    for unit in ("bytes", "kB", "MB"):
        if n_bytes < 1000:
            return f"{n_bytes:.3g} {unit}"
        n_bytes /= 1000
    return f"{n_bytes:.1f} GB"
