"""Models: a tree, its proof and the trees of other sizes in one file.

A model can be saved, loaded, shown and used for predictions without the estimator and
without scikit-learn. The file is JSON; loading it executes no code.
"""

import json
import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from murtree._input.atomic_write import write_whole
from murtree._model.from_estimator import (
    Size,
    loss_of,
    plain_settings,
    proof_of,
    settings_of,
    sizes_of,
    training_losses,
    tuning_of,
)
from murtree._model.json_format import dump_model, load_model
from murtree._model.losses import mean_losses, spread_of
from murtree._model.proof import Proof
from murtree._model.report.render import render
from murtree._model.report.summary import summary_of
from murtree._model.tuning import Tuning
from murtree._tree.html import block, fold, table_html, tree_html
from murtree._tree.json_format import parse
from murtree._tree.resolve import bare_tree_of, fitted_estimator
from murtree._tree.tree import Tree


@dataclass(frozen=True)
class Model:
    """A fitted model that is saved in one file and works without its estimator.

    Parameters
    ----------
    sizes : tuple of Size
        The tree of the model or, after a fit with ``frontier=True``, the best trees
        with at most 0, 1, 2, ... nodes.
    chosen : int
        The index of the tree of the model.
    proof : Proof or None
        The proof of that tree, if there is one.
    loss : {"misclassified", "squared_error", "absolute_error"}
        The loss whose mean is the error of a size.
    settings : dict
        Parameters of the estimator that differ from their defaults.
    target : str, default=None
        Name of the target.
    n_validation : int, default=0
        The number of validation rows.
    validation_spread : float, default=None
        The variance of the targets of these rows, in regression.
    tuning : Tuning, default=None
        The sizes that a cross-validation compared, with their scores; None if the model
        was not tuned by an estimator of murtree.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> from sklearn.datasets import load_iris
    >>> from murtree import Model, OptimalTreeClassifier
    >>> iris = load_iris(as_frame=True)
    >>> clf = OptimalTreeClassifier(max_depth=2).fit(iris.data, iris.target)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder) / "iris.json"
    ...     clf.save(path)
    ...     model = Model.load(path)
    >>> model
    Model(n_nodes=2, depth=2, status='optimal', sizes=1)
    >>> model.predict(iris.data[:2])
    array([0, 0])
    """

    sizes: tuple[Size, ...]
    chosen: int
    proof: Proof | None
    loss: str
    settings: dict[str, Any]
    target: str | None = None
    n_validation: int = 0
    validation_spread: float | None = None
    tuning: Tuning | None = None

    def __repr__(self) -> str:
        status = None if self.proof is None else self.proof.status
        return (
            f"Model(n_nodes={self.tree.n_nodes}, depth={self.tree.depth}, "
            f"status={status!r}, sizes={len(self.sizes)})"
        )

    def _repr_html_(self) -> str:
        proof = "" if self.proof is None else self.proof._html()
        tree = tree_html(self.tree, is_weighted=self.is_weighted)
        return block(proof, tree, self._sizes_html())

    def _sizes_html(self) -> str:
        if len(self.sizes) == 1:
            return ""
        columns: dict[str, list[object]] = {
            "at most": list(range(len(self.sizes))),
            "nodes": [size.tree.n_nodes for size in self.sizes],
            "training error": [_error_text(size.train_error) for size in self.sizes],
        }
        if self.n_validation:
            errors = [_error_text(size.validation_error) for size in self.sizes]
            columns["validation error"] = [*errors]
        columns["proof"] = [_proof_text(size.proof) for size in self.sizes]
        columns[""] = [""] * len(self.sizes)
        columns[""][self.chosen] = "chosen"
        rows = zip(*columns.values(), strict=True)
        return fold(f"{len(self.sizes)} sizes", table_html([*columns], rows))

    @classmethod
    def of(cls, estimator: Any, *, target: str | None = None) -> "Model":
        """Return the model of a fitted estimator or of a tree.

        Parameters
        ----------
        estimator : estimator, Tree or Result
            A fitted estimator, a pipeline or search that ends in one, or a tree, which
            has no proof.
        target : str, default=None
            Name of the target, shown in reports.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import Model, OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = OptimalTreeClassifier(max_depth=2, frontier=True).fit(X, y)
        >>> Model.of(clf, target="species")
        Model(n_nodes=2, depth=2, status='optimal', sizes=4)
        """
        tree = bare_tree_of(estimator, "Model.of")
        fitted = fitted_estimator(estimator)
        if not hasattr(fitted, "get_params"):
            return cls._of_tree(tree, target)
        settings, proof = plain_settings(fitted), proof_of(fitted)
        loss, tuning = loss_of(tree, settings_of(fitted)), tuning_of(estimator)
        sizes, chosen = sizes_of(fitted, proof)
        return cls(sizes, chosen, proof, loss, settings, target, tuning=tuning)

    @classmethod
    def _of_tree(cls, tree: Tree, target: str | None) -> "Model":
        if tree.classes is None:
            return cls((Size(tree, None, None),), 0, None, "squared_error", {}, target)
        error = float(training_losses([tree], None)[0])
        return cls((Size(tree, None, error),), 0, None, "misclassified", {}, target)

    @property
    def tree(self) -> Tree:
        """The tree of the model."""
        return self.sizes[self.chosen].tree

    @property
    def is_weighted(self) -> bool:
        """Whether rows are known to have had weights in training."""
        return self.proof is not None and self.proof.is_weighted

    @property
    def teacher(self) -> str | None:
        """Whose predictions the tree was fitted to; None for observed targets."""
        return None if self.proof is None else self.proof.teacher

    def validated(self, X: Any, y: Any, sample_weight: Any = None) -> "Model":
        """Return the model with the errors of all its sizes on validation rows.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Rows not used in training, with the columns seen during `fit`.
        y : array-like of shape (n_samples,)
            Labels or targets of these rows.
        sample_weight : array-like of shape (n_samples,), default=None
            Weights of these rows.

        Examples
        --------
        >>> from sklearn.datasets import load_iris
        >>> from murtree import Model, OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = OptimalTreeClassifier(max_depth=2, frontier=True)
        >>> model = Model.of(clf.fit(X[::2], y[::2])).validated(X[1::2], y[1::2])
        >>> [round(size.validation_error, 3) for size in model.sizes]
        [0.667, 0.333, 0.053, 0.053]
        """
        trees = [size.tree for size in self.sizes]
        errors = mean_losses(trees, X, y, sample_weight, self.loss).tolist()
        sizes = tuple(
            replace(size, validation_error=error)
            for size, error in zip(self.sizes, errors, strict=True)
        )
        is_regression = self.tree.classes is None
        return replace(
            self,
            sizes=sizes,
            n_validation=len(np.asarray(y)),
            validation_spread=spread_of(y, sample_weight) if is_regression else None,
        )

    def predict(self, X: Any) -> npt.NDArray[Any]:
        """Return the label of each row, or its value in regression.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> Model.of(tree).predict([[0], [1]])
        array(['a', 'b'], dtype='<U1')
        """
        return self.tree.predict(X)

    def predict_proba(self, X: Any) -> npt.NDArray[np.float64]:
        """Return the probability of each class for each row, as the estimator does.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> Model.of(tree).predict_proba([[0], [1]])
        array([[1., 0.],
               [0., 1.]])
        """
        return self.tree.predict_proba(X)

    def to_dict(self) -> dict[str, Any]:
        """Return the model as lists, dicts and numbers, ready for JSON.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> sorted(Model.of(tree).to_dict())[:4]
        ['chosen', 'columns', 'coverage', 'format']
        """
        return dump_model(self)

    def to_json(self) -> str:
        """Return the model as JSON.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> Model.of(tree, target="letter").to_json()[:60]
        '{"format": "murtree.model", "version": 1, "target": "letter"'
        """
        return json.dumps(self.to_dict(), ensure_ascii=False, allow_nan=False)

    @classmethod
    def from_dict(cls, data: Any) -> "Model":
        """Return the model from the output of `to_dict`, of a model or a tree.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> Model.from_dict(tree.to_dict()).predict([[1]])
        array(['b'], dtype='<U1')
        """
        if isinstance(data, dict) and data.get("format") == "murtree.tree":
            return cls.of(Tree.from_dict(data))
        fields = load_model(data)
        sizes = tuple(Size(**size) for size in fields.pop("sizes"))
        return cls(sizes=sizes, **fields)

    @classmethod
    def from_json(cls, text: str | bytes) -> "Model":
        """Return the model from the output of `to_json`; executes no code.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> Model.from_json(Model.of(tree).to_json()).predict([[1]])
        array(['b'], dtype='<U1')
        """
        return cls.from_dict(parse(text, "model"))

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model to a file, atomically.

        Examples
        --------
        >>> from murtree import Model, Solver
        >>> tree = Solver([[0], [1], [1]], ["a", "b", "b"]).solve(max_depth=1).tree
        >>> Model.of(tree).save("model.json")  # doctest: +SKIP
        """
        write_whole(path, self.to_json() + "\n")

    def report(
        self, path: str | os.PathLike[str] | None = None, *, title: str | None = None
    ) -> str | None:
        """Write the model as an interactive HTML page.

        A slider selects the best trees of other sizes, a click on a node shows details
        of its rows, and the path of any row can be displayed. After a cross-validation
        the page has the scores of all sizes. It needs no network and no other files.

        Parameters
        ----------
        path : str or path-like, default=None
            The file, which is written atomically. None returns the page instead.
        title : str, default=None
            Title of the page; by default it names the target.

        Returns
        -------
        html : str or None
            The page if no path is given.

        Examples
        --------
        >>> import pathlib, tempfile
        >>> from sklearn.datasets import load_iris
        >>> from murtree import Model, OptimalTreeClassifier
        >>> X, y = load_iris(return_X_y=True)
        >>> clf = OptimalTreeClassifier(max_depth=2, frontier=True)
        >>> model = Model.of(clf.fit(X[::2], y[::2]), target="species")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = pathlib.Path(folder) / "iris.html"
        ...     model.validated(X[1::2], y[1::2]).report(path)
        ...     path.read_text(encoding="utf-8").splitlines()[0]
        '<!doctype html>'
        """
        if not isinstance(title, str | None):
            raise TypeError(
                "The 'title' parameter of report must be a str or None. Got "
                f"{title!r} instead."
            )
        page = render(summary_of(self, title))
        if path is None:
            return page
        write_whole(path, page)
        return None

    @classmethod
    def load(cls, path: str | os.PathLike[str]) -> "Model":
        """Return the model from a file that `save` wrote; raise if it is damaged.

        Examples
        --------
        >>> from murtree import Model
        >>> Model.load("model.json").predict([[1]])  # doctest: +SKIP
        array(['b'], dtype='<U1')
        """
        return cls.from_json(Path(path).read_bytes())


def _proof_text(proof: Proof | None) -> str:
    if proof is None:
        return ""
    return "optimal" if proof.is_complete else f"gap {proof.gap:.1%}"


def _error_text(error: float | None) -> str:
    return "" if error is None else f"{error:.4g}"
