"""``murtree info``: show versions and the machine."""

import importlib.metadata
import importlib.util
import os
import platform
import shutil
import subprocess
from pathlib import Path
from typing import Any

from murtree.cli import NEEDED
from murtree.cli import options as o
from murtree.cli.output import Output

HELP = """Show the version, the kernel and the machine.

For reports of bugs and timings. The kernel is the code that counts rows.

[bold]Examples[/bold]
  [cyan]murtree info[/cyan]
  [cyan]murtree info --json[/cyan]
"""
EXTRAS = {  # the modules of each extra
    "cli": NEEDED,
    "progress": ("rich",),
    "plot": ("matplotlib",),
    "onnx": ("onnx",),
    "report": ("jinja2",),
}
_PATIENCE = 5.0  # seconds for nvidia-smi


def info(as_json: o.AsJson = False, no_color: o.NoColor = False) -> int:
    """Print one line per fact."""
    reply = Output(as_json=as_json, no_color=no_color)
    facts = collect()
    reply.answer(facts)
    if reply.is_for_people:
        from rich.table import Table
        from rich.text import Text

        table = Table.grid(padding=(0, 2, 0, 0))
        for name, fact in facts.items():
            label = Text(name.replace("_", "-"), style="bold")
            table.add_row(label, Text(_fact_text(name, fact)))
        reply.draw(table)
    return 0


def collect() -> dict[str, Any]:
    """Return all facts by name."""
    import psutil

    from murtree import __version__
    from murtree._solver.solver import Solver

    kernel = Solver([[0], [1]], [0, 1]).solve(max_depth=1).stats["kernel"]
    return {
        "murtree": __version__,
        "kernel": kernel,
        "cpu": _cpu(),
        "cores": os.cpu_count(),
        "memory": psutil.virtual_memory().total,
        "gpu": _gpus(),
        "python": platform.python_version(),
        "system": platform.platform(),
        "numpy": _version("numpy"),
        "scikit_learn": _version("scikit-learn"),
        "extras": {
            name: all(map(importlib.util.find_spec, modules))
            for name, modules in EXTRAS.items()
        },
    }


def _fact_text(name: str, fact: Any) -> str:
    if name == "memory":
        return f"{fact / 2**30:.1f} GiB"
    if name == "gpu":
        found = ", ".join(fact) or "none"
        return f"{found} (the search runs on the CPU, one core)"
    if name == "extras":
        return ", ".join(
            f"{extra}{'' if is_here else ' (not installed)'}"
            for extra, is_here in fact.items()
        )
    return str(fact)


def _cpu() -> str:
    """Return the name of the processor, from Linux or else from Python."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.lower().startswith(("model name", "hardware")):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def _gpus() -> list[str]:
    """Return the names of NVIDIA GPUs, if nvidia-smi is installed."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    command = [tool, "--query-gpu=name", "--format=csv,noheader"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, timeout=_PATIENCE, check=True
        )
    except (OSError, subprocess.SubprocessError):
        return []
    return [line.strip() for line in done.stdout.splitlines() if line.strip()]


def _version(package: str) -> str:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return "unknown"
