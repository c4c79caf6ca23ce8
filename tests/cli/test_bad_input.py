"""Errors: one line on stderr, exit code 2, no traceback, no files."""

import errno
import gzip
import importlib.util
import json
import pickle

import pytest
from cli.tools import ok, run, write_iris

import murtree.cli
from murtree._input.parameters import ParameterValueError
from murtree.cli import errors
from murtree.cli.errors import as_option

IRIS = ("iris.csv", "-t", "species")
FIT = ("fit", *IRIS, "-d", 2)
NUMBERS = ("fit", "iris.csv", "-t", "petal width", "--regression")
HOSTILE = "\x1b[31m<b>[red].csv"

CASES = {
    "no file": (("fit", "iriss.csv", "-t", "y"), "did you mean 'iris.csv'?"),
    "no folder": (("fit", "no/iris.csv", "-t", "y"), "there is no folder 'no'"),
    "an address": (
        ("fit", "https://example.com/data.csv", "-t", "y"),
        "'https://example.com/data.csv' is an address, and murtree reads files: down",
    ),
    "a model's address": (("show", "https://example.com/m.json"), "is an address"),
    "a folder": (("fit", "folder", "-t", "y"), "is a folder"),
    "a hostile name": (("fit", HOSTILE, "-t", "y"), r"\x1b[31m<b>[red].csv"),
    "empty": (("fit", "empty.csv", "-t", "y"), "empty.csv is empty"),
    "ragged": (("fit", "ragged.csv", "-t", "y"), "line 3 has 3 cells"),
    "no text": (("fit", "binary.csv", "-t", "y"), "binary"),
    "a workbook": (("fit", "book.xlsx", "-t", "y"), "Excel"),
    "JSON": (("fit", "table.json", "-t", "y"), "read_json(FILE).to_csv("),
    "JSON Lines": (
        ("fit", "table.jsonl", "-t", "y"),
        "read_json(FILE, lines=True).to_csv(",
    ),
    "a model as data": (("fit", "model.json", "-t", "y"), "is a model of murtree"),
    "a comment at first": (
        ("fit", "comment.csv", "-t", "y"),
        "comment.csv, line 1 is a comment ('# of 2024'): remove such lines",
    ),
    "a comment of one column": (("fit", "one_comment.csv", "-t", "y"), "is a comment"),
    "a comment between": (("fit", "comments.csv", "-t", "y"), "line 3 is a comment"),
    "no header": (
        ("fit", "no_header.csv", "-t", "species"),
        "Columns: 5.1, 3.5, setosa. The first line looks like data: it must name the",
    ),
    "no header, no target": (("fit", "no_header.csv"), "The first line looks like da"),
    "no header of letters": (
        ("fit", "letters.csv", "-t", "y"),
        "are both named 'x': names must be distinct. Does the first line name the col",
    ),
    "another separator": (
        ("fit", "colons.csv", "-t", "y"),
        "Columns: x:y. If that is not one name, say what is between them: --separator",
    ),
    "long separator": (
        ("fit", "colons.csv", "-t", "y", "--separator", "::"),
        "--separator must be one character such as ',', ';' or '|', or tab. Got '::'",
    ),
    "separator of numbers": ((*FIT, "--separator", "."), "--separator must be one cha"),
    "infinite": (
        ("fit", "infinite.csv", "-t", "y"),
        "infinite.csv, line 3: column 'x' must hold finite numbers. Got Inf instead. "
        "If it means a missing value, add --missing Inf.",
    ),
    "less than all": (
        ("fit", "infinite.csv", "-t", "y", "--missing", "Inf"),
        "line 4: column 'x' must hold finite numbers. Got -inf instead. If it means a "
        "missing value, add --missing=-inf.",
    ),
    "damaged gzip": (("fit", "damaged.csv.gz", "-t", "y"), "damaged gzip"),
    "latin1": (("fit", "latin1.csv", "-t", "y"), "not UTF-8"),
    "no such target": (("fit", "iris.csv", "-t", "spices"), "did you mean 'species'?"),
    "no target": (("fit", "iris.csv"), "which column of iris.csv is the target?"),
    "one class": (("fit", "one.csv", "-t", "y"), "one class only, 'a'"),
    "numbers": (("fit", "iris.csv", "-t", "petal width"), "--regression"),
    "no numbers": ((*FIT, "--regression"), "must hold numbers with --regression"),
    "dates": (("fit", "dates.csv", "-t", "y"), "must hold text, numbers or booleans"),
    "an identifier": (
        ("fit", "names.csv", "-t", "name"),
        "the target 'name' of names.csv holds 60 distinct texts in 100 rows: is it an "
        "identifier?",
    ),
    "no such option": (("fit", "iris.csv", "--tarjet", "y"), "--tarjet"),
    "no such command": (("fitt", "iris.csv"), "'fit'? See: murtree --help"),
    "no argument": (("fit",), "missing argument 'DATA'. See: murtree fit --help"),
    "no number": (
        (*FIT, "--time-limit", "soon"),
        "error: --time-limit must be a number. See: murtree fit --help",
    ),
    "no whole number": (
        (*FIT, "--seed", "x"),
        "error: --seed must be a whole number. See: murtree fit --help",
    ),
    "half a number": ((*FIT, "--seed", "1.5"), "--seed must be a whole number. See"),
    "no depth": (("fit", *IRIS, "-d", "x"), "must be a whole number or none. Got 'x'"),
    "too deep": (("fit", *IRIS, "-d", 99), "--max-depth must be an int in the range"),
    "no limit at all": (("fit", *IRIS, "-d", "none"), "unless there is a --max-nodes"),
    "no choice": ((*FIT, "--objective", "beauty"), "'beauty' is not one of"),
    "time": ((*FIT, "--time-limit", -1), "--time-limit must be a number of seconds"),
    "leaf": ((*FIT, "--min-samples-leaf", 0), "--min-samples-leaf must be an int"),
    "light leaf": (
        (*FIT, "--min-weight-fraction-leaf", 0.6),
        "--min-weight-fraction-leaf must be a number in the range [0.0, 0.5]",
    ),
    "memory": ((*FIT, "--memory-limit", "much"), "--memory-limit must be"),
    "seed": ((*FIT, "--seed", -1), "--seed must not be negative"),
    "sample": ((*FIT, "--sample", 0), "--sample must be an int"),
    "share": ((*FIT, "--validation-share", 1.5), "--validation-share must be"),
    "tiny share": ((*FIT, "--validation-share", 0.001), "leaves no rows"),
    "two kinds of validation": (
        (*FIT, "--validation-share", 0.2, "--validation", "iris.csv"),
        "not both",
    ),
    "other validation": ((*FIT, "--validation", "one.csv"), "one.csv"),
    "no weights": ((*FIT, "--weight-column", "wait"), "--weight-column: no column"),
    "words as weights": (
        ("fit", "mixed.csv", "-t", "y", "--weight-column", "word"),
        "must hold a number in each row",
    ),
    "target as weights": (
        ("fit", "mixed.csv", "-t", "y", "--weight-column", "y"),
        "must not be the target",
    ),
    "ignored target": (
        (*FIT, "--ignore", "species"),
        "--target and --ignore name the same column 'species'.",
    ),
    "ignored weights": (
        ("fit", "mixed.csv", "-t", "y", "--weight-column", "x", "--ignore", "x"),
        "--weight-column and --ignore name the same column 'x'.",
    ),
    "no memory": ((*FIT, "--memory-limit", 0), "--memory-limit must be a positive"),
    "ignored": ((*FIT, "--ignore", "petal widht"), "did you mean 'petal width'?"),
    "columns": ((*FIT, "--columns", "petal widht"), "did you mean 'petal width'?"),
    "forbidden": ((*FIT, "--forbid", "petal widht"), "did you mean 'petal width'?"),
    "class weight": ((*FIT, "--class-weight", "heavy"), "as in 'yes=5,no=1'"),
    "class": ((*FIT, "--class-weight", "setos=2"), "did you mean 'setosa'?"),
    "a rule of smoothing": (
        (*FIT, "--smoothing", "m"),
        "'--smoothing': must be laplace or a number. Got 'm'",
    ),
    "a weight of smoothing": (
        (*FIT, "--smoothing", "-1"),
        "--smoothing must be a number in the range [0.0, inf), 'laplace' or None. Got",
    ),
    "a rule of smoothing for numbers": (
        (*NUMBERS, "--smoothing", "laplace"),
        "--smoothing must be a number in the range [0.0, inf) or None. Got 'laplace'",
    ),
    "smoothed medians": (
        (*NUMBERS, "--smoothing", "2", "--objective", "absolute_error"),
        "--smoothing must be None or 0 with objective='absolute_error'. Got 2.0 inst",
    ),
    "class weight of numbers": (
        (*NUMBERS, "--class-weight", "1=2"),
        "--class-weight is for classes",
    ),
    "objective of numbers": (
        (*FIT, "--objective", "squared_error"),
        "needs --regression",
    ),
    "objective of classes": (
        (*NUMBERS, "--objective", "f1"),
        "must be squared_error or absolute_error",
    ),
    "sizes of a metric": (
        ("fit", "mixed.csv", "-t", "y", "--objective", "f1", "--frontier"),
        "--frontier must be False",
    ),
    "output in no folder": ((*FIT, "-o", "no/m.json"), "there is no folder 'no'"),
    "output is a folder": ((*FIT, "-o", "folder"), "it is a folder"),
    "output is the input": ((*FIT, "-o", "./iris.csv"), "give another name"),
    "one output twice": ((*FIT, "-o", "m", "--report", "m"), "give another name"),
    "output is stdout": ((*FIT, "-o", "-"), "give the name of a file"),
    "page is stdout": (("report", "model.json", "-o", "-"), "the name of a file"),
    "binary to a dash": (
        ("export", "model.json", "--to", "onnx", "-o", "-"),
        "-o model.onnx",
    ),
    "no model": (("show", "nope.json"), "no file 'nope.json'"),
    "a model in a folder": (("show", "folder"), "folder"),
    "data as model": (("show", "iris.csv"), "not a model that this version of murtree"),
    "newer model": (("show", "newer.json"), "the only version that this murtree reads"),
    "older model": (("predict", "older.json", "iris.csv"), "'version' entry"),
    "half a model": (("export", "half.json", "--to", "c"), "must be a JSON text"),
    "other JSON": (("report", "other.json"), "'format' entry"),
    "one size": (("show", "model.json", "--size", 1), "has one size only, 2 nodes"),
    "no such size": (("show", "sizes.json", "--size", 4), "range [0, 3]"),
    "no such column": (("predict", "model.json", "one.csv"), "which the model needs"),
    "a word for a number": (("predict", "model.json", "word.csv"), "line 3"),
    "shares of values": (("predict", "values.json", "iris.csv", "--proba"), "classes"),
    "prediction into input": (
        ("predict", "model.json", "iris.csv", "-o", "iris.csv"),
        "give another name",
    ),
    "name of dot": (("export", "model.json", "--to", "dot", "--name", "x"), "--name"),
    "no name": (("export", "model.json", "--to", "c", "--name", "1 2"), "--name must"),
    "binary to stdout": (("export", "model.json", "--to", "onnx"), "-o model.onnx"),
    "report to folder": (("report", "model.json", "-o", "folder"), "it is a folder"),
    "validation without target": (
        ("show", "model.json", "--validation", "word.csv"),
        "species",
    ),
    "plot": (("frontier", *IRIS, "--plot", "x.gif"), ".png, .svg or .pdf"),
    "folds": (("tune", *IRIS, "--folds", 1), "--folds must be"),
    "many folds": (("tune", *IRIS, "--folds", 51), "in the range [2, 50]"),
    "score": (("tune", *IRIS, "--scoring", "acuracy"), "did you mean 'accuracy'?"),
    "score of two classes": (
        ("tune", *IRIS, "--scoring", "f1"),
        "--scoring f1 cannot score these classes. Try f1_macro.",
    ),
    "score of numbers": (
        ("tune", *IRIS, "--scoring", "r2"),
        "--scoring r2 cannot score these classes.",
    ),
    "score of classes": (
        ("tune", *NUMBERS[1:], "--scoring", "accuracy"),
        "--scoring accuracy cannot score numbers.",
    ),
    "no jobs": (("tune", *IRIS, "--jobs", 0), "--jobs must be a number of folds"),
    "tuned depth": (("tune", *IRIS, "-d", 9), "--max-depth must be an int"),
    "tuned metric": (("tune", *IRIS, "--objective", "f1"), "use fit with a --max-de"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Return a folder with invalid files."""
    folder = tmp_path_factory.mktemp("bad")
    (folder / "folder").mkdir()
    iris = write_iris(folder / "iris.csv")
    texts = {
        "empty.csv": "",
        "ragged.csv": "x,y\n1,a\n2,b,c\n",
        "one.csv": "x,y\n1,a\n2,a\n",
        "names.csv": "x,name\n" + "".join(f"{row},n{row % 60}\n" for row in range(100)),
        "pairs.csv": "x,name\n"
        + "".join(f"{row % 2},n{row % 51}\n" for row in range(102)),
        "table.json": '[\n {"x": 1, "y": 2}]',
        "table.jsonl": '{"x": 1, "y": 2}\n{"x": 3, "y": 4}\n',
        "comment.csv": "# of 2024\nx,y\n1,a\n2,b\n",
        "one_comment.csv": "# of 2024\nx\ty\n1\ta\n",
        "comments.csv": "x,y\n1,a\n# half of it\n2,b\n",
        "no_header.csv": "5.1,3.5,setosa\n4.9,3.0,setosa\n6.0,2.2,virginica\n",
        "letters.csv": "p,x,s,x\ne,x,s,y\n",
        "colons.csv": "x:y\n1:a\n2:b\n",
        "infinite.csv": "x,y\n1,a\nInf,b\n-inf,a\n",
        "dates.csv": "x,y\n1,2024-01-31\n2,2024-02-28\n",
        "mixed.csv": "word,x,y\n" + "a,1,0\nb,2,1\n" * 4,
        "word.csv": iris.read_text().splitlines()[0].removesuffix(",species")
        + "\n1,2,3,4\n1,2,x,4\n",
    }
    for name, text in texts.items():
        (folder / name).write_text(text)
    (folder / HOSTILE).write_text("")
    (folder / "binary.csv").write_bytes(bytes(range(256)))
    (folder / "book.xlsx").write_bytes(b"PK\x03\x04" + bytes(100))
    (folder / "damaged.csv.gz").write_bytes(gzip.compress(iris.read_bytes())[:-20])
    (folder / "latin1.csv").write_bytes("größe,y\n1,a\n2,b\n".encode("latin1"))
    classes = ("fit", iris, "-t", "species", "-d", 2, "-q", "-o")
    ok(*classes, folder / "model.json")
    ok(*classes, folder / "sizes.json", "--frontier")
    values = ("fit", iris, "-t", "petal width", "--regression", "-d", 1, "-q", "-o")
    ok(*values, folder / "values.json")
    model = json.loads((folder / "model.json").read_text())
    for name, version in (("newer", 99), ("older", 0)):
        (folder / f"{name}.json").write_text(json.dumps(model | {"version": version}))
    (folder / "half.json").write_text((folder / "model.json").read_text()[:100])
    (folder / "other.json").write_text('{"a": 1}')
    return folder


@pytest.fixture(autouse=True)
def in_the_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)


def content(folder):
    return {
        path.name: path.read_bytes() if path.is_file() else sorted(path.iterdir())
        for path in folder.iterdir()
    }


def assert_refused(done, message, code=2):
    assert done.code == code, done
    lines = done.err.splitlines()
    assert len(lines) == 1, done.err
    assert lines[0].startswith("error: ")
    assert message in lines[0]
    assert "Traceback" not in done.err
    assert all(letter.isprintable() for letter in lines[0])


@pytest.mark.parametrize("case", CASES)
def test_bad_input(case, folder):
    arguments, message = CASES[case]
    before = content(folder)
    done = run(*arguments)
    assert_refused(done, message)
    assert done.out == ""
    assert content(folder) == before


def test_a_file_larger_than_memory(folder, monkeypatch):
    monkeypatch.setattr("murtree.cli.tables.memory.available_memory", lambda: 20_000)
    assert_refused(run(*FIT), "--sample")


def test_a_full_disk_loses_no_tree(folder, monkeypatch):
    def fail(path, content):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("murtree._input.atomic_write.write_whole", fail)
    done = run(*FIT, "-o", "new.json")
    assert_refused(done, "new.json: no space left on device.")
    assert "Proven optimal" in done.out
    assert "wrote" not in done.out


@pytest.mark.parametrize(
    ("raised", "code", "message"),
    [
        (MemoryError(), 2, "not enough memory"),
        (KeyboardInterrupt(), 130, "interrupted. No file was written."),
        (PermissionError(errno.EACCES, "Permission denied", "x"), 2, "x: permission"),
        (ZeroDivisionError("a\nb"), 70, "ZeroDivisionError: a b. This is a bug"),
        (TypeError("f() got 'x'"), 70, "MURTREE_DEBUG=1"),
        (ImportError("export_onnx needs onnx"), 2, "needs onnx"),
    ],
)
def test_whatever_is_raised(raised, code, message, monkeypatch):
    def fail(*_, **__):
        raise raised

    monkeypatch.setattr("murtree.cli.model_files.exit_code", fail)
    done = run(*FIT, "-q")
    assert_refused(done, message, code)


def test_traceback_of_a_bug_can_be_requested(monkeypatch):
    def fail(*_, **__):
        raise ZeroDivisionError

    monkeypatch.setattr("murtree.cli.model_files.exit_code", fail)
    monkeypatch.setenv(errors.DEBUG, "1")
    with pytest.raises(ZeroDivisionError):
        run(*FIT, "-q")


def test_many_classes_of_two_rows_are_not_taken_for_an_identifier():
    assert ok("fit", "pairs.csv", "-t", "name", "-d", 1, "-q").err == ""


@pytest.mark.parametrize("module", ["typer", "rich", "pandas", "pyarrow", "psutil"])
def test_missing_packages_are_named(module, monkeypatch, capsys):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        murtree.cli.importlib.util,
        "find_spec",
        lambda name: None if name == module else real(name),
    )
    with pytest.raises(SystemExit) as ended:
        murtree.cli.main(["--version"])
    assert ended.value.code == 2
    message = (
        "error: the command line needs typer, rich, pandas, pyarrow and psutil: "
        "install them (the extra 'cli')\n"
    )
    assert capsys.readouterr().err == message


@pytest.mark.parametrize(
    ("option", "module"), [("--report", "jinja2"), ("--plot", "matplotlib")]
)
def test_missing_package_of_an_option_is_named(option, module, folder, monkeypatch):
    real = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name: None if name == module else real(name)
    )
    command = "fit" if option == "--report" else "frontier"
    done = run(command, *IRIS, option, "new.png")
    assert_refused(done, f"{option} needs {module}: install it (the extra '")


def test_messages_name_options():
    problem = "max_num_nodes", "Solver", "must be an int without 'max_depth'."
    error = ParameterValueError(*problem)
    assert str(error).startswith("The 'max_num_nodes' parameter of Solver must be an")
    assert as_option(error) == "--max-nodes must be an int without --max-depth."
    assert str(pickle.loads(pickle.dumps(error))) == str(error)
    other = ValueError("no column 'max_depth' in x.csv")
    assert as_option(other) == str(other)
