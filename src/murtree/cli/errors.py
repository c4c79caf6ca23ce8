"""Error messages, one line on stderr, and exit codes.

Commands raise exceptions and print no errors; this module makes messages of them.
"""

import errno
import os
import re
import sys
from enum import IntEnum

import typer

from murtree.cli.output import one_line

DEBUG = "MURTREE_DEBUG"  # if set, errors are printed with tracebacks
_NO_NUMBER = re.compile(  # messages of the parser of options
    r"Invalid value for '([^']+)': Input should be a valid (number|integer).*"
)
_KINDS = {"number": "a number", "integer": "a whole number"}
_OPTIONS = {  # by parameter, where the names differ
    "max_num_nodes": "--max-nodes",
    "forbidden_features": "--forbid",
}
_MENTIONED = re.compile("'(max_depth|max_num_nodes|cost_complexity)'")
_OF_WRITING = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


class Code(IntEnum):
    """Exit codes of commands."""

    OK = 0
    BAD_INPUT = 2
    NOT_PROVEN = 3  # with --require-proof
    BUG = 70
    INTERRUPTED = 130
    BROKEN_PIPE = 141  # as other programs, when the reader closes the pipe


def described(error: Exception) -> tuple[str, Code]:
    """Return the message of an exception, and its exit code."""
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
    """Return a message about a wrong command line, with the command for help."""
    text = error.format_message().rstrip(".").replace("Value error, ", "")
    text = _NO_NUMBER.sub(lambda m: f"{m[1]} must be {_KINDS[m[2]]}", text)
    end = "" if text.endswith("?") else "."
    context = getattr(error, "ctx", None)
    command = "murtree" if context is None else context.command_path
    return f"{text[:1].lower()}{text[1:]}{end} See: {command} --help"


def _of_system(error: OSError) -> str:
    """Return the message of the operating system, with the file name."""
    reason = error.strerror or str(error) or type(error).__name__
    name = "" if error.filename is None else f"{error.filename}: "
    if error.filename is None and error.errno in _OF_WRITING:
        name = "standard output: "  # errors of files have a name
    return f"{name}{reason[:1].lower()}{reason[1:]}."


def _is_of_library(error: TypeError) -> bool:
    """Return whether murtree or scikit-learn raised it, about an argument."""
    trace = error.__traceback__
    name = ""
    while trace is not None:
        name = trace.tb_frame.f_globals.get("__name__", "")
        trace = trace.tb_next
    is_ours = name.startswith("murtree.") and not name.startswith("murtree.cli")
    return is_ours or name.startswith("sklearn.")


def as_option(error: Exception) -> str:
    """Return a message of the library, with options instead of parameters."""
    from murtree._input.parameters import ParameterError  # imports NumPy

    if not isinstance(error, ParameterError):
        return str(error)
    requirement = _MENTIONED.sub(lambda name: _option_of(name[1]), error.requirement)
    return f"{_option_of(error.parameter)} {requirement}"


def _option_of(parameter: str) -> str:
    """Return the option for a parameter of an estimator."""
    return _OPTIONS.get(parameter, f"--{parameter.replace('_', '-')}")


def fail(message: str, code: Code) -> int:
    """Print an error and return its exit code."""
    try:
        sys.stderr.write(f"error: {one_line(message)}\n")
        sys.stderr.flush()
    except OSError:  # stderr is closed too
        pass
    return int(code)


def close_stdout() -> int:
    """Discard buffered output, which Python would write at exit to a closed pipe."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, sys.stdout.fileno())
    os.close(nowhere)
    return int(Code.BROKEN_PIPE)
