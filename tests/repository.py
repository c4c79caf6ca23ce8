"""Where the repository is, and the paper's sets: MURTREE_DATA names their folder."""

import os
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAPER_SETS = Path(os.environ.get("MURTREE_DATA") or "none")
NO_SETS = "MURTREE_DATA does not name a folder with expected.csv and binary/"
