"""Read and write models, and describe them for scripts."""

import math
import signal
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from murtree._model.model import Model
from murtree.cli.errors import Code
from murtree.cli.output import write_file
from murtree.cli.tables import FileError
from murtree.cli.tables.error import meant, shown
from murtree.cli.tables.source import refuse_url

_WORDS = "missing_words"  # a key of the settings of a model
_MOST_BYTES = 2**30  # models are smaller, and memory may be too


def read_model(path: Path) -> Model:
    """Return the model in a file; raise `FileError` if there is none."""
    name = shown(path)[1:-1]
    refuse_url(path)
    try:
        if path.is_file() and path.stat().st_size > _MOST_BYTES:
            raise FileError(f"{name} is too large to be a model.")
        return Model.load(path)
    except FileNotFoundError:
        near = [entry.name for entry in _entries(path.parent) if entry.is_file()]
        raise FileError(
            f"no file {shown(path)}{meant(path.name, near) or '.'}"
        ) from None
    except FileError:
        raise
    except (ValueError, TypeError, RecursionError) as error:
        raise FileError(
            f"{name} is not a model that this version of murtree can read: {error}"
        ) from None


def _entries(folder: Path) -> list[Path]:
    try:
        return sorted(folder.iterdir())
    except OSError:
        return []


def at_size(model: Model, size: int | None, path: Path) -> Model:
    """Return the model with the tree of another size."""
    if size is None:
        return model
    name = shown(path)[1:-1]
    largest = len(model.sizes) - 1
    if not largest:
        raise FileError(
            f"{name} has one size only, {model.tree.n_nodes} nodes: `murtree fit "
            "--frontier` keeps the best tree of every size."
        )
    if not 0 <= size <= largest:
        raise FileError(
            f"--size must be in the range [0, {largest}]. Got {size} instead."
        )
    return replace(model, chosen=size, proof=model.sizes[size].proof)


def with_missing_words(model: Model, words: Sequence[str]) -> Model:
    """Return a model that stores the words for missing values."""
    if not words:
        return model
    return replace(model, settings=model.settings | {_WORDS: list(words)})


def missing_words(model: Model, more: Sequence[str] | None = None) -> list[str]:
    """Return the words for missing values that a model stores, and `more`."""
    kept = model.settings.get(_WORDS, [])
    if not isinstance(kept, list) or not all(isinstance(word, str) for word in kept):
        raise FileError(
            f"the model is damaged: its setting {_WORDS!r} must be a list of text."
        )
    return [*kept, *(more or ())]


def write_files(
    model: Model, files: dict[str, Path | None], picture: bytes = b""
) -> None:
    """Write the model, its report and its plot, once all of them are ready.

    Ctrl-C is ignored meanwhile, so that it does not stop between two files.
    """
    make: dict[str, Callable[[], str | bytes]] = {
        "model": lambda: model.to_json() + "\n",
        "report": lambda: model.report() or "",
        "plot": lambda: picture,
    }
    with _undisturbed():
        contents = [
            (path, make[kind]()) for kind, path in files.items() if path is not None
        ]
        for path, content in contents:
            write_file(path, content)


@contextmanager
def _undisturbed() -> Iterator[None]:
    """Ignore Ctrl-C, so that it does not stop between two files."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def answer_of(model: Model, files: dict[str, Path | None]) -> dict[str, Any]:
    """Return the JSON object that --json prints for a model."""
    proof, size = model.proof, model.sizes[model.chosen]
    gap = None if proof is None or not math.isfinite(proof.gap) else proof.gap
    proven = ("status", "measure", "objective", "lower_bound")
    return {name: getattr(proof, name, None) for name in proven} | {
        "gap": gap,
        "coverage": None if proof is None else str(proof.coverage or ""),
        "teacher": model.teacher,
        "n_nodes": model.tree.n_nodes,
        "depth": model.tree.depth,
        "seconds": getattr(proof, "seconds", None),
        "train_error": size.train_error,
        "validation_error": size.validation_error,
        "files": {kind: str(path) for kind, path in files.items() if path is not None},
    }


def exit_code(model: Model, *, require_proof: bool = False) -> int:
    """Return the exit code for the end of a search."""
    proofs = [model.proof, *(size.proof for size in model.sizes)]
    if any(proof is not None and proof.status == "interrupted" for proof in proofs):
        return int(Code.INTERRUPTED)
    is_proven = model.proof is not None and model.proof.is_complete
    return int(Code.OK if is_proven or not require_proof else Code.NOT_PROVEN)
