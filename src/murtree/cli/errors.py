"""What goes wrong, in one line on stderr, and the exit code that tells scripts.

The only place that turns exceptions into words: commands raise, and print nothing.
"""

import errno
import os
import re
import sys
from collections.abc import Callable
from enum import IntEnum

import typer

from murtree.cli import output_files
from murtree.cli.format import one_line

DEBUG = "MURTREE_DEBUG"  # set to anything: tracebacks instead of one line
_NO_NUMBER = re.compile(  # in the words of those who read the options
    r"Invalid value for '([^']+)': Input should be a valid (number|integer).*"
)
_KINDS = {"number": "a number", "integer": "a whole number"}
_OPTIONS = {  # by the parameter, where the names differ
    "max_num_nodes": "--max-nodes",
    "forbidden_features": "--forbid",
}
_MENTIONED = re.compile("'(max_depth|max_num_nodes|cost_complexity)'")
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Code(IntEnum):
    """How a command ended."""

    OK = 0
    BAD_INPUT = 2
    NOT_PROVEN = 3  # with --require-proof
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141  # as other programs end when nobody reads on


def exit_code_of(command: Callable[[], int]) -> int:
    """Run a command; whatever it raises becomes one line and an exit code."""
    try:
        code = command()
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        return _forget_stdout()
    except KeyboardInterrupt:
        said = output_files.so_far() or "No file was written."
        return _fail(f"interrupted. {said}", Code.INTERRUPTED)
    except typer.Exit as ended:
        return ended.exit_code
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        said, fault = _said(error)
        return _fail(f"{said} {output_files.so_far()}", fault)


def _said(error: Exception) -> tuple[str, Code]:
    """Return the message of an exception, and whose fault it is."""
    if isinstance(error, typer.TyperException):
        return _usage_text(error), Code.BAD_INPUT
    if isinstance(error, MemoryError):
        advice = "read fewer rows with --sample, or fewer columns with --columns."
        return f"not enough memory: {advice}", Code.BAD_INPUT
    if isinstance(error, OSError):
        return _of_system(error), Code.BAD_INPUT
    is_users = isinstance(error, ValueError | ImportError) or (
        isinstance(error, TypeError) and _is_of_library(error)
    )
    if is_users:
        return as_option(error), Code.BAD_INPUT
    name = type(error).__name__
    advice = f"This is a bug: run again with {DEBUG}=1 for the traceback."
    return f"{name}: {error}. {advice}", Code.BUG


def _usage_text(error: typer.TyperException) -> str:
    """Return what is wrong with the words of a command, and where it says more."""
    said = error.format_message().rstrip(".").replace("Value error, ", "")
    said = _NO_NUMBER.sub(lambda m: f"{m[1]} must be {_KINDS[m[2]]}", said)
    end = "" if said.endswith("?") else "."
    context = getattr(error, "ctx", None)
    command = "murtree" if context is None else context.command_path
    return f"{said[:1].lower()}{said[1:]}{end} See: {command} --help"


def _of_system(error: OSError) -> str:
    """Return what the system says, with the file that it is about."""
    reason = error.strerror or str(error) or type(error).__name__
    name = "" if error.filename is None else f"{error.filename}: "
    if error.filename is None and error.errno in _OF_WRITING:
        name = "standard output: "  # files are named
    return f"{name}{reason[:1].lower()}{reason[1:]}."


def _is_of_library(error: TypeError) -> bool:
    """Whether murtree or scikit-learn raised it: then about what they were given."""
    trace = error.__traceback__
    name = ""
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    is_ours = name.startswith("murtree.") and not name.startswith("murtree.cli")
    return is_ours or name.startswith("sklearn.")


def as_option(error: Exception) -> str:
    """Return a message of the library, with options instead of parameters."""
    from murtree._input.parameters import ParameterError  # NumPy comes with it

    if not isinstance(error, ParameterError):
        return str(error)
    requirement = _MENTIONED.sub(lambda name: _option_of(name[1]), error.requirement)
    return f"{_option_of(error.parameter)} {requirement}"


def _option_of(parameter: str) -> str:
    """Return the option for a parameter of an estimator."""
    return _OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


def _fail(message: str, code: Code) -> int:
    try:
        sys.stderr.write(f"error: {one_line(message)}\n")
        sys.stderr.flush()
    except OSError:  # nobody listens there either
        pass
    return int(code)


def _forget_stdout() -> int:
    """Keep the interpreter from writing what is left when it ends."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return int(Code.BROKEN_PIPE)
