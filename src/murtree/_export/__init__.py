"""Trees that leave the library: text, pictures and programs in other languages."""

from murtree._export._c import export_c
from murtree._export._graphviz import export_graphviz
from murtree._export._onnx import export_onnx
from murtree._export._python import export_python
from murtree._export._sql import export_sql
from murtree._export._text import export_text

__all__ = [
    "export_c",
    "export_graphviz",
    "export_onnx",
    "export_python",
    "export_sql",
    "export_text",
]
