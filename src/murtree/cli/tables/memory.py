"""The memory that reading a file may take."""

from pathlib import Path

from murtree.cli.tables.error import FileError

SHARE = 0.5  # of the available memory; fitting needs memory too
_CGROUP = Path("/sys/fs/cgroup")


def available_memory() -> int:
    """Return the number of bytes that this process may still allocate.

    Examples
    --------
    >>> available_memory() > 0
    True
    """
    import psutil

    of_machine = int(psutil.virtual_memory().available)
    of_container = _of_container()
    return of_machine if of_container is None else min(of_machine, of_container)


class Budget:
    """The memory that a table may take, fixed before reading.

    Parameters
    ----------
    limit : int or None, default=None
        Bytes; None means `SHARE` of the memory available now.

    Examples
    --------
    >>> Budget(10**6).check(10**5, 50, "data.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    murtree.cli.tables.error.FileError: data.csv is too large: it takes about 5 MB ...
    """

    def __init__(self, limit: int | None = None) -> None:
        self.limit = int(SHARE * available_memory()) if limit is None else limit

    def check(
        self,
        n_rows: float,
        per_row: float,
        name: str,
        *,
        is_sample: bool = False,
        advice: str | None = None,
    ) -> None:
        """Refuse a number of rows, counted or estimated, that needs too much memory.

        Parameters
        ----------
        n_rows : float
            The number of rows.
        per_row : float
            The bytes per row.
        name : str
            The file as messages name it.
        is_sample : bool, default=False
            Whether the rows are a sample.
        advice : str, default=None
            Advice for the message; by default to take a (smaller) sample.
        """
        if n_rows * per_row <= self.limit:
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
    """Return the number rounded down to one digit, at least 1."""
    power: int = 10 ** (len(str(int(number))) - 1)
    return max(int(number) // power * power, 1)


def _of_container() -> int | None:
    """Return the bytes left in a control group (version 2); None without a limit."""
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
