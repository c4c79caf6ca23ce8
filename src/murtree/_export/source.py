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
    """

    either: str  # the operators or, and; then conditions that are never, always true
    both: str
    never: str
    always: str

    def __init__(self, tree: Tree) -> None:
        self.tree = tree
        self.columns = tree.known_columns

    @abstractmethod
    def above(self, index: int, limit: float) -> str:
        """Return the condition that a value is above a limit; false if missing."""

    @abstractmethod
    def up_to(self, index: int, limit: float) -> str:
        """Return the condition that a value is up to a limit; false if missing."""

    @abstractmethod
    def missing(self, index: int) -> str:
        """Return the condition that a value is missing."""

    @abstractmethod
    def among(self, index: int, categories: Sequence[Any]) -> str:
        """Return the condition that a value is in categories; false if missing."""

    @abstractmethod
    def outside(self, index: int, categories: Sequence[Any]) -> str:
        """Return the condition that a value is not in categories; true if missing."""

    @abstractmethod
    def leaf(self, node: int) -> list[str]:
        """Return the lines of a leaf."""

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

    def lines(self, node: int = 0) -> list[str]:
        """Return the lines of a node and its subtree."""
        tree = self.tree
        if tree.feature[node] < 0:
            return self.leaf(node)
        return self.branches(
            self.condition(tree.predicate(node)),
            self.lines(int(tree.children_left[node])),
            self.lines(int(tree.children_right[node])),
        )


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
    tests = [test for test in tree.predicates or () if test is not None]
    if any(test.threshold == math.inf for test in tests):
        raise ValueError(f"The thresholds of {owner} must be finite. Got inf instead.")
    return tree


def tested_columns(tree: Tree) -> list[int]:
    """Return the sorted indices of the columns that the tree tests."""
    return sorted({index for index in tree.feature.tolist() if index >= 0})


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


def refuse_nul(texts: Iterable[object], owner: str) -> None:
    """Raise for text with a NUL character, which the language does not support."""
    for text in texts:
        if isinstance(text, str) and "\0" in text:
            raise ValueError(
                f"The texts of {owner} must have no NUL character. Got {text!r}."
            )


def categories_of(columns: Iterable[Column]) -> list[Any]:
    """Return all categories of some columns."""
    return [category for column in columns for category in column.categories]
