"""Path of the repository, and of the paper's data sets (MURTREE_DATA)."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAPER_SETS = Path(os.environ.get("MURTREE_DATA") or "none")
NO_SETS = "MURTREE_DATA does not name a folder with expected.csv and binary/"
