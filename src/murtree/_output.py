"""Files that appear whole or not at all."""

import contextlib
import os
import tempfile
from pathlib import Path


def write_whole(path: str | os.PathLike[str], content: str | bytes) -> None:
    """Write a file under a temporary name beside it, then move it into place.

    Whoever reads it sees the old content or the new one, never a part; after an error
    or Ctrl-C the old one is still there. Text becomes UTF-8. What is no plain file,
    such as a pipe, is written to as it is.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(path)
    if target.exists() and not target.is_file():
        target.write_bytes(data)
        return
    target = target.resolve()  # a link stays one
    handle, name = tempfile.mkstemp(prefix=f".{target.name[:64]}.", dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        Path(name).chmod(_mode(target))
        Path(name).replace(target)
    except BaseException:
        with contextlib.suppress(OSError):
            Path(name).unlink()
        raise


def _mode(target: Path) -> int:
    """Return the permissions of a file, or those that a new one would get."""
    try:
        return target.stat().st_mode & 0o7777
    except OSError:
        mask = os.umask(0)
        os.umask(mask)
        return 0o666 & ~mask
