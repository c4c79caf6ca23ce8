"""Export trees as text, pictures and source code of other languages."""

from murtree._export.c import export_c
from murtree._export.graphviz import export_graphviz
from murtree._export.onnx import export_onnx
from murtree._export.python import export_python
from murtree._export.sql import export_sql
from murtree._export.text import export_text

__all__ = [
    "export_c",
    "export_graphviz",
    "export_onnx",
    "export_python",
    "export_sql",
    "export_text",
]
