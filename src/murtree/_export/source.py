"""Base of source code exports: names, tests, nested branches."""

import math
import re
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import Any

from murtree._table.columns import Column
from murtree._table.predicates import Predicate, members_of
from murtree._tree.nodes import tested_columns, tests_of
from murtree._tree.resolve import tree_of
from murtree._tree.tree import Tree

_LONGEST_NAME = 40
_MICROSECONDS = 1_000_000


class Language(ABC):
    """Syntax of the tests of a tree in a language.

    Parameters
    ----------
    tree : Tree
        A tree with columns.
    names : sequence of str
        The expressions for the values of all columns.
    """

    either: str  # the operators or, and; then conditions that are never, always true
    both: str
    never: str
    always: str
    # Operators for one category and for several, then the same negated; brackets.
    among_words = ("==", "in", "!=", "not in")
    brackets = ("{", "}")

    def __init__(self, tree: Tree, names: Sequence[str]) -> None:
        self.tree = tree
        self.columns = tree.known_columns
        self.names = names
        self.labels = labels_of(tree)

    def above(self, index: int, limit: float) -> str:
        """Return the condition that a value is above a limit; false if missing."""
        return f"{self.names[index]} > {self.limit(index, limit)}"

    def up_to(self, index: int, limit: float) -> str:
        """Return the condition that a value is up to a limit; false if missing."""
        return f"{self.names[index]} <= {self.limit(index, limit)}"

    def among(self, index: int, categories: Sequence[Any]) -> str:
        """Return the condition that a value is in categories; false if missing."""
        return self._compared(index, categories, *self.among_words[:2])

    def outside(self, index: int, categories: Sequence[Any]) -> str:
        """Return the condition that a value is not in categories; true if missing."""
        return self._compared(index, categories, *self.among_words[2:])

    def leaf(self, node: int) -> list[str]:
        """Return the lines of a leaf."""
        tree = self.tree
        if tree.classes is None:
            return [self.result(float(tree.estimates[node, 0]))]
        return [self.result(self.labels[tree.labels[node]])]

    def limit(self, index: int, limit: float) -> str:  # noqa: ARG002
        """Return a limit of a column as a constant."""
        return self.literal(limit)

    def literal(self, value: Any) -> str:
        """Return a value as a constant."""
        return repr(value)

    def result(self, prediction: Any) -> str:
        """Return the line of a leaf with this prediction."""
        return f"return {self.literal(prediction)}"

    @abstractmethod
    def missing(self, index: int) -> str:
        """Return the condition that a value is missing."""

    @abstractmethod
    def branches(self, condition: str, yes: list[str], no: list[str]) -> list[str]:
        """Return the lines of a test, given the lines of both sides."""

    def condition(self, test: Predicate) -> str:
        """Return the condition of the rows that go left."""
        if self.columns[test.column].is_category:
            return self._of_categories(test)
        condition = self._without_missing(test)
        if not test.missing:
            return condition or self.never
        missing = self.missing(test.column)
        if not condition:
            return missing
        condition = f"({condition})" if self.both in condition else condition
        return f"{missing} {self.either} {condition}"

    def _without_missing(self, test: Predicate) -> str:
        index = test.column
        if test.is_about_missing:
            return ""
        up_to = self.up_to(index, test.threshold)
        if test.lower == -math.inf:
            return up_to
        return f"{self.above(index, test.lower)}{self.both}{up_to}"

    def _of_categories(self, test: Predicate) -> str:
        """Return the condition for categories; unknown ones are missing values."""
        column = self.columns[test.column]
        members, with_missing = set(members_of(test, column)), bool(test.missing)
        named = [
            category
            for code, category in enumerate(column.categories)
            if (code in members) is not with_missing
        ]
        if not named:
            return self.always if with_missing else self.never
        return (self.outside if with_missing else self.among)(test.column, named)

    def _compared(
        self, index: int, categories: Sequence[Any], one: str, several: str
    ) -> str:
        texts = [self.literal(category) for category in categories]
        if len(texts) == 1:
            return f"{self.names[index]} {one} {texts[0]}"
        first, last = self.brackets
        return f"{self.names[index]} {several} {first}{', '.join(texts)}{last}"

    def lines(self, node: int = 0) -> list[str]:
        """Return the lines of a node and its subtree."""
        tree = self.tree
        if tree.feature[node] < 0:
            return self.leaf(node)
        yes = self.lines(int(tree.children_left[node]))
        no = self.lines(int(tree.children_right[node]))
        return self.branches(self.condition(tree.predicate(node)), yes, no)


def tree_for_source(
    decision_tree: Any, owner: str, feature_names: Sequence[str] | None
) -> Tree:
    """Return the tree; raise if column names are not distinct."""
    tree = tree_of(decision_tree, owner, feature_names)
    names = Counter(column.name for column in tree.known_columns)
    repeated = [name for name, times in names.items() if times > 1]
    if repeated:
        raise ValueError(
            f"The columns of {owner} must have distinct names. Got {repeated[0]!r} "
            "more than once."
        )
    if any(test.threshold == math.inf for test in tests_of(tree).values()):
        raise ValueError(f"The thresholds of {owner} must be finite. Got inf instead.")
    return tree


def labels_of(tree: Tree) -> list[Any]:
    """Return the labels of the classes; none in regression."""
    return [] if tree.classes is None else tree.classes.tolist()


def indented(lines: Iterable[str]) -> list[str]:
    """Return lines indented by four spaces."""
    return [f"    {line}" for line in lines]


def identifiers(names: Iterable[str], reserved: Collection[str]) -> list[str]:
    """Return distinct identifiers of ASCII letters, digits and underscores.

    Examples
    --------
    >>> identifiers(["Größe (cm)", "grosse cm", "2 for 1", "int", "+"], {"int"})
    ['groe_cm', 'grosse_cm', 'x2_for_1', 'int_2', 'column']
    """
    made: list[str] = []
    for name in names:
        plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
        word = re.sub(r"[^a-z0-9]+", "_", plain.lower())[:_LONGEST_NAME].strip("_")
        if not word or word[0].isdigit():
            word = f"x{word}" if word else "column"
        unique, number = word, 2
        while unique in made or unique in reserved:
            unique, number = f"{word}_{number}", number + 1
        made.append(unique)
    return made


def whole_microseconds(seconds: float) -> int:
    """Return the last microsecond whose code is up to a limit in seconds."""
    whole = math.floor(Fraction(seconds) * _MICROSECONDS)
    while (whole + 1) / _MICROSECONDS <= seconds:
        whole += 1
    while whole / _MICROSECONDS > seconds:
        whole -= 1
    return whole


def refuse_nul(tree: Tree, texts: Iterable[object], owner: str) -> None:
    """Raise for text with a NUL character, which the language does not support.

    It may be in categories that the tree tests, in labels, or in other `texts`.
    """
    for text in [*tested_categories(tree), *labels_of(tree), *texts]:
        if isinstance(text, str) and "\0" in text:
            raise ValueError(
                f"The texts of {owner} must have no NUL character. Got {text!r}."
            )


def tested_categories(tree: Tree) -> list[Any]:
    """Return all categories of the columns that the tree tests."""
    columns = [tree.known_columns[index] for index in tested_columns(tree)]
    return [category for column in columns for category in column.categories]


def is_text(column: Column) -> bool:
    """Return whether the values of a column are categories that are texts."""
    return column.is_category and isinstance(column.categories[0], str)
