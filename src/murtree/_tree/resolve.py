"""The tree of an estimator, pipeline or result that is plotted or exported."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from murtree._tree.nodes import tests_of
from murtree._tree.tree import Tree


def fitted_estimator(given: Any) -> Any:
    """Return the final estimator of a search or a pipeline, or the object itself."""
    found = getattr(given, "best_estimator_", given)
    if hasattr(found, "steps") and hasattr(found, "get_params"):
        found = found.steps[-1][1]
    return getattr(found, "best_estimator_", found)  # a search in a pipeline


def bare_tree_of(decision_tree: Any, owner: str) -> Tree:
    """Return the tree of an estimator, a result or a front point, or a tree itself."""
    tree = fitted_estimator(decision_tree)
    if hasattr(tree, "get_params"):
        from sklearn.utils.validation import check_is_fitted  # noqa: PLC0415 - slow

        if any(base.__module__.startswith("murtree.") for base in type(tree).__mro__):
            check_is_fitted(tree)  # other estimators are refused below
        tree = getattr(tree, "tree_", None)
    elif not isinstance(tree, Tree):
        tree = getattr(tree, "tree", None)
    if not isinstance(tree, Tree):
        raise TypeError(
            f"The 'decision_tree' parameter of {owner} must be a fitted estimator of "
            f"murtree, a Tree, or a result that has one. Got {decision_tree!r} instead."
        )
    return tree


def shown_tree_of(
    decision_tree: Any, owner: str, feature_names: Sequence[str] | None = None
) -> Tree:
    """Return the tree for display, with column names of a pipeline if it has no others.

    Exports of code do not use these names: a scaled column is not the table's column.
    """
    if feature_names is None:
        feature_names = _names_in_pipeline(
            decision_tree, bare_tree_of(decision_tree, owner)
        )
    return tree_of(decision_tree, owner, feature_names)


def _names_in_pipeline(given: Any, tree: Tree) -> list[str] | None:
    """Return the names of the columns made by the steps before the last one."""
    pipeline = getattr(given, "best_estimator_", given)
    if not hasattr(pipeline, "steps") or any(c.is_named for c in tree.known_columns):
        return None
    names = getattr(pipeline, "feature_names_in_", None)
    with suppress(AttributeError, ValueError):  # steps without column names
        names = pipeline[:-1].get_feature_names_out(names)
    if names is None or len(names) != tree.n_features:
        return None
    return list(map(str, names))


def tree_of(
    decision_tree: Any, owner: str, feature_names: Sequence[str] | None = None
) -> Tree:
    """Return the tree with columns and a predicate at each branching node.

    The columns are renamed to `feature_names` if given.
    """
    tree = bare_tree_of(decision_tree, owner)
    tests = map(tests_of(tree).get, range(tree.feature.size))
    columns = tree.known_columns
    if feature_names is not None:
        if len(feature_names) != tree.n_features:
            raise ValueError(
                f"feature_names must contain {tree.n_features} elements, got "
                f"{len(feature_names)}."
            )
        columns = tuple(
            replace(column, name=str(name), is_named=True)
            for column, name in zip(columns, feature_names, strict=True)
        )
    return replace(tree, columns=columns, predicates=tuple(tests))
