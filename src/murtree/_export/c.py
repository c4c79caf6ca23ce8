"""Export trees as C99, for programs without Python."""

import re
from collections.abc import Sequence
from typing import Any

from murtree._export.source import (
    Language,
    identifiers,
    indented,
    is_text,
    labels_of,
    refuse_nul,
    tested_categories,
    tree_for_source,
)
from murtree._input.parameters import ParameterValueError
from murtree._table.columns import Column
from murtree._tree.nodes import tested_columns
from murtree._tree.tree import Tree

# Lower-case keywords of C and C++, and names that compilers or system headers define as
# macros.
_RESERVED_TEXT = """
alignas alignof and and_eq arm asm auto bitand bitor bool break case catch char class
compl const constexpr continue decltype default delete do double else enum errno
explicit export extern false far float for friend goto hpux huge i386 if inline int
interface isinf isnan linux long math_errhandling mips mutable namespace near new
noexcept not not_eq nullptr operator or or_eq pascal private protected public register
requires restrict return row short signed signgam sizeof small sparc static stderr stdin
stdout struct sun switch template this throw true try typedef typeid typename typeof
union unix unsigned using vax virtual void volatile wchar_t while xor xor_eq
"""
_RESERVED = frozenset(_RESERVED_TEXT.split())
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*", re.ASCII)
_LARGEST_WHOLE = 2**53  # up to here a double represents every integer
_KINDS = {
    "number": "a number",
    "boolean": "0 or 1",
    "datetime": "seconds since 1970, UTC",
    "duration": "seconds",
    "time": "seconds since midnight",
    "empty": "a number",
}


def export_c(
    decision_tree: Any,
    *,
    name: str = "tree",
    feature_names: Sequence[str] | None = None,
) -> str:
    """Export a tree as a C99 file that needs only the standard library.

    Parameters
    ----------
    decision_tree : estimator, Tree, Result or ParetoPoint
        A fitted estimator of murtree, possibly the last step of a pipeline, or a tree,
        or an object with a tree.
    name : str, default="tree"
        Prefix of the names in the file.
    feature_names : sequence of str, default=None
        The names of the columns; by default those of training, or x0, x1 and so on.

    Returns
    -------
    source : str
        Contains ``struct tree_row``, with a member for each column that the tree tests,
        and ``tree_predict``, which takes a pointer to a row. It returns the index of
        the class in ``tree_classes``, or the value in regression. Numbers and times are
        doubles, NAN if missing; text is UTF-8, NULL if missing.

    Examples
    --------
    >>> from murtree import Solver, export_c
    >>> tree = Solver([[0], [1], [1]], ["no", "yes", "yes"]).solve(max_depth=1).tree
    >>> print(export_c(tree, feature_names=["is new"]))
    /* A decision tree, written by murtree. */
    #include <math.h>
    #include <stddef.h>
    #include <string.h>
    <BLANKLINE>
    struct tree_row {
        double is_new; /* "is new": a number */
    };
    <BLANKLINE>
    const char *const tree_classes[] = {
        "no",
        "yes",
    };
    <BLANKLINE>
    int tree_predict(const struct tree_row *row)
    {
        if (row->is_new <= 0.5) {
            return 0;
        } else {
            return 1;
        }
    }
    <BLANKLINE>
    """
    tree = tree_for_source(decision_tree, "export_c", feature_names)
    _check_name(name)
    refuse_nul(tree, [], "export_c")
    for category in tested_categories(tree):
        if isinstance(category, int) and abs(category) > _LARGEST_WHOLE:
            raise ValueError(
                "The categories of export_c must be texts or ints up to 2**53. Got "
                f"{category!r} instead."
            )
    language = _C(tree, name)
    body = language.lines()
    labels = labels_of(tree)
    lines = [*_struct(language, name), "", *_classes(labels, name)]
    if language.compares_text:
        lines += _comparison(name)
    result = "int" if labels else "double"
    lines += [f"{result} {name}_predict(const struct {name}_row *row)", "{"]
    if not any("row->" in line for line in body):  # `row` would be unused
        lines += ["    (void)row;"]
    return _HEAD + "\n".join([*lines, *indented(body), "}"]) + "\n"


_HEAD = """/* A decision tree, written by murtree. */
#include <math.h>
#include <stddef.h>
#include <string.h>

"""


def _check_name(name: object) -> None:
    if not (isinstance(name, str) and _NAME.fullmatch(name)):
        raise ParameterValueError(
            "name",
            "export_c",
            "must be a str of ASCII letters, digits and underscores that begins with a "
            f"letter. Got {name!r} instead.",
        )


def _struct(language: "_C", name: str) -> list[str]:
    # A struct must have members: for a single leaf use all columns.
    indices = tested_columns(language.tree) or range(len(language.columns))
    members = []
    for index in indices:
        column = language.columns[index]
        kind = "const char *" if is_text(column) else "double "
        comment = f"{_string(column.name)}: {_kind(column)}"
        members.append(f"{kind}{language.members[index]}; /* {_harmless(comment)} */")
    return [f"struct {name}_row {{", *indented(members), "};"]


def _kind(column: Column) -> str:
    if column.is_category:
        return "text" if is_text(column) else "a whole number"
    return _KINDS[column.kind]


def _classes(labels: list[Any], name: str) -> list[str]:
    if not labels:
        return []
    texts = [f"{_string(str(label))}," for label in labels]
    return [f"const char *const {name}_classes[] = {{", *indented(texts), "};", ""]


def _comparison(name: str) -> list[str]:
    return [
        f"static int {name}_is(const char *value, const char *category)",
        "{",
        "    return value != NULL && strcmp(value, category) == 0;",
        "}",
        "",
    ]


class _C(Language):
    either = "||"
    both = " && "
    never = "0"
    always = "1"

    def __init__(self, tree: Tree, name: str) -> None:
        columns = [column.name for column in tree.known_columns]
        self.members = identifiers(columns, _RESERVED)
        super().__init__(tree, [f"row->{member}" for member in self.members])
        self.labels = [*range(len(self.labels))]  # predicts the index of the class
        self._name = name
        self.compares_text = False  # set by the first test of text

    def missing(self, index: int) -> str:
        member = self.names[index]
        is_pointer = is_text(self.columns[index])
        return f"{member} == NULL" if is_pointer else f"isnan({member})"

    def among(self, index: int, categories: Sequence[Any]) -> str:
        member = self.names[index]
        if is_text(self.columns[index]):
            self.compares_text = True
            comparisons = [
                f"{self._name}_is({member}, {_string(text)})" for text in categories
            ]
        else:
            comparisons = [f"{member} == {float(number)!r}" for number in categories]
        return " || ".join(comparisons)

    def outside(self, index: int, categories: Sequence[Any]) -> str:
        return f"!({self.among(index, categories)})"

    def result(self, prediction: Any) -> str:
        return f"{super().result(prediction)};"

    def branches(self, condition: str, yes: list[str], no: list[str]) -> list[str]:
        first = f"if ({condition}) {{"
        return [first, *indented(yes), "} else {", *indented(no), "}"]


def _string(text: str) -> str:
    """Return a string literal in ASCII, without ??, which begins trigraphs."""
    plain = {ord(char): f"\\{char}" for char in '"\\?'}
    written = [
        plain.get(byte, chr(byte)) if 32 <= byte < 127 else f"\\{byte:03o}"
        for byte in text.encode()
    ]
    return f'"{"".join(written)}"'


def _harmless(comment: str) -> str:
    """Return a comment without delimiters of comments."""
    return comment.replace("*/", "* /").replace("/*", "/ *")
