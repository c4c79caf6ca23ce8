"""Export trees as ONNX graphs: comparisons of columns that select a leaf."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from murtree._export.source import is_text, tree_for_source
from murtree._table.predicates import Predicate, members_of
from murtree._tree.nodes import children_of, tested_columns
from murtree._tree.tree import Tree

# Old versions, for compatibility with old runtimes.
_OPSETS = {"": 17, "ai.onnx.ml": 2}
_IR_VERSION = 8


def export_onnx(
    decision_tree: Any, *, feature_names: Sequence[str] | None = None
) -> Any:
    """Export a tree as an ONNX model whose inputs are the columns of the table.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, possibly the last step of a pipeline, or a tree,
        or an object with a tree.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of training, or x0, x1 and so on.

    Returns
    -------
    model : onnx.ModelProto
        A model with one input of shape (n, 1) for each column that the tree tests, with
        its name: text as strings, integer categories as int64, all others as double,
        NaN if missing, times in seconds as in ``tree.encode``. Categories not seen in
        training, such as "", are missing values. The outputs are "label" and
        "probabilities" (double), or "value" in regression. Serialize it with
        ``model.SerializeToString()``.

    Examples
    --------
    >>> import numpy as np
    >>> from murtree import OptimalTreeClassifier, export_onnx
    >>> from onnxruntime import InferenceSession
    >>> clf = OptimalTreeClassifier(max_depth=1).fit([["red"], ["blue"]], ["a", "b"])
    >>> session = InferenceSession(export_onnx(clf).SerializeToString())
    >>> colours = np.array([["red"], ["blue"]], dtype=object)
    >>> session.run(["label"], {"x0": colours})[0].tolist()
    ['a', 'b']
    """
    try:
        from onnx import checker, helper  # noqa: PLC0415
    except ImportError as error:
        raise ImportError(
            "export_onnx needs onnx: install it (the extra 'onnx')"
        ) from error
    tree = tree_for_source(decision_tree, "export_onnx", feature_names)
    graph = _Graph(tree)
    made = helper.make_model(
        graph.proto(),
        opset_imports=[helper.make_opsetid(*opset) for opset in _OPSETS.items()],
        ir_version=_IR_VERSION,
        producer_name="murtree",
    )
    checker.check_model(made)
    return made


class _Graph:
    """The nodes of the graph, in order of creation."""

    def __init__(self, tree: Tree) -> None:
        from onnx import TensorProto, helper, numpy_helper  # noqa: PLC0415

        self._types, self._helper, self._numpy = TensorProto, helper, numpy_helper
        self._tree = tree
        # A single leaf has no test, but needs an input for the number of rows.
        self._indices = tested_columns(tree) or [0]
        columns = tree.known_columns
        self._names = {index: columns[index].name for index in self._indices}
        self._taken = {*self._names.values(), "label", "probabilities", "value"}
        self._nodes: list[Any] = []
        self._constants: list[Any] = []
        self._codes: dict[int, str] = {}

    def proto(self) -> Any:
        """Return the graph."""
        tree = self._tree
        leaf = self._leaf(0)
        if tree.n_nodes == 0:
            test = Predicate(self._indices[0], missing=True)
            leaf = self._made("Where", self._holds(test), leaf, leaf)
        leaf = self._made("Reshape", leaf, self._constant(np.array([-1])))
        if tree.classes is None:
            outputs = [self._output("value", tree.estimates[:, 0].astype(float), leaf)]
        else:
            labels = tree.classes[tree.labels]
            outputs = [
                self._output("label", labels, leaf),
                self._output("probabilities", tree.estimates, leaf),
            ]
        inputs = [self._input(index) for index in self._indices]
        return self._helper.make_graph(
            self._nodes, "murtree", inputs, outputs, self._constants
        )

    def _input(self, index: int) -> Any:
        kind = self._types.DOUBLE
        if (column := self._tree.known_columns[index]).is_category:
            kind = self._types.STRING if is_text(column) else self._types.INT64
        return self._helper.make_tensor_value_info(self._names[index], kind, ["n", 1])

    def _output(self, name: str, per_leaf: Any, leaf: str) -> Any:
        """Return an output with one entry of an array for each leaf."""
        kept = self._constant(np.asarray(per_leaf))
        self._nodes.append(self._helper.make_node("Gather", [kept, leaf], [name]))
        shape = ["n", *np.shape(per_leaf)[1:]]
        kind = self._constants[-1].data_type
        return self._helper.make_tensor_value_info(name, kind, shape)

    def _leaf(self, node: int) -> str:
        """Return the name of the tensor of leaf indices for a subtree."""
        tree = self._tree
        if tree.feature[node] < 0:
            return self._constant(np.array([[node]]))
        left, right = map(self._leaf, children_of(tree, node))
        return self._made("Where", self._holds(tree.predicate(node)), left, right)

    def _holds(self, test: Predicate) -> str:
        """Return the name of the boolean tensor of a test."""
        column, name = self._tree.known_columns[test.column], self._names[test.column]
        if column.is_category:
            members = set(members_of(test, column))
            table = [code in members for code in range(len(column.categories))]
            answers = self._constant(np.array([*table, bool(test.missing)]))
            return self._made("Gather", answers, self._code(test.column))
        missing = self._made("IsNaN", name)
        if test.is_about_missing:
            return missing
        holds = self._made("LessOrEqual", name, self._limit(test.threshold))
        if test.lower > -math.inf:
            above = self._made("Greater", name, self._limit(test.lower))
            holds = self._made("And", holds, above)
        return self._made("Or", holds, missing) if test.missing else holds

    def _code(self, index: int) -> str:
        """Return the name of the tensor of category indices; unknown ones are last."""
        if index not in self._codes:
            column = self._tree.known_columns[index]
            categories = column.categories
            keys = "keys_strings" if is_text(column) else "keys_int64s"
            self._codes[index] = self._made(
                "LabelEncoder",
                self._names[index],
                domain="ai.onnx.ml",
                values_int64s=list(range(len(categories))),
                default_int64=len(categories),
                **{keys: list(categories)},
            )
        return self._codes[index]

    def _limit(self, limit: float) -> str:
        return self._constant(np.array(limit))

    def _constant(self, values: Any) -> str:
        name = self._new_name("constant")
        if values.dtype.kind in "UO":
            values = values.astype(object)
        self._constants.append(self._numpy.from_array(_known(values), name))
        return name

    def _made(self, operator: str, *inputs: str, **attributes: Any) -> str:
        """Add an operator and return the name of its output."""
        name = self._new_name(operator)
        node = self._helper.make_node(operator, inputs, [name], **attributes)
        self._nodes.append(node)
        return name

    def _new_name(self, stem: str) -> str:
        number = len(self._taken)
        while f"{stem}_{number}" in self._taken:
            number += 1
        self._taken.add(f"{stem}_{number}")
        return f"{stem}_{number}"


def _known(values: Any) -> Any:
    """Return an array with a type that runtimes have kernels for."""
    wide = {"i": np.int64, "u": np.int64, "f": np.float64}
    return values.astype(wide.get(values.dtype.kind, values.dtype))
