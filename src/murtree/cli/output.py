"""Output of commands: results on stdout, notes and progress on stderr, and files.

With --json, stdout has one JSON object and nothing else. Names are never markup. Files
are checked before any work, and written completely or not at all.
"""

import importlib.util
import io
import json
import os
import re
import shlex
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple, Self, TextIO, cast

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

LOOKS_LIKE = "Column .* holds texts that look like"
_IN_PYTHON = re.compile(r"forbidden_features=\[('[^']*')\]")  # in messages


class Symbols(NamedTuple):
    """Characters that draw trees and bars."""

    fork: str = "├─ "
    last: str = "└─ "
    line: str = "│  "
    full: str = "█"
    rest: str = "░"
    more: str = "…"
    plus_minus: str = "±"


ASCII = Symbols("|- ", "`- ", "|  ", "#", ".", "...", "+-")
STDOUT = Path("-")
STDIN = "-"
written: list[Path] = []  # by this command; `STDOUT` if it has a part of the output


class _Screen(Console):
    """A console that does not handle closed pipes itself."""

    def on_broken_pipe(self) -> None:
        """Raise the current error again, where rich would end the process."""
        raise  # noqa: PLE0704 - called from its handler


class Output:
    """The two streams of a command.

    Parameters
    ----------
    as_json : bool, default=False
        Whether stdout gets one JSON object.
    quiet : bool, default=False
        Whether only errors are printed.
    no_color : bool, default=False
        Whether to print without colours, like the environment variable NO_COLOR.
    """

    def __init__(
        self, *, as_json: bool = False, quiet: bool = False, no_color: bool = False
    ) -> None:
        self.as_json = as_json
        self.quiet = quiet
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):  # for names in other encodings
                stream.reconfigure(errors="backslashreplace")
        self.out = _console(sys.stdout, no_color)
        self.err = _console(sys.stderr, no_color)
        self.symbols = Symbols() if _shows(sys.stdout, Symbols()) else ASCII
        self._noted: set[str] = set()

    @classmethod
    def of(cls, options: Any) -> Self:
        """Return the output of a command with these options."""
        return cls(
            as_json=options.as_json, quiet=options.quiet, no_color=options.no_color
        )

    @property
    def is_for_people(self) -> bool:
        """Whether people read stdout."""
        return not (self.as_json or self.quiet)

    def say(self, *parts: RenderableType) -> None:
        """Print text for people, wrapped between words."""
        if self.is_for_people:
            self.out.print(*parts, soft_wrap=not self.out.is_terminal)

    def draw(self, *parts: RenderableType) -> None:
        """Print text for people that is laid out for the width of the terminal."""
        if self.is_for_people:
            self.out.print(*parts)

    def say_path(self, text: str) -> None:
        """Print a line with a file name, never wrapped: it may be copied."""
        if self.is_for_people:
            self.out.print(text, soft_wrap=True)

    def note(self, message: object) -> None:
        """Print a note to stderr, each text once."""
        text = one_line(message)
        if self.quiet or text in self._noted:
            return
        self._noted.add(text)
        self.err.print(f"note: {text}", soft_wrap=not self.err.is_terminal)

    def answer(self, data: dict[str, Any]) -> None:
        """Write the JSON object, with --json only."""
        if self.as_json:
            write_text(json.dumps(data, ensure_ascii=False, allow_nan=False) + "\n")

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """Show the library's warnings as notes, without file names and categories."""

        def show(message: Warning | str, *_: Any, **__: Any) -> None:
            self.note(_IN_PYTHON.sub(r"--forbid \1", str(message)))

        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("always", UserWarning)  # for users
            warnings.filterwarnings("ignore", LOOKS_LIKE)  # reading the file notes it
            warnings.showwarning = cast(Any, show)
            yield


def plain_table(
    columns: dict[str, str], rows: list[list[str]], chosen: int = -1
) -> Table:
    """Return a table; `columns` maps headings to their alignment."""
    table = Table(box=None, padding=(0, 2, 0, 0), pad_edge=False, header_style="bold")
    for name, side in columns.items():
        table.add_column(name, justify="right" if side == "right" else "left")
    for index, row in enumerate(rows):
        table.add_row(*map(Text, row), style="bold green" if index == chosen else None)
    return table


