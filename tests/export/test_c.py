"""Exported C: it compiles without warnings, and predicts like the tree."""

import ctypes
import shutil
import subprocess

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from oracle.tree_strategies import built, cases

from murtree import Column, Predicate, Solver, export_c, export_python

COMPILER = shutil.which("cc")
pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="no C compiler"),
    pytest.mark.filterwarnings(
        "ignore:Column .* holds categories that fit did not see"  # present in `cases`
    ),
]


def c_type(column):
    is_text = column.is_category and isinstance(column.categories[0], str)
    return ctypes.c_char_p if is_text else ctypes.c_double


def c_values(tree, table):
    """Return the rows as C literals: UTF-8, doubles, NULL and NAN for missing."""
    codes = tree.encode(table)
    for row, numbers in zip(table.tolist(), codes, strict=True):
        made = []
        for column, value, code in zip(tree.columns, row, numbers, strict=True):
            if column.is_category and value is not None:
                made.append(value.encode() if isinstance(value, str) else value)
            elif column.is_category:
                made.append(None if c_type(column) is ctypes.c_char_p else np.nan)
            else:
                made.append(float(code))
        yield made


def compiled(folder, sources, standard="c99"):
    source, library = folder / "tree.c", folder / "tree.so"
    source.write_text("\n".join(sources), encoding="ascii")
    flags = [f"-std={standard}", "-trigraphs", "-pedantic", "-Wall", "-Wextra"]
    command = [COMPILER, *flags, "-Werror", "-shared", "-fPIC", "-o", library, source]
    subprocess.run(command, check=True)
    return ctypes.CDLL(str(library))


def predictions_in_c(library, name, case):
    tree = case.tree
    indices = sorted(set(tree.feature[tree.feature >= 0].tolist()))
    indices = indices or range(tree.n_features)
    fields = [(f"m{position}", c_type(tree.columns[position])) for position in indices]
    row_type = type("Row", (ctypes.Structure,), {"_fields_": fields})
    predict = getattr(library, f"{name}_predict")
    predict.argtypes = [ctypes.POINTER(row_type)]
    predict.restype = ctypes.c_double if tree.classes is None else ctypes.c_int
    rows = [
        row_type(*(row[position] for position in indices))
        for row in c_values(tree, case.table)
    ]
    found = [predict(ctypes.byref(row)) for row in rows]
    if tree.classes is None:
        return found
    names = (ctypes.c_char_p * tree.classes.size).in_dll(library, f"{name}_classes")
    assert [text.decode() for text in names] == list(map(str, tree.classes.tolist()))
    return tree.classes[found].tolist()


@settings(
    max_examples=3,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.explicit, Phase.generate],  # each shrink would compile again
)
@given(st.lists(cases(), min_size=10, max_size=20))
def test_c_predicts_the_same(tmp_path_factory, many):
    sources = [export_c(case.tree, name=f"t{n}") for n, case in enumerate(many)]
    library = compiled(tmp_path_factory.mktemp("c"), sources)
    for n, case in enumerate(many):
        assert predictions_in_c(library, f"t{n}", case) == case.expected


def test_a_test_that_always_holds(tmp_path):
    """It holds for all categories and missing values, hence for unknown ones."""
    everything = Predicate(0, members=(0, 1), missing=True)
    columns, value = (Column("c", "category", ("a", "b")),), [[1, 1], [1, 0], [0, 1]]
    tests = [everything, None, None]
    tree = built(tests, value, columns, classes=np.array([0, 1]))
    right = tree.predict([["a"], ["z"], [None]]).tolist()
    assert right[0] == right[1] == right[2]
    compiled(tmp_path, [export_c(tree)])  # compiles without warnings
    module = {}
    exec(export_python(tree), module)
    assert [module["predict"]([text]) for text in ("a", "z", None)] == right


@pytest.mark.parametrize("standard", ["gnu17", "c99"])
def test_compiler_macros_are_refused_as_names_in_c(tmp_path, standard):
    tree = Solver([[0, 0], [0, 1], [1, 0]], [0, 1, 1]).solve(max_depth=2).tree
    source = export_c(tree, feature_names=["linux", "isnan"])
    library = compiled(tmp_path, [source], standard)
    assert library.tree_predict is not None
