"""Trees as ONNX, through skl2onnx."""

from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._tree_of import tree_of


def export_onnx(decision_tree: Any) -> Any:
    """Write a tree as a model of ONNX.

    The model takes the codes of ``tree.encode(X)`` as float32: numbers as they are,
    categories as their place in the column's `categories` and -1 if unknown, booleans
    as 0 and 1, times as seconds, missing values as NaN. float32 has 24 bits: moments
    are known to two minutes only.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, also as the last step of a pipeline, or a tree,
        or what has one.

    Returns
    -------
    model : onnx.ModelProto
        Its input is "codes"; its outputs are "label" and "probabilities", or "variable"
        in regression, all float32 but for the labels. A label that is not the likeliest
        one has probability 1. Write it with ``model.SerializeToString()``.

    Examples
    --------
    >>> from murtree import Solver, export_onnx
    >>> from onnxruntime import InferenceSession
    >>> tree = Solver([[0], [1], [1]], ["no", "yes", "yes"]).solve(max_depth=1).tree
    >>> session = InferenceSession(export_onnx(tree).SerializeToString())
    >>> codes = tree.encode([[0], [1]]).astype("float32")
    >>> session.run(["label"], {"codes": codes})[0].tolist()
    ['no', 'yes']
    """
    try:
        from skl2onnx import convert_sklearn  # noqa: PLC0415
        from skl2onnx.common.data_types import FloatTensorType  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "export_onnx needs skl2onnx: install it (the extra 'onnx')"
        ) from error
    tree = tree_of(decision_tree, "export_onnx")
    if tree.classes is not None and tree.classes.size < 2:
        raise ValueError(
            "The tree of export_onnx must have two classes or more. Got only "
            f"{tree.classes.tolist()[0]!r}."
        )
    model = tree.to_sklearn()
    if tree.classes is not None:
        _settle(model)
    with np.errstate(over="ignore"):  # a value beyond float32 becomes infinite
        made = convert_sklearn(
            model,
            name="murtree",
            initial_types=[("codes", FloatTensorType([None, tree.n_features]))],
            options=None if tree.classes is None else {"zipmap": False},
        )
    _send_missing(made, model.tree_.missing_go_to_left)
    return made


def _settle(model: Any) -> None:
    """Give all to the label of a leaf where float32 cannot tell who has the most."""
    value = model.tree_.value[:, 0, :]  # a view: what is written here stays
    label = np.argmax(value, axis=1)
    other = np.argmax(value.astype(np.float32), axis=1) != label
    value[other] = np.eye(value.shape[1])[label[other]]


def _send_missing(made: Any, left: npt.NDArray[np.uint8]) -> None:
    """Send missing values where the tree does: skl2onnx sends those of trees right."""
    for node in made.graph.node:
        for attribute in node.attribute:
            if attribute.name == "nodes_missing_value_tracks_true":
                attribute.ints[:] = [int(goes) for goes in left]