def write_text(text: str) -> None:
    """Write to stdout without wrapping or colours."""
    sys.stdout.write(text)
    sys.stdout.flush()


def _console(stream: TextIO, no_color: bool) -> Console:
    return _Screen(
        file=stream,
        no_color=no_color or None,
        highlight=False,
        markup=False,
        emoji=False,
    )


def _shows(stream: TextIO, symbols: Symbols) -> bool:
    encoding = getattr(stream, "encoding", None) or "utf-8"
    try:
        "".join(symbols).encode(encoding)
    except (LookupError, UnicodeEncodeError):
        return False
    return True


def one_line(text: object) -> str:
    r"""Return a text on one line, without escape codes.

    Examples
    --------
    >>> one_line("two\n  lines")
    'two lines'
    """
    from murtree._table.predicate_text import printable  # imports NumPy

    return printable(" ".join(str(text).split()))


def count(number: int, unit: str, units: str = "") -> str:
    """Return a number with its unit.

    Examples
    --------
    >>> count(1, "row"), count(1200, "row"), count(0, "class", "classes")
    ('1 row', '1,200 rows', 'no classes')
    """
    plural = units or f"{unit}s"
    if number == 0:
        return f"no {plural}"
    return f"{number:,} {unit if number == 1 else plural}"


def path_text(path: str | os.PathLike[str]) -> str:
    """Return a file name as printable text, quoted for a shell."""
    text = os.fspath(path)
    return shlex.quote(text) if text.isprintable() else repr(text)


def check_outputs(inputs: list[Path | None], outputs: list[Path | None]) -> None:
    """Refuse files that cannot be written or must not be replaced."""
    from murtree.cli.tables.error import FileError, shown

    given = [path for path in outputs if path is not None]
    if STDOUT in given:
        raise FileError("cannot write to '-': give the name of a file.")
    for index, path in enumerate(given):
        _check_output(path)
        for other in (*inputs, *given[:index]):
            if other is not None and _is_same(path, other):
                raise FileError(
                    f"{shown(path)} is read or written by this command already: give "
                    "another name."
                )


def _check_output(path: Path) -> None:
    from murtree.cli.tables.error import FileError, shown

    folder = path.parent
    if path.is_dir():
        raise FileError(f"cannot write to {shown(path)}: it is a folder.")
    if not folder.is_dir():
        raise FileError(
            f"cannot write {shown(path)}: there is no folder {shown(folder)}."
        )
    is_plain = path.is_file() or not path.exists()
    if not os.access(folder if is_plain else path, os.W_OK):
        raise FileError(f"no permission to write {shown(path)}.")


def _is_same(path: Path, other: Path) -> bool:
    """Return whether two names are of one file, by a link or as standard input, too."""
    try:
        if path.exists() and not path.is_file():
            return False  # such as /dev/null
        if str(other) == STDIN:
            return path.exists() and os.path.samestat(path.stat(), os.fstat(0))
        if path.exists() and other.exists():
            return path.samefile(other)
        return path.resolve() == other.resolve()
    except OSError:
        return False


def check_installed(module: str, option: str, extra: str) -> None:
    """Refuse an option that needs a missing package."""
    if importlib.util.find_spec(module) is None:
        raise ImportError(f"{option} needs {module}: install it (the extra '{extra}')")


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Record a file as written; on failure, add its name to the error."""
    try:
        yield
    except OSError as error:
        error.filename = str(path)
        raise
    written.append(path)


def write_file(path: Path, content: str | bytes) -> None:
    """Write a file completely or not at all."""
    from murtree._input.atomic_write import write_whole

    with writing(path):
        write_whole(path, content)


def so_far() -> str:
    """Return a sentence about the output before a failure; '' if there is none."""
    files = [path_text(path) for path in written if path != STDOUT]
    if files:
        verb = "was" if len(files) == 1 else "were"
        return f"{' and '.join(files)} {verb} written."
    return "The output is not complete." if written else ""
