"""Count lines, lengths of functions, and files over 400 lines.

    python tools/sizes.py            # of this tree
    python tools/sizes.py ../other   # of another one

A Python function is as long as its text from `def` to its last line, without decorators
and docstring. C++ is counted by lines alone.
"""

import ast
import statistics
import sys
from pathlib import Path

SUFFIXES = {
    "src": (".py", ".pyi", ".js", ".css", ".html"),
    "tests": (".py",),
    "cpp": (".cpp", ".hpp", ".ipp"),
}
MOST_LINES = 400


def files(root: Path, folder: str) -> list[Path]:
    """Return the source files of a folder."""
    paths = sorted((root / folder).rglob("*"))
    return [path for path in paths if path.suffix in SUFFIXES[folder]]


def lengths(path: Path) -> list[int]:
    """Return the lengths of the functions in a Python file."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    kinds = ast.FunctionDef | ast.AsyncFunctionDef
    return [length(node) for node in ast.walk(tree) if isinstance(node, kinds)]


def length(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the lines of a function without decorators and docstring."""
    lines = function.end_lineno - function.lineno + 1
    if ast.get_docstring(function, clean=False) is not None:
        text = function.body[0]
        lines -= text.end_lineno - text.lineno + 1
    return lines


def main() -> None:
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).parents[1]
    for folder in SUFFIXES:
        counts = {
            path: len(path.read_bytes().splitlines()) for path in files(root, folder)
        }
        print(f"{folder}: {sum(counts.values()):,} lines in {len(counts)} files")
        found = [n for path in counts if path.suffix == ".py" for n in lengths(path)]
        if found:
            p90 = statistics.quantiles(found, n=10)[-1]
            print(
                f"  {len(found):,} functions: median {statistics.median(found):.0f} "
                f"lines, p90 {p90:.0f}, maximum {max(found)}"
            )
        for path, n_lines in sorted(counts.items(), key=lambda item: -item[1]):
            if n_lines > MOST_LINES:
                print(f"  {n_lines} {path.relative_to(root)}")


if __name__ == "__main__":
    main()
