"""The proof and the errors of a model in words."""

from rich.text import Text

from murtree._model.losses import SHOWN_NAMES, r_squared, shown_error, training_spread
from murtree._model.model import Model
from murtree._model.proof import Proof
from murtree._table.predicate_text import number_text
from murtree.cli.format import count, percent


def proof_text(proof: Proof | None) -> Text:
    """Return what is known of a tree, green where that is a proof."""
    if proof is None:
        return Text("Nothing is known about other trees.", style="yellow")
    head, _, rest = proof.line.partition(":")
    covers = "" if proof.coverage is None else f"\n{proof.coverage}"
    colour = "green" if proof.is_complete else "yellow"
    return Text.assemble((head, f"bold {colour}"), f":{rest}{covers}")


def error_text(error: float | None, loss: str) -> str:
    """Write a mean error: a share in classification, else a number."""
    shown = shown_error(error, loss)
    if shown is None:
        return "unknown"
    return percent(shown) if loss == "misclassified" else number_text(shown)


def errors_line(model: Model) -> str:
    """Return the errors of a model in training and validation."""
    size = model.sizes[model.chosen]
    error = error_text(size.train_error, model.loss)
    weighted = " by weight" if model.is_weighted else ""
    name = SHOWN_NAMES[model.loss].removesuffix(" share")
    spread = training_spread(size.tree, size.train_error)
    details = ", ".join(_explained(model, size.train_error, spread))
    said = f"{name}: training {error}{weighted}" + (f" ({details})" if details else "")
    if size.validation_error is None:
        return said
    error = error_text(size.validation_error, model.loss)
    explained = _explained(model, size.validation_error, model.validation_spread)
    details = ", ".join([*explained, count(model.n_validation, "row")])
    return f"{said}, validation {error} ({details})"


def _explained(model: Model, error: float | None, spread: float | None) -> list[str]:
    share = r_squared(error, spread) if model.loss == "squared_error" else None
    return [] if share is None else [f"R² {share:.3f}"]
